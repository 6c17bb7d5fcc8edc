#pragma once

#include <span>
#include <vector>

namespace clatter {

/// The impulses of a contact, one for each step [N s], told apart (000 (3.30)-(3.32), (C.40),
/// (C.41)). Their sum is the signal:
struct FilteredImpulses {
  std::vector<double> free;       ///< impacts of bodies that were apart before and are after
  std::vector<double> smooth;     ///< forces of bodies that stay together, times the step
  std::vector<double> on_closed;  ///< impacts on top of such forces
};

struct ImpulseFilter {
  /// Of the largest impulse: less is none at all.
  double least_impulse = 1e-12;
  /// Of the smooth part: a summit that stands out by less is no impact.
  double least_impact = 1e-3;

  /// An impact is a step whose impulse is larger than those before and after it; what is smooth is
  /// then their mean. The first and the last step have but one neighbour and are never one.
  FilteredImpulses apply(std::span<const double> impulses) const;
  /// Where a scheme tells impacts apart: what of them is one. Contacts that stay closed have
  /// percussions of the size of the errors of the step.
  double impact_of(double impulse, double percussion) const {
    return percussion > least_impact * (impulse - percussion) ? percussion : 0.0;
  }
};

}  // namespace clatter
