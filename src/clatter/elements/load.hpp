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

  /// What the expressions give at a time.
  struct Value {
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    double factor = 1.0;  ///< on both, for statics
  };
  Value at(double t) const;

  Vec6 generalised(const Value& value, const NodeState& q) const;
  /// -d(generalised)/dq
  Mat6 tangent(const Value& value, const NodeState& q) const;

 private:
  std::string name_;
  int node_;
  Vec3 point_;
  std::array<Expression, 3> force_expression_, torque_expression_;
  LoadAxes axes_;
  double share_ = 1.0;
  Mat3 frame_ = Mat3::Identity();
};

}  // namespace clatter
