#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace clatter {

/// A formula in `t`, translated once into instructions for a machine with a stack. Evaluating it
/// writes nothing but the caller's own stack, so that threads may share a formula.
class Formula {
 public:
  /// Throws std::invalid_argument with the reason when the text is not one formula in t.
  explicit Formula(std::string_view text);

  double operator()(double t) const;

  /// Whether a name has a meaning in formulas: t, a constant or a function.
  static bool knows(std::string_view name);

  enum class Operation : unsigned char {
    number,  ///< pushes `number`
    time,    ///< pushes t
    negate,
    call,      ///< replaces the top by `function` of it
    call_two,  ///< likewise the two on top
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
    std::size_t target = 0;  ///< of a jump
  };

 private:
  std::vector<Instruction> code_;
};

}  // namespace clatter
