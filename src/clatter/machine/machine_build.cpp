#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/LU>
#include <fmt/format.h>

#include <clatter/machine/contact_stiffness.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/model/beam_mesh.hpp>

// How a machine is built from a model.

namespace clatter {
namespace {

// Marks what a kind of node can do; the numbers of the unknowns come later.
constexpr std::array<int, 6> point_unknowns{0, 0, 0, -1, -1, -1};
constexpr std::array<int, 6> spatial_unknowns{0, 0, 0, 0, 0, 0};
constexpr std::array<int, 6> planar_unknowns{0, 0, -1, -1, -1, 0};

void turn_in_plane(double angle, NodeState& state) {
  state.angle = angle;
  state.R = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
  state.p = Quaternion(std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle));
}

/// Of a beam: all but the length and the frames of its elements.
BeamProperties section_properties(const BeamSpec& spec) {
  const BeamSection& section = spec.section;
  BeamProperties p;
  p.stiffness << spec.youngs_modulus * section.area,
      spec.shear_modulus * section.shear_y * section.area,
      spec.shear_modulus * section.shear_z * section.area, spec.shear_modulus * section.J,
      spec.youngs_modulus * section.I_y, spec.youngs_modulus * section.I_z;
  if (spec.planar) p.stiffness.segment<3>(2).setZero();  // out of the plane nothing can happen
  p.unstressed_curvature = spec.unstressed_curvature.value_or(spec.curvature);
  p.line_mass = spec.density * section.area;
  p.line_inertia = spec.density * Vec3(section.I_y + section.I_z, section.I_y, section.I_z);
  if (spec.planar) p.line_inertia.head<2>().setZero();
  p.mass_damping = spec.mass_damping;
  p.stiffness_damping = spec.stiffness_damping;
  p.lumped_mass = spec.lumped_mass;
  p.planar = spec.planar;
  return p;
}

/// The ground, bodies and beams one after the other.
std::vector<int> parts_of_nodes(const std::vector<Beam>& beams, std::size_t bodies,
                                std::size_t nodes) {
  std::vector<int> parts(nodes, 0);
  for (std::size_t n = 0; n <= bodies; ++n) parts[n] = static_cast<int>(n);
  for (std::size_t b = 0; b < beams.size(); ++b) {
    const auto first = parts.begin() + beams[b].first_node;
    std::fill(first, first + beams[b].nodes, static_cast<int>(bodies + 1 + b));
  }
  return parts;
}

}  // namespace

Machine::Machine(const Model& model) : gravity_(model.gravity) {
  nodes_.emplace_back().name = "ground";
  centres_.emplace_back(Vec3::Zero());
  q0_.emplace_back();
  v0_ = NodalVector::Zero(6);
  for (const BodySpec& body : model.bodies) add_body(body);
  for (const BeamSpec& beam : model.beams) add_beam(beam);
  set_weights();
  length_ = measure_length(model);
  measure_beam_noise();

  const auto build_all = [&](bool driven) {
    ForceKinds::for_each([&]<class Kind>() {
      if (is_driven<Kind> != driven) return;
      auto& elements = std::get<std::vector<Kind>>(force_elements_);
      for (const auto& spec : model.*Kind::list) {
        if constexpr (is_driven<Kind>) {
          elements.push_back(Kind::build(spec, {site(), joints_, signals_, spec.place}));
        } else {
          elements.push_back(Kind::build(spec, site()));
        }
      }
    });
  };
  build_all(false);
  for (const LoadSpec& spec : model.loads) {
    loads_.emplace_back(spec.name, node_of(spec.at), about_node(spec.at).point, spec.force,
                        spec.torque, spec.axes);
  }
  for (std::size_t b = 0; b < beams_.size(); ++b) add_line_load(model.beams[b], beams_[b]);
  for (const JointSpec& spec : model.joints) add_joint(spec);
  for (const CouplerSpec& spec : model.couplers) add_coupler(spec);
  // What depends on joints and on each other.
  const double step = model.integrator.step;
  for (const SensorSpec& spec : model.sensors) signals_.add(spec, site(), joints_, step);
  for (const ControllerSpec& spec : model.controllers) signals_.add(spec, site(), joints_, step);
  build_all(true);
  extents_.assign(nodes_.size(), 0.0);
  for (const ContactSpec& spec : model.contacts) add_contact(spec, model);
  for (const ContactGroupSpec& spec : model.contact_groups) add_group(spec, model);
  watched_pairs_ = WatchedPairs(model, parts_of_nodes(beams_, model.bodies.size(), nodes_.size()));
  add_solids(model);
}

void Machine::set_weights() {
  weights_ = inverse_weights_ = NodalVector::Zero(nodal_size());
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    for (int i = 0; i < 6; ++i) {
      if (!nodes_[n].has(i)) continue;
      const double m = i < 3 ? nodes_[n].mass : nodes_[n].inertia(i - 3, i - 3);  // lumped
      inverse_weights_[6 * static_cast<Eigen::Index>(n) + i] = std::sqrt(m);
      weights_[6 * static_cast<Eigen::Index>(n) + i] = 1.0 / std::sqrt(m);
    }
  }
}

void Machine::measure_beam_noise() {
  for (const BeamElement& element : beam_elements_) {
    Vec12 both;
    both << element.stiffest_force(), element.stiffest_force();
    beam_noise_ += of_pair(weights_, element.a(), element.b()).cwiseProduct(both).squaredNorm();
  }
  beam_noise_ = std::sqrt(beam_noise_);
}

void Machine::add_joint(const JointSpec& spec) {
  JointSpec local = spec;
  local.a = about_node(spec.a);
  local.b = about_node(spec.b);
  Joint joint(local, node_of(spec.a), node_of(spec.b), nodes_, q0_);
  joint.first_row = joint_rows_;
  joint_rows_ += static_cast<int>(joint.rows().size());
  joints_.push_back(std::move(joint));
}

Machine::CoupledJoints Machine::joints_of(const CouplerSpec& spec, std::size_t fewest) const {
  if (spec.joints.size() < fewest || spec.ratios.size() != spec.joints.size()) {
    throw Error(spec.place, fmt::format("coupler '{}' needs {} or more, and a ratio for each",
                                        spec.name, fewest == 1 ? "a joint" : "two joints"));
  }
  CoupledJoints found;
  for (std::size_t i = 0; i < spec.joints.size(); ++i) {
    const auto of = std::find_if(joints_.begin(), joints_.end(), [&](const Joint& joint) {
      return joint.name() == spec.joints[i] && !joint.rows().front().is_term();
    });
    if (of == joints_.end()) {
      throw Error(spec.place, fmt::format("there is no joint '{}'", spec.joints[i]));
    }
    if (!of->has_coordinate()) {
      throw Error(
          spec.place,
          fmt::format("joint '{}' has no coordinate that coupler '{}' could hold; "
                      "{} joints have",
                      of->name(), spec.name, names_of_joints(has_free_coordinate, "", "and")));
    }
    found.joints.push_back(static_cast<std::size_t>(of - joints_.begin()));
    found.sum += spec.ratios[i] * of->coordinate_at_start(q0_);
  }
  return found;
}

void Machine::add_coupler(const CouplerSpec& spec) {
  const CoupledJoints of = joints_of(spec);
  std::vector<Joint> terms;
  for (std::size_t i = 0; i < of.joints.size(); ++i) {
    const bool last = i + 1 == of.joints.size();
    terms.emplace_back(spec, i, joints_[of.joints[i]], last ? spec.offset.value_or(of.sum) : 0.0);
    terms.back().first_row = joint_rows_;
  }
  ++joint_rows_;
  for (Joint& term : terms) joints_.push_back(std::move(term));
}

void Machine::add_contact(const ContactSpec& spec, const Model& model) {
  if (spec.of_joints) return add_joint_contact(spec, model);
  ContactSpec local = spec;
  if (local.compliance) {
    is_compliant_ = true;
    complete(*local.compliance, elasticities_of(model, *spec.compliance), spec);
  }
  local.point = about_node(spec.point);
  local.face = about_node(spec.face);
  const int face = node_of(spec.face), point = node_of(spec.point);
  for (Vec3& corner : local.outline) corner -= centres_[face];
  Contact contact(local, face, point, nodes_);
  PairRows rows(contact.rows(), 12);
  contact.rates(q0_, contact.frame(q0_, Vec3::Zero()), rows);
  if (delassus(rows.row(0).transpose(), face, point) == 0.0) {
    throw Error(spec.place,
                fmt::format("contact '{}': its bodies cannot move along the normal", spec.name));
  }
  extents_[point] = std::max(extents_[point], local.point.point.norm());
  const double extent = contact.extent_a();
  extents_[face] = std::max(extents_[face], std::isfinite(extent) ? extent : length_);
  contact.first_row = own_contacts_.empty() ? 0 : own_contacts_.back().end_row();
  own_contacts_.push_back(std::move(contact));
}

void Machine::add_group(const ContactGroupSpec& spec, const Model& model) {
  ContactGroup group{spec.contact, node_of(spec.contact.face), {}, {}, spec.among_themselves, {}};
  if (spec.contact.compliance) {
    is_compliant_ = true;
    group.materials = elasticities_of(model, *spec.contact.compliance);
  }
  group.contact.face = about_node(spec.contact.face);
  const auto add = [&](const std::vector<ContactGroupSpec::Sphere>& from,
                       std::vector<ContactGroup::Sphere>& to) {
    for (const ContactGroupSpec::Sphere& sphere : from) {
      const Vec3 centre = about_node(sphere.centre).point;
      const int node = node_of(sphere.centre);
      to.push_back({node, centre, sphere.radius});
      extents_[node] = std::max(extents_[node], centre.norm());
    }
  };
  add(spec.spheres, group.spheres);
  add(spec.partners, group.partners);
  if (group.partners.empty()) extents_[group.face_node] = length_;
  groups_.push_back(std::move(group));
}

Contact Machine::contact_of(const ContactKey& key) const {
  if (key.group == group_of_solids()) return contact_of_solids(key);
  const ContactGroup& group = groups_[static_cast<std::size_t>(key.group)];
  const ContactGroup::Sphere& sphere = group.spheres[static_cast<std::size_t>(key.sphere)];
  ContactSpec spec = group.contact;
  spec.point.point = sphere.centre;
  spec.radius = sphere.radius;
  int face_node = group.face_node;
  if (!group.partners.empty()) {
    const ContactGroup::Sphere& partner = group.partners[static_cast<std::size_t>(key.partner)];
    spec.face.point = partner.centre;
    spec.face_radius = partner.radius;
    face_node = partner.node;
  }
  if (spec.compliance) {
    complete(*spec.compliance, group.materials, spec);
  }
  Contact contact(spec, face_node, sphere.node, nodes_);
  contact.group = key.group;
  return contact;
}

int Machine::add_node(Node node, const NodeState& state, const Vec6& velocity) {
  for (int i = 0; i < 6; ++i) {
    if (node.has(i)) node.dof[i] = dofs_++;
  }
  node.inverse_mass = 1.0 / node.mass;
  if (node.rotates_in_space) {
    node.inverse_inertia = node.inertia.inverse();
  } else if (node.has(5)) {
    node.inverse_inertia(2, 2) = 1.0 / node.inertia(2, 2);
  }
  total_mass_ += node.mass;
  const auto index = static_cast<int>(nodes_.size());
  node_by_name_.emplace(node.name, index);
  nodes_.push_back(std::move(node));
  q0_.push_back(state);
  v0_.conservativeResize(v0_.size() + 6);
  v0_.tail<6>() = velocity;
  return index;
}

void Machine::add_body(const BodySpec& spec) {
  Node node{.name = spec.name, .mass = spec.mass};
  NodeState state;
  switch (spec.kind) {
    case BodyKind::point:
      node.dof = point_unknowns;
      break;
    case BodyKind::rigid:
      node.dof = spatial_unknowns;
      node.rotates_in_space = true;
      node.inertia = 0.5 * (spec.inertia + spec.inertia.transpose());
      state.p = spec.orientation.normalized();
      state.R = state.p.toRotationMatrix();
      break;
    case BodyKind::planar:
      node.dof = planar_unknowns;
      node.inertia(2, 2) = spec.inertia(2, 2);
      turn_in_plane(spec.angle, state);
      break;
  }
  const Vec3 centre = state.R * spec.centre_of_mass;
  state.x = spec.position + centre;
  Vec6 velocity;
  velocity << spec.velocity, spec.angular_velocity;
  for (int i = 0; i < 6; ++i) {
    if (!node.has(i)) velocity[i] = 0.0;  // what the body cannot do
  }
  const Vec3 spin = state.R * velocity.tail<3>();
  velocity.head<3>() += spin.cross(centre);
  add_node(std::move(node), state, velocity);
  centres_.push_back(spec.centre_of_mass);
}

/// Half of the mass of each element is lumped at either node; what the consistent mass matrix has
/// besides is the element's.
void Machine::add_beam(const BeamSpec& spec) {
  const BeamMesh mesh = mesh_of(spec);
  BeamProperties p = section_properties(spec);
  const auto first_node = static_cast<int>(nodes_.size());
  const auto first_element = static_cast<int>(beam_elements_.size());
  std::vector<Node> nodes(mesh.nodes.size());
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    const BeamMesh::Element& element = mesh.elements[e];
    p.length = element.length;
    p.frame_a = element.frame_a;
    p.frame_b = element.frame_b;
    const auto a = first_node + static_cast<int>(e);
    beam_elements_.emplace_back(a, a + 1, p);
    const double half = 0.5 * element.length;
    for (const auto& [node, frame] :
         {std::pair(&nodes[e], &p.frame_a), std::pair(&nodes[e + 1], &p.frame_b)}) {
      node->mass += half * p.line_mass;
      node->inertia += half * *frame * p.line_inertia.asDiagonal() * frame->transpose();
    }
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    nodes[n].name = beam_node_name(spec, static_cast<int>(n));
    nodes[n].rotates_in_space = !spec.planar;
    nodes[n].dof = spec.planar ? planar_unknowns : spatial_unknowns;
    NodeState state;
    if (spec.planar) {
      const Mat3& R = mesh.nodes[n].orientation;
      turn_in_plane(std::atan2(R(1, 0), R(0, 0)), state);
      if (n > 0) {  // no jump of a turn along the beam
        constexpr double turn = 2.0 * std::numbers::pi;
        state.angle += turn * std::round((q0_.back().angle - state.angle) / turn);
      }
    } else {
      state.p = Quaternion(mesh.nodes[n].orientation).normalized();
      state.R = state.p.toRotationMatrix();
    }
    state.x = mesh.nodes[n].position;
    Vec6 velocity;
    velocity << spec.velocity + spec.angular_velocity.cross(state.x - mesh.nodes[0].position),
        state.R.transpose() * spec.angular_velocity;
    add_node(std::move(nodes[n]), state, velocity);
    centres_.emplace_back(Vec3::Zero());
  }
  node_by_name_.emplace(spec.name + ".start", first_node);
  node_by_name_.emplace(spec.name + ".end", static_cast<int>(nodes_.size()) - 1);
  beams_.push_back({spec.name, spec.planar, first_node, static_cast<int>(mesh.nodes.size()),
                    first_element, static_cast<int>(mesh.elements.size()), spec.place});
}

void Machine::add_line_load(const BeamSpec& spec, const Beam& beam) {
  const auto is_zero = [](const Expression& e) { return e.is_constant() && e(0.0) == 0.0; };
  if (std::all_of(spec.line_force.begin(), spec.line_force.end(), is_zero) &&
      std::all_of(spec.line_torque.begin(), spec.line_torque.end(), is_zero))
    return;
  for (int e = 0; e < beam.elements; ++e) {
    const BeamElement& element = beam_elements_[beam.first_element + e];
    const BeamProperties& p = element.properties();
    for (const auto& [node, frame] :
         {std::pair(element.a(), &p.frame_a), std::pair(element.b(), &p.frame_b)}) {
      Load load(fmt::format("{}.{}", spec.name, e + 1), node, Vec3::Zero(), spec.line_force,
                spec.line_torque, spec.line_axes);
      load.set_share(0.5 * p.length, *frame);
      loads_.push_back(std::move(load));
    }
  }
}

double Machine::measure_length(const Model& model) const {
  Eigen::AlignedBox3d box;
  const auto include = [&](const Attachment& attachment) {
    box.extend(site().in_space(attachment));
  };
  for (std::size_t n = 1; n < nodes_.size(); ++n) box.extend(q0_[n].x);
  ForceKinds::for_each([&]<class Kind>() {
    for (const auto& spec : model.*Kind::list) {
      for (const Attachment& attachment : Kind::attachments(spec)) include(attachment);
    }
  });
  for (const LoadSpec& s : model.loads) include(s.at);
  for (const JointSpec& s : model.joints) include(s.a), include(s.b);
  for (const ContactSpec& s : model.contacts) {
    if (!s.of_joints) {
      include(s.point), include(s.face);
    } else {
      for (const Attachment& at : s.of_joints->through) include(at);
    }
  }
  double length = box.isEmpty() ? 0.0 : box.diagonal().norm();
  // Radii of gyration stand for the size of a body on its own.
  for (const Node& node : nodes_) {
    if (node.mass > 0.0) length = std::max(length, std::sqrt(node.inertia.trace() / node.mass));
  }
  if (length > 0.0) return length;
  // Points alone in space: the way they will go.
  const double duration = model.integrator.duration;
  length = 0.5 * gravity_.norm() * duration * duration;
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    length = std::max(length, v0_.segment<3>(6 * static_cast<Eigen::Index>(n)).norm() * duration);
  }
  return length > 0.0 ? length : 1.0;
}

}  // namespace clatter
