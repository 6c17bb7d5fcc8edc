#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <clatter/contact/geometry/frame_between.hpp>
#include <clatter/math/stopwatch.hpp>
#include <clatter/schemes/energy_consistent/energy_consistent.hpp>

namespace clatter {
namespace {

constexpr int most_placings = 30;
constexpr int most_passes = 60;

/// Of the end of a step in the velocity that drag acts on, which would take `slowed` of it.
double drag_weight(double slowed) { return slowed > 2.0 ? 1.0 - 1.0 / slowed : 0.5; }

}  // namespace

EnergyConsistent::EnergyConsistent(const Machine& machine, const IntegratorSpec& spec)
    : Scheme(machine, spec),
      problem_(spec.variant),
      middle_(machine.initial_configuration()),
      way_(NodalVector::Zero(machine.nodal_size())),
      mean_velocity_(way_) {
  problem_.tolerance = spec.tolerance;
  problem_.bodies.resize(machine.nodes().size());
  w_.instant.has_drag = false;
  for (std::size_t n = 1; n < machine.nodes().size(); ++n)
    all_nodes_.push_back(static_cast<int>(n));
  list_driven();
  for (const Node& node : machine.nodes()) {
    if (!node.rotates_in_space) continue;
    const Mat3 mean = node.inertia.trace() / 3.0 * Mat3::Identity();
    if ((node.inertia - mean).norm() > 1e-9 * mean.norm()) {
      throw Error(
          fmt::format("body '{}': the integrator \"energy_consistent\" takes bodies in "
                      "space that are alike about all axes, such as spheres",
                      node.name));
    }
  }
}

void EnergyConsistent::list_driven() {
  is_driven_.assign(w_.machine.nodes().size(), 0);
  for (std::size_t j = 0; j < w_.machine.joints().size(); ++j) {
    const Joint& joint = w_.machine.joints()[j];
    const int node = std::max(joint.a(), joint.b());  // the ground is 0
    driven_.push_back({j, node});
    is_driven_[static_cast<std::size_t>(node)] = 1;
  }
}

/// Puts driven bodies to where they are at the end of the step, w_.instant, and lets them go there
/// evenly.
bool EnergyConsistent::begin_driven() {
  for (Driven& driven : driven_) {
    const auto node = static_cast<std::size_t>(driven.node);
    const Joint& joint = w_.machine.joints()[driven.joint];
    const Joint::Drive& drive = w_.instant.drives[driven.joint];
    const NodeState& start = w_.state->q[node];
    const Eigen::Index first = joint.a() == driven.node ? 0 : 6;
    Vec12 g;
    Vec3 misfit, rate;
    Vec6 way = Vec6::Zero();
    bool fits = false;
    for (int i = 0; i < most_placings && !fits; ++i) {
      retract(w_.machine.nodes()[node], start, way, w_.q[node]);
      for (Eigen::Index r = 0; r < 3; ++r) {
        const JointRow& row = joint.rows()[static_cast<std::size_t>(r)];
        row.row(w_.q, g);
        driven.G.row(r) << g[first], g[first + 1], g[first + 5];
        misfit[r] = joint.misfit(row, drive, w_.q);
        rate[r] = Joint::target_rate(row, drive);
      }
      const Vec3 change = driven.G.inverse() * misfit;
      // Newton's method has done what it can when it changes nothing but round-off.
      fits = std::hypot(change[0], change[1]) <= 1e-13 * w_.span && std::abs(change[2]) <= 1e-13;
      way[0] -= change[0];
      way[1] -= change[1];
      way[5] -= change[2];
    }
    if (!fits) {
      w_.failure =
          fmt::format("joint '{}' cannot be driven to where its motor wants it", joint.name());
      return false;
    }
    driven.v_end = driven.G.inverse() * rate;
    MidpointContacts::Body& body = problem_.bodies[node];
    body.v = body.mid = way / w_.h;
    body.inverse_mass.setZero();
    body.compliance.setZero();
    body.kept.setOnes();
  }
  return true;
}

/// What the motor does to make the body go as it does.
void EnergyConsistent::finish_driven(const Driven& driven) {
  const auto node = static_cast<std::size_t>(driven.node);
  const MidpointContacts::Body& body = problem_.bodies[node];
  Vec6 push = body.load;
  for (std::size_t c = 0; c < w_.contacts.count(); ++c) {
    if (is_active_[c] == 0 || !w_.contacts.work[c].near) continue;
    for (int i = 0; i < w_.contacts.contact(c).rows(); ++i) {
      const MidpointContacts::Row& row = problem_.rows[static_cast<std::size_t>(first_row_[c] + i)];
      if (row.a == driven.node) push += row.impulse * row.Ga;
      if (row.b == driven.node) push += row.impulse * row.Gb;
    }
  }
  const Node& of = w_.machine.nodes()[node];
  const Vec6 before = of_node(w_.state->v, driven.node);
  const Vec3 v_start(before[0], before[1], before[5]), masses(of.mass, of.mass, of.inertia(2, 2));
  const Vec3 gained = masses.cwiseProduct(driven.v_end - v_start);
  const double kinetic = 0.5 * gained.dot(driven.v_end + v_start);
  w_.state->sums.ledger.motor_work += kinetic - push.dot(body.way());
  const Vec3 pushed(push[0], push[1], push[5]);
  w_.joint_forces.segment<3>(w_.machine.joints()[driven.joint].first_row) =
      driven.G.transpose().inverse() * (gained - pushed) / w_.h;
  Vec6 v = Vec6::Zero(), vd = Vec6::Zero();
  v.head<2>() = driven.v_end.head<2>();
  v[5] = driven.v_end[2];
  vd = (v - before) / w_.h;
  set_node(w_.v, driven.node, v);
  set_node(w_.vd, driven.node, vd);
}

bool EnergyConsistent::visit_contact_problems(
    std::function<void(const ContactProblem&)> /*visit*/) {
  return false;
}

void EnergyConsistent::size_contacts() {
  const std::size_t count = w_.contacts.count();
  first_row_.resize(count);
  is_active_.assign(count, 0);
  active_.reserve(count);
  near_.reserve(count);
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
  w_.set_time(*w_.state, t + h);
  w_.begin(*w_.state, h);
  begin_bodies();
  if (!begin_driven()) return false;
  place(all_nodes_);
  w_.set_time(*w_.state, t + 0.5 * h);
  // Loads that depend on the motion are found with it.
  bool is_settled = false;
  for (int pass = 0; pass < most_passes && !is_settled; ++pass) {
    is_settled = find_loads() <= 1e-4 * w_.spec.tolerance && pass > 0;
    if (is_settled) break;
    for (int island = 0; island < w_.islands.count(); ++island) {
      if (!solve_island(island)) return false;
    }
  }
  if (!is_settled) {
    w_.failure = "loads change too fast with the motion for the midpoint rule at this step";
    return false;
  }
  if (!w_.contacts.far_ones_stay_open(*w_.state, w_.q, way_, w_.failure)) return false;
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
    body.load.setZero();
    begin_drag(n);
  }
}

/// The drag of a fluid acts on v_mid; in steps of more than two times in which it halts a body,
/// where that would throw velocities from side to side, more and more on the end of the step.
void EnergyConsistent::begin_drag(std::size_t n) {
  MidpointContacts::Body& body = problem_.bodies[n];
  body.compliance = body.inverse_mass;
  body.kept.setOnes();
  if (w_.machine.immersions().empty()) return;
  for (int i = 0; i < 6; ++i) {
    const double slowed = w_.h * drag_of(n)[i] * body.inverse_mass[i];
    const double weight = drag_weight(slowed);
    body.compliance[i] /= 1.0 + weight * slowed;
    body.kept[i] = (1.0 - 0.5 * slowed * (1.0 - 2.0 * weight)) / (1.0 + weight * slowed);
  }
}

Vec6 EnergyConsistent::drag_of(std::size_t n) const {
  const Immersion& in = w_.machine.immersions()[n];
  Vec6 drag;
  drag << Vec3::Constant(in.drag), Vec3::Constant(in.spin_drag);
  return drag;
}

/// Impulses of the drag in the step, and what they take.
Vec6 EnergyConsistent::end_drag(std::size_t n) {
  const MidpointContacts::Body& body = problem_.bodies[n];
  Vec6 impulse = Vec6::Zero();
  if (w_.machine.immersions().empty()) return impulse;
  const Vec6 drag = drag_of(n);
  for (int i = 0; i < 6; ++i) {
    const double weight = drag_weight(w_.h * drag[i] * body.inverse_mass[i]);
    impulse[i] = -w_.h * drag[i] * ((1.0 - 2.0 * weight) * body.v[i] + 2.0 * weight * body.mid[i]);
  }
  w_.state->sums.ledger.drag_loss -= impulse.dot(body.way());
  return impulse;
}

/// h f in the middle of the step. Returns how much it has changed, as part of the momentum.
double EnergyConsistent::find_loads() {
  for (const int n : all_nodes_) {
    const auto node = static_cast<std::size_t>(n);
    set_node(mean_velocity_, n, to_body(node, middle_, problem_.bodies[node].mid));
  }
  w_.machine.forces(middle_, mean_velocity_, w_.instant, w_.f);
  double change = 0.0;
  for (const int n : all_nodes_) {
    const auto node = static_cast<std::size_t>(n);
    MidpointContacts::Body& body = problem_.bodies[node];
    Vec6 load = w_.h * of_node(w_.f, n);
    if (w_.machine.nodes()[node].rotates_in_space) {
      load.tail<3>() = middle_[node].R * load.tail<3>();
    }
    const auto measure = [&](const Vec6& x) {
      return body.inverse_mass.cwiseProduct(x).lpNorm<Eigen::Infinity>();
    };
    const double size = body.mid.lpNorm<Eigen::Infinity>() + measure(load);
    if (size > 0.0) change = std::max(change, measure(load - body.load) / size);
    body.load = load;
  }
  return change;
}

/// Where bodies are in the middle of the step and at its end.
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
  list_near(island);
  problem_.begin(nodes);
  place(nodes);
  active_.clear();
  for (const int index : near_) {
    const auto c = static_cast<std::size_t>(index);
    is_active_[c] = 0;
    const ContactState& of = w_.state->contacts[c];
    for (int i = 0; i < w_.contacts.contact(c).rows(); ++i) {
      MidpointContacts::Row& row = problem_.rows[static_cast<std::size_t>(first_row_[c] + i)];
      row = {};
      if (of.status != ContactStatus::open) row.impulse = of.impulse[i];  // a guess
    }
  }
  // Each time one contact or more, so that this ends.
  while (activate()) {
    do {
      if (!find_motion(nodes, 1)) return false;
    } while (activate());
    if (!find_motion(nodes, most_placings)) return false;
  }
  return is_shallow();
}

void EnergyConsistent::list_near(int island) {
  if (w_.islands.count() > 1) {
    near_.assign(w_.islands.contacts(island).begin(), w_.islands.contacts(island).end());
    return;
  }
  near_.clear();  // one island lists none
  for (const std::size_t c : w_.contacts.near_compliant()) near_.push_back(static_cast<int>(c));
}

bool EnergyConsistent::activate() {
  const State& state = *w_.state;
  const double touching = 1e-12 * length_;
  const bool has_springs = w_.spec.variant == ConservingKind::simo_tarnow;
  bool any = false;
  for (const int index : near_) {
    const auto c = static_cast<std::size_t>(index);
    if (is_active_[c] != 0) continue;
    const Contact& contact = w_.contacts.contact(c);
    const bool pushes = has_springs && w_.contacts.work[c].gap_at_start < 0.0;
    if (!moves_freely(contact.a()) && !moves_freely(contact.b())) continue;
    if (!pushes && !(contact.gap(w_.q, state.turns) < -touching)) continue;
    if (!contact.over_face(w_.q)) continue;
    is_active_[c] = 1;
    active_.push_back(index);
    any = true;
  }
  if (any) std::sort(active_.begin(), active_.end());
  return any;
}

bool EnergyConsistent::find_motion(std::span<const int> nodes, int placings) {
  NodalVector& before = w_.momentum;  // free here
  double least = std::numeric_limits<double>::infinity();
  for (int placing = 0; placing < placings; ++placing) {
    for (const int n : nodes) set_node(before, n, of_node(way_, n));
    for (const int c : active_) make_rows(static_cast<std::size_t>(c));
    problem_.begin(nodes);
    problem_.apply(active_);
    const bool is_solved = problem_.solve(active_);
    w_.counts.sweeps = std::max(w_.counts.sweeps, problem_.sweeps());
    w_.counts.velocity = std::max(w_.counts.velocity, problem_.rounds());
    if (!is_solved) {
      w_.failure = fmt::format("contacts: {} sweeps did not converge", problem_.sweeps());
      return false;
    }
    place(nodes);
    double change = 0.0, size = 0.0;
    for (const int n : nodes) {
      change = std::max(change, (of_node(way_, n) - of_node(before, n)).lpNorm<Eigen::Infinity>());
      size = std::max(size, of_node(way_, n).lpNorm<Eigen::Infinity>());
    }
    // As far as round-off lets directions settle.
    const double enough = 1e-4 * w_.spec.tolerance;
    if (change <= enough * size || (change <= 1e3 * enough * size && change > 0.3 * least)) break;
    least = std::min(least, change);
  }
  if (problem_.limits() > 0) ++w_.counts.recovered;
  if (problem_.left() > 0.0) ++w_.counts.unfinished;
  w_.counts.sweep_residual = std::max(w_.counts.sweep_residual, problem_.left());
  return true;
}

bool EnergyConsistent::is_shallow() {
  for (const int index : active_) {
    const auto c = static_cast<std::size_t>(index);
    const Contact& contact = w_.contacts.contact(c);
    const double gap = contact.gap(w_.q, w_.state->turns);
    const ContactFrame frame = contact.frame(w_.q, w_.state->contacts[c].tangent);
    double size = std::numeric_limits<double>::infinity();
    for (const auto& [n, arm] :
         {std::pair(contact.a(), frame.arm_a.norm()), std::pair(contact.b(), frame.arm_b.norm())}) {
      if (moves_freely(n) && arm > 0.0) size = std::min(size, arm);
    }
    if (gap < -w_.spec.largest_depth * size && gap < w_.contacts.work[c].gap_at_start) {
      w_.failure = fmt::format(
          "contact '{}' would be {:.3g} m deep, more than integrator.largest_depth = {} of its "
          "smaller body; a larger stiffness or damping_ratio keeps them apart",
          contact.name(), -gap, w_.spec.largest_depth);
      return false;
    }
  }
  return true;
}

/// The forces of a row act at one point, and what it does to the way of its bodies besides turns
/// their momenta. That is made good by as much between where its two forces act.
Vec3 EnergyConsistent::lever(const MidpointContacts::Row& before) const {
  if (!(before.psi != 0.0) || !moves_freely(before.a) || !moves_freely(before.b)) {
    return Vec3::Zero();
  }
  const auto share = [&](int n, const Vec6& G, double w) -> Vec3 {
    const MidpointContacts::Body& body = problem_.bodies[static_cast<std::size_t>(n)];
    return G.dot(body.change()) / w * body.mid.head<3>();
  };
  const Vec3 V = share(before.b, before.Gb, before.wb) - share(before.a, before.Ga, before.wa);
  return 0.5 * w_.h * before.psi / before.impulse * V;
}

/// Of two spheres the normal takes care of that, so that it does not turn them.
bool EnergyConsistent::correct_normal(const Contact& contact, ContactFrame& frame,
                                      const Vec3& lever) const {
  const auto a = static_cast<std::size_t>(contact.a()), b = static_cast<std::size_t>(contact.b());
  if (!moves_freely(contact.a()) || !moves_freely(contact.b())) return false;
  const double size = frame.arm_a.norm() + frame.arm_b.norm();
  if (frame.arm_a.cross(frame.normal).norm() + frame.arm_b.cross(frame.normal).norm() >
      1e-12 * size) {
    return false;
  }
  const Vec3 start = w_.state->q[b].x - w_.state->q[a].x, end = w_.q[b].x - w_.q[a].x;
  const double side = frame.normal.dot(start) < 0.0 ? -1.0 : 1.0;  // negative: one in the other
  frame.normal = side * (0.5 * (start + end) - lever).normalized();
  carry_tangents(frame.tangents[0], contact.is_planar(), frame);
  return true;
}

void EnergyConsistent::make_rows(std::size_t c) {
  const Contact& contact = w_.contacts.contact(c);
  const State& state = *w_.state;
  const ContactState& of = state.contacts[c];
  const CompliantLaw& law = *contact.compliance();
  const auto first = static_cast<std::size_t>(first_row_[c]);
  MidpointContacts::Contact& into = problem_.contacts[c];
  into.first_row = first_row_[c];
  into.rows = contact.rows();
  const FrictionBlock* sliding = contact.block(FrictionKind::sliding);
  into.friction = sliding == nullptr ? 0.0 : sliding->coefficient;
  const auto mass = [&](int n) {
    return moves_freely(n) ? w_.machine.nodes()[static_cast<std::size_t>(n)].mass : 0.0;
  };
  const double larger_mass = std::max(mass(contact.a()), mass(contact.b()));

  ContactFrame frame = frame_between(contact, middle_, of.tangent);
  const bool is_central = correct_normal(contact, frame, lever(problem_.rows[first]));
  for (int i = 0; i < contact.rows(); ++i) {
    MidpointContacts::Row& row = problem_.rows[first + static_cast<std::size_t>(i)];
    const bool is_normal = i == 0;
    const Vec3 direction =
        is_normal ? frame.normal : frame.tangents[static_cast<std::size_t>(i - 1)];
    const bool has_arms = !is_normal || !is_central;
    const Vec3 half = has_arms ? Vec3(0.5 * lever(row)) : Vec3::Zero();
    row.a = contact.a();
    row.b = contact.b();
    row.Ga << -direction, Vec3::Zero();
    row.Gb << direction, Vec3::Zero();
    if (has_arms) {
      row.Ga.tail<3>() = -(frame.arm_a - half).cross(direction);
      row.Gb.tail<3>() = (frame.arm_b + half).cross(direction);
    }
    const SpringAndDashpot& pair = is_normal ? law.normal_pair() : law.tangential_pair();
    row.stiffness = pair.stiffness;
    row.closing =
        w_.spec.closing_factor * pair.ratio / (w_.h * std::sqrt(pair.stiffness / larger_mass));
    row.is_tangential = !is_normal;
    row.is_held = !is_normal && of.status != ContactStatus::open;
    row.gap = is_normal ? w_.contacts.work[c].gap_at_start : of.shear[i];
    row.remainder = 0.0;
    if (is_normal && row.impulse > 0.0) {
      row.remainder = contact.gap(w_.q, state.turns) - row.gap - problem_.displacement(row);
    }
  }
}

void EnergyConsistent::finish_contact(std::size_t c) {
  ContactWork& work = w_.contacts.work[c];
  ContactState& of = w_.state->contacts[c];
  const Contact& contact = w_.contacts.contact(c);
  of.force.setZero();
  of.psi.setZero();
  of.normal_exchange = of.tangential_exchange = {};
  const double held = of.elastic;
  of.elastic = 0.0;
  const MidpointContacts::Contact& found = problem_.contacts[c];
  const bool is_active = work.near && is_active_[c] != 0;
  work.closed = is_active && found.status != ContactStatus::open;
  const bool has_springs = w_.spec.variant == ConservingKind::simo_tarnow;
  if (has_springs && is_active) {
    of.elastic = contact.compliance()->energy(std::max(0.0, -contact.gap(w_.q, w_.state->turns)));
  }
  if (!work.closed) {
    work.done[0] = of.elastic - held;
    of.shear.setZero();
    return;
  }
  work.status = found.status;
  work.block_status.fill(found.status);
  work.met_at = -work.rate_at_start[0];
  for (int i = 0; i < contact.rows(); ++i) {
    const MidpointContacts::Row& row = problem_.rows[static_cast<std::size_t>(first_row_[c] + i)];
    const double s = problem_.displacement(row);
    work.impulse[i] = row.impulse;
    of.force[i] = row.impulse / w_.h;
    of.psi[i] = row.psi;
    const Exchange exchange = problem_.energy(row);
    work.done[i] = exchange.spring + exchange.dashpot - exchange.momentum;
    (i == 0 ? of.normal_exchange : of.tangential_exchange) += exchange;
    if (i == 0) continue;
    of.shear[i] =
        found.status == ContactStatus::stick ? of.shear[i] + s : -of.force[i] / row.stiffness;
    if (has_springs) of.elastic += 0.5 * row.stiffness * of.shear[i] * of.shear[i];
  }
  work.done[0] += of.elastic - held;
}

void EnergyConsistent::finish() {
  w_.total = way_;
  for (std::size_t n = 1; n < problem_.bodies.size(); ++n) {
    MidpointContacts::Body& body = problem_.bodies[n];
    const auto index = static_cast<Eigen::Index>(n);
    set_node(w_.v, index, to_body(n, w_.q, body.v + body.change()));
    w_.state->sums.ledger.load_work += work_of_loads(n, body.load / w_.h, w_.h * body.way());
    body.load += end_drag(n);
    set_node(w_.vd, index, to_body(n, w_.q, body.inverse_mass.cwiseProduct(body.load) / w_.h));
  }
  for (const Driven& driven : driven_) finish_driven(driven);
  for (std::size_t c = 0; c < w_.contacts.count(); ++c) finish_contact(c);
  w_.contacts.evaluate_rows(*w_.state, w_.q);
  if (!driven_.empty()) {
    w_.joints.evaluate(w_.q);
    w_.joints.evaluate_rates(w_.v, w_.instant);
  }
  accept(w_.vd);
}

}  // namespace clatter
