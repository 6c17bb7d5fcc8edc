#include "contact/gauss_seidel.hpp"

#include <algorithm>
#include <cmath>

namespace clatter {
namespace {

constexpr int local_iterations = 8;

}  // namespace

GaussSeidelResult solve_gauss_seidel(const MatX& D, const VecX& b,
                                     std::span<const CondensedContact> contacts, double tolerance,
                                     int max_sweeps, VecX& p) {
  GaussSeidelResult result;
  for (result.sweeps = 1; result.sweeps <= max_sweeps; ++result.sweeps) {
    double change = 0.0;
    for (const CondensedContact& c : contacts) {
      const Eigen::Index first = c.first_row, tangential = c.rows - 1;
      const RowVector before = p.segment(first, c.rows);
      const RowMatrix local = D.block(first, first, c.rows, c.rows);
      // What the other contacts leave: g = free + local * p_c
      const RowVector free =
          b.segment(first, c.rows) + D.middleRows(first, c.rows) * p - local * before;
      RowVector now = before;
      const double r_N = 1.0 / local(0, 0);
      // The trace bounds the largest eigenvalue of the tangential block.
      const double r_T =
          tangential > 0 ? 1.0 / local.bottomRightCorner(tangential, tangential).trace() : 0.0;
      for (int k = 0; k < local_iterations; ++k) {
        now[0] = std::max(0.0, now[0] - r_N * (free[0] + local.row(0).dot(now)));
        if (tangential == 0) break;
        RowVector trial = now.tail(tangential) - r_T * (free + local * now).tail(tangential);
        const double length = trial.norm(), radius = c.mu * now[0];
        if (length > radius) trial *= radius / length;
        now.tail(tangential) = trial;
      }
      p.segment(first, c.rows) = now;
      change += (now - before).squaredNorm();
    }
    result.change = std::sqrt(change) / std::max(p.norm(), 1e-300);
    if (result.change <= tolerance) break;
  }
  return result;
}

}  // namespace clatter
