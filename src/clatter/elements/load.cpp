#include <utility>

#include <clatter/elements/load.hpp>

namespace clatter {

Load::Load(std::string name, int node, const Vec3& point, std::array<Expression, 3> force,
           std::array<Expression, 3> torque, LoadAxes axes)
    : name_(std::move(name)),
      node_(node),
      point_(point),
      force_expression_(std::move(force)),
      torque_expression_(std::move(torque)),
      axes_(axes) {}

void Load::set_share(double share, const Mat3& frame) {
  share_ = share;
  if (axes_ == LoadAxes::body) frame_ = frame;
}

Load::Value Load::at(double t) const {
  Value value;
  for (int i = 0; i < 3; ++i) {
    value.force[i] = share_ * force_expression_[i](t);
    value.torque[i] = share_ * torque_expression_[i](t);
  }
  value.force = (frame_ * value.force).eval();
  value.torque = (frame_ * value.torque).eval();
  return value;
}

Vec6 Load::generalised(const Value& value, const NodeState& q) const {
  Vec6 f;
  if (axes_ == LoadAxes::space) {
    f << value.force, point_.cross(q.R.transpose() * value.force) + q.R.transpose() * value.torque;
  } else {
    f << q.R * value.force, point_.cross(value.force) + value.torque;
  }
  return value.factor * f;
}

Mat6 Load::tangent(const Value& value, const NodeState& q) const {
  Mat6 K = Mat6::Zero();
  if (axes_ == LoadAxes::space) {
    // d(R^T f) = skew(R^T f) dTheta
    K.block<3, 3>(3, 3) =
        -skew(point_) * skew(q.R.transpose() * value.force) - skew(q.R.transpose() * value.torque);
  } else {
    K.block<3, 3>(0, 3) = q.R * skew(value.force);
  }
  return value.factor * K;
}

}  // namespace clatter
