#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <clatter/elements/site.hpp>
#include <clatter/elements/spring.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/fields.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

/// Calls visit.operator()<Law>() for the law of a spring.
template <class Visit>
void with_law(const SpringSpec& spring, Visit&& visit) {
  SpringLaw::for_each_kind([&]<class Law>(std::size_t i) {
    if (i == static_cast<std::size_t>(spring.law)) visit.template operator()<Law>();
  });
}

SpringLaw law_of(const SpringSpec& spring) {
  SpringLaw law = 0.0;
  with_law(spring, [&]<class Law>() { law = SpringLaw::Kinds(Law::of(spring)); });
  return law;
}

template <class Law>
bool law_has(std::string_view key) {
  return std::find(Law::needs.begin(), Law::needs.end(), key) != Law::needs.end() ||
         std::find(Law::takes.begin(), Law::takes.end(), key) != Law::takes.end();
}

/// Why the law cannot turn anything, should the spring be torsional; else nothing.
std::string_view complaint_about_turning(const SpringSpec& spring) {
  std::string_view complaint;
  if (spring.kind != SpringKind::torsional) return complaint;
  with_law(spring, [&]<class Law>() {
    if constexpr (requires { Law::not_torsional; }) complaint = Law::not_torsional;
  });
  return complaint;
}

const char* rest_key(SpringKind kind) {
  return kind == SpringKind::torsional ? "rest_angle" : "rest_length";
}

// ---- Reading

/// An end while it is read.
struct SpringEnd {
  std::unique_ptr<KeyTable> table;
  BodyChoice body = BodyChoice::ground();
};

SpringEnd read_spring_end(const KeyTable& spring, std::string_view key, const NamedBodies& bodies) {
  SpringEnd end;
  end.table = spring.nested(key);
  if (end.table) {
    end.body = bodies.find(*end.table, "body");
  } else if (spring.has(key)) {
    end.body = BodyChoice::unknown();
  }
  return end;
}

// The keys of an end are those of the spring as "a.body".
Attachment read_spring_attachment(const SpringEnd& end, SpringKind kind, Dimension pair) {
  Attachment attachment{end.body.name(), Vec3::Zero()};
  if (!end.table) return attachment;
  if (kind == SpringKind::torsional) {
    if (end.table->has("point")) {
      end.table->refuse_key("point", "'point' has no meaning for a torsional spring");
    }
    return attachment;
  }
  attachment.point = read_point(*end.table, "point", end.body, pair);
  return attachment;
}

void read_spring_axis(const KeyTable& table, Dimension pair, SpringSpec& spring) {
  if (table.has("axis")) {
    spring.axis = table.direction("axis", notation(pair)).value_or(spring.axis);
  } else if (spring.kind == SpringKind::torsional && pair != Dimension::three) {
    spring.axis = Vec3::UnitZ();
  } else {
    table.refuse_table(
        fmt::format("missing key 'axis' in [[spring]]: a {} spring needs one", table.kind()));
  }
}

/// Keys of other laws are refused, and missing ones told; the checks of the model leave these
/// alone.
template <class Law>
void check_law_keys(const KeyTable& table, SpringSpec& spring) {
  for (const std::string_view key : Law::needs) {
    if (table.has(key)) continue;
    table.refuse_table(
        fmt::format("missing key '{}' in [[spring]]: law \"{}\" needs it", key, Law::word));
    spring.keys.doubt(key);
  }
  const auto refuse_of_others = [&](std::string_view key) {
    if (law_has<Law>(key) || !table.has_usable(key)) return;
    std::vector<std::string> laws;
    SpringLaw::for_each_kind([&]<class Other>(std::size_t) {
      if (law_has<Other>(key)) laws.push_back(fmt::format("\"{}\"", Other::word));
    });
    table.refuse_key(key, fmt::format("'{}' has no meaning for law \"{}\"; leave it out or give "
                                      "law {}",
                                      key, Law::word, fmt::join(laws, " or ")));
  };
  std::vector<std::string_view> keys;  // of all laws, each once
  SpringLaw::for_each_kind([&]<class Other>(std::size_t) {
    keys.insert(keys.end(), Other::needs.begin(), Other::needs.end());
    keys.insert(keys.end(), Other::takes.begin(), Other::takes.end());
  });
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const std::string_view key : keys) refuse_of_others(key);
}

void read_spring_law(const KeyTable& table, SpringSpec& spring) {
  if (table.has("law") && !table.has_usable("law")) return;
  const std::string word = table.text("law").value_or("linear");
  SpringLaw::for_each_kind([&]<class Law>(std::size_t i) {
    if (word == Law::word) spring.law = static_cast<SpringLawKind>(i);
  });
  // That a law cannot turn anything is for the checks of the model, which say it once.
  if (!complaint_about_turning(spring).empty()) return;
  with_law(spring, [&]<class Law>() { check_law_keys<Law>(table, spring); });
}

// ---- Checks

void check_spring_axis(const ObjectCheck& object, const SpringSpec& spring, bool planar) {
  if (spring.kind == SpringKind::axial || !object.direction("axis", spring.axis) || !planar) return;
  if (spring.kind == SpringKind::linear) {
    object.vector_in_plane("axis", spring.axis);
  } else if (!spring.axis.head<2>().isZero(0.0)) {
    object.refuse("axis",
                  "'axis': between planar bodies a torsional spring turns about z, so the axis "
                  "must be [0, 0, 1] or [0, 0, -1]");
  }
}

/// An end while it is checked.
struct CheckedEnd {
  const char *body_key, *point_key;
  const Attachment& attachment;
  const BodyChoice& body;
};

void check_spring_end(const ObjectCheck& object, const CheckedEnd& end, SpringKind kind,
                      bool planar) {
  if (kind != SpringKind::torsional) {
    check_point(object, end.point_key, end.attachment.point, end.body,
                end.body.is(BodyKind::planar) || (end.body.is_ground() && planar));
    return;
  }
  if (!end.attachment.point.isZero(0.0)) {
    object.refuse(end.point_key, "'point' has no meaning for a torsional spring");
  }
  if (!end.body.is(BodyKind::point)) return;
  object.refuse(end.body_key,
                fmt::format("point body '{}' does not turn, so it cannot carry a torsional spring",
                            end.body.name()));
}

// ---- Building

/// Angle of b against a about an axis of a, 0 where their frames agree. Between planar nodes with
/// all turns; else in (-pi, pi], the twist of the relative rotation about the axis, whatever tilts
/// it besides.
double turn_about(const Node& node_a, const NodeState& a, const Node& node_b, const NodeState& b,
                  const Vec3& axis) {
  if (!node_a.rotates_in_space && !node_b.rotates_in_space) return axis.z() * (b.angle - a.angle);
  const Quaternion relative = a.p.conjugate() * b.p;
  const double half = std::atan2(relative.vec().dot(axis), relative.w());
  return std::remainder(2.0 * half, 2.0 * std::numbers::pi);
}

}  // namespace

template <class SomeSpec, class Fields>
void Spring::describe(SomeSpec& spring, const Fields& fields) {
  fields.number("stiffness", spring.stiffness, ranges::not_negative);
  fields.number("damping", spring.damping, ranges::not_negative);
  with_law(spring, [&]<class Law>() {
    if constexpr (requires { Law::describe(spring, fields); }) Law::describe(spring, fields);
  });
  if (spring.kind == SpringKind::torsional) {
    fields.angle(rest_key(spring.kind), spring.rest, ranges::any);
  } else {
    fields.number(rest_key(spring.kind), spring.rest,
                  spring.kind == SpringKind::axial ? ranges::not_negative : ranges::any);
  }
}

void Spring::read(const KeyTable& table, const NamedBodies& bodies, SpringSpec& spring) {
  if (table.kind() == "linear") spring.kind = SpringKind::linear;
  if (table.kind() == "torsional") spring.kind = SpringKind::torsional;
  const SpringEnd a = read_spring_end(table, "a", bodies);
  const SpringEnd b = read_spring_end(table, "b", bodies);
  const Dimension pair = dimension_of_pair(a.body, b.body);
  if (a.table) spring.keys.add_nested("a", a.table->key_places());
  if (b.table) spring.keys.add_nested("b", b.table->key_places());
  spring.a.body = a.body.name();
  spring.b.body = b.body.name();
  if (!table.kind_is_known()) return;

  spring.a = read_spring_attachment(a, spring.kind, pair);
  spring.b = read_spring_attachment(b, spring.kind, pair);
  if (spring.kind != SpringKind::axial) read_spring_axis(table, pair, spring);
  read_spring_law(table, spring);
  describe(spring, FieldReader(table));
  const bool in_degrees = spring.kind == SpringKind::torsional && !table.has("rest_angle");
  if (in_degrees) spring.keys.set_written("rest_angle", "rest_angle_deg");
}

void Spring::check(const SpringSpec& spring, const ObjectCheck& object, BodyLookup& bodies) {
  const BodyChoice a = find_body(object, "a.body", spring.a.body, bodies);
  const BodyChoice b = find_body(object, "b.body", spring.b.body, bodies);
  if (a.same_as(b)) {
    object.refuse_object(a.is_ground()
                             ? "a spring needs a body: both ends are on the ground"
                             : fmt::format("both ends of the spring are on body '{}'", a.name()));
  }
  if (!object.knows("kind")) return;
  const bool planar = is_planar_pair(a, b);
  check_spring_end(object, {"a.body", "a.point", spring.a, a}, spring.kind, planar);
  check_spring_end(object, {"b.body", "b.point", spring.b, b}, spring.kind, planar);
  check_spring_axis(object, spring, planar);
  const std::string_view complaint = complaint_about_turning(spring);
  if (!complaint.empty()) {
    object.refuse("law", std::string(complaint));
    return;
  }
  describe(spring, FieldCheck(object));
  bool is_stiff_by_law = true;
  with_law(spring, [&]<class Law>() { is_stiff_by_law = !law_has<Law>("stiffness"); });
  const bool is_known = object.knows("stiffness") && object.knows("damping");
  if (is_known && !is_stiff_by_law && spring.stiffness == 0.0 && spring.damping == 0.0) {
    object.refuse_object("a spring needs a positive 'stiffness' or 'damping'");
  }
}

Spring Spring::build(const SpringSpec& spec, const Site& site) {
  const int a = site.node_of(spec.a), b = site.node_of(spec.b);
  const auto at_a = static_cast<std::size_t>(a), at_b = static_cast<std::size_t>(b);
  const Vec3 point_a = site.point_of(spec.a), point_b = site.point_of(spec.b);
  PairCoordinate coordinate = PairCoordinate::distance(a, point_a, b, point_b);
  double offset = 0.0;
  if (spec.kind == SpringKind::linear) {
    coordinate = PairCoordinate::along(a, point_a, spec.axis.normalized(), b, point_b);
  } else if (spec.kind == SpringKind::torsional) {
    const Vec3 z = spec.axis.normalized();
    const Vec3 x = z.unitOrthogonal();
    coordinate = PairCoordinate::angle(a, x, z.cross(x), b,
                                       site.q0[at_b].R.transpose() * (site.q0[at_a].R * x));
    offset = turn_about(site.nodes[at_a], site.q0[at_a], site.nodes[at_b], site.q0[at_b], z);
  } else if (coordinate.value(site.q0) < 1e-9 * site.length) {
    throw Error(spec.place,
                fmt::format("the two ends of axial spring '{}' coincide at the start, so "
                            "it has no direction; move one or use kind = \"linear\"",
                            spec.name));
  }
  const double at_start = coordinate.value(site.q0) + offset;
  return {spec.name,  coordinate, law_of(spec), spec.damping, spec.rest.value_or(at_start),
          spec.place, at_start,   offset};
}

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
  f.rate = g.dot(of_pair(v, coordinate_.a(), coordinate_.b()));
  f.tension = law_.tension(f.elongation) + damping_ * f.rate;
  if (!acts(f.elongation, f.tension)) f.tension = 0.0;
  f.generalised = -f.tension * g;
}

void Spring::tangent(const Configuration& q, const NodalVector& v, double reached, Mat12& K,
                     Mat12& C) const {
  Vec12 g;
  Mat12 H;
  coordinate_.gradient(q, g);
  const Vec12 pair = of_pair(v, coordinate_.a(), coordinate_.b());
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
  const double rate = g.dot(of_pair(v, coordinate_.a(), coordinate_.b()));
  if (side_ != 0) {
    const double elongation = coordinate(q, reached) - rest_, elastic = law_.tension(elongation);
    // Where the two together are cut off, the damper takes what the spring gives.
    if (!acts(elongation, elastic + damping_ * rate)) return -elastic * rate;
  }
  return damping_ * rate * rate;
}

std::vector<ElementChannel> Spring::channels() const {
  return {{"coordinate",
           {""},
           "m or rad",
           [this](const Configuration& q, const NodalVector&, double reached, double* out) {
             *out = coordinate(q, reached);
           }},
          {"tension",
           {""},
           "N or N m",
           [this](const Configuration& q, const NodalVector& v, double reached, double* out) {
             Force now;
             force(q, v, reached, now);
             *out = now.tension;
           }}};
}

void Spring::check(const Configuration& q, double reached) const {
  const std::string_view failure = law_.failure(coordinate(q, reached) - rest_);
  if (!failure.empty()) throw Error(place_, fmt::format("spring '{}': {}", name_, failure));
}

}  // namespace clatter
