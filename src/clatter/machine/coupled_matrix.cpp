#include <algorithm>
#include <numeric>

#include <clatter/machine/coupled_matrix.hpp>

namespace clatter {
namespace {

constexpr std::array levels{Level::acceleration, Level::velocity, Level::position};

std::vector<int> rows_from(int first, int count) {
  std::vector<int> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

/// Whether two rows of a contact are directions of the same friction.
bool share_block(const Contact& contact, int i, int j) {
  return std::any_of(
      contact.blocks().begin(), contact.blocks().end(), [&](const FrictionBlock& block) {
        const int end = block.first_row + block.rows;
        return std::min(i, j) >= block.first_row && std::max(i, j) < end && block.rows > 1;
      });
}

}  // namespace

CoupledMatrix::CoupledMatrix(const Machine& machine, const MatrixScope& scope)
    : node_table_(&machine.nodes()),
      dofs_(machine.dofs()),
      joint_rows_(machine.joint_rows()),
      first_joint_row_(3 * dofs_),
      first_contact_row_(first_joint_row_ + 3 * joint_rows_),
      matrix_(first_contact_row_ + 2 * count_rows(scope) + static_cast<int>(scope.contacts.size())),
      contacts_(scope.list.size()),
      contact_multipliers_(scope.list.size(), {-1, -1, -1}) {
  for (const Level level : levels) {
    reserve_part(machine, level, Level::acceleration, true, false);
    if (level != Level::acceleration) reserve_part(machine, level, level, true, false);
  }
  reserve_part(machine, Level::acceleration, Level::velocity, false, true);
  reserve_part(machine, Level::acceleration, Level::position, false, true);
  reserve_multipliers(machine, scope);
  matrix_.finish_pattern();

  weights_ = VecX::Ones(matrix_.size());
  for (std::size_t n = 0; n < node_table_->size(); ++n) {
    const Node& node = (*node_table_)[n];
    for (int i = 0; i < 6; ++i) {
      if (!node.has(i)) continue;
      const double weight = of_node(machine.weights(), static_cast<Eigen::Index>(n))[i];
      for (int level = 0; level < 3; ++level) weights_[node.dof[i] + level * dofs_] = weight;
    }
  }
}

std::array<int, 12> CoupledMatrix::dofs_of(int a, int b) const {
  std::array<int, 12> dofs;
  const Node &first = (*node_table_)[static_cast<std::size_t>(a)],
             &second = (*node_table_)[static_cast<std::size_t>(b)];
  std::copy(first.dof.begin(), first.dof.end(), dofs.begin());
  std::copy(second.dof.begin(), second.dof.end(), dofs.begin() + 6);
  return dofs;
}

std::vector<int> CoupledMatrix::dofs_of(const Contact& contact) const {
  if (contact.has_chord()) return dofs_of_nodes(*node_table_, contact.nodes());
  const std::array<int, 12> dofs = dofs_of(contact.a(), contact.b());
  return {dofs.begin(), dofs.end()};
}

void CoupledMatrix::reserve_part(const Machine& machine, Level row, Level column, bool has_mass,
                                 bool has_forces) {
  Part::Blocks& part = parts_[at(row)][at(column)];
  const auto shifted = [&](auto dofs, Level level) {
    for (int& dof : dofs) dof = dof < 0 ? -1 : dof + static_cast<int>(at(level)) * dofs_;
    return dofs;
  };
  const auto reserve_square = [&](const auto& dofs) {
    return matrix_.reserve(shifted(dofs, row), shifted(dofs, column));
  };
  if (has_mass || column == Level::velocity) {  // gyroscopic terms are of velocities
    for (const Node& node : *node_table_) {
      part.nodes.push_back(
          matrix_.reserve(shifted(node.dof, row), shifted(node.dof, column),
                          [](int i, int j) { return i == j || (i >= 3 && j >= 3); }));
    }
  }
  for (const BeamElement& element : machine.beam_elements()) {
    part.beams.push_back(reserve_square(dofs_of(element.a(), element.b())));
  }
  if (!has_forces) return;
  for_each_force_element(machine.force_elements(), [&](const auto& element, std::size_t) {
    part.force_elements.push_back(reserve_square(dofs_of_nodes(*node_table_, element.nodes())));
  });
  for (const Load& load : machine.loads()) {
    part.loads.push_back(reserve_square((*node_table_)[static_cast<std::size_t>(load.node())].dof));
  }
}

void CoupledMatrix::reserve_multipliers(const Machine& machine, const MatrixScope& scope) {
  for (const Joint& joint : machine.joints()) {
    std::array<std::vector<int>, 3> multipliers;
    for (const Level level : levels) {
      multipliers[at(level)] = rows_from(joint_multiplier(level) + joint.first_row,
                                         static_cast<int>(joint.rows().size()));
    }
    joints_.push_back(
        reserve(dofs_of(joint.a(), joint.b()), multipliers, false, joint.rows().front().begins));
  }
  std::array<int, 3> next{first_contact_row_, first_contact_row_ + count_rows(scope),
                          first_contact_row_ + 2 * count_rows(scope)};
  for (const int c : scope.contacts) {
    const auto index = static_cast<std::size_t>(c);
    const Contact& contact = scope.list[index];
    const std::array<std::vector<int>, 3> multipliers{rows_from(next[0], contact.rows()),
                                                      rows_from(next[1], contact.rows()),
                                                      rows_from(next[2], 1)};
    contacts_[index] = reserve(dofs_of(contact), multipliers, true, true);
    // Impulses give slip its direction, block by block.
    contacts_[index].multipliers[at(Level::acceleration)][at(Level::velocity)] =
        matrix_.reserve(multipliers[at(Level::acceleration)], multipliers[at(Level::velocity)],
                        [&](int i, int j) { return share_block(contact, i, j); });
    contact_multipliers_[index] = next;
    next[0] += contact.rows();
    next[1] += contact.rows();
    ++next[2];
  }
  for (int i = first_joint_row_; i < matrix_.size(); ++i) {
    diagonal_.push_back(matrix_.reserve(std::array{i}, std::array{i}));
  }
}

CoupledMatrix::Pair CoupledMatrix::reserve(std::span<const int> dofs,
                                           const std::array<std::vector<int>, 3>& multipliers,
                                           bool is_contact, bool begins) {
  Pair pair;
  std::array<std::vector<int>, 3> unknowns;
  for (const Level level : levels) {
    unknowns[at(level)].assign(dofs.begin(), dofs.end());
    for (int& dof : unknowns[at(level)]) {
      if (dof >= 0) dof += static_cast<int>(at(level)) * dofs_;
    }
  }
  for (std::size_t row = 0; row < 3; ++row) {
    pair.momentum[row] = matrix_.reserve(unknowns[row], unknowns[at(Level::position)]);
    for (std::size_t column = row; column < 3; ++column) {
      pair.rows[row][column] = matrix_.reserve(multipliers[row], unknowns[column]);
    }
    for (std::size_t column = 0; column <= row; ++column) {
      // Only friction and what has no position level acts on lower levels.
      if (column < row && !is_contact && row < 2) continue;
      pair.columns[row][column] = matrix_.reserve(unknowns[row], multipliers[column]);
    }
    pair.multipliers[row][row] = matrix_.reserve(multipliers[row], multipliers[row]);
    for (const int multiplier : multipliers[row]) {
      if (begins) {
        matrix_.set_multiplier(multiplier, unknowns[row], is_contact);
      } else {
        matrix_.add_held(multiplier, unknowns[row]);
      }
    }
  }
  return pair;
}

void CoupledMatrix::regularise(double eps) {
  const Eigen::Matrix<double, 1, 1> entry(-eps);
  for (const SystemMatrix::Block block : diagonal_) matrix_.add(block, entry);
}

void CoupledMatrix::gather(const NodalVector& nodal, Level level, VecX& x) const {
  const int shift = static_cast<int>(at(level)) * dofs_;
  for (std::size_t n = 1; n < node_table_->size(); ++n) {
    const double* values = nodal.data() + 6 * n;
    for (int i = 0; i < 6; ++i) {
      const int dof = (*node_table_)[n].dof[i];
      if (dof >= 0) x[dof + shift] = values[i];
    }
  }
}

void CoupledMatrix::scatter(const VecX& x, double factor, Level level, NodalVector& nodal) const {
  const int shift = static_cast<int>(at(level)) * dofs_;
  for (std::size_t n = 1; n < node_table_->size(); ++n) {
    double* values = nodal.data() + 6 * n;
    for (int i = 0; i < 6; ++i) {
      const int dof = (*node_table_)[n].dof[i];
      if (dof >= 0) values[i] += factor * x[dof + shift];
    }
  }
}

}  // namespace clatter
