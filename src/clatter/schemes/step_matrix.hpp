#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include <clatter/schemes/step_work.hpp>

namespace clatter {

/// A matrix (KktMatrix, CoupledMatrix) with the contacts in it that a state has chosen: made anew
/// when these are others, and factorised with the pivots that the state remembers. Scratch of a
/// scheme.
template <class Matrix>
class StepMatrix {
 public:
  explicit StepMatrix(const StepWork& work)
      : w_(work),
        in_matrix_(first_guess(work)),
        K(work.machine, {work.contacts.list(), in_matrix_, {}}),
        rhs(VecX::Zero(K.size())) {}

  /// The list of contacts has changed.
  void renew() { is_made_ = false; }
  void begin_step() { is_prepared_ = false; }
  /// To be called in a step before it is used.
  void prepare() {
    if (is_prepared_) return;
    is_prepared_ = true;
    const SolverMemory& memory = w_.state->solver;
    if (!is_made_ || in_matrix_ != memory.in_matrix) {
      in_matrix_ = memory.in_matrix;
      Matrix other(w_.machine, {w_.contacts.list(), in_matrix_, {}});
      other.matrix().count_on_from(K.matrix());
      K = std::move(other);
      rhs = VecX::Zero(K.size());
      is_made_ = true;
    }
    K.matrix().use_pivots(memory.contact_pivots);
  }
  void end_step(SolverMemory& memory) const {
    if (is_prepared_) memory.contact_pivots = K.matrix().pivots();
  }

 private:
  static std::vector<int> first_guess(const StepWork& work) {
    const std::size_t count = work.contacts.count();
    std::vector<int> all(count <= ContactSet::few || work.machine.is_compliant() ? count : 0);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  const StepWork& w_;
  std::vector<int> in_matrix_;
  bool is_made_ = true;       // of the list of contacts as it is
  bool is_prepared_ = false;  // for this step

 public:
  Matrix K;
  VecX rhs;
};

}  // namespace clatter
