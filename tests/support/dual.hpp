#pragma once

#include <cmath>

#include <clatter/math/types.hpp>

namespace clatter::testing {

/// A number together with its derivatives with respect to N variables (forward-mode automatic
/// differentiation): what is computed with duals brings its exact gradient along.
template <int N>
struct Dual {
  using Gradient = Eigen::Matrix<double, N, 1>;

  double value = 0.0;
  Gradient gradient = Gradient::Zero();

  static Dual variable(double value, int index) { return {value, Gradient::Unit(index)}; }

  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.gradient + b.gradient};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.gradient - b.gradient};
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, b.value * a.gradient + a.value * b.gradient};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double ratio = a.value / b.value;
    return {ratio, (a.gradient - ratio * b.gradient) / b.value};
  }
  friend Dual operator+(const Dual& a, double b) { return {a.value + b, a.gradient}; }
  friend Dual operator-(const Dual& a, double b) { return {a.value - b, a.gradient}; }
  friend Dual operator*(double a, const Dual& b) { return {a * b.value, a * b.gradient}; }

  friend Dual sin(const Dual& a) { return {std::sin(a.value), std::cos(a.value) * a.gradient}; }
  friend Dual cos(const Dual& a) { return {std::cos(a.value), -std::sin(a.value) * a.gradient}; }
};

inline double value_of(double x) { return x; }
template <int N>
double value_of(const Dual<N>& x) {
  return x.value;
}

}  // namespace clatter::testing
