#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/machine/machine.hpp>

// What joints, couplers and ropes oppose to motion: rows of a contact and what presses them.

namespace clatter {
namespace {

using OfJoints = JointContactSpec::Kind;
using NormalOfJoints = JointContact::Normal;
using RowTerm = JointContact::Term;

}  // namespace

std::vector<RowTerm> Machine::terms_of(const CoupledJoints& of, const CouplerSpec& spec,
                                       double factor) const {
  std::vector<RowTerm> terms;
  for (std::size_t i = 0; i < of.joints.size(); ++i) {
    terms.push_back({*joints_[of.joints[i]].free_coordinate(), factor * spec.ratios[i],
                     force_element_count() + of.joints[i]});
  }
  return terms;
}

JointContact Machine::friction_of(const JointContactSpec& spec, const Model& model) const {
  const std::string& name = spec.coupler.joints.front();
  const auto found = std::find_if(model.joints.begin(), model.joints.end(),
                                  [&](const JointSpec& joint) { return joint.name == name; });
  if (found == model.joints.end()) {
    throw Error(spec.coupler.place, fmt::format("there is no joint '{}'", name));
  }
  const JointSpec& joint = *found;
  const int a = node_of(joint.a), b = node_of(joint.b);
  const bool planar =
      Contact::is_planar(nodes_[static_cast<std::size_t>(a)], nodes_[static_cast<std::size_t>(b)]);
  const auto turn = [&](const Vec3& axis, bool in_b = false, double factor = 1.0) {
    return std::vector<RowTerm>{{PairSlip::of_turn(a, b, axis, in_b), factor}};
  };
  const auto slide = [&] {
    return std::vector<RowTerm>{{PairCoordinate::along(
        a, about_node(joint.a).point, joint.axes_a.col(2), b, about_node(joint.b).point)}};
  };
  std::vector<JointContact::Block> blocks;
  switch (joint.kind) {
    case JointKind::revolute:
      blocks = {{FrictionKind::drilling, 1.0, {turn(joint.axes_a.col(2))}}};
      break;
    case JointKind::prismatic:
      blocks = {{FrictionKind::sliding, 1.0, {slide()}}};
      break;
    case JointKind::cylindrical:  // what its surface does: both at once
      blocks = {{FrictionKind::sliding,
                 1.0,
                 {slide(), turn(joint.axes_a.col(2), false, spec.shaft_radius)}}};
      break;
    case JointKind::ball:
      if (planar) {
        blocks = {{FrictionKind::drilling, 1.0, {turn(Vec3::UnitZ())}}};
      } else {
        blocks = {{FrictionKind::rolling,
                   1.0,
                   {turn(Vec3::UnitX()), turn(Vec3::UnitY()), turn(Vec3::UnitZ())}}};
      }
      break;
    case JointKind::universal:
      blocks = {{FrictionKind::drilling, 1.0, {turn(joint.axes_a.col(2))}},
                {FrictionKind::rolling, 1.0, {turn(joint.axes_b.col(0), true)}}};
      break;
    default:
      throw Error(spec.coupler.place,
                  fmt::format("a {} joint has no friction", to_string(joint.kind)));
  }
  return {NormalOfJoints::is_given, 0.0, {}, std::move(blocks)};
}

JointContact Machine::rope_of(const ContactSpec& spec) const {
  const JointContactSpec& rope = *spec.of_joints;
  std::vector<RowTerm> terms, slip;
  double fixed = 0.0, now = 0.0;
  std::vector<Vec3> directions;
  for (std::size_t k = 0; k + 1 < rope.through.size(); ++k) {
    const Attachment &from = rope.through[k], &to = rope.through[k + 1];
    const int a = node_of(from), b = node_of(to);
    const Vec3 way = site().in_space(to) - site().in_space(from);
    const double length = way.norm();
    directions.push_back(way.normalized());
    if (a == b) {
      fixed += length;
      continue;
    }
    if (length < 1e-9 * length_) {
      throw Error(spec.place, fmt::format("two points of rope '{}' that follow each other coincide "
                                          "at the start, so that it has no direction there",
                                          rope.coupler.name));
    }
    now += length;
    const PairCoordinate distance =
        PairCoordinate::distance(a, about_node(from).point, b, about_node(to).point);
    terms.push_back({distance, -1.0});
    if (rope.drum) slip.push_back({distance, k < *rope.drum ? -0.5 : 0.5});
  }
  if (terms.empty()) {
    throw Error(spec.place, fmt::format("rope '{}' is between points of one body", spec.name));
  }
  const double free = rope.rope_length.value_or(now + fixed) - fixed;
  std::vector<JointContact::Block> blocks;
  if (rope.drum) {
    // T_1 = N + r/2, T_2 = N - r/2 have at most the ratio exp(mu angle) when
    // |r| <= 2 tanh(mu angle/2) N.
    const double cosine =
        std::clamp(directions[*rope.drum - 1].dot(directions[*rope.drum]), -1.0, 1.0);
    const double angle = rope.drum_angle.value_or(std::acos(cosine));
    blocks = {{FrictionKind::sliding, 2.0 * std::tanh(0.5 * rope.drum_friction * angle), {slip}}};
  }
  return {NormalOfJoints::stop, free, std::move(terms), std::move(blocks)};
}

void Machine::add_joint_contact(const ContactSpec& spec, const Model& model) {
  const JointContactSpec& of = *spec.of_joints;
  const CouplerSpec& coupler = of.coupler;
  const auto rows = [&]() -> JointContact {
    switch (of.kind) {
      case OfJoints::friction:
        return friction_of(of, model);
      case OfJoints::rope:
        return rope_of(spec);
      case OfJoints::clutch: {
        std::vector<RowTerm> sum = terms_of(joints_of(coupler, 1), coupler, 1.0);
        const bool turns = joints_[joints_of(coupler, 1).joints.front()].coordinate_is_angle();
        const FrictionKind kind = turns ? FrictionKind::drilling : FrictionKind::sliding;
        return {NormalOfJoints::is_given, 0.0, {}, {{kind, 1.0, {std::move(sum)}}}};
      }
      case OfJoints::one_way:
        return {NormalOfJoints::ratchet, 0.0, terms_of(joints_of(coupler, 1), coupler, 1.0)};
      default: {
        const CoupledJoints joints = joints_of(coupler, of.kind == OfJoints::limit ? 1 : 2);
        return JointContact::stop(of, terms_of(joints, coupler, 1.0),
                                  coupler.offset.value_or(joints.sum));
      }
    }
  }();
  Contact contact(spec, rows, rows.nodes()[0], rows.nodes()[1], nodes_);
  contact.first_row = own_contacts_.empty() ? 0 : own_contacts_.back().end_row();
  own_contacts_.push_back(std::move(contact));
  has_stops_ = true;
  if (rows.normal() == NormalOfJoints::is_given) press(spec, model);
}

void Machine::press(const ContactSpec& spec, const Model& model) {
  const JointContactSpec& of = *spec.of_joints;
  const Site at = site();
  JointFriction friction{own_contacts_.size() - 1,
                         DriveFormula(of.pressure, {at, joints_, signals_, spec.place})};
  if (of.kind == OfJoints::friction && of.coefficient > 0.0) {
    const std::string& name = of.coupler.joints.front();
    const auto joint = std::find_if(joints_.begin(), joints_.end(), [&](const Joint& each) {
      return each.name() == name && !each.rows().front().is_term();
    });
    const auto described = std::find_if(model.joints.begin(), model.joints.end(),
                                        [&](const JointSpec& each) { return each.name == name; });
    const bool slides =
        described->kind == JointKind::prismatic || described->kind == JointKind::cylindrical;
    friction.joint = static_cast<std::size_t>(joint - joints_.begin());
    friction.by_force = of.coefficient * (slides ? 1.0 : of.shaft_radius);
    friction.by_torque = of.length ? 2.0 * of.coefficient / *of.length : 0.0;
    has_pressing_joints_ = true;
  }
  joint_frictions_.push_back(std::move(friction));
}

}  // namespace clatter
