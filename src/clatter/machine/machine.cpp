#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include <fmt/format.h>

#include <clatter/machine/machine.hpp>

namespace clatter {

VecX Machine::joint_delassus(const Configuration& q) const {
  VecX sum(joint_rows_);
  Vec12 g;
  for (const Joint& joint : joints_) {
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const JointRow& row = joint.rows()[i];
      row.row(q, g);
      double& of_row = sum[joint.first_row + static_cast<Eigen::Index>(i)];
      of_row = delassus(g, joint.a(), joint.b()) + (row.begins ? 0.0 : of_row);
    }
  }
  return sum;
}

std::vector<double> Machine::turns_at_start() const {
  std::vector<double> turns;
  for_each_force_element(force_elements_, [&](const auto& element, std::size_t) {
    turns.push_back(element.coordinate_at_start());
  });
  for (const Joint& joint : joints_) turns.push_back(joint.coordinate_at_start(q0_));
  return turns;
}

void Machine::count_turns(const Configuration& q, std::span<double> turns) const {
  for_each_force_element(force_elements_, [&](const auto& element, std::size_t e) {
    turns[e] = element.coordinate(q, turns[e]);
  });
  double* reached = turns.data() + force_element_count();
  for (const Joint& joint : joints_) *reached = joint.coordinate(q, *reached), ++reached;
}

Instant Machine::instant_at_start() const {
  Instant instant;
  instant.loads.resize(loads_.size());
  instant.is_given.assign(loads_.size(), 0);
  instant.drives.resize(joints_.size());
  instant.turns = turns_at_start();
  instant.signals = signals_.at_start();
  instant.helices.resize(beam_elements_.size());
  instant.terms = VecX::Zero(static_cast<Eigen::Index>(nodes_.size()));
  set_time(instant, 0.0, instant.spacing);
  return instant;
}

void Machine::set_time(Instant& instant, double t, double spacing) const {
  instant.time = t;
  instant.spacing = spacing;
  for (std::size_t l = 0; l < loads_.size(); ++l) {
    if (instant.is_given[l] == 0) instant.loads[l] = loads_[l].at(t);
    instant.loads[l].factor = instant.load_factor;
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    instant.drives[j] = joints_[j].drive_at(t, spacing);
  }
}

std::optional<std::size_t> Machine::find_load(std::string_view name) const {
  const auto found = std::find_if(loads_.begin(), loads_.end(),
                                  [&](const Load& load) { return load.name() == name; });
  if (found == loads_.end()) return {};
  return static_cast<std::size_t>(found - loads_.begin());
}

void Machine::set_load_factor(Instant& instant, double factor) {
  instant.load_factor = factor;
  for (Load::Value& load : instant.loads) load.factor = factor;
}

void Machine::check_bends(const Configuration& q) const {
  constexpr double most = 0.16;  // cosine of half of 160 degrees; at 180 a turn has no direction
  for (const Beam& beam : beams_) {
    for (int e = 0; e < beam.elements; ++e) {
      const double cosine = beam_elements_[beam.first_element + e].cosine_of_half_bend(q);
      if (cosine > most) continue;
      throw Error(
          beam.place,
          fmt::format("beam '{}': element {} is bent by {:.0f} degrees from end to end; use "
                      "more elements",
                      beam.name, e + 1, 360.0 * std::acos(cosine) / std::numbers::pi));
    }
  }
}

void Machine::check_force_elements(const Configuration& q, std::span<const double> turns) const {
  for_each_force_element(force_elements_,
                         [&](const auto& element, std::size_t e) { element.check(q, turns[e]); });
}

ForceSizes Machine::forces(const Configuration& q, const NodalVector& v, Instant& instant,
                           NodalVector& f) const {
  ForceSizes sizes;
  const Vec3 gravity = instant.load_factor * gravity_;
  double reach2 = length_ * length_;
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const auto i = static_cast<int>(n);
    const auto weights = of_node(weights_, i);
    auto own = of_node(f, i);
    own.head<3>() = node.mass * gravity;
    double square = weights.head<3>().cwiseProduct(own.head<3>()).squaredNorm();
    if (node.rotates_in_space) {
      const Vec3 spin = of_node(v, i).tail<3>();
      const Vec3 torque = -spin.cross(node.inertia * spin);
      own.tail<3>() = torque;
      square += weights.tail<3>().cwiseProduct(torque).squaredNorm();
    } else {
      own.tail<3>().setZero();
    }
    if (!immersions_.empty()) {
      const Immersion& in = immersions_[n];
      own.head<3>() -= in.displaced * gravity;
      if (instant.has_drag) {
        own.head<3>() -= in.drag * of_node(v, i).head<3>();
        own.tail<3>() -= in.spin_drag * of_node(v, i).tail<3>();
      }
      square = weights.cwiseProduct(own).squaredNorm();
    }
    reach2 = std::max(reach2, q[n].x.squaredNorm());
    const double size = std::sqrt(square);
    instant.terms[i] = size;
    sizes.terms += size;
  }
  of_node(f, ground).setZero();
  const auto note = [&](int node, double size) {
    instant.terms[node] += size;
    sizes.terms += size;
  };
  const auto add_beam_force = [&](const BeamElement& element, const Vec12& force) {
    const int a = element.a(), b = element.b();
    add_to_pair(f, a, b, force);
    const double square = of_node(weights_, a).cwiseProduct(force.head<6>()).squaredNorm() +
                          of_node(weights_, b).cwiseProduct(force.tail<6>()).squaredNorm();
    note(std::max(a, b), std::sqrt(square));
  };
  // Each is added while the next is computed: entries that were stored one by one cannot be loaded
  // in pairs at once.
  std::array<Vec12, 2> beam_forces;
  const std::size_t beams = beam_elements_.size();
  for (std::size_t e = 0; e < beams; ++e) {
    const BeamElement& element = beam_elements_[e];
    element.find_helix(q, instant.helices[e]);
    element.force(instant.helices[e], v, beam_forces[e % 2]);
    if (e > 0) add_beam_force(beam_elements_[e - 1], beam_forces[(e - 1) % 2]);
  }
  if (beams > 0) add_beam_force(beam_elements_[beams - 1], beam_forces[(beams - 1) % 2]);
  for_each_force_element(force_elements_, [&](const auto& element, std::size_t e) {
    using Kind = std::decay_t<decltype(element)>;
    using Vector = typename Kind::Vector;
    Vector force;
    if constexpr (is_driven<Kind>) {
      element.generalised_force(q, v, drive_input(instant), force);
    } else {
      element.generalised_force(q, v, instant.turns[e], force);
    }
    add_to_nodes(f, element.nodes(), force);
    const auto nodes = element.nodes();
    note(*std::max_element(nodes.begin(), nodes.end()),
         of_nodes<Vector>(weights_, nodes).cwiseProduct(force).norm());
  });
  for (std::size_t l = 0; l < loads_.size(); ++l) {
    const Load& load = loads_[l];
    const Vec6 given = load.generalised(instant.loads[l], q[load.node()]);
    of_node(f, load.node()) += given;
    note(load.node(), of_node(weights_, load.node()).cwiseProduct(given).norm());
  }
  // Positions and rotations are known to half a unit in the last place.
  if (beam_noise_ > 0.0) sizes.numbers = 0.5 * std::sqrt(reach2) * beam_noise_;
  return sizes;
}

void Machine::apply_mass(const NodalVector& v, NodalVector& out) const {
  of_node(out, ground).setZero();
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    const auto i = static_cast<int>(n);
    const Vec6 own = of_node(v, i);
    Vec6 momentum;
    momentum << nodes_[n].mass * own.head<3>(), nodes_[n].inertia * own.tail<3>();
    set_node(out, i, momentum);
  }
  Vec12 correction;
  for (const BeamElement& element : beam_elements_) {
    element.correct_momentum(v, correction);
    add_to_pair(out, element.a(), element.b(), correction);
  }
}

void Machine::keep_unknowns(NodalVector& v) const { v = (weights_.array() > 0.0).select(v, 0.0); }

double Machine::delassus(const Vec12& g, int a, int b) const {
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

double Machine::kinetic_energy(const NodalVector& v) const {
  double energy = 0.0;
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    const Vec6 u = of_node(v, static_cast<int>(n));
    energy += 0.5 * nodes_[n].mass * u.head<3>().squaredNorm() +
              0.5 * u.tail<3>().dot(nodes_[n].inertia * u.tail<3>());
  }
  Vec12 correction;
  for (const BeamElement& element : beam_elements_) {
    element.correct_momentum(v, correction);
    energy += 0.5 * correction.dot(of_pair(v, element.a(), element.b()));
  }
  return energy;
}

double Machine::gravity_energy(const Configuration& q) const {
  double energy = 0.0;
  for (std::size_t n = 1; n < nodes_.size(); ++n) energy -= nodes_[n].mass * gravity_.dot(q[n].x);
  return energy;
}

double Machine::buoyancy_energy(const Configuration& q) const {
  double energy = 0.0;
  for (std::size_t n = 1; n < immersions_.size(); ++n) {
    energy += immersions_[n].displaced * gravity_.dot(q[n].x);
  }
  return energy;
}

double Machine::elastic_energy(const Configuration& q, std::span<const double> turns) const {
  double energy = 0.0;
  for (const BeamElement& element : beam_elements_) energy += element.energy(element.helix(q));
  for_each_force_element(force_elements_, [&](const auto& element, std::size_t e) {
    energy += element.energy(q, turns[e]);
  });
  return energy;
}

Vec6 Machine::momentum(const Configuration& q, const NodalVector& v) const {
  Vec6 sum = Vec6::Zero();
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    const Vec6 u = of_node(v, static_cast<int>(n));
    const Vec3 linear = nodes_[n].mass * u.head<3>();
    sum.head<3>() += linear;
    sum.tail<3>() += q[n].x.cross(linear) + q[n].R * (nodes_[n].inertia * u.tail<3>());
  }
  Vec12 correction;
  for (const BeamElement& element : beam_elements_) {
    element.correct_momentum(v, correction);
    for (const auto& [node, part] : {std::pair(element.a(), Vec6(correction.head<6>())),
                                     std::pair(element.b(), Vec6(correction.tail<6>()))}) {
      const NodeState& state = q[static_cast<std::size_t>(node)];
      sum.head<3>() += part.head<3>();
      sum.tail<3>() += state.x.cross(part.head<3>()) + state.R * part.tail<3>();
    }
  }
  return sum;
}

double Machine::load_power(const Configuration& q, const NodalVector& v,
                           const Instant& instant) const {
  double power = 0.0;
  for (std::size_t l = 0; l < loads_.size(); ++l) {
    const Load& load = loads_[l];
    power += load.generalised(instant.loads[l], q[load.node()]).dot(of_node(v, load.node()));
  }
  for (const Membrane& membrane : all<Membrane>()) power += membrane.power(q, v);
  const DriveInput in = drive_input(instant);
  for (const Actuator& actuator : all<Actuator>()) power += actuator.power(q, v, in);
  return power;
}

double Machine::drag_power(const NodalVector& v) const {
  double power = 0.0;
  for (std::size_t n = 1; n < immersions_.size(); ++n) {
    const auto u = of_node(v, static_cast<Eigen::Index>(n));
    power += immersions_[n].drag * u.head<3>().squaredNorm() +
             immersions_[n].spin_drag * u.tail<3>().squaredNorm();
  }
  return power;
}

double Machine::damper_power(const Configuration& q, const NodalVector& v,
                             std::span<const double> turns) const {
  double power = 0.0;
  for (const BeamElement& element : beam_elements_) power += element.dissipated_power(q, v);
  for_each_force_element(force_elements_, [&](const auto& element, std::size_t e) {
    power += element.dissipated_power(q, v, turns[e]);
  });
  return power;
}

}  // namespace clatter
