#pragma once

#include <complex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace clatter {

/// What a scheme makes of an oscillator in a step: the eigenvalues of the matrix that takes
/// position, velocity and the accelerations that it remembers from one step to the next.
struct Amplification {
  double angle = 0.0;                             ///< frequency of the oscillator times the step
  std::vector<std::complex<double>> eigenvalues;  ///< the largest first
  double radius() const;                          ///< of the largest: it grows beyond 1
  /// Of the pair that is the motion: -ln|lambda|/arg(lambda), and arg(lambda)/angle; nothing where
  /// all are real. 003 figure 6.10 has the first.
  std::optional<double> damping() const;
  std::optional<double> frequency() const;
};

/// The matrix is found from steps of the scheme itself, one from each unit vector: nothing is known
/// of how it works. The oscillator is a mass on a spring, of schemes whose bodies nothing but
/// contacts may tie one on a contact that gravity keeps pressed. `damping` is its own damping
/// ratio; `settings` are further keys of [integrator], "rho_inf=0.5". Throws Error when the scheme
/// refuses it.
Amplification amplification_of(const std::string& integrator, double angle, double damping,
                               std::span<const std::string> settings);

}  // namespace clatter
