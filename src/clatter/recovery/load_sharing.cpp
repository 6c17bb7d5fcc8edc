#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <clatter/recovery/load_sharing.hpp>

namespace clatter {
namespace {

constexpr double tangential_stiffness = 1e-3;  ///< over that of the contacts
constexpr int most_iterations = 200;

/// The dual problem, in terms of the displacements y of bodies: forces over that of the largest,
/// depths over what that one presses the stiffest contact in.
class Sharing {
 public:
  Sharing(const SharedLoad& load, double force)
      : contacts_(load.forces.size()), tangents_(load.tangents.cols()), exponents_(load.exponents) {
    double depth = std::pow(force / load.stiffness[0], 1.0 / load.exponents[0]);
    for (Eigen::Index i = 1; i < contacts_; ++i) {
      depth = std::min(depth, std::pow(force / load.stiffness[i], 1.0 / load.exponents[i]));
    }
    stiffness_.resize(contacts_);
    for (Eigen::Index i = 0; i < contacts_; ++i) {
      stiffness_[i] = load.stiffness[i] * std::pow(depth, load.exponents[i]) / force;
    }
    // Bodies cannot be in each other: less than no gap is round-off.
    gaps_ = load.gaps.cwiseMax(0.0) / depth;
    // Rows of wrenches that depend on each other are one: an orthonormal basis of all.
    MatX all(load.normals.rows(), contacts_ + tangents_);
    all << load.normals, load.tangents;
    Eigen::ColPivHouseholderQR<MatX> qr(all.transpose());
    qr.setThreshold(1e-10);
    const MatX basis = qr.householderQ() * MatX::Identity(all.cols(), qr.rank());
    rows_ = basis.transpose();
    VecX known = VecX::Zero(all.cols());
    known.head(contacts_) = load.forces / force;
    wrench_ = rows_ * known;
    carries_ = (known.head(contacts_).array() > 1e-9).cast<double>();
  }

  /// As if the contacts that carry something now were springs.
  VecX start() const {
    VecX slopes(rows_.cols());
    slopes << carries_.matrix(), VecX::Constant(tangents_, tangential_stiffness);
    return step(slopes, wrench_);
  }

  /// Forces that displacements give, and their rates of change.
  void evaluate(const VecX& y, VecX& forces, VecX& slopes) const {
    const VecX depths = rows_.transpose() * y;
    forces = tangential_stiffness * depths;
    slopes.setConstant(depths.size(), tangential_stiffness);
    for (Eigen::Index i = 0; i < contacts_; ++i) {
      const double depth = std::max(0.0, depths[i] - gaps_[i]);
      slopes[i] = exponents_[i] * stiffness_[i] *
                  (depth > 0.0 ? std::pow(depth, exponents_[i] - 1.0) : 0.0);
      forces[i] = slopes[i] * depth / exponents_[i];
    }
  }

  /// What is to be as small as can be.
  double potential(const VecX& y) const {
    const VecX depths = rows_.transpose() * y;
    double sum = 0.5 * tangential_stiffness * depths.tail(tangents_).squaredNorm() - wrench_.dot(y);
    for (Eigen::Index i = 0; i < contacts_; ++i) {
      const double depth = std::max(0.0, depths[i] - gaps_[i]);
      sum += stiffness_[i] / (exponents_[i] + 1.0) * std::pow(depth, exponents_[i] + 1.0);
    }
    return sum;
  }

  VecX missing(const VecX& forces) const { return wrench_ - rows_ * forces; }

  /// Displacements that the missing wrench asks for.
  VecX step(const VecX& slopes, const VecX& missing) const {
    MatX H = rows_ * slopes.asDiagonal() * rows_.transpose();
    H.diagonal().array() += 1e-12 * std::max(tangential_stiffness, H.diagonal().maxCoeff());
    return H.ldlt().solve(missing);
  }

  /// The forces that go with a last displacement, all of them by their slopes: a correction of the
  /// size of what is missing.
  void correct(const VecX& slopes, VecX& forces) const {
    const VecX by = rows_.transpose() * step(slopes, missing(forces));
    forces += slopes.cwiseProduct(by);
    forces.head(contacts_) = forces.head(contacts_).cwiseMax(0.0);
  }

 private:
  Eigen::Index contacts_, tangents_;
  VecX exponents_, stiffness_, gaps_;
  Eigen::ArrayXd carries_;
  MatX rows_;
  VecX wrench_;
};

}  // namespace

LoadShares share_load(const SharedLoad& load) {
  LoadShares shares{load.forces, VecX::Zero(load.tangents.cols())};
  const double force = load.forces.size() > 0 ? load.forces.maxCoeff() : 0.0;
  if (!(force > 0.0)) return shares;
  const Sharing sharing(load, force);
  VecX y = sharing.start(), forces, slopes;
  double potential = sharing.potential(y);
  sharing.evaluate(y, forces, slopes);
  VecX missing = sharing.missing(forces);
  while (missing.lpNorm<Eigen::Infinity>() > 1e-14 && shares.iterations < most_iterations) {
    ++shares.iterations;
    const VecX step = sharing.step(slopes, missing);
    const double slope = missing.dot(step);
    double length = 1.0, next = sharing.potential(y + step);
    // Round-off of the potential stops the search, not its slope.
    while (next > potential - 1e-4 * length * slope + 1e-15 * std::abs(potential) &&
           length > 1e-12) {
      length *= 0.5;
      next = sharing.potential(y + length * step);
    }
    const double before = missing.lpNorm<Eigen::Infinity>();
    y += length * step;
    potential = next;
    sharing.evaluate(y, forces, slopes);
    missing = sharing.missing(forces);
    if (before < 1e-12 && missing.lpNorm<Eigen::Infinity>() > 0.5 * before) break;
  }
  sharing.correct(slopes, forces);
  shares.residual = sharing.missing(forces).lpNorm<Eigen::Infinity>();
  shares.normal = force * forces.head(load.forces.size());
  shares.tangential = force * forces.tail(load.tangents.cols());
  return shares;
}

}  // namespace clatter
