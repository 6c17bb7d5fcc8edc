#include <array>
#include <cmath>
#include <muParser.h>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <clatter/math/expression.hpp>

namespace clatter {

namespace {

// muParser copies the rest of the text for every number it meets, so its time grows with the square
// of the length; nobody writes a formula this long by hand.
constexpr std::size_t longest_formula = 2000;

// muParser knows `t = 5` and `t += 1`, which would change the time under its caller.
bool has_assignment(const std::string& text) {
  for (std::size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1)) {
    const bool comparison = i > 0 && std::string_view("<>!").find(text[i - 1]) != std::string::npos;
    if (comparison) continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
      continue;
    }
    return true;
  }
  return false;
}

}  // namespace

Expression::Expression(double constant) : constant_(constant) {}

Expression::Expression(const std::string& text)
    : text_(text), t_(std::make_unique<double>(0.0)), parser_(std::make_unique<mu::Parser>()) {
  if (text.size() > longest_formula) {
    throw std::invalid_argument(
        fmt::format("the formula is longer than {} characters", longest_formula));
  }
  if (has_assignment(text)) throw std::invalid_argument("a formula cannot assign with '='");
  try {
    parser_->DefineConst("pi", std::numbers::pi);
    parser_->DefineVar("t", t_.get());
    parser_->SetExpr(text);
    parser_->Eval();
    if (parser_->GetNumResults() != 1) throw std::invalid_argument("more than one formula");
  } catch (const mu::Parser::exception_type& error) {
    throw std::invalid_argument(error.GetMsg());
  }
}

Expression::Expression(const Expression& other) : constant_(other.constant_) {
  if (!other.is_constant()) *this = Expression(other.text_);
}

Expression::Expression(Expression&&) noexcept = default;
Expression::~Expression() = default;

Expression& Expression::operator=(const Expression& other) { return *this = Expression(other); }

Expression& Expression::operator=(Expression&& other) noexcept {
  constant_ = other.constant_;
  text_ = std::move(other.text_);
  // The parser points at *t_, so the two move together.
  parser_ = std::move(other.parser_);
  t_ = std::move(other.t_);
  return *this;
}

double Expression::operator()(double t) const {
  if (is_constant()) return constant_;
  *t_ = t;
  return parser_->Eval();
}

double Expression::rate(double t, double spacing) const {
  if (is_constant()) return 0.0;
  static constexpr std::array<double, 4> weight{4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  double sum = 0.0;
  for (int k = 1; k <= 4; ++k) {
    sum += weight[k - 1] * ((*this)(t + k * spacing) - (*this)(t - k * spacing));
  }
  if (std::isfinite(sum)) return sum / spacing;
  // A formula that ends here, such as sqrt(t) at zero: differences to one side, of fourth order.
  const auto& f = *this;
  return (-25.0 / 12.0 * f(t) + 4.0 * f(t + spacing) - 3.0 * f(t + 2.0 * spacing) +
          4.0 / 3.0 * f(t + 3.0 * spacing) - 0.25 * f(t + 4.0 * spacing)) /
         spacing;
}

double Expression::second_rate(double t, double spacing) const {
  if (is_constant()) return 0.0;
  static constexpr std::array<double, 4> weight{8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
  double sum = -205.0 / 72.0 * (*this)(t);
  for (int k = 1; k <= 4; ++k) {
    sum += weight[k - 1] * ((*this)(t + k * spacing) + (*this)(t - k * spacing));
  }
  if (std::isfinite(sum)) return sum / (spacing * spacing);
  const auto& f = *this;
  return (35.0 / 12.0 * f(t) - 26.0 / 3.0 * f(t + spacing) + 9.5 * f(t + 2.0 * spacing) -
          14.0 / 3.0 * f(t + 3.0 * spacing) + 11.0 / 12.0 * f(t + 4.0 * spacing)) /
         (spacing * spacing);
}

std::string Expression::text() const {
  return is_constant() ? fmt::format("{}", constant_) : text_;
}

}  // namespace clatter
