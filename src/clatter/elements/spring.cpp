#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <clatter/elements/spring.hpp>

namespace clatter {

Spring::Spring(std::string name, const PairCoordinate& coordinate, SpringLaw law, double damping,
               double rest, Place place, double at_start, double offset)
    : name_(std::move(name)),
      coordinate_(coordinate),
      law_(std::move(law)),
      side_(law_.side()),
      damping_(damping),
      rest_(rest),
      at_start_(at_start),
      offset_(offset),
      place_(std::move(place)) {}

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
  f.tension = law_.tension(f.elongation) + damping_ * f.rate;
  if (!acts(f.elongation, f.tension)) f.tension = 0.0;
  f.generalised = -f.tension * g;
}

void Spring::tangent(const Configuration& q, const NodalVector& v, double reached, Mat12& K,
                     Mat12& C) const {
  Vec12 g;
  Mat12 H;
  coordinate_.gradient(q, g);
  const Vec12 pair = of_pair(v, a(), b());
  const double elongation = coordinate(q, reached) - rest_;
  const double tension = law_.tension(elongation) + damping_ * g.dot(pair);
  if (!acts(elongation, tension)) {
    K.setZero();
    C.setZero();
    return;
  }
  coordinate_.hessian(q, H);
  const Vec12 rate_gradient = H.transpose() * pair;
  K = g * (law_.slope(elongation) * g + damping_ * rate_gradient).transpose() + tension * H;
  C = damping_ * g * g.transpose();
}

double Spring::energy(const Configuration& q, double reached) const {
  return law_.energy(coordinate(q, reached) - rest_);
}

double Spring::dissipated_power(const Configuration& q, const NodalVector& v,
                                double reached) const {
  Vec12 g;
  coordinate_.gradient(q, g);
  const double rate = g.dot(of_pair(v, a(), b()));
  if (side_ != 0) {
    const double elongation = coordinate(q, reached) - rest_, elastic = law_.tension(elongation);
    // Where the two together are cut off, the damper takes what the spring gives.
    if (!acts(elongation, elastic + damping_ * rate)) return -elastic * rate;
  }
  return damping_ * rate * rate;
}

void Spring::check(const Configuration& q, double reached) const {
  const std::string_view failure = law_.failure(coordinate(q, reached) - rest_);
  if (!failure.empty()) throw Error(place_, fmt::format("spring '{}': {}", name_, failure));
}

}  // namespace clatter
