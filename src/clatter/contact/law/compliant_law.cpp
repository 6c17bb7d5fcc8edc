#include <algorithm>
#include <cmath>

#include <clatter/contact/law/compliant_law.hpp>

namespace clatter {

CompliantLaw::CompliantLaw(const NormalLaw& law, double slow_speed, const SpringAndDashpot& normal,
                           const SpringAndDashpot& tangential)
    : law_(law),
      scaled_(scaled(law)),
      slow_speed_(slow_speed),
      normal_pair_(normal),
      tangential_pair_(tangential) {
  law_.exponent = scaled_.exponent;
}

double CompliantLaw::damping(double speed, double mass) const {
  if (scaled_.linear) return scaled_.damping * std::sqrt(law_.stiffness * mass);
  return scaled_.damping / std::max(speed, slow_speed_);
}

CompliantLaw::Normal CompliantLaw::normal(double depth, double speed, double damping) const {
  Normal n;
  if (!(depth > 0.0)) return n;
  const double slope = scaled_.linear
                           ? law_.stiffness
                           : law_.stiffness * std::pow(depth, law_.exponent - 1.0);  // F/delta
  n.spring = slope * depth;
  if (scaled_.linear) {
    n.force = n.spring + damping * speed;
    n.by_depth = slope;
    n.by_speed = damping;
  } else {
    const double factor = 1.0 + damping * speed;
    n.force = n.spring * factor;
    n.by_depth = law_.exponent * slope * factor;
    n.by_speed = n.spring * damping;
  }
  if (n.force < 0.0) n.force = n.by_depth = n.by_speed = 0.0;
  return n;
}

double CompliantLaw::energy(double depth) const {
  if (!(depth > 0.0)) return 0.0;
  const double n = law_.exponent + 1.0;
  return law_.stiffness * std::pow(depth, n) / n;
}

void CompliantLaw::friction(const FrictionBall& ball, const RowVector& rates,
                            RowVector& over_normal, RowMatrix& by_rates) const {
  const auto s = rates.segment(ball.first_row, ball.rows);
  const double square = s.squaredNorm() + slow_speed_ * slow_speed_, size = std::sqrt(square);
  over_normal.segment(ball.first_row, ball.rows) = -ball.coefficient / size * s;
  auto block = by_rates.block(ball.first_row, ball.first_row, ball.rows, ball.rows);
  block = ball.coefficient / (size * square) * (s * s.transpose());
  block.diagonal().array() -= ball.coefficient / size;
}

}  // namespace clatter
