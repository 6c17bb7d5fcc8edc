#pragma once

#include <string_view>

#include <clatter/schemes/residual.hpp>

namespace clatter {

/// Where an update of Newton's method led, for those who study how it converges.
struct NewtonUpdate {
  double time;               ///< [s] end of the step
  std::string_view problem;  ///< "position"
  bool in_islands;           ///< each update solves the linearised contacts island by island
  int number;                ///< 0: the first guess
  int halvings;              ///< of the update, by the line search
  Residual residual;
};

}  // namespace clatter
