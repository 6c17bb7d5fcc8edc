#include <clatter/schemes/contact_stage.hpp>

namespace clatter {
namespace {

/// Free bodies in groups are too many for one matrix, and need none.
std::span<const Contact> in_matrix(const StepWork& work, bool free_bodies) {
  const bool has_groups = !work.machine.contact_groups().empty();
  if (free_bodies && has_groups) return {};
  return work.contacts.list();
}

}  // namespace

ContactStage::ContactStage(StepWork& work)
    : w_(work),
      free_bodies_(is_free(work.machine)),
      K_(work.machine, in_matrix(work, free_bodies_)),
      rhs_(VecX::Zero(K_.size())) {
  if (work.spec.contact_solver && !work.machine.contact_groups().empty()) {
    throw Error(work.spec.place,
                "'contact_solver' is not for groups of spheres: many contacts are swept, island by "
                "island");
  }
  size_contacts();
}

void ContactStage::size_contacts() {
  active_.reserve(w_.contacts.count());
  if (free_bodies_) {
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
