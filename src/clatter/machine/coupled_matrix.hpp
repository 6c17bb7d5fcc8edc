#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include <clatter/machine/kkt_matrix.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/math/system_matrix.hpp>

namespace clatter {

/// Accelerations, velocities and positions of all nodes, and what multiplies the rows of joints and
/// contacts there.
enum class Level { acceleration = 0, velocity = 1, position = 2 };

/// The iteration matrix of a problem at three levels at once. Rows of a level depend on unknowns of
/// the same and of lower levels; what has no position level (friction, nonholonomic joints) has no
/// multiplier there.
class CoupledMatrix {
 public:
  explicit CoupledMatrix(const Machine& machine, const MatrixScope& scope = {});

  int size() const { return matrix_.size(); }
  void set_zero() { matrix_.set_zero(); }
  void regularise(double eps);
  bool factorise(bool regularised) {
    return regularised ? matrix_.factorise(weights_, 1e-17) : matrix_.factorise(weights_);
  }
  void solve(VecX& x) { matrix_.solve(x); }
  const SystemMatrix& matrix() const { return matrix_; }
  SystemMatrix& matrix() { return matrix_; }

  using Rows = KktMatrix::Rows;
  using Columns = KktMatrix::Columns;
  using Multipliers = KktMatrix::Multipliers;

  /// The block of momentum at one level by unknowns of another, as add_tangents() fills it.
  class Part {
   public:
    static bool has_node(std::size_t /*node*/) { return true; }
    void add_node(int node, const Mat6& block) { add(part_.nodes, node, block); }
    void add_beam_element(int element, const Mat12& block) { add(part_.beams, element, block); }
    template <class Block>
    void add_force_element(int element, const Block& block) {
      add(part_.force_elements, element, block);
    }
    void add_load(int load, const Mat6& block) { add(part_.loads, load, block); }

   private:
    friend class CoupledMatrix;
    struct Blocks {
      std::vector<SystemMatrix::Block> nodes, beams, force_elements, loads;
    };
    Part(SystemMatrix& matrix, const Blocks& part) : matrix_(matrix), part_(part) {}
    template <class Block>
    void add(const std::vector<SystemMatrix::Block>& list, int index, const Block& block) {
      if (!list.empty()) matrix_.add(list[static_cast<std::size_t>(index)], block);
    }
    SystemMatrix& matrix_;
    const Blocks& part_;
  };
  Part part(Level momentum, Level unknowns) {
    return {matrix_, parts_[at(momentum)][at(unknowns)]};
  }

  /// Blocks of a joint or contact; levels are those of the rows of the matrix, then the columns.
  struct Pair {
    std::array<SystemMatrix::Block, 3> momentum;                // by positions
    std::array<std::array<SystemMatrix::Block, 3>, 3> rows;     // by unknowns of the nodes
    std::array<std::array<SystemMatrix::Block, 3>, 3> columns;  // of momentum by multipliers
    std::array<std::array<SystemMatrix::Block, 3>, 3> multipliers;
  };
  const Pair& joint(std::size_t j) const { return joints_[j]; }
  const Pair& contact(std::size_t c) const { return contacts_[c]; }
  // Over two nodes, or over the four of a contact with a chord.
  template <int Size = 12>
  void add_momentum(const Pair& pair, Level row,
                    const std::type_identity_t<Eigen::Matrix<double, Size, Size>>& block) {
    matrix_.add(pair.momentum[at(row)], block);
  }
  template <int Size = 12>
  void add_rows(const Pair& pair, Level row, Level unknowns,
                const std::type_identity_t<KktMatrix::RowsOver<Size>>& block) {
    matrix_.add(pair.rows[at(row)][at(unknowns)], block);
  }
  template <int Size = 12>
  void add_columns(const Pair& pair, Level momentum, Level multipliers,
                   const std::type_identity_t<KktMatrix::ColumnsOver<Size>>& block) {
    matrix_.add(pair.columns[at(momentum)][at(multipliers)], block);
  }
  void add_multipliers(const Pair& pair, Level row, Level multipliers, const Multipliers& block) {
    matrix_.add(pair.multipliers[at(row)][at(multipliers)], block);
  }

  /// x := entries of the nodal vector on the unknowns of a level.
  void gather(const NodalVector& nodal, Level level, VecX& x) const;
  /// nodal += factor * x
  void scatter(const VecX& x, double factor, Level level, NodalVector& nodal) const;
  /// Of a component of a node; negative where there is none.
  int unknown(Level level, std::size_t node, std::size_t component) const {
    const int dof = (*node_table_)[node].dof[component];
    return dof < 0 ? -1 : dof + static_cast<int>(at(level)) * dofs_;
  }
  int joint_multiplier(Level level) const {
    return first_joint_row_ + static_cast<int>(at(level)) * joint_rows_;
  }
  /// Of the first row of a contact; negative for one that is not in the matrix. At acceleration
  /// and velocity level there are as many as rows, at position level one.
  int contact_multiplier(Level level, std::size_t contact) const {
    return contact_multipliers_[contact][at(level)];
  }
  bool has_contact(std::size_t contact) const { return contact_multipliers_[contact][0] >= 0; }

 private:
  static std::size_t at(Level level) { return static_cast<std::size_t>(level); }
  std::array<int, 12> dofs_of(int a, int b) const;
  std::vector<int> dofs_of(const Contact& contact) const;
  void reserve_part(const Machine& machine, Level row, Level column, bool has_mass,
                    bool has_forces);
  void reserve_multipliers(const Machine& machine, const MatrixScope& scope);
  Pair reserve(std::span<const int> dofs, const std::array<std::vector<int>, 3>& multipliers,
               bool is_contact, bool begins);

  const std::vector<Node>* node_table_;
  int dofs_, joint_rows_, first_joint_row_, first_contact_row_;
  SystemMatrix matrix_;
  std::array<std::array<Part::Blocks, 3>, 3> parts_;
  std::vector<Pair> joints_, contacts_;
  std::vector<std::array<int, 3>> contact_multipliers_;  // by contact and level; -1: none
  std::vector<SystemMatrix::Block> diagonal_;
  VecX weights_;
};

}  // namespace clatter
