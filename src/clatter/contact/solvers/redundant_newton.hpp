#pragma once

#include <span>
#include <vector>

#include <clatter/contact/solvers/body_contacts.hpp>
#include <clatter/contact/solvers/island_newton.hpp>
#include <clatter/math/block_lu.hpp>

namespace clatter {

/// Semismooth Newton method on the reactions of an island that has more rows than its bodies have
/// unknowns, so that W is singular, or that is large. As IslandNewton it makes the rows compliant
/// by a little, in the derivative alone, which chooses the least change of reactions. Then each
/// contact's reaction follows from the motion of its two nodes,
///
///   (R_p - eps) dp = -R - R_g C dx        R(g, p): residual of the law, with derivatives R_g, R_p
///
/// and the motion is what is solved for: dx = Y F^T dp, six unknowns a node, tied to those of the
/// nodes that it touches.
class RedundantNewton {
 public:
  /// For islands of so many nodes and rows.
  void reserve(std::size_t nodes, std::size_t rows);

  /// Whether the bodies are free, as they must be.
  bool suits(const BodyContacts& contacts, std::span<const int> island) const;
  /// Whether there are more rows than unknowns.
  bool is_redundant(const BodyContacts& contacts, std::span<const int> island);
  /// Starts from the reactions as they are, or from none, so that the load is shared evenly.
  /// `patiently`: goes on with other compliances of the rows where the usual one does not do.
  /// Returns what is left of the residual, relative to the motion; zero if that is as good as asked
  /// for. Contacts that stick at more places than their bodies have freedom contradict each other
  /// where bodies turn, by the square of the turn: then the last digits may be out of reach.
  double solve(BodyContacts& contacts, std::span<const int> island, bool from_zero, bool patiently,
               double precision, IslandNewton::Counts& counts);

  /// The same from the reactions as they are, which bend with the bodies. False: nothing was
  /// changed.
  bool solve_bent(BodyContacts& contacts, std::span<const int> island, double precision,
                  IslandNewton::Counts& counts);

  /// What may be left where nothing better can be had: far less than an impact law is worth.
  static constexpr double fair = 1e-8, poor = 1e-6;

 private:
  struct Iteration;

  void number_nodes(const BodyContacts& contacts, std::span<const int> island);
  /// p_, noise_ := those of the island; A_ has its pattern.
  void begin(const BodyContacts& contacts, std::span<const int> island, bool from_zero);
  /// eps, of which round-off may want more.
  void set_row_compliance(double least);
  /// A := I - Y D.
  void set_bends(const BodyContacts& contacts, std::span<const int> island, BlockLu& A) const;
  /// The number of a side of a contact; less than zero if it does not move.
  int node_of(const BodyContacts::Contact& contact, int side) const {
    return node_[static_cast<std::size_t>(side == 0 ? contact.a : contact.b)];
  }
  /// x_ := the motion under p_.
  void move_nodes(const BodyContacts& contacts, std::span<const int> island);
  RowVector rates(const BodyContacts& contacts, const BodyContacts::Contact& contact, const VecX& x,
                  bool free) const;
  /// residual_, rest_, motion_ := those of p_.
  void evaluate_island(const BodyContacts& contacts, std::span<const int> island);
  void linearise(const BodyContacts& contacts, std::span<const int> island);
  template <int Rows>
  void add_contact(const BodyContacts& contacts, const BodyContacts::Contact& contact,
                   const RowMatrix& stiffness, const RowVector& push);
  void find_changes(const BodyContacts& contacts, std::span<const int> island);

  std::vector<int> node_;   // node: its number in the island, or -1
  std::vector<int> nodes_;  // of the island, by their number
  int count_ = 0;
  bool is_bent_ = false;
  std::vector<BlockLu::Pair> touching_;
  BlockLu A_, unbent_;                // I - Y D + Y F^T B C, and without the latter
  VecX x_, dx_;                       // by nodes
  double row_compliance_ = 0.0;       // eps
  double noise_ = 0.0;                // largest round-off of a rate
  double residual_ = 0.0;             // of the laws, beyond a part of the round-off of the rates
  double rest_ = 0.0;                 // beyond what it can be
  double motion_ = 0.0;               // under p_: root of p W p
  std::vector<double> p_, dp_;        // by rows of the island
  std::vector<RowMatrix> stiffness_;  // contact of the island: B = (R_p - eps)^-1 R_g
  ContactEquations equations_;
};

}  // namespace clatter
