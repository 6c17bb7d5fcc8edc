#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/contact/geometry/frame_between.hpp>
#include <clatter/math/stopwatch.hpp>
#include <clatter/schemes/energy_consistent/energy_consistent.hpp>

namespace clatter {
namespace {

constexpr int most_activations = 20;
constexpr int most_placings = 30;
/// Of the larger body, 003: a contact that is deeper makes the step too long.
constexpr double deepest = 1e-2;

}  // namespace

EnergyConsistent::EnergyConsistent(const Machine& machine, const IntegratorSpec& spec)
    : Scheme(machine, spec),
      problem_(spec.variant),
      middle_(machine.initial_configuration()),
      way_(NodalVector::Zero(machine.nodal_size())),
      mean_velocity_(way_) {
  problem_.bodies.resize(machine.nodes().size());
  for (const Node& node : machine.nodes()) {
    if (!node.rotates_in_space) continue;
    const Mat3 mean = node.inertia.trace() / 3.0 * Mat3::Identity();
    if ((node.inertia - mean).norm() > 1e-9 * mean.norm()) {
      throw Error(fmt::format("body '{}': the integrator \"energy_consistent\" takes bodies in "
                              "space that are alike about all axes, such as spheres",
                              node.name));
    }
  }
}

bool EnergyConsistent::visit_contact_problems(std::function<void(const ContactProblem&)> /*visit*/) {
  return false;
}

void EnergyConsistent::size_contacts() {
  const std::size_t count = w_.contacts.count();
  first_row_.resize(count);
  is_active_.assign(count, 0);
  gap_at_end_.assign(count, 0.0);
  active_.reserve(count);
  problem_.contacts.resize(count);
  int rows = 0;
  for (std::size_t c = 0; c < count; ++c) {
    first_row_[c] = rows;
    rows += w_.contacts.contact(c).rows();
  }
  problem_.rows.resize(static_cast<std::size_t>(rows));
}

Vec6 EnergyConsistent::to_body(std::size_t node, const Configuration& q, const Vec6& space) const {
  Vec6 own = space;
  if (w_.machine.nodes()[node].rotates_in_space) {
    own.tail<3>() = q[node].R.transpose() * space.tail<3>();
  }
  return own;
}

bool EnergyConsistent::try_step(double t, double h) {
  const Stopwatch stopwatch(times_.velocity);
  if (is_active_.size() != w_.contacts.count()) size_contacts();
  w_.set_time(*w_.state, t + 0.5 * h);
  w_.begin(*w_.state, h);
  begin_bodies();
  for (int island = 0; island < w_.islands.count(); ++island) {
    if (!solve_island(island)) return false;
  }
  if (!w_.contacts.far_ones_stay_open(*w_.state, w_.q, w_.total, w_.failure)) return false;
  w_.set_time(*w_.state, t + h);
  finish();
  return true;
}

void EnergyConsistent::begin_bodies() {
  const State& state = *w_.state;
  problem_.h = w_.h;
  length_ = w_.span;
  w_.q = middle_ = state.q;
  for (std::size_t n = 1; n < problem_.bodies.size(); ++n) {
    const Node& node = w_.machine.nodes()[n];
    MidpointContacts::Body& body = problem_.bodies[n];
    body.inverse_mass << node.inverse_mass * node.translations(), node.inverse_inertia.diagonal();
    body.v = of_node(state.v, static_cast<Eigen::Index>(n));
    if (node.rotates_in_space) body.v.tail<3>() = state.q[n].R * body.v.tail<3>();
    body.mid = body.v;
    body.extra.setZero();
  }
}

void EnergyConsistent::find_loads(std::span<const int> nodes) {
  for (const int n : nodes) {
    const auto node = static_cast<std::size_t>(n);
    MidpointContacts::Body& body = problem_.bodies[node];
    set_node(mean_velocity_, n, to_body(node, middle_, body.mid));
  }
  w_.machine.forces(middle_, mean_velocity_, w_.instant, w_.f);
  for (const int n : nodes) {
    const auto node = static_cast<std::size_t>(n);
    MidpointContacts::Body& body = problem_.bodies[node];
    body.load = w_.h * of_node(w_.f, n);
    if (w_.machine.nodes()[node].rotates_in_space) {
      body.load.tail<3>() = middle_[node].R * body.load.tail<3>();
    }
  }
}

/// Where the bodies of an island are in the middle of the step and at its end.
void EnergyConsistent::place(std::span<const int> nodes) {
  const State& state = *w_.state;
  for (const int n : nodes) {
    const auto node = static_cast<std::size_t>(n);
    const Vec6 way = to_body(node, state.q, w_.h * problem_.bodies[node].way());
    set_node(way_, n, way);
    retract(w_.machine.nodes()[node], state.q[node], 0.5 * way, middle_[node]);
    retract(w_.machine.nodes()[node], state.q[node], way, w_.q[node]);
  }
}

bool EnergyConsistent::solve_island(int island) {
  const std::span<const int> nodes = w_.islands.nodes(island);
  const std::span<const int> near = w_.islands.contacts(island);
  find_loads(nodes);
  problem_.begin(nodes);
  place(nodes);
  active_.clear();
  for (const int c : near) {
    is_active_[static_cast<std::size_t>(c)] = 0;
    for (int i = 0; i < w_.contacts.contact(static_cast<std::size_t>(c)).rows(); ++i) {
      problem_.rows[static_cast<std::size_t>(first_row_[static_cast<std::size_t>(c)] + i)] = {};
    }
  }
  for (int trial = 0; trial < most_activations; ++trial) {
    if (!activate(island)) return true;
    if (!find_motion(nodes)) return false;
  }
  return true;
}

bool EnergyConsistent::activate(int island) {
  const State& state = *w_.state;
  const double touching = 1e-12 * length_;
  bool any = false;
  for (const int index : w_.islands.contacts(island)) {
    const auto c = static_cast<std::size_t>(index);
    const Contact& contact = w_.contacts.contact(c);
    gap_at_end_[c] = contact.gap(w_.q, state.turns);
    if (is_active_[c] != 0 || !(gap_at_end_[c] < -touching) || !contact.over_face(w_.q)) continue;
    is_active_[c] = 1;
    active_.push_back(index);
    any = true;
  }
  if (any) std::sort(active_.begin(), active_.end());
  return any;
}

bool EnergyConsistent::find_motion(std::span<const int> nodes) {
  NodalVector& before = w_.momentum;  // free here
  for (int placing = 0; placing < most_placings; ++placing) {
    for (const int n : nodes) set_node(before, n, of_node(way_, n));
    if (placing > 0) find_loads(nodes);
    for (const int c : active_) make_rows(static_cast<std::size_t>(c));
    problem_.begin(nodes);
    problem_.apply(active_);
    if (!problem_.solve(active_)) {
      w_.failure = "contacts: sweeps did not converge";
      return false;
    }
    w_.counts.sweeps = std::max(w_.counts.sweeps, problem_.sweeps());
    w_.counts.velocity = std::max(w_.counts.velocity, problem_.rounds());
    place(nodes);
    double change = 0.0, size = 0.0;
    for (const int n : nodes) {
      change = std::max(change, (of_node(way_, n) - of_node(before, n)).lpNorm<Eigen::Infinity>());
      size = std::max(size, of_node(way_, n).lpNorm<Eigen::Infinity>());
    }
    if (change <= 1e-13 * size) break;
  }
  if (problem_.took_limit()) ++w_.counts.recovered;
  for (const int index : active_) {
    const auto c = static_cast<std::size_t>(index);
    const Contact& contact = w_.contacts.contact(c);
    const double gap = contact.gap(w_.q, w_.state->turns);
    double size = std::max(w_.machine.extent(static_cast<std::size_t>(contact.a())),
                           w_.machine.extent(static_cast<std::size_t>(contact.b())));
    if (size == 0.0) size = w_.machine.length();
    if (gap < -deepest * size && gap < 2.0 * w_.contacts.work[c].gap_at_start) {
      w_.failure = fmt::format("contact '{}' would be {:.3g} m deep", contact.name(), -gap);
      return false;
    }
  }
  return true;
}

void EnergyConsistent::set_row(MidpointContacts::Row& row, const ContactFrame& frame,
                               const Vec3& direction) const {
  row.Ga << -direction, -frame.arm_a.cross(direction);
  row.Gb << direction, frame.arm_b.cross(direction);
}

bool EnergyConsistent::correct_normal(const Contact& contact, ContactFrame& frame,
                                      const MidpointContacts::Row& before) const {
  const auto a = static_cast<std::size_t>(contact.a()), b = static_cast<std::size_t>(contact.b());
  if (contact.a() == ground || contact.b() == ground) return false;
  const double size = frame.arm_a.norm() + frame.arm_b.norm();
  if (frame.arm_a.cross(frame.normal).norm() + frame.arm_b.cross(frame.normal).norm() >
      1e-12 * size) {
    return false;
  }
  if (!(before.impulse > 0.0)) return true;
  const auto share = [&](std::size_t n, const Vec6& G) -> Vec3 {
    const MidpointContacts::Body& body = problem_.bodies[n];
    return G.dot(body.change()) / body.inverse_mass[0] * body.mid.head<3>();
  };
  // Both parts are antisymmetric: of b, and with the sign of its row of a.
  const Vec3 V = share(b, before.Gb) - share(a, before.Ga);
  const Vec3 start = w_.state->q[b].x - w_.state->q[a].x, end = w_.q[b].x - w_.q[a].x;
  const Vec3 between = 0.5 * (start + end);
  frame.normal =
      (between - 0.5 * w_.h * before.psi / before.impulse * V).normalized();
  carry_tangents(frame.tangents[0], contact.is_planar(), frame);
  return true;
}

void EnergyConsistent::make_rows(std::size_t c) {
  const Contact& contact = w_.contacts.contact(c);
  const State& state = *w_.state;
  const ContactState& of = state.contacts[c];
  const CompliantLaw& law = *contact.compliance();
  const auto first = static_cast<std::size_t>(first_row_[c]);
  MidpointContacts::Row& normal = problem_.rows[first];
  MidpointContacts::Contact& into = problem_.contacts[c];
  into.first_row = first_row_[c];
  into.rows = contact.rows();
  const FrictionBlock* sliding = contact.block(FrictionKind::sliding);
  into.friction = sliding == nullptr ? 0.0 : sliding->coefficient;

  ContactFrame frame = frame_between(contact, middle_, of.tangent);
  const bool has_force = normal.impulse > 0.0;
  const bool is_central = correct_normal(contact, frame, normal);
  double s = 0.0;
  for (int i = 0; i < contact.rows(); ++i) {
    MidpointContacts::Row& row = problem_.rows[first + static_cast<std::size_t>(i)];
    const bool is_normal = i == 0;
    row.a = contact.a();
    row.b = contact.b();
    set_row(row, frame, is_normal ? frame.normal : frame.tangents[static_cast<std::size_t>(i - 1)]);
    if (is_normal && is_central) {
      row.Ga.tail<3>().setZero();
      row.Gb.tail<3>().setZero();
    }
    if (is_normal) s = problem_.displacement(row);
    const SpringAndDashpot& pair = is_normal ? law.normal_pair() : law.tangential_pair();
    row.stiffness = pair.stiffness;
    const auto mass = [&](int n) {
      return n == ground ? 0.0 : w_.machine.nodes()[static_cast<std::size_t>(n)].mass;
    };
    row.closing = w_.spec.closing_factor * pair.ratio /
                  (w_.h * std::sqrt(pair.stiffness / std::max(mass(row.a), mass(row.b))));
    row.is_tangential = !is_normal;
    row.is_held = !is_normal && of.status != ContactStatus::open;
    row.gap = is_normal ? w_.contacts.work[c].gap_at_start : of.shear[i];
    row.remainder = 0.0;
  }
  if (has_force) normal.remainder = contact.gap(w_.q, state.turns) - normal.gap - s;
}

void EnergyConsistent::finish_contact(std::size_t c) {
  ContactWork& work = w_.contacts.work[c];
  ContactState& of = w_.state->contacts[c];
  const Contact& contact = w_.contacts.contact(c);
  of.force.setZero();
  of.elastic = 0.0;
  const MidpointContacts::Contact& found = problem_.contacts[c];
  const bool is_closed =
      work.near && is_active_[c] != 0 && found.status != ContactStatus::open;
  work.closed = is_closed;
  const bool has_springs = w_.spec.variant == ConservingKind::simo_tarnow;
  const CompliantLaw& law = *contact.compliance();
  if (has_springs) of.elastic = law.energy(-contact.gap(w_.q, w_.state->turns));
  if (!is_closed) {
    of.shear.setZero();
    return;
  }
  work.status = found.status;
  work.block_status.fill(found.status);
  work.met_at = -work.rate_at_start[0];
  for (int i = 0; i < contact.rows(); ++i) {
    const MidpointContacts::Row& row =
        problem_.rows[static_cast<std::size_t>(first_row_[c] + i)];
    const double s = problem_.displacement(row);
    work.impulse[i] = row.impulse;
    of.force[i] = row.impulse / w_.h;
    if (i > 0) {
      const double stored = 0.5 * row.stiffness * of.shear[i] * of.shear[i];
      of.shear[i] = found.status == ContactStatus::stick ? of.shear[i] + s
                                                         : -of.force[i] / row.stiffness;
      const double holds = 0.5 * row.stiffness * of.shear[i] * of.shear[i];
      work.done[i] = of.force[i] * s - 0.5 * row.psi * problem_.projected_square(row);
      if (has_springs) {
        of.elastic += holds;
        work.done[i] += holds - stored;
      }
    }
  }
}

void EnergyConsistent::finish() {
  for (std::size_t n = 1; n < problem_.bodies.size(); ++n) {
    const MidpointContacts::Body& body = problem_.bodies[n];
    const auto index = static_cast<Eigen::Index>(n);
    set_node(w_.v, index, to_body(n, w_.q, body.v + body.change()));
    set_node(w_.total, index, of_node(way_, index));
    set_node(w_.vd, index,
             to_body(n, w_.q, body.inverse_mass.cwiseProduct(body.load) / w_.h));
  }
  for (std::size_t c = 0; c < w_.contacts.count(); ++c) finish_contact(c);
  w_.contacts.evaluate_rows(*w_.state, w_.q);
  accept(w_.vd);
}

}  // namespace clatter
