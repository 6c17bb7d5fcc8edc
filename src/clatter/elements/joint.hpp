#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <clatter/elements/pair_coordinate.hpp>
#include <clatter/elements/pair_slip.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// One bilateral condition. Either it holds a position, coordinate(q) = target(t), and with it the
/// rate; or only a velocity, slip(q, v) = rate(t). Both have a row G(q) with the rate G v and the
/// reaction G^T la, which is all that equations of motion and impulses need.
struct JointRow {
  std::variant<PairCoordinate, PairSlip> held;
  bool driven = false;  ///< the joint's motor gives the target or the rate
  double target = 0.0;  ///< of a coordinate without motor; the rate is zero
  double factor = 1.0;  ///< on a coordinate that is a term of a coupler
  /// The first term of a coupler, and the last. Others have both, being all of their row.
  bool begins = true, ends = true;

  /// Shares its row with coordinates of other pairs: what they all give adds up.
  bool is_term() const { return !begins || !ends; }
  bool holds_position() const { return std::holds_alternative<PairCoordinate>(held); }
  /// In metres or metres per second, not a cosine or an angle.
  bool is_length() const;
  /// As in PairCoordinate.
  bool acts_on(int group) const;
  bool couples(int group, int other) const;

  /// g := G(q)
  void row(const Configuration& q, Vec12& g) const;
  /// H(i, k) := derivative of entry i of the row with respect to variation k. For velocities v of
  /// the pair and a force la in the row: d(G v)/dq = v^T H, dG/dt v = v . H v, d(G^T la)/dq = la H.
  void row_derivative(const Configuration& q, Mat12& H) const;
};

/// A joint is the list of rows that its kind holds between two nodes.
///
/// A condition on more than two nodes, a coupler, is a row with several terms. Each of them is
/// listed as a joint of its own, with that one row and a coordinate of one pair of nodes; they
/// follow each other and have the same `first_row`, hence the same multiplier. Whoever adds up
/// rows, columns or reactions need not know; whoever needs the value of a row sets it where it
/// `begins`, adds to it, and has it where it `ends`.
class Joint {
 public:
  /// `spec` has its points already relative to the nodes (centres of mass). Rows that the nodes
  /// fulfil by being planar are left out.
  Joint(const JointSpec& spec, int a, int b, const std::vector<Node>& nodes,
        const Configuration& q0);
  /// One term of a coupler. `of`: the joint whose coordinate it is, which has one; `target`: what
  /// the sum of all terms is, given with one of them and zero with the others.
  Joint(const CouplerSpec& spec, std::size_t term, const Joint& of, double target);

  const std::string& name() const { return name_; }
  int a() const { return a_; }
  int b() const { return b_; }
  const Place& place() const { return place_; }
  /// "joint" or "coupler"
  const char* noun() const { return rows_.front().is_term() ? "coupler" : "joint"; }
  const std::vector<JointRow>& rows() const { return rows_; }
  int first_row = 0;  ///< in the order of all joints of a system

  /// What the motor wants at a time; zero without one.
  struct Drive {
    double value = 0.0, rate = 0.0;
  };
  /// `spacing` as in Expression::rate.
  Drive drive_at(double t, double spacing) const;

  /// coordinate - target; differences of angles within half a turn, but the terms of couplers with
  /// turns counted from `reached`. Zero for a row that holds no position.
  double misfit(const JointRow& row, const Drive& drive, const Configuration& q,
                double reached = 0.0) const;
  static double target(const JointRow& row, const Drive& drive) {
    return row.driven ? drive.value : row.target;
  }
  static double target_rate(const JointRow& row, const Drive& drive) {
    if (!row.driven) return 0.0;
    return row.holds_position() ? drive.rate : drive.value;
  }
  double target_acceleration(const JointRow& row, double t, double spacing) const;
  bool has_motor() const { return motor_.has_value(); }

  /// True when an axis that the joint holds parallel points the wrong way: half a turn off.
  bool is_reversed(const Configuration& q) const;

  /// The free coordinate (revolute: angle with turns counted, prismatic: displacement, distance).
  bool has_coordinate() const { return free_coordinate_.has_value(); }
  const std::optional<PairCoordinate>& free_coordinate() const { return free_coordinate_; }
  bool coordinate_is_angle() const { return free_coordinate_ && free_coordinate_->is_angle(); }
  /// `reached`: at the start of the step, which turns are counted from.
  double coordinate(const Configuration& q, double reached) const;
  /// At the start of a run: within half a turn of where the motor, or zero, is.
  double coordinate_at_start(const Configuration& q) const;

  /// Force and torque on b at the joint's point, in space axes, of a generalised force on b's node.
  void reaction(const Vec6& on_b, const Configuration& q, Vec3& force, Vec3& torque) const;

 private:
  void hold(const JointSpec& spec);
  void align(const JointSpec& spec);
  void set_coordinate(const JointSpec& spec, const Configuration& q0);
  void add_rolling(const JointSpec& spec, const Configuration& q0);
  void hold_turn(const JointSpec& spec, const std::vector<Node>& nodes, const Configuration& q0);

  std::string name_;
  int a_, b_;
  Vec3 point_b_;
  Place place_;
  std::vector<JointRow> rows_;
  std::vector<PairCoordinate> parallel_;  // cosines that are 1 when the joint fits
  std::optional<PairCoordinate> free_coordinate_;
  std::optional<Expression> motor_;
  double near_start_ = 0.0;  // that turns are counted from
};

}  // namespace clatter
