#include <clatter/machine/ties.hpp>
#include <clatter/math/union_find.hpp>
#include <clatter/schemes/contact_stage.hpp>

namespace clatter {
namespace {

/// The next linearisation differs by a share of the step at least; so little of it is solved for.
constexpr double worth_of_linearisation = 1e-3;

/// For fewer contacts one matrix of all is quicker.
constexpr std::size_t fewest_to_condense = 16;

std::vector<char> held_nodes(const Machine& machine) {
  std::vector<char> held(machine.nodes().size(), 0);
  visit_ties(machine, [&](int a, int b) {
    held[static_cast<std::size_t>(a)] = held[static_cast<std::size_t>(b)] = 1;
  });
  held[ground] = 0;
  return held;
}

/// Calls visit(node) for all nodes that contacts are on, or may come to be on.
template <class Visit>
void visit_contact_nodes(const Machine& machine, const Visit& visit) {
  for (const Contact& contact : machine.own_contacts()) visit(contact.a()), visit(contact.b());
  for (const ContactGroup& group : machine.contact_groups()) {
    for (const ContactGroup::Sphere& sphere : group.spheres) visit(sphere.node);
    for (const ContactGroup::Sphere& partner : group.partners) visit(partner.node);
    visit(group.face_node);
  }
  for (const Solid& solid : machine.solids()) {
    visit(solid.node);
    if (solid.is_element()) visit(solid.second);
  }
}

/// More nodes with contacts than this, tied together, are not condensed.
constexpr std::size_t most_tied = 8;

/// Nodes that have contacts, or may come to have them, and are tied to each other by something
/// else: by node, all that one is tied to. Empty if there are too many.
std::vector<std::vector<int>> tied_contact_nodes(const Machine& machine) {
  const std::size_t count = machine.nodes().size();
  UnionFind tied;
  tied.separate(count);
  visit_ties(machine, [&](int a, int b) {
    if (a != ground && b != ground) tied.join(a, b);
  });
  std::vector<std::vector<int>> sets(count);
  std::vector<char> seen(count, 0);
  visit_contact_nodes(machine, [&](int node) {
    char& is_seen = seen[static_cast<std::size_t>(node)];
    if (node == ground || is_seen != 0) return;
    is_seen = 1;
    sets[static_cast<std::size_t>(tied.root(node))].push_back(node);
  });
  std::vector<std::vector<int>> partners(count);
  for (const std::vector<int>& set : sets) {
    if (set.size() > most_tied) return {};
    for (const int node : set) {
      for (const int other : set) {
        if (other != node) partners[static_cast<std::size_t>(node)].push_back(other);
      }
    }
  }
  return partners;
}

bool can_condense(const StepWork& work, const std::vector<std::vector<int>>& partners) {
  // Contacts with a chord push on four nodes, sweeps know of two.
  return !is_free(work.machine) && !work.spec.contact_solver && !partners.empty() &&
         !work.machine.has_wide_contacts() && !work.machine.is_compliant();
}

}  // namespace

ContactStage::ContactStage(StepWork& work)
    : w_(work),
      free_bodies_(is_free(work.machine)),
      held_(held_nodes(work.machine)),
      partners_(tied_contact_nodes(work.machine)),
      can_condense_(can_condense(work, partners_)),
      whole_(work),
      held_K_(work.machine, {{}, {}, held_}),
      held_rhs_(VecX::Zero(held_K_.size())),
      pushes_(NodalVector::Zero(work.machine.nodal_size())),
      relief_(work),
      rolling_(work),
      done_(work.machine.nodes().size(), 0),
      precisions_(done_.size(), 0.0),
      touched_(work.machine.nodes().size(), 0) {
  if (work.spec.contact_solver && !work.machine.contact_groups().empty()) {
    throw Error(work.spec.place,
                "'contact_solver' is not for groups of spheres: many contacts are swept, island by "
                "island");
  }
  reserve_contacts();
}

void ContactStage::size_contacts() {
  whole_.renew();
  reserve_contacts();
}

void ContactStage::reserve_contacts() {
  active_.reserve(w_.contacts.count());
  if (!free_bodies_ && !can_condense_) return;
  free_contacts_.reserve(w_.machine.nodes().size(), w_.contacts.count(),
                         static_cast<std::size_t>(w_.contacts.rows()));
}

bool ContactStage::condenses() const {
  return can_condense_ &&
         (!w_.machine.contact_groups().empty() || w_.contacts.near().size() >= fewest_to_condense);
}

void ContactStage::choose_islands(bool left) {
  std::fill(done_.begin(), done_.end(), 0);
  if (!left || condenses()) return;
  for (int i = 0; i < w_.islands.count(); ++i) {
    if (!w_.residuals[static_cast<std::size_t>(i)].converged()) continue;
    for (const int n : w_.islands.nodes(i)) done_[static_cast<std::size_t>(n)] = 1;
  }
}

std::span<const double> ContactStage::find_precisions(double finest) {
  std::fill(precisions_.begin(), precisions_.end(), finest);
  if (!w_.machine.contact_groups().empty()) return precisions_;
  for (int i = 0; i < w_.islands.count(); ++i) {
    const Residual& r = w_.residuals[static_cast<std::size_t>(i)];
    const double step = std::min(1.0, std::max(r.momentum, r.rows) * w_.spec.tolerance);
    for (const int n : w_.islands.nodes(i)) {
      precisions_[static_cast<std::size_t>(n)] = std::max(finest, worth_of_linearisation * step);
    }
  }
  return precisions_;
}

void ContactStage::begin_step(const SolverMemory& memory) {
  whole_.begin_step();
  held_K_.matrix().use_pivots(memory.held_pivots);
}

void ContactStage::end_step(SolverMemory& memory) const {
  whole_.end_step(memory);
  memory.held_pivots = held_K_.matrix().pivots();
}

void ContactStage::add_costs(double& time, long& factorisations, long& solves) const {
  for (const KktMatrix* each : {&whole_.K, &held_K_}) {
    time += each->matrix().time;
    factorisations += each->matrix().factorisations;
    solves += each->matrix().solves;
  }
}

void ContactStage::find_held_compliances() {
  free_contacts_.clear(w_.machine.nodes().size());
  for (std::size_t n = 1; n < held_.size(); ++n) {
    if (held_[n] == 0) continue;
    FreeContacts::Compliance& compliance = free_contacts_.compliance(static_cast<int>(n));
    compliance = {};
    compliance.is_held = true;
    if (touched_[n] != 0) find_held_compliance(n, compliance.held);
  }
}

void ContactStage::find_held_compliance(std::size_t n, Mat6& own) {
  // What is left of a node that a motor drives is round-off.
  constexpr double nothing = 1e-12;
  const Node& node = w_.machine.nodes()[n];
  std::array<Mat6, most_tied> of_partners;
  const std::vector<int>& partners = partners_[n];
  for (std::size_t k = 0; k < partners.size(); ++k) of_partners[k].setZero();
  const auto take = [&](std::size_t moved, int i, Mat6& into) {
    for (std::size_t j = 0; j < 6; ++j) {
      const int unknown = held_K_.unknown(moved, j);
      if (unknown >= 0) into(static_cast<Eigen::Index>(j), i) = held_rhs_[unknown];
    }
  };
  bool moves = false;
  for (int i = 0; i < 6; ++i) {
    if (!node.has(i)) continue;
    held_rhs_.setZero();
    held_rhs_[held_K_.unknown(n, static_cast<std::size_t>(i))] = 1.0;
    held_K_.solve(held_rhs_);
    take(n, i, own);
    for (std::size_t k = 0; k < partners.size(); ++k) {
      take(static_cast<std::size_t>(partners[k]), i, of_partners[k]);
    }
    const double free = i < 3 ? node.inverse_mass : node.inverse_inertia(i - 3, i - 3);
    moves = moves || own(i, i) > nothing * free;
  }
  if (!moves) {
    own.setZero();
    return;
  }
  for (std::size_t k = 0; k < partners.size(); ++k) {
    if (touched_[static_cast<std::size_t>(partners[k])] == 0) continue;
    free_contacts_.add_link(static_cast<int>(n), partners[k], of_partners[k]);
  }
}

void ContactStage::fill_condensed(bool position_level, Condensed& condensed) {
  KktMatrix& K = whole_.K;
  VecX& free = condensed.free;
  free = VecX::Zero(K.size());
  NodalVector nodal = NodalVector::Zero(w_.machine.nodal_size());
  w_.contacts.add_reactions(nodal);
  w_.residual += nodal;
  K.gather(w_.residual, free);
  free.head(K.dofs()) *= -1.0;
  free.segment(K.joint_multiplier(0), w_.joints.residual.size()) = -w_.joints.residual;
  K.solve(free);
  VecX column(K.size());
  std::vector<PairRows> changes, second_changes;  // the latter of contacts with a chord
  for (std::size_t k = 0; k < condensed.which.size(); ++k) {
    const auto c = static_cast<std::size_t>(condensed.which[k]);
    const ContactWork& work = w_.contacts.work[c];
    const Contact& contact = w_.contacts.contact(c);
    const PairRows scaled = work.scale.asDiagonal() * work.G;
    PairRows change = scaled;
    PairRows second, second_change;
    if (contact.has_chord()) {
      TwoPairRows all = work.scale.asDiagonal() * w_.contacts.all_rows(c);
      second = all.rightCols<12>();
      if (position_level) w_.contacts.to_increments_of(contact, w_.T, all);
      change = all.leftCols<12>();
      second_change = all.rightCols<12>();
    } else if (position_level) {
      w_.contacts.to_increments_of(contact, w_.T, change);
    }
    changes.push_back(change);
    second_changes.push_back(second_change);
    for (int i = 0; i < contact.rows(); ++i) {
      nodal.setZero();
      of_node(nodal, contact.a()) += scaled.row(i).head<6>().transpose();
      of_node(nodal, contact.b()) += scaled.row(i).tail<6>().transpose();
      if (contact.has_chord()) {
        add_to_pair(nodal, contact.second_a(), contact.second_b(), second.row(i).transpose());
      }
      column.setZero();
      K.gather(nodal, column);
      K.solve(column);
      condensed.motions.col(condensed.contacts[k].first_row + i) = column;
    }
  }
  const auto row_rates = [&](const VecX& x, auto&& out) {
    nodal.setZero();
    K.scatter(x, 1.0, nodal);
    for (std::size_t k = 0; k < condensed.which.size(); ++k) {
      const Contact& contact = w_.contacts.contact(static_cast<std::size_t>(condensed.which[k]));
      out.segment(condensed.contacts[k].first_row, contact.rows()) =
          changes[k] * of_pair(nodal, contact.a(), contact.b());
      if (!contact.has_chord()) continue;
      out.segment(condensed.contacts[k].first_row, contact.rows()) +=
          second_changes[k] * of_pair(nodal, contact.second_a(), contact.second_b());
    }
  };
  row_rates(free, condensed.b);
  for (std::size_t k = 0; k < condensed.which.size(); ++k) {
    condensed.b.segment(condensed.contacts[k].first_row, condensed.contacts[k].rows) +=
        w_.contacts.work[static_cast<std::size_t>(condensed.which[k])].ghat;
  }
  for (int i = 0; i < condensed.D.rows(); ++i) {
    row_rates(condensed.motions.col(i), condensed.D.col(i));
  }
  // What is pressed has a normal row that nothing moves along: something of unit mass stands for it
  // there, pressed as much.
  for (const CondensedContact& contact : condensed.contacts) {
    if (!contact.law.is_pressed) continue;
    condensed.D(contact.first_row, contact.first_row) = 1.0;
    condensed.b[contact.first_row] = -contact.law.pressure;
  }
}

}  // namespace clatter
