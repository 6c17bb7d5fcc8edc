#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <clatter/elements/cable.hpp>
#include <clatter/elements/site.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/fields.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// Part of the size of the model below which two points count as one.
constexpr double meeting_distance = 1e-9;

std::string key_of_point(std::size_t i, std::string_view key) {
  return fmt::format("through.{}.{}", i + 1, key);
}

}  // namespace

template <class SomeSpec, class Fields>
void Cable::describe(SomeSpec& cable, const Fields& fields) {
  fields.number("stiffness", cable.stiffness, ranges::positive);
  fields.number("damping", cable.damping, ranges::not_negative);
  fields.number("rest_length", cable.rest_length, ranges::not_negative);
}

void Cable::read(const KeyTable& table, const NamedBodies& bodies, CableSpec& cable) {
  const auto points = table.nested_list("through");
  std::vector<BodyChoice> choices;
  for (const auto& point : points) choices.push_back(bodies.find(*point, "body"));
  const Dimension dimension = dimension_of_all(choices);
  for (std::size_t i = 0; i < points.size(); ++i) {
    cable.through.push_back(
        {choices[i].name(), read_point(*points[i], "point", choices[i], dimension)});
    cable.keys.add_nested(fmt::format("through.{}", i + 1), points[i]->key_places());
  }
  describe(cable, FieldReader(table));
}

void Cable::check(const CableSpec& cable, const ObjectCheck& object, BodyLookup& bodies) {
  std::vector<BodyChoice> choices;
  std::set<std::string> names;
  for (std::size_t i = 0; i < cable.through.size(); ++i) {
    choices.push_back(find_body(object, key_of_point(i, "body"), cable.through[i].body, bodies));
    names.insert(choices.back().name());
  }
  const bool planar = dimension_of_all(choices) == Dimension::two;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const bool in_plane = choices[i].is(BodyKind::planar) || (choices[i].is_ground() && planar);
    check_point(object, key_of_point(i, "point"), cable.through[i].point, choices[i], in_plane);
  }
  if (!object.knows("through")) return;
  if (choices.size() < 2) {
    object.refuse("through", "'through': a cable needs two points or more");
  } else if (names.size() == 1 && choices.front().is_known()) {
    object.refuse("through", choices.front().is_ground()
                                 ? "a cable needs a body: all its points are on the ground"
                                 : fmt::format("all points of the cable are on body '{}'",
                                               choices.front().name()));
  } else if (names.size() > most_nodes) {
    object.refuse("through", fmt::format("'through': a cable can run through points of {} bodies, "
                                         "not of {}",
                                         most_nodes, names.size()));
  }
  describe(cable, FieldCheck(object));
}

Cable Cable::build(const CableSpec& spec, const Site& site) {
  std::vector<Point> points;
  for (const Attachment& point : spec.through) {
    points.push_back({site.node_of(point), site.point_of(point)});
  }
  Cable cable(spec.name, points, spec.stiffness, spec.damping, 0.0, spec.place);
  cable.rest_length_ = spec.rest_length.value_or(cable.length(site.q0));
  for (const Segment& segment : cable.segments_) {
    if (segment.length.value(site.q0) > meeting_distance * site.length) continue;
    throw Error(spec.place, fmt::format("two points of cable '{}' that follow each other coincide "
                                        "at the start, so that it has no direction there",
                                        spec.name));
  }
  return cable;
}

Cable::Cable(std::string name, std::span<const Point> through, double stiffness, double damping,
             double rest_length, Place place)
    : name_(std::move(name)),
      stiffness_(stiffness),
      damping_(damping),
      rest_length_(rest_length),
      place_(std::move(place)) {
  const auto first_of = [&](int node) {
    const auto found = std::find(nodes_.begin(), nodes_.end(), node);
    const Eigen::Index index = found - nodes_.begin();
    if (found == nodes_.end()) nodes_.push_back(node);
    return 6 * index;
  };
  for (std::size_t i = 0; i + 1 < through.size(); ++i) {
    const Point &a = through[i], &b = through[i + 1];
    const Eigen::Index first_a = first_of(a.node), first_b = first_of(b.node);
    if (a.node == b.node) {
      fixed_length_ += (b.at - a.at).norm();
    } else {
      segments_.push_back({PairCoordinate::distance(a.node, a.at, b.node, b.at), first_a, first_b});
    }
  }
}

double Cable::length(const Configuration& q) const {
  double sum = fixed_length_;
  for (const Segment& segment : segments_) sum += segment.length.value(q);
  return sum;
}

void Cable::gradient(const Configuration& q, Vector& g) const {
  g.setZero(6 * static_cast<Eigen::Index>(nodes_.size()));
  Vec12 of_segment;
  for (const Segment& segment : segments_) {
    segment.length.gradient(q, of_segment);
    g.segment<6>(segment.first_a) += of_segment.head<6>();
    g.segment<6>(segment.first_b) += of_segment.tail<6>();
  }
}

double Cable::rate(const Configuration& q, const NodalVector& v) const {
  double sum = 0.0;
  Vec12 g;
  for (const Segment& segment : segments_) {
    segment.length.gradient(q, g);
    sum += g.dot(of_pair(v, segment.length.a(), segment.length.b()));
  }
  return sum;
}

double Cable::tension(const Configuration& q, const NodalVector& v) const {
  const double elongation = length(q) - rest_length_;
  if (elongation <= 0.0) return 0.0;
  return std::fmax(stiffness_ * elongation + damping_ * rate(q, v), 0.0);
}

void Cable::generalised_force(const Configuration& q, const NodalVector& v, double /*reached*/,
                              Vector& f) const {
  const double now = tension(q, v);
  if (now == 0.0) {  // also where points meet
    f.setZero(6 * static_cast<Eigen::Index>(nodes_.size()));
    return;
  }
  gradient(q, f);
  f *= -now;
}

void Cable::tangent(const Configuration& q, const NodalVector& v, double /*reached*/, Matrix& K,
                    Matrix& C) const {
  const Eigen::Index size = 6 * static_cast<Eigen::Index>(nodes_.size());
  K.setZero(size, size);
  C.setZero(size, size);
  const double now = tension(q, v);
  if (now == 0.0) return;
  Vector g, rate_gradient = Vector::Zero(size);
  gradient(q, g);
  Mat12 H;
  for (const Segment& segment : segments_) {
    segment.length.hessian(q, H);
    const Eigen::Index a = segment.first_a, b = segment.first_b;
    K.block<6, 6>(a, a) += now * H.topLeftCorner<6, 6>();
    K.block<6, 6>(a, b) += now * H.topRightCorner<6, 6>();
    K.block<6, 6>(b, a) += now * H.bottomLeftCorner<6, 6>();
    K.block<6, 6>(b, b) += now * H.bottomRightCorner<6, 6>();
    const Vec12 of_segment = H.transpose() * of_pair(v, segment.length.a(), segment.length.b());
    rate_gradient.segment<6>(a) += of_segment.head<6>();
    rate_gradient.segment<6>(b) += of_segment.tail<6>();
  }
  const Vector by_position = stiffness_ * g + damping_ * rate_gradient;
  // Lazy: a product of this bounded size would otherwise ask for memory.
  K += g.lazyProduct(by_position.transpose());
  C += damping_ * g.lazyProduct(g.transpose());
}

double Cable::energy(const Configuration& q, double /*reached*/) const {
  const double elongation = std::fmax(length(q) - rest_length_, 0.0);
  return 0.5 * stiffness_ * elongation * elongation;
}

double Cable::dissipated_power(const Configuration& q, const NodalVector& v,
                               double /*reached*/) const {
  const double elongation = length(q) - rest_length_;
  if (elongation <= 0.0) return 0.0;
  const double elastic = stiffness_ * elongation, now = rate(q, v);
  // Where the damper would push, it takes what the cable gives.
  return elastic + damping_ * now > 0.0 ? damping_ * now * now : -elastic * now;
}

std::vector<ElementChannel> Cable::channels() const {
  return {{"length",
           {""},
           "m",
           [this](const Configuration& q, const NodalVector&, double, double* out) {
             *out = length(q);
           }},
          {"tension",
           {""},
           "N",
           [this](const Configuration& q, const NodalVector& v, double, double* out) {
             *out = tension(q, v);
           }}};
}

void Cable::check(const Configuration& q, double /*reached*/) const {
  if (length(q) <= rest_length_) return;
  const double shortest = meeting_distance * rest_length_;
  for (const Segment& segment : segments_) {
    if (segment.length.value(q) > shortest) continue;
    throw Error(place_, fmt::format("cable '{}': two of its points meet, so that it has no "
                                    "direction there; put a contact or a stop between them",
                                    name_));
  }
}

}  // namespace clatter
