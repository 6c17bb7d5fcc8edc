#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/machine/solid_search.hpp>

#include "support/dice.hpp"
#include "support/random_cases.hpp"

namespace clatter {
namespace {

using std::numbers::pi;
using testing::Dice;

/// A core with a radius all around, in its own axes, told apart from the library: its text in a
/// model file, and how far a point outside is from the core.
struct Partner {
  std::string text;
  double radius;
  std::function<double(const Vec3&)> distance;
};

enum class Kind { sphere, capsule, box, hull, cylinder, cone, ellipsoid, ring };
constexpr std::array kinds{Kind::sphere,   Kind::capsule, Kind::box,       Kind::hull,
                           Kind::cylinder, Kind::cone,    Kind::ellipsoid, Kind::ring};
constexpr std::array names{"sphere",   "capsule", "box",       "hull",
                           "cylinder", "cone",    "ellipsoid", "ring"};

double distance_from_segment(const Vec3& x, const Vec3& from, const Vec3& to) {
  const Vec3 along = to - from;
  const double share = std::clamp(along.dot(x - from) / along.squaredNorm(), 0.0, 1.0);
  return (x - from - share * along).norm();
}

double distance_from_triangle(const Vec3& x, const std::array<Vec3, 3>& corners) {
  const auto& [a, b, c] = corners;
  const Vec3 normal = (b - a).cross(c - a).normalized();
  bool is_over = true;
  double least = INFINITY;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 &from = corners[i], &to = corners[(i + 1) % 3];
    least = std::min(least, distance_from_segment(x, from, to));
    is_over = is_over && normal.cross(to - from).dot(x - from) >= 0.0;
  }
  return is_over ? std::abs(normal.dot(x - a)) : least;
}

/// s with sum (axes_i x_i / (axes_i^2 + s))^2 = 1, by halving: the nearest point is axes_i^2 x_i /
/// (axes_i^2 + s).
double distance_from_ellipsoid(const Vec3& x, const Vec3& axes) {
  const auto excess = [&](double s) {
    double sum = -1.0;
    for (int i = 0; i < 3; ++i) sum += std::pow(axes[i] * x[i] / (axes[i] * axes[i] + s), 2);
    return sum;
  };
  if (excess(0.0) <= 0.0) return 0.0;
  double low = 0.0, high = axes.maxCoeff() * x.norm();
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0.0 ? low : high) = middle;
  }
  Vec3 nearest;
  for (int i = 0; i < 3; ++i) nearest[i] = axes[i] * axes[i] * x[i] / (axes[i] * axes[i] + low);
  return (x - nearest).norm();
}

/// Sizes of up to about `scale`.
Partner make_partner(Kind kind, Dice& dice, double scale) {
  const double r = scale * dice.length(), l = 2.0 * scale * dice.length();
  const double rounding = 0.1 * scale * dice.length();
  const Vec3 s = scale * Vec3(dice.length(), dice.length(), dice.length());
  const auto text = [&](const std::string& sizes, bool is_round) {
    return fmt::format("{{ kind = '{}', {}, {} material = 'stone' }}",
                       names[static_cast<std::size_t>(kind)], sizes,
                       is_round ? "" : fmt::format("rounding = {},", rounding));
  };
  const auto across = [](const Vec3& x) { return std::hypot(x.x(), x.y()); };
  switch (kind) {
    case Kind::sphere:
      break;
    case Kind::capsule:
      return {text(fmt::format("radius = {}, length = {}", 0.3 * r, l), true), 0.3 * r,
              [=](const Vec3& x) {
                return distance_from_segment(x, {0, 0, -0.5 * l}, {0, 0, 0.5 * l});
              }};
    case Kind::box:
      return {text(fmt::format("size = [{}, {}, {}]", 2 * s.x(), 2 * s.y(), 2 * s.z()), false),
              rounding, [=](const Vec3& x) { return (x.cwiseAbs() - s).cwiseMax(0.0).norm(); }};
    case Kind::hull: {  // of four points about their centre
      Eigen::Matrix<double, 3, 4> corners;
      do {
        for (int k = 0; k < 4; ++k) corners.col(k) = dice.vector();
        corners.colwise() -= corners.rowwise().mean().eval();
      } while (std::abs(corners.leftCols<3>().determinant()) < 0.05);
      corners *= scale;
      std::string list;
      for (int k = 0; k < 4; ++k) {
        list += fmt::format("[{}, {}, {}], ", corners(0, k), corners(1, k), corners(2, k));
      }
      Eigen::Matrix4d equations;
      equations << corners, Eigen::RowVector4d::Ones();
      const Eigen::Matrix4d shares = equations.inverse();
      return {text(fmt::format("points = [{}]", list), false), rounding, [=](const Vec3& x) {
                if ((shares * x.homogeneous()).minCoeff() >= 0.0) return 0.0;
                double least = INFINITY;
                for (int k = 0; k < 4; ++k) {
                  least = std::min(least, distance_from_triangle(x, {corners.col((k + 1) % 4),
                                                                     corners.col((k + 2) % 4),
                                                                     corners.col((k + 3) % 4)}));
                }
                return least;
              }};
    }
    case Kind::cylinder:
      return {text(fmt::format("radius = {}, length = {}", r, l), false), rounding,
              [=](const Vec3& x) {
                return std::hypot(std::max(0.0, across(x) - r),
                                  std::max(0.0, std::abs(x.z()) - 0.5 * l));
              }};
    case Kind::cone:  // a triangle in the half-plane of radius and z
      return {text(fmt::format("radius = {}, length = {}", r, l), false), rounding,
              [=](const Vec3& x) {
                return distance_from_triangle(
                    {across(x), x.z(), 0.0},
                    {Vec3(-r, -0.25 * l, 0), Vec3(r, -0.25 * l, 0), Vec3(0, 0.75 * l, 0)});
              }};
    case Kind::ellipsoid:
      return {text(fmt::format("semi_axes = [{}, {}, {}]", s.x(), s.y(), s.z()), false), rounding,
              [=](const Vec3& x) { return distance_from_ellipsoid(x, s); }};
    case Kind::ring:
      return {text(fmt::format("radius = {}, tube_radius = {}", r, 0.2 * r), true), 0.2 * r,
              [=](const Vec3& x) { return std::hypot(across(x) - r, x.z()); }};
  }
  return {text(fmt::format("radius = {}", r), true), r, [](const Vec3& x) { return x.norm(); }};
}

/// A ring and another solid, and what the library says of them.
class RingPairOfKinds : public ::testing::TestWithParam<Kind> {
 protected:
  RingPairOfKinds() : dice_{std::mt19937(static_cast<unsigned>(GetParam()))} {}

  /// A small partner fits into the hole.
  void make() {
    tube_ = 0.15 + 0.1 * dice_.number();
    partner_ = make_partner(GetParam(), dice_, dice_.number() > 0.0 ? 1.0 : 0.4);
    const auto body = [](const char* name, const std::string& shape) {
      return fmt::format("[[body]]\nname = '{}'\ndensity = 1\nshape = {}\n", name, shape);
    };
    machine_.emplace(parse_model(
        "[[material]]\nname = 'stone'\n" +
            body("ring", fmt::format("{{ kind = 'ring', radius = 1, tube_radius = {}, material = "
                                     "'stone' }}",
                                     tube_)) +
            body("partner", partner_.text) + "[integrator]\nstep=1\nduration=1\n",
        "pair.toml"));
    search_.emplace(*machine_);
    q_ = machine_->initial_configuration();
  }

  double radii() const { return tube_ + partner_.radius; }

  /// From the point at an angle of the circle.
  double gap_at(double angle) const {
    const Vec3 on_circle(std::cos(angle), std::sin(angle), 0.0);
    const Vec3 point = q_[1].x + q_[1].R * on_circle - q_[2].x;
    return partner_.distance(q_[2].R.transpose() * point) - radii();
  }

  /// Where it has minima along the circle, by sections around the best of many places.
  std::vector<double> minima() const {
    constexpr int count = 720;
    std::vector<double> values, found;
    for (int i = 0; i < count; ++i) values.push_back(gap_at(2.0 * pi * i / count));
    for (int i = 0; i < count; ++i) {
      const double here = values[static_cast<std::size_t>(i)];
      if (here > values[static_cast<std::size_t>((i + 1) % count)] ||
          here > values[static_cast<std::size_t>((i + count - 1) % count)]) {
        continue;
      }
      constexpr double golden = 0.6180339887498949;
      double low = 2.0 * pi * (i - 1) / count, high = 2.0 * pi * (i + 1) / count;
      for (int k = 0; k < 40; ++k) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        (gap_at(left) < gap_at(right) ? high : low) = gap_at(left) < gap_at(right) ? right : left;
      }
      found.push_back(gap_at(0.5 * (low + high)));
    }
    return found;
  }
  double least_gap() const {
    const std::vector<double> all = minima();
    return *std::min_element(all.begin(), all.end());
  }

  /// At random, apart or overlapped by less than what counts as a touch; some in the hole. Straight
  /// towards a point of the circle it cannot miss the ring.
  void place() {
    q_[1] = dice_.place(1.0);
    q_[2] = dice_.place(1.0);
    const double angle = pi * dice_.number();
    const Vec3 target = q_[1].x + q_[1].R * Vec3(std::cos(angle), std::sin(angle), 0.0);
    Vec3 from = q_[1].x + q_[1].R * (0.2 * dice_.vector());
    q_[2].x = from;
    double gap = search_->gap(0, 1, q_);
    if (gap < 1e-3) {  // it does not fit
      from = target + 10.0 * dice_.vector().normalized();
      gap = infinity;
    }
    const Vec3 way = (target - from).normalized();
    double along = 0.0;
    for (int approach = 0; approach < 400 && gap > 5e-5; ++approach) {
      q_[2].x = from + along * way;
      gap = search_->gap(0, 1, q_);
      along += 0.999 * gap + 1e-5;
    }
    ASSERT_GT(gap, -2e-5);
    ASSERT_LT(gap, 5e-5);
  }

  std::vector<Contact> contacts() {
    std::vector<ContactKey> keys;
    search_->find(q_, q_, keys);
    std::vector<Contact> all;
    for (const ContactKey& key : keys) all.push_back(machine_->contact_of(key));
    return all;
  }

  Dice dice_;
  double tube_ = 0.0;
  Partner partner_;
  std::optional<Machine> machine_;
  std::optional<SolidSearch> search_;
  Configuration q_;
};

INSTANTIATE_TEST_SUITE_P(Rings, RingPairOfKinds, ::testing::ValuesIn(kinds),
                         [](const ::testing::TestParamInfo<Kind>& test) {
                           return std::string(names[static_cast<std::size_t>(test.param)]);
                         });

/// Sections find a minimum to the root of round-off, its value to round-off.
TEST_P(RingPairOfKinds, touches_wherever_the_distance_along_its_circle_is_least) {
  constexpr double exact = 1e-9;  // of their size, which is about one
  const int cases = testing::cases_of(testing::looks_at_numbers ? 60 : 2);
  for (int i = 0; i < cases; ++i) {
    if (i % 100 == 0) make();
    place();
    if (HasFatalFailure()) return;
    const std::vector<double> right = minima();
    const double least = *std::min_element(right.begin(), right.end());
    EXPECT_NEAR(search_->gap(0, 1, q_), least, exact) << "case " << i;
    const std::vector<Contact> found = contacts();
    const double near = 0.9e-3 * machine_->solids()[0].size;  // of those that count as touches
    const double reach = std::min(near, 0.9e-3 * machine_->solids()[1].size);
    for (const double gap : right) {
      if (gap > reach) continue;
      EXPECT_TRUE(std::any_of(
          found.begin(), found.end(),
          [&](const Contact& contact) { return std::abs(contact.gap(q_) - gap) < exact; }))
          << "case " << i << " " << gap << " of " << found.size();
    }
    for (const Contact& contact : found) {
      EXPECT_GT(contact.gap(q_), least - exact) << "case " << i;
      // Both points are on the surfaces, and as far apart as the gap says.
      const ContactFrame frame = contact.frame(q_, Vec3::UnitX());
      const bool ring_first = contact.a() == 1;
      const Vec3 n = ring_first ? frame.normal : Vec3(-frame.normal);
      const Vec3 on_ring = ring_first ? frame.arm_a : frame.arm_b,
                 on_other = ring_first ? frame.arm_b : frame.arm_a;
      const Vec3 core = q_[1].R.transpose() * (on_ring - tube_ * n);
      EXPECT_NEAR(std::hypot(core.x(), core.y()), 1.0, exact) << "case " << i;
      EXPECT_NEAR(core.z(), 0.0, exact) << "case " << i;
      const Vec3 in_other = q_[2].R.transpose() * (on_other + partner_.radius * n);
      EXPECT_LT(partner_.distance(in_other), 1e-6) << "case " << i;
      EXPECT_NEAR(n.dot(q_[2].x + on_other - q_[1].x - on_ring), contact.gap(q_), exact)
          << "case " << i;
    }
    if (HasFailure()) return;
  }
}

TEST_P(RingPairOfKinds, is_apart_by_what_is_told_or_a_tenth_more) {
  const int cases = testing::cases_of(testing::looks_at_numbers ? 60 : 2);
  for (int i = 0; i < cases; ++i) {
    if (i % 100 == 0) make();
    q_[1] = dice_.place(0.5);
    q_[2] = dice_.place(0.5);
    const double right = least_gap(), told = search_->gap(0, 1, q_);
    // Of overlaps those count as half a tube that are deeper.
    const double half_tube = 0.5 * tube_;
    if (right > 0.0) {
      EXPECT_LT(told, right + 1e-9) << "case " << i;
      EXPECT_GT(told, 0.9 * right - 1e-9) << "case " << i;
    } else if (right > -half_tube) {
      EXPECT_NEAR(told, right, 1e-9) << "case " << i;
    } else {
      EXPECT_LT(told, -half_tube + 1e-9) << "case " << i;
    }
    if (HasFailure()) return;
  }
}

/// Central differences with e = 1e-6 err by e^2 / 6 times third derivatives, which are up to
/// l^3 / r^2: arms l of 3 and radii r from 0.02; by more where a ring lies nearly all along
/// another solid.
TEST_P(RingPairOfKinds, has_the_derivative_of_its_gap) {
  const int cases = testing::cases_of(testing::looks_at_numbers ? 20 : 1);
  constexpr double e = 1e-6;
  for (int i = 0; i < cases; ++i) {
    if (i % 100 == 0) make();
    place();
    if (HasFatalFailure()) return;
    for (const Contact& contact : contacts()) {
      PairRows rows;
      rows.resize(contact.rows(), 12);
      contact.rates(q_, contact.frame(q_, Vec3::UnitX()), rows);
      for (int k = 0; k < 12; ++k) {
        const auto node = static_cast<std::size_t>(k < 6 ? contact.a() : contact.b());
        const auto moved = [&](double by) {
          Configuration q = q_;
          if (k % 6 < 3) {
            q[node].x[k % 6] += by;
          } else {
            q[node].p = q[node].p * exp_so3(by * Vec3::Unit(k % 3));
            q[node].R = q[node].p.toRotationMatrix();
          }
          return contact.gap(q);
        };
        EXPECT_NEAR((moved(e) - moved(-e)) / (2.0 * e), rows(0, k), 1e-6)
            << "case " << i << " " << k;
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace clatter
