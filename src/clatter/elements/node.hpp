#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <clatter/math/so3.hpp>
#include <clatter/math/types.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

// Every node is treated as a frame in space with six velocity components: three of the position
// (space axes) and three of the angular velocity (body axes). What a node cannot do is not an
// unknown: its `dof` is -1. A point has no rotation, a planar frame keeps x, y and the rotation
// about z, and the ground (node 0) keeps nothing. Elements are written once, in space; planar
// models stay planar. Any subset will do: a scalar coordinate is a node with one translation, and
// n modes are nodes with up to three each.

/// Vectors over all nodes, six entries each: velocities, accelerations, increments, forces.
using NodalVector = VecX;

constexpr int ground = 0;

/// What is constant about a node. Its frame sits at the centre of mass, so that the mass matrix is
/// constant: diag(mass, inertia).
struct Node {
  std::string name;
  bool rotates_in_space = false;  ///< all three rotations are unknowns
  double mass = 0.0;
  Mat3 inertia = Mat3::Zero();
  Mat3 inverse_inertia = Mat3::Zero();  ///< on the unknown rotations, zero elsewhere
  double inverse_mass = 0.0;
  std::array<int, 6> dof{-1, -1, -1, -1, -1, -1};

  bool has(int component) const { return dof[component] >= 0; }
  /// One for each translation that is an unknown, else zero.
  Vec3 translations() const { return {has(0) ? 1.0 : 0.0, has(1) ? 1.0 : 0.0, has(2) ? 1.0 : 0.0}; }
};

/// Where a node is.
struct NodeState {
  Vec3 x = Vec3::Zero();
  Quaternion p = Quaternion::Identity();
  Mat3 R = Mat3::Identity();
  double angle = 0.0;  ///< planar frames: the rotation about z, not reduced to one turn
};

using Configuration = std::vector<NodeState>;

inline Eigen::Map<Vec6> of_node(NodalVector& v, Eigen::Index node) {
  return Eigen::Map<Vec6>(v.data() + 6 * node);
}
inline Eigen::Map<const Vec6> of_node(const NodalVector& v, Eigen::Index node) {
  return Eigen::Map<const Vec6>(v.data() + 6 * node);
}

/// Where the four groups of the twelve columns of a pair begin: positions and rotations of a and b.
inline constexpr int XA = 0, TA = 3, XB = 6, TB = 9;

/// The velocities (or increments) of nodes a and b, one under the other.
[[gnu::always_inline]] inline Vec12 of_pair(const NodalVector& v, int a, int b) {
  Vec12 pair;
  pair.head<6>() = of_node(v, a);
  pair.tail<6>() = of_node(v, b);
  return pair;
}

/// The same for all nodes of an element, which may be of fixed or of bounded size.
template <class Vector, class Nodes>
[[gnu::always_inline]] inline Vector of_nodes(const NodalVector& v, const Nodes& nodes) {
  Vector all;
  if constexpr (Vector::RowsAtCompileTime == Eigen::Dynamic) {
    all.resize(6 * static_cast<Eigen::Index>(nodes.size()));
  }
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    all.template segment<6>(6 * static_cast<Eigen::Index>(k)) = of_node(v, nodes[k]);
  }
  return all;
}

/// The unknowns of all nodes of an element, -1 where there is none.
template <class Nodes>
std::vector<int> dofs_of_nodes(std::span<const Node> table, const Nodes& nodes) {
  std::vector<int> dofs;
  for (const int node : nodes) {
    const std::array<int, 6>& own = table[static_cast<std::size_t>(node)].dof;
    dofs.insert(dofs.end(), own.begin(), own.end());
  }
  return dofs;
}

/// Writes and adds without a loop, unlike Eigen, which would look for where packets are aligned.
[[gnu::always_inline]] inline void set_node(NodalVector& v, Eigen::Index node, const Vec6& given) {
  double* values = v.data() + 6 * node;
  for (int i = 0; i < 6; ++i) values[i] = given[i];
}
[[gnu::always_inline]] inline void add_to_pair(NodalVector& v, int a, int b, const Vec12& given) {
  double *at_a = v.data() + 6 * Eigen::Index{a}, *at_b = v.data() + 6 * Eigen::Index{b};
  for (int i = 0; i < 6; ++i) at_a[i] += given[i];
  for (int i = 0; i < 6; ++i) at_b[i] += given[6 + i];
}

template <class Nodes, class Vector>
[[gnu::always_inline]] inline void add_to_nodes(NodalVector& v, const Nodes& nodes,
                                                const Vector& given) {
  const double* from = given.data();
  for (const int node : nodes) {
    double* at = v.data() + 6 * Eigen::Index{node};
    for (int i = 0; i < 6; ++i) at[i] += *from++;
  }
}

/// q := start moved by an increment: x + dx, R exp(skew(psi)).
void retract(const Node& node, const NodeState& start, const Vec6& increment, NodeState& q);
/// The same for all nodes.
void retract(std::span<const Node> nodes, const Configuration& start, const NodalVector& increment,
             Configuration& q);

}  // namespace clatter
