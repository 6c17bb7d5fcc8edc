#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>

namespace clatter::testing {

/// Rigid bodies in space that touch each other and the ground, reduced to their contacts:
/// W = H M^-1 H^T and b = H v, with v the velocities at the end of a step without reactions.
class TouchingBodies {
 public:
  /// Returns the number of the body; -1 is the ground. Moments of inertia about its axes, which
  /// are those of space.
  int add_body(double mass, const Vec3& inertia, const Vec3& centre, const Vec3& velocity) {
    bodies_.push_back({mass, inertia, centre});
    Vec6 v = Vec6::Zero();
    v.head<3>() = velocity;
    velocities_.push_back(v);
    return static_cast<int>(bodies_.size()) - 1;
  }
  int add_box(double mass, const Vec3& size, const Vec3& centre, const Vec3& velocity) {
    const Vec3 square = size.cwiseAbs2();
    return add_body(
        mass,
        mass / 12.0 *
            Vec3(square.y() + square.z(), square.x() + square.z(), square.x() + square.y()),
        centre, velocity);
  }
  int add_ball(double mass, double radius, const Vec3& centre, const Vec3& velocity) {
    return add_body(mass, Vec3::Constant(0.4 * mass * radius * radius), centre, velocity);
  }

  /// Body b touches body a at a point; the normal leads from a to b. Coefficients of sliding,
  /// rolling and drilling; the last two only if they are positive, none at all if mu is negative.
  void touch(int a, int b, const Vec3& point, const Vec3& normal, double mu, double rolling = 0.0,
             double drilling = 0.0) {
    const Vec3 N = normal.normalized();
    const Vec3 T1 = N.cross(std::abs(N.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY()).normalized();
    const Vec3 T2 = N.cross(T1);
    const auto first = static_cast<int>(rows_.size());
    CondensedContact contact{first, 1};
    const auto add_ball_of = [&](std::vector<Vec3> directions, bool angular, double coefficient) {
      contact.law.balls[static_cast<std::size_t>(contact.law.ball_count++)] = {
          contact.rows, static_cast<int>(directions.size()), coefficient};
      contact.rows += static_cast<int>(directions.size());
      for (const Vec3& direction : directions) add_row(a, b, point, direction, angular);
    };
    add_row(a, b, point, N, false);
    if (mu >= 0.0) add_ball_of({T1, T2}, false, mu);
    if (rolling > 0.0) add_ball_of({T1, T2}, true, rolling);
    if (drilling > 0.0) add_ball_of({N}, true, drilling);
    contacts_.push_back(contact);
  }

  ContactProblem problem() const {
    const auto n = static_cast<Eigen::Index>(rows_.size());
    MatX W = MatX::Zero(n, n);
    ContactProblem problem;
    problem.b.setZero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (const auto& [body, row] : rows_[static_cast<std::size_t>(i)]) {
        problem.b[i] += row.dot(velocities_[static_cast<std::size_t>(body)]);
        for (Eigen::Index j = 0; j < n; ++j) {
          for (const auto& [other, row_j] : rows_[static_cast<std::size_t>(j)]) {
            if (other == body) W(i, j) += row.dot(inverse_mass(body).cwiseProduct(row_j));
          }
        }
      }
    }
    problem.W = W.sparseView(1.0, 1e-14);
    problem.W.makeCompressed();
    problem.contacts = contacts_;
    return problem;
  }

  /// Of a body under the reactions.
  Vec6 velocity_after(int body, const VecX& r) const {
    Vec6 v = velocities_[static_cast<std::size_t>(body)];
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const auto& [other, row] : rows_[i]) {
        if (other == body) {
          v += inverse_mass(body).cwiseProduct(row) * r[static_cast<Eigen::Index>(i)];
        }
      }
    }
    return v;
  }
  double kinetic_energy(const VecX& r) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const Vec6 v = velocity_after(static_cast<int>(k), r);
      sum += 0.5 * v.dot(v.cwiseQuotient(inverse_mass(static_cast<int>(k))));
    }
    return sum;
  }

 private:
  struct Body {
    double mass;
    Vec3 inertia, centre;
  };
  struct Part {
    int body;
    Vec6 row;
  };

  Vec6 inverse_mass(int body) const {
    const Body& of = bodies_[static_cast<std::size_t>(body)];
    Vec6 inverse;
    inverse << Vec3::Constant(1.0 / of.mass), of.inertia.cwiseInverse();
    return inverse;
  }
  void add_row(int a, int b, const Vec3& point, const Vec3& direction, bool angular) {
    std::vector<Part> parts;
    for (const auto& [body, sign] : {std::pair(a, -1.0), std::pair(b, 1.0)}) {
      if (body < 0) continue;
      const Vec3 arm = point - bodies_[static_cast<std::size_t>(body)].centre;
      Vec6 row;
      if (angular) {
        row << Vec3::Zero(), sign * direction;
      } else {
        row << sign * direction, sign * arm.cross(direction);
      }
      parts.push_back({body, row});
    }
    rows_.push_back(parts);
  }

  std::vector<Body> bodies_;
  std::vector<Vec6> velocities_;
  std::vector<std::vector<Part>> rows_;
  std::vector<CondensedContact> contacts_;
};

struct NamedProblem {
  std::string name;
  ContactProblem problem;
};

constexpr double step_gravity = 9.81e-3;  ///< velocity that gravity gives in a step [m/s]

/// A box on the ground with side x side points below it, sliding at `speed`.
inline TouchingBodies box_on_plane(int side, double mu, double speed) {
  TouchingBodies bodies;
  const int box = bodies.add_box(2.0, {0.4, 0.3, 0.2}, {0.0, 0.0, 0.1},
                                 {0.6 * speed, 0.8 * speed, -step_gravity});
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const double x = -0.2 + 0.4 * i / (side - 1), y = -0.15 + 0.3 * j / (side - 1);
      bodies.touch(-1, box, {x, y, 0.0}, Vec3::UnitZ(), mu);
    }
  }
  return bodies;
}

/// Boxes on top of each other, each with the four corners of its bottom on the one below.
inline TouchingBodies stack_of_boxes(int count, double mu, double speed_of_lowest) {
  TouchingBodies bodies;
  for (int k = 0; k < count; ++k) {
    const double height = 0.2 * k;
    const int box = bodies.add_box(1.0 + k, {0.4, 0.3, 0.2}, {0.0, 0.0, height + 0.1},
                                   {k == 0 ? speed_of_lowest : 0.0, 0.0, -step_gravity});
    for (const double x : {-0.2, 0.2}) {
      for (const double y : {-0.15, 0.15}) {
        bodies.touch(box - 1, box, {x, y, height}, Vec3::UnitZ(), mu);
      }
    }
  }
  return bodies;
}

/// A heap of equal balls in a corner, with neighbours that approach each other at random.
inline TouchingBodies heap_of_balls(unsigned seed, int side, double mu, double rolling = 0.0,
                                    double drilling = 0.0) {
  TouchingBodies bodies;
  std::mt19937 generator(seed);
  // Not std::uniform_real_distribution: its numbers differ from library to library.
  const auto random = [&] { return static_cast<double>(generator()) / 4294967296.0 * 2.0 - 1.0; };
  const double radius = 0.05;
  const auto number = [&](int i, int j, int k) { return (k * side + j) * side + i; };
  for (int k = 0; k < side; ++k) {
    for (int j = 0; j < side; ++j) {
      for (int i = 0; i < side; ++i) {
        const Vec3 velocity(0.1 * random(), 0.1 * random(), 0.1 * random() - step_gravity);
        bodies.add_ball(0.5 + 0.4 * random(), radius,
                        radius * Vec3(2 * i + 1, 2 * j + 1, 2 * k + 1), velocity);
      }
    }
  }
  for (int k = 0; k < side; ++k) {
    for (int j = 0; j < side; ++j) {
      for (int i = 0; i < side; ++i) {
        const Vec3 centre = radius * Vec3(2 * i + 1, 2 * j + 1, 2 * k + 1);
        const std::array<int, 3> at = {i, j, k};
        for (int axis = 0; axis < 3; ++axis) {
          const Vec3 normal = Vec3::Unit(axis);
          std::array<int, 3> below = at;
          --below[static_cast<std::size_t>(axis)];
          const int other =
              at[static_cast<std::size_t>(axis)] == 0 ? -1 : number(below[0], below[1], below[2]);
          bodies.touch(other, number(i, j, k), centre - radius * normal, normal, mu, rolling,
                       drilling);
        }
      }
    }
  }
  return bodies;
}

/// A box in a wedge of two planes, each at `angle` to the vertical, two points on either.
inline TouchingBodies box_in_wedge(double mu, double angle) {
  TouchingBodies bodies;
  const int box = bodies.add_box(1.0, {0.2, 0.2, 0.2}, {0.0, 0.0, 0.3}, {0.0, 0.0, -step_gravity});
  for (const double side : {-1.0, 1.0}) {
    for (const double y : {-0.1, 0.1}) {
      bodies.touch(-1, box, {0.1 * side, y, 0.25},
                   Vec3(-side * std::cos(angle), 0.0, std::sin(angle)), mu);
    }
  }
  return bodies;
}

inline std::vector<NamedProblem> contact_problems() {
  std::vector<NamedProblem> list;
  const auto add = [&](std::string name, const TouchingBodies& bodies) {
    list.push_back({std::move(name), bodies.problem()});
  };
  add("box_at_rest_on_4_points", box_on_plane(2, 0.5, 0.0));
  add("box_slides_on_4_points", box_on_plane(2, 0.3, 1.0));
  add("box_at_rest_on_9_points", box_on_plane(3, 0.5, 0.0));
  add("box_slides_on_9_points", box_on_plane(3, 0.1, 0.2));
  add("box_stops_on_100_points", box_on_plane(10, 0.5, 0.004));
  add("smooth_box_on_4_points", box_on_plane(2, 0.0, 0.1));
  add("stack_at_rest", stack_of_boxes(5, 0.4, 0.0));
  add("stack_with_pushed_foot", stack_of_boxes(4, 0.2, 0.01));
  add("box_sticks_in_wedge", box_in_wedge(0.6, 0.3));
  add("box_slides_into_wedge", box_in_wedge(0.1, 0.3));
  add("balls_in_corner", heap_of_balls(1, 3, 0.3));
  add("rolling_balls_in_corner", heap_of_balls(2, 2, 0.3, 0.005));
  add("rolling_and_drilling_balls", heap_of_balls(3, 2, 0.4, 0.004, 0.002));
  add("frictionless_balls", heap_of_balls(4, 3, -1.0));
  return list;
}

}  // namespace clatter::testing
