#pragma once

#include <functional>
#include <string>
#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/free_contacts.hpp>
#include <clatter/machine/kkt_matrix.hpp>
#include <clatter/machine/system.hpp>
#include <clatter/machine/tangents.hpp>
#include <clatter/math/union_find.hpp>

namespace clatter {

/// What a contact did in the last step.
struct ContactState {
  ContactStatus status = ContactStatus::open;
  bool persistent = false;  ///< closed at the end of this step and of the one before
  double gap = 0.0;         ///< [m]
  /// Of the friction blocks; open when the contact is.
  std::array<ContactStatus, max_friction_blocks> block_status = {};
  RowVector impulse;   ///< [N s], [N m s] of the rows; physical
  RowVector work;      ///< [J] done by them on the bodies
  RowVector rate;      ///< [m/s], [rad/s] of the rows at the end of the step
  bool stuck = false;  ///< at position level
  RowVector push;      ///< multipliers of the position correction; physical
  // Where forces and impulses are apart (nsga_coupled); `impulse` is then that of both.
  RowVector force;              ///< [N], [N m] at the end of the step
  RowVector mean_force;         ///< its auxiliary variable, 002 (96)
  RowVector percussion;         ///< [N s], [N m s] the impulsive part
  RowVector anchor;             ///< tangential coordinates that slip is counted from
  Vec3 tangent = Vec3::Zero();  ///< first direction of slip, space axes
};

/// Newton updates of the last (sub)step.
struct StepCounts {
  int smooth = 0, position = 0, velocity = 0;
  int regularised = 0;          ///< solves of singular systems
  int recovered = 0;            ///< times Newton needed active sets from Gauss-Seidel
  int plastic = 0;              ///< steps taken without restitution, for want of a solution with it
  int sweeps = 0;               ///< of Gauss-Seidel over the largest island of contacts
  double sweep_residual = 0.0;  ///< that sweeps left, relative; see FreeContacts::Result
  int unfinished = 0;           ///< contact problems that sweeps left with a larger residual
  int impacts = 0;              ///< problems in the sequence of impacts, with multi_impact
};

/// What every time integrator is: the state of the machine and of its contacts, steps that either
/// succeed or leave it as it was, and the means that steps are made of. Each scheme is a step of
/// its own.
class Integrator {
 public:
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;
  Integrator(Integrator&&) = delete;
  Integrator& operator=(Integrator&&) = delete;
  virtual ~Integrator() = default;

  /// Moves q and v by the least (mass-weighted) change onto the joints. False: no such state found.
  bool assemble(Configuration& q, NodalVector& v);
  /// Puts the bodies there, and lets the groups of contacts find theirs.
  void place(const Configuration& q, const NodalVector& v);
  /// Starts from a consistent state: accelerations of the smooth problem. False: they do not exist.
  virtual bool start(const Configuration& q, const NodalVector& v, double t);

  /// Tries one step of size h from t; on failure says why in failure() and leaves the state as it
  /// was.
  bool advance(double t, double h);
  const std::string& failure() const { return failure_; }

  const Configuration& q() const { return q_n_; }
  const NodalVector& v() const { return v_n_; }
  const NodalVector& acceleration() const { return vd_n_; }
  /// Contacts that are far apart have no rates until complete_contacts() has been called.
  const std::vector<ContactState>& contacts() const { return contact_states_; }
  void complete_contacts();
  /// Joint j belongs to bodies that a contact struck in the last step: its impulse is that of an
  /// impact.
  bool is_struck(int joint) const;
  /// False while the point of a contact is behind its face, having come there from beside it.
  bool is_armed(int contact) const { return armed_[contact] != 0; }
  const StepCounts& counts() const { return counts_; }
  /// Smooth force [N, N m] and impulse [N s, N m s] of the last step in each joint row.
  const VecX& joint_forces() const { return la_; }
  const VecX& joint_impulses() const { return joint_impulse_; }
  /// Rows of joint j at the present configuration.
  const KktMatrix::Rows& joint_rows(int j) const { return joint_G_[j]; }
  /// When the first contact with restitution met in the last step, as a part of the step. More than
  /// one: none did. Flights shorter than `shortest` are rest.
  double first_impact(double h, double shortest) const;
  /// Relative to the size of the model where it is a length.
  double joint_error() const { return joint_error_; }
  double joint_velocity_error() const { return joint_velocity_error_; }

  /// Called with the contact problem of the velocities of each step, in physical units, if there
  /// are contacts that may close. Not by schemes that have no such problem.
  std::function<void(const ContactProblem&)> on_contact_problem;

  double smooth_time = 0.0, position_time = 0.0, velocity_time = 0.0;
  virtual double linear_algebra_time() const;
  virtual long factorisations() const;
  virtual long solves() const;
  /// Whether forces of contacts come out apart from impulses.
  virtual bool separates_forces() const { return false; }
  /// Whether joint forces act besides joint impulses; else the impulses of a step are all.
  virtual bool has_joint_forces() const { return true; }
  /// The systems of the smooth motion, and of position correction and velocity jump.
  SystemMatrix& smooth_matrix() { return smooth_K_.matrix(); }
  SystemMatrix& contact_matrix() { return contact_K_.matrix(); }

  /// Everything a failed step must give back.
  struct Snapshot {
    Configuration q;
    NodalVector v, a, vd;
    VecX la, joint_impulse;
    std::vector<ContactState> contacts;
    std::vector<char> armed;
    std::vector<ContactKey> contact_keys;
  };
  void save(Snapshot& snapshot) const;
  void restore(const Snapshot& snapshot);

 protected:
  Integrator(System& system, const IntegratorSpec& spec);

  /// One step from the state q_n_, v_n_ ...; on success ends with accept().
  virtual bool try_step(double t, double h) = 0;
  /// The list of contacts has changed.
  virtual void size_scheme() {}

  // The least changes that meet joints and contacts, of positions and of velocities.
  struct PositionCorrection;
  struct VelocityJump;

  template <class Problem, class Matrix>
  struct NewtonOfStep;
  template <class Problem, class Matrix>
  bool solve(Problem& problem, Matrix& K, double& eps, int& iterations, const char* what);

  template <class Problem>
  bool solve_contacts(Problem& problem, double& eps, int& iterations, const char* what);
  /// For bodies that only contacts connect: island by island, without a matrix of the whole.
  template <class Problem>
  bool solve_free(Problem& problem, double& eps, int& iterations, const char* what);
  /// All contacts react at once; without rebound where no motion could meet it.
  template <class Jump>
  bool jump_together(Jump& jump);
  /// A problem linearised without contact reactions and condensed on rows of contacts:
  /// motion = free + motions r, rates = b + D r.
  struct Condensed {
    std::vector<int> which;  // contacts
    std::vector<CondensedContact> contacts;
    VecX free, b;
    MatX motions, D;
  };
  template <class Problem>
  bool condense(Problem& problem, double& eps, bool only_hard, Condensed& condensed);
  /// The problem as a value, with rows in their physical units.
  void publish(ContactProblem problem, std::span<const int> which) const;
  template <class Problem>
  void publish_condensed(Problem& problem, double& eps);
  template <class Problem>
  bool find_active_sets(Problem& problem, double& eps, ContactSolverKind solver);
  template <class Problem>
  bool solve_from_active_sets(Problem& problem, double& eps, ContactSolverKind solver,
                              int& iterations, const char* what);

  void begin_step(double h);
  /// How far each node can carry its surfaces in a step, generously.
  void find_reach(double h);
  /// Lets the groups find their contacts, and keeps the states of those that remain.
  void update_contacts(double h);
  void size_contacts();
  /// Contacts that are too far apart to meet in this step need no thought.
  void find_near_contacts();
  /// After the position correction: contacts that met although they were far. True: there are none.
  bool far_contacts_stay_open();
  void scale_contacts(Scaling scaling, double penalty);
  void find_islands();
  int island_of(const Contact& contact) const;
  /// Islands whose contacts have not converged: the only ones to be recovered.
  void mark_hard_islands();
  bool is_hard(const Contact& contact) const;
  /// Takes restitution from the contacts of the island with the largest residual, or from all.
  void forbid_rebound(bool everywhere);
  void accept();
  void mark_struck(bool new_contact);
  void evaluate_joint_rows(const Configuration& q);
  void evaluate_contact_rows(const Configuration& q);
  /// Rows as the position correction needs them: slip counted from the start of the step.
  void evaluate_position_rows(const Configuration& q);
  /// joint_residual_ := that of the rates, scaled; returns the sum of squares.
  double evaluate_joint_rates(const NodalVector& v);
  /// ghat of all near contacts := what the impact laws keep from becoming negative, scaled.
  void evaluate_contact_rates(const NodalVector& v);
  void add_tangents(KktMatrix& K, const Configuration& q, const NodalVector& v,
                    const TangentFactors& factors) const;
  /// Column groups of rotations times T(psi), so that increments of psi are the unknowns.
  template <class Matrix>
  void to_increments(Matrix& columns, int a, int b) const;
  void evaluate_tangents(const NodalVector& increment);
  template <class Problem>
  void evaluate_contacts(const Problem& problem, const VecX& multipliers);
  void change_of_increments(const Contact& contact, KktMatrix::Rows& change) const;
  void add_open_contacts(KktMatrix& K) const;
  void add_contact_reactions(NodalVector& reaction) const;
  void add_contact_tangents(KktMatrix& K, bool position_level) const;
  void add_joint_reactions(const VecX& force, NodalVector& reaction) const;
  /// Rows and columns of all joints. With `force`, at position level: also -d(G^T force)/dq, with
  /// increments as unknowns, and without the rows that hold no position.
  void add_joint_tangents(KktMatrix& K, const VecX* force) const;
  void fill_right_side(KktMatrix& K, VecX& x) const;
  /// f_ := f(q_, v) - f_smooth_, which is zero unless something moved. Returns ForceSizes::numbers.
  double change_of_forces(bool moved, const NodalVector& v);
  double target_speed() const;
  double target_acceleration(const Joint& joint, const JointRow& row) const {
    return joint.target_acceleration(row, system_.time(), spec_.step / 16.0);
  }
  bool turns(int node) const { return system_.nodes()[node].has(5); }
  /// Size of the forces that hold a balance in the smooth motion.
  double smooth_terms() const { return system_.weighted_norm(f_smooth_) + joint_terms_; }
  std::string worst_joint() const;
  std::string worst_contact() const;

  System& system_;
  IntegratorSpec spec_;
  KktMatrix smooth_K_, contact_K_;
  double mbar_;
  bool free_bodies_;             // nothing but contacts connects them
  std::vector<double> reach_;    // node: how far it carries its surfaces in a step
  std::vector<double> went_;     // node: how far it went beyond that, in a step to be repeated
  bool all_near_ = false;        // no contact is to be left out
  std::vector<Vec3> moving_;     // node: one for each translation that it has, else zero
  std::vector<char> is_sphere_;  // node: its inertia is that of a sphere
  FreeContacts free_contacts_;

  // State at the end of the last step.
  Configuration q_n_;
  NodalVector v_n_, a_n_, vd_n_;
  VecX la_, la_n_;                            // smooth joint forces: of this step, of the last
  std::vector<ContactState> contact_states_;  // of the last step
  std::vector<ContactState> states_before_;   // scratch when the list of contacts changes
  std::vector<ContactKey> keys_before_;
  std::vector<char> armed_before_;
  std::vector<char> armed_;  // contact: the point has been on the outer side

  // Within a step.
  double h_ = 0.0;
  Configuration q_;
  NodalVector delta_, total_;            // increments from q_n: smooth, corrected
  NodalVector vs_, vd_, a_, U_, W_, v_;  // smooth velocity and acceleration, corrections
  NodalVector passed_on_;  // momentum from the contacts in earlier impacts of the sequence
  NodalVector f_, f_smooth_, reaction_, reaction_smooth_, residual_, momentum_;
  VecX nu_, joint_impulse_hat_, joint_impulse_;  // scaled multipliers of joints: position, velocity
  VecX nu_contact_, la_contact_;                 // scaled multipliers of contacts
  VecX joint_scale_, joint_total_, joint_residual_, contact_residual_;
  VecX allowed_joint_, allowed_contact_;
  double span_ = 0.0, mass_root_ = 0.0;
  bool has_moved_ = false;       // by the position correction
  double smooth_numbers_ = 0.0;  // ForceSizes::numbers of the smooth motion
  double joint_terms_ = 0.0;     // weighted sum of the sizes of all joint forces
  std::vector<Mat3> T_;
  struct ContactWork {
    bool near = false;             // could close in this step, as far as speeds tell
    bool candidate = false;        // may close in this step
    bool closed = false;           // in the set A of 001 (7)
    bool stuck = false;            // at position level
    double bounce = 1.0;           // factor on its coefficients of restitution
    double smooth_gap = 0.0;       // at the end of the smooth motion
    bool closing = false;          // takes part in the present impact of a sequence
    RowVector scale;               // square roots of the inverse Delassus diagonal
    ContactLaw law, position_law;  // only sliding is resisted at position level
    PairRows G;                    // rows at the present configuration
    PairRows start_rows;           // at the start of the step
    RowVector ghat;                // scaled gap or velocity terms
    double gap_at_start = 0.0;     // of the step
    bool open_at_start = true;
    RowVector rate_at_start;  // of the step
    RowVector rate_before;    // that restitution reverses
    RowVector impulse, done;  // physical impulse and its work, of the impacts so far
    std::array<ContactStatus, max_friction_blocks> block_status = {};  // of the impacts so far
    ContactStatus status = ContactStatus::open;
    ContactEquations equations;
  };
  std::vector<ContactWork> contact_work_;
  std::vector<int> active_;  // contacts in a problem of free bodies
  std::vector<KktMatrix::Rows> joint_G_;
  VecX rhs_smooth_, rhs_contact_;
  double eps_smooth_ = 0.0, eps_position_ = 0.0, eps_velocity_ = 0.0;
  UnionFind connected_;       // nodes
  std::vector<int> island_;   // of each node: the smallest node it is connected with
  std::vector<char> struck_;  // node: its island has a new contact
  std::vector<char> hard_;    // node: its island has not converged
  double joint_error_ = 0.0, joint_velocity_error_ = 0.0;
  StepCounts counts_;
  std::string failure_;
};

}  // namespace clatter
