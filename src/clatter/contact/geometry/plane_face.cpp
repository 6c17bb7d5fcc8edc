#include <algorithm>
#include <cmath>

#include <clatter/contact/geometry/plane_face.hpp>

namespace clatter {

PlaneFace::PlaneFace(const ContactSpec& spec, double radius, int a, int b, bool planar)
    : SurfacePair(spec, a, b, planar),
      radius_(radius),
      normal_(spec.direction.normalized()),
      outline_(spec.outline),
      height_(PairCoordinate::along(a, point_a_, normal_, b, point_b_)) {
  const bool line = outline_.size() == 2;  // the face of a planar body
  ContactFrame frame;
  frame.normal = normal_;
  carry_tangents(spec.along, planar || line, frame);
  tangents_ = frame.tangents;
}

PairCoordinate PlaneFace::along(int tangent) const {
  return PairCoordinate::along(a_, point_a_, tangents_[static_cast<std::size_t>(tangent)], b_,
                               point_b_);
}

ContactFrame PlaneFace::frame(const Configuration& q, const Vec3&) const {
  const NodeState &A = q[a_], &B = q[b_];
  ContactFrame f;
  f.normal = A.R * normal_;
  f.tangents = {A.R * tangents_[0], A.R * tangents_[1]};
  f.arm_b = B.R * point_b_ - radius_ * f.normal;
  f.arm_a = B.x + f.arm_b - A.x;
  return f;
}

FrameDerivative PlaneFace::derivative(const Configuration& q, const ContactFrame&) const {
  const NodeState &A = q[a_], &B = q[b_];
  FrameDerivative d;
  d.normal = turning(A.R, normal_, TA);
  for (std::size_t i = 0; i < 2; ++i) d.tangents[i] = turning(A.R, tangents_[i], TA);
  d.arm_b = turning(B.R, point_b_, TB) - radius_ * d.normal;
  d.arm_a = d.arm_b;
  add_displacement(d.arm_a);
  return d;
}

Eigen::Vector2d PlaneFace::foot(const Configuration& q) const {
  const NodeState &A = q[a_], &B = q[b_];
  const Vec3 d = A.R.transpose() * (B.x + B.R * point_b_ - A.x);
  return {tangents_[0].dot(d), tangents_[1].dot(d)};
}

bool PlaneFace::comes_through(const Configuration& from, const Configuration& to) const {
  const double first = std::max(0.0, gap(from)), last = gap(to);
  const double part = last < 0.0 ? first / (first - last) : 1.0;
  return is_inside((1.0 - part) * foot(from) + part * foot(to));
}

bool PlaneFace::is_inside(const Eigen::Vector2d& foot) const {
  if (outline_.empty()) return true;
  const double u = foot.x(), w = foot.y();
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

Mesh PlaneFace::picture(const ContactSpec& spec, double size) {
  return tessellate_face(spec.face.point, spec.direction, spec.outline, size);
}

Mesh tessellate_face(const Vec3& point, const Vec3& normal, const std::vector<Vec3>& outline,
                     double size) {
  Mesh mesh;
  mesh.points = outline;
  if (outline.empty()) {
    const Vec3 n = normal.normalized();
    const Vec3 a = n.unitOrthogonal() * (size / 2), b = n.cross(a);
    mesh.points = {point - a - b, point + a - b, point + a + b, point - a + b};
  }
  std::vector<int> face;
  face.reserve(mesh.points.size() + 1);
  for (int i = 0; i < static_cast<int>(mesh.points.size()); ++i) face.push_back(i);
  mesh.polygons.push_back(face);
  face.push_back(0);
  mesh.lines.push_back(face);  // the edge, to be seen on a face of the same colour
  return mesh;
}

}  // namespace clatter
