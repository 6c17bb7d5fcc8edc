#pragma once

#include "math/types.hpp"

namespace clatter {

// The frictional contact conditions of one contact as equations, in the space of its rows: row 0 is
// the normal, the others are tangential. Rows and multipliers are scaled (by the square root of the
// inverse Delassus diagonal), so that g and la have one unit and every derivative below is of order
// one.
//
//   xi = la - r g        augmented multiplier, 001 (6), (10), with r the penalty
//
// status   when                              phi (reaction)           residual
// open     xi_N < 0                          0                        -la
// stick    xi_N >= 0, |xi_T| < mu xi_N       xi                       -g
// slip     xi_N >= 0, |xi_T| >= mu xi_N      xi_N, mu xi_N tau        -g_N, (mu xi_N tau - la_T)/r
//
// with tau = xi_T/|xi_T|; 001 (48), (53), (54), (62). The radius mu xi_N is not varied in the
// energy (Coulomb is not associated) but is differentiated here: the derivatives are exact.

enum class ContactStatus { open = 0, stick = 1, slip = 2 };

constexpr int max_contact_rows = 3;
using RowVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_contact_rows, 1>;
using RowMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_contact_rows, max_contact_rows>;

struct ContactEquations {
  ContactStatus status = ContactStatus::open;
  RowVector phi, residual;
  // Derivatives, filled on request.
  RowMatrix dphi_dg, dphi_dla, dresidual_dg, dresidual_dla;
};

struct ContactLaw {
  double mu = 0.0;       ///< scaled: mu s_N / s_T
  double penalty = 1.0;  ///< r
};

/// `may_close` false: the contact is open whatever its multiplier says.
void evaluate(const ContactLaw& law, bool may_close, const RowVector& g, const RowVector& la,
              bool with_derivatives, ContactEquations& e);

}  // namespace clatter
