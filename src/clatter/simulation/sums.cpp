#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/law/hertz.hpp>
#include <clatter/simulation/contact_point.hpp>
#include <clatter/simulation/sums.hpp>

namespace clatter {
namespace {

Powers powers_of(const Machine& machine, const Instant& instant, const State& state) {
  Powers p;
  p.load = machine.load_power(state.q, state.v, instant);
  p.damper = machine.damper_power(state.q, state.v, state.turns);
  for (std::size_t j = 0; j < machine.joints().size(); ++j) {
    const Joint& joint = machine.joints()[j];
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      p.motor += state.joint_forces[joint.first_row + static_cast<Eigen::Index>(i)] *
                 Joint::target_rate(joint.rows()[i], instant.drives[j]);
    }
  }
  return p;
}

void add_motor_work(const Machine& machine, const Instant& instant, State& state) {
  RunningSums& sums = state.sums;
  for (std::size_t j = 0; j < machine.joints().size(); ++j) {
    const Joint& joint = machine.joints()[j];
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const auto row = static_cast<std::size_t>(joint.first_row) + i;
      const double rate = Joint::target_rate(joint.rows()[i], instant.drives[j]);
      sums.ledger.motor_work += state.joint_impulses[static_cast<Eigen::Index>(row)] * 0.5 *
                                (sums.last_rates[row] + rate);
      sums.last_rates[row] = rate;
    }
  }
}

/// Along the normal, of the bodies of a contact alone.
double effective_mass(const Contact& contact, const Machine& machine, const ContactState& of,
                      const Configuration& q) {
  PairRows rows(contact.rows(), 12);
  const ContactFrame frame = contact.frame(q, of.tangent);
  double inverse = 0.0;
  if (contact.has_chord()) {
    PairRows second(contact.rows(), 12);
    contact.rates(q, frame, rows, second);
    inverse = machine.delassus(second.row(0).transpose(), contact.second_a(), contact.second_b());
  } else {
    contact.rates(q, frame, rows);
  }
  inverse += machine.delassus(rows.row(0).transpose(), contact.a(), contact.b());
  return 1.0 / inverse;
}

/// Of the impulse of a step, where forces are not apart: all of it, if the speed with which the
/// surfaces met made a thousandth of it, of a contact that was closed before half of it.
double impact_of(const Contact& contact, const ContactState& of, double mass) {
  const double by_speed = (1.0 + contact.restitution()) * mass * of.met_at;
  return by_speed > (of.persistent ? 0.5 : 1e-3) * of.impulse[0] ? of.impulse[0] : 0.0;
}

void note_impact(const Contact& contact, const Machine& machine, bool separates_forces,
                 std::size_t c, State& state) {
  const ContactState& of = state.contacts[c];
  const double impulse = separates_forces ? of.percussion[0] : of.impulse[0];
  if (!contact.is_recovered() || !(impulse > 0.0)) return;
  HardestImpact& hardest = state.sums.hardest[c];
  const double mass = effective_mass(contact, machine, of, state.q);
  hardest.of_all += impact_of(contact, of, mass);
  if (impulse > hardest.impulse) hardest = {impulse, hardest.of_all, of.met_at, mass};
}

void add_contacts(const Machine& machine, const Scheme& scheme, State& state) {
  RunningSums& sums = state.sums;
  for (std::size_t c = 0; c < state.contacts.size(); ++c) {
    const ContactState& of = state.contacts[c];
    if (c < sums.impulses.size()) {
      sums.impulses[c] += of.impulse;
      sums.percussions[c] += of.percussion;
      note_impact(scheme.contacts()[c], machine, scheme.separates_forces(), c, state);
    } else {
      const int group = state.search.keys[c - sums.impulses.size()].group;
      sums.group_impulses[static_cast<std::size_t>(group)] += of.impulse[0];
    }
    if (of.status == ContactStatus::open && of.work.isZero(0.0)) continue;
    sums.ledger.normal_exchange += of.normal_exchange;
    sums.ledger.tangential_exchange += of.tangential_exchange;
    sums.ledger.impact_loss -= of.work[0];
    sums.ledger.friction_loss -= of.work.tail(of.work.size() - 1).sum();
  }
}

/// Half the sums of curvatures; see PairImpact.
RelativeCurvature curvature_at(const Contact& contact, const ContactState& of,
                               const Configuration& q) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto sum = contact.curvature(q, contact.frame(q, of.tangent));
  if (!sum) return {0.0, infinite};
  if (contact.is_planar()) return {0.5 * (*sum)(0, 0), 0.5 * (*sum)(0, 0)};
  const double mean = 0.25 * sum->trace();
  const double half = 0.25 * std::hypot((*sum)(0, 0) - (*sum)(1, 1), 2.0 * (*sum)(0, 1));
  return {mean - half, mean + half};
}

void note_pair(const Contact& contact, const ContactState& of, const Machine& machine,
               bool separates_forces, const Configuration& q, PairImpact& pair) {
  pair.impulse += of.impulse[0];
  pair.percussion += of.percussion[0];
  const double impulse = separates_forces ? of.percussion[0] : of.impulse[0];
  HardestImpact& hardest = pair.hardest;
  const auto note_curvature = [&] {
    const RelativeCurvature at = curvature_at(contact, of, q);
    pair.A = at.A;
    pair.B = at.B;
  };
  if (!(impulse > 0.0)) {
    if (of.impulse[0] > 0.0 && hardest.impulse == 0.0) note_curvature();  // of what is pressed
    return;
  }
  const double mass = effective_mass(contact, machine, of, q);
  hardest.of_all += impact_of(contact, of, mass);
  if (!(impulse > hardest.impulse)) return;
  hardest = {impulse, hardest.of_all, of.met_at, mass};
  note_curvature();
}

void add_pairs(const Machine& machine, const Scheme& scheme, State& state) {
  if (machine.watched_pairs().empty()) return;
  for (std::size_t c = 0; c < state.contacts.size(); ++c) {
    if (state.contacts[c].impulse.isZero(0.0)) continue;
    const Contact& contact = scheme.contacts()[c];
    if (contact.is_placeless()) continue;
    const auto [pair, is_turned] = machine.watched_pairs().find(contact.a(), contact.b());
    if (pair < 0) continue;
    const Vec3 on_b = contact_point(contact, state.contacts[c], state).impulse;
    state.sums.pair_impulses[static_cast<std::size_t>(pair)] += is_turned ? Vec3(-on_b) : on_b;
    const int recovered = machine.watched_pairs().recovered(pair);
    if (recovered < 0 || contact.group != machine.group_of_solids()) continue;
    note_pair(contact, state.contacts[c], machine, scheme.separates_forces(), state.q,
              state.sums.pair_impacts[static_cast<std::size_t>(recovered)]);
  }
}

void add_counts(const StepCounts& done, StepCounts& sum) {
  sum.smooth = std::max(sum.smooth, done.smooth);
  sum.position = std::max(sum.position, done.position);
  sum.velocity = std::max(sum.velocity, done.velocity);
  sum.regularised += done.regularised;
  sum.recovered += done.recovered;
  sum.lessened += done.lessened;
  sum.plastic += done.plastic;
  sum.unfinished += done.unfinished;
  sum.sweep_residual = std::max(sum.sweep_residual, done.sweep_residual);
  sum.sweeps = std::max(sum.sweeps, done.sweeps);
  sum.impacts += done.impacts;
}

}  // namespace

EnergyLedger ledger_of(const Machine& machine, const State& state) {
  EnergyLedger ledger = state.sums.ledger;
  ledger.kinetic = machine.kinetic_energy(state.v);
  ledger.gravity = machine.gravity_energy(state.q);
  ledger.elastic = machine.elastic_energy(state.q, state.turns);
  for (const ContactState& contact : state.contacts) ledger.elastic += contact.elastic;
  return ledger;
}

void begin_sums(const Machine& machine, const Scheme& scheme, State& state) {
  RunningSums& sums = state.sums;
  sums = {};
  sums.ledger = ledger_of(machine, state);
  sums.ledger.initial = sums.ledger.total();
  sums.last_powers = powers_of(machine, scheme.instant(), state);
  if (!scheme.has_joint_forces()) sums.last_powers.motor = 0.0;  // those of the start are no work
  for (std::size_t j = 0; j < machine.joints().size(); ++j) {
    for (const JointRow& row : machine.joints()[j].rows()) {
      if (!row.begins) continue;
      sums.last_rates.push_back(Joint::target_rate(row, scheme.instant().drives[j]));
    }
  }
  for (const Contact& contact : machine.own_contacts()) {
    sums.impulses.push_back(RowVector::Zero(contact.rows()));
  }
  sums.percussions = sums.impulses;
  sums.hardest.resize(sums.impulses.size());
  sums.group_impulses.assign(static_cast<std::size_t>(machine.group_of_solids()) + 1, 0.0);
  sums.pair_impulses.assign(machine.watched_pairs().size(), Vec3::Zero());
  sums.pair_impacts.resize(machine.watched_pairs().recovered_count());
  sums.joint_impulses = VecX::Zero(machine.joint_rows());
}

void add_step(const Machine& machine, const Scheme& scheme, double h, State& state) {
  RunningSums& sums = state.sums;
  const Powers now = powers_of(machine, scheme.instant(), state);
  sums.ledger.load_work += 0.5 * h * (sums.last_powers.load + now.load);
  sums.ledger.damper_loss += 0.5 * h * (sums.last_powers.damper + now.damper);
  sums.ledger.motor_work += 0.5 * h * (sums.last_powers.motor + now.motor);
  sums.last_powers = now;
  add_motor_work(machine, scheme.instant(), state);
  add_contacts(machine, scheme, state);
  add_pairs(machine, scheme, state);
  for (std::size_t j = 0; j < machine.joints().size(); ++j) {
    const Joint& joint = machine.joints()[j];
    if (!is_struck(machine, state, j) || !joint.rows().front().begins) continue;
    const auto rows = static_cast<Eigen::Index>(joint.rows().size());
    sums.joint_impulses.segment(joint.first_row, rows) +=
        state.joint_impulses.segment(joint.first_row, rows);
  }
  sums.last_step_size = h;
  add_counts(scheme.counts(), sums.counts);
}

void start_interval(double time, RunningSums& sums) {
  sums.interval_start = time;
  for (RowVector& impulse : sums.impulses) impulse.setZero();
  for (RowVector& impulse : sums.percussions) impulse.setZero();
  std::fill(sums.hardest.begin(), sums.hardest.end(), HardestImpact{});
  std::fill(sums.group_impulses.begin(), sums.group_impulses.end(), 0.0);
  std::fill(sums.pair_impulses.begin(), sums.pair_impulses.end(), Vec3::Zero());
  std::fill(sums.pair_impacts.begin(), sums.pair_impacts.end(), PairImpact{});
  sums.joint_impulses.setZero();
  sums.counts = {};
}

}  // namespace clatter
