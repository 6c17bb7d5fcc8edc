#include "contact/face_contact.hpp"

#include <algorithm>
#include <cmath>

namespace clatter {
namespace {

bool moves_out_of_plane(const Node& node) { return node.has(2) || node.has(3) || node.has(4); }

}  // namespace

FaceContact::FaceContact(const ContactSpec& spec, int face_node, int point_node,
                         const std::vector<Node>& nodes)
    : name_(spec.name),
      place_(spec.place),
      a_(face_node),
      b_(point_node),
      point_a_(spec.face.point),
      point_b_(spec.point.point),
      normal_(spec.normal.normalized()),
      friction_(spec.friction),
      restitution_(spec.restitution),
      tangential_restitution_(spec.tangential_restitution),
      outline_(spec.outline) {
  const bool planar = !moves_out_of_plane(nodes[a_]) && !moves_out_of_plane(nodes[b_]);
  // In the plane T_1 = N turned by -90 degrees, so that (T_1, N) is right-handed about z.
  const bool line = outline_.size() == 2;  // the face of a planar body
  if (planar || line) {
    tangents_ = {normal_.cross(Vec3::UnitZ()).normalized(), Vec3::UnitZ()};
  } else {
    int smallest = 0;
    normal_.cwiseAbs().minCoeff(&smallest);
    const Vec3 axis = Vec3::Unit(smallest);
    tangents_[0] = (axis - normal_.dot(axis) * normal_).normalized();
    tangents_[1] = normal_.cross(tangents_[0]);
  }
  const auto row = [&](const Vec3& direction) {
    return PairCoordinate::along(a_, point_a_, direction, b_, point_b_);
  };
  coordinates_.push_back(row(normal_));
  if (friction_ > 0.0) {
    coordinates_.push_back(row(tangents_[0]));
    if (!planar) coordinates_.push_back(row(tangents_[1]));
  }
}

bool FaceContact::over_face(const Configuration& q) const {
  if (outline_.empty()) return true;
  const NodeState &A = q[a_], &B = q[b_];
  const Vec3 d = A.R.transpose() * (B.x + B.R * point_b_ - A.x);
  const double u = tangents_[0].dot(d), w = tangents_[1].dot(d);
  // The edge belongs to the face, also after round-off.
  const double edge = 1e-9 * (outline_[1] - outline_[0]).norm();
  if (outline_.size() == 2) {  // a planar face is a line between two ends
    const double first = tangents_[0].dot(outline_[0]), second = tangents_[0].dot(outline_[1]);
    return (u - first) * (u - second) <= edge * std::abs(second - first);
  }
  // Ray casting in the plane of the face, for any simple polygon.
  bool inside = false;
  for (std::size_t i = 0, j = outline_.size() - 1; i < outline_.size(); j = i++) {
    const double ui = tangents_[0].dot(outline_[i]), wi = tangents_[1].dot(outline_[i]);
    const double uj = tangents_[0].dot(outline_[j]), wj = tangents_[1].dot(outline_[j]);
    const Eigen::Vector2d side(uj - ui, wj - wi), away(u - ui, w - wi);
    const double along = std::clamp(away.dot(side) / side.squaredNorm(), 0.0, 1.0);
    if ((away - along * side).norm() <= edge) return true;
    if ((wi > w) != (wj > w) && u < (uj - ui) * (w - wi) / (wj - wi) + ui) inside = !inside;
  }
  return inside;
}

}  // namespace clatter
