#pragma once

#include <vector>

#include <clatter/schemes/scheme.hpp>
#include <clatter/schemes/verlet/crew.hpp>
#include <clatter/schemes/verlet/grain_forces.hpp>

namespace clatter {

/// Velocity Verlet for grains on springs, as programs for grains have it: a step is cut into equal
/// substeps, each of which moves all bodies by the forces that it finds once. Groups of spheres are
/// GrainForces, by several threads; other contacts are looked at one by one.
class Verlet final : public Scheme {
 public:
  Verlet(const Machine& machine, const IntegratorSpec& spec);

  void find_contacts(State& state) override;
  bool start(State& state) override;
  bool step(State& state, double h) override;
  bool separates_forces() const override { return true; }
  bool has_joint_forces() const override { return false; }
  bool counts_work() const override { return true; }
  bool visit_contact_problems(std::function<void(const ContactProblem&)> visit) override;

 private:
  bool try_step(double /*t*/, double /*h*/) override { return false; }
  void size_contacts() override {}
  void begin_solving(const SolverMemory& /*memory*/) override {}
  void end_solving(SolverMemory& /*memory*/) const override {}
  bool needs_smooth_matrix() const override { return false; }

  struct Body {
    double inverse_mass[3] = {}, inverse_inertia[3] = {};
    GrainForces::Load outside;  ///< in the step
    double turn[3] = {};        ///< since the start of the step, space axes
    double drag = 0.0, spin_drag = 0.0, drag_loss = 0.0;  ///< of a fluid
  };
  /// A contact that is no member of a group.
  struct Own {
    Vec3 xi = Vec3::Zero(), impulse = Vec3::Zero(), force = Vec3::Zero(), rate = Vec3::Zero();
    ContactFrame frame;
    double gap = 0.0, normal_loss = 0.0, friction_loss = 0.0;
    double damping = 0.0, inverse_mass = 0.0;
    bool is_closed = false, slips = false, was_closed = false;
  };

  void check_bodies() const;
  double fastest_contact() const;
  int substeps_of(double h) const;
  void load(State& state);
  void find_loads(const State& state, double t);
  void place_bodies(const State& state);
  void evaluate_own(double dt);
  void write_own(State& state) const;
  void write_motion(State& state);
  void write_contacts(State& state, double h);
  void move(int thread);
  double advance(std::size_t node, double kick, double drift);
  static double slow(double drag, double inverse_mass, double force, double kick, double& v);

  GrainForces grains_;
  Crew crew_;
  std::vector<Body> bodies_;
  std::vector<Own> own_;
  std::vector<GrainForces::Load> of_own_;  // by node, of own contacts
  GrainForces::Totals totals_;
  double fastest_ = 0.0;       // [rad/s] of two bodies on the spring of a contact
  std::vector<double> moved_;  // thread: furthest of its bodies since pairs were listed, squared
  // Of the step at hand:
  std::function<void(int)> job_ = [this](int thread) { move(thread); };
  int substeps_ = 1;
  double dt_ = 0.0;
  bool is_lost_ = false;  // numbers have left their range
};

}  // namespace clatter
