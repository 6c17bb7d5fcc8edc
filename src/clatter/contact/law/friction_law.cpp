#include <clatter/contact/law/friction_law.hpp>
#include <clatter/contact/law/projection.hpp>

namespace clatter {
namespace {

RowVector augmented(const ContactLaw& law, const RowVector& g, const RowVector& la) {
  RowVector xi = la - law.penalty * g;
  if (law.is_pressed) xi[0] = law.pressure;
  return xi;
}

/// The conditions of one friction block of a closed contact.
ContactStatus evaluate_block(const ContactLaw& law, const FrictionBall& ball, const RowVector& xi,
                             const RowVector& g, const RowVector& la, bool with_derivatives,
                             ContactEquations& e) {
  const double r = law.penalty;
  const Eigen::Index first = ball.first_row, count = ball.rows;
  const RowVector xi_B = xi.segment(first, count);
  const double length = std::sqrt(squared_length<0>(xi_B.data(), ball.rows));
  const double radius = ball.coefficient * xi[0];
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

  RowVector tau(count);
  slip_direction(xi_B.data(), ball.rows, length, tau.data());
  e.phi.segment(first, count) = radius * tau;
  e.residual.segment(first, count) = (radius * tau - la.segment(first, count)) / r;
  if (!with_derivatives) return ContactStatus::slip;

  // d phi_B = c tau dxi_N + A dxi_B,  A = c xi_N/|xi_B| (I - tau tau^T),  dxi = dla - r dg
  RowMatrix A = RowMatrix::Zero(count, count);
  if (length > 0.0) {
    A = radius / length * (RowMatrix::Identity(count, count) - tau * tau.transpose());
  }
  if (!law.is_pressed) e.dphi_dla.col(0).segment(first, count) = ball.coefficient * tau;
  e.dphi_dla.block(first, first, count, count) = A;
  e.dphi_dg.middleRows(first, count) = -r * e.dphi_dla.middleRows(first, count);
  e.dresidual_dla.middleRows(first, count) = e.dphi_dla.middleRows(first, count) / r;
  e.dresidual_dla.block(first, first, count, count).diagonal().array() -= 1.0 / r;
  e.dresidual_dg.middleRows(first, count) = e.dphi_dg.middleRows(first, count) / r;
  return ContactStatus::slip;
}

/// The part that all laws share: Signorini's condition on row 0. False: open, and all is done.
bool evaluate_normal(const ContactLaw& law, bool may_close, const RowVector& xi, const RowVector& g,
                     const RowVector& la, bool with_derivatives, ContactEquations& e) {
  const double r = law.penalty;
  const Eigen::Index rows = g.size();
  e.phi.setZero(rows);
  e.residual.resize(rows);
  e.block_status.fill(ContactStatus::open);
  if (with_derivatives) {
    for (RowMatrix* d : {&e.dphi_dg, &e.dphi_dla, &e.dresidual_dg, &e.dresidual_dla}) {
      d->setZero(rows, rows);
    }
  }
  if (law.is_pressed) {
    e.phi[0] = xi[0];
    e.residual[0] = xi[0] - la[0];
    if (with_derivatives) e.dresidual_dla(0, 0) = -1.0;
    return true;
  }
  if (!may_close || xi[0] < 0.0) {
    e.status = ContactStatus::open;
    e.residual = -la;
    if (with_derivatives) e.dresidual_dla.diagonal().setConstant(-1.0);
    return false;
  }
  e.phi[0] = xi[0];
  e.residual[0] = -g[0];
  if (with_derivatives) {
    e.dphi_dg(0, 0) = -r;
    e.dphi_dla(0, 0) = 1.0;
    e.dresidual_dg(0, 0) = -1.0;
  }
  return true;
}

void set_status(const ContactLaw& law, ContactEquations& e) {
  e.status = law.ball_count > 0 ? e.block_status[0] : ContactStatus::slip;
}

/// All of it for a point that slides in space, which most contacts are, without derivatives.
void evaluate_sliding(const ContactLaw& law, bool may_close, const RowVector& g,
                      const RowVector& la, ContactEquations& e) {
  const double r = law.penalty;
  const double xi_N = la[0] - r * g[0], xi_1 = la[1] - r * g[1], xi_2 = la[2] - r * g[2];
  e.phi.resize(3);
  e.residual.resize(3);
  e.block_status.fill(ContactStatus::open);
  e.status = ContactStatus::open;
  if (!may_close || xi_N < 0.0) {
    for (int i = 0; i < 3; ++i) e.phi[i] = 0.0, e.residual[i] = -la[i];
    return;
  }
  e.phi[0] = xi_N;
  e.residual[0] = -g[0];
  const double length = std::sqrt(xi_1 * xi_1 + xi_2 * xi_2);
  const double radius = law.balls[0].coefficient * xi_N;
  if (length < radius) {
    e.phi[1] = xi_1, e.phi[2] = xi_2;
    e.residual[1] = -g[1], e.residual[2] = -g[2];
    e.status = e.block_status[0] = ContactStatus::stick;
    return;
  }
  e.phi[1] = radius * (length > 0.0 ? xi_1 / length : 0.0);
  e.phi[2] = radius * (length > 0.0 ? xi_2 / length : 0.0);
  for (int i = 1; i < 3; ++i) e.residual[i] = (e.phi[i] - la[i]) / r;
  e.status = e.block_status[0] = ContactStatus::slip;
}

}  // namespace

void evaluate(const ContactLaw& law, bool may_close, const RowVector& g, const RowVector& la,
              bool with_derivatives, ContactEquations& e) {
  if (!with_derivatives && !law.is_pressed && g.size() == 3 && law.ball_count == 1 &&
      law.balls[0].rows == 2) {
    evaluate_sliding(law, may_close, g, la, e);
    return;
  }
  const RowVector xi = augmented(law, g, la);
  if (!evaluate_normal(law, may_close, xi, g, la, with_derivatives, e)) return;
  for (int k = 0; k < law.ball_count; ++k) {
    e.block_status[k] = evaluate_block(law, law.balls[k], xi, g, la, with_derivatives, e);
  }
  set_status(law, e);
}

void evaluate_forces(const ContactLaw& law, const ContactEquations& jump, const RowVector& g,
                     const RowVector& la, bool with_derivatives, ContactEquations& e,
                     RowMatrix& dresidual_dxi) {
  const double r = law.penalty;
  const RowVector xi = augmented(law, g, la);
  if (with_derivatives) dresidual_dxi.setZero(g.size(), g.size());
  const bool may_close = jump.status != ContactStatus::open;
  if (!evaluate_normal(law, may_close, xi, g, la, with_derivatives, e)) return;
  const double by_normal = law.is_pressed ? 0.0 : 1.0;  // what it depends on
  for (int k = 0; k < law.ball_count; ++k) {
    const FrictionBall& ball = law.balls[k];
    if (jump.block_status[k] == ContactStatus::stick) {
      e.block_status[k] = evaluate_block(law, ball, xi, g, la, with_derivatives, e);
      continue;
    }
    e.block_status[k] = ContactStatus::slip;
    const Eigen::Index first = ball.first_row, count = ball.rows;
    const double radius = ball.coefficient * xi[0];
    const double impulse = jump.phi.segment(first, count).norm();
    RowVector tau = RowVector::Zero(count);
    if (impulse > 0.0) tau = jump.phi.segment(first, count) / impulse;
    e.phi.segment(first, count) = radius * tau;
    e.residual.segment(first, count) = (radius * tau - la.segment(first, count)) / r;
    if (!with_derivatives) continue;
    e.dphi_dla.col(0).segment(first, count) = by_normal * ball.coefficient * tau;
    e.dphi_dg.col(0).segment(first, count) = -r * by_normal * ball.coefficient * tau;
    e.dresidual_dla.col(0).segment(first, count) = by_normal * ball.coefficient / r * tau;
    e.dresidual_dla.block(first, first, count, count).diagonal().setConstant(-1.0 / r);
    e.dresidual_dg.col(0).segment(first, count) = -by_normal * ball.coefficient * tau;
    if (impulse > 0.0) {  // dphi_dla of the jump is |phi| dtau/dxi
      dresidual_dxi.block(first, first, count, count) =
          radius / (r * impulse) * jump.dphi_dla.block(first, first, count, count);
    }
  }
  set_status(law, e);
}

}  // namespace clatter
