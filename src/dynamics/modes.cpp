#include "dynamics/modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <numbers>
#include <numeric>
#include <random>

#include "dynamics/kkt_matrix.hpp"
#include "dynamics/tangents.hpp"

namespace clatter {
namespace {

constexpr double regularisation = 1e-9;  // of redundant joints, as in the time integrator

/// K, C, M and the rows of the joints at one configuration, at rest.
class Linearisation {
 public:
  Linearisation(const System& system, const Configuration& q, const VecX& joint_forces)
      : system_(system),
        q_(q),
        forces_(joint_forces),
        at_rest_(NodalVector::Zero(system.nodal_size())),
        in_(at_rest_),
        out_(at_rest_),
        matrix_(system, false) {}

  int unknowns() const { return system_.dofs(); }
  int rows() const { return system_.joint_rows(); }
  KktMatrix& matrix() { return matrix_; }

  /// mass M + damping C + stiffness K, and -G^T, -G beside and below it.
  void assemble(const TangentFactors& factors) {
    matrix_.set_zero();
    add_tangents(system_, q_, at_rest_, factors, {}, matrix_);
    Mat12 H;
    Vec12 g;
    for (std::size_t j = 0; j < system_.joints().size(); ++j) {
      const Joint& joint = system_.joints()[j];
      Mat12 geometric = Mat12::Zero();
      KktMatrix::Rows G(static_cast<Eigen::Index>(joint.rows().size()), 12);
      for (std::size_t i = 0; i < joint.rows().size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        joint.rows()[i].coordinate.gradient(q_, g);
        joint.rows()[i].coordinate.hessian(q_, H);
        const double scale = 1.0 / std::sqrt(system_.delassus(g, joint.a(), joint.b()));
        G.row(row) = -scale * g.transpose();
        geometric -= factors.stiffness * forces_[joint.first_row + row] * H;
      }
      if (factors.symmetric) geometric = (0.5 * (geometric + geometric.transpose())).eval();
      matrix_.add_joint(static_cast<int>(j), geometric, G, G.transpose());
    }
  }

  /// The upper left part of the matrix as assembled, times x.
  VecX multiply(const VecX& x) const {
    VecX all = VecX::Zero(matrix_.size());
    all.head(unknowns()) = x;
    return matrix_.matrix().multiply(all).head(unknowns());
  }

  void multiply_mass(const double* x, double* y) {
    scatter(x);
    system_.apply_mass(in_, out_);
    VecX result(unknowns());
    matrix_.gather(out_, result);
    std::copy(result.begin(), result.end(), y);
  }

  /// `s` has unit modal mass.
  Mode mode(double square, const VecX& s) {
    Mode mode;
    mode.square = square;
    scatter(s.data());
    if (square > 0.0)
      mode.damping_ratio = system_.damper_power(q_, in_) / (2.0 * std::sqrt(square));
    Eigen::Index largest = 0;
    in_.cwiseAbs().maxCoeff(&largest);
    mode.shape = in_ / in_[largest];
    return mode;
  }

 private:
  void scatter(const double* x) {
    in_.setZero();
    matrix_.scatter(Eigen::Map<const VecX>(x, unknowns()), 1.0, in_);
  }

  const System& system_;
  const Configuration& q_;
  const VecX& forces_;
  NodalVector at_rest_, in_, out_;
  KktMatrix matrix_;
};

/// Bathe's subspace iteration: inverse iteration with a block of vectors, which the projected
/// problem keeps apart. Unlike single vectors a block finds modes of equal frequency, such as those
/// of round shafts and free bodies.
class SubspaceIteration {
 public:
  /// K is divided by its size, so that it is of size one like the rows of the joints.
  SubspaceIteration(Linearisation& linearisation, int count, int available, double size)
      : l_(linearisation), count_(count), size_(size > 0.0 ? size : 1.0), x_(l_.matrix().size()) {
    std::mt19937 engine(5);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    shapes_.resize(l_.unknowns(), std::min(available, std::max(2 * count, count + 8)));
    for (Eigen::Index j = 0; j < shapes_.cols(); ++j) {
      for (Eigen::Index i = 0; i < shapes_.rows(); ++i) shapes_(i, j) = any(engine);
    }
    images_ = shapes_;
  }

  bool factorise(double shift) {
    shift_ = shift;
    l_.assemble({-shift / size_, 0.0, 1.0 / size_, true});
    if (l_.matrix().factorise(false)) return true;
    // Redundant joints are told apart as in the time integrator; what is singular besides is not
    // cured by that.
    l_.assemble({-shift / size_, 0.0, 1.0 / size_, true});
    l_.matrix().regularise(regularisation);
    return l_.rows() > 0 && l_.matrix().factorise(false);
  }

  /// Until the squares looked for change by less than a part of themselves or of the shift.
  bool iterate(double tolerance) {
    constexpr int max_iterations = 1000;
    for (int i = 0; i < max_iterations; ++i) {
      const VecX before = squares_;
      improve();
      if (i == 0) continue;
      const auto distance = (squares_.array() - shift_).abs().head(count_);
      const auto change = (squares_ - before).array().abs().head(count_);
      if ((change <= tolerance * distance).all()) return true;
    }
    return false;
  }

  const VecX& squares() const { return squares_; }  ///< nearest to the shift first
  auto shape(Eigen::Index i) const { return shapes_.col(i); }

 private:
  void improve() {
    // images = (K - shift M)^-1 M shapes on the motions that the joints allow
    MatX momenta(shapes_.rows(), shapes_.cols()), image_momenta = momenta;
    for (Eigen::Index j = 0; j < shapes_.cols(); ++j) {
      l_.multiply_mass(shapes_.col(j).data(), momenta.col(j).data());
      x_.setZero();
      x_.head(shapes_.rows()) = momenta.col(j) / size_;
      l_.matrix().solve(x_);
      images_.col(j) = x_.head(shapes_.rows());
      l_.multiply_mass(images_.col(j).data(), image_momenta.col(j).data());
      for (int again = 0; again < 2; ++again) {  // once more for what cancellation leaves
        for (Eigen::Index i = 0; i < j; ++i) {
          const double part = image_momenta.col(i).dot(images_.col(j));
          images_.col(j) -= part * images_.col(i);
          image_momenta.col(j) -= part * image_momenta.col(i);
          momenta.col(j) -= part * momenta.col(i);
        }
        const double norm = std::sqrt(images_.col(j).dot(image_momenta.col(j)));
        images_.col(j) /= norm;
        image_momenta.col(j) /= norm;
        momenta.col(j) /= norm;
      }
    }
    const MatX K = images_.transpose() * momenta;
    const Eigen::SelfAdjointEigenSolver<MatX> solver(0.5 * (K + K.transpose()));
    if (solver.info() != Eigen::Success) throw Error("the eigenvalues of the model were not found");
    std::vector<Eigen::Index> order(static_cast<std::size_t>(shapes_.cols()));
    std::iota(order.begin(), order.end(), 0);
    const VecX& distance = solver.eigenvalues();
    std::sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) {
      return std::abs(distance[i]) < std::abs(distance[j]);
    });
    squares_.resize(shapes_.cols());
    for (Eigen::Index j = 0; j < shapes_.cols(); ++j) {
      const Eigen::Index from = order[static_cast<std::size_t>(j)];
      squares_[j] = distance[from] + shift_;
      shapes_.col(j).noalias() = images_ * solver.eigenvectors().col(from);
    }
  }

  Linearisation& l_;
  int count_;
  double size_, shift_ = 0.0;
  MatX shapes_, images_;
  VecX squares_, x_;
};

/// How far K is from symmetric, and the size of its largest eigenvalues [1/s^2].
struct Character {
  double asymmetry, largest_square;
};

Character character_of(Linearisation& l) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  VecX x(l.unknowns()), y(l.unknowns()), mass_x(l.unknowns());
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = any(engine), y[i] = any(engine);
  l.assemble({0.0, 0.0, 1.0, false});
  const VecX Kx = l.multiply(x), Ky = l.multiply(y);
  l.multiply_mass(x.data(), mass_x.data());
  const double size = std::abs(x.dot(Kx)) + std::abs(y.dot(Ky));
  return {size > 0.0 ? std::abs(x.dot(Ky) - y.dot(Kx)) / size : 0.0,
          std::abs(x.dot(Kx)) / x.dot(mass_x)};
}

}  // namespace

double Mode::frequency() const {
  return square > 0.0 ? std::sqrt(square) / (2.0 * std::numbers::pi) : 0.0;
}

Modes find_modes(const System& system, const Configuration& q, const VecX& joint_forces,
                 int count) {
  return system.dofs() <= largest_dense_modes ? find_modes_dense(system, q, joint_forces, count)
                                              : find_modes_sparse(system, q, joint_forces, count);
}

Modes find_modes_dense(const System& system, const Configuration& q, const VecX& joint_forces,
                       int count) {
  Linearisation l(system, q, joint_forces);
  Modes result;
  result.asymmetry = character_of(l).asymmetry;
  const Eigen::Index n = l.unknowns();
  l.assemble({0.0, 0.0, 1.0, true});
  const MatX all = l.matrix().matrix().entries();
  MatX K = all.topLeftCorner(n, n);
  const MatX G = all.bottomLeftCorner(l.rows(), n);
  l.assemble({1.0, 0.0, 0.0, true});
  MatX M = l.matrix().matrix().entries().topLeftCorner(n, n);

  // A basis of the motions that the joints allow; scaled, so that rank does not depend on units.
  MatX basis = MatX::Identity(n, n);
  const VecX scale = M.diagonal().cwiseSqrt().cwiseInverse();
  if (l.rows() > 0) {
    Eigen::ColPivHouseholderQR<MatX> qr((G * scale.asDiagonal()).transpose());
    qr.setThreshold(1e-9);
    basis = MatX(qr.householderQ()).rightCols(n - qr.rank());
  }
  basis = (scale.asDiagonal() * basis).eval();
  K = (basis.transpose() * K * basis).eval();
  M = (basis.transpose() * M * basis).eval();
  if (K.rows() == 0) return result;
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> solver(K, M);
  if (solver.info() != Eigen::Success) throw Error("the eigenvalues of the model were not found");
  const Eigen::Index found = std::min<Eigen::Index>(count, K.rows());
  for (Eigen::Index i = 0; i < found; ++i) {
    result.modes.push_back(l.mode(solver.eigenvalues()[i], basis * solver.eigenvectors().col(i)));
  }
  return result;
}

Modes find_modes_sparse(const System& system, const Configuration& q, const VecX& joint_forces,
                        int count) {
  Linearisation l(system, q, joint_forces);
  Modes result;
  const Character character = character_of(l);
  result.asymmetry = character.asymmetry;
  const Eigen::Index n = l.unknowns();
  const int available = static_cast<int>(n) - l.rows();
  count = std::min(count, available - 1);
  if (count < 1) return result;

  SubspaceIteration subspace(l, count, available, character.largest_square);
  // Not shifted, the lowest modes stand out most. Free motions make K singular: then a shift is
  // needed. Motions near it drown the others in their round-off, (w^2/shift)^2 times that of K, so
  // that it must be as large as the modes looked for, once these are known roughly.
  double shift = 0.0;
  for (int attempt = 0; !subspace.factorise(shift); ++attempt) {
    if (attempt == 8) throw Error("the stiffness of the model cannot be factorised, even shifted");
    shift = shift == 0.0 ? -1e-8 * character.largest_square : 10.0 * shift;
  }
  for (int attempt = 0; attempt < 12 && shift != 0.0; ++attempt) {
    subspace.iterate(0.1);
    const double wanted = -std::abs(subspace.squares()[count - 1]);
    if (wanted > 3.0 * shift && wanted < 0.3 * shift) break;
    if (!subspace.factorise(wanted)) {
      if (!subspace.factorise(shift))
        throw Error("the stiffness of the model cannot be factorised, even shifted");
      break;
    }
    shift = wanted;
  }
  if (!subspace.iterate(1e-12)) throw Error("the lowest modes were not found: no convergence");
  std::vector<Eigen::Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) {
    return subspace.squares()[i] < subspace.squares()[j];
  });
  for (const Eigen::Index i : order) {
    result.modes.push_back(l.mode(subspace.squares()[i], subspace.shape(i)));
  }
  return result;
}

}  // namespace clatter
