#include "joints/joint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

namespace clatter {
namespace {

constexpr double turn = 2.0 * std::numbers::pi;

/// True when no motion that the nodes can make changes the coordinate, as for the out-of-plane rows
/// of a revolute joint between planar bodies. Seen from the gradient at a few arbitrary
/// configurations.
bool never_changes(const PairCoordinate& coordinate, const std::vector<Node>& nodes,
                   const Configuration& q0) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  const double reach = 1.0 + (q0[coordinate.a()].x - q0[coordinate.b()].x).norm();
  Configuration q = q0;
  NodalVector move = NodalVector::Zero(6 * static_cast<Eigen::Index>(nodes.size()));
  for (int trial = 0; trial < 3; ++trial) {
    for (const int node : {coordinate.a(), coordinate.b()}) {
      for (int i = 0; i < 6; ++i) {
        if (nodes[node].has(i)) move[6 * node + i] = any(random) * (i < 3 ? reach : 1.0);
      }
    }
    retract(nodes, q0, move, q);
    Vec12 g;
    coordinate.gradient(q, g);
    for (int i = 0; i < 12; ++i) {
      const Node& node = nodes[i < 6 ? coordinate.a() : coordinate.b()];
      if (node.has(i % 6) && std::abs(g[i]) > 1e-12 * reach) return false;
    }
  }
  return true;
}

}  // namespace

std::string_view to_string(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::ball:
      return "ball";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::cylindrical:
      return "cylindrical";
    case JointKind::universal:
      return "universal";
    case JointKind::planar:
      return "planar";
    case JointKind::distance:
      return "distance";
  }
  return "";
}

Joint::Joint(const JointSpec& spec, int a, int b, const std::vector<Node>& nodes,
             const Configuration& q0)
    : name_(spec.name),
      a_(a),
      b_(b),
      point_b_(spec.b.point),
      place_(spec.place),
      motor_(spec.motor) {
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
  }
  if (motor_) {
    if (!free_coordinate_ || spec.kind == JointKind::cylindrical) {
      throw Error(place_, fmt::format("a {} joint cannot have a motor; revolute, prismatic and "
                                      "distance joints can",
                                      to_string(spec.kind)));
    }
    rows_.push_back({*free_coordinate_, true});
  }
  std::erase_if(rows_,
                [&](const JointRow& row) { return never_changes(row.coordinate, nodes, q0); });
  if (rows_.empty()) {
    throw Error(place_, fmt::format("joint '{}' holds nothing that its bodies could do", name_));
  }
  set_time(0.0, 1e-3);
  reached_ = motor_ ? motor_value_ : 0.0;
  reached_ = coordinate(q0);
}

void Joint::set_time(double t, double spacing) {
  if (!motor_) return;
  motor_value_ = (*motor_)(t);
  motor_rate_ = motor_->rate(t, spacing);
}

double Joint::target_acceleration(double t, double spacing) const {
  return motor_ ? motor_->second_rate(t, spacing) : 0.0;
}

double Joint::misfit(const JointRow& row, const Configuration& q) const {
  const double difference = row.coordinate.value(q) - target(row);
  return row.coordinate.is_angle() ? std::remainder(difference, turn) : difference;
}

bool Joint::is_reversed(const Configuration& q) const {
  return std::any_of(parallel_.begin(), parallel_.end(),
                     [&](const PairCoordinate& cosine) { return cosine.value(q) < 0.0; });
}

double Joint::coordinate(const Configuration& q) const {
  if (!free_coordinate_) return 0.0;
  const double value = free_coordinate_->value(q);
  if (!free_coordinate_->is_angle()) return value;
  return value + turn * std::round((reached_ - value) / turn);
}

void Joint::remember(const Configuration& q) { reached_ = coordinate(q); }

void Joint::reaction(const Vec6& on_b, const Configuration& q, Vec3& force, Vec3& torque) const {
  force = on_b.head<3>();
  torque = q[b_].R * on_b.tail<3>() - (q[b_].R * point_b_).cross(force);
}

}  // namespace clatter
