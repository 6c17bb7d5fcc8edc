#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>

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

using testing::Dice;

/// A convex core with a radius all around, in its own axes, told apart from the library: its text
/// in a model file, how far the core goes along a unit vector, and whether a point is in it.
struct Round {
  std::string text;
  double radius;
  std::function<double(const Vec3&)> reach;
  std::function<bool(const Vec3&, double)> holds;  ///< but for a margin

  double reach_along(const Vec3& n) const { return reach(n) + radius; }
};

enum class Kind { sphere, capsule, box, hull, cylinder, cone, ellipsoid };
constexpr std::array kinds{Kind::sphere,   Kind::capsule, Kind::box,      Kind::hull,
                           Kind::cylinder, Kind::cone,    Kind::ellipsoid};
constexpr std::array names{"sphere", "capsule", "box", "hull", "cylinder", "cone", "ellipsoid"};

Round make_round(Kind kind, Dice& dice) {
  const double r = dice.length(), l = 2.0 * dice.length(), rounding = 0.1 * dice.length();
  const Vec3 s(dice.length(), dice.length(), dice.length());
  const auto across = [](const Vec3& n) { return std::hypot(n.x(), n.y()); };
  const auto text = [&](const std::string& sizes, bool is_round) {
    return fmt::format("{{ kind = '{}', {}, {} material = 'stone' }}",
                       names[static_cast<std::size_t>(kind)], sizes,
                       is_round ? "" : fmt::format("rounding = {},", rounding));
  };
  switch (kind) {
    case Kind::sphere:
      break;
    case Kind::capsule:
      return {text(fmt::format("radius = {}, length = {}", 0.3 * r, l), true), 0.3 * r,
              [=](const Vec3& n) { return 0.5 * l * std::abs(n.z()); },
              [=](const Vec3& x, double margin) {
                return across(x) < margin && std::abs(x.z()) < 0.5 * l + margin;
              }};
    case Kind::box:
      return {text(fmt::format("size = [{}, {}, {}]", 2 * s.x(), 2 * s.y(), 2 * s.z()), false),
              rounding, [=](const Vec3& n) { return s.dot(n.cwiseAbs()); },
              [=](const Vec3& x, double margin) { return (x.cwiseAbs() - s).maxCoeff() < margin; }};
    case Kind::hull: {  // of four points about their centre
      Eigen::Matrix<double, 3, 4> corners;
      do {
        for (int k = 0; k < 4; ++k) corners.col(k) = dice.vector();
        corners.colwise() -= corners.rowwise().mean().eval();
      } while (std::abs(corners.leftCols<3>().determinant()) < 0.05);
      std::string list;
      for (int k = 0; k < 4; ++k) {
        list += fmt::format("[{}, {}, {}], ", corners(0, k), corners(1, k), corners(2, k));
      }
      Eigen::Matrix4d equations;
      equations << corners, Eigen::RowVector4d::Ones();
      const Eigen::Matrix4d shares = equations.inverse();
      return {text(fmt::format("points = [{}]", list), false), rounding,
              [=](const Vec3& n) { return (n.transpose() * corners).maxCoeff(); },
              [=](const Vec3& x, double margin) {
                return (shares * x.homogeneous()).minCoeff() > -shares.norm() * margin;
              }};
    }
    case Kind::cylinder:
      return {text(fmt::format("radius = {}, length = {}", r, l), false), rounding,
              [=](const Vec3& n) { return r * across(n) + 0.5 * l * std::abs(n.z()); },
              [=](const Vec3& x, double margin) {
                return across(x) < r + margin && std::abs(x.z()) < 0.5 * l + margin;
              }};
    case Kind::cone:
      return {text(fmt::format("radius = {}, length = {}", r, l), false), rounding,
              [=](const Vec3& n) {
                return std::max(0.75 * l * n.z(), r * across(n) - 0.25 * l * n.z());
              },
              [=](const Vec3& x, double margin) {
                const double slant = std::hypot(r, l);
                const double over = (l * across(x) + r * (x.z() - 0.75 * l)) / slant;
                return over < margin && x.z() > -0.25 * l - margin;
              }};
    case Kind::ellipsoid:
      return {text(fmt::format("semi_axes = [{}, {}, {}]", s.x(), s.y(), s.z()), false), rounding,
              [=](const Vec3& n) { return s.cwiseProduct(n).norm(); },
              [=](const Vec3& x, double margin) {
                return (x.cwiseQuotient(s).norm() - 1.0) * s.minCoeff() < margin;
              }};
  }
  return {text(fmt::format("radius = {}", r), true), r, [](const Vec3&) { return 0.0; },
          [](const Vec3& x, double margin) { return x.norm() < margin; }};
}

/// Two solids near each other and what the library says of them.
class PairOfKinds : public ::testing::TestWithParam<std::pair<Kind, Kind>> {
 protected:
  PairOfKinds()
      : dice_{std::mt19937(10 * static_cast<unsigned>(GetParam().first) +
                           static_cast<unsigned>(GetParam().second))} {}

  void make() {
    a_ = make_round(GetParam().first, dice_);
    b_ = make_round(GetParam().second, dice_);
    const auto body = [](const char* name, const std::string& shape) {
      return fmt::format("[[body]]\nname = '{}'\ndensity = 1\nshape = {}\n", name, shape);
    };
    machine_.emplace(parse_model("[[material]]\nname = 'stone'\n" + body("a", a_.text) +
                                     body("b", b_.text) + "[integrator]\nstep=1\nduration=1\n",
                                 "pair.toml"));
    search_.emplace(*machine_);
  }

  /// How far they are apart along a unit vector from a to b: not more than their distance.
  double apart_along(const Vec3& n) const {
    return n.dot(q_[2].x - q_[1].x) - a_.reach_along(q_[1].R.transpose() * n) -
           b_.reach_along(-(q_[2].R.transpose() * n));
  }

  /// Places them at random, apart or overlapped by less than what counts as a touch.
  void place() {
    q_ = machine_->initial_configuration();
    q_[1] = dice_.place(1.0);
    q_[2] = dice_.place(1.0);
    const Vec3 way = dice_.vector().normalized(), centre = q_[1].x;
    double away = 10.0, gap = infinity;
    for (int approach = 0; approach < 200 && gap > 5e-5; ++approach) {
      q_[2].x = centre + away * way;
      gap = search_->gap(0, 1, q_);
      away -= 0.999 * gap + 1e-5;
    }
    ASSERT_GT(gap, -2e-5);  // the cores are apart all the same
    ASSERT_LT(gap, 5e-5);
  }

  /// The contact whose gap is least.
  Contact nearest_contact() {
    std::vector<ContactKey> keys;
    search_->find(q_, q_, keys);
    if (keys.empty()) throw std::runtime_error("solids that are near each other do not touch");
    std::optional<Contact> nearest;
    for (const ContactKey& key : keys) {
      Contact contact = machine_->contact_of(key);
      if (!nearest || contact.gap(q_) < nearest->gap(q_)) nearest.emplace(std::move(contact));
    }
    return *nearest;
  }

  Dice dice_;
  Round a_, b_;
  std::optional<Machine> machine_;
  std::optional<SolidSearch> search_;
  Configuration q_;
};

std::string name_of(const ::testing::TestParamInfo<std::pair<Kind, Kind>>& test) {
  return fmt::format("{}_and_{}", names[static_cast<std::size_t>(test.param.first)],
                     names[static_cast<std::size_t>(test.param.second)]);
}
INSTANTIATE_TEST_SUITE_P(Certified, PairOfKinds, ::testing::ValuesIn([] {
                           std::vector<std::pair<Kind, Kind>> all;
                           for (const Kind a : kinds) {
                             for (const Kind b : kinds) all.emplace_back(a, b);
                           }
                           return all;
                         }()),
                         name_of);

/// Two points, one in each solid, are as far apart as the solids are along the direction between
/// them: no other points are nearer, and no other direction tells them further apart.
TEST_P(PairOfKinds, is_nearest_where_points_and_direction_prove_it) {
  constexpr double exact = 1e-9;  // of their size, which is about one
  const int cases = testing::cases_of(testing::looks_at_numbers ? 100 : 3);
  for (int i = 0; i < cases; ++i) {
    if (i % 100 == 0) make();
    place();
    const Contact contact = nearest_contact();
    const bool a_first = contact.a() == 1;
    const ContactFrame frame = contact.frame(q_, Vec3::UnitX());
    const double gap = contact.gap(q_);
    const Vec3 n = a_first ? frame.normal : Vec3(-frame.normal);
    const NodeState &at_a = q_[1], &at_b = q_[2];
    Vec3 on_b = at_b.x + (a_first ? frame.arm_b : frame.arm_a),
         on_a = at_a.x + (a_first ? frame.arm_a : frame.arm_b);
    if (contact.has_face()) (a_first ? on_a : on_b) -= gap * frame.normal;  // its foot on the face
    const Vec3 in_a = at_a.R.transpose() * (on_a - a_.radius * n - at_a.x);
    const Vec3 in_b = at_b.R.transpose() * (on_b + b_.radius * n - at_b.x);
    EXPECT_NEAR(n.norm(), 1.0, 1e-14);
    EXPECT_NEAR(apart_along(n), gap, exact) << "case " << i;
    const Vec3 between = on_b - on_a;
    EXPECT_NEAR(between.dot(n), gap, exact) << "case " << i;
    // Where the points are is as sure as the root of how near they are.
    EXPECT_LT((between - between.dot(n) * n).norm(), 1e-7) << "case " << i;
    // What is beside a face by less than edge_margin of the sizes is over it.
    EXPECT_TRUE(a_.holds(in_a, 1e-6)) << "case " << i;
    EXPECT_TRUE(b_.holds(in_b, 1e-6)) << "case " << i;
    if (HasFailure()) return;
  }
}

/// Central differences with e = 1e-6 err by e^2 / 6 times third derivatives, which are up to
/// l^3 / (r^2 s): arms l of 3, radii r from 0.02, and s the sine between lines, from 0.01.
TEST_P(PairOfKinds, has_the_derivative_of_its_gap) {
  const int cases = testing::cases_of(testing::looks_at_numbers ? 20 : 1);
  constexpr double e = 1e-6;
  for (int i = 0; i < cases; ++i) {
    if (i % 100 == 0) make();
    place();
    const Contact contact = nearest_contact();
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
      EXPECT_NEAR((moved(e) - moved(-e)) / (2.0 * e), rows(0, k), 1e-6) << "case " << i << " " << k;
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace clatter
