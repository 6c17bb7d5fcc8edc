#pragma once

#include <random>
#include <vector>

#include <clatter/elements/node.hpp>

namespace clatter::testing {

/// Random numbers between -1 and 1, vectors, places, sizes.
struct Dice {
  std::mt19937 generator{7};
  double number() { return std::uniform_real_distribution<>(-1.0, 1.0)(generator); }
  Vec3 vector() { return {number(), number(), number()}; }
  NodeState place(double spread) {
    NodeState at;
    at.x = spread * vector();
    at.p = Quaternion(Eigen::Vector4d(number(), number(), number(), number()).normalized());
    at.R = at.p.toRotationMatrix();
    return at;
  }
  double length() { return 0.6 + 0.4 * number(); }
  Vec3 size() { return Vec3::Constant(1.2) + vector(); }
  std::vector<Vec3> cloud(int count) {
    std::vector<Vec3> points;
    for (int k = 0; k < count; ++k) points.push_back(vector());
    return points;
  }
};

}  // namespace clatter::testing
