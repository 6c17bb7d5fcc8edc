#include <clatter/machine/tangents.hpp>
#include <clatter/schemes/contact_set.hpp>

// What contacts are in the matrix of a step.

namespace clatter {

void ContactSet::to_increments_of(const Contact& contact, std::span<const Mat3> T,
                                  PairRows& rows) const {
  if (contact.slides_by_coordinates()) {
    PairRows of_coordinates = rows.topRows(1 + contact.slip_rows());
    to_increments(of_coordinates, machine_.nodes(), contact.a(), contact.b(), T);
    rows.topRows(1 + contact.slip_rows()) = of_coordinates;
  } else {
    Eigen::Matrix<double, 1, 12> normal = rows.row(0);
    to_increments(normal, machine_.nodes(), contact.a(), contact.b(), T);
    rows.row(0) = normal;
  }
}

void ContactSet::to_increments_of(const Contact& contact, std::span<const Mat3> T,
                                  TwoPairRows& rows) const {
  TwoPairRows normal = rows.topRows(1);
  to_increments(normal, machine_.nodes(), contact.nodes(), T);
  rows.row(0) = normal;
}

template <class Rows, class Momentum>
void ContactSet::add_contact_tangents(KktMatrix& K, std::size_t c, const Rows& scaled,
                                      const Rows& change, Momentum& momentum) const {
  const ContactEquations& e = work[c].equations;
  momentum.noalias() -= scaled.transpose() * (e.dphi_dg * change);
  const Rows rows = e.dresidual_dg * change;
  const KktMatrix::ColumnsOver<Rows::ColsAtCompileTime> columns = -scaled.transpose() * e.dphi_dla;
  K.add_contact(static_cast<int>(c), momentum, rows, columns, e.dresidual_dla);
}

void ContactSet::add_tangents(KktMatrix& K) const {
  Mat12 momentum;
  for (std::size_t c = 0; c < work.size(); ++c) {
    if (K.contact_multiplier(c) < 0) continue;
    if (work[c].equations.status == ContactStatus::open) {
      K.add_open_contact(static_cast<int>(c), contact(c).rows());
      continue;
    }
    if (contact(c).has_chord()) {
      const TwoPairRows scaled = work[c].scale.asDiagonal() * all_rows(c);
      Mat24 of_all = Mat24::Zero();
      add_contact_tangents(K, c, scaled, scaled, of_all);
      continue;
    }
    const PairRows scaled = work[c].scale.asDiagonal() * work[c].G;
    momentum.setZero();
    add_contact_tangents(K, c, scaled, scaled, momentum);
  }
}

void ContactSet::add_chord_position_tangents(KktMatrix& K, std::size_t c, const Configuration& q,
                                             std::span<const Mat3> T) const {
  const ContactWork& w = work[c];
  const TwoPairRows scaled = w.scale.asDiagonal() * all_rows(c);
  TwoPairRows change = scaled;
  Mat24 momentum;
  contact(c).gap_hessian(q, momentum);
  momentum *= -w.scale[0] * w.equations.phi[0];
  to_increments(momentum, machine_.nodes(), contact(c).nodes(), T);
  to_increments_of(contact(c), T, change);
  add_contact_tangents(K, c, scaled, change, momentum);
}

bool ContactSet::find_bend(std::size_t c, const Configuration& q, std::span<const Mat3> T,
                           Mat12& bend) const {
  const ContactWork& w = work[c];
  const Contact& of = contact(c);
  bend.setZero();
  if (of.has_face() && !turns(of.a()) && !turns(of.b())) return false;
  const RowVector& phi = w.equations.phi;
  Mat12 H;
  of.gap_hessian(q, H);
  bend -= w.scale[0] * phi[0] * H;
  if (of.slides_by_coordinates()) {
    for (int i = 1; i < 1 + of.slip_rows(); ++i) {
      of.slip_coordinate(i).hessian(q, H);
      bend -= w.scale[i] * phi[i] * H;
    }
  }
  to_increments(bend, machine_.nodes(), of.a(), of.b(), T);
  return true;
}

void ContactSet::add_position_tangents(KktMatrix& K, const Configuration& q,
                                       std::span<const Mat3> T) const {
  Mat12 momentum;
  for (std::size_t c = 0; c < work.size(); ++c) {
    const ContactWork& w = work[c];
    const Contact& of = contact(c);
    if (K.contact_multiplier(c) < 0) continue;
    if (w.equations.status == ContactStatus::open) {
      K.add_open_contact(static_cast<int>(c), of.rows());
      continue;
    }
    if (of.has_chord()) {
      add_chord_position_tangents(K, c, q, T);
      continue;
    }
    const PairRows scaled = w.scale.asDiagonal() * w.G;
    PairRows change = scaled;  // of the rows with the unknowns
    if (find_bend(c, q, T, momentum)) to_increments_of(of, T, change);
    add_contact_tangents(K, c, scaled, change, momentum);
  }
}

void ContactSet::add_open(KktMatrix& K) const {
  for (std::size_t c = 0; c < work.size(); ++c) {
    if (K.contact_multiplier(c) >= 0) {
      K.add_open_contact(static_cast<int>(c), contact(c).rows());
    }
  }
}

void ContactSet::add_bends(KktMatrix& K, const Configuration& q, std::span<const Mat3> T) const {
  Mat12 bend;
  for (const std::size_t c : near_) {
    const Contact& of = contact(c);
    const bool reacts = work[c].equations.status != ContactStatus::open;
    if (K.contact_multiplier(c) < 0 || !reacts || of.has_chord()) continue;
    if (!find_bend(c, q, T, bend)) continue;
    const PairRows none = PairRows::Zero(of.rows(), 12);
    const KktMatrix::Columns no_columns = none.transpose();
    const KktMatrix::Multipliers nothing = KktMatrix::Multipliers::Zero(of.rows(), of.rows());
    K.add_contact(static_cast<int>(c), bend, none, no_columns, nothing);
  }
}

void ContactSet::fill_right_side(const KktMatrix& K, VecX& x) const {
  for (std::size_t c = 0; c < work.size(); ++c) {
    const int row = K.contact_multiplier(c), rows = contact(c).rows();
    if (row >= 0) x.segment(row, rows) = -residual.segment(contact(c).first_row, rows);
  }
}

void ContactSet::move(const KktMatrix& K, const VecX& x, double factor, VecX& multipliers) const {
  for (std::size_t c = 0; c < work.size(); ++c) {
    const int row = K.contact_multiplier(c), rows = contact(c).rows();
    if (row >= 0) multipliers.segment(contact(c).first_row, rows) += factor * x.segment(row, rows);
  }
}

}  // namespace clatter
