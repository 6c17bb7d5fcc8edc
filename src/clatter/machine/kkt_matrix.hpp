#pragma once

#include <vector>

#include <clatter/machine/machine.hpp>
#include <clatter/math/system_matrix.hpp>

namespace clatter {

/// Redundant rows are told apart from dependent ones by this much of their own size
/// (KktMatrix::regularise). Newton's method on the original residual converges by this factor more
/// slowly, which is not seen.
inline constexpr double regularisation = 1e-9;

/// What of a machine a matrix has in it, besides all that ties nodes together.
struct MatrixScope {
  std::span<const Contact> list = {};  ///< contacts that there are
  /// Those of them that are in the matrix; ascending. Hard ones have multipliers, others a
  /// stiffness between their nodes.
  std::span<const int> contacts = {};
  std::span<const char> nodes = {};  ///< by node: whether it is in the matrix; none: all are
};

/// Of the contacts that are in it.
int count_rows(const MatrixScope& scope);

/// The iteration matrix of a subproblem: unknowns of the nodes first, then one multiplier for each
/// row of the joints and of the contacts that are in it. Elements add their blocks by their own
/// index.
class KktMatrix {
 public:
  explicit KktMatrix(const Machine& machine, const MatrixScope& scope = {});

  int size() const { return matrix_.size(); }
  void set_zero() { matrix_.set_zero(); }

  /// Rows of a joint or contact and what they act on.
  static constexpr int max_rows = 8;
  template <int Size>
  using RowsOver = Eigen::Matrix<double, Eigen::Dynamic, Size, 0, max_rows, Size>;
  using Rows = RowsOver<12>;
  template <int Size>
  using ColumnsOver = Eigen::Matrix<double, Size, Eigen::Dynamic, 0, Size, max_rows>;
  using Columns = ColumnsOver<12>;
  using Multipliers = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_rows, max_rows>;

  bool has_node(std::size_t node) const { return is_in_[node] != 0; }
  void add_node(int node, const Mat6& block) { matrix_.add(nodes_[node], block); }
  void add_beam_element(int element, const Mat12& block) { matrix_.add(beams_[element], block); }
  /// Six rows and columns for each of its nodes.
  template <class Block>
  void add_force_element(int element, const Block& block) {
    matrix_.add(force_elements_[element], block);
  }
  void add_load(int load, const Mat6& block) { matrix_.add(loads_[load], block); }
  /// [ momentum  columns     ]
  /// [ rows      multipliers ]
  void add_joint(int joint, const Mat12& momentum, const Rows& rows, const Columns& columns) {
    add(joints_[joint], momentum, rows, columns);
  }
  /// For a row of a joint that takes no part: its multiplier is zero.
  void leave_out(int joint_row);
  /// Of one with a chord over four nodes, in the order of Contact::nodes().
  template <class Momentum, class RowsOf, class ColumnsOf>
  void add_contact(int contact, const Momentum& momentum, const RowsOf& rows,
                   const ColumnsOf& columns, const Multipliers& multipliers) {
    add(contacts_[contact], momentum, rows, columns);
    matrix_.add(contacts_[contact].multipliers, multipliers);
  }
  void add_compliant_contact(int contact, const Mat12& momentum) {
    matrix_.add(contacts_[contact].momentum, momentum);
  }
  /// Its multipliers are zero.
  void add_open_contact(int contact, int rows) {
    const Multipliers minus_one = -Multipliers::Identity(rows, rows);
    matrix_.add(contacts_[contact].multipliers, minus_one);
  }
  /// Subtracts eps from the diagonal of every multiplier: makes a system with redundant rows
  /// solvable without moving its solution, since the residual is that of the original.
  void regularise(double eps);

  /// A regularised matrix may have pivots down to what round-off leaves.
  bool factorise(bool regularised) {
    return regularised ? matrix_.factorise(weights_, 1e-17) : matrix_.factorise(weights_);
  }
  void solve(VecX& x) { matrix_.solve(x); }

  /// x := entries of the nodal vector on the unknowns.
  void gather(const NodalVector& nodal, VecX& x) const;
  /// nodal += factor * x
  void scatter(const VecX& x, double factor, NodalVector& nodal) const;

  int dofs() const { return first_joint_row_; }
  /// Of a component of a node; negative where there is none.
  int unknown(std::size_t node, std::size_t component) const { return unknowns_[node][component]; }
  int joint_multiplier(int row) const { return first_joint_row_ + row; }
  /// Of the first row of a contact; negative for one that is not in the matrix.
  int contact_multiplier(std::size_t contact) const { return contact_rows_[contact]; }
  /// All rows of contacts, which are the last ones.
  int contact_rows() const { return size() - first_contact_row_; }

  const SystemMatrix& matrix() const { return matrix_; }
  SystemMatrix& matrix() { return matrix_; }

 private:
  struct PairBlocks {
    SystemMatrix::Block momentum, rows, columns, multipliers;
  };
  PairBlocks reserve(const Joint& joint);
  PairBlocks reserve(const Contact& contact, int first_row);
  template <class Momentum, class RowsOf, class ColumnsOf>
  void add(const PairBlocks& blocks, const Momentum& momentum, const RowsOf& rows,
           const ColumnsOf& columns) {
    matrix_.add(blocks.momentum, momentum);
    matrix_.add(blocks.rows, rows);
    matrix_.add(blocks.columns, columns);
  }

  using Unknowns = std::array<int, 6>;  // of a node, -1: none
  std::array<int, 12> unknowns_of(int a, int b) const;
  PairBlocks reserve_contact(std::span<const int> dofs, std::span<const int> multipliers);
  template <class Nodes>
  std::vector<int> unknowns_of(const Nodes& nodes) const {
    std::vector<int> all;
    for (const int node : nodes) {
      const Unknowns& own = unknowns_[static_cast<std::size_t>(node)];
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  std::vector<char> is_in_;  // node
  std::vector<Unknowns> unknowns_;
  int first_joint_row_, first_contact_row_;
  SystemMatrix matrix_;
  std::vector<SystemMatrix::Block> nodes_, beams_, force_elements_, loads_, diagonal_;
  std::vector<PairBlocks> joints_, contacts_;
  std::vector<int> contact_rows_;  // contact: its first row, or -1
  VecX weights_;
};

}  // namespace clatter
