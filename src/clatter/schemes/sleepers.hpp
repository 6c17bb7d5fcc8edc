#pragma once

#include <span>
#include <vector>

#include <clatter/contact/geometry/contact.hpp>
#include <clatter/machine/state.hpp>

namespace clatter {

struct SmoothEnd;
struct StepWork;

/// Which nodes sleep in a step: islands that have come to rest and are left where they are, with
/// the reactions that hold them, until something comes near. What lasts is Sleep, in the state.
///
/// An island is calm when it moves no further in a step and no faster than some times what the
/// problems of a step may be off by; when it has been so for `steps_to_fall_asleep` of them it
/// falls asleep.
class Sleepers {
 public:
  Sleepers(const Machine& machine, const IntegratorSpec& spec);

  static constexpr int steps_to_fall_asleep = 16;

  /// Those of the state sleep, unless one of them was set in motion.
  void begin(const State& state);
  bool any() const { return count_ > 0; }
  /// All but the ground.
  bool all() const { return count_ + 1 == still_.size(); }
  bool has(int node) const { return node != ground && is_still(node); }
  /// The ground is, too.
  bool is_still(int node) const { return still_[static_cast<std::size_t>(node)] != 0; }
  std::span<const char> still() const { return still_; }
  /// Nothing that it is on moves.
  bool holds(const Contact& contact) const;
  /// And all that sleep with it.
  void wake(int node);

  /// Takes away what the motion of those who sleep was set to.
  void lay_down(NodalVector& of_nodes) const;
  /// Ends a step whose results are in the state: those who woke are awake, and islands that have
  /// been calm for long fall asleep.
  void end(const StepWork& w, const SmoothEnd& smooth, State& state) const;
  /// Impulses and pushes that hold who sleeps become those of a step of size h.
  void keep_forces(std::span<const Contact> contacts, double h, State& state) const;

 private:
  bool is_calm(const StepWork& w, const SmoothEnd& smooth, int island, const State& state) const;
  static void put_to_sleep(const StepWork& w, int island, State& state);

  std::vector<char> may_sleep_;  // node: nothing but contacts and gravity acts on it
  std::vector<char> still_;      // node
  std::vector<int> with_;        // Sleep::with at the start of the step
  std::size_t count_ = 0;
};

}  // namespace clatter
