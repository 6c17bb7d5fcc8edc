#pragma once

#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>

namespace clatter {

/// Lemke's method for contacts whose friction balls have one row each, as in the plane: these are a
/// linear complementarity problem, with friction in both directions and the speed of slip as
/// unknowns (Stewart and Trinkle). It goes from one basis to the next and needs no guess, whatever
/// the masses: where a light body links heavy ones, others cycle. Dense, so for few contacts.
class LemkePivots {
 public:
  /// Whether all balls have one row and the problem is small.
  static bool suits(const ContactSystem& system);
  /// r := reactions with the right active set, nearly exact: entries of b that vanish are shifted a
  /// little, so that pivots do not cycle. False: the pivots end on a ray, and r is as it was.
  bool solve(const ContactSystem& system, double* r);

 private:
  void fill(const ContactSystem& system);
  void pivot(int row, int column);
  int leaving_row(int column) const;

  struct Ball {
    int row = 0;    // of the system
    int first = 0;  // unknown: friction forwards, then backwards, then the speed of slip
  };
  std::vector<int> normals_;  // contact: its unknown
  std::vector<Ball> balls_;
  std::vector<double> roots_;  // row: root of the diagonal of W
  int size_ = 0;               // complementary pairs
  MatX table_;                 // basic variables = shares_ + table_ * others
  VecX shares_;
  std::vector<int> basic_, others_;  // pair i: i and size_ + i; the artificial variable: 2 size_
};

}  // namespace clatter
