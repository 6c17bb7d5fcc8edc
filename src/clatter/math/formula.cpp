#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <clatter/math/formula.hpp>

namespace clatter {
namespace {

using Instruction = Formula::Instruction;
using Operation = Formula::Operation;

constexpr std::size_t deepest_stack = 64;
// Nested parentheses, signs and choices: each costs some frames of the translator.
constexpr int deepest_nesting = 200;
constexpr const char* too_deep = "the formula is nested too deep";
constexpr std::string_view white = " \t\n\r";

struct BinaryOperator {
  std::string_view text;
  Operation operation;
  int precedence;
};
// Two characters before one, so that "<=" is not taken for "<".
constexpr std::array<BinaryOperator, 13> binary_operators{{
    {"||", Operation::either, 1},
    {"&&", Operation::both, 2},
    {"<=", Operation::less_or_equal, 3},
    {">=", Operation::greater_or_equal, 3},
    {"==", Operation::equal, 3},
    {"!=", Operation::not_equal, 3},
    {"<", Operation::less, 3},
    {">", Operation::greater, 3},
    {"+", Operation::add, 4},
    {"-", Operation::subtract, 4},
    {"*", Operation::multiply, 5},
    {"/", Operation::divide, 5},
    {"^", Operation::power, 6},
}};
constexpr int precedence_of_power = 6;

struct NamedFunction {
  std::string_view name;
  double (*function)(double);
  double (*derivative)(double);
};
constexpr std::array<NamedFunction, 21> functions{{
    {"sin", [](double x) { return std::sin(x); }, [](double x) { return std::cos(x); }},
    {"cos", [](double x) { return std::cos(x); }, [](double x) { return -std::sin(x); }},
    {"tan", [](double x) { return std::tan(x); },
     [](double x) { return 1.0 / (std::cos(x) * std::cos(x)); }},
    {"asin", [](double x) { return std::asin(x); },
     [](double x) { return 1.0 / std::sqrt(1.0 - x * x); }},
    {"acos", [](double x) { return std::acos(x); },
     [](double x) { return -1.0 / std::sqrt(1.0 - x * x); }},
    {"atan", [](double x) { return std::atan(x); }, [](double x) { return 1.0 / (1.0 + x * x); }},
    {"sinh", [](double x) { return std::sinh(x); }, [](double x) { return std::cosh(x); }},
    {"cosh", [](double x) { return std::cosh(x); }, [](double x) { return std::sinh(x); }},
    {"tanh", [](double x) { return std::tanh(x); },
     [](double x) { return 1.0 - std::tanh(x) * std::tanh(x); }},
    {"asinh", [](double x) { return std::asinh(x); },
     [](double x) { return 1.0 / std::sqrt(1.0 + x * x); }},
    {"acosh", [](double x) { return std::acosh(x); },
     [](double x) { return 1.0 / std::sqrt(x * x - 1.0); }},
    {"atanh", [](double x) { return std::atanh(x); }, [](double x) { return 1.0 / (1.0 - x * x); }},
    {"exp", [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }},
    {"log", [](double x) { return std::log(x); }, [](double x) { return 1.0 / x; }},
    {"ln", [](double x) { return std::log(x); }, [](double x) { return 1.0 / x; }},
    {"log2", [](double x) { return std::log2(x); },
     [](double x) { return std::numbers::log2e / x; }},
    {"log10", [](double x) { return std::log10(x); },
     [](double x) { return std::numbers::log10e / x; }},
    {"sqrt", [](double x) { return std::sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); }},
    {"abs", [](double x) { return std::abs(x); },
     [](double x) { return x < 0.0 ? -1.0 : (x > 0.0 ? 1.0 : 0.0); }},
    {"rint", [](double x) { return std::floor(x + 0.5); }, [](double) { return 0.0; }},
    {"sign", [](double x) { return x < 0.0 ? -1.0 : (x > 0.0 ? 1.0 : 0.0); },
     [](double) { return 0.0; }},
}};

/// With which paths of quantities begin.
bool is_folder(std::string_view name) {
  constexpr std::array<std::string_view, 15> folders{
      "bodies",   "joints", "beams",  "springs", "bushings", "cables",      "couplers", "contacts",
      "bearings", "pairs",  "system", "energy",  "sensors",  "controllers", "actuators"};
  return std::find(folders.begin(), folders.end(), name) != folders.end();
}

double smaller(double a, double b) { return std::min(a, b); }
double larger(double a, double b) { return std::max(a, b); }
double angle_of(double y, double x) { return std::atan2(y, x); }

/// A number with its derivative.
struct Dual {
  double value = 0.0, slope = 0.0;
};

Dual power_of(const Dual& base, const Dual& exponent) {
  const double value = std::pow(base.value, exponent.value);
  double slope = 0.0;
  if (base.slope != 0.0) {
    slope += exponent.value * std::pow(base.value, exponent.value - 1.0) * base.slope;
  }
  if (exponent.slope != 0.0) slope += value * std::log(base.value) * exponent.slope;
  return {value, slope};
}

/// Of the functions of two arguments.
Dual call_with_slope(double (*function)(double, double), const Dual& a, const Dual& b) {
  const double value = function(a.value, b.value);
  if (function == angle_of) {
    const double square = a.value * a.value + b.value * b.value;
    return {value, (b.value * a.slope - a.value * b.slope) / square};
  }
  return {value, value == a.value ? a.slope : b.slope};
}

/// The value with the derivative by one quantity, or by t. What is not smooth has the derivative
/// of one of its sides.
Dual evaluate_with_slope(std::span<const Instruction> code, double t, std::span<const double> x,
                         std::size_t by) {
  std::array<Dual, deepest_stack> stack;
  Dual* below = stack.data();
  Dual top;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Instruction& instruction = code[i];
    const auto truth = [&](bool is) {
      --below;
      top = {is ? 1.0 : 0.0, 0.0};
    };
    switch (instruction.operation) {
      case Operation::number:
        *below++ = top;
        top = {instruction.number, 0.0};
        break;
      case Operation::time:
        *below++ = top;
        top = {t, by == Formula::by_time ? 1.0 : 0.0};
        break;
      case Operation::quantity:
        *below++ = top;
        top = {x[instruction.target], by == instruction.target ? 1.0 : 0.0};
        break;
      case Operation::negate:
        top = {-top.value, -top.slope};
        break;
      case Operation::call:
        // A function that is constant has no slope even where its argument's is infinite.
        top = {instruction.function(top.value),
               top.slope == 0.0 ? 0.0 : instruction.derivative(top.value) * top.slope};
        break;
      case Operation::look_up:
        top = {(*instruction.table)(top.value),
               top.slope == 0.0 ? 0.0 : instruction.table->slope(top.value) * top.slope};
        break;
      case Operation::call_two:
        --below;
        top = call_with_slope(instruction.function_of_two, *below, top);
        break;
      case Operation::jump:
        i = instruction.target - 1;
        break;
      case Operation::jump_if_zero:
        if (top.value == 0.0) i = instruction.target - 1;
        top = *--below;
        break;
      case Operation::add:
        --below;
        top = {below->value + top.value, below->slope + top.slope};
        break;
      case Operation::subtract:
        --below;
        top = {below->value - top.value, below->slope - top.slope};
        break;
      case Operation::multiply:
        --below;
        top = {below->value * top.value, below->slope * top.value + below->value * top.slope};
        break;
      case Operation::divide: {
        --below;
        const double ratio = below->value / top.value;
        top = {ratio, (below->slope - ratio * top.slope) / top.value};
        break;
      }
      case Operation::power:
        --below;
        top = power_of(*below, top);
        break;
      case Operation::less:
        truth(below[-1].value < top.value);
        break;
      case Operation::less_or_equal:
        truth(below[-1].value <= top.value);
        break;
      case Operation::greater:
        truth(below[-1].value > top.value);
        break;
      case Operation::greater_or_equal:
        truth(below[-1].value >= top.value);
        break;
      case Operation::equal:
        truth(below[-1].value == top.value);
        break;
      case Operation::not_equal:
        truth(below[-1].value != top.value);
        break;
      case Operation::both:
        truth(below[-1].value != 0.0 && top.value != 0.0);
        break;
      case Operation::either:
        truth(below[-1].value != 0.0 || top.value != 0.0);
        break;
    }
  }
  return top;
}

double evaluate(std::span<const Instruction> code, double t, std::span<const double> x = {}) {
  std::array<double, deepest_stack> stack;  // filled as far as it is read
  double* below = stack.data();
  double top = 0.0;  // lies on the stack, kept apart because nearly all of the work is with it
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Instruction& instruction = code[i];
    switch (instruction.operation) {
      case Operation::number:
        *below++ = top;
        top = instruction.number;
        break;
      case Operation::time:
        *below++ = top;
        top = t;
        break;
      case Operation::quantity:
        *below++ = top;
        top = x[instruction.target];
        break;
      case Operation::negate:
        top = -top;
        break;
      case Operation::call:
        top = instruction.function(top);
        break;
      case Operation::look_up:
        top = (*instruction.table)(top);
        break;
      case Operation::call_two:
        top = instruction.function_of_two(*--below, top);
        break;
      case Operation::jump:
        i = instruction.target - 1;
        break;
      case Operation::jump_if_zero:
        if (top == 0.0) i = instruction.target - 1;
        top = *--below;
        break;
      case Operation::add:
        top = *--below + top;
        break;
      case Operation::subtract:
        top = *--below - top;
        break;
      case Operation::multiply:
        top = *--below * top;
        break;
      case Operation::divide:
        top = *--below / top;
        break;
      case Operation::power:
        top = std::pow(*--below, top);
        break;
      case Operation::less:
        top = *--below < top ? 1.0 : 0.0;
        break;
      case Operation::less_or_equal:
        top = *--below <= top ? 1.0 : 0.0;
        break;
      case Operation::greater:
        top = *--below > top ? 1.0 : 0.0;
        break;
      case Operation::greater_or_equal:
        top = *--below >= top ? 1.0 : 0.0;
        break;
      case Operation::equal:
        top = *--below == top ? 1.0 : 0.0;
        break;
      case Operation::not_equal:
        top = *--below != top ? 1.0 : 0.0;
        break;
      case Operation::both:
        top = *--below != 0.0 && top != 0.0 ? 1.0 : 0.0;
        break;
      case Operation::either:
        top = *--below != 0.0 || top != 0.0 ? 1.0 : 0.0;
        break;
    }
  }
  return top;
}

/// Reads a formula from left to right, one member for each rule of its grammar.
class Translator {
 public:
  Translator(std::string_view text, Formula::Of of, const FormulaTables* names)
      : text_(text), of_(of), names_(names) {}

  std::vector<Instruction> translate() {
    choice();
    skip_white();
    if (at_ < text_.size()) fail();
    return std::move(code_);
  }

  std::vector<std::string> quantities;
  std::vector<std::shared_ptr<const Tabulated>> tables;

 private:
  /// condition ? value : choice
  void choice() {
    enter();
    operation(1);
    if (accept("?")) {
      const std::size_t to_else = emit_jump(Operation::jump_if_zero);
      const std::size_t depth = --depth_;
      choice();
      expect(":");
      const std::size_t to_end = emit_jump(Operation::jump);
      land(to_else);
      depth_ = depth;
      choice();
      land(to_end);
    }
    --nesting_;
  }

  void enter() {
    if (++nesting_ > deepest_nesting) throw std::invalid_argument(too_deep);
  }

  /// Operands joined by operators that bind at least that strongly.
  void operation(int precedence) {
    operand();
    while (const BinaryOperator* found = next_operator(precedence)) {
      at_ += found->text.size();
      // 2^3^2 is 2^(3^2), whereas 2-3-4 is (2-3)-4.
      operation(found->operation == Operation::power ? found->precedence : found->precedence + 1);
      emit_of_two(found->operation);
    }
  }

  void operand() {
    if (accept("-") || accept("+")) {
      const bool negative = text_[at_ - 1] == '-';
      enter();
      operation(precedence_of_power);  // -t^2 is -(t^2)
      --nesting_;
      if (negative) emit_negation();
    } else if (accept("(")) {
      choice();
      expect(")");
    } else if (const std::optional<double> value = number()) {
      emit_number(*value);
    } else {
      named();
    }
  }

  void quantity(std::string_view path) {
    if (of_ != Formula::Of::quantities) {
      throw std::invalid_argument(
          fmt::format("'{}' is a quantity of the run, on which only an [[actuator]], a [[sensor]] "
                      "or a [[controller]] may depend",
                      path));
    }
    const auto found = std::find(quantities.begin(), quantities.end(), path);
    const auto index = static_cast<std::size_t>(found - quantities.begin());
    if (found == quantities.end()) quantities.emplace_back(path);
    if (quantities.size() > Formula::most_quantities) {
      throw std::invalid_argument(
          fmt::format("a formula has at most {} quantities", Formula::most_quantities));
    }
    at_ += path.size();
    emit({.operation = Operation::quantity, .target = index}, 1);
  }

  /// The time, a quantity, a constant or a function.
  void named() {
    const std::string_view name = next_name();
    if (const std::size_t length = Formula::length_of_path(text_.substr(at_)); length > 0) {
      return quantity(text_.substr(at_, length));
    }
    const std::size_t start = at_;
    at_ += name.size();
    if (name == (of_ == Formula::Of::speed ? "v" : "t")) {
      return emit({.operation = Operation::time}, 1);
    }
    if (name == "pi" || name == "_pi") return emit_number(std::numbers::pi);
    if (name == "_e") return emit_number(std::numbers::e);
    if (name == "atan2") return function_of_two();
    if (name == "min") return function_of_many(call_two(smaller));
    if (name == "max") return function_of_many(call_two(larger));
    if (name == "sum") return function_of_many({.operation = Operation::add});
    if (name == "avg") return function_of_many({.operation = Operation::add}, true);
    const auto* found = std::find_if(functions.begin(), functions.end(),
                                     [&](const NamedFunction& f) { return f.name == name; });
    if (found == functions.end()) return look_up(name, start);
    argument();
    emit({.operation = Operation::call,
          .function = found->function,
          .derivative = found->derivative},
         0);
  }

  void argument() {
    expect("(");
    choice();
    expect(")");
  }

  void look_up(std::string_view name, std::size_t start) {
    const bool has_tables = names_ != nullptr;
    if (!has_tables || !names_->contains(name)) {
      at_ = start;
      fail();
    }
    tables.push_back(names_->find(name)->second);
    const Tabulated* table = tables.back().get();
    argument();
    emit({.operation = Operation::look_up, .table = table}, 0);
  }

  void function_of_two() {
    expect("(");
    choice();
    expect(",");
    choice();
    expect(")");
    emit(call_two(angle_of), -1);
  }

  /// The first two arguments are joined, then the result with the third...
  void function_of_many(const Instruction& join, bool is_mean = false) {
    int count = 1;
    expect("(");
    choice();
    for (; accept(","); ++count) {
      choice();
      emit(join, -1);
    }
    expect(")");
    if (!is_mean) return;
    emit_number(count);
    emit({.operation = Operation::divide}, -1);
  }

  static Instruction call_two(double (*function)(double, double)) {
    return {.operation = Operation::call_two, .function_of_two = function};
  }

  void emit(const Instruction& instruction, int growth) {
    code_.push_back(instruction);
    depth_ += static_cast<std::size_t>(growth);
    if (depth_ > deepest_stack) throw std::invalid_argument(too_deep);
  }

  void emit_number(double value) { emit({.number = value}, 1); }

  void emit_negation() {
    if (ends_in(Operation::number, 1)) {
      code_.back().number = -code_.back().number;
    } else {
      emit({.operation = Operation::negate}, 0);
    }
  }

  /// Numbers are joined here and now, and so are those that only multiply t: 2*t/5 is 0.4*t.
  void emit_of_two(Operation operation) {
    if (!ends_in(Operation::number, 1)) return emit({.operation = operation}, -1);
    const double second = code_.back().number;
    const bool scales =
        operation == Operation::multiply || (operation == Operation::divide && second != 0.0);
    if (ends_in(Operation::number, 2)) {
      emit({.operation = operation}, -1);
      const double value = evaluate(std::span(code_).last(3), 0.0);
      code_.resize(code_.size() - 2);
      code_.back().number = value;
    } else if (double* factor = scales ? factor_of_time() : nullptr) {
      *factor = operation == Operation::multiply ? *factor * second : *factor / second;
      code_.pop_back();
      --depth_;
    } else if (operation == Operation::power && ends_in(Operation::time, 2) &&
               (second == 2.0 || second == 3.0 || second == 4.0)) {
      // Products are faster than powers, and exact to the last digit for a square.
      code_.pop_back();
      --depth_;
      for (int i = 1; i < second; ++i) {
        emit({.operation = Operation::time}, 1);
        emit({.operation = Operation::multiply}, -1);
      }
    } else {
      emit({.operation = operation}, -1);
    }
  }

  /// The number of "number * t" or "t * number" before the last instruction, if that is there.
  double* factor_of_time() {
    if (!ends_in(Operation::multiply, 2)) return nullptr;
    for (const auto& [number, time] : {std::pair(4, 3), std::pair(3, 4)}) {
      const auto from_end = static_cast<std::size_t>(number);
      if (ends_in(Operation::number, from_end) &&
          ends_in(Operation::time, static_cast<std::size_t>(time))) {
        return &code_[code_.size() - from_end].number;
      }
    }
    return nullptr;
  }

  /// Whether the instruction so far from the end is of that kind and leads there on every way.
  bool ends_in(Operation operation, std::size_t from_end) const {
    return code_.size() >= landed_ + from_end &&
           code_[code_.size() - from_end].operation == operation;
  }

  std::size_t emit_jump(Operation operation) {
    code_.push_back({.operation = operation});
    return code_.size() - 1;
  }

  void land(std::size_t jump) {
    code_[jump].target = code_.size();
    landed_ = code_.size();
  }

  void skip_white() { at_ = std::min(text_.find_first_not_of(white, at_), text_.size()); }

  bool accept(std::string_view token) {
    skip_white();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("'{}'", token));
  }

  const BinaryOperator* next_operator(int precedence) {
    skip_white();
    const std::string_view rest = text_.substr(at_);
    const auto* found =
        std::find_if(binary_operators.begin(), binary_operators.end(),
                     [&](const BinaryOperator& o) { return rest.starts_with(o.text); });
    return found == binary_operators.end() || found->precedence < precedence ? nullptr : found;
  }

  std::optional<double> number() {
    skip_white();
    if (at_ == text_.size() || std::string_view(".0123456789").find(text_[at_]) == text_.npos) {
      return std::nullopt;  // "inf" and "nan" are names
    }
    double value = 0.0;
    const char* end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) return std::nullopt;
    at_ = static_cast<std::size_t>(rest - text_.data());
    return value;
  }

  std::string_view next_name() {
    constexpr std::string_view letters =
        "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    skip_white();
    return text_.substr(at_, text_.find_first_not_of(letters, at_) - at_);
  }

  [[noreturn]] void fail(const std::string& expected = "") {
    std::string_view token = next_name();
    if (token.empty()) token = text_.substr(at_, 1);
    const std::string wanted = expected.empty() ? "" : fmt::format(", expected {}", expected);
    if (token.empty()) throw std::invalid_argument("it ends too early" + wanted);
    const bool printable = token[0] > ' ' && token[0] <= '~';  // no letters of other scripts
    throw std::invalid_argument(fmt::format("unexpected {} at character {}{}",
                                            printable ? fmt::format("'{}'", token) : "text",
                                            at_ + 1, wanted));
  }

  std::string_view text_;
  Formula::Of of_;
  const FormulaTables* names_;
  std::size_t at_ = 0;
  std::vector<Instruction> code_;
  std::size_t depth_ = 0, landed_ = 0;
  int nesting_ = 0;
};

}  // namespace

Formula::Formula(std::string_view text, Of of, const FormulaTables* tables) {
  Translator translator(text, of, tables);
  code_ = translator.translate();
  quantities_ = std::move(translator.quantities);
  tables_ = std::move(translator.tables);
}

double Formula::operator()(double t) const { return evaluate(code_, t); }

double Formula::value(double t, std::span<const double> x) const { return evaluate(code_, t, x); }

double Formula::slope(double t, std::span<const double> x, std::size_t quantity) const {
  return evaluate_with_slope(code_, t, x, quantity).slope;
}

std::size_t Formula::length_of_path(std::string_view text) {
  const std::size_t end = text.find_first_of(" \t\r\n+*^()<>=!&|?:,");
  const std::string_view path = text.substr(0, end);
  const std::size_t slash = path.find('/');
  return slash != path.npos && is_folder(path.substr(0, slash)) ? path.size() : 0;
}

bool Formula::knows(std::string_view name) {
  constexpr std::array<std::string_view, 9> others{"t",   "pi",  "_pi", "_e", "atan2",
                                                   "min", "max", "sum", "avg"};
  return std::find(others.begin(), others.end(), name) != others.end() || is_folder(name) ||
         std::any_of(functions.begin(), functions.end(),
                     [&](const NamedFunction& f) { return f.name == name; });
}

}  // namespace clatter
