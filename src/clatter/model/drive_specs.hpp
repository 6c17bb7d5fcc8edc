#pragma once

#include <optional>
#include <string>

#include <clatter/math/formula.hpp>
#include <clatter/model/error.hpp>
#include <clatter/model/key_places.hpp>

namespace clatter {

/// Measures a quantity; `sensors/NAME/value` in formulas.
struct SensorSpec {
  std::string name;
  Formula quantity{"0", Formula::Of::quantities};
  std::optional<double> sampling_time;  ///< [s]; every step when absent
  double delay = 0.0;                   ///< [s] until a value is known
  Place place;
  KeyPlaces keys;
};

/// A PID controller; `controllers/NAME/output` in formulas.
struct ControllerSpec {
  std::string name;
  Formula input{"0", Formula::Of::quantities};     ///< what is controlled
  Formula setpoint{"0", Formula::Of::quantities};  ///< what it should be
  double proportional = 0.0;
  double integral = 0.0;           ///< [1/s] as a factor on the time integral
  double derivative = 0.0;         ///< [s]
  double derivative_filter = 0.0;  ///< [s] time constant
  std::optional<double> lower, upper;
  std::optional<double> sampling_time;  ///< [s]; continuous when absent
  double delay = 0.0;                   ///< [s] until an output takes effect
  Place place;
  KeyPlaces keys;
};

}  // namespace clatter
