#include <algorithm>
#include <cassert>
#include <cmath>

#include <Eigen/Cholesky>

#include <clatter/math/fixed_point_accelerator.hpp>

namespace clatter {

FixedPointAccelerator::FixedPointAccelerator(int memory, double most_growth)
    : memory_(memory),
      most_growth_(most_growth),
      df_(static_cast<std::size_t>(memory)),
      dg_(static_cast<std::size_t>(memory)) {
  assert(memory >= 1 && memory <= max_memory);
}

void FixedPointAccelerator::reserve(std::size_t size) {
  f_.reserve(size);
  g_.reserve(size);
  for (std::vector<double>& each : df_) each.reserve(size);
  for (std::vector<double>& each : dg_) each.reserve(size);
}

void FixedPointAccelerator::restart(std::size_t size) {
  has_last_ = false;
  count_ = 0;
  f_.resize(size);
  g_.resize(size);
  for (std::vector<double>& each : df_) each.resize(size);
  for (std::vector<double>& each : dg_) each.resize(size);
}

bool FixedPointAccelerator::extrapolate(std::span<double> x, std::span<const double> Gx) {
  const std::size_t n = x.size();
  assert(f_.size() == n && Gx.size() == n);
  const auto slot = static_cast<std::size_t>(count_ % memory_);
  double square = 0.0;  // of the change
  if (has_last_) {
    double *df = df_[slot].data(), *dg = dg_[slot].data();
    for (std::size_t i = 0; i < n; ++i) {
      const double f = Gx[i] - x[i];
      df[i] = f - f_[i];
      dg[i] = Gx[i] - g_[i];
      f_[i] = f;
      g_[i] = Gx[i];
      square += f * f;
    }
    ++count_;
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      f_[i] = Gx[i] - x[i];
      g_[i] = Gx[i];
      square += f_[i] * f_[i];
    }
  }
  std::copy(Gx.begin(), Gx.end(), x.begin());
  const double change = std::sqrt(square);
  if (!has_last_ || !(change <= most_growth_ * smallest_)) {
    has_last_ = true;
    smallest_ = change;
    count_ = 0;
    return false;
  }
  smallest_ = std::min(smallest_, change);
  const int m = std::min(count_, memory_);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_memory, max_memory> A(m, m);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_memory, 1> b(m);
  for (int k = 0; k < m; ++k) {
    const double *own = df_[static_cast<std::size_t>(k)].data(), *last = df_[slot].data();
    double product = 0.0, along = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      product += own[i] * last[i];
      along += own[i] * f_[i];
    }
    const auto row = static_cast<int>(slot);
    products_(row, k) = products_(k, row) = product;
    b[k] = along;
  }
  A = products_.topLeftCorner(m, m);
  const double size = A.diagonal().maxCoeff();
  if (!(size > 0.0)) return false;
  A.diagonal().array() += 1e-12 * size;
  const auto weights = A.ldlt().solve(b).eval();
  if (!weights.allFinite()) return false;
  for (int k = 0; k < m; ++k) {
    const double* dg = dg_[static_cast<std::size_t>(k)].data();
    for (std::size_t i = 0; i < n; ++i) x[i] -= weights[k] * dg[i];
  }
  return true;
}

}  // namespace clatter
