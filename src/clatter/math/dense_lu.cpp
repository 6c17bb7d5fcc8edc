#include <cmath>

#include <clatter/math/dense_lu.hpp>

namespace clatter {

bool DenseLu::factorise(MatX& A, Eigen::Index n, double smallest_pivot) {
  pivots_.resize(static_cast<std::size_t>(n));
  const double least = smallest_pivot * A.topLeftCorner(n, n).cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index pivot = 0;
    if (!(A.col(k).segment(k, n - k).cwiseAbs().maxCoeff(&pivot) > least)) return false;
    pivot += k;
    pivots_[static_cast<std::size_t>(k)] = pivot;
    if (pivot != k) A.row(k).head(n).swap(A.row(pivot).head(n));
    const Eigen::Index rest = n - k - 1;
    if (rest == 0) break;
    A.col(k).segment(k + 1, rest) /= A(k, k);
    for (Eigen::Index j = k + 1; j < n; ++j) {
      if (A(k, j) != 0.0) {
        A.col(j).segment(k + 1, rest) -= A(k, j) * A.col(k).segment(k + 1, rest);
      }
    }
  }
  return true;
}

void DenseLu::solve(const MatX& A, Eigen::Index n, VecX& x) const {
  for (Eigen::Index k = 0; k < n; ++k) std::swap(x[k], x[pivots_[static_cast<std::size_t>(k)]]);
  for (Eigen::Index k = 0; k < n; ++k) {
    x.segment(k + 1, n - k - 1) -= x[k] * A.col(k).segment(k + 1, n - k - 1);
  }
  for (Eigen::Index k = n; k-- > 0;) {
    x[k] /= A(k, k);
    x.head(k) -= x[k] * A.col(k).head(k);
  }
}

}  // namespace clatter
