#include "dynamics/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/LU>

namespace clatter {

System::System(const Model& model) : gravity_(model.gravity) {
  nodes_.emplace_back().name = "ground";
  centres_.emplace_back(Vec3::Zero());
  q0_.emplace_back();
  v0_ = NodalVector::Zero(6 * static_cast<Eigen::Index>(model.bodies.size() + 1));
  for (const BodySpec& body : model.bodies) add_body(body);

  weights_ = inverse_weights_ = NodalVector::Zero(nodal_size());
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    for (int i = 0; i < 6; ++i) {
      if (!nodes_[n].has(i)) continue;
      const double m = i < 3 ? nodes_[n].mass : nodes_[n].inertia(i - 3, i - 3);
      inverse_weights_[6 * static_cast<Eigen::Index>(n) + i] = std::sqrt(m);
      weights_[6 * static_cast<Eigen::Index>(n) + i] = 1.0 / std::sqrt(m);
    }
  }
  length_ = measure_length(model);

  for (const SpringSpec& spec : model.springs) {
    const int a = node_of(spec.a), b = node_of(spec.b);
    const Vec3 point_a = about_node(spec.a).point, point_b = about_node(spec.b).point;
    PairCoordinate coordinate = PairCoordinate::distance(a, point_a, b, point_b);
    if (spec.kind == SpringKind::linear) {
      coordinate = PairCoordinate::along(a, point_a, spec.axis.normalized(), b, point_b);
    } else if (spec.kind == SpringKind::torsional) {
      const Vec3 z = spec.axis.normalized();
      const Vec3 x = z.unitOrthogonal();
      coordinate =
          PairCoordinate::angle(a, x, z.cross(x), b, q0_[b].R.transpose() * (q0_[a].R * x));
    } else if (coordinate.value(q0_) < 1e-9 * length_) {
      throw Error(spec.place,
                  fmt::format("the two ends of axial spring '{}' coincide at the start, so "
                              "it has no direction; move one or use kind = \"linear\"",
                              spec.name));
    }
    const double at_start = coordinate.value(q0_);
    springs_.emplace_back(spec.name, coordinate, spec.stiffness, spec.damping,
                          spec.rest.value_or(at_start), at_start);
  }
  for (const LoadSpec& spec : model.loads) {
    loads_.emplace_back(spec.name, node_of(spec.at), about_node(spec.at).point, spec.force,
                        spec.torque, spec.axes);
  }
  for (const JointSpec& spec : model.joints) {
    JointSpec local = spec;
    local.a = about_node(spec.a);
    local.b = about_node(spec.b);
    Joint joint(local, node_of(spec.a), node_of(spec.b), nodes_, q0_);
    joint.first_row = joint_rows_;
    joint_rows_ += static_cast<int>(joint.rows().size());
    joints_.push_back(std::move(joint));
  }
  for (const ContactSpec& spec : model.contacts) {
    ContactSpec local = spec;
    local.point = about_node(spec.point);
    local.face = about_node(spec.face);
    const int face = node_of(spec.face), point = node_of(spec.point);
    for (Vec3& corner : local.outline) corner -= centres_[face];
    FaceContact contact(local, face, point, nodes_);
    Vec12 normal_row;
    contact.coordinate(0).gradient(q0_, normal_row);
    if (delassus(normal_row, face, point) == 0.0) {
      throw Error(spec.place,
                  fmt::format("contact '{}': its bodies cannot move along the normal", spec.name));
    }
    contact.first_row = contact_rows_;
    contact_rows_ += contact.rows();
    contacts_.push_back(std::move(contact));
  }
}

void System::add_body(const BodySpec& spec) {
  Node node{.name = spec.name, .mass = spec.mass};
  node.inverse_mass = 1.0 / spec.mass;
  const bool planar = spec.kind == BodyKind::planar;
  const auto give_unknown = [&](int component) { node.dof[component] = dofs_++; };
  give_unknown(0);
  give_unknown(1);
  if (!planar) give_unknown(2);
  if (spec.kind == BodyKind::rigid) {
    node.rotates_in_space = true;
    node.inertia = spec.inertia;
    node.inverse_inertia = spec.inertia.inverse();
    for (int i = 3; i < 6; ++i) give_unknown(i);
  } else if (planar) {
    node.inertia(2, 2) = spec.inertia(2, 2);
    node.inverse_inertia(2, 2) = 1.0 / spec.inertia(2, 2);
    give_unknown(5);
  }
  total_mass_ += spec.mass;

  NodeState state;
  if (planar) {
    state.angle = spec.angle;
    state.R = Eigen::AngleAxisd(spec.angle, Vec3::UnitZ()).toRotationMatrix();
    state.p = Quaternion(std::cos(0.5 * spec.angle), 0.0, 0.0, std::sin(0.5 * spec.angle));
  } else if (spec.kind == BodyKind::rigid) {
    state.p = spec.orientation.normalized();
    state.R = state.p.toRotationMatrix();
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
  v0_.segment<6>(6 * static_cast<Eigen::Index>(nodes_.size())) = velocity;
  nodes_.push_back(node);
  centres_.push_back(spec.centre_of_mass);
  q0_.push_back(state);
}

int System::node_of(const Attachment& attachment) const {
  if (attachment.body.empty()) return ground;
  const auto found = std::find_if(nodes_.begin() + 1, nodes_.end(),
                                  [&](const Node& node) { return node.name == attachment.body; });
  if (found == nodes_.end()) throw Error(fmt::format("there is no body '{}'", attachment.body));
  return static_cast<int>(found - nodes_.begin());
}

Attachment System::about_node(const Attachment& attachment) const {
  return {attachment.body, attachment.point - centres_[node_of(attachment)]};
}

double System::measure_length(const Model& model) const {
  Eigen::AlignedBox3d box;
  const auto include = [&](const Attachment& attachment) {
    const NodeState& state = q0_[node_of(attachment)];
    box.extend(Vec3(state.x + state.R * about_node(attachment).point));
  };
  for (std::size_t n = 1; n < nodes_.size(); ++n) box.extend(q0_[n].x);
  for (const SpringSpec& s : model.springs) include(s.a), include(s.b);
  for (const LoadSpec& s : model.loads) include(s.at);
  for (const JointSpec& s : model.joints) include(s.a), include(s.b);
  for (const ContactSpec& s : model.contacts) include(s.point), include(s.face);
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

void System::set_time(double t, double spacing) {
  for (Load& load : loads_) load.set_time(t);
  for (Joint& joint : joints_) joint.set_time(t, spacing);
}

void System::remember(const Configuration& q) {
  for (Spring& spring : springs_) spring.remember(q);
  for (Joint& joint : joints_) joint.remember(q);
}

double System::forces(const Configuration& q, const NodalVector& v, NodalVector& f) const {
  double terms = 0.0;
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const auto i = static_cast<int>(n);
    Vec6 own = Vec6::Zero();
    own.head<3>() = node.mass * gravity_;
    if (node.rotates_in_space) {
      const Vec3 spin = of_node(v, i).tail<3>();
      own.tail<3>() = -spin.cross(node.inertia * spin);
    }
    of_node(f, i) = own;
    terms += of_node(weights_, i).cwiseProduct(own).norm();
  }
  of_node(f, ground).setZero();
  Spring::Force spring_force;
  for (const Spring& spring : springs_) {
    spring.force(q, v, spring_force);
    of_node(f, spring.a()) += spring_force.generalised.head<6>();
    of_node(f, spring.b()) += spring_force.generalised.tail<6>();
    terms += of_node(weights_, spring.a()).cwiseProduct(spring_force.generalised.head<6>()).norm() +
             of_node(weights_, spring.b()).cwiseProduct(spring_force.generalised.tail<6>()).norm();
  }
  for (const Load& load : loads_) {
    const Vec6 given = load.generalised(q[load.node()]);
    of_node(f, load.node()) += given;
    terms += of_node(weights_, load.node()).cwiseProduct(given).norm();
  }
  return terms;
}

void System::apply_mass(const NodalVector& v, NodalVector& out) const {
  of_node(out, ground).setZero();
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    const auto i = static_cast<int>(n);
    of_node(out, i).head<3>() = nodes_[n].mass * of_node(v, i).head<3>();
    of_node(out, i).tail<3>().noalias() = nodes_[n].inertia * of_node(v, i).tail<3>();
  }
}

void System::keep_unknowns(NodalVector& v) const { v = (weights_.array() > 0.0).select(v, 0.0); }

double System::delassus(const Vec12& g, int a, int b) const {
  double sum = 0.0;
  for (const auto& [node_index, offset] : {std::pair(a, 0), std::pair(b, 6)}) {
    const Node& node = nodes_[node_index];
    for (int i = 0; i < 3; ++i) {
      if (node.has(i)) sum += node.inverse_mass * g[offset + i] * g[offset + i];
    }
    const Vec3 rotation = g.segment<3>(offset + 3);
    sum += rotation.dot(node.inverse_inertia * rotation);
  }
  return sum;
}

double System::kinetic_energy(const NodalVector& v) const {
  double energy = 0.0;
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    const Vec6 u = of_node(v, static_cast<int>(n));
    energy += 0.5 * nodes_[n].mass * u.head<3>().squaredNorm() +
              0.5 * u.tail<3>().dot(nodes_[n].inertia * u.tail<3>());
  }
  return energy;
}

double System::gravity_energy(const Configuration& q) const {
  double energy = 0.0;
  for (std::size_t n = 1; n < nodes_.size(); ++n) energy -= nodes_[n].mass * gravity_.dot(q[n].x);
  return energy;
}

double System::elastic_energy(const Configuration& q) const {
  double energy = 0.0;
  for (const Spring& spring : springs_) energy += spring.energy(q);
  return energy;
}

Vec6 System::momentum(const Configuration& q, const NodalVector& v) const {
  Vec6 sum = Vec6::Zero();
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    const Vec6 u = of_node(v, static_cast<int>(n));
    const Vec3 linear = nodes_[n].mass * u.head<3>();
    sum.head<3>() += linear;
    sum.tail<3>() += q[n].x.cross(linear) + q[n].R * (nodes_[n].inertia * u.tail<3>());
  }
  return sum;
}

double System::load_power(const Configuration& q, const NodalVector& v) const {
  double power = 0.0;
  for (const Load& load : loads_) {
    power += load.generalised(q[load.node()]).dot(of_node(v, load.node()));
  }
  return power;
}

double System::damper_power(const Configuration& q, const NodalVector& v) const {
  double power = 0.0;
  for (const Spring& spring : springs_) power += spring.dissipated_power(q, v);
  return power;
}

}  // namespace clatter
