#pragma once

#include <clatter/math/types.hpp>

namespace clatter {

/// Two numbers: the processor does with both at once what it does with one.
struct Two {
  using Lanes [[gnu::vector_size(16)]] = double;
  Lanes lanes;

  Two() = default;
  Two(double both) : lanes{both, both} {}  // NOLINT(google-explicit-constructor): Eigen needs it
  Two(double first, double second) : lanes{first, second} {}
  explicit Two(const Lanes& given) : lanes(given) {}

  Two& operator+=(const Two& b) { return *this = *this + b; }
  Two& operator-=(const Two& b) { return *this = *this - b; }
  Two& operator*=(const Two& b) { return *this = *this * b; }
  friend Two operator+(const Two& a, const Two& b) { return Two(a.lanes + b.lanes); }
  friend Two operator-(const Two& a, const Two& b) { return Two(a.lanes - b.lanes); }
  friend Two operator*(const Two& a, const Two& b) { return Two(a.lanes * b.lanes); }
  friend Two operator/(const Two& a, const Two& b) { return Two(a.lanes / b.lanes); }
  friend Two operator-(const Two& a) { return Two(-a.lanes); }
};

/// Two matrices as one.
template <int rows, int columns>
Eigen::Matrix<Two, rows, columns> both(const Eigen::Matrix<double, rows, columns>& first,
                                       const Eigen::Matrix<double, rows, columns>& second) {
  Eigen::Matrix<Two, rows, columns> result;
  for (int i = 0; i < rows * columns; ++i) {
    result.data()[i] = Two(first.data()[i], second.data()[i]);
  }
  return result;
}

}  // namespace clatter

template <>
struct Eigen::NumTraits<clatter::Two> : Eigen::NumTraits<double> {
  using Real = clatter::Two;
  using NonInteger = clatter::Two;
  using Nested = clatter::Two;
};
template <class Operation>
struct Eigen::ScalarBinaryOpTraits<double, clatter::Two, Operation> {
  using ReturnType = clatter::Two;
};
template <class Operation>
struct Eigen::ScalarBinaryOpTraits<clatter::Two, double, Operation> {
  using ReturnType = clatter::Two;
};
