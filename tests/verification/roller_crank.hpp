#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include <clatter/math/types.hpp>

#include "support/dual.hpp"

// The roller-crank mechanism without contact, in minimal coordinates: a crank turns about the
// origin, a rod hangs on its end, and a roller turns freely on the end of the rod. Written without
// any part of clatter but its vector types: no multipliers, no hand-made variation of the beam.
//
// At the start the crank is upright, the rod straight with its far end at the height of the pivot,
// and its velocity the same everywhere, that of the end of the crank.

namespace clatter::roller_crank {

using Vec2 = Eigen::Vector2d;

struct Data {
  double gravity = 9.8;  ///< along -y
  double crank_length = 0.1, crank_mass = 0.12, crank_inertia = 0.002;
  double rod_length = 0.3;
  double roller_mass = 0.1, roller_inertia = 0.001;
  double crank_rate = 4.0, roller_rate = 8.0;  ///< at the start
  double onset = 0.0;  ///< [s] of weight, which grows as 1 - exp(-(t/onset)^4); 0: there at once
  // Moments are about centres of mass, at mid-length.

  double pivot_inertia() const {
    return crank_inertia + crank_mass * crank_length * crank_length / 4.0;
  }
  double weight_factor(double time) const {
    return onset > 0.0 ? 1.0 - std::exp(-std::pow(time / onset, 4)) : 1.0;
  }
  double crank_angle() const { return std::numbers::pi / 2.0; }
  double rod_angle() const { return -std::asin(crank_length / rod_length); }
};

/// What both variants tell of an instant.
struct Instant {
  double crank_angle, roller_angle;
  Vec2 rod_start, rod_middle, rod_end;          ///< the roller is at the end
  double rod_start_rotation, rod_end_rotation;  ///< the same when the rod is rigid
  double elastic_energy;
};

/// The rod is rigid: angles theta of the crank, phi of the rod, psi of the roller.
///   T = A theta'^2/2 + B phi'^2/2 + C cos(theta - phi) theta' phi' + I psi'^2/2
///   V = P sin theta + Q sin phi
/// Lagrange:
///   A theta'' + C cos(theta - phi) phi''   + C sin(theta - phi) phi'^2   + P cos theta = 0
///   B phi''   + C cos(theta - phi) theta'' - C sin(theta - phi) theta'^2 + Q cos phi   = 0
///   psi'' = 0
class RigidRod {
 public:
  using State = Eigen::Matrix<double, 6, 1>;  ///< theta, phi, psi and their rates

  RigidRod(const Data& data, double rod_mass, double rod_inertia) : data_(data) {
    const double a = data.crank_length, b = data.rod_length;
    A_ = data.pivot_inertia() + (rod_mass + data.roller_mass) * a * a;
    B_ = rod_inertia + (rod_mass / 4.0 + data.roller_mass) * b * b;
    C_ = (rod_mass / 2.0 + data.roller_mass) * a * b;
    P_ = data.gravity * (data.crank_mass / 2.0 + rod_mass + data.roller_mass) * a;
    Q_ = data.gravity * (rod_mass / 2.0 + data.roller_mass) * b;
  }

  State start() const {
    State y;
    y << data_.crank_angle(), data_.rod_angle(), 0.0, data_.crank_rate, 0.0, data_.roller_rate;
    return y;
  }

  State rate(double time, const State& y) const {
    const double weight = data_.weight_factor(time);
    const double theta = y[0], phi = y[1], thetad = y[3], phid = y[4];
    const double c = C_ * std::cos(theta - phi), s = C_ * std::sin(theta - phi);
    const double f = -s * phid * phid - weight * P_ * std::cos(theta);
    const double g = s * thetad * thetad - weight * Q_ * std::cos(phi);
    const double determinant = A_ * B_ - c * c;
    State rate;
    rate << y.tail<3>(), (B_ * f - c * g) / determinant, (A_ * g - c * f) / determinant, 0.0;
    return rate;
  }

  double kinetic_energy(const State& y) const {
    return 0.5 * A_ * y[3] * y[3] + 0.5 * B_ * y[4] * y[4] +
           C_ * std::cos(y[0] - y[1]) * y[3] * y[4] + 0.5 * data_.roller_inertia * y[5] * y[5];
  }
  double energy(const State& y) const {
    return kinetic_energy(y) + P_ * std::sin(y[0]) + Q_ * std::sin(y[1]);
  }

  Instant instant(const State& y) const {
    const Vec2 pin = data_.crank_length * Vec2(std::cos(y[0]), std::sin(y[0]));
    const Vec2 end = pin + data_.rod_length * Vec2(std::cos(y[1]), std::sin(y[1]));
    return {y[0], y[2], pin, 0.5 * (pin + end), end, y[1], y[1], 0.0};
  }

 private:
  Data data_;
  double A_, B_, C_, P_, Q_;
};

/// x cot x, for numbers and duals.
template <class Number>
Number x_cot_x(const Number& x) {
  using std::cos, std::sin;
  if (std::abs(testing::value_of(x)) > 0.1) return x * cos(x) / sin(x);
  // The first term left out is 2e-18 at 0.1.
  const Number z = x * x;
  return -1.0 *
         (z * (z * (z * (z * (2.0 / 93555.0 * z + 1.0 / 4725.0) + 2.0 / 945.0) + 1.0 / 45.0) +
               1.0 / 3.0) -
          1.0);
}

struct ElasticRod {
  double youngs_modulus = 4.14e9, poisson_ratio = 0.3, density = 7850.0;
  double area = 1.1323e-4, second_moment = 1.0685e-9, shear_factor = 5.0 / 6.0;
};

/// Strains of a planar beam element of which the ends are frames (x, y, angle): those of the helix
/// in SE(2), here an arc with constant stretch, shear and curvature, that takes one end to the
/// other. In axes of the first end it is x(s) = L integral_0^s R(s' psi) ds' (1 + g1, g2), so
///   (1 + g1, g2) L = A(psi) d,   A = inverse of integral_0^1 R(s psi) ds
///                                  = [ h cot h, h; -h, h cot h ],   h = psi/2
/// with psi the difference of the angles and d the vector between the ends.
template <class Number>
std::array<Number, 3> helix_strain(const std::array<Number, 6>& ends, double length) {
  using std::cos, std::sin;
  const auto& [xa, ya, angle_a, xb, yb, angle_b] = ends;
  const Number c = cos(angle_a), s = sin(angle_a), dx = xb - xa, dy = yb - ya;
  const Number d1 = c * dx + s * dy, d2 = c * dy - s * dx;
  const Number half = 0.5 * (angle_b - angle_a), diagonal = x_cot_x(half);
  return {1.0 / length * (diagonal * d1 + half * d2) - 1.0,
          1.0 / length * (diagonal * d2 - half * d1), 2.0 / length * half};
}

/// The rod is a chain of eight beam elements; the frame of its first node sits on the end of the
/// crank. Coordinates: theta and psi as before, angles phi_0 ... phi_8 of the nodes, and the places
/// x_1 ... x_8, y_1 ... y_8. Mass is consistent with linear interpolation of the velocities of the
/// nodes along an element: m/3 on the diagonal, m/6 beside it, and likewise for the angular rates.
///
/// With e(theta) the direction of the crank, n across it, and a its length, node 0 has the
/// acceleration a theta'' n - a theta'^2 e. Eliminating the places from Lagrange's equations
///   K x'' + k x_0'' = f,   J theta'' + a n.(M_00 x_0'' + k.x'' - f_0) = -m g a/2 cos theta
/// (K: mass of nodes 1 to 8, k: its coupling with node 0, f: forces) leaves
///   (J + a^2 (M_00 - k.K^-1 k)) theta'' = -m g a/2 cos theta + a n.(f_0 - k.K^-1 f)
/// since n.e = 0: a constant mass, although theta enters the kinetic energy.
class FlexibleRod {
 public:
  static constexpr int elements = 8, nodes = elements + 1;
  static constexpr int size = 2 + nodes + 2 * elements;  ///< of the coordinates
  using Coordinates = Eigen::Matrix<double, size, 1>;
  using State = Eigen::Matrix<double, 2 * size, 1>;  ///< coordinates and their rates

  FlexibleRod(const Data& data, const ElasticRod& rod) : data_(data) {
    element_length_ = data.rod_length / elements;
    const double shear_modulus = rod.youngs_modulus / (2.0 * (1.0 + rod.poisson_ratio));
    stiffness_ = {rod.youngs_modulus * rod.area, rod.shear_factor * shear_modulus * rod.area,
                  rod.youngs_modulus * rod.second_moment};
    const NodalMatrix pattern = consistent_pattern();
    mass_ = rod.density * rod.area * element_length_ * pattern;
    node_weight_ = data.gravity * mass_.rowwise().sum();
    mass_(elements, elements) += data.roller_mass;
    node_weight_[elements] += data.gravity * data.roller_mass;
    rotary_mass_ = rod.density * rod.second_moment * element_length_ * pattern;
    inverse_rotary_mass_ = rotary_mass_.inverse();
    inverse_mass_ = mass_.bottomRightCorner<elements, elements>().inverse();
    coupling_ = mass_.col(0).tail<elements>();
    const double a = data.crank_length;
    crank_mass_ =
        data.pivot_inertia() + a * a * (mass_(0, 0) - coupling_.dot(inverse_mass_ * coupling_));
  }

  State start() const {
    State y = State::Zero();
    const double angle = data_.rod_angle();
    y[0] = data_.crank_angle();
    y.segment<nodes>(2).setConstant(angle);
    for (int i = 1; i < nodes; ++i) {
      y[x_of(i)] = i * element_length_ * std::cos(angle);
      y[y_of(i)] = data_.crank_length + i * element_length_ * std::sin(angle);
      y[size + x_of(i)] = -data_.crank_length * data_.crank_rate;
    }
    y[size] = data_.crank_rate;
    y[size + 1] = data_.roller_rate;
    return y;
  }

  State rate(double time, const State& y) const {
    const double weight = data_.weight_factor(time);
    const auto [place_x, place_y] = places(y);
    NodalVector force_x = NodalVector::Zero(), force_y = -weight * node_weight_;
    NodalVector moment = NodalVector::Zero();
    for (int i = 0; i < elements; ++i) {
      const Dual6 elastic =
          element_energy<Dual6>({Dual6::variable(place_x[i], 0), Dual6::variable(place_y[i], 1),
                                 Dual6::variable(y[2 + i], 2), Dual6::variable(place_x[i + 1], 3),
                                 Dual6::variable(place_y[i + 1], 4), Dual6::variable(y[3 + i], 5)});
      for (int end = 0; end < 2; ++end) {
        force_x[i + end] -= elastic.gradient[3 * end];
        force_y[i + end] -= elastic.gradient[3 * end + 1];
        moment[i + end] -= elastic.gradient[3 * end + 2];
      }
    }

    const double a = data_.crank_length, c = std::cos(y[0]), s = std::sin(y[0]);
    FreeVector free_x = inverse_mass_ * force_x.tail<elements>();
    FreeVector free_y = inverse_mass_ * force_y.tail<elements>();
    const double across =
        c * (force_y[0] - coupling_.dot(free_y)) - s * (force_x[0] - coupling_.dot(free_x));
    const double turn =
        (a * across - weight * 0.5 * data_.crank_mass * data_.gravity * a * c) / crank_mass_;
    const double spin = y[size] * y[size];
    free_x -= inverse_mass_ * coupling_ * (a * (-turn * s - spin * c));
    free_y -= inverse_mass_ * coupling_ * (a * (turn * c - spin * s));

    State rate;
    rate << y.tail<size>(), turn, 0.0, inverse_rotary_mass_ * moment, free_x, free_y;
    return rate;
  }

  double kinetic_energy(const State& y) const {
    const double a = data_.crank_length, turn = y[size];
    NodalVector vx, vy;
    vx << -a * std::sin(y[0]) * turn, y.segment<elements>(size + x_of(1));
    vy << a * std::cos(y[0]) * turn, y.segment<elements>(size + y_of(1));
    const NodalVector spin = y.segment<nodes>(size + 2);
    return 0.5 * (data_.pivot_inertia() * turn * turn + vx.dot(mass_ * vx) + vy.dot(mass_ * vy) +
                  spin.dot(rotary_mass_ * spin) + data_.roller_inertia * y[size + 1] * y[size + 1]);
  }
  double elastic_energy(const State& y) const {
    const auto [place_x, place_y] = places(y);
    double sum = 0.0;
    for (int i = 0; i < elements; ++i) {
      sum += element_energy<double>(
          {place_x[i], place_y[i], y[2 + i], place_x[i + 1], place_y[i + 1], y[3 + i]});
    }
    return sum;
  }
  double energy(const State& y) const {
    const auto [place_x, place_y] = places(y);
    return kinetic_energy(y) + elastic_energy(y) + node_weight_.dot(place_y) +
           0.5 * data_.crank_mass * data_.gravity * data_.crank_length * std::sin(y[0]);
  }

  Instant instant(const State& y) const {
    const auto [place_x, place_y] = places(y);
    return {y[0],
            y[1],
            {place_x[0], place_y[0]},
            {place_x[elements / 2], place_y[elements / 2]},
            {place_x[elements], place_y[elements]},
            y[2],
            y[2 + elements],
            elastic_energy(y)};
  }

 private:
  using Dual6 = testing::Dual<6>;
  using NodalVector = Eigen::Matrix<double, nodes, 1>;
  using NodalMatrix = Eigen::Matrix<double, nodes, nodes>;
  using FreeVector = Eigen::Matrix<double, elements, 1>;
  using FreeMatrix = Eigen::Matrix<double, elements, elements>;

  static constexpr int x_of(int node) { return 1 + nodes + node; }
  static constexpr int y_of(int node) { return 1 + nodes + elements + node; }

  static NodalMatrix consistent_pattern() {
    NodalMatrix pattern = NodalMatrix::Zero();
    for (int i = 0; i < elements; ++i) {
      pattern(i, i) += 1.0 / 3.0;
      pattern(i + 1, i + 1) += 1.0 / 3.0;
      pattern(i, i + 1) = pattern(i + 1, i) = 1.0 / 6.0;
    }
    return pattern;
  }

  std::array<NodalVector, 2> places(const State& y) const {
    std::array<NodalVector, 2> place;
    place[0] << data_.crank_length * std::cos(y[0]), y.segment<elements>(x_of(1));
    place[1] << data_.crank_length * std::sin(y[0]), y.segment<elements>(y_of(1));
    return place;
  }

  template <class Number>
  Number element_energy(const std::array<Number, 6>& ends) const {
    const std::array<Number, 3> strain = helix_strain(ends, element_length_);
    return 0.5 * element_length_ *
           (stiffness_[0] * strain[0] * strain[0] + stiffness_[1] * strain[1] * strain[1] +
            stiffness_[2] * strain[2] * strain[2]);
  }

  Data data_;
  double element_length_ = 0.0;
  std::array<double, 3> stiffness_{};  ///< EA, k GA, EI
  NodalMatrix mass_, rotary_mass_, inverse_rotary_mass_;
  NodalVector node_weight_;
  FreeMatrix inverse_mass_;
  FreeVector coupling_;
  double crank_mass_ = 0.0;  ///< [kg m^2] what resists theta''
};

}  // namespace clatter::roller_crank
