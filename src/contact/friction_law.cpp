#include "contact/friction_law.hpp"

namespace clatter {

void evaluate(const ContactLaw& law, bool may_close, const RowVector& g, const RowVector& la,
              bool with_derivatives, ContactEquations& e) {
  const Eigen::Index rows = g.size(), tangential = rows - 1;
  const double r = law.penalty;
  const RowVector xi = la - r * g;
  e.phi.setZero(rows);
  e.residual.resize(rows);
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
  if (tangential == 0) {
    e.status = ContactStatus::slip;
    return;
  }

  const RowVector xi_T = xi.tail(tangential);
  const double length = xi_T.norm(), radius = law.mu * xi[0];
  if (length < radius) {
    e.status = ContactStatus::stick;
    e.phi.tail(tangential) = xi_T;
    e.residual.tail(tangential) = -g.tail(tangential);
    if (with_derivatives) {
      for (Eigen::Index i = 1; i < rows; ++i) {
        e.dphi_dg(i, i) = -r;
        e.dphi_dla(i, i) = 1.0;
        e.dresidual_dg(i, i) = -1.0;
      }
    }
    return;
  }

  e.status = ContactStatus::slip;
  RowVector tau = RowVector::Zero(tangential);
  if (length > 0.0) tau = xi_T / length;
  e.phi.tail(tangential) = radius * tau;
  e.residual.tail(tangential) = (radius * tau - la.tail(tangential)) / r;
  if (!with_derivatives) return;

  // d phi_T = mu tau dxi_N + A dxi_T,  A = mu xi_N/|xi_T| (I - tau tau^T),  dxi = dla - r dg
  RowMatrix A = RowMatrix::Zero(tangential, tangential);
  if (length > 0.0) {
    A = radius / length * (RowMatrix::Identity(tangential, tangential) - tau * tau.transpose());
  }
  e.dphi_dla.col(0).tail(tangential) = law.mu * tau;
  e.dphi_dla.bottomRightCorner(tangential, tangential) = A;
  e.dphi_dg.bottomRows(tangential) = -r * e.dphi_dla.bottomRows(tangential);
  e.dresidual_dla.bottomRows(tangential) = e.dphi_dla.bottomRows(tangential) / r;
  e.dresidual_dla.bottomRightCorner(tangential, tangential).diagonal().array() -= 1.0 / r;
  e.dresidual_dg.bottomRows(tangential) = e.dphi_dg.bottomRows(tangential) / r;
}

}  // namespace clatter
