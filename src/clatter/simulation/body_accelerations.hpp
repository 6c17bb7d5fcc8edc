#pragma once

#include <clatter/machine/machine.hpp>
#include <clatter/machine/state.hpp>

namespace clatter {

/// How fast the velocities of bodies change: by loads, and by what joints and lasting contacts do.
/// Impacts have no acceleration. Schemes differ in what they keep in State::acceleration; what is
/// missing there is added.
class BodyAccelerations {
 public:
  BodyAccelerations(const Machine& machine, IntegratorKind kind);

  /// By node, as velocities are: of centres of mass in space axes, of turns in body axes.
  const NodalVector& read(const State& state);

 private:
  void add_joints(const State& state);
  void add_contacts(const State& state);
  void add_contact(const Contact& contact, const ContactState& did, const State& state);
  bool is_struck(const State& state, int node) const {
    return state.struck[static_cast<std::size_t>(node)] != 0;
  }

  const Machine& machine_;
  bool joints_are_apart_, contacts_are_apart_, only_lasting_;
  NodalVector sum_, impulse_;
};

}  // namespace clatter
