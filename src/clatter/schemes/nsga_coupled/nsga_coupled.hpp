#pragma once

#include <clatter/schemes/nsga_coupled/coupled_step.hpp>
#include <clatter/schemes/scheme.hpp>
#include <clatter/schemes/step_matrix.hpp>

namespace clatter {

/// Coupled nonsmooth generalized-alpha scheme (002): accelerations, velocities and positions, with
/// forces, impulses and position corrections of joints and contacts, are the unknowns of one
/// semismooth Newton method. Contacts obey Signorini's law at all three levels; friction acts on
/// the impulses of the step and, where these hold, on the forces. Forces and impulses come out
/// apart. Rotations move by exponentials of increments in body axes, where 002 adds quaternions.
class NsgaCoupled final : public Scheme {
 public:
  NsgaCoupled(const Machine& machine, const IntegratorSpec& spec);

  bool start(State& state) override;
  void take_over(State& state) override;
  bool visit_contact_problems(std::function<void(const ContactProblem&)> visit) override;
  bool separates_forces() const override { return true; }
  SchemeTimes times() const override;

 private:
  friend struct NsgaCoupledProbe;  // tests differentiate the step

  bool try_step(double t, double h) override;
  void size_contacts() override;
  void begin_solving(const SolverMemory& /*memory*/) override { matrix_.begin_step(); }
  void end_solving(SolverMemory& memory) const override { matrix_.end_step(memory); }
  /// Accelerations, and forces of the contacts that are closed.
  void find_forces(State& state);
  bool turns_far();
  /// Joints press their friction as they react in the solution.
  bool solve_step();
  bool solve_as_pressed();
  /// Newton's method from the guess, regularised at least so much.
  bool solve_from_guess(double at_least, bool with_contacts);
  bool adds_energy();
  bool contacts_are_followed();
  bool moves_as_fast_as_it_goes();
  bool keeps_energy();
  void accept_contacts();
  /// Takes what contacts did that have opened off the auxiliary accelerations.
  void forget_opened(NodalVector& accelerations);

  GeneralizedAlpha c_;
  CoupledStep step_;
  StepMatrix<CoupledMatrix> matrix_;
  NodalVector opened_;  // auxiliary forces of contacts that have opened, on the nodes
  bool is_free_;        // nothing but weights and contacts act
};

}  // namespace clatter
