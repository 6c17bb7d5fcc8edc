#pragma once

#include <vector>

#include <clatter/contact/solvers/least_reactions.hpp>
#include <clatter/schemes/step_work.hpp>

namespace clatter {

/// Takes back reactions that cancel: where contacts, or contacts and joints, hold bodies more often
/// than it takes, a part of their reactions does nothing to any body and can be anything. Motions
/// stay what they are. Scratch of a scheme.
class ContactRelief {
 public:
  explicit ContactRelief(StepWork& work);

  /// Of a solved jump, in islands with reactions that are far larger than what they do together.
  template <class Jump>
  void take_back(Jump& jump);

 private:
  /// Of all velocities, as residuals have it: slip by so little is none, and laws that are met to
  /// it are met where reactions cancel.
  static constexpr double unnoticed = 1e-5;

  /// pushes_ := what contacts and joints do to all bodies, with the residual.
  void find_pushes();
  /// Islands with a reaction that is far larger than what all of them do together, into
  /// overloaded_.
  void find_overloaded();
  /// Takes back what cancels in an island. False: nothing.
  bool relieve_island(int island, VecX& of_contacts, VecX& of_joints);
  /// The closed contacts of an island and the rows of its joints. Returns how many rows there are;
  /// none: they cannot be relieved.
  int list_rows(int island, HeldLoad& load);
  void fill_wrenches(int island, int rows, HeldLoad& load);

  StepWork& w_;
  NodalVector pushes_;
  std::vector<double> largest_, together_;  // island: reaction, and what all of them do
  std::vector<int> overloaded_;             // islands
  std::vector<std::size_t> closed_;         // contacts
  std::vector<int> column_of_joint_row_;
  std::vector<Eigen::Index> place_;  // node: of its wrench
};

template <class Jump>
void ContactRelief::take_back(Jump& jump) {
  // The first time what the reactions do together is known to the round-off of those that cancel.
  constexpr int times = 2;
  VecX &of_contacts = jump.contact_multipliers(), &of_joints = jump.joint_multipliers();
  for (int time = 0; time < times; ++time) {
    find_pushes();
    find_overloaded();
    if (overloaded_.empty()) return;
    const VecX contacts_before = of_contacts, joints_before = of_joints;
    const double merit = jump.evaluate().merit;
    bool any = false;
    for (const int island : overloaded_) {
      any = relieve_island(island, of_contacts, of_joints) || any;
    }
    if (!any) return;
    // It may have been solved to the round-off of its reactions only.
    const Residual after = jump.evaluate();
    const double enough = std::max(2.0 * merit, unnoticed * w_.machine.kinetic_norm(w_.v));
    if (after.converged() || after.merit <= enough) continue;
    of_contacts = contacts_before;
    of_joints = joints_before;
    jump.evaluate();
    return;
  }
}

}  // namespace clatter
