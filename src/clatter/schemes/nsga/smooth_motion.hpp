#pragma once

#include <clatter/schemes/generalized_alpha.hpp>
#include <clatter/schemes/newton.hpp>
#include <clatter/schemes/smooth_end.hpp>

namespace clatter {

/// The smooth motion of a step, without contacts: 001 (3). Unknowns: velocities, forces of the
/// joints.
class SmoothMotion {
 public:
  static constexpr bool is_predicted = true;

  SmoothMotion(StepWork& work, const GeneralizedAlpha& coefficients);

  const SmoothEnd& end() const { return end_; }
  /// First guess: the acceleration stays as it was, 001 (4); the spin of bodies that turn far does.
  void predict();
  /// a of the end of the step, 001 (4), from its accelerations.
  const NodalVector& algorithmic_acceleration();

  /// The same when velocities have jumped to those of the work. What turns the momentum of a free
  /// body follows them at once; remembered from before, it would go on turning one that an impact
  /// has stopped.
  const NodalVector& accelerations_after_jump();

  // ---- As Newton's method sees it
  Residual evaluate();
  void assemble(KktMatrix& K);
  void fill_right_side(const KktMatrix& K, VecX& x) const;
  void move(const KktMatrix& K, const VecX& x, double factor);
  std::string culprit() const { return w_.joints.worst(); }

 private:
  friend struct NsgaProbe;  // tests differentiate the problem

  Residual measure(int island, const ForceSizes& sizes) const;
  /// Bodies that turn far take the acceleration from start to end, and the mean velocity.
  void turn_at_mean_velocity();
  void add_far_turns(KktMatrix& K) const;

  StepWork& w_;
  GeneralizedAlpha c_;
  SmoothEnd end_;
  NodalVector a_;
};

}  // namespace clatter
