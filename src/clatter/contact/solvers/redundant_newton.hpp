#pragma once

#include <span>
#include <vector>

#include <clatter/contact/solvers/body_contacts.hpp>
#include <clatter/contact/solvers/island_newton.hpp>

namespace clatter {

/// Semismooth Newton method on the reactions of an island that has more rows than its bodies have
/// unknowns, so that W is singular. As IslandNewton it makes the rows compliant by a little, in the
/// derivative alone, which chooses the least change of reactions. Then each contact's reaction
/// follows from the motion of its two nodes,
///
///   (R_p - eps) dp = -R - R_g C dx        R(g, p): residual of the law, with derivatives R_g, R_p
///
/// and the motion is what is solved for: dx = Y F^T dp, six unknowns a node.
class RedundantNewton {
 public:
  /// For islands of so many nodes and rows.
  void reserve(std::size_t all_nodes, std::size_t nodes, std::size_t rows);

  /// Whether there are more rows than unknowns, not too many of these, and the bodies free.
  bool suits(const BodyContacts& contacts, std::span<const int> island);
  /// Starts from the reactions as they are, or from none, so that the load is shared evenly. False:
  /// they are left as they were.
  bool solve(BodyContacts& contacts, std::span<const int> island, bool from_zero, double precision,
             IslandNewton::Counts& counts);

  static constexpr int max_nodes = 64;

 private:
  struct Iteration;

  void number_nodes(const BodyContacts& contacts, std::span<const int> island);
  /// x_ := the motion under p_.
  void move_nodes(const BodyContacts& contacts, std::span<const int> island);
  RowVector rates(const BodyContacts& contacts, const BodyContacts::Contact& contact, const VecX& x,
                  bool free) const;
  /// Returns the norm of the residual of the contact laws at p_, beyond round-off of the rates.
  double evaluate_island(const BodyContacts& contacts, std::span<const int> island);
  void linearise(const BodyContacts& contacts, std::span<const int> island);
  void add_contact(const BodyContacts& contacts, const BodyContacts::Contact& contact,
                   const RowMatrix& stiffness, const RowVector& push);
  void find_changes(const BodyContacts& contacts, std::span<const int> island);

  Eigen::Index n_ = 0;                // unknowns
  std::vector<int> unknown_;          // node: its first, or -1
  MatX A_;                            // I + Y F^T B C
  VecX x_, dx_;                       // by unknowns
  double row_compliance_ = 0.0;       // eps
  double motion_ = 0.0;               // under p_: root of p W p
  std::vector<double> p_, dp_;        // by rows of the island
  std::vector<RowMatrix> stiffness_;  // contact of the island: B = (R_p - eps)^-1 R_g
  DenseLu lu_;
  ContactEquations equations_;
};

}  // namespace clatter
