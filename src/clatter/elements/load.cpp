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
      axes_(axes) {
  set_time(0.0);
}

void Load::set_share(double share, const Mat3& frame) {
  share_ = share;
  if (axes_ == LoadAxes::body) frame_ = frame;
  set_time(0.0);
}

void Load::set_time(double t) {
  for (int i = 0; i < 3; ++i) {
    force_[i] = share_ * force_expression_[i](t);
    torque_[i] = share_ * torque_expression_[i](t);
  }
  force_ = (frame_ * force_).eval();
  torque_ = (frame_ * torque_).eval();
}

Vec6 Load::generalised(const NodeState& q) const {
  Vec6 f;
  if (axes_ == LoadAxes::space) {
    f << force_, point_.cross(q.R.transpose() * force_) + q.R.transpose() * torque_;
  } else {
    f << q.R * force_, point_.cross(force_) + torque_;
  }
  return factor_ * f;
}

Mat6 Load::tangent(const NodeState& q) const {
  Mat6 K = Mat6::Zero();
  if (axes_ == LoadAxes::space) {
    // d(R^T f) = skew(R^T f) dTheta
    K.block<3, 3>(3, 3) =
        -skew(point_) * skew(q.R.transpose() * force_) - skew(q.R.transpose() * torque_);
  } else {
    K.block<3, 3>(0, 3) = q.R * skew(force_);
  }
  return factor_ * K;
}

}  // namespace clatter
