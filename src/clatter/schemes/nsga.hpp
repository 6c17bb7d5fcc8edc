#pragma once

#include <clatter/schemes/generalized_alpha.hpp>
#include <clatter/schemes/integrator.hpp>

namespace clatter {

/// Decoupled nonsmooth generalized-alpha scheme (001): a step is the smooth motion without
/// contacts, a position correction U and a velocity jump W, each a semismooth Newton on its own.
/// Without contacts it is the second-order Lie-group generalized-alpha method with joints at both
/// levels.
class Nsga final : public Integrator {
 public:
  Nsga(System& system, const IntegratorSpec& spec);

 private:
  friend struct NsgaProbe;  // tests differentiate the subproblems

  struct SmoothMotion;

  bool try_step(double t, double h) override;
  void predict();
  bool move_smoothly();
  bool correct_positions();
  bool jump();
  /// Contacts react one after the other, while any closes: 004 section 4, 000 annex B.
  bool jump_in_sequence(VelocityJump& velocity);
  void choose_candidates();
  void close_contacts();
  void follow_normals();
  double slowest_impact() const;

  GeneralizedAlpha c_;
};

}  // namespace clatter
