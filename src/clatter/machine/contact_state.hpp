#pragma once

#include <array>

#include <clatter/contact/law/friction_law.hpp>
#include <clatter/machine/energy_ledger.hpp>

namespace clatter {

/// What a contact did in the last step, and what it remembers for the next.
struct ContactState {
  ContactStatus status = ContactStatus::open;
  bool persistent = false;  ///< closed at the end of this step and of the one before
  /// False while its point is behind the face, having come there from beside it.
  bool armed = true;
  double gap = 0.0;  ///< [m]
  /// Of the friction blocks; open when the contact is.
  std::array<ContactStatus, max_friction_blocks> block_status = {};
  RowVector impulse;      ///< [N s], [N m s] of the rows; physical
  RowVector work;         ///< [J] done by them on the bodies
  double met_at = 0.0;    ///< [m/s] how fast the surfaces came together before the impulse
  bool has_rate = false;  ///< contacts that are far apart have none: see rate_of()
  RowVector rate;         ///< [m/s], [rad/s] of the rows at the end of the step
  bool stuck = false;     ///< at position level
  RowVector push;         ///< multipliers of the position correction; physical
  // Where forces and impulses are apart (nsga_coupled); `impulse` is then that of both.
  RowVector force;       ///< [N], [N m] at the end of the step
  RowVector mean_force;  ///< its auxiliary variable, 002 (96)
  RowVector percussion;  ///< [N s], [N m s] the impulsive part
  RowVector anchor;      ///< tangential coordinates that slip is counted from
  // Of surfaces that give way; `force` is then all of the force.
  double damping = -1.0;  ///< CompliantLaw::damping of the impact that lasts; negative: none does
  double elastic = 0.0;   ///< [J] that the surfaces hold
  /// [m] g_T of the rows of sliding: of contacts of their own in the last step, of conserving ones
  /// since they closed
  RowVector shear;
  // Of conserving contacts:
  RowVector psi;                                  ///< psi_2 of the rows in the last step
  Exchange normal_exchange, tangential_exchange;  ///< of the last step
  Vec3 tangent = Vec3::Zero();                    ///< first direction of slip, space axes

  /// All rows zero, of so many; unless they have that number.
  void size_rows(int rows) {
    for (RowVector* x :
         {&impulse, &work, &rate, &push, &anchor, &force, &mean_force, &percussion, &shear, &psi}) {
      if (x->size() != rows) x->setZero(rows);
    }
  }
};

}  // namespace clatter
