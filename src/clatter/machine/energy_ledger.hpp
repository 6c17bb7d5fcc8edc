#pragma once

namespace clatter {

/// What conserving contacts do to the energy of the bodies [J], 003 (4.12): spring + dashpot -
/// momentum, which is zero unless they slip.
struct Exchange {
  double spring = 0.0;    ///< dE_f
  double dashpot = 0.0;   ///< dE_f'
  double momentum = 0.0;  ///< dE_p
  Exchange& operator+=(const Exchange& other) {
    spring += other.spring;
    dashpot += other.dashpot;
    momentum += other.momentum;
    return *this;
  }
};

/// Where the energy of a run is and went [J]; losses are positive. The work of loads, motors,
/// dampers and contacts is summed with the trapezoidal rule, and what does not add up is the
/// scheme's own.
struct EnergyLedger {
  double initial = 0.0;
  double kinetic = 0.0, gravity = 0.0, elastic = 0.0;
  double buoyancy = 0.0;  ///< what a fluid gives when bodies rise, as potential
  double load_work = 0.0, motor_work = 0.0;
  double friction_loss = 0.0, impact_loss = 0.0, damper_loss = 0.0;
  double drag_loss = 0.0;  ///< of a fluid

  Exchange normal_exchange, tangential_exchange;

  double total() const { return kinetic + gravity + buoyancy + elastic; }
  double scheme_loss() const {
    return initial + load_work + motor_work - friction_loss - impact_loss - damper_loss -
           drag_loss - total();
  }
};

}  // namespace clatter
