#include <algorithm>
#include <cmath>

#include <clatter/contact/law/natural_map.hpp>
#include <clatter/contact/solvers/matrix_island.hpp>

namespace clatter {
namespace {

/// The contact's own block of W.
void extract_block(const ContactSystem& system, const CondensedContact& contact, OneContact& one) {
  const int rows = contact.rows, first = contact.first_row;
  const int* columns = system.columns;
  one.same_columns = true;
  const int length = system.starts[first + 1] - system.starts[first];
  for (int i = 0; i < rows; ++i) {
    const int begin = system.starts[first + i], end = system.starts[first + i + 1];
    double* line = one.W.data() + i * rows;
    std::fill(line, line + rows, 0.0);
    int k = begin;
    if (end - begin > 16) {
      k = static_cast<int>(std::lower_bound(columns + begin, columns + end, first) - columns);
    }
    for (; k < end && columns[k] < first + rows; ++k) {
      if (columns[k] >= first) line[columns[k] - first] = system.values[k];
    }
    if (i > 0) {
      one.same_columns = one.same_columns && end - begin == length &&
                         std::equal(columns + begin, columns + end, columns + system.starts[first]);
    }
  }
}

/// u := u + W r for the rows of a contact that have entries in the same columns. Two sums for each
/// row, for additions have to wait for each other.
template <int Rows>
void add_velocities(const ContactSystem& system, int first, const double* r, double* u) {
  const int begin = system.starts[first], length = system.starts[first + 1] - begin;
  const int* columns = system.columns + begin;
  const double* values = system.values + begin;
  double even[Rows] = {}, odd[Rows] = {};
  int k = 0;
  for (; k + 1 < length; k += 2) {
    const double x = r[columns[k]], y = r[columns[k + 1]];
    for (int i = 0; i < Rows; ++i) {
      even[i] += values[i * length + k] * x;
      odd[i] += values[i * length + k + 1] * y;
    }
  }
  for (int i = 0; i < Rows; ++i) u[i] += even[i] + odd[i];
  if (k < length) {
    for (int i = 0; i < Rows; ++i) u[i] += values[i * length + k] * r[columns[k]];
  }
}

/// The same, row by row.
void add_velocities(const ContactSystem& system, const CondensedContact& contact, const double* r,
                    double* u) {
  for (int i = 0; i < contact.rows; ++i) {
    const int row = contact.first_row + i;
    for (int k = system.starts[row]; k < system.starts[row + 1]; ++k) {
      u[i] += system.values[k] * r[system.columns[k]];
    }
  }
}

}  // namespace

void MatrixIsland::attach(const ContactSystem& system, double* r) {
  system_ = system;
  r_ = r;
  if (blocks_.size() < system.contacts.size()) blocks_.resize(system.contacts.size());
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    extract_block(system, system.contacts[c], blocks_[c]);
    prepare(system.contacts[c], blocks_[c]);
  }
  if (u_.size() < rows()) u_.resize(rows());
}

/// Solves one contact; returns the square of the residual that it had.
template <int Rows>
double MatrixIsland::visit(const CondensedContact& contact, const OneContact& one) {
  const int rows = Rows > 0 ? Rows : contact.rows;
  const int first = contact.first_row;
  double* own = r_ + first;
  std::array<double, max_contact_rows> u{}, f, off;
  for (int i = 0; i < rows; ++i) u[i] = system_.b[first + i];
  bool added = false;
  if constexpr (Rows > 0) {
    added = one.same_columns;
    if (added) add_velocities<Rows>(system_, first, r_, u.data());
  }
  if (!added) add_velocities(system_, contact, r_, u.data());
  natural_map(contact.law, rows, 1.0, own, u.data(), off.data());
  double square = 0.0;
  for (int i = 0; i < rows; ++i) {
    square += off[i] * off[i];
    f[i] = u[i];
    for (int j = 0; j < rows; ++j) {
      f[i] -= one.W[static_cast<std::size_t>(i * rows + j)] * own[j];
    }
  }
  solve_one_contact(contact, one, f.data(), own);
  return square;
}

double MatrixIsland::sweep() {
  double square = 0.0;
  for (std::size_t c = 0; c < system_.contacts.size(); ++c) {
    const CondensedContact& contact = system_.contacts[c];
    if (contact.rows == 3) {
      square += visit<3>(contact, blocks_[c]);
    } else if (contact.rows == 2) {
      square += visit<2>(contact, blocks_[c]);
    } else {
      square += visit<0>(contact, blocks_[c]);
    }
  }
  return std::sqrt(square);
}

SweepResidual MatrixIsland::residual() {
  contact_velocities(system_, r_, u_.data());
  return {std::sqrt(squared_residual(system_, r_, u_.data())), 1.0};
}

}  // namespace clatter
