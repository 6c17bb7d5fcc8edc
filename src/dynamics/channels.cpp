#include "dynamics/channels.hpp"

#include <algorithm>
#include <utility>

namespace clatter {
namespace {

void put(double* out, const Vec3& v, std::size_t count = 3) { std::copy_n(v.data(), count, out); }

}  // namespace

ChannelList::ChannelList(const Model& model, const System& system, const Nsga& nsga,
                         const Books& books)
    : system_(system), nsga_(nsga), books_(books) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) list_body(model.bodies[b], b + 1);
  for (const Spring& spring : system_.springs()) list_spring(spring);
  for (std::size_t j = 0; j < system_.joints().size(); ++j) list_joint(j);
  for (std::size_t c = 0; c < system_.contacts().size(); ++c) list_contact(c);
  list_momentum();
  list_energy();
  list_counters();
}

void ChannelList::list_body(const BodySpec& body, std::size_t n) {
  const auto node = static_cast<int>(n);
  const std::string path = "bodies/" + body.name;
  const bool planar = body.kind == BodyKind::planar;
  const std::vector<std::string> axes =
      planar ? std::vector<std::string>{"x", "y"} : std::vector<std::string>{"x", "y", "z"};
  const std::size_t count = axes.size();
  add(path + "/position", axes, "m", [this, n, node, count](double* out) {
    const NodeState& state = nsga_.q()[n];
    put(out, state.x - state.R * system_.centre_of_mass(node), count);
  });
  if (planar) {
    add(path + "/angle", {""}, "rad", [this, n](double* out) { *out = nsga_.q()[n].angle; });
  } else if (body.kind == BodyKind::rigid) {
    add(path + "/orientation", {"w", "x", "y", "z"}, "", [this, n](double* out) {
      const Quaternion& p = nsga_.q()[n].p;
      out[0] = p.w();
      put(out + 1, p.vec());
    });
  }
  add(path + "/velocity", axes, "m/s", [this, n, node, count](double* out) {
    const NodeState& state = nsga_.q()[n];
    const Vec6 v = of_node(nsga_.v(), node);
    const Vec3 spin = state.R * v.tail<3>();
    put(out, v.head<3>() - spin.cross(state.R * system_.centre_of_mass(node)), count);
  });
  if (planar) {
    add(path + "/angular_velocity", {""}, "rad/s",
        [this, node](double* out) { *out = of_node(nsga_.v(), node)[5]; });
  } else if (body.kind == BodyKind::rigid) {
    add(path + "/angular_velocity", axes, "rad/s",
        [this, node](double* out) { put(out, of_node(nsga_.v(), node).tail<3>()); });
  }
}

void ChannelList::list_spring(const Spring& spring) {
  const std::string path = "springs/" + spring.name();
  add(path + "/coordinate", {""}, "m or rad",
      [this, &spring](double* out) { *out = spring.coordinate(nsga_.q()); });
  add(path + "/tension", {""}, "N or N m", [this, &spring](double* out) {
    Spring::Force force;
    spring.force(nsga_.q(), nsga_.v(), force);
    *out = force.tension;
  });
}

ChannelList::JointMultipliers ChannelList::of_joint(const VecX& all, std::size_t j) const {
  return all.segment(system_.joints()[j].first_row, nsga_.joint_rows(static_cast<int>(j)).rows());
}

ChannelList::JointMultipliers ChannelList::mean_force(std::size_t j) const {
  JointMultipliers force = of_joint(nsga_.joint_forces(), j);
  if (!nsga_.is_struck(static_cast<int>(j)) && books_.last_step_size > 0.0)
    force += of_joint(nsga_.joint_impulses(), j) / books_.last_step_size;
  return force;
}

void ChannelList::joint_reaction(std::size_t j, const JointMultipliers& multipliers, Vec3& force,
                                 Vec3& torque) const {
  const KktMatrix::Rows& rows = nsga_.joint_rows(static_cast<int>(j));
  const Vec6 on_b = rows.rightCols<6>().transpose() * multipliers;
  system_.joints()[j].reaction(on_b, nsga_.q(), force, torque);
}

void ChannelList::list_joint(std::size_t j) {
  const Joint& joint = system_.joints()[j];
  const std::string path = "joints/" + joint.name();
  const std::vector<std::string> axes{"x", "y", "z"};
  add(path + "/force", axes, "N", [this, j](double* out) {
    Vec3 force, torque;
    joint_reaction(j, mean_force(j), force, torque);
    put(out, force);
  });
  add(path + "/torque", axes, "N m", [this, j](double* out) {
    Vec3 force, torque;
    joint_reaction(j, mean_force(j), force, torque);
    put(out, torque);
  });
  add(path + "/impulse", axes, "N s", [this, j](double* out) {
    Vec3 force, torque;
    joint_reaction(j, of_joint(books_.interval_joint_impulse, j), force, torque);
    put(out, force);
  });
  if (joint.has_coordinate()) {
    add(path + "/coordinate", {""}, joint.coordinate_is_angle() ? "rad" : "m",
        [this, &joint](double* out) { *out = joint.coordinate(nsga_.q()); });
  }
}

void ChannelList::list_contact(std::size_t c) {
  const FaceContact& contact = system_.contacts()[c];
  const std::string path = "contacts/" + contact.name();
  std::vector<std::string> slip{"1", "2"};
  slip.resize(static_cast<std::size_t>(contact.tangential_rows()));
  const auto state = [this, c]() -> const ContactState& { return nsga_.contacts()[c]; };
  const auto tail = [](double* out, const RowVector& v, double factor) {
    for (Eigen::Index i = 1; i < v.size(); ++i) out[i - 1] = factor * v[i];
  };
  const auto force_factor = [this, state] {
    return state().persistent && books_.last_step_size > 0.0 ? 1.0 / books_.last_step_size : 0.0;
  };
  add(path + "/gap", {""}, "m", [state](double* out) { *out = state().gap; });
  add(path + "/normal_velocity", {""}, "m/s", [state](double* out) { *out = state().rate[0]; });
  add(path + "/status", {""}, "",
      [state](double* out) { *out = static_cast<double>(state().status); });
  add(path + "/normal_impulse", {""}, "N s",
      [this, c](double* out) { *out = books_.interval_impulses[c][0]; });
  add(path + "/normal_force", {""}, "N",
      [state, force_factor](double* out) { *out = force_factor() * state().impulse[0]; });
  if (slip.empty()) return;
  add(path + "/slip_velocity", slip, "m/s",
      [state, tail](double* out) { tail(out, state().rate, 1.0); });
  add(path + "/tangential_impulse", slip, "N s",
      [this, c, tail](double* out) { tail(out, books_.interval_impulses[c], 1.0); });
  add(path + "/tangential_force", slip, "N",
      [state, tail, force_factor](double* out) { tail(out, state().impulse, force_factor()); });
}

void ChannelList::list_momentum() {
  const std::vector<std::string> axes{"x", "y", "z"};
  add("system/linear_momentum", axes, "kg m/s",
      [this](double* out) { put(out, system_.momentum(nsga_.q(), nsga_.v()).head<3>()); });
  add("system/angular_momentum", axes, "kg m2/s",
      [this](double* out) { put(out, system_.momentum(nsga_.q(), nsga_.v()).tail<3>()); });
}

void ChannelList::list_energy() {
  const auto energy = [this](const char* name, auto value) {
    add(std::string("energy/") + name, {""}, "J",
        [this, value](double* out) { *out = value(books_.ledger); });
  };
  energy("kinetic", [](const EnergyLedger& e) { return e.kinetic; });
  energy("gravity", [](const EnergyLedger& e) { return e.gravity; });
  energy("elastic", [](const EnergyLedger& e) { return e.elastic; });
  energy("total", [](const EnergyLedger& e) { return e.total(); });
  energy("load_work", [](const EnergyLedger& e) { return e.load_work; });
  energy("motor_work", [](const EnergyLedger& e) { return e.motor_work; });
  energy("friction_loss", [](const EnergyLedger& e) { return e.friction_loss; });
  energy("impact_loss", [](const EnergyLedger& e) { return e.impact_loss; });
  energy("damper_loss", [](const EnergyLedger& e) { return e.damper_loss; });
  energy("scheme_loss", [](const EnergyLedger& e) { return e.scheme_loss(); });
}

void ChannelList::list_counters() {
  const auto counter = [this](const char* name, int StepCounts::*count) {
    add(std::string("solver/") + name, {""}, "",
        [this, count](double* out) { *out = books_.interval_counts.*count; });
  };
  counter("smooth_iterations", &StepCounts::smooth);
  counter("position_iterations", &StepCounts::position);
  counter("velocity_iterations", &StepCounts::velocity);
  counter("regularised_solves", &StepCounts::regularised);
  counter("recovered_solves", &StepCounts::recovered);
  counter("plastic_steps", &StepCounts::plastic);
}

void ChannelList::add(std::string path, std::vector<std::string> components, std::string unit,
                      Fill fill) {
  channels_.push_back({std::move(path), std::move(components), std::move(unit), row_size_});
  row_size_ += static_cast<int>(channels_.back().components.size());
  fills_.push_back(std::move(fill));
}

void ChannelList::sample(std::span<double> row) const {
  for (std::size_t i = 0; i < fills_.size(); ++i) fills_[i](row.data() + channels_[i].offset);
}

}  // namespace clatter
