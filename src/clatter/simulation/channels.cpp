#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <clatter/simulation/channels.hpp>

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
  if (planar) return planar_entries;
  return spatial_entries;
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

}  // namespace

ChannelList::ChannelList(const Model& model, const System& system, const Integrator& integrator,
                         const Books& books)
    : system_(system), integrator_(integrator), books_(books) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) list_body(model.bodies[b], b + 1);
  for (const Beam& beam : system_.beams()) {
    list_nodes(beam);
    list_sections(beam);
  }
  for (const Spring& spring : system_.springs()) list_spring(spring);
  for (std::size_t j = 0; j < system_.joints().size(); ++j) list_joint(j);
  for (int c = 0; c < system_.own_contacts(); ++c) list_contact(static_cast<std::size_t>(c));
  for (std::size_t g = 0; g < system_.contact_groups().size(); ++g) list_group(static_cast<int>(g));
  list_momentum();
  list_energy();
  list_counters();
}

void ChannelList::list_body(const BodySpec& body, std::size_t n) {
  const auto node = static_cast<int>(n);
  const std::string path = "bodies/" + body.name;
  const bool planar = body.kind == BodyKind::planar;
  const std::vector<std::string> axes = axes_of(planar);
  const std::size_t count = axes.size();
  add(path + "/position", axes, "m", [this, n, node, count](double* out) {
    const NodeState& state = integrator_.q()[n];
    put(out, state.x - state.R * system_.centre_of_mass(node), count);
  });
  if (planar) {
    add(path + "/angle", {""}, "rad", [this, n](double* out) { *out = integrator_.q()[n].angle; });
  } else if (body.kind == BodyKind::rigid) {
    add(path + "/orientation", {"w", "x", "y", "z"}, "",
        [this, n](double* out) { put(out, integrator_.q()[n].p); });
  }
  add(path + "/velocity", axes, "m/s", [this, n, node, count](double* out) {
    const NodeState& state = integrator_.q()[n];
    const Vec6 v = of_node(integrator_.v(), node);
    const Vec3 spin = state.R * v.tail<3>();
    put(out, v.head<3>() - spin.cross(state.R * system_.centre_of_mass(node)), count);
  });
  if (planar) {
    add(path + "/angular_velocity", {""}, "rad/s",
        [this, node](double* out) { *out = of_node(integrator_.v(), node)[5]; });
  } else if (body.kind == BodyKind::rigid) {
    add(path + "/angular_velocity", axes, "rad/s",
        [this, node](double* out) { put(out, of_node(integrator_.v(), node).tail<3>()); });
  }
}

void ChannelList::list_nodes(const Beam& beam) {
  const auto add_of_nodes = [&](const char* name, const std::vector<std::string>& components,
                                const char* unit, auto put_node) {
    const std::size_t width = std::max<std::size_t>(components.size(), 1);
    add("beams/" + beam.name + "/" + name, numbered(0, beam.nodes, components), unit,
        [this, &beam, width, put_node](double* out) {
          for (int n = beam.first_node; n < beam.first_node + beam.nodes; ++n, out += width) {
            put_node(out, integrator_.q()[static_cast<std::size_t>(n)],
                     Vec6(of_node(integrator_.v(), n)));
          }
        });
  };
  const std::vector<std::string> axes = axes_of(beam.planar);
  const std::size_t count = axes.size();
  using State = NodeState;
  add_of_nodes("position", axes, "m",
               [count](double* out, const State& state, const Vec6&) { put(out, state.x, count); });
  if (beam.planar) {
    add_of_nodes("angle", {}, "rad",
                 [](double* out, const State& state, const Vec6&) { *out = state.angle; });
  } else {
    add_of_nodes("orientation", {"w", "x", "y", "z"}, "",
                 [](double* out, const State& state, const Vec6&) { put(out, state.p); });
  }
  add_of_nodes("velocity", axes, "m/s",
               [count](double* out, const State&, const Vec6& v) { put(out, v.head<3>(), count); });
  if (beam.planar) {
    add_of_nodes("angular_velocity", {}, "rad/s",
                 [](double* out, const State&, const Vec6& v) { *out = v[5]; });
  } else {
    add_of_nodes("angular_velocity", axes, "rad/s",
                 [](double* out, const State&, const Vec6& v) { put(out, v.tail<3>()); });
  }
}

void ChannelList::list_sections(const Beam& beam) {
  // One fill for all: forces and strains come from the same evaluation of an element.
  fills_.push_back({row_size_, [this, &beam](double* out) { put_sections(beam, out); }});
  for (const auto& quantities : {resultants, strains}) {
    for (const int i : section_entries(beam.planar)) {
      const SectionQuantity& quantity = quantities[static_cast<std::size_t>(i)];
      add_unfilled("beams/" + beam.name + "/" + quantity.name, numbered(1, beam.elements),
                   quantity.unit);
    }
  }
}

void ChannelList::put_sections(const Beam& beam, double* out) const {
  for (int e = 0; e < beam.elements; ++e) {
    const BeamElement& element = system_.beam_elements()[beam.first_element + e];
    const BeamElement::Section section = element.section(integrator_.q(), integrator_.v());
    double* at = out + e;
    for (const SectionVector* values : {&section.resultant, &section.strain}) {
      for (const int i : section_entries(beam.planar)) {
        *at = (*values)[i];
        at += beam.elements;
      }
    }
  }
}

void ChannelList::list_spring(const Spring& spring) {
  const std::string path = "springs/" + spring.name();
  add(path + "/coordinate", {""}, "m or rad",
      [this, &spring](double* out) { *out = spring.coordinate(integrator_.q()); });
  add(path + "/tension", {""}, "N or N m", [this, &spring](double* out) {
    Spring::Force force;
    spring.force(integrator_.q(), integrator_.v(), force);
    *out = force.tension;
  });
}

ChannelList::JointMultipliers ChannelList::of_joint(const VecX& all, std::size_t j) const {
  return all.segment(system_.joints()[j].first_row,
                     integrator_.joint_rows(static_cast<int>(j)).rows());
}

ChannelList::JointMultipliers ChannelList::mean_force(std::size_t j) const {
  JointMultipliers force = of_joint(integrator_.joint_forces(), j);
  if (!integrator_.is_struck(static_cast<int>(j)) && books_.last_step_size > 0.0)
    force += of_joint(integrator_.joint_impulses(), j) / books_.last_step_size;
  return force;
}

void ChannelList::joint_reaction(std::size_t j, const JointMultipliers& multipliers, Vec3& force,
                                 Vec3& torque) const {
  const KktMatrix::Rows& rows = integrator_.joint_rows(static_cast<int>(j));
  const Vec6 on_b = rows.rightCols<6>().transpose() * multipliers;
  system_.joints()[j].reaction(on_b, integrator_.q(), force, torque);
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
        [this, &joint](double* out) { *out = joint.coordinate(integrator_.q()); });
  }
}

void ChannelList::list_contact(std::size_t c) {
  const Contact& contact = system_.contacts()[c];
  const std::string path = "contacts/" + contact.name();
  const auto state = [this, c]() -> const ContactState& { return integrator_.contacts()[c]; };
  const bool apart = integrator_.separates_forces();
  // Else the impulse of a step without an impact tells the mean force.
  const auto forces = [state, apart]() -> const RowVector& {
    return apart ? state().force : state().impulse;
  };
  const auto force_factor = [this, state, apart] {
    if (apart) return 1.0;
    return state().persistent && books_.last_step_size > 0.0 ? 1.0 / books_.last_step_size : 0.0;
  };
  add(path + "/gap", {""}, "m", [state](double* out) { *out = state().gap; });
  add(path + "/normal_velocity", {""}, "m/s", [state](double* out) { *out = state().rate[0]; });
  add(path + "/status", {""}, "",
      [state](double* out) { *out = static_cast<double>(state().status); });
  add(path + "/normal_impulse", {""}, "N s",
      [this, c](double* out) { *out = books_.interval_impulses[c][0]; });
  add(path + "/normal_force", {""}, "N",
      [forces, force_factor](double* out) { *out = force_factor() * forces()[0]; });
  if (apart) {
    add(path + "/normal_percussion", {""}, "N s",
        [this, c](double* out) { *out = books_.interval_percussions[c][0]; });
  }

  for (std::size_t k = 0; k < contact.blocks().size(); ++k) {
    const FrictionBlock block = contact.blocks()[k];  // a copy: lists of contacts grow and move
    const auto part = [block](double* out, const RowVector& v, double factor) {
      for (int i = 0; i < block.rows; ++i) out[i] = factor * v[block.first_row + i];
    };
    const FrictionNames& names = names_of(block.kind);
    const std::vector<std::string> rows = block.rows == 1 && block.kind == FrictionKind::drilling
                                              ? std::vector<std::string>{""}
                                              : numbered(1, block.rows);
    add(path + names.velocity, rows, names.velocity_unit,
        [state, part](double* out) { part(out, state().rate, 1.0); });
    add(path + names.impulse, rows, names.impulse_unit,
        [this, c, part](double* out) { part(out, books_.interval_impulses[c], 1.0); });
    add(path + names.force, rows, names.force_unit,
        [forces, part, force_factor](double* out) { part(out, forces(), force_factor()); });
    if (apart) {
      add(path + names.percussion, rows, names.impulse_unit,
          [this, c, part](double* out) { part(out, books_.interval_percussions[c], 1.0); });
    }
    if (block.kind == FrictionKind::sliding) continue;  // that is the status of the contact
    add(path + names.status, {""}, "",
        [state, k](double* out) { *out = static_cast<double>(state().block_status[k]); });
  }
}

void ChannelList::list_group(int g) {
  const auto group = static_cast<std::size_t>(g);
  const std::string path = "contacts/" + system_.contact_groups()[group].contact.name;
  const auto over_contacts = [this, g](auto&& visit) {
    for (std::size_t c = 0; c < system_.contacts().size(); ++c) {
      if (system_.contacts()[c].group == g) visit(integrator_.contacts()[c]);
    }
  };
  const auto count = [over_contacts](auto&& is) {
    int sum = 0;
    over_contacts([&](const ContactState& state) { sum += is(state) ? 1 : 0; });
    return sum;
  };
  add(path + "/closed", {""}, "", [count](double* out) {
    *out = count([](const ContactState& s) { return s.status != ContactStatus::open; });
  });
  add(path + "/sticking", {""}, "", [count](double* out) {
    *out = count([](const ContactState& s) { return s.status == ContactStatus::stick; });
  });
  add(path + "/smallest_gap", {""}, "m", [over_contacts](double* out) {
    double smallest = std::numeric_limits<double>::infinity();
    over_contacts([&](const ContactState& s) { smallest = std::min(smallest, s.gap); });
    *out = smallest;
  });
  add(path + "/normal_impulse", {""}, "N s",
      [this, group](double* out) { *out = books_.interval_group_impulses[group]; });
}

void ChannelList::list_momentum() {
  const std::vector<std::string> axes{"x", "y", "z"};
  add("system/linear_momentum", axes, "kg m/s", [this](double* out) {
    put(out, system_.momentum(integrator_.q(), integrator_.v()).head<3>());
  });
  add("system/angular_momentum", axes, "kg m2/s", [this](double* out) {
    put(out, system_.momentum(integrator_.q(), integrator_.v()).tail<3>());
  });
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
  counter("impacts", &StepCounts::impacts);
  counter("sweeps", &StepCounts::sweeps);
  counter("unfinished_solves", &StepCounts::unfinished);
  add("solver/sweep_residual", {""}, "",
      [this](double* out) { *out = books_.interval_counts.sweep_residual; });
}

void ChannelList::add_unfilled(std::string path, std::vector<std::string> components,
                               std::string unit) {
  channels_.push_back({std::move(path), std::move(components), std::move(unit), row_size_});
  row_size_ += static_cast<int>(channels_.back().components.size());
}

void ChannelList::add(std::string path, std::vector<std::string> components, std::string unit,
                      std::function<void(double*)> fill) {
  fills_.push_back({row_size_, std::move(fill)});
  add_unfilled(std::move(path), std::move(components), std::move(unit));
}

void ChannelList::sample(std::span<double> row) const {
  for (const Fill& fill : fills_) fill.put(row.data() + fill.offset);
}

}  // namespace clatter
