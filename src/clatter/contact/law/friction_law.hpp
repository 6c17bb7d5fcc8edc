#pragma once

#include <array>
#include <span>

#include <clatter/math/types.hpp>

namespace clatter {

// The frictional contact conditions of one contact as equations, in the space of its rows: row 0 is
// the normal, the others form friction blocks. The reaction of a block stays in a ball whose radius
// is c times the normal reaction: c = mu for sliding, a length for rolling and drilling. Rows and
// multipliers are scaled (by the square root of the inverse Delassus diagonal), so that g and la
// have one unit and every derivative below is of order one.
//
//   xi = la - r g        augmented multiplier, 001 (6), (10), with r the penalty
//
// status   when                              phi (reaction)           residual
// open     xi_N < 0                          0                        -la
// stick    xi_N >= 0, |xi_B| < c xi_N        xi_N, xi_B               -g_N, -g_B
// slip     xi_N >= 0, |xi_B| >= c xi_N       xi_N, c xi_N tau         -g_N, (c xi_N tau - la_B)/r
//
// for each block B, with tau = xi_B/|xi_B|; 001 (48), (53), (54), (62), 000 (A.39)-(A.42). The
// radius c xi_N is not varied in the energy (Coulomb is not associated) but is differentiated here:
// the derivatives are exact.
//
// Friction that is pressed by something else than a contact has no gap: its normal reaction xi_N is
// given, whatever the motion, so that it is closed for ever.

enum class ContactStatus { open = 0, stick = 1, slip = 2 };

constexpr int max_contact_rows = 6;
constexpr int max_friction_blocks = 3;
using RowVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_contact_rows, 1>;
using RowMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_contact_rows, max_contact_rows>;

/// Rows of a contact whose reaction stays in a ball of radius `coefficient` times that of row 0.
struct FrictionBall {
  int first_row = 1, rows = 0;
  double coefficient = 0.0;
};

struct ContactLaw {
  double penalty = 1.0;  ///< r
  bool is_pressed = false;
  double pressure = 0.0;  ///< the normal reaction that is given, scaled as the rows
  int ball_count = 0;
  std::array<FrictionBall, max_friction_blocks> balls = {};  ///< coefficients scaled as the rows

  std::span<const FrictionBall> all_balls() const {
    return {balls.data(), static_cast<std::size_t>(ball_count)};
  }
};

struct ContactEquations {
  /// Closed contacts: that of the first block, or slip when there is none.
  ContactStatus status = ContactStatus::open;
  std::array<ContactStatus, max_friction_blocks> block_status = {};
  RowVector phi, residual;
  // Derivatives, filled on request.
  RowMatrix dphi_dg, dphi_dla, dresidual_dg, dresidual_dla;
};

/// `may_close` false: the contact is open whatever its multiplier says.
void evaluate(const ContactLaw& law, bool may_close, const RowVector& g, const RowVector& la,
              bool with_derivatives, ContactEquations& e);

/// The law of the forces between impulses, 002 (134)-(142): g are accelerations, la forces, both
/// scaled. What the impulses (`jump`) let slip is resisted along them: that is against the rate of
/// slip, and still a direction where the rate is lost in round-off. What they hold may yet begin to
/// slip, and is then resisted against its acceleration. Open or opening contacts have no force.
/// `dresidual_dxi` is filled on request: by xi = la - r g of the impulses, whose derivatives `jump`
/// must then have.
void evaluate_forces(const ContactLaw& law, const ContactEquations& jump, const RowVector& g,
                     const RowVector& la, bool with_derivatives, ContactEquations& e,
                     RowMatrix& dresidual_dxi);

}  // namespace clatter
