#include <algorithm>

#include <clatter/machine/ties.hpp>
#include <clatter/schemes/sleepers.hpp>
#include <clatter/schemes/smooth_end.hpp>

namespace clatter {
namespace {

std::vector<char> nodes_that_may_sleep(const Machine& machine, const IntegratorSpec& spec) {
  const bool is_on = spec.sleep && spec.kind == IntegratorKind::nsga && !machine.is_compliant();
  std::vector<char> may(machine.nodes().size(), static_cast<char>(is_on));
  visit_ties(machine, [&](int a, int b) {
    may[static_cast<std::size_t>(a)] = may[static_cast<std::size_t>(b)] = 0;
  });
  for (const Load& load : machine.loads()) may[static_cast<std::size_t>(load.node())] = 0;
  may[ground] = 0;
  return may;
}

}  // namespace

Sleepers::Sleepers(const Machine& machine, const IntegratorSpec& spec)
    : may_sleep_(nodes_that_may_sleep(machine, spec)),
      still_(may_sleep_.size(), 0),
      with_(may_sleep_.size(), ground) {
  still_[ground] = 1;
}

void Sleepers::begin(const State& state) {
  with_ = state.sleep.with;
  count_ = 0;
  for (std::size_t n = 1; n < still_.size(); ++n) {
    const bool sleeps = with_[n] != ground && may_sleep_[n] != 0;
    still_[n] = static_cast<char>(sleeps);
    if (sleeps) ++count_;
  }
  for (std::size_t n = 1; n < still_.size(); ++n) {
    const bool moves = !of_node(state.v, static_cast<Eigen::Index>(n)).isZero(0.0);
    if (still_[n] != 0 && moves) wake(static_cast<int>(n));
  }
}

bool Sleepers::holds(const Contact& contact) const {
  const std::array<int, 4> nodes = contact.nodes();
  return any() && std::all_of(nodes.begin(), nodes.end(), [&](int n) { return is_still(n); });
}

void Sleepers::wake(int node) {
  const int first = with_[static_cast<std::size_t>(node)];
  for (std::size_t n = 1; n < still_.size(); ++n) {
    if (still_[n] == 0 || with_[n] != first) continue;
    still_[n] = 0;
    --count_;
  }
}

void Sleepers::lay_down(NodalVector& of_nodes) const {
  if (!any()) return;
  for (std::size_t n = 1; n < still_.size(); ++n) {
    if (still_[n] != 0) of_node(of_nodes, static_cast<Eigen::Index>(n)).setZero();
  }
}

void Sleepers::end(const StepWork& w, const SmoothEnd& smooth, State& state) const {
  Sleep& sleep = state.sleep;
  keep_forces(w.contacts.list(), w.h, state);
  for (std::size_t n = 1; n < still_.size(); ++n) {
    if (still_[n] == 0 && sleep.with[n] != ground) sleep.with[n] = sleep.calm[n] = 0;
  }
  for (int i = 0; i < w.islands.count(); ++i) {
    const std::span<const int> nodes = w.islands.nodes(i);
    if (is_still(nodes.front())) continue;
    const bool calm = is_calm(w, smooth, i, state);
    int least = steps_to_fall_asleep;
    for (const int n : nodes) {
      int& steps = sleep.calm[static_cast<std::size_t>(n)];
      steps = calm ? std::min(steps + 1, steps_to_fall_asleep) : 0;
      least = std::min(least, steps);
    }
    if (least == steps_to_fall_asleep) put_to_sleep(w, i, state);
  }
}

/// Some times what solved problems may leave, see PositionCorrection::measure and
/// VelocityJump::measure: a part of what the forces do in the step, and round-off.
bool Sleepers::is_calm(const StepWork& w, const SmoothEnd& smooth, int island,
                       const State& state) const {
  const std::span<const int> nodes = w.islands.nodes(island);
  const bool may = std::all_of(nodes.begin(), nodes.end(),
                               [&](int n) { return may_sleep_[static_cast<std::size_t>(n)] != 0; });
  if (!may) return false;
  // That is a bound for rows of contacts, of which those of a stack add up.
  constexpr double times = 10.0;
  const double speed =
      times * (w.spec.tolerance + round_off) * w.h * smooth.terms(w.islands, island);
  const double way = w.h * speed + times * round_off * w.islands.mass_root(island) * w.span;
  return w.islands.kinetic_norm(island, state.v) <= speed &&
         w.islands.kinetic_norm(island, w.total) <= way;
}

void Sleepers::put_to_sleep(const StepWork& w, int island, State& state) {
  const std::span<const int> nodes = w.islands.nodes(island);
  for (const int n : nodes) {
    of_node(state.v, n).setZero();
    state.sleep.with[static_cast<std::size_t>(n)] = nodes.front();
  }
  for (const std::size_t c : w.contacts.near()) {
    const Contact& contact = w.contacts.contact(c);
    if (w.islands.of_pair(contact.a(), contact.b()) != island) continue;
    ContactState& of = state.contacts[c];
    of.rate.setZero();
    of.work.setZero();
    of.met_at = 0.0;
  }
}

void Sleepers::keep_forces(std::span<const Contact> contacts, double h, State& state) const {
  if (any() && h != state.sleep.step) {
    const double factor = h / state.sleep.step;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      if (!holds(contacts[c])) continue;
      state.contacts[c].impulse *= factor;
      state.contacts[c].push *= factor * factor;
    }
  }
  state.sleep.step = h;
}

}  // namespace clatter
