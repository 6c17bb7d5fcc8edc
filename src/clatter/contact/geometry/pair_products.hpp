#pragma once

#include <array>
#include <type_traits>

#include <clatter/contact/law/friction_law.hpp>
#include <clatter/elements/node.hpp>

namespace clatter {

// Products of the rows of a contact over its two nodes, for the loops over all contacts. Most
// contacts have three rows; with their number known there is no loop left.

/// Calls function with the number of rows as a constant where that is worth it; else it is zero.
template <class Function>
[[gnu::always_inline]] inline void with_rows(Eigen::Index rows, const Function& function) {
  if (rows == 3) {
    function(std::integral_constant<int, 3>());
  } else if (rows == 1) {
    function(std::integral_constant<int, 1>());
  } else {
    function(std::integral_constant<int, 0>());
  }
}

/// G times the motions of nodes a and b.
inline RowVector rates_of(const PairRows& G, const NodalVector& motion, int a, int b) {
  RowVector rates(G.rows());
  const double *x_a = motion.data() + 6 * Eigen::Index{a},
               *x_b = motion.data() + 6 * Eigen::Index{b};
  with_rows(G.rows(), [&](auto constant) {
    constexpr int known = decltype(constant)::value;
    const int rows = known > 0 ? known : static_cast<int>(G.rows());
    constexpr int most = known > 0 ? known : max_contact_rows;
    std::array<double, most> sums{};
    const double* column = G.data();
    for (int j = 0; j < 6; ++j, column += rows) {
      for (int i = 0; i < rows; ++i) sums[i] += column[i] * x_a[j];
    }
    for (int j = 0; j < 6; ++j, column += rows) {
      for (int i = 0; i < rows; ++i) sums[i] += column[i] * x_b[j];
    }
    for (int i = 0; i < rows; ++i) rates[i] = sums[i];
  });
  return rates;
}

/// The first of the rows, each times its scale.
inline PairRows scaled_rows(const RowVector& scale, const PairRows& G, int rows) {
  PairRows scaled(rows, 12);
  const Eigen::Index stride = G.rows();
  with_rows(rows, [&](auto constant) {
    constexpr int known = decltype(constant)::value;
    const int count = known > 0 ? known : rows;
    const double* from = G.data();
    double* to = scaled.data();
    for (int j = 0; j < 12; ++j, from += stride, to += count) {
      for (int i = 0; i < count; ++i) to[i] = scale[i] * from[i];
    }
  });
  return scaled;
}

/// forces += G^T p, on nodes a and b.
inline void add_forces_of(const PairRows& G, const RowVector& p, int a, int b,
                          NodalVector& forces) {
  double *at_a = forces.data() + 6 * Eigen::Index{a}, *at_b = forces.data() + 6 * Eigen::Index{b};
  with_rows(G.rows(), [&](auto constant) {
    constexpr int known = decltype(constant)::value;
    const int rows = known > 0 ? known : static_cast<int>(G.rows());
    const double* column = G.data();
    for (int j = 0; j < 12; ++j, column += rows) {
      double sum = column[0] * p[0];
      for (int i = 1; i < rows; ++i) sum += column[i] * p[i];
      (j < 6 ? at_a[j] : at_b[j - 6]) += sum;
    }
  });
}

}  // namespace clatter
