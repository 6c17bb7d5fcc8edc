#include "contact/friction_law.hpp"

namespace clatter {
namespace {

/// The conditions of one friction block of a closed contact.
ContactStatus evaluate_block(const FrictionBall& ball, double r, const RowVector& xi,
                             const RowVector& g, const RowVector& la, bool with_derivatives,
                             ContactEquations& e) {
  const Eigen::Index first = ball.first_row, count = ball.rows;
  const RowVector xi_B = xi.segment(first, count);
  const double length = xi_B.norm(), radius = ball.coefficient * xi[0];
  if (length < radius) {
    e.phi.segment(first, count) = xi_B;
    e.residual.segment(first, count) = -g.segment(first, count);
    if (with_derivatives) {
      for (Eigen::Index i = first; i < first + count; ++i) {
        e.dphi_dg(i, i) = -r;
        e.dphi_dla(i, i) = 1.0;
        e.dresidual_dg(i, i) = -1.0;
      }
    }
    return ContactStatus::stick;
  }

  RowVector tau = RowVector::Zero(count);
  if (length > 0.0) tau = xi_B / length;
  e.phi.segment(first, count) = radius * tau;
  e.residual.segment(first, count) = (radius * tau - la.segment(first, count)) / r;
  if (!with_derivatives) return ContactStatus::slip;

  // d phi_B = c tau dxi_N + A dxi_B,  A = c xi_N/|xi_B| (I - tau tau^T),  dxi = dla - r dg
  RowMatrix A = RowMatrix::Zero(count, count);
  if (length > 0.0) {
    A = radius / length * (RowMatrix::Identity(count, count) - tau * tau.transpose());
  }
  e.dphi_dla.col(0).segment(first, count) = ball.coefficient * tau;
  e.dphi_dla.block(first, first, count, count) = A;
  e.dphi_dg.middleRows(first, count) = -r * e.dphi_dla.middleRows(first, count);
  e.dresidual_dla.middleRows(first, count) = e.dphi_dla.middleRows(first, count) / r;
  e.dresidual_dla.block(first, first, count, count).diagonal().array() -= 1.0 / r;
  e.dresidual_dg.middleRows(first, count) = e.dphi_dg.middleRows(first, count) / r;
  return ContactStatus::slip;
}

}  // namespace

void evaluate(const ContactLaw& law, bool may_close, const RowVector& g, const RowVector& la,
              bool with_derivatives, ContactEquations& e) {
  const Eigen::Index rows = g.size();
  const double r = law.penalty;
  const RowVector xi = la - r * g;
  e.phi.setZero(rows);
  e.residual.resize(rows);
  e.block_status.fill(ContactStatus::open);
  if (with_derivatives) {
    e.dphi_dg.setZero(rows, rows);
    e.dphi_dla.setZero(rows, rows);
    e.dresidual_dg.setZero(rows, rows);
    e.dresidual_dla.setZero(rows, rows);
  }

  if (!may_close || xi[0] < 0.0) {
    e.status = ContactStatus::open;
    e.residual = -la;
    if (with_derivatives) e.dresidual_dla.diagonal().setConstant(-1.0);
    return;
  }

  e.phi[0] = xi[0];
  e.residual[0] = -g[0];
  if (with_derivatives) {
    e.dphi_dg(0, 0) = -r;
    e.dphi_dla(0, 0) = 1.0;
    e.dresidual_dg(0, 0) = -1.0;
  }
  for (int k = 0; k < law.ball_count; ++k) {
    e.block_status[k] = evaluate_block(law.balls[k], r, xi, g, la, with_derivatives, e);
  }
  e.status = law.ball_count > 0 ? e.block_status[0] : ContactStatus::slip;
}

}  // namespace clatter
