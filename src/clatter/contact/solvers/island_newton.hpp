#pragma once

#include <span>
#include <vector>

#include <clatter/contact/solvers/body_contacts.hpp>
#include <clatter/math/dense_lu.hpp>

namespace clatter {

/// Semismooth Newton method on the reactions of a small island of contacts of bodies, with W = C Y
/// F^T dense: residual(b + W p, p) = 0, the equations of friction_law.hpp.
class IslandNewton {
 public:
  struct Counts {
    int updates = 0;      ///< of the hardest island
    int regularised = 0;  ///< solves of singular systems
  };

  /// Takes the memory for islands of so many rows, of so many contacts in all.
  void reserve(std::size_t contacts, Eigen::Index rows);

  /// How far the reactions are from the solution: the residual beyond round-off of the rates, over
  /// the motion that they make (see BodyIsland).
  double misfit(const BodyContacts& contacts, std::span<const int> island);
  /// Starts from the reactions as they are, or from none. False: they are left as they were.
  bool solve(BodyContacts& contacts, std::span<const int> island, bool from_zero, double precision,
             Counts& counts);

 private:
  struct Iteration;

  void resize(Eigen::Index n);
  void fill(const BodyContacts& contacts, std::span<const int> island);
  void add_block(const BodyContacts& contacts, int k, int l);
  double evaluate_island(const BodyContacts& contacts, std::span<const int> island,
                         bool with_derivative);

  Eigen::Index n_ = 0;       // rows of the island, in the leading part of all that follows
  std::vector<int> row_of_;  // of a contact in the island
  MatX W_, J_;
  VecX b_, residual_, start_, p_, update_;
  DenseLu lu_;
  ContactEquations equations_;
};

}  // namespace clatter
