#pragma once

#include <random>

#include <clatter/elements/node.hpp>

namespace clatter::testing {

/// Arbitrary but repeatable numbers, vectors and configurations.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double number(double low = -1.0, double high = 1.0) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Vec3 vector(double size = 1.0) {
    const double x = number(), y = number(), z = number();
    return size * Vec3(x, y, z);
  }
  Vec3 direction() {
    Vec3 v = vector();
    while (v.norm() < 0.1) v = vector();
    return v.normalized();
  }
  VecX numbers(Eigen::Index count, double size = 1.0) {
    VecX v(count);
    for (Eigen::Index i = 0; i < count; ++i) v[i] = number(-size, size);
    return v;
  }
  Quaternion rotation() { return exp_so3(number(0.0, 3.1) * direction()); }
  Mat3 axes() { return rotation().toRotationMatrix(); }

  /// Symmetric with eigenvalues that a body can have: none larger than the sum of the other two.
  Mat3 inertia() {
    const Vec3 principal = Vec3(number(1.0, 2.0), number(1.0, 2.0), number(1.0, 2.0));
    const Mat3 turn = axes();
    return turn * principal.asDiagonal() * turn.transpose();
  }

  /// The ground and `bodies` frames around it.
  Configuration configuration(int bodies) {
    Configuration q(static_cast<std::size_t>(bodies) + 1);
    for (std::size_t n = 1; n < q.size(); ++n) {
      q[n].x = vector();
      q[n].p = rotation();
      q[n].R = q[n].p.toRotationMatrix();
    }
    return q;
  }

 private:
  std::mt19937 engine_;
};

/// q with nodes a and b displaced as the columns of a PairCoordinate are defined: x + dx,
/// R exp(skew(dTheta)). The ground is displaced like any other node.
inline Configuration displaced(Configuration q, int a, int b, const Vec12& d) {
  for (const auto& [node, offset] : {std::pair(a, 0), std::pair(b, 6)}) {
    NodeState& state = q[static_cast<std::size_t>(node)];
    state.x += d.segment<3>(offset);
    state.p = state.p * exp_so3(d.segment<3>(offset + 3));
    state.R = state.p.toRotationMatrix();
  }
  return q;
}

/// A frame that can do everything, with unknowns from `first`.
inline Node free_node(int first) {
  Node node{.name = "free", .rotates_in_space = true, .mass = 1.0};
  node.inertia = node.inverse_inertia = Mat3::Identity();
  node.inverse_mass = 1.0;
  for (int i = 0; i < 6; ++i) node.dof[static_cast<std::size_t>(i)] = first + i;
  return node;
}

/// A frame that keeps x, y and the rotation about z.
inline Node planar_node(int first) {
  Node node{.name = "planar", .mass = 1.0};
  node.inertia(2, 2) = node.inverse_inertia(2, 2) = 1.0;
  node.inverse_mass = 1.0;
  node.dof = {first, first + 1, -1, -1, -1, first + 2};
  return node;
}

}  // namespace clatter::testing
