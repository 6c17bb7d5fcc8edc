#include <algorithm>
#include <array>
#include <numeric>

#include <clatter/machine/kkt_matrix.hpp>

namespace clatter {
namespace {

std::vector<int> rows_from(int first, std::size_t count) {
  std::vector<int> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

std::vector<char> nodes_in(const Machine& machine, const MatrixScope& scope) {
  if (scope.nodes.empty()) return std::vector<char>(machine.nodes().size(), 1);
  return {scope.nodes.begin(), scope.nodes.end()};
}

/// Numbers the unknowns of the nodes that are in a matrix, in the order of the machine.
std::vector<std::array<int, 6>> number_unknowns(const Machine& machine,
                                                std::span<const char> is_in) {
  std::vector<std::array<int, 6>> unknowns;
  int next = 0;
  for (std::size_t n = 0; n < machine.nodes().size(); ++n) {
    std::array<int, 6>& own = unknowns.emplace_back();
    for (std::size_t i = 0; i < 6; ++i) {
      own[i] = is_in[n] != 0 && machine.nodes()[n].dof[i] >= 0 ? next++ : -1;
    }
  }
  return unknowns;
}

int count_unknowns(const std::vector<std::array<int, 6>>& unknowns) {
  int count = 0;
  for (const auto& own : unknowns) {
    count = std::max(count, 1 + *std::max_element(own.begin(), own.end()));
  }
  return count;
}

}  // namespace

int count_rows(const MatrixScope& scope) {
  int rows = 0;
  for (const int c : scope.contacts) {
    const Contact& contact = scope.list[static_cast<std::size_t>(c)];
    if (contact.compliance() == nullptr) rows += contact.rows();
  }
  return rows;
}

KktMatrix::KktMatrix(const Machine& machine, const MatrixScope& scope)
    : is_in_(nodes_in(machine, scope)),
      unknowns_(number_unknowns(machine, is_in_)),
      first_joint_row_(count_unknowns(unknowns_)),
      first_contact_row_(first_joint_row_ + machine.joint_rows()),
      matrix_(first_contact_row_ + count_rows(scope)),
      contacts_(scope.list.size()),
      contact_rows_(scope.list.size(), -1) {
  // Mass on the diagonal; inertia and gyroscopic terms between rotations.
  for (const Unknowns& own : unknowns_) {
    nodes_.push_back(
        matrix_.reserve(own, own, [](int i, int j) { return i == j || (i >= 3 && j >= 3); }));
  }
  for (const BeamElement& element : machine.beam_elements()) {
    const auto unknowns = unknowns_of(element.a(), element.b());
    beams_.push_back(matrix_.reserve(unknowns, unknowns));
  }
  for_each_force_element(machine.force_elements(), [&](const auto& element, std::size_t) {
    const auto unknowns = unknowns_of(element.nodes());
    force_elements_.push_back(matrix_.reserve(unknowns, unknowns));
  });
  for (const Load& load : machine.loads()) {
    const Unknowns& unknowns = unknowns_[static_cast<std::size_t>(load.node())];
    loads_.push_back(matrix_.reserve(unknowns, unknowns));
  }
  for (const Joint& joint : machine.joints()) joints_.push_back(reserve(joint));
  int row = first_contact_row_;
  for (const int c : scope.contacts) {
    const auto index = static_cast<std::size_t>(c);
    const Contact& contact = scope.list[index];
    if (contact.compliance() != nullptr) {
      const auto unknowns = unknowns_of(contact.a(), contact.b());
      contacts_[index].momentum = matrix_.reserve(unknowns, unknowns);
      continue;
    }
    contact_rows_[index] = row;
    contacts_[index] = reserve(contact, row);
    row += contact.rows();
  }
  for (int i = first_joint_row_; i < matrix_.size(); ++i) {
    diagonal_.push_back(matrix_.reserve(std::array{i}, std::array{i}));
  }
  matrix_.finish_pattern();

  weights_ = VecX::Ones(matrix_.size());
  gather(machine.weights(), weights_);
}

std::array<int, 12> KktMatrix::unknowns_of(int a, int b) const {
  std::array<int, 12> both;
  std::copy_n(unknowns_[static_cast<std::size_t>(a)].begin(), 6, both.begin());
  std::copy_n(unknowns_[static_cast<std::size_t>(b)].begin(), 6, both.begin() + 6);
  return both;
}

/// Many entries of a joint are always zero; leaving them out makes large systems much cheaper.
KktMatrix::PairBlocks KktMatrix::reserve(const Joint& joint) {
  const auto dofs = unknowns_of(joint.a(), joint.b());
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

KktMatrix::PairBlocks KktMatrix::reserve(const Contact& contact, int first_row) {
  const auto multipliers = rows_from(first_row, static_cast<std::size_t>(contact.rows()));
  if (contact.has_chord()) return reserve_contact(unknowns_of(contact.nodes()), multipliers);
  return reserve_contact(unknowns_of(contact.a(), contact.b()), multipliers);
}

KktMatrix::PairBlocks KktMatrix::reserve_contact(std::span<const int> dofs,
                                                 std::span<const int> multipliers) {
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
  for (std::size_t n = 1; n < unknowns_.size(); ++n) {
    const double* values = nodal.data() + 6 * n;
    for (int i = 0; i < 6; ++i) {
      const int dof = unknowns_[n][i];
      if (dof >= 0) x[dof] = values[i];
    }
  }
}

void KktMatrix::scatter(const VecX& x, double factor, NodalVector& nodal) const {
  for (std::size_t n = 1; n < unknowns_.size(); ++n) {
    double* values = nodal.data() + 6 * n;
    for (int i = 0; i < 6; ++i) {
      const int dof = unknowns_[n][i];
      if (dof >= 0) values[i] += factor * x[dof];
    }
  }
}

}  // namespace clatter
