#include <array>
#include <cmath>

#include <fmt/format.h>

#include <clatter/math/expression.hpp>

namespace clatter {

Expression::Expression(double constant) : constant_(constant) {}

Expression::Expression(const std::string& text, const FormulaTables* tables)
    : text_(text), formula_(Formula(text, Formula::Of::time, tables)) {}

double Expression::operator()(double t) const { return formula_ ? (*formula_)(t) : constant_; }

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
