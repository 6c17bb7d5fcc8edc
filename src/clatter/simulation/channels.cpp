#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <clatter/model/body_lookup.hpp>
#include <clatter/recovery/contact_forces.hpp>
#include <clatter/recovery/impulse_filter.hpp>
#include <clatter/simulation/body_accelerations.hpp>
#include <clatter/simulation/channels.hpp>
#include <clatter/simulation/crowd_measures.hpp>
#include <clatter/simulation/pair_contacts.hpp>
#include <clatter/simulation/shared_forces.hpp>
#include <clatter/simulation/sums.hpp>

namespace clatter {
namespace {

void put(double* out, const Vec3& v, std::size_t count = 3) { std::copy_n(v.data(), count, out); }

void put(double* out, const Quaternion& p) {
  out[0] = p.w();
  put(out + 1, p.vec());
}

std::vector<std::string> axes_of(bool planar) {
  return planar ? std::vector<std::string>{"x", "y"} : std::vector<std::string>{"x", "y", "z"};
}

/// "first", "first + 1", ...; with components "first/x", "first/y" and so on.
std::vector<std::string> numbered(int first, int count,
                                  const std::vector<std::string>& components = {}) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count) * std::max<std::size_t>(components.size(), 1));
  for (int i = first; i < first + count; ++i) {
    if (components.empty()) names.push_back(std::to_string(i));
    for (const std::string& component : components)
      names.push_back(fmt::format("{}/{}", i, component));
  }
  return names;
}

/// Entries of a SectionVector by name, and those that a planar beam has.
struct SectionQuantity {
  const char *name, *unit;
};
constexpr std::array<SectionQuantity, 6> resultants{{{"axial_force", "N"},
                                                     {"shear_force_y", "N"},
                                                     {"shear_force_z", "N"},
                                                     {"torque", "N m"},
                                                     {"bending_moment_y", "N m"},
                                                     {"bending_moment_z", "N m"}}};
constexpr std::array<SectionQuantity, 6> strains{{{"axial_strain", ""},
                                                  {"shear_strain_y", ""},
                                                  {"shear_strain_z", ""},
                                                  {"twist", "1/m"},
                                                  {"curvature_y", "1/m"},
                                                  {"curvature_z", "1/m"}}};
constexpr std::array spatial_entries{0, 1, 2, 3, 4, 5};
constexpr std::array planar_entries{0, 1, 5};

std::span<const int> section_entries(bool planar) {
  return planar ? std::span<const int>(planar_entries) : spatial_entries;
}

/// Bodies have the nodes after the ground, in their order; nodes of beams are found by name.
int node_of(const Model& model, const Machine& machine, const std::string& body) {
  if (body.empty()) return ground;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    if (model.bodies[b].name == body) return static_cast<int>(b) + 1;
  }
  const auto [start, end] = split_at_last_dot(body);
  for (const Beam& beam : machine.beams()) {
    if (beam.name != start) continue;
    if (const auto index = node_index(end, beam.nodes)) return beam.first_node + *index;
  }
  return ground;
}

struct FrictionNames {
  const char *velocity, *velocity_unit, *impulse, *percussion, *impulse_unit, *force, *force_unit,
      *status;
};

const FrictionNames& names_of(FrictionKind kind) {
  static constexpr FrictionNames sliding{"/slip_velocity",
                                         "m/s",
                                         "/tangential_impulse",
                                         "/tangential_percussion",
                                         "N s",
                                         "/tangential_force",
                                         "N",
                                         "/status"};
  static constexpr FrictionNames rolling{
      "/rolling_velocity", "rad/s", "/rolling_impulse", "/rolling_percussion", "N m s",
      "/rolling_torque",   "N m",   "/rolling_status"};
  static constexpr FrictionNames drilling{
      "/drilling_velocity", "rad/s", "/drilling_impulse", "/drilling_percussion", "N m s",
      "/drilling_torque",   "N m",   "/drilling_status"};
  switch (kind) {
    case FrictionKind::rolling:
      return rolling;
    case FrictionKind::drilling:
      return drilling;
    case FrictionKind::sliding:
      break;
  }
  return sliding;
}

std::vector<std::string> exchange_parts() { return {"spring", "dashpot", "momentum"}; }

void put_exchange(double* out, const Exchange& exchange) {
  out[0] = exchange.spring;
  out[1] = exchange.dashpot;
  out[2] = exchange.momentum;
}

std::vector<std::string> tensor_parts(bool planar) {
  return planar ? std::vector<std::string>{"xx", "yy", "xy"}
                : std::vector<std::string>{"xx", "yy", "zz", "xy", "yz", "xz"};
}

double* put_tensor(double* out, const Mat3& T, bool planar) {
  static constexpr std::array<std::array<int, 2>, 6> spatial{
      {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}}};
  static constexpr std::array<std::array<int, 2>, 3> flat{{{0, 0}, {1, 1}, {0, 1}}};
  for (const auto& [i, j] : planar ? std::span<const std::array<int, 2>>(flat) : spatial) {
    *out++ = T(i, j);
  }
  return out;
}

struct CrowdQuantity {
  std::string name;
  std::vector<std::string> components;
  std::string unit;
};

std::vector<CrowdQuantity> quantities_of(const Crowd& crowd) {
  std::vector<CrowdQuantity> all = {{"coordination", {""}, ""},
                                    {"bearing_coordination", {""}, ""},
                                    {"mean_force", {""}, "N"},
                                    {"strong_share", {""}, ""},
                                    {"chains", {""}, ""},
                                    {"longest_chain", {""}, ""},
                                    {"centre", axes_of(crowd.is_planar), "m"},
                                    {"spread", axes_of(crowd.is_planar), "m"},
                                    {"fabric", tensor_parts(crowd.is_planar), ""}};
  if (crowd.radii.empty()) return all;  // its box is not known
  all.push_back({"low", axes_of(crowd.is_planar), "m"});
  all.push_back({"high", axes_of(crowd.is_planar), "m"});
  all.push_back({"solid_fraction", {""}, ""});
  all.push_back({"stress", tensor_parts(crowd.is_planar), crowd.is_planar ? "N/m" : "Pa"});
  if (!crowd.sinks()) return all;
  all.push_back({"radius", {"10", "30", "50", "60", "90"}, "m"});
  all.push_back({"settling_radius", {"10", "30", "50", "60", "90"}, "m"});
  all.push_back({"settling_error", {""}, ""});
  all.push_back({"settled", {""}, ""});
  return all;
}

void put_crowds(CrowdMeasures& measures, const State& state, double* out) {
  const std::vector<CrowdMeasure>& of = measures.read(state);
  for (std::size_t k = 0; k < of.size(); ++k) {
    const Crowd& crowd = measures.crowds()[k];
    const CrowdMeasure& m = of[k];
    for (const double value : {m.coordination, m.bearing_coordination, m.mean_force, m.strong_share,
                               m.chains, m.longest_chain}) {
      *out++ = value;
    }
    const std::size_t axes = crowd.is_planar ? 2 : 3;
    const auto put_next = [&](const Vec3& v) {
      put(out, v, axes);
      out += axes;
    };
    put_next(m.centre);
    put_next(m.spread);
    out = put_tensor(out, m.fabric, crowd.is_planar);
    if (crowd.radii.empty()) continue;
    put_next(m.low);
    put_next(m.high);
    *out++ = m.solid_fraction;
    out = put_tensor(out, m.stress, crowd.is_planar);
    if (!crowd.sinks()) continue;
    out = std::copy(m.radius.begin(), m.radius.end(), out);
    out = std::copy(m.settling_radius.begin(), m.settling_radius.end(), out);
    *out++ = m.settling_error;
    *out++ = m.settled;
  }
}

}  // namespace

ChannelList::ChannelList(const Model& model, const Machine& machine, bool separates_forces,
                         const long& substeps)
    : machine_(machine),
      separates_forces_(separates_forces),
      conserves_(model.integrator.kind == IntegratorKind::energy_consistent),
      shared_(model, machine, separates_forces) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) list_body(model.bodies[b], b + 1);
  if (model.bodies.size() < crowd_of_bodies) list_accelerations(model);
  for (const Beam& beam : machine_.beams()) {
    list_nodes(beam);
    list_sections(beam);
  }
  for_each_force_element(machine_.force_elements(), [&](const auto& element, std::size_t e) {
    list_force_element(element, e);
  });
  for (std::size_t j = 0; j < machine_.joints().size(); ++j) {
    const JointRow& row = machine_.joints()[j].rows().front();
    if (!row.is_term()) list_joint(j);
    if (row.is_term() && row.begins) list_coupler(j);
  }
  list_signals();
  for (std::size_t c = 0; c < machine_.own_contacts().size(); ++c) list_contact(c);
  list_recovered_forces(model);
  for (const BearingSpec& bearing : model.bearings) list_bearing(model, bearing);
  if (!model.bearings.empty()) list_bearing_forces(model);
  for (const ContactGroup& group : machine_.contact_groups()) {
    list_group(static_cast<std::size_t>(&group - machine_.contact_groups().data()),
               group.contact.name);
  }
  if (!machine_.solids().empty()) {
    list_group(static_cast<std::size_t>(machine_.group_of_solids()), "solids");
  }
  if (auto crowds = crowds_of(model); !crowds.empty()) {
    const auto measures =
        std::make_shared<CrowdMeasures>(std::move(crowds), machine_, separates_forces_);
    // One fill for all: the contacts are looked at once.
    fills_.push_back({row_size_, [measures](const State& state, double* out) {
                        put_crowds(*measures, state, out);
                      }});
    for (const Crowd& crowd : measures->crowds()) {
      for (CrowdQuantity& quantity : quantities_of(crowd)) {
        add_unfilled(fmt::format("crowds/{}/{}", crowd.name, quantity.name),
                     std::move(quantity.components), std::move(quantity.unit));
      }
    }
  }
  list_pairs(parts_of(model), is_planar(model));
  list_momentum();
  list_energy();
  list_counters(substeps);
}

void ChannelList::list_body(const BodySpec& body, std::size_t n) {
  const auto node = static_cast<int>(n);
  const std::string path = "bodies/" + body.name;
  const bool planar = body.kind == BodyKind::planar;
  const std::vector<std::string> axes = axes_of(planar);
  const std::size_t count = axes.size();
  add(path + "/position", axes, "m", [this, n, node, count](const State& state, double* out) {
    const NodeState& node_state = state.q[n];
    put(out, node_state.x - node_state.R * machine_.centre_of_mass(node), count);
  });
  if (planar) {
    add(path + "/angle", {""}, "rad",
        [n](const State& state, double* out) { *out = state.q[n].angle; });
  } else if (body.kind == BodyKind::rigid) {
    add(path + "/orientation", {"w", "x", "y", "z"}, "",
        [n](const State& state, double* out) { put(out, state.q[n].p); });
  }
  add(path + "/velocity", axes, "m/s", [this, n, node, count](const State& state, double* out) {
    const NodeState& node_state = state.q[n];
    const Vec6 v = of_node(state.v, node);
    const Vec3 spin = node_state.R * v.tail<3>();
    put(out, v.head<3>() - spin.cross(node_state.R * machine_.centre_of_mass(node)), count);
  });
  if (planar) {
    add(path + "/angular_velocity", {""}, "rad/s",
        [node](const State& state, double* out) { *out = of_node(state.v, node)[5]; });
  } else if (body.kind == BodyKind::rigid) {
    add(path + "/angular_velocity", axes, "rad/s",
        [node](const State& state, double* out) { put(out, of_node(state.v, node).tail<3>()); });
  }
}

void ChannelList::list_accelerations(const Model& model) {
  std::vector<BodyKind> kinds;
  for (const BodySpec& body : model.bodies) kinds.push_back(body.kind);
  // One fill for all: what contacts and joints do is added up once.
  fills_.push_back(
      {row_size_, [this, kinds,
                   accelerations = std::make_shared<BodyAccelerations>(
                       machine_, model.integrator.kind)](const State& state, double* out) {
         const NodalVector& all = accelerations->read(state);
         for (std::size_t b = 0; b < kinds.size(); ++b) {
           const auto node = static_cast<int>(b) + 1;
           const Mat3& R = state.q[b + 1].R;
           const Vec6 a = of_node(all, node);
           const Vec3 spin = of_node(state.v, node).tail<3>(), turn = a.tail<3>();
           const Vec3 arm = -machine_.centre_of_mass(node);  // of the body's origin
           const Vec3 of_origin = a.head<3>() + R * (turn.cross(arm) + spin.cross(spin.cross(arm)));
           const bool planar = kinds[b] == BodyKind::planar;
           const std::size_t axes = planar ? 2 : 3;
           put(out, of_origin, axes);
           out += axes;
           if (kinds[b] == BodyKind::point) continue;
           if (planar) {
             *out++ = turn.z();
           } else {
             put(out, turn);
             out += 3;
           }
         }
       }});
  for (const BodySpec& body : model.bodies) {
    const std::string path = "bodies/" + body.name;
    const bool planar = body.kind == BodyKind::planar;
    add_unfilled(path + "/acceleration", axes_of(planar), "m/s2");
    if (body.kind == BodyKind::point) continue;
    add_unfilled(path + "/angular_acceleration",
                 planar ? std::vector<std::string>{""} : axes_of(false), "rad/s2");
  }
}

void ChannelList::list_nodes(const Beam& beam) {
  const auto add_of_nodes = [&](const char* name, const std::vector<std::string>& components,
                                const char* unit, auto put_node) {
    const std::size_t width = std::max<std::size_t>(components.size(), 1);
    add("beams/" + beam.name + "/" + name, numbered(0, beam.nodes, components), unit,
        [&beam, width, put_node](const State& state, double* out) {
          for (int n = beam.first_node; n < beam.first_node + beam.nodes; ++n, out += width) {
            put_node(out, state.q[static_cast<std::size_t>(n)], Vec6(of_node(state.v, n)));
          }
        });
  };
  const std::vector<std::string> axes = axes_of(beam.planar);
  const std::size_t count = axes.size();
  add_of_nodes("position", axes, "m",
               [count](double* out, const NodeState& at, const Vec6&) { put(out, at.x, count); });
  if (beam.planar) {
    add_of_nodes("angle", {}, "rad",
                 [](double* out, const NodeState& at, const Vec6&) { *out = at.angle; });
  } else {
    add_of_nodes("orientation", {"w", "x", "y", "z"}, "",
                 [](double* out, const NodeState& at, const Vec6&) { put(out, at.p); });
  }
  add_of_nodes("velocity", axes, "m/s", [count](double* out, const NodeState&, const Vec6& v) {
    put(out, v.head<3>(), count);
  });
  if (beam.planar) {
    add_of_nodes("angular_velocity", {}, "rad/s",
                 [](double* out, const NodeState&, const Vec6& v) { *out = v[5]; });
  } else {
    add_of_nodes("angular_velocity", axes, "rad/s",
                 [](double* out, const NodeState&, const Vec6& v) { put(out, v.tail<3>()); });
  }
}

void ChannelList::list_sections(const Beam& beam) {
  // One fill for all: forces and strains come from the same evaluation of an element.
  fills_.push_back({row_size_, [this, &beam](const State& state, double* out) {
                      put_sections(beam, state, out);
                    }});
  for (const auto& quantities : {resultants, strains}) {
    for (const int i : section_entries(beam.planar)) {
      const SectionQuantity& quantity = quantities[static_cast<std::size_t>(i)];
      add_unfilled("beams/" + beam.name + "/" + quantity.name, numbered(1, beam.elements),
                   quantity.unit);
    }
  }
}

void ChannelList::put_sections(const Beam& beam, const State& state, double* out) const {
  for (int e = 0; e < beam.elements; ++e) {
    const BeamElement& element = machine_.beam_elements()[beam.first_element + e];
    const BeamElement::Section section = element.section(state.q, state.v);
    double* at = out + e;
    for (const SectionVector* values : {&section.resultant, &section.strain}) {
      for (const int i : section_entries(beam.planar)) {
        *at = (*values)[i];
        at += beam.elements;
      }
    }
  }
}

template <class Element>
void ChannelList::list_force_element(const Element& element, std::size_t e) {
  if constexpr (is_driven<Element>) {
    add(fmt::format("{}/{}/force", Element::plural, element.name()), {""}, "N or N m",
        [this, &element](const State& state, double* out) {
          *out = element.force(state.q, state.v,
                               machine_.drive_input(state.time, state.turns, state.signals));
        });
    return;
  } else {
    for (ElementChannel& channel : element.channels()) {
      add(fmt::format("{}/{}/{}", Element::plural, element.name(), channel.name),
          std::move(channel.components), std::move(channel.unit),
          [put = std::move(channel.put), e](const State& state, double* out) {
            put(state.q, state.v, state.turns[e], out);
          });
    }
  }
}

void ChannelList::list_signals() {
  const SignalTable& signals = machine_.signals();
  for (const Sensor& sensor : signals.sensors()) {
    add("sensors/" + sensor.name() + "/value", {""}, "",
        [&sensor](const State& state, double* out) { *out = state.signals[sensor.output()]; });
  }
  const auto add_of = [this](const auto& controller, const char* what, auto value) {
    add("controllers/" + controller->name() + what, {""}, "",
        [this, controller, value](const State& state, double* out) {
          *out = (*controller.*value)(state.q, state.v,
                                      machine_.drive_input(state.time, state.turns, state.signals));
        });
  };
  for (const auto& controller : signals.controllers()) {
    add_of(controller, "/output", &Pid::output);
    add_of(controller, "/error", &Pid::error);
  }
}

ChannelList::JointMultipliers ChannelList::of_joint(const VecX& all, std::size_t j) const {
  const Joint& joint = machine_.joints()[j];
  return all.segment(joint.first_row, static_cast<Eigen::Index>(joint.rows().size()));
}

ChannelList::JointMultipliers ChannelList::mean_force(const State& state, std::size_t j) const {
  JointMultipliers force = of_joint(state.joint_forces, j);
  if (!is_struck(machine_, state, j) && state.sums.last_step_size > 0.0)
    force += of_joint(state.joint_impulses, j) / state.sums.last_step_size;
  return force;
}

void ChannelList::put_joint(const State& state, std::size_t j, double* out) const {
  const Joint& joint = machine_.joints()[j];
  PairRows rows(static_cast<Eigen::Index>(joint.rows().size()), 12);
  Vec12 g;
  for (std::size_t i = 0; i < joint.rows().size(); ++i) {
    joint.rows()[i].row(state.q, g);
    rows.row(static_cast<Eigen::Index>(i)) = g.transpose();
  }
  Vec3 force, torque;
  const auto find_reaction = [&](const JointMultipliers& multipliers) {
    const Vec6 on_b = rows.rightCols<6>().transpose() * multipliers;
    joint.reaction(on_b, state.q, force, torque);
  };
  find_reaction(mean_force(state, j));
  put(out, force);
  put(out + 3, torque);
  find_reaction(of_joint(state.sums.joint_impulses, j));
  put(out + 6, force);
}

void ChannelList::list_joint(std::size_t j) {
  const Joint& joint = machine_.joints()[j];
  const std::string path = "joints/" + joint.name();
  const std::vector<std::string> axes{"x", "y", "z"};
  add(path + "/force", axes, "N",
      [this, j](const State& state, double* out) { put_joint(state, j, out); });
  add_unfilled(path + "/torque", axes, "N m");
  add_unfilled(path + "/impulse", axes, "N s");
  if (joint.has_coordinate()) {
    add(path + "/coordinate", {""}, joint.coordinate_is_angle() ? "rad" : "m",
        [this, &joint, j](const State& state, double* out) {
          *out = joint.coordinate(state.q, machine_.turns_of_joint(j, state.turns));
        });
    add(path + "/velocity", {""}, joint.coordinate_is_angle() ? "rad/s" : "m/s",
        [&joint](const State& state, double* out) {
          const PairCoordinate& coordinate = *joint.free_coordinate();
          Vec12 g;
          coordinate.gradient(state.q, g);
          *out = g.dot(of_pair(state.v, coordinate.a(), coordinate.b()));
        });
  }
}

void ChannelList::list_coupler(std::size_t j) {
  // The force on a coordinate is the multiplier times its ratio.
  add("couplers/" + machine_.joints()[j].name() + "/force", {""}, "N or N m",
      [this, j](const State& state, double* out) { *out = mean_force(state, j)[0]; });
}

double ChannelList::force_factor(const State& state, std::size_t c) const {
  if (separates_forces_) return 1.0;
  const double h = state.sums.last_step_size;
  return state.contacts[c].persistent && h > 0.0 ? 1.0 / h : 0.0;
}

double ChannelList::normal_force(const State& state, std::size_t c) const {
  const ContactState& at = state.contacts[c];
  return force_factor(state, c) * (separates_forces_ ? at.force : at.impulse)[0];
}

void ChannelList::list_contact(std::size_t c) {
  const Contact& contact = machine_.own_contacts()[c];
  const std::string path = "contacts/" + contact.name();
  const bool apart = separates_forces_;
  const auto forces = [c, apart](const State& state) -> const RowVector& {
    return apart ? state.contacts[c].force : state.contacts[c].impulse;
  };
  const auto rate = [&contact, c](const State& state) {
    return rate_of(contact, state.contacts[c], state);
  };
  const auto add_scalar = [&](const char* name, const char* unit, auto value) {
    add(path + name, {""}, unit, [value](const State& state, double* out) { *out = value(state); });
  };
  add_scalar("/gap", "m", [c](const State& state) { return state.contacts[c].gap; });
  add_scalar("/normal_velocity", "m/s", [rate](const State& state) { return rate(state)[0]; });
  add_scalar("/status", "",
             [c](const State& state) { return static_cast<double>(state.contacts[c].status); });
  add_scalar("/normal_impulse", "N s",
             [c](const State& state) { return state.sums.impulses[c][0]; });
  add_scalar("/normal_force", "N",
             [this, c](const State& state) { return normal_force(state, c); });
  if (apart) {
    add_scalar("/normal_percussion", "N s",
               [c](const State& state) { return state.sums.percussions[c][0]; });
  }
  if (conserves_) {
    const bool slides = contact.rows() > 1;
    add(path + "/exchange", exchange_parts(), "J", [c](const State& state, double* out) {
      put_exchange(out, state.contacts[c].normal_exchange);
    });
    if (slides) {
      add(path + "/tangential_exchange", exchange_parts(), "J",
          [c](const State& state, double* out) {
            put_exchange(out, state.contacts[c].tangential_exchange);
          });
    }
    add_scalar("/psi", "", [c](const State& state) { return state.contacts[c].psi[0]; });
  }
  if (contact.is_recovered()) {
    add_scalar("/approach_speed", "m/s",
               [c](const State& state) { return state.sums.hardest[c].speed; });
    add_scalar("/effective_mass", "kg",
               [c](const State& state) { return state.sums.hardest[c].mass; });
  }

  for (std::size_t k = 0; k < contact.blocks().size(); ++k) {
    const FrictionBlock& block = contact.blocks()[k];
    const FrictionNames& names = names_of(block.kind);
    const std::vector<std::string> rows = block.rows == 1 && block.kind == FrictionKind::drilling
                                              ? std::vector<std::string>{""}
                                              : numbered(1, block.rows);
    const auto add_rows = [&](const char* name, const char* unit, auto values) {
      add(path + name, rows, unit, [&block, values](const State& state, double* out) {
        const RowVector all = values(state);
        for (int i = 0; i < block.rows; ++i) out[i] = all[block.first_row + i];
      });
    };
    add_rows(names.velocity, names.velocity_unit, rate);
    add_rows(names.impulse, names.impulse_unit,
             [c](const State& state) { return state.sums.impulses[c]; });
    add_rows(names.force, names.force_unit, [this, forces, c](const State& state) {
      return RowVector(force_factor(state, c) * forces(state));
    });
    if (apart) {
      add_rows(names.percussion, names.impulse_unit,
               [c](const State& state) { return state.sums.percussions[c]; });
    }
    if (block.kind == FrictionKind::sliding) {  // its status is that of the contact
      if (contact.compliance() == nullptr) {
        add_rows("/slip", "m", [c](const State& state) { return state.contacts[c].shear; });
      }
      continue;
    }
    add_scalar(names.status, "", [c, k](const State& state) {
      return static_cast<double>(state.contacts[c].block_status[k]);
    });
  }
}

void ChannelList::list_recovered_forces(const Model& model) {
  struct Recovered {
    ContactRecovery recovery;
    StressAtTouch stress;
    std::size_t index = 0;      // of the contact, or among the pairs that are recovered
    std::ptrdiff_t share = -1;  // among those that share; negative: it does not
  };
  const auto& own = machine_.own_contacts();
  const auto recovered = std::make_shared<std::vector<Recovered>>();
  const std::vector<std::size_t>& sharing = shared_.contacts();
  std::size_t pairs = 0;
  for (ContactRecovery& recovery : recoveries_of(model)) {
    Recovered& each = recovered->emplace_back();
    each.recovery = std::move(recovery);
    if (each.recovery.is_pair) {
      each.index = pairs++;
      continue;
    }
    const auto contact = std::find_if(own.begin(), own.end(), [&](const Contact& candidate) {
      return candidate.name() == each.recovery.contact;
    });
    each.index = static_cast<std::size_t>(contact - own.begin());
    const auto share = std::find(sharing.begin(), sharing.end(), each.index);
    if (share != sharing.end()) each.share = share - sharing.begin();
  }
  if (recovered->empty()) return;
  const auto put_recovered = [apart = separates_forces_](Recovered& each, const State& state,
                                                         const VecX& shares, double*& out) {
    const RunningSums& sums = state.sums;
    const std::size_t c = each.index;
    const bool is_pair = each.recovery.is_pair;
    const PairImpact pair =
        is_pair ? sums.pair_impacts[c]
                : PairImpact{sums.impulses[c][0], sums.percussions[c][0], sums.hardest[c]};
    const double impact =
        apart ? ImpulseFilter().impact_of(pair.impulse, pair.percussion) : pair.hardest.of_all;
    const double h = state.time - sums.interval_start;
    double force = h > 0.0 ? (pair.impulse - impact) / h : 0.0;
    if (each.share >= 0) force = shares[each.share];
    if (impact > 0.0) {
      const ContactInterval interval{
          impact, pair.hardest.speed, pair.hardest.mass, force, {pair.A, pair.B}};
      force += recover_impact(interval, each.recovery).peak;
    }
    *out++ = force;
    if (is_pair) {
      *out++ = pair.impulse;
      if (apart) *out++ = pair.percussion;
      for (const double value : {pair.hardest.speed, pair.hardest.mass, pair.A, pair.B}) {
        *out++ = value;
      }
    }
    if (!each.recovery.has_stress()) return;
    const ImpactStress stress = each.stress.under(force, each.recovery, {pair.A, pair.B});
    for (const StressFigure& figure : stress_figures) *out++ = stress.*figure.value;
  };
  // One fill for all: the load is shared out once, and stresses follow from the force.
  fills_.push_back({row_size_, [this, recovered, put_recovered](const State& state, double* out) {
                      VecX shares;
                      if (!shared_.contacts().empty()) shares = shared_.read(state).normal;
                      for (const double share : shares) *out++ = share;
                      for (Recovered& each : *recovered) put_recovered(each, state, shares, out);
                    }});
  for (const std::size_t c : sharing) {
    add_unfilled("contacts/" + own[c].name() + "/shared_force", {""}, "N");
  }
  for (const Recovered& each : *recovered) {
    const std::string path = each.recovery.path() + "/";
    add_unfilled(path + "recovered_force", {""}, "N");
    if (each.recovery.is_pair) {
      add_unfilled(path + "normal_impulse", {""}, "N s");
      if (separates_forces_) add_unfilled(path + "normal_percussion", {""}, "N s");
      add_unfilled(path + "approach_speed", {""}, "m/s");
      add_unfilled(path + "effective_mass", {""}, "kg");
      add_unfilled(path + "least_curvature", {""}, "1/m");
      add_unfilled(path + "largest_curvature", {""}, "1/m");
    }
    if (!each.recovery.has_stress()) continue;
    for (const StressFigure& figure : stress_figures) {
      add_unfilled(path + figure.name, {""}, figure.unit);
    }
  }
}

void ChannelList::list_bearing(const Model& model, const BearingSpec& bearing) {
  // Where the balls are, seen from the outer race, and how fast they go around.
  struct View {
    int outer;
    Vec3 centre, axis, start;  // in the frame of its node
    std::vector<int> balls;
  };
  View view{node_of(model, machine_, bearing.outer.body),
            bearing.outer.point,
            bearing.axis,
            bearing.start,
            {}};
  view.centre -= machine_.centre_of_mass(view.outer);
  for (const std::string& ball : bearing.balls)
    view.balls.push_back(node_of(model, machine_, ball));
  const int count = static_cast<int>(view.balls.size());
  const std::string path = "bearings/" + bearing.name;
  add(path + "/ball_angle", numbered(1, count), "rad", [view](const State& state, double* out) {
    const NodeState& race = state.q[static_cast<std::size_t>(view.outer)];
    for (const int ball : view.balls) {
      const Vec3 at =
          race.R.transpose() * (state.q[static_cast<std::size_t>(ball)].x - race.x) - view.centre;
      *out++ = std::atan2(view.axis.cross(view.start).dot(at), view.start.dot(at));
    }
  });
  // The mean of the balls, in space.
  add(path + "/cage_speed", {""}, "rad/s", [view](const State& state, double* out) {
    const NodeState& race = state.q[static_cast<std::size_t>(view.outer)];
    const Vec6 v = of_node(state.v, view.outer);
    const Vec3 centre = race.R * view.centre, axis = race.R * view.axis;
    const Vec3 of_centre = v.head<3>() + (race.R * v.tail<3>()).cross(centre);
    *out = 0.0;
    for (const int ball : view.balls) {
      Vec3 arm = state.q[static_cast<std::size_t>(ball)].x - race.x - centre;
      arm -= axis.dot(arm) * axis;
      const Vec3 velocity = of_node(state.v, ball).head<3>() - of_centre;
      *out += axis.dot(arm.cross(velocity)) / arm.squaredNorm() / view.balls.size();
    }
  });
  if (is_planar(model)) return;
  if (bearing.stations.empty()) {
    list_contact_angles(bearing, view.outer);
  } else {
    list_roller_angles(bearing, view.outer, view.balls);
  }
}

// How far forces lean out of the plane of the balls, positive towards the axis.
void ChannelList::list_contact_angles(const BearingSpec& bearing, int outer) {
  for (const char* race : {"inner", "outer"}) {
    std::vector<const Contact*> contacts;
    for (const std::string& ball : bearing.balls) {
      contacts.push_back(&machine_.own_contacts()[own_contact(ball, race)]);
    }
    add(fmt::format("bearings/{}/{}_contact_angle", bearing.name, race),
        numbered(1, static_cast<int>(bearing.balls.size())), "rad",
        [outer, along = bearing.axis, contacts](const State& state, double* out) {
          const Vec3 axis = state.q[static_cast<std::size_t>(outer)].R * along;
          for (const Contact* contact : contacts) {
            const Vec3 normal = contact->frame(state.q, Vec3::Zero()).normal;
            *out++ = std::asin(std::clamp(axis.dot(normal), -1.0, 1.0));
          }
        });
  }
}

// How far the axes of rollers lean outwards, and to the side where they go around.
void ChannelList::list_roller_angles(const BearingSpec& bearing, int outer,
                                     const std::vector<int>& rollers) {
  const Vec3 centre = bearing.outer.point - machine_.centre_of_mass(outer);
  for (const bool outwards : {true, false}) {
    add(fmt::format("bearings/{}/{}", bearing.name, outwards ? "tilt" : "skew"),
        numbered(1, static_cast<int>(rollers.size())), "rad",
        [outer, outwards, rollers, centre, axis = bearing.axis](const State& state, double* out) {
          const NodeState& race = state.q[static_cast<std::size_t>(outer)];
          for (const int roller : rollers) {
            const NodeState& at = state.q[static_cast<std::size_t>(roller)];
            Vec3 from_axis = race.R.transpose() * (at.x - race.x) - centre;
            from_axis -= axis.dot(from_axis) * axis;
            const Vec3 way = outwards ? from_axis : axis.cross(from_axis);
            *out++ = std::asin(way.normalized().dot(race.R.transpose() * at.R.col(2)));
          }
        });
  }
}

std::size_t ChannelList::own_contact(const std::string& ball, std::string_view end) const {
  const auto& own = machine_.own_contacts();
  const std::string name = fmt::format("{}.{}", ball, end);
  const auto found = std::find_if(own.begin(), own.end(),
                                  [&](const Contact& contact) { return contact.name() == name; });
  if (found == own.end()) throw Error(fmt::format("a bearing has no contact '{}'", name));
  return static_cast<std::size_t>(found - own.begin());
}

// What each race does to each ball, all of its contacts together.
void ChannelList::list_bearing_forces(const Model& model) {
  struct OfRace {
    std::size_t contact;
    std::ptrdiff_t share;  // among the forces that are shared out; negative: it is none of them
    double at;             // along the roller
  };
  using OfBall = std::vector<OfRace>;
  const std::vector<std::size_t>& sharing = shared_.contacts();
  std::vector<std::vector<OfBall>> races;
  bool any_shared = false;
  for (const BearingSpec& bearing : model.bearings) {
    for (const char* race : {"inner", "outer"}) {
      std::vector<OfBall>& balls = races.emplace_back();
      for (const std::string& ball : bearing.balls) {
        const auto add_place = [&](std::size_t contact, double at) {
          const auto share = std::find(sharing.begin(), sharing.end(), contact);
          balls.back().push_back(
              {contact, share == sharing.end() ? -1 : share - sharing.begin(), at});
          any_shared = any_shared || share != sharing.end();
        };
        balls.emplace_back();
        if (bearing.stations.empty()) add_place(own_contact(ball, race), 0.0);
        for (std::size_t k = 0; k < bearing.stations.size(); ++k) {
          add_place(own_contact(ball, fmt::format("{}.{}", race, k + 1)), bearing.stations[k]);
        }
      }
    }
  }
  // One fill for all: the load is shared out once.
  fills_.push_back({row_size_, [this, races, any_shared](const State& state, double* out) {
                      VecX shares;
                      if (any_shared) shares = shared_.read(state).normal;
                      for (const std::vector<OfBall>& balls : races) {
                        const bool has_moments = balls.front().size() > 1;
                        for (const bool moments : {false, true}) {
                          if (moments && !has_moments) continue;
                          for (const OfBall& ball : balls) {
                            *out = 0.0;
                            for (const OfRace& touch : ball) {
                              const double force = touch.share >= 0
                                                       ? shares[touch.share]
                                                       : normal_force(state, touch.contact);
                              *out += (moments ? touch.at : 1.0) * force;
                            }
                            ++out;
                          }
                        }
                      }
                    }});
  for (const BearingSpec& bearing : model.bearings) {
    const int count = static_cast<int>(bearing.balls.size());
    for (const char* race : {"inner", "outer"}) {
      const std::string path = fmt::format("bearings/{}/{}_", bearing.name, race);
      add_unfilled(path + "force", numbered(1, count), "N");
      if (!bearing.stations.empty()) add_unfilled(path + "moment", numbered(1, count), "N m");
    }
  }
}

void ChannelList::list_group(std::size_t g, const std::string& name) {
  const std::string path = "contacts/" + name;
  const auto over_contacts = [this, g](const State& state, auto&& visit) {
    const std::size_t own = machine_.own_contacts().size();
    for (std::size_t k = 0; k < state.search.keys.size(); ++k) {
      if (state.search.keys[k].group == static_cast<int>(g)) visit(state.contacts[own + k]);
    }
  };
  const auto count = [over_contacts](const State& state, auto&& is) {
    int sum = 0;
    over_contacts(state, [&](const ContactState& s) { sum += is(s) ? 1 : 0; });
    return sum;
  };
  add(path + "/closed", {""}, "", [count](const State& state, double* out) {
    *out = count(state, [](const ContactState& s) { return s.status != ContactStatus::open; });
  });
  add(path + "/sticking", {""}, "", [count](const State& state, double* out) {
    *out = count(state, [](const ContactState& s) { return s.status == ContactStatus::stick; });
  });
  add(path + "/smallest_gap", {""}, "m", [over_contacts](const State& state, double* out) {
    double smallest = std::numeric_limits<double>::infinity();
    over_contacts(state, [&](const ContactState& s) { smallest = std::min(smallest, s.gap); });
    *out = smallest;
  });
  add(path + "/normal_impulse", {""}, "N s",
      [g](const State& state, double* out) { *out = state.sums.group_impulses[g]; });
}

void ChannelList::list_pairs(const std::vector<std::string>& parts, bool planar) {
  const WatchedPairs& watched = machine_.watched_pairs();
  if (watched.empty()) return;
  const std::vector<std::string> axes = axes_of(planar);
  // One fill for all: the contacts are looked at once.
  fills_.push_back(
      {row_size_, [contacts = std::make_shared<PairContacts>(machine_, separates_forces_),
                   axes = axes.size()](const State& state, double* out) {
         const std::vector<PairContact>& pairs = contacts->read(state);
         for (std::size_t p = 0; p < pairs.size(); ++p) {
           const PairContact& pair = pairs[p];
           for (const double value :
                {pair.gap, static_cast<double>(pair.points), static_cast<double>(pair.status)}) {
             *out++ = value;
           }
           for (const Vec3& vector :
                {pair.force, state.sums.pair_impulses[p], pair.position, pair.normal}) {
             put(out, vector, axes);
             out += axes;
           }
         }
       }});
  for (std::size_t p = 0; p < watched.size(); ++p) {
    const auto [a, b] = watched.parts(p);
    const std::string path = fmt::format("pairs/{}/{}/", parts[static_cast<std::size_t>(a)],
                                         parts[static_cast<std::size_t>(b)]);
    add_unfilled(path + "gap", {""}, "m");
    add_unfilled(path + "points", {""}, "");
    add_unfilled(path + "status", {""}, "");
    add_unfilled(path + "force", axes, "N");
    add_unfilled(path + "impulse", axes, "N s");
    add_unfilled(path + "position", axes, "m");
    add_unfilled(path + "normal", axes, "");
  }
}

void ChannelList::list_momentum() {
  const std::vector<std::string> axes{"x", "y", "z"};
  add("system/linear_momentum", axes, "kg m/s", [this](const State& state, double* out) {
    put(out, machine_.momentum(state.q, state.v).head<3>());
  });
  add("system/angular_momentum", axes, "kg m2/s", [this](const State& state, double* out) {
    put(out, machine_.momentum(state.q, state.v).tail<3>());
  });
}

void ChannelList::list_energy() {
  // One fill for all: the energies are measured once.
  fills_.push_back({row_size_, [this](const State& state, double* out) {
                      const EnergyLedger e = ledger_of(machine_, state);
                      for (const double value :
                           {e.kinetic, e.gravity, e.elastic, e.total(), e.load_work, e.motor_work,
                            e.friction_loss, e.impact_loss, e.damper_loss, e.scheme_loss()}) {
                        *out++ = value;
                      }
                      if (machine_.immersions().empty()) return;
                      *out++ = e.buoyancy;
                      *out++ = e.drag_loss;
                    }});
  for (const char* name : {"kinetic", "gravity", "elastic", "total", "load_work", "motor_work",
                           "friction_loss", "impact_loss", "damper_loss", "scheme_loss"}) {
    add_unfilled(std::string("energy/") + name, {""}, "J");
  }
  if (!machine_.immersions().empty()) {
    for (const char* name : {"energy/buoyancy", "energy/drag_loss"}) add_unfilled(name, {""}, "J");
  }
  if (!conserves_) return;
  add("exchange/normal", exchange_parts(), "J", [](const State& state, double* out) {
    put_exchange(out, state.sums.ledger.normal_exchange);
  });
  add("exchange/tangential", exchange_parts(), "J", [](const State& state, double* out) {
    put_exchange(out, state.sums.ledger.tangential_exchange);
  });
}

void ChannelList::list_counters(const long& substeps) {
  const auto counter = [this](const char* name, auto StepCounts::*count) {
    add(std::string("solver/") + name, {""}, "",
        [count](const State& state, double* out) { *out = state.sums.counts.*count; });
  };
  counter("smooth_iterations", &StepCounts::smooth);
  counter("position_iterations", &StepCounts::position);
  counter("velocity_iterations", &StepCounts::velocity);
  counter("regularised_solves", &StepCounts::regularised);
  counter("recovered_solves", &StepCounts::recovered);
  counter("lessened_steps", &StepCounts::lessened);
  counter("plastic_steps", &StepCounts::plastic);
  counter("impacts", &StepCounts::impacts);
  counter("sweeps", &StepCounts::sweeps);
  counter("unfinished_solves", &StepCounts::unfinished);
  counter("sweep_residual", &StepCounts::sweep_residual);
  add("solver/substeps", {""}, "",
      [&substeps](const State&, double* out) { *out = static_cast<double>(substeps); });
}

void ChannelList::add_unfilled(std::string path, std::vector<std::string> components,
                               std::string unit) {
  channels_.push_back({std::move(path), std::move(components), std::move(unit), row_size_});
  row_size_ += static_cast<int>(channels_.back().components.size());
}

void ChannelList::add(std::string path, std::vector<std::string> components, std::string unit,
                      Put fill) {
  fills_.push_back({row_size_, std::move(fill)});
  add_unfilled(std::move(path), std::move(components), std::move(unit));
}

void ChannelList::sample(const State& state, std::span<double> row) const {
  for (const Fill& fill : fills_) fill.put(state, row.data() + fill.offset);
}

std::vector<double> ChannelList::read(const State& state, std::string_view path) const {
  if (const auto values = find(state, path)) return *values;
  if (const auto turned = turned_quantity(path)) {
    if (auto values = find(state, turned->path)) {
      for (double& value : *values) value *= turned->sign;
      return *values;
    }
  }
  throw Error(fmt::format("there is no quantity '{}'", path));
}

std::optional<std::vector<double>> ChannelList::find(const State& state,
                                                     std::string_view path) const {
  for (const Channel& channel : channels_) {
    if (!path.starts_with(channel.path)) continue;
    const auto width = static_cast<std::ptrdiff_t>(channel.components.size());
    std::ptrdiff_t first = 0, count = width;
    if (path.size() > channel.path.size()) {  // "<channel>/<component>"
      if (path[channel.path.size()] != '/') continue;
      const auto found = std::find(channel.components.begin(), channel.components.end(),
                                   path.substr(channel.path.size() + 1));
      if (found == channel.components.end()) continue;
      first = found - channel.components.begin();
      count = 1;
    }
    // The fill that covers the channel may put values of its neighbours, too.
    const auto after = std::find_if(fills_.begin(), fills_.end(),
                                    [&](const Fill& fill) { return fill.offset > channel.offset; });
    const int end = after == fills_.end() ? row_size_ : after->offset;
    const Fill& fill = *std::prev(after);
    std::vector<double> filled(static_cast<std::size_t>(end - fill.offset));
    fill.put(state, filled.data());
    const auto begin = filled.begin() + (channel.offset - fill.offset) + first;
    return std::vector<double>(begin, begin + count);
  }
  return std::nullopt;
}

double ChannelList::read_one(const State& state, std::string_view path) const {
  const std::vector<double> values = read(state, path);
  if (values.size() == 1) return values[0];
  throw Error(fmt::format("'{}' has {} components; name one of them", path, values.size()));
}

}  // namespace clatter
