#include <algorithm>

#include <clatter/machine/ties.hpp>
#include <clatter/schemes/contact_set.hpp>

// Islands of the machine: nodes that joints, beams and closed contacts connect.

namespace clatter {

void ContactSet::find_islands() {
  connected_.separate(island_.size());
  const auto connect = [&](int a, int b) {
    if (a != ground && b != ground) connected_.join(a, b);
  };
  visit_rigid_ties(machine_, connect);
  for (std::size_t c = 0; c < work.size(); ++c) {
    if (work[c].closed || work[c].equations.status != ContactStatus::open) {
      for (const int node : contact(c).nodes()) connect(contact(c).a(), node);
    }
  }
  for (std::size_t n = 0; n < island_.size(); ++n) {
    island_[n] = connected_.root(static_cast<int>(n));
  }
}

int ContactSet::island_of(const Contact& contact) const {
  return island_[std::max(contact.a(), contact.b())];  // the ground is node 0
}

void ContactSet::mark_struck(State& state, bool new_contact) {
  std::vector<char>& struck = state.struck;
  std::fill(struck.begin(), struck.end(), 0);
  if (!new_contact) return;
  find_islands();
  for (std::size_t c = 0; c < work.size(); ++c) {
    const ContactState& s = state.contacts[c];
    if (s.status == ContactStatus::open || s.persistent) continue;
    struck[static_cast<std::size_t>(island_of(contact(c)))] = 1;
  }
  for (std::size_t n = 1; n < struck.size(); ++n) {
    struck[n] = struck[static_cast<std::size_t>(island_[n])];
  }
}

void ContactSet::mark_hard_islands() {
  find_islands();
  std::fill(hard_.begin(), hard_.end(), 0);
  const double worst = residual.size() > 0 ? residual.cwiseAbs().maxCoeff() : 0.0;
  for (const Contact& of : list()) {
    const double own = residual.segment(of.first_row, of.rows()).cwiseAbs().maxCoeff();
    if (!(own < 1e-6 * worst)) hard_[static_cast<std::size_t>(island_of(of))] = 1;
  }
}

void ContactSet::mark_all_hard() { std::fill(hard_.begin(), hard_.end(), 1); }

bool ContactSet::is_hard(const Contact& contact) const {
  return hard_[static_cast<std::size_t>(island_of(contact))] != 0;
}

void ContactSet::forbid_rebound(bool everywhere) {
  find_islands();
  int jammed = -1;
  double worst = -1.0;
  for (const Contact& of : list()) {
    const double own = residual.segment(of.first_row, of.rows()).cwiseAbs().maxCoeff();
    if (own > worst) {
      worst = own;
      jammed = island_of(of);
    }
  }
  for (std::size_t c = 0; c < work.size(); ++c) {
    if (everywhere || island_of(contact(c)) == jammed) work[c].bounce = 0.0;
  }
}

bool ContactSet::lessen_rebound(const NodalVector& before, const NodalVector& after) {
  constexpr double least_share = 0.1;  // restitution that is the cause has done as much of a gain
  const auto bounces = [this](std::size_t c) {
    return work[c].equations.status != ContactStatus::open && !work[c].parts &&
           work[c].rate_before[0] < 0.0 && restitution_of_row(c, 0) > 0.0;
  };
  if (std::none_of(near_.begin(), near_.end(), bounces)) return false;
  find_islands();
  gains_.assign(island_.size(), {});
  for (const std::size_t c : near_) {
    if (work[c].equations.status == ContactStatus::open) continue;
    const RowVector impulse = work[c].scale.cwiseProduct(work[c].equations.phi);
    const RowVector from = rates(c, before), to = rates(c, after);
    Gain& gain = gains_[static_cast<std::size_t>(island_of(contact(c)))];
    gain.energy += 0.5 * impulse.dot(from + to);
    gain.terms += 0.5 * impulse.cwiseAbs().dot(from.cwiseAbs() + to.cwiseAbs());
    gain.made += 0.5 * impulse.cwiseAbs().dot(work[c].equations.phi.cwiseAbs());
    if (bounces(c)) {
      gain.by_rebound -= restitution_of_row(c, 0) * work[c].rate_before[0] * impulse[0];
    }
  }
  bool any = false;
  for (const std::size_t c : near_) {
    const Gain& gain = gains_[static_cast<std::size_t>(island_of(contact(c)))];
    // Bodies at rest approach and part by what is left of the rates that the impulses make.
    const bool gained = gain.energy > 1e-9 * gain.terms + 1e-7 * gain.made;
    if (!bounces(c) || !gained || gain.by_rebound < least_share * gain.energy) continue;
    work[c].bounce = work[c].bounce > 0.1 ? 0.5 * work[c].bounce : 0.0;
    any = true;
  }
  return any;
}

}  // namespace clatter
