#pragma once

#include <span>
#include <vector>

#include <clatter/contact/solvers/body_contacts.hpp>
#include <clatter/contact/solvers/gauss_seidel.hpp>

namespace clatter {

/// Some of the contacts of bodies, as Gauss-Seidel sees them: swept where they lie, whatever their
/// laws. The residual is relative to the motion that the reactions make, weighted by mass: the root
/// of p W p.
class BodyIsland {
 public:
  void reserve(std::size_t rows) { reactions_.reserve(rows); }
  /// The contacts and the island (numbers of them) must outlive the use.
  void attach(BodyContacts& contacts, std::span<const int> island);

  std::size_t rows() const { return reactions_.size(); }
  std::span<const double> reactions() const { return reactions_; }
  /// Sets reactions, projected on what the laws admit, and moves the nodes accordingly.
  void set_reactions(std::span<const double> p);
  /// Sets all reactions to zero.
  void release();
  /// Returns the norm of the changes.
  double sweep();
  SweepResidual residual() const;

 private:
  template <int Rows, int Balls, bool Planar = false>
  double visit(const BodyContacts::Contact& contact);
  void gather();

  BodyContacts* contacts_ = nullptr;
  std::span<const int> island_;
  std::vector<double> reactions_;
};

}  // namespace clatter
