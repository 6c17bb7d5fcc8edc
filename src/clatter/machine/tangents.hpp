#pragma once

#include <span>

#include <clatter/machine/kkt_matrix.hpp>
#include <clatter/machine/machine.hpp>

namespace clatter {

/// Column groups of rotations times T(psi) of their nodes, so that increments of psi are the
/// unknowns instead of turns in body axes. `columns`: of nodes a and b, twelve.
template <class Matrix>
void to_increments(Matrix& columns, std::span<const Node> nodes, int a, int b,
                   std::span<const Mat3> T) {
  const auto of = [](auto list, int node) -> decltype(auto) {
    return list[static_cast<std::size_t>(node)];
  };
  if (of(nodes, a).rotates_in_space) {
    columns.template middleCols<3>(3) = (columns.template middleCols<3>(3) * of(T, a)).eval();
  }
  if (of(nodes, b).rotates_in_space) {
    columns.template middleCols<3>(9) = (columns.template middleCols<3>(9) * of(T, b)).eval();
  }
}

/// Adds mass M + damping C + stiffness K of all bodies, beams, force elements and loads, with C =
/// -df/dv and K = -df/dq. The unknowns of K are increments from where T is the tangent; with T
/// empty, increments from q. Beams lie as in the instant: the last call of Machine::forces with it
/// must have been at q. In equilibrium under conservative loads the sum of the latter K is
/// symmetric. For KktMatrix and CoupledMatrix::Part.
template <class Matrix>
void add_tangents(const Machine& machine, const Configuration& q, const NodalVector& v,
                  const Instant& instant, const TangentFactors& factors, std::span<const Mat3> T,
                  Matrix& matrix);

/// Adds the joints with `forces` in their rows, for increments from q: the stiffness that these
/// forces give, and -G^T, -G beside and below it, scaled by the inverse Delassus diagonal.
void add_joint_tangents(const Machine& machine, const Configuration& q, const VecX& forces,
                        const TangentFactors& factors, KktMatrix& matrix);

/// The largest stiffness of an unknown over its mass [1/s²]. The rows of joints are scaled by
/// masses; divided by this, K is as large as they are, and a pivot of a joint is not lost beside
/// it.
double size_of_stiffness(const Machine& machine, const Configuration& q, const Instant& instant,
                         KktMatrix& scratch);

}  // namespace clatter
