#include <algorithm>

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

void note_hardest(const Contact& contact, const Machine& machine, bool separates_forces,
                  std::size_t c, State& state) {
  const ContactState& of = state.contacts[c];
  const double impulse = separates_forces ? of.percussion[0] : of.impulse[0];
  HardestImpact& hardest = state.sums.hardest[c];
  if (!contact.is_recovered() || !(impulse > hardest.impulse)) return;
  PairRows rows(contact.rows(), 12);
  const ContactFrame frame = contact.frame(state.q, of.tangent);
  double inverse_mass = 0.0;
  if (contact.has_chord()) {
    PairRows second(contact.rows(), 12);
    contact.rates(state.q, frame, rows, second);
    inverse_mass =
        machine.delassus(second.row(0).transpose(), contact.second_a(), contact.second_b());
  } else {
    contact.rates(state.q, frame, rows);
  }
  inverse_mass += machine.delassus(rows.row(0).transpose(), contact.a(), contact.b());
  hardest = {impulse, of.met_at, 1.0 / inverse_mass};
}

void add_contacts(const Machine& machine, const Scheme& scheme, State& state) {
  RunningSums& sums = state.sums;
  for (std::size_t c = 0; c < state.contacts.size(); ++c) {
    const ContactState& of = state.contacts[c];
    if (c < sums.impulses.size()) {
      sums.impulses[c] += of.impulse;
      sums.percussions[c] += of.percussion;
      note_hardest(scheme.contacts()[c], machine, scheme.separates_forces(), c, state);
    } else {
      const int group = state.search.keys[c - sums.impulses.size()].group;
      sums.group_impulses[static_cast<std::size_t>(group)] += of.impulse[0];
    }
    if (of.status == ContactStatus::open && of.work.isZero(0.0)) continue;
    sums.ledger.impact_loss -= of.work[0];
    sums.ledger.friction_loss -= of.work.tail(of.work.size() - 1).sum();
  }
}

void add_pairs(const Machine& machine, const Scheme& scheme, State& state) {
  if (machine.watched_pairs().empty()) return;
  for (std::size_t c = 0; c < state.contacts.size(); ++c) {
    if (state.contacts[c].impulse.isZero(0.0)) continue;
    const Contact& contact = scheme.contacts()[c];
    if (contact.is_stop()) continue;
    const auto [pair, is_turned] = machine.watched_pairs().find(contact.a(), contact.b());
    if (pair < 0) continue;
    const Vec3 on_b = contact_point(contact, state.contacts[c], state).impulse;
    state.sums.pair_impulses[static_cast<std::size_t>(pair)] += is_turned ? Vec3(-on_b) : on_b;
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

void start_interval(RunningSums& sums) {
  for (RowVector& impulse : sums.impulses) impulse.setZero();
  for (RowVector& impulse : sums.percussions) impulse.setZero();
  std::fill(sums.hardest.begin(), sums.hardest.end(), HardestImpact{});
  std::fill(sums.group_impulses.begin(), sums.group_impulses.end(), 0.0);
  std::fill(sums.pair_impulses.begin(), sums.pair_impulses.end(), Vec3::Zero());
  sums.joint_impulses.setZero();
  sums.counts = {};
}

}  // namespace clatter
