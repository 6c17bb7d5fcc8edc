#pragma once

// What holds for every element between two nodes that gives forces, springs and bushings alike.

#include <cmath>

#include <gtest/gtest.h>

#include <clatter/elements/node.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter::testing {

template <class Element>
Vec12 force_of(const Element& element, const Configuration& q, const NodalVector& v) {
  Vec12 f;
  element.generalised_force(q, v, 0.0, f);
  return f;
}

constexpr auto expect_elastic_force_is_minus_the_gradient_of_the_energy =
    [](const auto& element, const Configuration& q, const NodalVector& v) {
      const auto energy = [&](const VecX& d) -> VecX {
        return VecX::Constant(
            1, element.energy(displaced(q, element.nodes()[0], element.nodes()[1], d), 0.0));
      };
      const NodalVector rest = NodalVector::Zero(v.size());
      EXPECT_TRUE(agrees(-force_of(element, q, rest).transpose(), differences(energy, 12)));
    };

constexpr auto expect_stiffness_is_minus_the_derivative_of_the_force_by_position =
    [](const auto& element, const Configuration& q, const NodalVector& v) {
      const auto minus_force = [&](const VecX& d) -> VecX {
        return -force_of(element, displaced(q, element.nodes()[0], element.nodes()[1], d), v);
      };
      Mat12 K, C;
      element.tangent(q, v, 0.0, K, C);
      EXPECT_TRUE(agrees(K, differences(minus_force, 12)));
    };

constexpr auto expect_damping_is_minus_the_derivative_of_the_force_by_velocity =
    [](const auto& element, const Configuration& q, const NodalVector& v) {
      const auto minus_force = [&](const VecX& d) -> VecX {
        NodalVector moved = v;
        of_node(moved, element.nodes()[0]) += d.head<6>();
        of_node(moved, element.nodes()[1]) += d.tail<6>();
        return -force_of(element, q, moved);
      };
      Mat12 K, C;
      element.tangent(q, v, 0.0, K, C);
      EXPECT_TRUE(agrees(C, differences(minus_force, 12)));
    };

constexpr auto expect_damper_power_is_taken_out_and_nothing_else =
    [](const auto& element, const Configuration& q, const NodalVector& v) {
      const Vec12 pair = of_pair(v, element.nodes()[0], element.nodes()[1]);
      const NodalVector rest = NodalVector::Zero(v.size());
      const Vec12 moving = force_of(element, q, v), still = force_of(element, q, rest);
      // Both sides are sums of some ten products of these.
      const double terms = (moving.cwiseAbs() + still.cwiseAbs()).dot(pair.cwiseAbs());
      const double power = element.dissipated_power(q, v, 0.0);
      EXPECT_NEAR(power, (still - moving).dot(pair), 1e-14 * (1.0 + terms));
      EXPECT_GE(power, 0.0);
    };

constexpr auto expect_forces_are_opposite_without_net_torque =
    [](const auto& element, const Configuration& q, const NodalVector& v) {
      const Vec12 f = force_of(element, q, v);
      const auto a = static_cast<std::size_t>(element.nodes()[0]),
                 b = static_cast<std::size_t>(element.nodes()[1]);
      EXPECT_LT((f.head<3>() + f.segment<3>(6)).norm(), 1e-12 * (1.0 + f.norm()));
      const Vec3 torque = q[a].x.cross(f.head<3>()) + q[a].R * f.segment<3>(3) +
                          q[b].x.cross(f.segment<3>(6)) + q[b].R * f.tail<3>();
      EXPECT_LT(torque.norm(), 1e-12 * (1.0 + f.norm()));
    };

}  // namespace clatter::testing
