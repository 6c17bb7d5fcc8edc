#include <algorithm>
#include <array>
#include <numeric>

#include <clatter/machine/kkt_matrix.hpp>

namespace clatter {
namespace {

std::array<int, 12> dofs_of(const std::vector<Node>& nodes, int a, int b) {
  std::array<int, 12> dofs;
  std::copy(nodes[a].dof.begin(), nodes[a].dof.end(), dofs.begin());
  std::copy(nodes[b].dof.begin(), nodes[b].dof.end(), dofs.begin() + 6);
  return dofs;
}

std::vector<int> rows_from(int first, std::size_t count) {
  std::vector<int> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

}  // namespace

KktMatrix::KktMatrix(const Machine& machine, std::span<const Contact> contacts)
    : node_table_(&machine.nodes()),
      matrix_(machine.dofs() + machine.joint_rows() +
              (contacts.empty() ? 0 : contacts.back().end_row())),
      first_joint_row_(machine.dofs()),
      first_contact_row_(machine.dofs() + machine.joint_rows()) {
  // Mass on the diagonal; inertia and gyroscopic terms between rotations.
  for (const Node& node : machine.nodes()) {
    nodes_.push_back(matrix_.reserve(node.dof, node.dof,
                                     [](int i, int j) { return i == j || (i >= 3 && j >= 3); }));
  }
  for (const BeamElement& element : machine.beam_elements()) {
    const auto dofs = dofs_of(*node_table_, element.a(), element.b());
    beams_.push_back(matrix_.reserve(dofs, dofs));
  }
  for_each_force_element(machine.force_elements(), [&](const auto& element, std::size_t) {
    const auto dofs = dofs_of_nodes(*node_table_, element.nodes());
    force_elements_.push_back(matrix_.reserve(dofs, dofs));
  });
  for (const Load& load : machine.loads()) {
    const auto& dofs = (*node_table_)[load.node()].dof;
    loads_.push_back(matrix_.reserve(dofs, dofs));
  }
  for (const Joint& joint : machine.joints()) joints_.push_back(reserve(joint));
  for (const Contact& contact : contacts) contacts_.push_back(reserve(contact));
  for (int i = first_joint_row_; i < matrix_.size(); ++i) {
    diagonal_.push_back(matrix_.reserve(std::array{i}, std::array{i}));
  }
  matrix_.finish_pattern();

  weights_ = VecX::Ones(matrix_.size());
  for (std::size_t n = 0; n < node_table_->size(); ++n) {
    for (int i = 0; i < 6; ++i) {
      if ((*node_table_)[n].has(i)) {
        weights_[(*node_table_)[n].dof[i]] = of_node(machine.weights(), static_cast<int>(n))[i];
      }
    }
  }
}

/// Many entries of a joint are always zero; leaving them out makes large systems much cheaper.
KktMatrix::PairBlocks KktMatrix::reserve(const Joint& joint) {
  const auto dofs = dofs_of(*node_table_, joint.a(), joint.b());
  const auto multipliers = rows_from(first_joint_row_ + joint.first_row, joint.rows().size());
  const std::vector<JointRow>& rows = joint.rows();
  PairBlocks blocks;
  blocks.momentum = matrix_.reserve(dofs, dofs, [&](int i, int j) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const JointRow& row) { return row.couples(i / 3, j / 3); });
  });
  blocks.rows =
      matrix_.reserve(multipliers, dofs, [&](int row, int j) { return rows[row].acts_on(j / 3); });
  blocks.columns =
      matrix_.reserve(dofs, multipliers, [&](int i, int row) { return rows[row].acts_on(i / 3); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Rows that hold no position stand alone where positions are corrected.
    if (rows[i].begins) {
      matrix_.set_multiplier(multipliers[i], dofs, !rows[i].holds_position());
    } else {
      matrix_.add_held(multipliers[i], dofs);
    }
  }
  return blocks;
}

KktMatrix::PairBlocks KktMatrix::reserve(const Contact& contact) {
  const auto dofs = dofs_of(*node_table_, contact.a(), contact.b());
  const auto multipliers =
      rows_from(first_contact_row_ + contact.first_row, static_cast<std::size_t>(contact.rows()));
  PairBlocks blocks;
  blocks.momentum = matrix_.reserve(dofs, dofs);
  blocks.rows = matrix_.reserve(multipliers, dofs);
  blocks.columns = matrix_.reserve(dofs, multipliers);
  blocks.multipliers = matrix_.reserve(multipliers, multipliers);
  for (const int multiplier : multipliers) matrix_.set_multiplier(multiplier, dofs, true);
  return blocks;
}

void KktMatrix::leave_out(int joint_row) {
  const Eigen::Matrix<double, 1, 1> entry(-1.0);
  matrix_.add(diagonal_[static_cast<std::size_t>(joint_row)], entry);
}

void KktMatrix::regularise(double eps) {
  const Eigen::Matrix<double, 1, 1> entry(-eps);
  for (const SystemMatrix::Block block : diagonal_) matrix_.add(block, entry);
}

void KktMatrix::gather(const NodalVector& nodal, VecX& x) const {
  for (std::size_t n = 1; n < node_table_->size(); ++n) {
    const double* values = nodal.data() + 6 * n;
    for (int i = 0; i < 6; ++i) {
      const int dof = (*node_table_)[n].dof[i];
      if (dof >= 0) x[dof] = values[i];
    }
  }
}

void KktMatrix::scatter(const VecX& x, double factor, NodalVector& nodal) const {
  for (std::size_t n = 1; n < node_table_->size(); ++n) {
    double* values = nodal.data() + 6 * n;
    for (int i = 0; i < 6; ++i) {
      const int dof = (*node_table_)[n].dof[i];
      if (dof >= 0) values[i] += factor * x[dof];
    }
  }
}

}  // namespace clatter
