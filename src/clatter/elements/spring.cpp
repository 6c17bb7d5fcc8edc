#include <cmath>
#include <numbers>
#include <utility>

#include <clatter/elements/spring.hpp>

namespace clatter {

Spring::Spring(std::string name, const PairCoordinate& coordinate, double stiffness, double damping,
               double rest, double at_start, double offset)
    : name_(std::move(name)),
      coordinate_(coordinate),
      stiffness_(stiffness),
      damping_(damping),
      rest_(rest),
      at_start_(at_start),
      offset_(offset) {}

double Spring::coordinate(const Configuration& q, double reached) const {
  const double s = coordinate_.value(q) + offset_;
  if (!coordinate_.is_angle()) return s;
  constexpr double turn = 2.0 * std::numbers::pi;
  return s + turn * std::round((reached - s) / turn);
}

void Spring::force(const Configuration& q, const NodalVector& v, double reached, Force& f) const {
  Vec12 g;
  coordinate_.gradient(q, g);
  f.elongation = coordinate(q, reached) - rest_;
  f.rate = g.dot(of_pair(v, a(), b()));
  f.tension = stiffness_ * f.elongation + damping_ * f.rate;
  f.generalised = -f.tension * g;
}

void Spring::tangent(const Configuration& q, const NodalVector& v, double reached, Mat12& K,
                     Mat12& C) const {
  Vec12 g;
  Mat12 H;
  coordinate_.gradient(q, g);
  coordinate_.hessian(q, H);
  const Vec12 pair = of_pair(v, a(), b());
  const double tension = stiffness_ * (coordinate(q, reached) - rest_) + damping_ * g.dot(pair);
  const Vec12 rate_gradient = H.transpose() * pair;
  K = g * (stiffness_ * g + damping_ * rate_gradient).transpose() + tension * H;
  C = damping_ * g * g.transpose();
}

double Spring::energy(const Configuration& q, double reached) const {
  const double elongation = coordinate(q, reached) - rest_;
  return 0.5 * stiffness_ * elongation * elongation;
}

double Spring::dissipated_power(const Configuration& q, const NodalVector& v) const {
  Vec12 g;
  coordinate_.gradient(q, g);
  const double rate = g.dot(of_pair(v, a(), b()));
  return damping_ * rate * rate;
}

}  // namespace clatter
