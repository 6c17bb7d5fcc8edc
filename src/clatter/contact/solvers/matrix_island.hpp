#pragma once

#include <span>
#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/gauss_seidel.hpp>
#include <clatter/contact/solvers/one_contact.hpp>

namespace clatter {

/// Contacts with W written out, as Gauss-Seidel sees them. Reactions stay where the caller has
/// them. The residual is the natural map (natural_map.hpp), relative to nothing.
class MatrixIsland {
 public:
  /// The system and its reactions must outlive the use.
  void attach(const ContactSystem& system, double* r);

  std::size_t rows() const { return static_cast<std::size_t>(system_.rows); }
  std::span<const double> reactions() const { return {r_, rows()}; }
  /// Taken as they are.
  void set_reactions(std::span<const double> r) { std::copy(r.begin(), r.end(), r_); }
  /// Returns the size of the residuals that the contacts had when they were visited.
  double sweep();
  SweepResidual residual();

 private:
  template <int Rows>
  double visit(const CondensedContact& contact, const OneContact& one);

  ContactSystem system_;
  double* r_ = nullptr;
  std::vector<OneContact> blocks_;
  std::vector<double> u_;
};

}  // namespace clatter
