#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/math/tabulated.hpp>

namespace clatter {

/// Tables by the names that formulas call them by, as functions of one argument.
using FormulaTables = std::map<std::string, std::shared_ptr<const Tabulated>, std::less<>>;

/// A formula in `t`, perhaps also in quantities of a run, or in a speed `v`, translated once into
/// instructions for a machine with a stack. Evaluating it writes nothing but the caller's own
/// stack, so that threads may share a formula.
class Formula {
 public:
  enum class Of { time, quantities, speed };
  /// Throws std::invalid_argument with the reason when the text is not one formula in t, in v
  /// alone (of speed), or in t and quantities: paths such as `joints/axle/coordinate`, which go on
  /// to a space, a bracket or an operator other than `-` and `/`.
  explicit Formula(std::string_view text, Of of = Of::time, const FormulaTables* tables = nullptr);

  double operator()(double t) const;

  /// The paths of its quantities, each once.
  const std::vector<std::string>& quantities() const { return quantities_; }
  static constexpr std::size_t most_quantities = 16;
  /// `x`: the values of its quantities.
  double value(double t, std::span<const double> x) const;
  /// Its derivative with respect to one of them, or to t (`by_time`).
  double slope(double t, std::span<const double> x, std::size_t quantity) const;
  static constexpr std::size_t by_time = static_cast<std::size_t>(-1);

  /// Whether a name has a meaning in formulas: t, a constant or a function.
  static bool knows(std::string_view name);
  /// How long the path of a quantity is with which a text begins; zero without one.
  static std::size_t length_of_path(std::string_view text);

  enum class Operation : unsigned char {
    number,    ///< pushes `number`
    time,      ///< pushes t
    quantity,  ///< pushes that of number `target`
    negate,
    call,      ///< replaces the top by `function` of it
    call_two,  ///< likewise the two on top
    look_up,   ///< replaces the top by what `table` has there
    jump,
    jump_if_zero,
    // Of the two on top:
    add,
    subtract,
    multiply,
    divide,
    power,
    less,
    less_or_equal,
    greater,
    greater_or_equal,
    equal,
    not_equal,
    both,
    either,
  };

  struct Instruction {
    Operation operation = Operation::number;
    double number = 0.0;
    double (*function)(double) = nullptr;
    double (*function_of_two)(double, double) = nullptr;
    double (*derivative)(double) = nullptr;  ///< of `function`
    const Tabulated* table = nullptr;
    std::size_t target = 0;  ///< of a jump
  };

 private:
  std::vector<Instruction> code_;
  std::vector<std::string> quantities_;
  std::vector<std::shared_ptr<const Tabulated>> tables_;
};

}  // namespace clatter
