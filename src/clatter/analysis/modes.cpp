#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numbers>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <fmt/format.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include <clatter/analysis/modes.hpp>
#include <clatter/machine/kkt_matrix.hpp>
#include <clatter/machine/tangents.hpp>

namespace clatter {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
// An entry of K is a sum of a few terms, a square one of some ten entries for each unknown, of
// which none is larger than the root of the product of two on the diagonal.
constexpr double terms_of_square = 100.0;

/// K, C, M and the rows of the joints at one configuration, at rest.
class Linearisation {
 public:
  Linearisation(const Machine& machine, const Configuration& q, const Instant& instant,
                const VecX& joint_forces)
      : machine_(machine),
        q_(q),
        instant_(instant),
        forces_(joint_forces),
        at_rest_(NodalVector::Zero(machine.nodal_size())),
        matrix_(machine) {
    NodalVector forces = at_rest_;
    machine.forces(q, at_rest_, instant_, forces);  // lays the beams
  }

  int unknowns() const { return machine_.dofs(); }
  int rows() const { return machine_.joint_rows(); }
  const Instant& instant() const { return instant_; }
  KktMatrix& matrix() { return matrix_; }

  /// mass M + damping C + stiffness K, and -G^T, -G beside and below it.
  void assemble(const TangentFactors& factors) {
    matrix_.set_zero();
    add_tangents(machine_, q_, at_rest_, instant_, factors, {}, matrix_);
    add_joint_tangents(machine_, q_, forces_, factors, matrix_);
  }

  /// The upper left part of the matrix as assembled, times x.
  VecX multiply(const VecX& x) const {
    VecX all = VecX::Zero(matrix_.size());
    all.head(unknowns()) = x;
    return matrix_.matrix().multiply(all).head(unknowns());
  }

  void multiply_mass(const double* x, double* y) const {
    NodalVector momenta = at_rest_;
    machine_.apply_mass(scattered(x), momenta);
    VecX result(unknowns());
    matrix_.gather(momenta, result);
    std::copy(result.begin(), result.end(), y);
  }

  /// `s` has unit modal mass; `diagonal`: of K.
  Mode mode(double square, const VecX& s, const VecX& diagonal) const {
    Mode mode;
    mode.square = square;
    mode.round_off =
        terms_of_square * epsilon * diagonal.cwiseAbs().cwiseProduct(s.cwiseAbs2()).sum();
    const NodalVector motion = scattered(s.data());
    if (square > 0.0) {
      // Small, so that no spring that acts to one side goes slack: exact, by powers of two.
      const double power = 0x1p80 * machine_.damper_power(q_, 0x1p-40 * motion, instant_.turns);
      mode.damping_ratio = power / (2.0 * std::sqrt(square));
    }
    Eigen::Index largest = 0;
    motion.cwiseAbs().maxCoeff(&largest);
    mode.shape = motion / motion[largest];
    return mode;
  }

 private:
  NodalVector scattered(const double* x) const {
    NodalVector nodal = at_rest_;
    matrix_.scatter(Eigen::Map<const VecX>(x, unknowns()), 1.0, nodal);
    return nodal;
  }

  const Machine& machine_;
  const Configuration& q_;
  Instant instant_;
  const VecX& forces_;
  NodalVector at_rest_;
  KktMatrix matrix_;
};

/// The operators that Spectra asks for: (K - shift M)^-1 on motions that the joints allow, and M.
class ShiftedInverse {
 public:
  using Scalar = double;
  /// `size`: what all equations are divided by.
  ShiftedInverse(Linearisation& linearisation, double size)
      : l_(linearisation), size_(size), x_(l_.matrix().size()) {}

  Eigen::Index rows() const { return l_.unknowns(); }
  Eigen::Index cols() const { return l_.unknowns(); }
  bool factorise(double shift) {
    l_.assemble({-shift / size_, 0.0, 1.0 / size_, true});
    if (l_.matrix().factorise(false)) return true;
    // Redundant joints are told apart as in the time integrator; what is singular besides is not
    // cured by that.
    l_.assemble({-shift / size_, 0.0, 1.0 / size_, true});
    l_.matrix().regularise(regularisation);
    return l_.rows() > 0 && l_.matrix().factorise(false);
  }
  void set_shift(double) {}  // factorised before it is handed over
  void perform_op(const double* x, double* y) {
    x_.setZero();
    std::copy_n(x, rows(), x_.data());
    x_ /= size_;
    l_.matrix().solve(x_);
    Eigen::Map<VecX> image(y, rows());
    image = x_.head(rows());
    for (int again = 0; again < 2; ++again) {  // once more for what cancellation leaves
      image -= excluded_ * (excluded_momenta_.transpose() * image).eval();
    }
  }
  /// From now on, finds motions without these; the columns have unit modal mass.
  void exclude(const MatX& shapes) {
    excluded_ = shapes;
    excluded_momenta_.resize(shapes.rows(), shapes.cols());
    for (Eigen::Index i = 0; i < shapes.cols(); ++i) {
      l_.multiply_mass(shapes.col(i).data(), excluded_momenta_.col(i).data());
    }
  }

 private:
  Linearisation& l_;
  double size_;
  VecX x_;
  MatX excluded_, excluded_momenta_;
};

class MassProduct {
 public:
  using Scalar = double;
  explicit MassProduct(const Linearisation& linearisation) : l_(linearisation) {}
  Eigen::Index rows() const { return l_.unknowns(); }
  Eigen::Index cols() const { return l_.unknowns(); }
  void perform_op(const double* x, double* y) const { l_.multiply_mass(x, y); }

 private:
  const Linearisation& l_;
};

VecX diagonal_of_stiffness(Linearisation& l) {
  l.assemble({0.0, 0.0, 1.0, true});
  return l.matrix().matrix().diagonal().head(l.unknowns());
}

/// Of Modes; the columns of S are the modes, with unit modal mass.
double asymmetry_of(Linearisation& l, const std::vector<Mode>& modes, const MatX& S) {
  l.assemble({0.0, 0.0, 1.0, false});
  MatX KS(S.rows(), S.cols());
  for (Eigen::Index i = 0; i < S.cols(); ++i) KS.col(i) = l.multiply(S.col(i));
  const MatX A = S.transpose() * KS;
  double asymmetry = 0.0;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
      const double difference = std::abs(A(row, column) - A(column, row));
      if (difference <= modes[i].round_off + modes[j].round_off) continue;
      const double size = std::max(std::abs(modes[i].square), std::abs(modes[j].square));
      asymmetry = std::max(asymmetry, difference / std::max(size, difference));
    }
  }
  return asymmetry;
}

/// All eigenvalues of K s = square M s with their round-off, the lowest first, and shapes of unit
/// modal mass.
struct Spectrum {
  VecX squares, blur;
  MatX shapes;

  Spectrum(const MatX& K, const MatX& M) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> direct(K, M);
    if (direct.info() != Eigen::Success) throw Error("the eigenvalues of the model were not found");
    squares = direct.eigenvalues();
    shapes = direct.eigenvectors();
    // The solver finds all squares at once, each to the round-off of the largest. Thin beams bend
    // with less than that; of the inverse of K + shift M their squares are the largest.
    const Eigen::Index n = squares.size();
    const double part = epsilon * static_cast<double>(n);
    const double largest = squares.cwiseAbs().maxCoeff(), all = part * largest;
    blur = VecX::Constant(n, all);
    const double shift = std::max(all, -2.0 * squares[0]);
    Eigen::Index small = 0;
    while (small < n && squares[small] < std::sqrt(all * largest)) ++small;
    // Shapes of equal frequency come from one solution.
    while (small > 0 && small < n && squares[small] - squares[small - 1] < 1e-3 * squares[small])
      --small;
    const MatX shifted = K + shift * M;
    if (small == 0 || Eigen::LLT<MatX>(shifted).info() != Eigen::Success) return;
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> inverse(M, shifted);
    if (inverse.info() != Eigen::Success) return;
    for (Eigen::Index i = 0; i < small; ++i) {
      const double nu = inverse.eigenvalues()[n - 1 - i];
      squares[i] = 1.0 / nu - shift;
      shapes.col(i) = inverse.eigenvectors().col(n - 1 - i) / std::sqrt(nu);
      const double sums = K.diagonal().cwiseAbs().dot(shapes.col(i).cwiseAbs2());
      blur[i] = std::min(all, part * (1.0 / (nu * nu * shift) + sums));
    }
  }
};

// Of Lanczos' method:
constexpr double accuracy = 1e-12;  // of the distance of a square from the shift
constexpr double sharp = 1e6;       // times the least distance; 1e-10 of a square is then sure
constexpr int max_passes = 100;

struct FoundMode {
  double square, blur;
  VecX shape;
};

MatX shapes_of(const std::vector<FoundMode>& found, Eigen::Index unknowns) {
  MatX shapes(unknowns, static_cast<Eigen::Index>(found.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    shapes.col(static_cast<Eigen::Index>(i)) = found[i].shape;
  }
  return shapes;
}

/// Not shifted, the lowest modes stand out most. Free motions make K singular: then the least
/// shift that makes it regular, as far as can be told.
double factorise_near_zero(ShiftedInverse& inverse, double size) {
  double shift = 0.0;
  for (int attempt = 0; !inverse.factorise(shift); ++attempt) {
    if (attempt == 8) throw Error("the stiffness of the model cannot be factorised, even shifted");
    shift = shift == 0.0 ? -1e-15 * size : 10.0 * shift;
  }
  return shift;
}

struct NearestModes {
  VecX squares;
  MatX shapes;
};

/// `basis`: how many vectors Lanczos' method keeps.
NearestModes modes_near(double shift, ShiftedInverse& inverse, MassProduct& mass, int wanted,
                        Eigen::Index basis) {
  using Solver =
      Spectra::SymGEigsShiftSolver<ShiftedInverse, MassProduct, Spectra::GEigsMode::ShiftInvert>;
  Solver solver(inverse, mass, wanted, basis, shift);
  try {
    solver.init();
    solver.compute(Spectra::SortRule::LargestMagn, 1000, accuracy);
  } catch (const std::exception& error) {
    throw Error(fmt::format("the lowest modes were not found: {}", error.what()));
  }
  if (solver.info() != Spectra::CompInfo::Successful)
    throw Error("the lowest modes were not found: Lanczos' method did not converge");
  return {solver.eigenvalues(), solver.eigenvectors()};
}

struct News {
  bool any = false;
  double next_shift = 0.0;  ///< negative: for modes that this shift shows only roughly
};

/// Adds to `found` what is nearer to zero than the `count` nearest so far.
News take_news(const NearestModes& nearest_modes, double shift, int count,
               std::vector<FoundMode>& found) {
  const auto& [squares, shapes] = nearest_modes;
  // Twice the same within what was asked for is no news.
  const double farthest =
      found.size() < static_cast<std::size_t>(count)
          ? std::numeric_limits<double>::infinity()
          : (1.0 - 1e-9) * std::abs(found[static_cast<std::size_t>(count) - 1].square);
  const double nearest = (squares.array() - shift).abs().minCoeff();
  News news;
  for (Eigen::Index i = 0; i < squares.size(); ++i) {
    if (std::abs(squares[i]) >= farthest) continue;
    news.any = true;
    if (std::abs(squares[i] - shift) < sharp * nearest) {
      found.push_back({squares[i], accuracy * std::abs(squares[i] - shift), shapes.col(i)});
    } else if (news.next_shift == 0.0 || std::abs(squares[i]) < -news.next_shift) {
      news.next_shift = -std::abs(squares[i]);
    }
  }
  if (news.any) {
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return std::abs(a.square) < std::abs(b.square); });
  }
  return news;
}

}  // namespace

bool Mode::is_free() const { return std::abs(square) <= round_off; }

double Mode::frequency() const {
  return square > 0.0 ? std::sqrt(square) / (2.0 * std::numbers::pi) : 0.0;
}

Modes find_modes(const Machine& machine, const Configuration& q, const Instant& instant,
                 const VecX& joint_forces, int count) {
  return machine.dofs() <= largest_dense_modes
             ? find_modes_dense(machine, q, instant, joint_forces, count)
             : find_modes_sparse(machine, q, instant, joint_forces, count);
}

Modes find_modes_dense(const Machine& machine, const Configuration& q, const Instant& instant,
                       const VecX& joint_forces, int count) {
  Linearisation l(machine, q, instant, joint_forces);
  Modes result;
  const VecX diagonal = diagonal_of_stiffness(l);
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
  const Spectrum spectrum(K, M);
  const Eigen::Index found = std::min<Eigen::Index>(count, K.rows());
  const MatX shapes = basis * spectrum.shapes.leftCols(found);
  for (Eigen::Index i = 0; i < found; ++i) {
    result.modes.push_back(l.mode(spectrum.squares[i], shapes.col(i), diagonal));
    result.modes.back().round_off += spectrum.blur[i];
  }
  result.asymmetry = asymmetry_of(l, result.modes, shapes);
  return result;
}

Modes find_modes_sparse(const Machine& machine, const Configuration& q, const Instant& instant,
                        const VecX& joint_forces, int count) {
  Linearisation l(machine, q, instant, joint_forces);
  Modes result;
  const VecX diagonal = diagonal_of_stiffness(l);
  const Eigen::Index n = l.unknowns();
  const int available = static_cast<int>(n) - l.rows();
  count = std::min(count, available - 1);
  if (count < 1) return result;

  double size = size_of_stiffness(machine, q, l.instant(), l.matrix());
  if (size == 0.0) size = 1.0;
  ShiftedInverse inverse(l, size);
  MassProduct mass(l);
  const auto basis = static_cast<Eigen::Index>(std::min(available, std::max(2 * count + 10, 30)));
  double shift = factorise_near_zero(inverse, size);
  // Lanczos' method sees one of several modes with the same frequency, as round shafts and free
  // bodies have, and those much farther from the shift than the nearest only roughly: it is
  // repeated without those found, with a shift for those that are left, until nothing nearer to
  // zero comes up.
  std::vector<FoundMode> found;
  for (int pass = 0;; ++pass) {
    if (pass == max_passes) throw Error("the lowest modes were not found in a hundred attempts");
    inverse.exclude(shapes_of(found, n));
    const int left = available - static_cast<int>(found.size());
    const int wanted = std::min(count, left - 1);
    if (wanted < 1) break;
    const NearestModes nearest =
        modes_near(shift, inverse, mass, wanted, std::min<Eigen::Index>(left, basis));
    const News news = take_news(nearest, shift, count, found);
    if (!news.any) break;
    if (news.next_shift < 0.0 && inverse.factorise(news.next_shift)) shift = news.next_shift;
  }
  found.resize(std::min(found.size(), static_cast<std::size_t>(count)));
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.square < b.square; });
  for (const FoundMode& mode : found) {
    result.modes.push_back(l.mode(mode.square, mode.shape, diagonal));
    result.modes.back().round_off += mode.blur;
  }
  result.asymmetry = asymmetry_of(l, result.modes, shapes_of(found, n));
  return result;
}

}  // namespace clatter
