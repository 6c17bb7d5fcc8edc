#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bodies/pair_coordinate.hpp"
#include "model/model.hpp"

namespace clatter {

/// One bilateral condition: coordinate(q) = target(t).
struct JointRow {
  PairCoordinate coordinate;
  bool driven = false;  ///< the target is the joint's motor; otherwise `target`
  double target = 0.0;
};

/// A joint is the list of rows that its kind holds between two nodes.
class Joint {
 public:
  /// `spec` has its points already relative to the nodes (centres of mass). Rows that the nodes
  /// fulfil by being planar are left out.
  Joint(const JointSpec& spec, int a, int b, const std::vector<Node>& nodes,
        const Configuration& q0);

  const std::string& name() const { return name_; }
  int a() const { return a_; }
  int b() const { return b_; }
  const Place& place() const { return place_; }
  const std::vector<JointRow>& rows() const { return rows_; }
  int first_row = 0;  ///< in the order of all joints of a system

  /// Evaluates the motor: target and rate at t. `spacing` as in Expression::rate.
  void set_time(double t, double spacing);
  double target_acceleration(double t, double spacing) const;

  /// coordinate - target; differences of angles within half a turn.
  double misfit(const JointRow& row, const Configuration& q) const;
  double target(const JointRow& row) const { return row.driven ? motor_value_ : row.target; }
  double target_rate(const JointRow& row) const { return row.driven ? motor_rate_ : 0.0; }
  bool has_motor() const { return motor_.has_value(); }

  /// True when an axis that the joint holds parallel points the wrong way: half a turn off.
  bool is_reversed(const Configuration& q) const;

  /// The free coordinate (revolute: angle with turns counted, prismatic: displacement, distance).
  bool has_coordinate() const { return free_coordinate_.has_value(); }
  bool coordinate_is_angle() const { return free_coordinate_ && free_coordinate_->is_angle(); }
  double coordinate(const Configuration& q) const;
  void remember(const Configuration& q);

  /// Force and torque on b at the joint's point, in space axes, of a generalised force on b's node.
  void reaction(const Vec6& on_b, const Configuration& q, Vec3& force, Vec3& torque) const;

 private:
  std::string name_;
  int a_, b_;
  Vec3 point_b_;
  Place place_;
  std::vector<JointRow> rows_;
  std::vector<PairCoordinate> parallel_;  // cosines that are 1 when the joint fits
  std::optional<PairCoordinate> free_coordinate_;
  double reached_ = 0.0;
  std::optional<Expression> motor_;
  double motor_value_ = 0.0, motor_rate_ = 0.0;
};

std::string_view to_string(JointKind kind);

}  // namespace clatter
