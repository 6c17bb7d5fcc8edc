#include "bodies/node.hpp"

#include <cmath>

namespace clatter {

void retract(std::span<const Node> nodes, const Configuration& start, const NodalVector& increment,
             Configuration& q) {
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Vec6 d = of_node(increment, static_cast<int>(i));
    q[i].x = start[i].x + d.head<3>();
    if (nodes[i].rotates_in_space) {
      q[i].p = start[i].p * exp_so3(d.tail<3>());
      q[i].p.normalize();
      q[i].R = q[i].p.toRotationMatrix();
    } else if (nodes[i].has(5)) {
      q[i].angle = start[i].angle + d[5];
      const double c = std::cos(q[i].angle), s = std::sin(q[i].angle);
      q[i].p = Quaternion(std::cos(0.5 * q[i].angle), 0.0, 0.0, std::sin(0.5 * q[i].angle));
      q[i].R << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
    }
  }
}

}  // namespace clatter
