#pragma once

#include <array>
#include <vector>

#include <clatter/machine/coupled_matrix.hpp>
#include <clatter/schemes/generalized_alpha.hpp>
#include <clatter/schemes/newton.hpp>

namespace clatter {

/// What the coupled step works out for one contact. Unknowns, scaled: h lambda, P, khat_N / h.
struct CoupledContact {
  RowVector force, impulse;
  double push = 0.0;
  // What P and khat / h are when forces and Lambda, k vanish.
  RowVector impulse_before, push_before;
  // At the present unknowns.
  RowVector percussion;    ///< Lambda
  RowVector correction;    ///< k / h
  RowVector acceleration;  ///< scaled, times h
  ContactFrame frame;
  FrameDerivative derivative;
  PairRows turning;  ///< d(rows)/dt along v
  ContactEquations position, velocity, forces;
  RowMatrix dforces_dxi;  ///< by those of the impulses, which give slip its direction

  void size_rows(int rows);
  void set_zero();
};

/// The same that a contact with a chord has instead of `derivative` and `turning`.
struct CoupledChord {
  ChordDerivative derivative;
  TwoPairRows turning;
};

/// The step of the coupled scheme as one problem: accelerations, velocities and positions, with
/// forces, impulses and position corrections of joints and contacts. All in units of velocity and
/// momentum: equations of accelerations times h, those of positions over h. 002 (127)-(142).
class CoupledStep {
 public:
  static constexpr bool is_predicted = true;
  /// Chosen on one heap: of its solves 5 % converge after more updates without progress, and those
  /// that never do cost a third of what they would.
  static constexpr int patience = 12;

  CoupledStep(StepWork& work, const GeneralizedAlpha& coefficients);

  /// Room for the contacts that are listed now.
  void size_contacts();
  /// The first guess: accelerations and forces as they were, no impulses.
  void guess();
  /// The guess without forces of contacts.
  void forget_contacts();

  // ---- As Newton's method sees it
  Residual evaluate();
  void assemble(CoupledMatrix& K);
  void fill_right_side(const CoupledMatrix& K, VecX& x) const;
  void move(const CoupledMatrix& K, const VecX& x, double factor);
  std::string culprit() const { return w_.culprit(); }

  // ---- What came out
  /// h times the accelerations.
  const NodalVector& scaled_acceleration() const { return ha_; }
  const CoupledContact& contact(std::size_t c) const { return contacts_[c]; }
  /// Scaled multipliers of joints: h times forces, impulses.
  const VecX& joint_forces() const { return joint_multipliers_[A]; }
  const VecX& joint_impulses() const { return joint_multipliers_[V]; }
  const VecX& joint_rates_residual() const { return joint_residual_[V]; }

 private:
  friend struct NsgaCoupledProbe;                    // tests differentiate the step
  static constexpr std::size_t A = 0, V = 1, P = 2;  // levels

  void guess_contact(std::size_t c);
  void evaluate_joints();
  Residual measure(int island, const ForceSizes& sizes) const;
  double push_squares(int island) const;
  void evaluate_contact(std::size_t c);
  /// Friction moves positions by half of its percussion; a contact that does not press takes back
  /// what its forces did before.
  void correct_positions(CoupledContact& work) const;
  /// Frame, derivative and turning at the present unknowns. Returns turning times v.
  RowVector evaluate_frame(std::size_t c);
  /// The rate that restitution reverses, times the coefficient, and whether it follows the rows of
  /// the end. Velocities of the start along these: bodies turn meanwhile, so that they are no
  /// approach where bodies stay in touch, and could be a faster one than there was.
  struct Rebound {
    double coefficient = 0.0, rate = 0.0;
    bool follows = false;
  };
  Rebound rebound_of_row(std::size_t c, int row) const;
  void add_reactions();
  void add_half_impulses();
  void assemble_joint(CoupledMatrix& K, std::size_t j);
  void leave_contact(CoupledMatrix& K, std::size_t c);
  // Over the nodes of a contact: twelve columns for two, 24 with a chord.
  template <int Size>
  void add_contact(CoupledMatrix& K, std::size_t c);
  template <int Size>
  void add_contact_stiffness(CoupledMatrix& K, std::size_t c);
  template <int Size>
  void add_contact_rows(CoupledMatrix& K, std::size_t c);
  template <int Size>
  void add_contact_columns(CoupledMatrix& K, std::size_t c);
  template <int Size>
  KktMatrix::RowsOver<Size> rows_of(std::size_t c) const;
  template <int Size>
  KktMatrix::RowsOver<Size> turning_of(std::size_t c) const;
  /// d(rows times a motion)/dq
  template <int Size>
  KktMatrix::RowsOver<Size> bend_of(std::size_t c, const NodalVector& motion) const;
  template <class Block>
  void increments(Block& block, int a, int b) const;
  template <class Block>
  void increments(Block& block, const Contact& contact) const;

  StepWork& w_;
  GeneralizedAlpha c_;
  double ratio_;  // of a change of the auxiliary variables to that of accelerations
  std::vector<CoupledContact> contacts_;
  std::vector<CoupledChord> chords_;  // by contact, where beams are solid
  // Unknowns, all velocities: h a, v (that of the work), increment / h; and what the latter are
  // without a, U and Q.
  NodalVector ha_, y_, v_before_, y_before_;
  NodalVector U_, Q_;  // changes of velocities, and of increments over h, by impulses
  std::array<NodalVector, 3> momentum_, momentum_residual_, reactions_;
  std::array<VecX, 3> joint_multipliers_, joint_residual_;  // scaled
  VecX force_residual_, impulse_residual_, push_residual_;  // of contacts
};

}  // namespace clatter
