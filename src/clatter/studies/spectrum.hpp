#pragma once

#include <array>
#include <optional>
#include <span>

namespace clatter {

/// The frequency within a band [Hz] at which a signal is strongest, to a small part of what its
/// length can resolve, which is one over it. Its mean is left out, and a Hann window keeps what is
/// outside of the band from leaking in. Samples must be evenly spaced; nothing of fewer than four.
std::optional<double> strongest_frequency(std::span<const double> times,
                                          std::span<const double> values,
                                          std::array<double, 2> band);

}  // namespace clatter
