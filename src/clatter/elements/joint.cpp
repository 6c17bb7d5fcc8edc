#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include <clatter/elements/joint.hpp>

namespace clatter {
namespace {

constexpr double turn = 2.0 * std::numbers::pi;
// Sine of the angle between the axle of a disc and the normal, below which the disc counts as flat.
constexpr double flattest = 1e-6;

/// True when no motion that the nodes can make has a rate in the row, as for the out-of-plane rows
/// of a revolute joint between planar bodies. Seen from the row at a few arbitrary configurations.
bool never_moves(const JointRow& row, int a, int b, const std::vector<Node>& nodes,
                 const Configuration& q0) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  const double reach = 1.0 + (q0[a].x - q0[b].x).norm();
  Configuration q = q0;
  NodalVector move = NodalVector::Zero(6 * static_cast<Eigen::Index>(nodes.size()));
  for (int trial = 0; trial < 3; ++trial) {
    for (const int node : {a, b}) {
      for (int i = 0; i < 6; ++i) {
        if (nodes[node].has(i)) move[6 * node + i] = any(random) * (i < 3 ? reach : 1.0);
      }
    }
    retract(nodes, q0, move, q);
    Vec12 g;
    row.row(q, g);
    for (int i = 0; i < 12; ++i) {
      const Node& node = nodes[i < 6 ? a : b];
      if (node.has(i % 6) && std::abs(g[i]) > 1e-12 * reach) return false;
    }
  }
  return true;
}

}  // namespace

bool JointRow::is_length() const {
  if (const auto* slip = std::get_if<PairSlip>(&held)) return !slip->is_turn();
  return std::get_if<PairCoordinate>(&held)->is_length();
}

bool JointRow::acts_on(int group) const {
  const auto* coordinate = std::get_if<PairCoordinate>(&held);
  return coordinate == nullptr || coordinate->acts_on(group);
}

bool JointRow::couples(int group, int other) const {
  return std::visit([&](const auto& what) { return what.couples(group, other); }, held);
}

void JointRow::row(const Configuration& q, Vec12& g) const {
  if (const auto* coordinate = std::get_if<PairCoordinate>(&held)) {
    coordinate->gradient(q, g);
    if (is_term()) g *= factor;
  } else {
    std::get_if<PairSlip>(&held)->row(q, g);
  }
}

void JointRow::row_derivative(const Configuration& q, Mat12& H) const {
  if (const auto* coordinate = std::get_if<PairCoordinate>(&held)) {
    coordinate->hessian(q, H);
    if (is_term()) H *= factor;
  } else {
    std::get_if<PairSlip>(&held)->row_derivative(q, H);
  }
}

Joint::Joint(const JointSpec& spec, int a, int b, const std::vector<Node>& nodes,
             const Configuration& q0)
    : name_(spec.name),
      a_(a),
      b_(b),
      point_b_(spec.b.point),
      place_(spec.place),
      motor_(spec.motor),
      near_start_(motor_ ? (*motor_)(0.0) : 0.0) {
  const JointTraits& kind = traits_of(spec.kind);
  hold(spec);
  align(spec);
  set_coordinate(spec, q0);
  if (spec.kind == JointKind::distance && !motor_) {
    rows_.push_back({*free_coordinate_, false, spec.length.value_or(free_coordinate_->value(q0))});
  } else if (spec.kind == JointKind::skate) {
    rows_.push_back(
        {PairSlip::of_point(a, b, spec.b.point, spec.axes_b.col(2)), motor_.has_value()});
  } else if (spec.kind == JointKind::rolling) {
    add_rolling(spec, q0);
  } else if (spec.kind == JointKind::hold_turn) {
    hold_turn(spec, nodes, q0);
  }
  if (motor_ && !kind.has_motor) {
    throw Error(place_, fmt::format("a {} joint cannot have a motor; {} joints can", kind.name,
                                    names_of_joints(can_be_driven, "", "and")));
  }
  if (motor_ && free_coordinate_) rows_.push_back({*free_coordinate_, true});
  std::erase_if(rows_, [&](const JointRow& row) { return never_moves(row, a, b, nodes, q0); });
  if (rows_.empty()) {
    throw Error(place_, fmt::format("joint '{}' holds nothing that its bodies could do", name_));
  }
}

/// The two points together, along the axes of a that the kind holds.
void Joint::hold(const JointSpec& spec) {
  if (spec.kind == JointKind::hold && motor_) return;  // which says where along the axis
  for (const char axis : traits_of(spec.kind).held) {
    rows_.push_back(
        {PairCoordinate::along(a_, spec.a.point, spec.axes_a.col(axis - 'x'), b_, spec.b.point)});
  }
}

void Joint::align(const JointSpec& spec) {
  enum Axis { x, y, z };
  const auto cosine = [&](Axis of_a, Axis of_b) {
    return PairCoordinate::cosine(a_, spec.axes_a.col(of_a), b_, spec.axes_b.col(of_b));
  };
  switch (traits_of(spec.kind).aligned) {
    case Alignment::none:
      return;
    case Alignment::z:
      parallel_ = {cosine(z, z)};
      rows_.insert(rows_.end(), {{cosine(x, z)}, {cosine(y, z)}});
      return;
    case Alignment::all:
      parallel_ = {cosine(x, x), cosine(z, z)};
      rows_.insert(rows_.end(), {{cosine(x, y)}, {cosine(y, z)}, {cosine(z, x)}});
      return;
    case Alignment::crossed:
      rows_.push_back({cosine(z, x)});
      return;
  }
}

void Joint::set_coordinate(const JointSpec& spec, const Configuration& q0) {
  switch (traits_of(spec.kind).coordinate) {
    case JointCoordinate::none:
      return;
    case JointCoordinate::angle:
      free_coordinate_ =
          PairCoordinate::angle(a_, spec.axes_a.col(0), spec.axes_a.col(1), b_, spec.axes_b.col(0));
      return;
    case JointCoordinate::displacement:
      free_coordinate_ =
          PairCoordinate::along(a_, spec.a.point, spec.axes_a.col(2), b_, spec.b.point);
      return;
    case JointCoordinate::distance:
      free_coordinate_ = PairCoordinate::distance(a_, spec.a.point, b_, spec.b.point);
      if (free_coordinate_->value(q0) > 0.0) return;
      throw Error(place_, fmt::format("the two points of distance joint '{}' coincide at the "
                                      "start; use a ball joint",
                                      name_));
  }
}

Joint::Joint(const CouplerSpec& spec, std::size_t term, const Joint& of, double target)
    : name_(spec.name),
      a_(of.a_),
      b_(of.b_),
      point_b_(of.point_b_),
      place_(spec.place),
      free_coordinate_(of.free_coordinate_),
      near_start_(of.near_start_) {
  JointRow row{*free_coordinate_};
  row.factor = spec.ratios[term];
  row.target = target;
  row.begins = term == 0;
  row.ends = term + 1 == spec.joints.size();
  rows_.push_back(row);
}

/// In the plane the angle is held; in space turns about an axis have no coordinate.
void Joint::hold_turn(const JointSpec& spec, const std::vector<Node>& nodes,
                      const Configuration& q0) {
  const bool is_planar = !nodes[a_].has(3) && !nodes[b_].has(3);
  if (is_planar && !motor_) {
    const PairCoordinate angle =
        PairCoordinate::angle(a_, spec.axes_a.col(0), spec.axes_a.col(1), b_, spec.axes_b.col(0));
    rows_.push_back({angle, false, angle.value(q0)});
  } else {
    rows_.push_back({PairSlip::of_turn(a_, b_, spec.axes_a.col(2)), motor_.has_value()});
  }
}

/// Touches the plane, and does not slip on it.
void Joint::add_rolling(const JointSpec& spec, const Configuration& q0) {
  const Vec3 normal = spec.axes_a.col(2), axle = spec.axes_b.col(2);
  if (spec.is_disc) {
    const double sine = (q0[a_].R * normal).cross(q0[b_].R * axle).norm();
    if (sine < flattest) {
      throw Error(place_, fmt::format("the disc of rolling joint '{}' lies flat on its plane at "
                                      "the start, so that no point of it is the lowest",
                                      name_));
    }
    rows_.push_back(
        {PairCoordinate::rim(a_, spec.a.point, normal, b_, spec.b.point, axle, spec.radius)});
  } else {
    rows_.push_back(
        {PairCoordinate::along(a_, spec.a.point, normal, b_, spec.b.point), false, spec.radius});
  }
  for (const int i : {0, 1}) {
    const Vec3 direction = spec.axes_a.col(i);
    rows_.push_back(
        {spec.is_disc
             ? PairSlip::of_disc(a_, normal, direction, b_, spec.b.point, axle, spec.radius)
             : PairSlip::of_sphere(a_, normal, direction, b_, spec.b.point, spec.radius)});
  }
}

Joint::Drive Joint::drive_at(double t, double spacing) const {
  if (!motor_) return {};
  return {(*motor_)(t), motor_->rate(t, spacing)};
}

double Joint::target_acceleration(const JointRow& row, double t, double spacing) const {
  if (!row.driven) return 0.0;
  return row.holds_position() ? motor_->second_rate(t, spacing) : motor_->rate(t, spacing);
}

double Joint::misfit(const JointRow& row, const Drive& drive, const Configuration& q,
                     double reached) const {
  const auto* held = std::get_if<PairCoordinate>(&row.held);
  if (held == nullptr) return 0.0;
  if (row.is_term()) return row.factor * coordinate(q, reached) - row.target;
  const double difference = held->value(q) - target(row, drive);
  return held->is_angle() ? std::remainder(difference, turn) : difference;
}

bool Joint::is_reversed(const Configuration& q) const {
  return std::any_of(parallel_.begin(), parallel_.end(),
                     [&](const PairCoordinate& cosine) { return cosine.value(q) < 0.0; });
}

double Joint::coordinate(const Configuration& q, double reached) const {
  return free_coordinate_ ? free_coordinate_->value_near(q, reached) : 0.0;
}

double Joint::coordinate_at_start(const Configuration& q) const {
  return coordinate(q, near_start_);
}

void Joint::reaction(const Vec6& on_b, const Configuration& q, Vec3& force, Vec3& torque) const {
  force = on_b.head<3>();
  torque = q[b_].R * on_b.tail<3>() - (q[b_].R * point_b_).cross(force);
}

}  // namespace clatter
