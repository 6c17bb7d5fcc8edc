#include <algorithm>
#include <cassert>

#include <clatter/contact/geometry/coupler_stop.hpp>

namespace clatter {

CouplerStop::CouplerStop(const CouplerStopSpec& spec, std::vector<Term> terms, double middle)
    : SurfacePair(ground, ground, false, Vec3::Zero(), Vec3::Zero()),
      terms_(std::move(terms)),
      at_zero_(spec.radius * (spec.play + spec.side * middle)) {
  std::size_t count = 0;
  const auto column_of = [&](int node) {
    if (node == ground) return -1;
    const auto known = nodes_.begin() + static_cast<std::ptrdiff_t>(count);
    const auto found = std::find(nodes_.begin(), known, node);
    if (found == known) {
      assert(count < most_nodes);
      nodes_[count++] = node;
    }
    return 6 * static_cast<int>(found - nodes_.begin());
  };
  for (Term& term : terms_) {
    const int a = column_of(term.coordinate.a()), b = column_of(term.coordinate.b());
    places_.push_back({a, b});
    term.factor *= -spec.side * spec.radius;
  }
  a_ = nodes_[0];
  b_ = nodes_[1];
}

double CouplerStop::gap(const Configuration& q, std::span<const double> turns) const {
  double sum = at_zero_;
  for (const Term& term : terms_) {
    const double reached = turns.empty() ? 0.0 : turns[term.counter];
    sum += term.factor * term.coordinate.value_near(q, reached);
  }
  return sum;
}

void CouplerStop::row(const Configuration& q, Vec24& g) const {
  g.setZero();
  Vec12 own;
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    terms_[k].coordinate.gradient(q, own);
    if (const int a = places_[k].a; a >= 0) g.segment<6>(a) += terms_[k].factor * own.head<6>();
    if (const int b = places_[k].b; b >= 0) g.segment<6>(b) += terms_[k].factor * own.tail<6>();
  }
}

void CouplerStop::gap_hessian(const Configuration& q, Mat24& H) const {
  H.setZero();
  Mat12 own;
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    terms_[k].coordinate.hessian(q, own);
    const std::array columns{places_[k].a, places_[k].b};
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        const int row = columns[static_cast<std::size_t>(i)],
                  column = columns[static_cast<std::size_t>(j)];
        if (row < 0 || column < 0) continue;
        H.block<6, 6>(row, column) += terms_[k].factor * own.block<6, 6>(6 * i, 6 * j);
      }
    }
  }
}

ContactFrame CouplerStop::frame(const Configuration&, const Vec3&) const {
  return {Vec3::UnitX(), {Vec3::UnitY(), Vec3::UnitZ()}, Vec3::Zero(), Vec3::Zero()};
}

}  // namespace clatter
