#include <cmath>
#include <numbers>

#include <clatter/elements/node.hpp>

namespace clatter {
namespace {

/// The product of two unit quaternions is one but for round-off, which one step of Newton's method
/// for the inverse root removes.
void keep_unit(Quaternion& p) { p.coeffs() *= 1.5 - 0.5 * p.squaredNorm(); }

}  // namespace

void retract(std::span<const Node> nodes, const Configuration& start, const NodalVector& increment,
             Configuration& q) {
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Vec6 d = of_node(increment, static_cast<int>(i));
    q[i].x = start[i].x + d.head<3>();
    if (nodes[i].rotates_in_space) {
      q[i].p = start[i].p * exp_so3(d.tail<3>());
      keep_unit(q[i].p);
      q[i].R = q[i].p.toRotationMatrix();
    } else if (nodes[i].has(5)) {
      // The rotation is kept apart from the count of turns: cosines of a large angle are
      // inaccurate.
      q[i].p = start[i].p * exp_so3(Vec3(0.0, 0.0, d[5]));
      keep_unit(q[i].p);
      q[i].R = q[i].p.toRotationMatrix();
      constexpr double turn = 2.0 * std::numbers::pi;
      const double reduced = 2.0 * std::atan2(q[i].p.z(), q[i].p.w());
      q[i].angle = reduced + turn * std::round((start[i].angle + d[5] - reduced) / turn);
    }
  }
}

}  // namespace clatter
