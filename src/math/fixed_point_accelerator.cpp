#include "math/fixed_point_accelerator.hpp"

#include <algorithm>
#include <Eigen/Cholesky>

namespace clatter {

void FixedPointAccelerator::restart() {
  count_ = 0;
  f_.resize(0);
}

bool FixedPointAccelerator::extrapolate(const VecX& x, const VecX& Gx, VecX& next) {
  constexpr double most_growth = 2.0;  // of the change, before all is forgotten
  const Eigen::Index n = x.size();
  const bool has_last = f_.size() == n;
  if (has_last) {
    const auto slot = static_cast<std::size_t>(count_ % memory);
    df_[slot] = (Gx - x) - f_;
    dg_[slot] = Gx - g_;
    ++count_;
    for (int i = 0; i < std::min(count_, memory); ++i) {
      const auto row = static_cast<int>(slot);
      products_(row, i) = products_(i, row) = df_[slot].dot(df_[static_cast<std::size_t>(i)]);
    }
  }
  f_ = Gx - x;
  g_ = Gx;
  const double change = f_.norm();
  if (!has_last) {
    smallest_ = change;
    return false;
  }
  if (!(change <= most_growth * smallest_)) {
    smallest_ = change;
    count_ = 0;
    return false;
  }
  smallest_ = std::min(smallest_, change);
  const int m = std::min(count_, memory);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, memory, memory> A(m, m);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, memory, 1> b(m);
  A = products_.topLeftCorner(m, m);
  for (int i = 0; i < m; ++i) {
    b[i] = df_[static_cast<std::size_t>(i)].dot(f_);
  }
  const double size = A.diagonal().maxCoeff();
  if (!(size > 0.0)) return false;
  A.diagonal().array() += 1e-12 * size;
  const auto weights = A.ldlt().solve(b).eval();
  if (!weights.allFinite()) return false;
  next = Gx;
  for (int i = 0; i < m; ++i) next -= weights[i] * dg_[static_cast<std::size_t>(i)];
  return true;
}

}  // namespace clatter
