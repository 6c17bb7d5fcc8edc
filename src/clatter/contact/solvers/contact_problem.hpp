#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include <clatter/contact/law/friction_law.hpp>

namespace clatter {

// The contact problem of a step: find reactions r and relative velocities u = W r + b such that for
// each contact (row 0 normal, the others in friction balls B)
//
//   0 <= u_N  _|_  r_N >= 0,     |r_B| <= c r_N,     r_B opposes u_B, and reaches c r_N if it slips
//
// With one ball this is a complementarity over the cone K = {|r_T| <= mu r_N} and its dual:
//
//   K* contains  u^ = u + mu |u_T| e_N  _|_  r  in K.

/// The rows of one contact in a condensed problem. Balls follow each other and cover rows 1 and up;
/// the penalty of the law is not used.
struct CondensedContact {
  int first_row = 0;
  int rows = 1;
  ContactLaw law = {};
};

/// Sliding friction `mu` in all rows but the first.
CondensedContact coulomb_contact(int first_row, int rows, double mu);

/// Stored by rows. The Delassus operator is symmetric but for what the linearisation of gyroscopic
/// and follower forces adds; it is singular when contacts are redundant.
using DelassusMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

struct ContactProblem {
  DelassusMatrix W;                        ///< compressed, columns ascending
  VecX b;                                  ///< velocities without reactions
  std::vector<CondensedContact> contacts;  ///< in the order of their rows, which they cover
};

/// What is wrong with the problem as such: sizes, order, entries that are not numbers; else empty.
std::string find_fault(const ContactProblem& problem);

/// A problem, or an island of one, as the solvers see it; owns nothing.
struct ContactSystem {
  int rows = 0;
  const int* starts = nullptr;  ///< of the rows of W, and the end
  const int* columns = nullptr;
  const double* values = nullptr;
  const double* b = nullptr;
  std::span<const CondensedContact> contacts;

  int entries() const { return starts[rows]; }
  /// Where the entries of a row from this column on begin.
  int place(int row, int column) const {
    const int* end = columns + starts[row + 1];
    return static_cast<int>(std::lower_bound(columns + starts[row], end, column) - columns);
  }
  /// The entry of W on the diagonal, zero when there is none.
  double diagonal(int row) const {
    const int at = place(row, row);
    return at < starts[row + 1] && columns[at] == row ? values[at] : 0.0;
  }
};
ContactSystem view(const ContactProblem& problem);

/// Of the natural map (natural_map.hpp).
struct ContactError {
  double common = 0.0;  ///< |r - P(r - u^)| / |b|: the usual definition, which mixes units
  double scaled = 0.0;  ///< |(r - P(r - rho u^)) / rho| / |b|, rho = 1/trace of the contact's block
};
ContactError contact_error(const ContactProblem& problem, const VecX& r);

/// u := W r + b
void contact_velocities(const ContactSystem& system, const double* r, double* u);
/// Sum over the rows of the square of the natural map residual with rho = 1.
double squared_residual(const ContactSystem& system, const double* r, const double* u);

}  // namespace clatter
