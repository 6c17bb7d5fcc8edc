#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <Eigen/LU>

#include <clatter/contact/solvers/contact_problem.hpp>

namespace clatter {

/// A square matrix with the pattern of a system whose contacts have dense blocks (as islands have):
/// filled by rows and factorised many times. Small ones are dense, larger ones sparse (KLU).
class ContactMatrix {
 public:
  ContactMatrix();
  ~ContactMatrix();
  ContactMatrix(const ContactMatrix&) = delete;
  ContactMatrix& operator=(const ContactMatrix&) = delete;

  /// Takes the pattern; the system must outlive the matrix's use.
  void attach(const ContactSystem& system);
  bool is_dense() const { return dense_; }
  /// Entries by rows, in the order of the system's.
  double* values() { return values_.data(); }
  /// False when a pivot vanishes.
  bool factorise();
  /// As `factorise`, of the rows and columns that are not zero in `kept`; the others are those of
  /// the unit matrix.
  bool factorise(const std::vector<char>& kept);
  /// Solves in place with the last factorisation.
  void solve(double* x);

  /// Rough cost of a factorisation in multiplications, known once attached.
  double cost() const { return cost_; }

 private:
  struct Sparse;
  bool factorise_dense();
  bool factorise_sparse();

  ContactSystem system_;
  bool dense_ = true;
  double cost_ = 0.0;
  std::vector<double> values_;
  std::vector<int> kept_rows_, place_;
  MatX dense_matrix_;
  std::optional<Eigen::PartialPivLU<Eigen::Ref<MatX>>> lu_;
  VecX scratch_;
  std::unique_ptr<Sparse> sparse_;
};

}  // namespace clatter
