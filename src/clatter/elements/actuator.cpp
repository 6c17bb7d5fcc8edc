#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <clatter/elements/actuator.hpp>
#include <clatter/elements/joint.hpp>
#include <clatter/elements/signal_table.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

struct ActuatorEnd {
  BodyChoice body = BodyChoice::ground();
  std::unique_ptr<KeyTable> table;
};

ActuatorEnd read_actuator_end(const KeyTable& actuator, std::string_view key,
                              const NamedBodies& bodies, ActuatorSpec& spec) {
  ActuatorEnd end;
  end.table = actuator.nested(key);
  if (end.table) {
    end.body = bodies.find(*end.table, "body");
    spec.keys.add_nested(std::string(key), end.table->key_places());
  } else if (actuator.has(key)) {
    end.body = BodyChoice::unknown();
  }
  return end;
}

/// The joint that a model names, or nothing.
const Joint* find_joint(const std::vector<Joint>& joints, const std::string& name) {
  const auto found = std::find_if(joints.begin(), joints.end(), [&](const Joint& joint) {
    return joint.name() == name && !joint.rows().front().is_term();
  });
  return found == joints.end() ? nullptr : &*found;
}

PairCoordinate coordinate_of(const ActuatorSpec& spec, const DriveSite& site) {
  if (spec.kind == ActuatorKind::joint) {
    const Joint* joint = find_joint(site.joints, spec.joint);
    if (joint == nullptr) {
      throw Error(spec.place,
                  fmt::format("actuator '{}': there is no joint '{}'", spec.name, spec.joint));
    }
    if (!joint->has_coordinate()) {
      throw Error(
          spec.place,
          fmt::format("actuator '{}': joint '{}' has no coordinate that a force could "
                      "drive; {} joints have",
                      spec.name, spec.joint, names_of_joints(has_free_coordinate, "", "and")));
    }
    if (joint->has_motor() || joint->rows().empty()) {
      throw Error(spec.place, fmt::format("actuator '{}': the motor of joint '{}' holds its "
                                          "coordinate already; leave one of them out",
                                          spec.name, spec.joint));
    }
    return *joint->free_coordinate();
  }
  const Site& at = site.site;
  const int a = at.node_of(spec.a), b = at.node_of(spec.b);
  const Vec3 point_a = at.point_of(spec.a), point_b = at.point_of(spec.b);
  if (spec.kind == ActuatorKind::linear) {
    return PairCoordinate::along(a, point_a, spec.axis.normalized(), b, point_b);
  }
  if (spec.kind == ActuatorKind::torsional) {
    const Vec3 z = spec.axis.normalized(), x = z.unitOrthogonal();
    const Mat3 &R_a = at.q0[static_cast<std::size_t>(a)].R,
               &R_b = at.q0[static_cast<std::size_t>(b)].R;
    return PairCoordinate::angle(a, x, z.cross(x), b, R_b.transpose() * (R_a * x));
  }
  const PairCoordinate distance = PairCoordinate::distance(a, point_a, b, point_b);
  if (distance.value(at.q0) < 1e-9 * at.length) {
    throw Error(spec.place,
                fmt::format("the two ends of axial actuator '{}' coincide at the start, so it has "
                            "no direction; move one or use kind = \"linear\"",
                            spec.name));
  }
  return distance;
}

}  // namespace

void Actuator::read(const KeyTable& table, const NamedBodies& bodies, ActuatorSpec& spec) {
  spec.force = table.drive("force").value_or(spec.force);
  spec.lower = table.number("lower");
  spec.upper = table.number("upper");
  if (!table.kind_is_known()) return;
  if (table.kind() == "joint") {
    spec.joint = table.text("joint").value_or("");
    return;
  }
  spec.kind = table.kind() == "axial"    ? ActuatorKind::axial
              : table.kind() == "linear" ? ActuatorKind::linear
                                         : ActuatorKind::torsional;
  const ActuatorEnd a = read_actuator_end(table, "a", bodies, spec);
  const ActuatorEnd b = read_actuator_end(table, "b", bodies, spec);
  const Dimension pair = dimension_of_pair(a.body, b.body);
  spec.a.body = a.body.name();
  spec.b.body = b.body.name();
  const bool has_points = spec.kind != ActuatorKind::torsional;
  for (const auto& [end, attachment] : {std::pair(&a, &spec.a), std::pair(&b, &spec.b)}) {
    if (!end->table) continue;
    if (has_points) {
      attachment->point = read_point(*end->table, "point", end->body, pair);
    } else if (end->table->has("point")) {
      end->table->refuse_key("point", "'point' has no meaning for a torsional actuator");
    }
  }
  if (spec.kind == ActuatorKind::axial) return;
  if (table.has("axis")) {
    spec.axis = table.direction("axis", notation(pair)).value_or(spec.axis);
  } else if (spec.kind == ActuatorKind::torsional && pair != Dimension::three) {
    spec.axis = Vec3::UnitZ();
  } else {
    table.refuse_table(fmt::format("missing key 'axis' in [[actuator]]: {} actuator needs one",
                                   table.kind() == "linear" ? "a linear" : "a torsional"));
  }
}

void Actuator::check(const ActuatorSpec& spec, const ObjectCheck& object, BodyLookup& bodies) {
  object.number("lower", spec.lower, ranges::any);
  object.number("upper", spec.upper, ranges::any);
  if (spec.lower && spec.upper && *spec.lower > *spec.upper) {
    object.refuse("upper", "'upper' must be at least 'lower'");
  }
  if (spec.kind == ActuatorKind::joint || !object.knows("kind")) return;
  const BodyChoice a = find_body(object, "a.body", spec.a.body, bodies);
  const BodyChoice b = find_body(object, "b.body", spec.b.body, bodies);
  if (a.same_as(b)) {
    object.refuse_object(a.is_ground()
                             ? "an actuator needs a body: both ends are on the ground"
                             : fmt::format("both ends of the actuator are on body '{}'", a.name()));
  }
  const bool planar = is_planar_pair(a, b);
  const bool is_torsional = spec.kind == ActuatorKind::torsional;
  for (const auto& [key, point_key, at, body] : {std::tuple("a.body", "a.point", &spec.a, &a),
                                                 std::tuple("b.body", "b.point", &spec.b, &b)}) {
    if (!is_torsional) {
      check_point(object, point_key, at->point, *body,
                  body->is(BodyKind::planar) || (body->is_ground() && planar));
    } else if (body->is(BodyKind::point)) {
      object.refuse(key, fmt::format("point body '{}' does not turn, so no torque can act on it",
                                     body->name()));
    }
  }
  if (spec.kind == ActuatorKind::axial || !object.direction("axis", spec.axis) || !planar) return;
  if (!is_torsional) {
    object.vector_in_plane("axis", spec.axis);
  } else if (!spec.axis.head<2>().isZero(0.0)) {
    object.refuse("axis",
                  "'axis': between planar bodies a torque is about z, so the axis must be "
                  "[0, 0, 1] or [0, 0, -1]");
  }
}

std::vector<Attachment> Actuator::attachments(const ActuatorSpec& spec) {
  if (spec.kind == ActuatorKind::joint || spec.kind == ActuatorKind::torsional) return {};
  return {spec.a, spec.b};
}

Actuator Actuator::build(const ActuatorSpec& spec, const DriveSite& site) {
  return {spec, coordinate_of(spec, site), site};
}

Actuator::Actuator(const ActuatorSpec& spec, const PairCoordinate& coordinate,
                   const DriveSite& site)
    : name_(spec.name),
      coordinate_(coordinate),
      formula_(spec.force, site),
      lower_(spec.lower),
      upper_(spec.upper),
      nodes_{coordinate.a(), coordinate.b()},
      is_axial_(spec.kind == ActuatorKind::axial),
      shortest_(1e-9 * site.site.length),
      place_(spec.place) {
  formula_.list_nodes(nodes_);
  if (nodes_.size() > StateGradient::most_nodes) {
    throw Error(place_, fmt::format("actuator '{}' depends on {} bodies; at most {} may take part",
                                    name_, nodes_.size(), StateGradient::most_nodes));
  }
}

double Actuator::force(const Configuration& q, const NodalVector& v, const DriveInput& in) const {
  double u = formula_.value(q, v, in);
  if (lower_) u = std::max(u, *lower_);
  if (upper_) u = std::min(u, *upper_);
  return in.factor * u;
}

double Actuator::power(const Configuration& q, const NodalVector& v, const DriveInput& in) const {
  Vec12 g;
  coordinate_.gradient(q, g);
  return force(q, v, in) * g.dot(of_pair(v, coordinate_.a(), coordinate_.b()));
}

void Actuator::generalised_force(const Configuration& q, const NodalVector& v, const DriveInput& in,
                                 Vector& f) const {
  Vec12 g;
  coordinate_.gradient(q, g);
  f.setZero(6 * static_cast<Eigen::Index>(nodes_.size()));
  f.head<12>() = force(q, v, in) * g;
}

void Actuator::tangent(const Configuration& q, const NodalVector& v, const DriveInput& in,
                       Matrix& K, Matrix& C) const {
  const Eigen::Index size = 6 * static_cast<Eigen::Index>(nodes_.size());
  K.setZero(size, size);
  C.setZero(size, size);
  Vec12 g;
  Mat12 H;
  coordinate_.gradient(q, g);
  coordinate_.hessian(q, H);
  const double u = formula_.value(q, v, in);
  const bool is_low = lower_ && u < *lower_, is_high = upper_ && u > *upper_;
  if (!is_low && !is_high) {
    StateGradient gradient{nodes_, {}, {}};
    gradient.clear();
    formula_.add_gradient(q, v, in, -in.factor, gradient);
    K.topRows<12>() = g.lazyProduct(gradient.by_q.transpose());
    C.topRows<12>() = g.lazyProduct(gradient.by_v.transpose());
  }
  K.topLeftCorner<12, 12>() -= force(q, v, in) * H;
}

void Actuator::check(const Configuration& q, double /*reached*/) const {
  if (!is_axial_ || coordinate_.value(q) > shortest_) return;
  throw Error(place_, fmt::format("actuator '{}': its two ends meet, so that it has no direction "
                                  "there; use kind = \"linear\"",
                                  name_));
}

}  // namespace clatter
