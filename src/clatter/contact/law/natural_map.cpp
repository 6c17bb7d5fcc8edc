#include <algorithm>
#include <cmath>

#include <clatter/contact/law/natural_map.hpp>
#include <clatter/contact/law/projection.hpp>

namespace clatter {
namespace {

// The residual r - P(r - rho u^) is rho u^ where the projection changes nothing, and rho u^ plus
// the distance from the cone else: written so, round-off of large reactions does not hide a
// velocity.

template <int Count>
void cone_map(double mu, int dynamic_count, double rho, const double* r, const double* u,
              double* out) {
  const int count = Count > 0 ? Count : dynamic_count;
  std::array<double, max_contact_rows> y;
  double slip = 0.0, square = 0.0;
  for (int i = 1; i <= count; ++i) {
    out[i] = rho * u[i];
    y[i] = r[i] - out[i];
    slip += u[i] * u[i];
    square += y[i] * y[i];
  }
  out[0] = rho * (u[0] + mu * std::sqrt(slip));
  y[0] = r[0] - out[0];
  const double length = std::sqrt(square);
  if (y[0] >= 0.0 && length <= mu * y[0]) return;
  if (mu * length <= -y[0] || length == 0.0) {
    std::copy(r, r + count + 1, out);
    return;
  }
  const double beyond = (length - mu * y[0]) / (1.0 + mu * mu);
  out[0] -= mu * beyond;
  for (int i = 1; i <= count; ++i) out[i] += beyond / length * y[i];
}

void ball_map(const ContactLaw& law, double rho, const double* r, const double* u, double* out) {
  const double normal = project_normal(r[0] - rho * u[0]);
  out[0] = std::min(r[0], rho * u[0]);
  for (const FrictionBall& ball : law.all_balls()) {
    const int begin = ball.first_row, end = ball.first_row + ball.rows;
    double square = 0.0;
    for (int i = begin; i < end; ++i) {
      out[i] = rho * u[i];
      square += (r[i] - out[i]) * (r[i] - out[i]);
    }
    const double radius = ball.coefficient * normal;
    if (!is_beyond(square, radius)) continue;
    const double factor = factor_into_ball(square, radius);
    for (int i = begin; i < end; ++i) out[i] = r[i] - factor * (r[i] - out[i]);
  }
}

}  // namespace

void natural_map(const ContactLaw& law, int rows, double rho, const double* r, const double* u,
                 double* out) {
  if (law.ball_count != 1) return ball_map(law, rho, r, u, out);
  const double mu = law.balls[0].coefficient;
  if (rows == 3) {
    cone_map<2>(mu, 2, rho, r, u, out);
  } else if (rows == 2) {
    cone_map<1>(mu, 1, rho, r, u, out);
  } else {
    cone_map<0>(mu, rows - 1, rho, r, u, out);
  }
}

}  // namespace clatter
