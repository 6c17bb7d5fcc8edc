#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <clatter/machine/model.hpp>

namespace clatter {

/// Errors below this count as exact: round-off, from which no order can be read.
inline constexpr double exact_error = 1e-11;

/// How the error falls with the step.
struct ErrorDecay {
  std::vector<double> errors;  ///< of each step
  std::vector<std::optional<double>>
      rates;  ///< from the step before; none for the first, or if exact
  /// Slope of log(error) over log(step) by least squares; none when (almost) all errors are exact.
  std::optional<double> order;
};
/// "1.98", or "exact".
std::string order_text(const ErrorDecay& decay);

struct ConvergenceStudy {
  std::vector<double> steps;  ///< [s], coarsest first
  double reference_step = 0.0;
  ErrorDecay positions;   ///< positions and rotations of all bodies and nodes of beams
  ErrorDecay velocities;  ///< linear and angular
};

/// Runs the model with each step and with the reference step, and compares at the times that all
/// runs share, the multiples of the coarsest step:
///   error = sum |f_i - f_ref(t_i)| / sum |f_ref(t_i)|      (001, eq. (64))
/// over times, bodies, nodes of beams and components. Quaternions are compared up to sign. A
/// reference that is zero throughout makes the error absolute.
///
/// Throws Error when the steps do not divide the coarsest, the reference is not the finest, or a
/// run fails. `report`, if given, is called after each run, from several threads but one at a time.
/// The run with the reference step is that of `reference`, if given: the same machine, integrated
/// in another way.
ConvergenceStudy study_convergence(const Model& model, std::span<const double> steps,
                                   double reference_step,
                                   const std::function<void(double step)>& report = {},
                                   const Model* reference = nullptr);

/// Rates and order from errors at steps sorted from coarse to fine.
ErrorDecay error_decay(std::span<const double> steps, std::vector<double> errors);

}  // namespace clatter
