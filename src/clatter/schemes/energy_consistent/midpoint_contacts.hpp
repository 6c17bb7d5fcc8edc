#pragma once

#include <array>
#include <span>
#include <vector>

#include <clatter/contact/law/friction_law.hpp>
#include <clatter/machine/energy_ledger.hpp>
#include <clatter/model/conserving_kind.hpp>

namespace clatter {

/// The contacts of a step of the conserving schemes of 003, as a problem of its own: bodies with
/// diagonal masses in space axes, and rows of contacts whose directions are fixed. With G_b the
/// part of a row on body b, F its force, lambda = h F and "mid" the mean of start and end,
///
///   dp_b = h f_b + sum G_b lambda
///   dq_b = h (v_mid + 1/2 sum psi M^-1 P_b dp_b),  P = G (G^T M^-1 G)^-1 G^T M^-1     (4.4), (4.5)
///   s = sum_b G_b . dq_b,  d = sum_b y_b^2/w_b,  y_b = G_b . M^-1 dp_b,  w_b = G_b . M^-1 G_b
///
/// every row that conserves obeys (4.17) and the closing relation (4.26), psi standing for psi_2:
///
///   F s = psi d/2
///   F + Dv(g_n, g_n+1) + (S - psi) K (g_n+1 - g_n)/2 = 0
///
/// Dv is the difference quotient of the energy of the spring. For S -> infinity psi vanishes and
/// what is left is 0 <= lambda_N, u_N >= 0 with u = G . v_mid, sticking rows with u_T = 0, and
/// sliding ones with |lambda_T| = mu lambda_N against u_T: convex in the normal rows, and solved by
/// sweeps. As (4.17) is u = lag, with a lag of the size of psi, the same sweeps solve all of it,
/// with lags from the round before; where these do not settle, psi = 0 is taken.
class MidpointContacts {
 public:
  struct Body {
    Vec6 inverse_mass = Vec6::Zero();  ///< space axes
    Vec6 compliance = Vec6::Zero();    ///< what v_mid gains from an impulse, times 2
    Vec6 kept = Vec6::Ones();          ///< of v, in v_mid without forces
    Vec6 v = Vec6::Zero();             ///< at the start
    Vec6 load = Vec6::Zero();          ///< h f
    Vec6 mid = Vec6::Zero();           ///< found: v_mid
    Vec6 extra = Vec6::Zero();         ///< found: dq/h - v_mid
    Vec6 scratch = Vec6::Zero();
    Vec6 change() const { return 2.0 * (mid - v); }
    Vec6 way() const { return mid + extra; }
  };

  struct Row {
    int a = 0, b = 0;  ///< bodies
    Vec6 Ga = Vec6::Zero(), Gb = Vec6::Zero();
    double stiffness = 0.0;      ///< K [N/m]
    double closing = 0.0;        ///< S = psi_1 + psi_2
    double gap = 0.0;            ///< at the start: g_n, of tangential rows the elongation g_T
    double remainder = 0.0;      ///< g_n+1 - g_n - s, as the curvature of the way has it
    bool is_tangential = false;  ///< its spring pulls, too
    bool is_held = false;        ///< its spring carries all of its force: psi = 0
    // Found:
    double impulse = 0.0;  ///< lambda [N s]
    double psi = 0.0;      ///< psi_2
    // Scratch:
    double wa = 0.0, wb = 0.0, lag = 0.0;
    double target = 0.0, ease = 0.0;  // sweeps solve u + ease lambda = target
    bool is_limit = false, had_force = false;
    int flips = 0;
  };

  struct Contact {
    int first_row = 0, rows = 1;
    double friction = 0.0;
    double cohesion = 0.0;                       ///< h c [N s]
    ContactStatus status = ContactStatus::open;  ///< found
  };

  explicit MidpointContacts(ConservingKind kind) : kind_(kind) {}

  /// Dv and its derivative by the gap at the end.
  struct Quotient {
    double value = 0.0, slope = 0.0;
  };
  /// [V(g1) - V(g0)]/(g1 - g0) of V(g) = K g^2/2, of normal rows where g < 0 alone; (4.6),
  /// corrected.
  static Quotient quotient(const Row& row, double g1);

  std::vector<Body> bodies;  ///< the first is the ground
  std::vector<Row> rows;
  std::vector<Contact> contacts;
  double h = 0.0;
  double tolerance = 1e-10;  ///< of the integrator: sweeps end at 1e-5 of it

  /// Solves for the contacts of one island. False: sweeps did not converge.
  bool solve(std::span<const int> island);
  /// Lets the bodies move without contacts, or with the impulses that rows have.
  void begin(std::span<const int> nodes);
  void apply(std::span<const int> island);

  double speed(const Row& row) const;             ///< u
  double displacement(const Row& row) const;      ///< s
  double projected_square(const Row& row) const;  ///< d
  Exchange energy(const Row& row) const;

  // Of the last solve:
  int sweeps() const { return sweeps_; }
  int rounds() const { return rounds_; }
  double left() const { return left_; }   ///< what sweeps left that did not settle, relative
  int limits() const { return limits_; }  ///< rows with psi = 0 for want of another

 private:
  Body& body(int n) { return bodies[static_cast<std::size_t>(n)]; }
  const Body& body(int n) const { return bodies[static_cast<std::size_t>(n)]; }
  bool sweep(std::span<const int> island, double enough);
  double sweep_contact(Contact& contact);
  struct Change {
    double change = 0.0, largest = 0.0;  ///< roots of energies
  };
  Change sweep_once(std::span<const int> island);
  void restore(std::span<const int> island);
  bool leap(std::span<const int> island);
  void find_speeds(const std::vector<double>& x, std::vector<double>& speeds);
  void project(const Contact& contact);
  static double radius_of(const Contact& contact, const Row& normal) {
    return normal.impulse > 0.0 ? contact.friction * normal.impulse + contact.cohesion : 0.0;
  }
  double solve_normal(Row& row, double rest) const;
  double solve_sticking(const Row& row, double rest) const;
  static void let_fly(Body& body);
  void push_anew(std::span<const int> island);
  void push(Row& row, double impulse);
  void find_extra(std::span<const int> island);
  void find_psi(std::span<const int> island);
  bool psi_of(Row& row) const;
  double find_lags(std::span<const int> island);
  bool take_limit(std::span<const int> island, bool all);
  bool conserves(const Contact& contact, int row) const {
    return row == contact.first_row || contact.status == ContactStatus::stick;
  }
  template <class Visit>
  void visit_rows(std::span<const int> island, const Visit& visit);

  ConservingKind kind_;
  std::vector<int> free_;                                           // rows
  std::vector<double> residual_, along_, speeds_, found_, before_;  // of these
  int sweeps_ = 0, rounds_ = 0, limits_ = 0;
  double left_ = 0.0;
};

}  // namespace clatter
