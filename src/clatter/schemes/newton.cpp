#include <clatter/schemes/newton.hpp>

namespace clatter {

void hold_islands(const KktMatrix& K, const StepWork& w, VecX& dx) {
  const auto visit = [&](int unknown, int island) {
    if (unknown >= 0 && w.progress[static_cast<std::size_t>(island)].stays) dx[unknown] = 0.0;
  };
  for (std::size_t n = 1; n < w.machine.nodes().size(); ++n) {
    for (std::size_t i = 0; i < 6; ++i)
      visit(K.unknown(n, i), w.islands.of_node(static_cast<int>(n)));
  }
  for (const Joint& joint : w.machine.joints()) {
    for (int i = 0; i < static_cast<int>(joint.rows().size()); ++i) {
      visit(K.joint_multiplier(joint.first_row + i), w.islands.of_pair(joint.a(), joint.b()));
    }
  }
  if (K.contact_rows() == 0) return;
  for (std::size_t c = 0; c < w.contacts.count(); ++c) {
    const Contact& contact = w.contacts.contact(c);
    if (K.contact_multiplier(c) < 0) continue;
    for (int i = 0; i < contact.rows(); ++i) {
      visit(K.contact_multiplier(c) + i, w.islands.of_pair(contact.a(), contact.b()));
    }
  }
}

void hold_islands(const CoupledMatrix& K, const StepWork& w, VecX& dx) {
  const auto visit = [&](int unknown, int island) {
    if (unknown >= 0 && w.progress[static_cast<std::size_t>(island)].stays) dx[unknown] = 0.0;
  };
  for (const Level level : {Level::acceleration, Level::velocity, Level::position}) {
    for (std::size_t n = 1; n < w.machine.nodes().size(); ++n) {
      const int island = w.islands.of_node(static_cast<int>(n));
      for (std::size_t i = 0; i < 6; ++i) visit(K.unknown(level, n, i), island);
    }
    for (const Joint& joint : w.machine.joints()) {
      const int island = w.islands.of_pair(joint.a(), joint.b());
      for (int i = 0; i < static_cast<int>(joint.rows().size()); ++i) {
        visit(K.joint_multiplier(level) + joint.first_row + i, island);
      }
    }
    for (std::size_t c = 0; c < w.contacts.count(); ++c) {
      const Contact& contact = w.contacts.contact(c);
      if (!K.has_contact(c)) continue;
      const int rows = level == Level::position ? 1 : contact.rows();
      for (int i = 0; i < rows; ++i) {
        visit(K.contact_multiplier(level, c) + i, w.islands.of_pair(contact.a(), contact.b()));
      }
    }
  }
}

}  // namespace clatter
