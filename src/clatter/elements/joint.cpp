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
  const auto* coordinate = std::get_if<PairCoordinate>(&held);
  return coordinate == nullptr || coordinate->is_length();
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
  enum Axis { x, y, z };
  const auto along = [&](Axis axis) {
    return PairCoordinate::along(a, spec.a.point, spec.axes_a.col(axis), b, spec.b.point);
  };
  const auto angle_about_z = [&] {
    return PairCoordinate::angle(a, spec.axes_a.col(x), spec.axes_a.col(y), b, spec.axes_b.col(x));
  };
  const auto hold = [&](std::initializer_list<Axis> axes) {
    for (const Axis axis : axes) rows_.push_back({along(axis)});
  };
  const auto perpendicular = [&](Axis of_a, Axis of_b) {
    rows_.push_back({PairCoordinate::cosine(a, spec.axes_a.col(of_a), b, spec.axes_b.col(of_b))});
  };
  const auto parallel = [&](Axis axis) {
    parallel_.push_back(PairCoordinate::cosine(a, spec.axes_a.col(axis), b, spec.axes_b.col(axis)));
  };
  const auto same_z = [&] {
    parallel(z);
    perpendicular(x, z);
    perpendicular(y, z);
  };
  const auto same_axes = [&] {
    parallel(x);
    parallel(z);
    perpendicular(x, y);
    perpendicular(y, z);
    perpendicular(z, x);
  };

  switch (spec.kind) {
    case JointKind::fixed:
      hold({x, y, z});
      same_axes();
      break;
    case JointKind::ball:
      hold({x, y, z});
      break;
    case JointKind::revolute:
      hold({x, y, z});
      same_z();
      free_coordinate_ = angle_about_z();
      break;
    case JointKind::prismatic:
      hold({x, y});
      same_axes();
      free_coordinate_ = along(z);
      break;
    case JointKind::cylindrical:
      hold({x, y});
      same_z();
      free_coordinate_ = along(z);
      break;
    case JointKind::universal:
      hold({x, y, z});
      perpendicular(z, x);
      break;
    case JointKind::planar:
      hold({z});
      same_z();
      break;
    case JointKind::distance: {
      const PairCoordinate distance = PairCoordinate::distance(a, spec.a.point, b, spec.b.point);
      const double start = distance.value(q0);
      if (start == 0.0) {
        throw Error(place_,
                    fmt::format("the two points of distance joint '{}' coincide at the start; "
                                "use a ball joint",
                                name_));
      }
      free_coordinate_ = distance;
      if (!motor_) rows_.push_back({distance, false, spec.length.value_or(start)});
      break;
    }
    case JointKind::skate:
      rows_.push_back(
          {PairSlip::of_point(a, b, spec.b.point, spec.axes_b.col(z)), motor_.has_value()});
      break;
    case JointKind::rolling:
      add_rolling(spec, q0);
      break;
  }
  if (motor_ && spec.kind != JointKind::skate) {
    if (!free_coordinate_ || spec.kind == JointKind::cylindrical) {
      throw Error(place_, fmt::format("a {} joint cannot have a motor; revolute, prismatic, "
                                      "distance and skate joints can",
                                      to_string(spec.kind)));
    }
    rows_.push_back({*free_coordinate_, true});
  }
  std::erase_if(rows_, [&](const JointRow& row) { return never_moves(row, a, b, nodes, q0); });
  if (rows_.empty()) {
    throw Error(place_, fmt::format("joint '{}' holds nothing that its bodies could do", name_));
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
  if (!free_coordinate_) {
    throw Error(place_, fmt::format("joint '{}' has no coordinate that coupler '{}' could hold; "
                                    "revolute, prismatic, cylindrical and distance joints have",
                                    of.name_, name_));
  }
  JointRow row{*free_coordinate_};
  row.factor = spec.ratios[term];
  row.target = target;
  row.begins = term == 0;
  row.ends = term + 1 == spec.joints.size();
  rows_.push_back(row);
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
  if (!free_coordinate_) return 0.0;
  const double value = free_coordinate_->value(q);
  if (!free_coordinate_->is_angle()) return value;
  return value + turn * std::round((reached - value) / turn);
}

double Joint::coordinate_at_start(const Configuration& q) const {
  return coordinate(q, near_start_);
}

void Joint::reaction(const Vec6& on_b, const Configuration& q, Vec3& force, Vec3& torque) const {
  force = on_b.head<3>();
  torque = q[b_].R * on_b.tail<3>() - (q[b_].R * point_b_).cross(force);
}

}  // namespace clatter
