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
      const Eigen::Index first = c.first_row;
      const RowVector before = p.segment(first, c.rows);
      const RowMatrix local = D.block(first, first, c.rows, c.rows);
      // What the other contacts leave: g = free + local * p_c
      const RowVector free =
          b.segment(first, c.rows) + D.middleRows(first, c.rows) * p - local * before;
      RowVector now = before;
      const double r_N = 1.0 / local(0, 0);
      for (int k = 0; k < local_iterations; ++k) {
        now[0] = std::max(0.0, now[0] - r_N * (free[0] + local.row(0).dot(now)));
        if (c.rows == 1) break;
        for (const FrictionBall& ball : c.law.all_balls()) {
          const auto block = local.block(ball.first_row, ball.first_row, ball.rows, ball.rows);
          // The trace bounds the largest eigenvalue.
          const double trace = block.trace();
          if (trace == 0.0) continue;
          const auto rows = local.middleRows(ball.first_row, ball.rows);
          RowVector trial = now.segment(ball.first_row, ball.rows) -
                            (free.segment(ball.first_row, ball.rows) + rows * now) / trace;
          const double length = trial.norm(), radius = ball.coefficient * now[0];
          if (length > radius) trial *= radius / length;
          now.segment(ball.first_row, ball.rows) = trial;
        }
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
