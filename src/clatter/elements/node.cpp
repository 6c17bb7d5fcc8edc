#include <cmath>
#include <numbers>

#include <clatter/elements/node.hpp>

namespace clatter {
namespace {

/// The product of two unit quaternions is one but for round-off, which one step of Newton's method
/// for the inverse root removes.
void keep_unit(Quaternion& p) { p.coeffs() *= 1.5 - 0.5 * p.squaredNorm(); }

}  // namespace

void retract(const Node& node, const NodeState& start, const Vec6& d, NodeState& q) {
  q.x = start.x + d.head<3>();
  if (node.rotates_in_space) {
    q.p = start.p * exp_so3(d.tail<3>());
    keep_unit(q.p);
    q.R = q.p.toRotationMatrix();
  } else if (node.has(5)) {
    // The rotation is kept apart from the count of turns: cosines of a large angle are inaccurate.
    const double half = so3_detail::half_cosine(d[5] * d[5]);
    const double sine = so3_detail::half_sinc(d[5] * d[5]) * d[5];
    const double w = start.p.w() * half - start.p.z() * sine;
    const double z = start.p.w() * sine + start.p.z() * half;
    const double unit = 1.5 - 0.5 * (z * z + w * w);  // as keep_unit
    q.p = {unit * w, 0.0, 0.0, unit * z};
    const double s = 2.0 * q.p.z() * q.p.w(), c = 1.0 - 2.0 * q.p.z() * q.p.z();
    q.R << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
    constexpr double turn = 2.0 * std::numbers::pi;
    const double reduced = 2.0 * std::atan2(q.p.z(), q.p.w());
    q.angle = reduced + turn * std::round((start.angle + d[5] - reduced) / turn);
  }
}

void retract(std::span<const Node> nodes, const Configuration& start, const NodalVector& increment,
             Configuration& q) {
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    retract(nodes[i], start[i], of_node(increment, static_cast<int>(i)), q[i]);
  }
}

}  // namespace clatter
