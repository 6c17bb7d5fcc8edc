#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <clatter/contact/geometry/pair_products.hpp>
#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/machine/kkt_matrix.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/math/union_find.hpp>
#include <clatter/schemes/sleepers.hpp>

namespace clatter {

/// What a step works out for one contact.
struct ContactWork {
  bool near = false;         ///< could close in this step, as far as speeds tell
  bool candidate = false;    ///< may close in this step
  bool closed = false;       ///< in the set A of 001 (7)
  bool stuck = false;        ///< at position level
  double bounce = 1.0;       ///< factor on its coefficients of restitution
  double restitution = 0.0;  ///< along the normal, for the speed of its approach
  /// Of the friction blocks, for the speeds of the step; see renew_friction().
  std::array<double, max_friction_blocks> coefficient = {};
  std::array<char, max_friction_blocks> came_to_rest = {};  ///< within the step: it may hold
  double smooth_gap = 0.0;                                  ///< at the end of the smooth motion
  bool closing = false;   ///< takes part in the present impact of a sequence
  bool held_off = false;  ///< met late in the step: hits in the next one
  double approach = 0.0;  ///< if held off: the rate that it may keep, negative
  bool parts = false;     ///< an impact is done, see ImpactProcess, after which it
  double parting = 0.0;   ///< parts at this rate at least,
  RowVector passed;       ///< with the impulses that it had, physical
  /// Whether frame is of the present configuration, and which rows G are: of all of it, or for the
  /// position correction.
  enum class Rows { none, all, position };
  bool is_placed = false;
  Rows rows = Rows::none;
  ContactFrame frame;  ///< where it is placed
  double gap = 0.0;    ///< there
  RowVector scale;     ///< square roots of the inverse Delassus diagonal
  ContactLaw law, position_law;
  /// Normal reactions of pressed friction, physical: over the step at velocity and at position
  /// level, and at its end.
  double pressing_impulse = 0.0, pressing_push = 0.0, pressing_force = 0.0;
  PairRows G;                 ///< rows at the present configuration
  PairRows start_rows;        ///< at the start of the step
  RowVector ghat;             ///< scaled gap or velocity terms
  double gap_at_start = 0.0;  ///< of the step
  bool open_at_start = true;
  RowVector rate_at_start;  ///< of the step
  RowVector rate_before;    ///< that restitution reverses
  RowVector impulse, done;  ///< physical impulse and its work, of the impacts so far
  double hardest = 0.0;     ///< the largest normal impulse among these
  double met_at = 0.0;      ///< how fast the surfaces came together before it
  std::array<ContactStatus, max_friction_blocks> block_status = {};  ///< of the impacts so far
  ContactStatus status = ContactStatus::open;
  ContactEquations equations;
};

/// The rows of a contact with a chord over the second nodes of its sides.
struct SecondRows {
  PairRows G, start_rows;
};

/// The first rows of a contact, which are lengths: the gap and sliding. Others are angles.
inline int rows_of_lengths(const Contact& contact) {
  const FrictionBlock* sliding = contact.block(FrictionKind::sliding);
  return sliding == nullptr ? 1 : 1 + sliding->rows;
}

/// The contacts that are listed, which of them are near, and their rows, laws and reactions as the
/// problems of a step need them. Scratch of a scheme.
class ContactSet {
 public:
  ContactSet(const Machine& machine, const IntegratorSpec& spec);

  const std::vector<Contact>& list() const { return list_.contacts(); }
  const Contact& contact(std::size_t c) const { return list_.contacts()[c]; }
  std::size_t count() const { return work.size(); }
  int rows() const { return list_.rows(); }

  // ---- The list, and which of its contacts are near

  /// Lists the contacts that the state has found. True: the list is another one.
  bool show(const State& state);
  /// Lets the groups find their contacts, and keeps the states of those that remain. True: the list
  /// has changed.
  bool search(State& state, double h);
  /// Contacts that are too far apart to meet in this step need no thought.
  void find_near(State& state, double h);
  /// Who sleeps in this step; contacts that hold nothing else are not near.
  const Sleepers& sleepers() const { return sleepers_; }
  void begin_sleep(const State& state) { sleepers_.begin(state); }
  /// Lists the contacts of a state in which everything sleeps, none of which is near.
  bool show_asleep(const State& state);
  /// Hard contacts that are near, ascending.
  std::span<const std::size_t> near() const { return near_; }
  /// Those of surfaces that give way; all that are listed, and those that are near.
  std::span<const int> compliant() const { return compliant_; }
  std::span<const std::size_t> near_compliant() const { return near_compliant_; }
  MatrixScope compliant_scope() const { return {list(), compliant_, {}}; }
  /// Where the nodes would be at the end of a step without what closes in it, roughly.
  const Configuration& predict(const State& state, double h);
  /// So many are all in the matrix of a step, near or not.
  static constexpr std::size_t few = 4;
  /// After the motion is known: contacts that met although they were far. True: there are none;
  /// else `failure` says which, and the next search and find_near() reach as far as the bodies
  /// went.
  bool far_ones_stay_open(const State& state, const Configuration& q, const NodalVector& moved,
                          std::string& failure);
  /// Likewise contacts that were no candidates, beside their face on the way, and end behind it.
  bool edges_stay_open(const State& state, const Configuration& q, std::string& failure);
  /// The last step missed contacts that the next search lists.
  bool has_missed() const { return has_missed_; }
  void reach_as_usual();
  /// Whether it comes through its face, which may have an edge, or was found to have closed there.
  bool is_candidate(std::size_t c, const State& state, const Configuration& q) const;
  /// None is too far to be thought of, until reach_as_usual().
  void reach_all() { all_near_ = true; }

  // ---- Rows, laws and reactions

  /// Rows G of a contact times a motion of the nodes.
  RowVector rates(std::size_t c, const NodalVector& motion) const {
    const Contact& of = contact(c);
    RowVector sum = rates_of(work[c].G, motion, of.a(), of.b());
    if (of.has_chord()) sum += rates_of(second[c].G, motion, of.second_a(), of.second_b());
    return sum;
  }
  double rate_of_row(std::size_t c, int row, const NodalVector& motion) const {
    const Contact& of = contact(c);
    double sum = work[c].G.row(row).dot(of_pair(motion, of.a(), of.b()));
    if (of.has_chord()) {
      sum += second[c].G.row(row).dot(of_pair(motion, of.second_a(), of.second_b()));
    }
    return sum;
  }
  double normal_rate(std::size_t c, const NodalVector& motion) const {
    return rate_of_row(c, 0, motion);
  }
  /// Both parts of G, of a contact with a chord.
  TwoPairRows all_rows(std::size_t c) const {
    TwoPairRows rows(contact(c).rows(), 24);
    rows << work[c].G, second[c].G;
    return rows;
  }
  /// G at a configuration, with tangents from those of the state.
  void evaluate_rows_of(std::size_t c, const State& state, const Configuration& q);

  /// Coefficients that depend on the speed := those of the start of a step. Rows are evaluated.
  void begin_friction(const State& state);
  /// Coefficients that depend on the speed := those of the speeds v, where what slips has another
  /// one than it was solved with. What held, or has come to rest, holds as far as the coefficient
  /// at rest reaches. True: some have changed.
  bool renew_friction(const NodalVector& v);
  static constexpr int most_renewals = 60;
  /// Restitution of a row, as lessened in the step.
  double restitution_of_row(std::size_t c, int row) const {
    const double full = row == 0 ? work[c].restitution : contact(c).restitution_of_row(row);
    return work[c].bounce * full;
  }
  /// Of contacts whose restitution depends on it, for the speeds of approach in rate_before.
  void find_restitution(std::size_t c);
  void begin_step(State& state);
  /// Frames and gaps of all near contacts. Those whose nodes have not moved stay as they are.
  void place(const State& state, const Configuration& q);
  void evaluate_rows(const State& state, const Configuration& q);
  /// Rows as the position correction needs them: slip counted from the start of the step.
  void evaluate_position_rows(const State& state, const Configuration& q);
  /// ghat of all near contacts := what the impact laws keep from becoming negative, scaled.
  void evaluate_rates(const NodalVector& v);
  /// Scales rows by their inverse Delassus diagonal, or by one mass for all as 001 does, and gives
  /// the laws their penalties.
  void scale_rows(Scaling scaling, double penalty);
  /// The mean normal reaction of pressed friction in a step of size h, at one of two levels.
  void press(std::size_t c, bool position_level, double force, double h) {
    ContactWork& w = work[c];
    (position_level ? w.pressing_push : w.pressing_impulse) =
        (position_level ? 0.5 * h * h : h) * force;
    scale_pressing(w);
  }
  /// No friction at position level, until rows are scaled anew.
  void let_positions_slide();
  /// equations and residual of all contacts; `problem` tells the law of each, and whether it may
  /// close.
  template <class Problem>
  void evaluate_laws(const Problem& problem, const VecX& multipliers);
  /// reaction += G_c^T p of one contact, p physical
  void add_reaction(std::size_t c, const RowVector& p, NodalVector& reaction) const;
  /// reaction += G_c^T phi
  void add_reactions(NodalVector& reaction) const;
  /// G_c and what the laws do with it. At position level the unknowns are increments from where T
  /// is the tangent, and curved surfaces have a stiffness at q.
  void add_tangents(KktMatrix& K) const;
  void add_position_tangents(KktMatrix& K, const Configuration& q, std::span<const Mat3> T) const;
  /// As if all contacts were open.
  void add_open(KktMatrix& K) const;
  /// How the reactions bend, of all but those with a chord.
  void add_bends(KktMatrix& K, const Configuration& q, std::span<const Mat3> T) const;
  /// x := minus the residual, on the multipliers of the contacts
  void fill_right_side(const KktMatrix& K, VecX& x) const;
  /// multipliers += factor x
  void move(const KktMatrix& K, const VecX& x, double factor, VecX& multipliers) const;
  /// bend := what the derivative of -(reaction of the contact, as it stands) by the increments of
  /// its two nodes is, at position level. False: none.
  bool find_bend(std::size_t c, const Configuration& q, std::span<const Mat3> T, Mat12& bend) const;
  /// Rows at position level for increments, which those of slip may be already.
  void to_increments_of(const Contact& contact, std::span<const Mat3> T, PairRows& rows) const;
  void to_increments_of(const Contact& contact, std::span<const Mat3> T, TwoPairRows& rows) const;

  // ---- Islands: nodes that joints, beams and closed contacts connect

  /// Joins the nodes of closed contacts, joints and beams.
  void find_islands();
  int island_of(const Contact& contact) const;
  /// Finds the islands whose contacts have not converged: the only ones to be recovered.
  void mark_hard_islands();
  void mark_all_hard();
  bool is_hard(const Contact& contact) const;
  /// Takes restitution from the contacts of the island with the largest residual, or from all.
  void forbid_rebound(bool everywhere);
  /// Lessens restitution where impulses that change velocities so add energy, for its sake. True:
  /// somewhere.
  bool lessen_rebound(const NodalVector& before, const NodalVector& after);

  // ---- Results

  /// Writes what the contacts did into the state, whose positions and velocities are those of the
  /// end of the step; `moved` is the increment of the nodes that led there.
  void accept(State& state, const NodalVector& moved);
  /// When the first contact with restitution met in the last step, as a part of the step. More than
  /// one: none did. Flights shorter than `shortest` are rest.
  double first_impact(double h, double shortest) const;
  /// The contact problem of the velocities as a value, with rows in their physical units.
  void publish(ContactProblem problem, std::span<const int> which) const;
  /// " (largest residual at contact 'name')", or nothing.
  std::string worst() const;

  std::vector<ContactWork> work;  ///< by contact
  /// By contact, where beams are solid; else there is none, for ordinary contacts need the room.
  std::vector<SecondRows> second;
  VecX residual;  ///< of the problem at hand, by rows
  /// Whether evaluate_laws() finds derivatives, which a matrix of the whole needs.
  bool finds_derivatives = true;
  /// Called with the contact problem of the velocities of each step, in physical units.
  std::function<void(const ContactProblem&)> on_problem;

 private:
  static void scale_pressing(ContactWork& w) {
    w.law.pressure = w.pressing_impulse / w.scale[0];
    w.position_law.pressure = w.pressing_push / w.scale[0];
  }
  void size_work();
  void wake_who_is_near(const State& state);
  void find_reach(const State& state, double h);
  bool has_moved(const Contact& contact) const;
  /// The law := that of the coefficients as they stand.
  void set_coefficients(std::size_t c);
  void find_rows(std::size_t c, const Configuration& q, const ContactFrame& frame);
  void go_on(std::span<const ContactKey> keys, std::size_t k, ContactState& of) const;
  bool solids_stay_apart(const State& state, const Configuration& q, std::string& failure);
  double reach_of(const Contact& contact) const {
    if (contact.is_placeless()) return std::numeric_limits<double>::infinity();
    double a = reach_[static_cast<std::size_t>(contact.a())],
           b = reach_[static_cast<std::size_t>(contact.b())];
    if (contact.has_chord()) {  // that of the ground is zero
      a = std::max(a, reach_[static_cast<std::size_t>(contact.second_a())]);
      b = std::max(b, reach_[static_cast<std::size_t>(contact.second_b())]);
    }
    return a + b;
  }
  void choose_for_matrix(State& state);
  bool turns(int node) const { return machine_.nodes()[static_cast<std::size_t>(node)].has(5); }
  template <class Rows, class Momentum>
  void add_contact_tangents(KktMatrix& K, std::size_t c, const Rows& scaled, const Rows& change,
                            Momentum& momentum) const;
  void add_chord_position_tangents(KktMatrix& K, std::size_t c, const Configuration& q,
                                   std::span<const Mat3> T) const;
  void mark_struck(State& state, bool new_contact);
  /// g_T of the step as friction at position level counts it; zero on all but rows of sliding.
  RowVector slip_of(std::size_t c, const State& state, const NodalVector& moved) const;

  const Machine& machine_;
  const IntegratorSpec& spec_;
  ContactList list_;
  Sleepers sleepers_;
  double mean_mass_;           // of 001's scaling
  std::vector<double> reach_;  // node: how far it carries its surfaces in a step, generously
  std::vector<double>
      moved_further_;      // node: how far it went beyond that, in a step to be repeated
  bool all_near_ = false;  // no contact is to be left out
  bool has_missed_ = false;
  std::vector<std::size_t> closed_at_edge_;  // in this step, which is repeated with them
  std::vector<ContactKey> missed_;           // between solids
  Configuration placed_;                     // where near contacts were placed last
  std::vector<char> has_moved_;              // node: since then
  Configuration next_;                       // where the nodes are going
  NodalVector way_;
  std::vector<std::size_t> near_, near_compliant_;
  std::vector<int> compliant_;
  std::vector<int> wanted_;  // scratch of choose_for_matrix
  UnionFind connected_;      // nodes
  std::vector<int> island_;  // of each node: the smallest node it is connected with
  std::vector<char> hard_;   // node: its island has not converged
  struct Gain {
    double energy = 0.0, terms = 0.0, made = 0.0, by_rebound = 0.0;
  };
  std::vector<Gain> gains_;  // node: what impulses do in its island
  // Scratch when the list changes.
  std::vector<ContactState> states_before_;
  std::vector<ContactKey> keys_before_;
};

template <class Problem>
void ContactSet::evaluate_laws(const Problem& problem, const VecX& multipliers) {
  residual = -multipliers;  // of those that are far
  for (const std::size_t c : near_) {
    ContactWork& w = work[c];
    const Contact& of = contact(c);
    const RowVector la = multipliers.segment(of.first_row, of.rows());
    evaluate(problem.law(w), problem.may_close(w), w.ghat, la, finds_derivatives, w.equations);
    residual.segment(of.first_row, of.rows()) = w.equations.residual;
  }
}

/// Lets contacts find derivatives, or not, for as long as it lives.
class FindingDerivatives {
 public:
  FindingDerivatives(ContactSet& contacts, bool are_needed)
      : contacts_(contacts), before_(contacts.finds_derivatives) {
    contacts.finds_derivatives = are_needed;
  }
  ~FindingDerivatives() { contacts_.finds_derivatives = before_; }
  FindingDerivatives(const FindingDerivatives&) = delete;
  FindingDerivatives& operator=(const FindingDerivatives&) = delete;

 private:
  ContactSet& contacts_;
  bool before_;
};

/// Nothing but contacts of two bodies connects them.
bool is_free(const Machine& machine);

}  // namespace clatter
