#pragma once

#include <functional>
#include <string>

#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/schemes/step_work.hpp>

namespace clatter {

/// Wall time [s] and calls of the parts of all steps so far.
struct SchemeTimes {
  double smooth = 0.0, position = 0.0, velocity = 0.0;
  double linear_algebra = 0.0;  ///< contained in the others
  long factorisations = 0, solves = 0;
};

/// A time integrator: advances states of one machine. It holds scratch and nothing else; all that a
/// step depends on is the machine, the settings and the state.
class Scheme {
 public:
  Scheme(const Machine& machine, const IntegratorSpec& spec);
  Scheme(const Scheme&) = delete;
  Scheme& operator=(const Scheme&) = delete;
  Scheme(Scheme&&) = delete;
  Scheme& operator=(Scheme&&) = delete;
  virtual ~Scheme() = default;

  /// Lets the groups find their contacts, with the bodies where the state has them.
  virtual void find_contacts(State& state);
  /// Makes the state one to start from: accelerations and joint forces of the smooth problem, gaps
  /// and rates of contacts. False: they do not exist.
  virtual bool start(State& state);
  /// Forces have jumped: finds accelerations and joint forces of the smooth motion anew. Leaves
  /// them where they do not exist.
  void renew_accelerations(State& state);
  /// Goes on from a state that another scheme has left.
  virtual void take_over(State& /*state*/) {}

  /// Advances the state by h [s]. False: it cannot, failure() says why, and the state stands where
  /// it stood.
  virtual bool step(State& state, double h);
  const std::string& failure() const { return w_.failure; }

  // Of the last step.
  const StepCounts& counts() const { return w_.counts; }
  /// The largest error of a joint: relative to the size of the model where it is a length.
  double joint_error() const { return joint_error_; }
  std::size_t worst_joint() const { return worst_joint_; }
  double joint_velocity_error() const { return joint_velocity_error_; }
  double first_impact(double h, double shortest) const {
    return w_.contacts.first_impact(h, shortest);
  }
  /// That are listed, in the order of State::contacts.
  const std::vector<Contact>& contacts() const { return w_.contacts.list(); }
  /// Loads and motors at the end of the last step.
  const Instant& instant() const { return w_.instant; }

  /// Calls `visit` with the contact problem of the velocities of each step, in physical units, if
  /// there are contacts that may close. False: the scheme has no such problem.
  virtual bool visit_contact_problems(std::function<void(const ContactProblem&)> visit);
  /// Calls `visit` after each update of Newton's method.
  void visit_updates(std::function<void(const NewtonUpdate&)> visit) {
    w_.on_update = std::move(visit);
  }

  virtual SchemeTimes times() const;
  /// Whether forces of contacts come out apart from impulses.
  virtual bool separates_forces() const { return false; }
  /// Whether joint forces act besides joint impulses; else the impulses of a step are all.
  virtual bool has_joint_forces() const { return true; }
  /// Whether steps add the work of loads, of motors and of the drag of a fluid to the ledger
  /// themselves; drag is then theirs, too. Else it is a force like others, and powers are summed
  /// up.
  virtual bool counts_work() const { return false; }

 protected:
  /// Tries a step from w_.state; on success ends with accept().
  virtual bool try_step(double t, double h) = 0;
  /// The list of contacts has changed.
  virtual void size_contacts() = 0;
  /// What the matrices with contacts in them remember of the steps before, and for the next ones.
  virtual void begin_solving(const SolverMemory& memory) = 0;
  virtual void end_solving(SolverMemory& memory) const = 0;
  /// Whether the matrix of the smooth motion has compliant contacts in it.
  virtual bool needs_smooth_matrix() const { return w_.machine.is_compliant(); }

  /// The end of a step becomes the state: q, v, vd, joint forces and impulses of the work.
  void accept(const NodalVector& algorithmic_acceleration);
  /// Lists the contacts that a step of size h may need.
  void list_contacts(State& state, double h);
  /// Of a force on a node over a way, both in space axes, without that of weight and buoyancy.
  double work_of_loads(std::size_t node, const Vec6& force, const Vec6& way) const;
  /// Of the joints where they were evaluated last, with the bodies at q.
  void find_joint_errors(const Configuration& q);
  /// smooth_K_ := masses and joints where the joints were evaluated last: [M -G^T; -G 0]. False: it
  /// is singular, for all that regularisation does, which `state` remembers.
  bool factorise_masses(State& state);

  StepWork w_;
  KktMatrix smooth_K_;  // all but hard contacts
  VecX smooth_rhs_;
  SchemeTimes times_;

 private:
  /// A step in which nothing moves. False: something does.
  bool find_accelerations(State& state);
  bool sleep_through(State& state, double h);
  void renew_smooth_matrix();

  double joint_error_ = 0.0, joint_velocity_error_ = 0.0;
  std::size_t worst_joint_ = 0;
};

}  // namespace clatter
