#include <algorithm>
#include <limits>
#include <map>

#include <clatter/simulation/pair_contacts.hpp>

namespace clatter {

PairContacts::PairContacts(const Machine& machine, bool separates_forces)
    : machine_(machine), separates_forces_(separates_forces), search_(machine) {
  const WatchedPairs& watched = machine.watched_pairs();
  pairs_.resize(watched.size());
  solids_.resize(watched.size());
  std::map<int, std::vector<int>> solids_of_part;
  for (std::size_t s = 0; s < machine.solids().size(); ++s) {
    solids_of_part[watched.part_of(machine.solids()[s].node)].push_back(static_cast<int>(s));
  }
  for (std::size_t p = 0; p < watched.size(); ++p) {
    for (const int a : solids_of_part[watched.parts(p)[0]]) {
      for (const int b : solids_of_part[watched.parts(p)[1]]) {
        if (machine.may_touch(a, b)) solids_[p].emplace_back(std::min(a, b), std::max(a, b));
      }
    }
  }
}

const std::vector<PairContact>& PairContacts::read(const State& state) {
  std::fill(pairs_.begin(), pairs_.end(), PairContact{std::numeric_limits<double>::infinity()});
  find_contact_points(machine_, state, separates_forces_, points_);
  for (const ContactPoint& point : points_) add(point);
  for (PairContact& pair : pairs_) {
    pair.position /= pair.weight;  // nothing over nothing: there is no such place
    pair.normal /= pair.weight;
  }
  find_gaps(state);
  return pairs_;
}

void PairContacts::add(const ContactPoint& point) {
  const auto [index, is_turned] = machine_.watched_pairs().find(point.a, point.b);
  if (index < 0) return;
  PairContact& pair = pairs_[static_cast<std::size_t>(index)];
  const double sign = is_turned ? -1.0 : 1.0;
  const double weight = point.impulse.dot(point.normal);
  ++pair.points;
  pair.status = std::max(pair.status, point.status);
  pair.force += sign * point.force;
  pair.weight += weight;
  pair.position += weight * point.position;
  pair.normal += sign * weight * point.normal;
}

void PairContacts::find_gaps(const State& state) {
  const WatchedPairs& watched = machine_.watched_pairs();
  const auto note = [&](const Contact& contact, double gap) {
    if (contact.is_placeless()) return;
    const int pair = watched.find(contact.a(), contact.b()).pair;
    if (pair >= 0) pairs_[static_cast<std::size_t>(pair)].gap = std::min(pairs_[pair].gap, gap);
  };
  const std::size_t own = machine_.own_contacts().size();
  for (std::size_t c = 0; c < state.contacts.size(); ++c) {
    if (c < own) {
      note(machine_.own_contacts()[c], state.contacts[c].gap);
    } else if (state.search.keys[c - own].group != machine_.group_of_solids()) {
      note(machine_.contact_of(state.search.keys[c - own]), state.contacts[c].gap);
    }
  }
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    for (const auto& [a, b] : solids_[p]) {
      pairs_[p].gap = std::min(pairs_[p].gap, search_.gap(a, b, state.q));
    }
  }
}

}  // namespace clatter
