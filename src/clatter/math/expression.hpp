#pragma once

#include <optional>
#include <string>

#include <clatter/math/formula.hpp>

namespace clatter {

/// A function of time: a constant, or a formula in `t` [s] such as "2*sin(10*t)". A value type.
class Expression {
 public:
  Expression(double constant = 0.0);  // NOLINT: numbers are expressions
  /// Throws std::invalid_argument with the reason when the text is not one formula in t.
  explicit Expression(const std::string& text, const FormulaTables* tables = nullptr);

  double operator()(double t) const;
  /// d/dt by eighth-order central differences with the given spacing [s]: exact to round-off for
  /// anything that varies slowly over a spacing, so pass a fraction of the time step.
  double rate(double t, double spacing) const;
  /// d²/dt², likewise.
  double second_rate(double t, double spacing) const;

  bool is_constant() const { return !formula_; }
  /// The formula as given, or the number.
  std::string text() const;

 private:
  double constant_ = 0.0;
  std::string text_;
  std::optional<Formula> formula_;
};

}  // namespace clatter
