#pragma once

#include <vector>

#include <clatter/math/types.hpp>

namespace clatter {

/// A load that contacts of rigid bodies carry together, of which rigid bodies tell the sum alone.
/// What one body does to another over contact i is N_i normals.col(i) + T tangents.col(...).
struct SharedLoad {
  MatX normals;   ///< for each contact the wrench of a unit normal force on all bodies, one below
                  ///< the other: force, and torque over a length of the size of the machine
  MatX tangents;  ///< the same of tangential forces
  VecX forces;    ///< normal ones, as they are known: the wrench that is kept [N]
  VecX gaps;      ///< [m]
  VecX stiffness, exponents;  ///< F = K depth^n
};

/// How the load is shared out.
struct LoadShares {
  VecX normal;      ///< >= 0
  VecX tangential;  ///< besides those that there are
  int iterations = 0;
  double residual = 0.0;  ///< largest part of a wrench that is off, over the largest force
};

/// By the stiffness of the contacts: bodies move by as little as it takes to press them into each
/// other until each has its wrench. Of all forces with these wrenches and N >= 0 those are sought
/// whose complementary energy
///
///     sum n/(n+1) K^(-1/n) N^((n+1)/n) + g N  +  sum T^2/(2 k_T)
///
/// is least. It is convex, so that there is one answer; the multipliers of the wrenches are the
/// displacements of the bodies. Tangential forces hold what normals that are not quite in line
/// leave over; k_T is a thousandth of the stiffness of the contacts, so that they carry no more.
LoadShares share_load(const SharedLoad& load);

}  // namespace clatter
