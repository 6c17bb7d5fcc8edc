#include <set>
#include <utility>

#include <fmt/format.h>

#include <clatter/elements/membrane.hpp>
#include <clatter/elements/site.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/object_check.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

/// Turned by a quarter to the right.
Vec3 across(const Vec3& along) { return {along.y(), -along.x(), 0.0}; }

}  // namespace

void Membrane::read(const KeyTable& table, const NamedBodies& bodies, MembraneSpec& membrane) {
  for (const BodyChoice& body : bodies.find_list(table, "bodies")) {
    membrane.bodies.push_back(body.name());
  }
  membrane.pressure = table.number("pressure").value_or(membrane.pressure);
  membrane.closed = table.flag("closed").value_or(membrane.closed);
}

void Membrane::check(const MembraneSpec& membrane, const ObjectCheck& object, BodyLookup& bodies) {
  object.number("pressure", membrane.pressure);
  if (!object.knows("bodies")) return;
  if (membrane.bodies.size() < 2) {
    object.refuse("bodies", "'bodies': a membrane needs two bodies or more");
  }
  std::set<std::string> names;
  for (const std::string& name : membrane.bodies) {
    const BodyChoice body = find_body(object, "bodies", name, bodies);
    if (!body.is_known()) continue;
    if (!body.is(BodyKind::planar)) {
      object.refuse("bodies", fmt::format("a membrane runs over planar bodies, not over {}",
                                          body.is_ground() ? "the ground" : "'" + name + "'"));
      return;
    }
    if (!names.insert(name).second) {
      object.refuse("bodies", fmt::format("'bodies' has '{}' twice; a membrane that goes round has "
                                          "'closed = true'",
                                          name));
    }
  }
}

std::vector<Attachment> Membrane::attachments(const MembraneSpec& membrane) {
  std::vector<Attachment> all;
  for (const std::string& name : membrane.bodies) all.push_back({name, Vec3::Zero()});
  return all;
}

void Membrane::build_all(const MembraneSpec& spec, const Site& site,
                         std::vector<Membrane>& pieces) {
  const std::vector<Attachment> ends = attachments(spec);
  const std::size_t count = spec.closed ? ends.size() : ends.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Attachment &a = ends[i], &b = ends[(i + 1) % ends.size()];
    pieces.emplace_back(fmt::format("{}.{}", spec.name, i), site.node_of(a), site.point_of(a),
                        site.node_of(b), site.point_of(b), spec.pressure);
  }
}

Membrane::Membrane(std::string name, int a, const Vec3& at_a, int b, const Vec3& at_b,
                   double pressure)
    : name_(std::move(name)), nodes_{a, b}, arms_{at_a, at_b}, pressure_(pressure) {}

double Membrane::power(const Configuration& q, const NodalVector& v) const {
  Vec12 f;
  generalised_force(q, v, 0.0, f);
  return f.dot(of_pair(v, nodes_[0], nodes_[1]));
}

void Membrane::generalised_force(const Configuration& q, const NodalVector& /*v*/,
                                 double /*reached*/, Vec12& f) const {
  f.setZero();
  const NodeState& a = q[static_cast<std::size_t>(nodes_[0])];
  const NodeState& b = q[static_cast<std::size_t>(nodes_[1])];
  const Vec3 arm_a = a.R * arms_[0], arm_b = b.R * arms_[1];
  const Vec3 half = 0.5 * pressure_ * across(b.x + arm_b - a.x - arm_a);
  f.segment<3>(XA) = f.segment<3>(XB) = half;
  f[TA + 2] = arm_a.cross(half).z();
  f[TB + 2] = arm_b.cross(half).z();
}

void Membrane::tangent(const Configuration& q, const NodalVector& /*v*/, double /*reached*/,
                       Mat12& K, Mat12& C) const {
  K.setZero();
  C.setZero();
  const NodeState& a = q[static_cast<std::size_t>(nodes_[0])];
  const NodeState& b = q[static_cast<std::size_t>(nodes_[1])];
  const Vec3 arm_a = a.R * arms_[0], arm_b = b.R * arms_[1];
  const Vec3 half = 0.5 * pressure_ * across(b.x + arm_b - a.x - arm_a);
  // By each of x_a, y_a, angle of a, and the same of b.
  const auto add = [&](int column, const Vec3& change, const Vec3& arm_a_change,
                       const Vec3& arm_b_change) {
    const Vec3 of_half = 0.5 * pressure_ * across(change);
    K.block<3, 1>(XA, column) -= of_half;
    K.block<3, 1>(XB, column) -= of_half;
    K(TA + 2, column) -= (arm_a.cross(of_half) + arm_a_change.cross(half)).z();
    K(TB + 2, column) -= (arm_b.cross(of_half) + arm_b_change.cross(half)).z();
  };
  const Vec3 zero = Vec3::Zero();
  for (int i = 0; i < 2; ++i) {
    add(XA + i, -Vec3::Unit(i), zero, zero);
    add(XB + i, Vec3::Unit(i), zero, zero);
  }
  const Vec3 turn_a = Vec3::UnitZ().cross(arm_a), turn_b = Vec3::UnitZ().cross(arm_b);
  add(TA + 2, -turn_a, turn_a, zero);
  add(TB + 2, turn_b, zero, turn_b);
}

}  // namespace clatter
