#include <clatter/schemes/rolling_excess.hpp>

namespace clatter {

RollingExcess::RollingExcess(const StepWork& work)
    : w_(work), touched_(work.machine.nodes().size(), 0) {}

bool RollingExcess::exists() {
  constexpr double little_turn = 1e-3;  // [rad]; its square is lost in tolerances
  constexpr std::size_t most_contacts = 100;
  const bool are_listed = w_.machine.solids().empty() && w_.machine.contact_groups().empty();
  if (!are_listed || !w_.spec.position_friction || w_.contacts.near().size() > most_contacts) {
    return false;
  }
  const double touching = 1e-9 * w_.machine.length();
  excess_.assign(static_cast<std::size_t>(w_.islands.count()), 0);
  std::fill(touched_.begin(), touched_.end(), 0);
  for (const std::size_t c : w_.contacts.near()) {
    if (w_.contacts.work[c].gap_at_start > touching) continue;
    const Contact& contact = w_.contacts.contact(c);
    if (contact.is_placeless()) continue;
    int& excess = excess_[static_cast<std::size_t>(w_.islands.of_pair(contact.a(), contact.b()))];
    ++excess;
    for (const int n : {contact.a(), contact.b()}) {
      if (n == ground || touched_[static_cast<std::size_t>(n)] != 0) continue;
      touched_[static_cast<std::size_t>(n)] = 1;
      --excess;
    }
  }
  for (std::size_t n = 1; n < touched_.size(); ++n) {
    const double turn = w_.h * of_node(w_.state->v, static_cast<Eigen::Index>(n)).tail<3>().norm();
    const int island = w_.islands.of_node(static_cast<int>(n));
    if (touched_[n] != 0 && turn > little_turn && excess_[static_cast<std::size_t>(island)] > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace clatter
