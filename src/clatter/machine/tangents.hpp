#pragma once

#include <array>
#include <span>

#include <clatter/machine/kkt_matrix.hpp>
#include <clatter/machine/machine.hpp>

namespace clatter {

/// Column groups of rotations times T(psi) of their nodes, so that increments of psi are the
/// unknowns instead of turns in body axes. `columns`: six for each of the nodes `of`.
template <class Matrix, class Nodes>
void to_increments(Matrix& columns, std::span<const Node> nodes, const Nodes& of,
                   std::span<const Mat3> T) {
  Eigen::Index column = 3;
  for (const int node : of) {
    const auto n = static_cast<std::size_t>(node);
    if (nodes[n].rotates_in_space) {
      columns.template middleCols<3>(column) =
          (columns.template middleCols<3>(column) * T[n]).eval();
    }
    column += 6;
  }
}

/// The same of a pair of nodes.
template <class Matrix>
void to_increments(Matrix& columns, std::span<const Node> nodes, int a, int b,
                   std::span<const Mat3> T) {
  to_increments(columns, nodes, std::array{a, b}, T);
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
