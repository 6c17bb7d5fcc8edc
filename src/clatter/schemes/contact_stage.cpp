#include <clatter/elements/force_elements.hpp>
#include <clatter/math/union_find.hpp>
#include <clatter/schemes/contact_stage.hpp>

namespace clatter {
namespace {

/// For fewer contacts one matrix of all is quicker.
constexpr std::size_t fewest_to_condense = 16;

/// Calls connect(a, b) for all that ties nodes together but contacts.
template <class Connect>
void visit_ties(const Machine& machine, const Connect& connect) {
  for (const Joint& joint : machine.joints()) connect(joint.a(), joint.b());
  for (const BeamElement& element : machine.beam_elements()) connect(element.a(), element.b());
  for_each_force_element(machine.force_elements(), [&](const auto& element, std::size_t) {
    const auto nodes = element.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t k = i; k < nodes.size(); ++k) connect(nodes[i], nodes[k]);
    }
  });
}

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
}

/// Whether of the nodes that something ties together no two have contacts.
bool is_held_one_by_one(const Machine& machine) {
  UnionFind tied;
  tied.separate(machine.nodes().size());
  visit_ties(machine, [&](int a, int b) {
    if (a != ground && b != ground) tied.join(a, b);
  });
  std::vector<int> with_contacts(machine.nodes().size(), -1);  // of each set: the node
  bool one_by_one = true;
  visit_contact_nodes(machine, [&](int node) {
    if (node == ground) return;
    int& other = with_contacts[static_cast<std::size_t>(tied.root(node))];
    one_by_one = one_by_one && (other < 0 || other == node);
    other = node;
  });
  return one_by_one;
}

bool can_condense(const StepWork& work) {
  const Machine& machine = work.machine;
  if (is_free(machine) || work.spec.contact_solver || !is_held_one_by_one(machine)) return false;
  return !machine.contact_groups().empty() || machine.own_contacts().size() >= fewest_to_condense;
}

/// Free bodies in groups are too many for one matrix, and need none.
std::span<const Contact> in_matrix(const StepWork& work, bool free_bodies, bool condenses) {
  const bool has_groups = !work.machine.contact_groups().empty();
  if (condenses || (free_bodies && has_groups)) return {};
  return work.contacts.list();
}

}  // namespace

ContactStage::ContactStage(StepWork& work)
    : w_(work),
      free_bodies_(is_free(work.machine)),
      held_(held_nodes(work.machine)),
      condenses_(can_condense(work)),
      K_(work.machine, in_matrix(work, free_bodies_, condenses_)),
      rhs_(VecX::Zero(K_.size())),
      pushes_(NodalVector::Zero(work.machine.nodal_size())),
      touched_(work.machine.nodes().size(), 0) {
  if (work.spec.contact_solver && !work.machine.contact_groups().empty()) {
    throw Error(work.spec.place,
                "'contact_solver' is not for groups of spheres: many contacts are swept, island by "
                "island");
  }
  size_contacts();
}

void ContactStage::size_contacts() {
  active_.reserve(w_.contacts.count());
  if (free_bodies_ || condenses_) {
    free_contacts_.reserve(w_.machine.nodes().size(), w_.contacts.count(),
                           static_cast<std::size_t>(w_.contacts.rows()));
    return;
  }
  if (w_.machine.contact_groups().empty()) return;
  KktMatrix K(w_.machine, w_.contacts.list());
  K.matrix().count_on_from(K_.matrix());
  K_ = std::move(K);
  rhs_ = VecX::Zero(K_.size());
}

void ContactStage::find_held_compliances() {
  // What is left of a node that a motor drives is round-off.
  constexpr double nothing = 1e-12;
  free_contacts_.clear(w_.machine.nodes().size());
  for (std::size_t n = 1; n < held_.size(); ++n) {
    if (held_[n] == 0) continue;
    FreeContacts::Compliance& compliance = free_contacts_.compliance(static_cast<int>(n));
    compliance = {};
    compliance.is_held = true;
    if (touched_[n] == 0) continue;
    const Node& node = w_.machine.nodes()[n];
    bool moves = false;
    for (int i = 0; i < 6; ++i) {
      if (!node.has(i)) continue;
      rhs_.setZero();
      rhs_[node.dof[static_cast<std::size_t>(i)]] = 1.0;
      K_.solve(rhs_);
      for (int j = 0; j < 6; ++j) {
        if (node.has(j)) compliance.held(j, i) = rhs_[node.dof[static_cast<std::size_t>(j)]];
      }
      const double free = i < 3 ? node.inverse_mass : node.inverse_inertia(i - 3, i - 3);
      moves = moves || compliance.held(i, i) > nothing * free;
    }
    if (!moves) compliance.held.setZero();
  }
}

void ContactStage::fill_condensed(bool position_level, Condensed& condensed) {
  VecX& free = condensed.free;
  free = VecX::Zero(K_.size());
  NodalVector nodal = NodalVector::Zero(w_.machine.nodal_size());
  w_.contacts.add_reactions(nodal);
  w_.residual += nodal;
  K_.gather(w_.residual, free);
  free.head(w_.machine.dofs()) *= -1.0;
  free.segment(K_.joint_multiplier(0), w_.joints.residual.size()) = -w_.joints.residual;
  K_.solve(free);
  VecX column(K_.size());
  std::vector<PairRows> changes;
  for (std::size_t k = 0; k < condensed.which.size(); ++k) {
    const auto c = static_cast<std::size_t>(condensed.which[k]);
    const ContactWork& work = w_.contacts.work[c];
    const Contact& contact = w_.contacts.contact(c);
    const PairRows scaled = work.scale.asDiagonal() * work.G;
    PairRows change = scaled;
    if (position_level) w_.contacts.to_increments_of(contact, w_.T, change);
    changes.push_back(change);
    for (int i = 0; i < contact.rows(); ++i) {
      nodal.setZero();
      of_node(nodal, contact.a()) += scaled.row(i).head<6>().transpose();
      of_node(nodal, contact.b()) += scaled.row(i).tail<6>().transpose();
      column.setZero();
      K_.gather(nodal, column);
      K_.solve(column);
      condensed.motions.col(condensed.contacts[k].first_row + i) = column;
    }
  }
  const auto row_rates = [&](const VecX& x, auto&& out) {
    nodal.setZero();
    K_.scatter(x, 1.0, nodal);
    for (std::size_t k = 0; k < condensed.which.size(); ++k) {
      const Contact& contact = w_.contacts.contact(static_cast<std::size_t>(condensed.which[k]));
      out.segment(condensed.contacts[k].first_row, contact.rows()) =
          changes[k] * of_pair(nodal, contact.a(), contact.b());
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
}

}  // namespace clatter
