#include <algorithm>
#include <cmath>

#include <clatter/contact/law/projection.hpp>
#include <clatter/contact/solvers/one_contact.hpp>

namespace clatter {
namespace {

constexpr int projections = 10;  // that a contact without exact solution is given
constexpr int max_turns = 30;    // of the direction of slip

void project_some(const CondensedContact& contact, const OneContact& one, const double* f,
                  double* r) {
  const int rows = contact.rows;
  const auto rate = [&](int i) {
    double u = f[i];
    for (int j = 0; j < rows; ++j) u += one.W[static_cast<std::size_t>(i * rows + j)] * r[j];
    return u;
  };
  for (int k = 0; k < projections; ++k) {
    double change = 0.0;
    const double normal = project_normal(r[0] - one.normal_step * rate(0));
    change += std::abs(normal - r[0]);
    r[0] = normal;
    for (int b = 0; b < contact.law.ball_count; ++b) {
      const FrictionBall& ball = contact.law.balls[static_cast<std::size_t>(b)];
      std::array<double, max_contact_rows> trial;
      for (int i = 0; i < ball.rows; ++i) {
        const int row = ball.first_row + i;
        trial[i] = r[row] - one.ball_steps[static_cast<std::size_t>(b)] * rate(row);
      }
      project_on_ball<0>(ball.coefficient * r[0], ball.rows, trial.data());
      for (int i = 0; i < ball.rows; ++i) {
        change += std::abs(trial[i] - r[ball.first_row + i]);
        r[ball.first_row + i] = trial[i];
      }
    }
    if (change <= 1e-15 * std::abs(r[0])) break;
  }
}

/// Slip in two dimensions: the reaction lies on one of the two edges of the cone.
bool slip_in_plane(const OneContact& one, double mu, const double* f, double first_side,
                   double* r) {
  const auto& W = one.W;
  for (const double side : {first_side, -first_side}) {
    const double pressure = W[0] + mu * side * W[1];
    if (!(pressure > 0.0)) continue;
    const double normal = -f[0] / pressure;
    const double slip = f[1] + normal * (W[2] + mu * side * W[3]);
    if (slip * side <= 0.0) {
      r[0] = normal;
      r[1] = mu * side * normal;
      return true;
    }
  }
  return false;
}

/// Slip in space: turns the direction t of the reaction until the slip is opposite to it.
///
///   r_N(t) = -f_N / (W_NN + mu W_NT t),   u_T(t) = f_T + r_N (W_TN + mu W_TT t),   t x u_T = 0
bool slip_in_space(const OneContact& one, double mu, const double* f, double t1, double t2,
                   double* r) {
  const auto& W = one.W;
  const double start = std::sqrt(t1 * t1 + t2 * t2);
  if (!(start > 0.0)) return false;
  t1 /= start;
  t2 /= start;
  for (int k = 0; k < max_turns; ++k) {
    const double pressure = W[0] + mu * (W[1] * t1 + W[2] * t2);
    if (!(pressure > 0.0)) return false;
    const double normal = -f[0] / pressure;
    const double per_normal_1 = W[3] + mu * (W[4] * t1 + W[5] * t2);
    const double per_normal_2 = W[6] + mu * (W[7] * t1 + W[8] * t2);
    const double u1 = f[1] + normal * per_normal_1, u2 = f[2] + normal * per_normal_2;
    const double along = t1 * u1 + t2 * u2, across = t1 * u2 - t2 * u1;
    if (std::abs(across) <= 1e-15 * std::abs(along) || k + 1 == max_turns) {
      if (along > 0.0) return false;  // the slip is along the reaction
      r[0] = normal;
      r[1] = mu * normal * t1;
      r[2] = mu * normal * t2;
      return std::abs(across) <= 1e-10 * std::abs(along);
    }
    // How it changes when t turns towards (-t2, t1).
    const double d_normal = -normal * mu * (W[2] * t1 - W[1] * t2) / pressure;
    const double d_u1 = d_normal * per_normal_1 + normal * mu * (W[5] * t1 - W[4] * t2);
    const double d_u2 = d_normal * per_normal_2 + normal * mu * (W[8] * t1 - W[7] * t2);
    const double d_across = -along + t1 * d_u2 - t2 * d_u1;
    // Where it does not rise, Newton's method would turn the wrong way.
    const double turn =
        std::clamp(d_across > 0.0 ? -across / d_across : -std::copysign(0.5, across), -0.7, 0.7);
    const double s1 = t1 - turn * t2, s2 = t2 + turn * t1;
    const double length = std::sqrt(s1 * s1 + s2 * s2);
    t1 = s1 / length;
    t2 = s2 / length;
  }
  return false;
}

/// Lengths of steps for contacts that are projected: no rate of a ball grows faster than their
/// inverse with its reaction, by Gershgorin or by the trace.
void find_steps(const CondensedContact& contact, OneContact& one) {
  const int rows = contact.rows;
  const auto& W = one.W;
  one.normal_step = one.is_movable ? 1.0 / W[0] : 0.0;
  for (int b = 0; b < contact.law.ball_count; ++b) {
    const FrictionBall& ball = contact.law.balls[static_cast<std::size_t>(b)];
    double trace = 0.0, largest = 0.0;
    for (int i = ball.first_row; i < ball.first_row + ball.rows; ++i) {
      double sum = 0.0;
      for (int j = ball.first_row; j < ball.first_row + ball.rows; ++j) {
        sum += std::abs(W[static_cast<std::size_t>(i * rows + j)]);
      }
      largest = std::max(largest, sum);
      trace += W[static_cast<std::size_t>(i * rows + i)];
    }
    const double bound = std::min(trace, largest);
    one.ball_steps[static_cast<std::size_t>(b)] = bound > 0.0 ? 1.0 / bound : 0.0;
  }
}

/// Steps for a contact that is solved exactly but for this once.
void project_exception(const CondensedContact& contact, const OneContact& one, const double* f,
                       double* r) {
  OneContact with_steps = one;
  find_steps(contact, with_steps);
  project_some(contact, with_steps, f, r);
}

}  // namespace

void prepare(const CondensedContact& contact, OneContact& one) {
  const int rows = contact.rows;
  const auto& W = one.W;
  one.is_movable = W[0] > 0.0;
  one.is_regular = false;
  if (contact.law.ball_count == 1 && one.is_movable) {
    if (rows == 2) {
      const double det = W[0] * W[3] - W[1] * W[2];
      one.is_regular = det > 1e-12 * W[0] * W[3];
      if (one.is_regular) {
        const double s = 1.0 / det;
        one.inverse = {s * W[3], -s * W[1], -s * W[2], s * W[0]};
      }
    } else if (rows == 3) {
      const double c0 = W[4] * W[8] - W[5] * W[7], c1 = W[5] * W[6] - W[3] * W[8],
                   c2 = W[3] * W[7] - W[4] * W[6];
      const double det = W[0] * c0 + W[1] * c1 + W[2] * c2;
      one.is_regular = det > 1e-12 * W[0] * W[4] * W[8];
      if (one.is_regular) {
        const double s = 1.0 / det;
        one.inverse = {s * c0, s * (W[2] * W[7] - W[1] * W[8]), s * (W[1] * W[5] - W[2] * W[4]),
                       s * c1, s * (W[0] * W[8] - W[2] * W[6]), s * (W[2] * W[3] - W[0] * W[5]),
                       s * c2, s * (W[1] * W[6] - W[0] * W[7]), s * (W[0] * W[4] - W[1] * W[3])};
      }
    }
  }
  if (!one.is_regular) find_steps(contact, one);
}

void solve_one_contact(const CondensedContact& contact, const OneContact& one, const double* f,
                       double* r) {
  if (!(f[0] < 0.0) || !one.is_movable) {
    std::fill(r, r + contact.rows, 0.0);
    return;
  }
  if (contact.rows == 1) {
    r[0] = -f[0] * one.normal_step;
    return;
  }
  if (!one.is_regular) return project_some(contact, one, f, r);
  const double mu = contact.law.balls[0].coefficient;
  const auto& V = one.inverse;
  if (contact.rows == 2) {
    const double r0 = -V[0] * f[0] - V[1] * f[1], r1 = -V[2] * f[0] - V[3] * f[1];
    if (std::abs(r1) <= mu * r0) {
      r[0] = r0;
      r[1] = r1;
    } else if (!slip_in_plane(one, mu, f, std::copysign(1.0, r1), r)) {
      project_exception(contact, one, f, r);
    }
    return;
  }
  const double r0 = -(V[0] * f[0] + V[1] * f[1] + V[2] * f[2]);
  const double r1 = -(V[3] * f[0] + V[4] * f[1] + V[5] * f[2]);
  const double r2 = -(V[6] * f[0] + V[7] * f[1] + V[8] * f[2]);
  if (r0 >= 0.0 && r1 * r1 + r2 * r2 <= mu * mu * r0 * r0) {
    r[0] = r0;
    r[1] = r1;
    r[2] = r2;
    return;
  }
  if (mu == 0.0) {
    r[0] = -f[0] / one.W[0];
    r[1] = r[2] = 0.0;
    return;
  }
  const bool slid = r[1] != 0.0 || r[2] != 0.0;
  if (slid && slip_in_space(one, mu, f, r[1], r[2], r)) return;
  if (slip_in_space(one, mu, f, r1, r2, r)) return;
  if (slip_in_space(one, mu, f, -f[1], -f[2], r)) return;
  project_exception(contact, one, f, r);
}

}  // namespace clatter
