#pragma once

#include <clatter/machine/coupled_matrix.hpp>
#include <clatter/schemes/generalized_alpha.hpp>
#include <clatter/schemes/integrator.hpp>

namespace clatter {

/// Coupled nonsmooth generalized-alpha scheme (002): accelerations, velocities and positions, with
/// forces, impulses and position corrections of joints and contacts, are the unknowns of one
/// semismooth Newton method. Contacts obey Signorini's law at all three levels; friction acts on
/// the impulses of the step and, where these hold, on the forces. Forces and impulses come out
/// apart. Rotations move by exponentials of increments in body axes, where 002 adds quaternions.
class NsgaCoupled final : public Integrator {
 public:
  NsgaCoupled(System& system, const IntegratorSpec& spec);

  bool start(const Configuration& q, const NodalVector& v, double t) override;
  bool separates_forces() const override { return true; }
  double linear_algebra_time() const override;
  long factorisations() const override;
  long solves() const override;

 private:
  friend struct NsgaCoupledProbe;  // tests differentiate the step
  struct Step;

  bool try_step(double t, double h) override;
  void size_scheme() override;
  void size_work();
  void guess();
  void forget_contacts();
  bool solve_step();
  /// Forces and impulses of contacts by projection, the motion by Newton's method: 002 section 9.
  bool solve_by_projections(Step& step);
  void accept_step();
  void evaluate_contact(std::size_t c);
  /// [scaled] impulses of the step less what the forces do: Lambda, and k_N.
  void add_reactions();
  void add_half_impulses();

  struct CoupledContact {
    // Unknowns, scaled: h lambda, P, khat_N / h.
    RowVector force, impulse;
    double push = 0.0;
    // What P and khat are when forces and Lambda, k vanish.
    RowVector impulse_before;
    double push_before = 0.0;
    // At the present unknowns.
    RowVector percussion;          // Lambda
    double correction = 0.0;       // k_N / h
    RowVector rate, acceleration;  // scaled; acceleration times h
    ContactFrame frame;
    FrameDerivative derivative;
    PairRows turning;  // d(rows)/dt along v
    ContactEquations position, velocity, forces;
    RowMatrix dforces_drate;
  };

  GeneralizedAlpha c_;
  double ratio_;  // of a change of the auxiliary variables to that of accelerations
  CoupledMatrix K_;
  VecX rhs_;
  double eps_ = 0.0;
  std::vector<CoupledContact> work_;
  // Unknowns, all velocities: h a, v, increment / h; and what the latter are without a, U and Q.
  NodalVector ha_, y_, v_before_, y_before_;
  NodalVector Q_;  // over h; U is W_ of the base
  std::array<NodalVector, 3> momentum_residual_, reactions_;
  std::array<VecX, 3> joint_multipliers_, joint_rows_residual_;  // scaled
  VecX contact_force_residual_, contact_impulse_residual_, contact_push_residual_;
};

}  // namespace clatter
