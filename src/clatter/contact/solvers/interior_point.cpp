#include <algorithm>
#include <cmath>

#include <clatter/contact/solvers/interior_point.hpp>

namespace clatter {
namespace {

constexpr double to_the_edge = 0.99;  // of the way to it that a step may go
constexpr double short_step = 0.3;    // below it, steps towards the centre are tried
constexpr double no_step = 1e-3;      // several of these and it has stopped
constexpr int max_short_steps = 6;
constexpr double roundest = 1e-15;  // distance to the edge that can still be told

/// x_0^2 - |x_1|^2, without cancellation.
template <class V>
double determinant(const V& x) {
  const double length = x.size() > 1 ? x.tail(x.size() - 1).norm() : 0.0;
  return std::max(x[0] - length, roundest * x[0]) * (x[0] + length);
}

/// Longest step along dx that stays in the cone.
template <class V>
double step_in_cone(const V& x, const V& dx) {
  const Eigen::Index n = x.size() - 1;
  if (n == 0) return dx[0] < 0.0 ? -x[0] / dx[0] : INFINITY;
  const double length = x.tail(n).norm(), d_length = dx.tail(n).norm();
  const double a = (dx[0] - d_length) * (dx[0] + d_length);
  const double b = x[0] * dx[0] - x.tail(n).dot(dx.tail(n));
  const double c = std::max(x[0] - length, 0.0) * (x[0] + length);
  double longest = dx[0] < 0.0 ? -x[0] / dx[0] : INFINITY;
  const double square = b * b - a * c;
  if (square < 0.0) return longest;
  const double q = -(b + std::copysign(std::sqrt(square), b));
  for (const double root : {q / a, c / q}) {
    if (root > 0.0 && std::isfinite(root)) longest = std::min(longest, root);
  }
  return longest;
}

}  // namespace

void InteriorPoint::find_cones(const ContactSystem& system) {
  cones_.clear();
  kept_.assign(static_cast<std::size_t>(system.rows), 1);
  int begin = 0;
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    const std::size_t before = cones_.size();
    for (const FrictionBall& ball : contact.law.all_balls()) {
      const int first = contact.first_row + ball.first_row;
      if (ball.coefficient > 0.0) {
        cones_.push_back(
            {static_cast<int>(c), contact.first_row, first, ball.rows, ball.coefficient, begin});
        begin += ball.rows + 1;
      } else {
        for (int i = 0; i < ball.rows; ++i) kept_[static_cast<std::size_t>(first + i)] = 0;
      }
    }
    if (cones_.size() == before) {
      cones_.push_back({static_cast<int>(c), contact.first_row, 0, 0, 1.0, begin});
      begin += 1;
    }
  }
  for (VecX* list : {&x_, &z_, &dx_, &dz_, &rc_, &corrector_}) list->resize(begin);
  if (scalings_.size() < cones_.size()) scalings_.resize(cones_.size());
  for (VecX* list : {&r_, &u_, &velocity_, &reaction_, &F_, &dr_, &best_}) {
    list->resize(system.rows);
  }
}

void InteriorPoint::prepare(const ContactSystem& system) {
  system_ = system;
  matrix_.attach(system);
}

/// components := C rows, the parts of all cones.
void InteriorPoint::gather(const VecX& rows, VecX& components) const {
  for (const Cone& cone : cones_) {
    components[cone.begin] = cone.coefficient * rows[cone.normal];
    for (int i = 0; i < cone.rows; ++i) components[cone.begin + 1 + i] = rows[cone.first + i];
  }
}

/// dr_, dx_, dz_ := the Newton direction with dz + H dx = rc.
bool InteriorPoint::direction(const VecX& rc) {
  dr_ = F_;
  for (std::size_t k = 0; k < cones_.size(); ++k) {
    const Cone& cone = cones_[k];
    const ConeVector by = scalings_[k].E * rc.segment(cone.begin, cone.size());
    dr_[cone.normal] += cone.coefficient * by[0];
    dr_.segment(cone.first, cone.rows) += by.tail(cone.rows);
  }
  for (int i = 0; i < system_.rows; ++i) {
    if (kept_[static_cast<std::size_t>(i)] == 0) dr_[i] = 0.0;
  }
  matrix_.solve(dr_.data());
  if (!dr_.allFinite()) return false;
  gather(dr_, dx_);
  for (std::size_t k = 0; k < cones_.size(); ++k) {
    const Cone& cone = cones_[k];
    dz_.segment(cone.begin, cone.size()) =
        rc.segment(cone.begin, cone.size()) - scalings_[k].H * dx_.segment(cone.begin, cone.size());
  }
  return true;
}

double InteriorPoint::longest_step() const {
  double longest = INFINITY;
  for (const Cone& cone : cones_) {
    const auto part = [&](const VecX& list) -> ConeVector {
      return list.segment(cone.begin, cone.size());
    };
    longest =
        std::min({longest, step_in_cone(part(x_), part(dx_)), step_in_cone(part(z_), part(dz_))});
  }
  return longest;
}

/// Units in which W and b are of order one.
void InteriorPoint::find_units() {
  size_W_ = size_b_ = 0.0;
  for (const Cone& cone : cones_) {
    const auto of_row = [&](int row, double c) {
      size_W_ += system_.diagonal(row) / (c * c);
      size_b_ = std::max(size_b_, std::abs(system_.b[row]) / c);
    };
    of_row(cone.normal, cone.coefficient);
    for (int i = 0; i < cone.rows; ++i) of_row(cone.first + i, 1.0);
  }
  size_W_ /= static_cast<double>(x_.size());
  if (!(size_W_ > 0.0)) size_W_ = 1.0;
  if (!(size_b_ > 0.0)) size_b_ = 1.0;
}

/// Inside of all cones.
void InteriorPoint::start_within() {
  r_.setZero();
  z_.setZero();
  for (const Cone& cone : cones_) {
    r_[cone.normal] = std::max(r_[cone.normal], 1.0 / cone.coefficient);
    z_[cone.begin] = 1.0;
  }
}

/// The scaling of Nesterov and Todd: H x = z, with H = eta^2 (2 w w^T - J), J = diag(1, -1, -1,
/// ...), and its root S.
void InteriorPoint::Scaling::fit(const ConeVector& x, const ConeVector& z) {
  const Eigen::Index n = x.size();
  const double det_x = determinant(x), det_z = determinant(z);
  const double root_x = std::sqrt(det_x), root_z = std::sqrt(det_z);
  ConeVector w = z / root_z - x / root_x;
  w[0] += 2.0 * x[0] / root_x;
  const double product = x.dot(z) / (root_x * root_z);
  w /= std::sqrt(2.0 * (1.0 + product));
  const double eta = std::sqrt(root_z / root_x);
  H = (2.0 * eta * eta) * w * w.transpose();
  H(0, 0) -= eta * eta;
  for (Eigen::Index i = 1; i < n; ++i) H(i, i) += eta * eta;
  ConeVector v = w;
  v[0] += 1.0;
  v /= std::sqrt(2.0 * (1.0 + w[0]));
  S = 2.0 * eta * v * v.transpose();
  v.tail(n - 1) *= -1.0;
  S_inverse = (2.0 / eta) * v * v.transpose();
  S(0, 0) -= eta;
  S_inverse(0, 0) -= 1.0 / eta;
  for (Eigen::Index i = 1; i < n; ++i) {
    S(i, i) += eta;
    S_inverse(i, i) += 1.0 / eta;
  }
  lambda = S * x;
}

/// E := the derivative of (h(z), z_1). Returns h(z).
double InteriorPoint::Scaling::bend(const ConeVector& z) {
  const Eigen::Index n = z.size();
  E = ConeMatrix::Identity(n, n);
  if (n == 1) return z[0];
  constexpr double t2 = theta * theta;
  const double s = std::sqrt((1.0 - t2) * z.tail(n - 1).squaredNorm() + t2 * z[0] * z[0]);
  E(0, 0) = 1.0 - t2 * z[0] / s;
  E.row(0).tail(n - 1) = -(1.0 - t2) / s * z.tail(n - 1).transpose();
  return z[0] - s;
}

/// The matrix += C^T E H C of a cone.
void InteriorPoint::add_cone(const Cone& cone, const Scaling& scaling) {
  double* K = matrix_.values();
  const int n = cone.size();
  const ConeMatrix EH = scaling.E * scaling.H;
  const auto row_of = [&](int i) { return i == 0 ? cone.normal : cone.first + i - 1; };
  for (int i = 0; i < n; ++i) {
    const double left = i == 0 ? cone.coefficient : 1.0;
    const int at = system_.place(row_of(i), cone.normal);  // a contact's columns follow each other
    for (int j = 0; j < n; ++j) {
      K[at + row_of(j) - cone.normal] += left * (j == 0 ? cone.coefficient : 1.0) * EH(i, j);
    }
  }
}

/// Scalings of the cones, the matrix W + sum of C^T E H C and F = sum of C^T h(z) - u. False: the
/// matrix is singular.
bool InteriorPoint::linearise() {
  gather(r_, x_);
  F_ = -u_;
  double* K = matrix_.values();
  for (int k = 0; k < system_.entries(); ++k) K[k] = system_.values[k] / size_W_;
  for (std::size_t k = 0; k < cones_.size(); ++k) {
    const Cone& cone = cones_[k];
    const int n = cone.size();
    const ConeVector x = x_.segment(cone.begin, n), z = z_.segment(cone.begin, n);
    scalings_[k].fit(x, z);
    F_[cone.normal] += cone.coefficient * scalings_[k].bend(z);
    F_.segment(cone.first, cone.rows) += z.tail(n - 1);
    add_cone(cone, scalings_[k]);
  }
  const bool all_kept = std::find(kept_.begin(), kept_.end(), 0) == kept_.end();
  return all_kept ? matrix_.factorise() : matrix_.factorise(kept_);
}

/// rc_ := that of dz + H dx = S (lambda \ (gap e - (S^-1 dz) o (S dx)) - lambda); `corrected`: with
/// the product of the last direction, which Mehrotra's correction is.
void InteriorPoint::aim_at(double gap, bool corrected) {
  for (std::size_t k = 0; k < cones_.size(); ++k) {
    const Cone& cone = cones_[k];
    const int n = cone.size();
    const Scaling& scaling = scalings_[k];
    ConeVector y = ConeVector::Zero(n);
    if (corrected) {
      const ConeVector p = scaling.S_inverse * dz_.segment(cone.begin, n);
      const ConeVector q = scaling.S * dx_.segment(cone.begin, n);
      y = -(p[0] * q + q[0] * p);
      y[0] = -p.dot(q);
    }
    y[0] += gap;
    const ConeVector& l = scaling.lambda;
    const double det = determinant(l);
    const double along = l.tail(n - 1).dot(y.tail(n - 1));
    ConeVector o(n);
    o[0] = (l[0] * y[0] - along) / det;
    o.tail(n - 1) = ((along / l[0] - y[0]) / det) * l.tail(n - 1) + y.tail(n - 1) / l[0];
    rc_.segment(cone.begin, n) = scaling.S * (o - l);
  }
}

/// dr_, dz_ := a direction, predicted and corrected; towards the centre where that does not lead
/// far. Returns how far it may be followed, or nothing when there is none.
std::optional<double> InteriorPoint::find_step() {
  const double gap = x_.dot(z_) / static_cast<double>(cones_.size());
  rc_ = -z_;
  if (!direction(rc_)) return {};
  const double affine = std::min(1.0, longest_step());
  aim_at(std::pow(1.0 - affine, 3) * gap, true);
  if (!direction(rc_)) return {};
  double step = std::min(1.0, to_the_edge * longest_step());
  for (const double more : {0.3, 0.8}) {
    if (step >= short_step) break;
    aim_at(more * gap, false);
    if (!direction(rc_)) break;
    step = std::min(1.0, to_the_edge * longest_step());
  }
  return step;
}

SolverRun InteriorPoint::solve(const ContactSystem& system, double target, int max_iterations,
                               double* r) {
  SolverRun run;
  prepare(system);
  find_cones(system);
  find_units();
  start_within();
  const double size_r = size_b_ / size_W_;
  run.residual = INFINITY;
  int short_steps = 0;
  for (;; ++run.iterations) {
    reaction_ = size_r * r_;
    contact_velocities(system, reaction_.data(), velocity_.data());
    const double residual = std::sqrt(squared_residual(system, reaction_.data(), velocity_.data()));
    if (!std::isfinite(residual)) break;
    if (size_W_ * reaction_.norm() > largest_reactions * size_b_) break;
    if (residual < run.residual) {
      run.residual = residual;
      best_ = reaction_;
    }
    if (residual <= target || run.iterations == max_iterations) break;
    u_ = velocity_ / size_b_;
    if (!linearise()) break;
    const std::optional<double> step = find_step();
    if (!step) break;
    short_steps = *step < no_step ? short_steps + 1 : 0;
    if (short_steps > max_short_steps) break;
    r_ += *step * dr_;
    z_ += *step * dz_;
  }
  run.solved = run.residual <= target;
  if (std::isfinite(run.residual)) std::copy(best_.data(), best_.data() + system.rows, r);
  return run;
}

}  // namespace clatter
