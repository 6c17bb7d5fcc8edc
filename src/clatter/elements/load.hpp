#pragma once

#include <array>
#include <string>

#include <clatter/elements/node.hpp>
#include <clatter/math/expression.hpp>

namespace clatter {

/// A force at a point of a body and a torque on it, as functions of time, in space or body axes.
class Load {
 public:
  Load(std::string name, int node, const Vec3& point, std::array<Expression, 3> force,
       std::array<Expression, 3> torque, LoadAxes axes);

  const std::string& name() const { return name_; }
  int node() const { return node_; }

  /// For a load that is spread out: this one has `share` [m] of it, and its body axes are those of
  /// `frame` in the body.
  void set_share(double share, const Mat3& frame);
  /// Evaluates the expressions; the functions below use what they gave.
  void set_time(double t);
  /// Scales the load, for statics.
  void set_factor(double factor) { factor_ = factor; }

  Vec6 generalised(const NodeState& q) const;
  /// -d(generalised)/dq
  Mat6 tangent(const NodeState& q) const;

 private:
  std::string name_;
  int node_;
  Vec3 point_;
  std::array<Expression, 3> force_expression_, torque_expression_;
  LoadAxes axes_;
  double share_ = 1.0, factor_ = 1.0;
  Mat3 frame_ = Mat3::Identity();
  Vec3 force_ = Vec3::Zero(), torque_ = Vec3::Zero();
};

}  // namespace clatter
