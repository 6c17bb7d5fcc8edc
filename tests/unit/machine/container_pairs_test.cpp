#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/core_shapes.hpp"
#include "support/least_on_circle.hpp"
#include "support/least_on_sphere.hpp"
#include "support/meshes.hpp"
#include "support/random_pair.hpp"

namespace clatter {
namespace container_pairs_test {

using std::numbers::pi;
using testing::CoreKind;
using testing::CoreShape;
using testing::Dice;
using testing::SolidPair;

enum class Around {
  sphere,
  box,
  capsule,
  cylinder,
  bore,
  cone,
  ellipsoid,
  hull,
  groove,
  half_space
};
constexpr std::array walls{Around::sphere, Around::box,       Around::capsule,   Around::cylinder,
                           Around::bore,   Around::cone,      Around::ellipsoid, Around::hull,
                           Around::groove, Around::half_space};
constexpr std::array wall_names{"sphere", "box",       "capsule", "cylinder", "bore",
                                "cone",   "ellipsoid", "hull",    "groove",   "half_space"};

/// A hollow shape in its own axes, told apart from the library: its text in a model file, and how
/// far a point inside is from the wall. Its walls are planes, sides that are planes all around the
/// axis, and what is as far as `reach` along any direction.
struct Hollow {
  /// Out of the solid, with a unit normal.
  struct Plane {
    Vec3 normal;
    double offset;
  };
  std::string text;
  std::function<double(const Vec3&)> depth;
  std::vector<Plane> planes{};
  std::optional<Plane> side{};  ///< where it is in the plane y = 0
  std::function<double(const Vec3&)> reach{};
};

/// Half the angle between sides and axis is that of the tip. From inside all walls go on for ever.
Hollow make_hollow(Around kind, Dice& dice) {
  const double r = 2.0 + 0.3 * dice.number(), l = 3.0 + dice.number();
  const Vec3 s = Vec3::Constant(2.0) + 0.5 * dice.vector();
  const auto text = [&](const char* name, const std::string& sizes) {
    return fmt::format("{{ kind = '{}', {}, hollow = true, material = 'stone' }}", name, sizes);
  };
  const auto across = [](const Vec3& x) { return std::hypot(x.x(), x.y()); };
  switch (kind) {
    case Around::sphere:
      break;
    case Around::box:
      return {text("box", fmt::format("size = [{}, {}, {}]", 2 * s.x(), 2 * s.y(), 2 * s.z())),
              [=](const Vec3& x) { return (s - x.cwiseAbs()).minCoeff(); },
              {{Vec3::UnitX(), s.x()},
               {-Vec3::UnitX(), s.x()},
               {Vec3::UnitY(), s.y()},
               {-Vec3::UnitY(), s.y()},
               {Vec3::UnitZ(), s.z()},
               {-Vec3::UnitZ(), s.z()}}};
    case Around::capsule:
      return {text("capsule", fmt::format("radius = {}, length = {}", r, l)),
              [=](const Vec3& x) {
                const double beyond = std::max(0.0, std::abs(x.z()) - 0.5 * l);
                return r - std::hypot(across(x), beyond);
              },
              {},
              {{Vec3::UnitX(), r}},  // where the other directions have a kink
              [=](const Vec3& n) { return r + 0.5 * l * std::abs(n.z()); }};
    case Around::cylinder:
      return {text("cylinder", fmt::format("radius = {}, length = {}", r, 2.0 * s.z())),
              [=](const Vec3& x) { return std::min(r - across(x), s.z() - std::abs(x.z())); },
              {{Vec3::UnitZ(), s.z()}, {-Vec3::UnitZ(), s.z()}},
              {{Vec3::UnitX(), r}}};
    case Around::bore:
      return {text("cylinder", fmt::format("radius = {}, length = {}, open = true", r, l)),
              [=](const Vec3& x) { return r - across(x); },
              {},
              {{Vec3::UnitX(), r}}};
    case Around::cone:
      return {text("cone", fmt::format("radius = {}, length = {}", 2.0 * r, 2.0 * l)),
              [=](const Vec3& x) {
                const double side = (r * (1.5 * l - x.z()) - l * across(x)) / std::hypot(r, l);
                return std::min(side, x.z() + 0.5 * l);
              },
              {{-Vec3::UnitZ(), 0.5 * l}},
              {{Vec3(l, 0.0, r) / std::hypot(r, l), 1.5 * l * r / std::hypot(r, l)}}};
    case Around::ellipsoid:
      return {text("ellipsoid", fmt::format("semi_axes = [{}, {}, {}]", s.x(), s.y(), s.z())),
              [=](const Vec3& x) { return -testing::distance_from_ellipsoid<3>(x, s); },
              {},
              {},
              [=](const Vec3& n) { return s.cwiseProduct(n).norm(); }};
    case Around::hull: {  // what is between planes along the normals of a tetrahedron
      const std::array<Vec3, 4> corners{Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1),
                                        Vec3(-1, -1, 1)};
      std::string list;
      std::vector<Hollow::Plane> planes;
      for (const Vec3& c : corners) {
        list += fmt::format("[{}, {}, {}], ", 2 * r * c.x(), 2 * r * c.y(), 2 * r * c.z());
        planes.push_back({-c / std::sqrt(3.0), 2.0 * r / std::sqrt(3.0)});
      }
      return {text("hull", fmt::format("points = [{}]", list)),
              [=](const Vec3& x) {
                double least = INFINITY;
                // The face across from a corner is a third as far from the middle.
                for (const Vec3& c : corners) {
                  least = std::min(least, (2.0 * r + c.dot(x)) / std::sqrt(3.0));
                }
                return least;
              },
              planes};
    }
    case Around::groove:
      return {text("ring", fmt::format("radius = {}, tube_radius = {}", 2.0 * r, 0.6 * r)),
              [=](const Vec3& x) { return 0.6 * r - std::hypot(across(x) - 2.0 * r, x.z()); }};
    case Around::half_space: {
      const Vec3 normal = dice.vector().normalized();
      return {fmt::format("{{ kind = 'half_space', normal = [{}, {}, {}], material = 'stone' }}",
                          normal.x(), normal.y(), normal.z()),
              [=](const Vec3& x) { return normal.dot(x); },
              {{-normal, 0.0}}};
    }
  }
  return {text("sphere", fmt::format("radius = {}", r)),
          [=](const Vec3& x) { return r - x.norm(); },
          {},
          {},
          [=](const Vec3&) { return r; }};
}

/// Of a mesh with hollows its points go furthest.
CoreShape make_content(std::optional<CoreKind> kind, Dice& dice) {
  if (kind) return make_core_shape(*kind, dice, 0.5);
  const testing::Triangles mesh = testing::rough_ball(4, 6, 0.3, dice.generator());
  const std::string path =
      ::testing::TempDir() +
      fmt::format("content_{}.obj", ::testing::UnitTest::GetInstance()->random_seed());
  mesh.write(path, 0.4);
  CoreShape shape;
  shape.text =
      fmt::format("{{ kind = 'mesh', file = '{}', rounding = 0.03, material = 'stone' }}", path);
  shape.radius = 0.03;
  for (const Vec3& point : mesh.points) shape.points.emplace_back(0.4 * point);
  return shape;
}

using ContentPair = std::pair<Around, std::optional<CoreKind>>;  // none: a mesh

/// Something inside something hollow, and what the library says of them.
class ContainerPairOfKinds : public testing::RandomPair<ContentPair> {
 protected:
  ContainerPairOfKinds()
      : RandomPair(10 * static_cast<unsigned>(GetParam().first) +
                   static_cast<unsigned>(GetParam().second.value_or(CoreKind{9}))) {}

  void make() override {
    hollow_ = make_hollow(GetParam().first, dice_);
    content_ = make_content(GetParam().second, dice_);
    pair_.emplace(hollow_.text, content_.text, SolidPair::In::space,
                  is_half_space() ? SolidPair::First::ground : SolidPair::First::body);
  }

  static bool is_half_space() { return GetParam().first == Around::half_space; }
  double depth(const Vec3& of_content) const {
    const Vec3 at = pair_->at_b().x + pair_->at_b().R * of_content - pair_->at_a().x;
    return hollow_.depth(pair_->at_a().R.transpose() * at) - content_.radius;
  }

  double right_gap() const {
    double least = INFINITY;
    for (const Vec3& point : content_.points) least = std::min(least, depth(point));
    for (const CoreShape::Circle& circle : content_.circles) {
      least = std::min(
          least, testing::least_on_circle(
                     90, [&](double angle) { return depth(circle.at(angle)); }, circle.radius));
    }
    return content_.semi_axes ? std::min(least, gap_of_ellipsoid()) : least;
  }

  /// Of an ellipsoid and walls around what is convex: by how much these go further along the
  /// directions that they have.
  double gap_of_ellipsoid() const {
    const Mat3 R = pair_->at_b().R.transpose() * pair_->at_a().R;
    const Vec3 at = pair_->at_a().R.transpose() * (pair_->at_b().x - pair_->at_a().x);
    const auto room_along = [&](const Vec3& n, double wall) {
      return wall - n.dot(at) - content_.reach(R * n);
    };
    double least = INFINITY;
    for (const auto& [normal, offset] : hollow_.planes) {
      least = std::min(least, room_along(normal, offset));
    }
    if (hollow_.side) {
      const Hollow::Plane& side = *hollow_.side;
      // The point of the ellipsoid changes with the angle, by no more than its size.
      const double slope = at.norm() + content_.semi_axes->maxCoeff();
      least =
          std::min(least, testing::least_on_circle(
                              90,
                              [&](double angle) {
                                const Vec3 n(side.normal.x() * std::cos(angle),
                                             side.normal.x() * std::sin(angle), side.normal.z());
                                return room_along(n, side.offset);
                              },
                              slope));
    }
    if (hollow_.reach) {
      least = std::min(least, testing::least_on_sphere(
                                  [&](const Vec3& n) { return room_along(n, hollow_.reach(n)); }));
    }
    return least;
  }

  /// Inside, nearly touching the wall or overlapping it by less than what counts as a touch.
  void place() override {
    NodeState &at_a = pair_->q[pair_->node_a], &at_b = pair_->q[pair_->node_b];
    if (!is_half_space()) at_a = dice_.place(1.0);
    at_b = dice_.place(0.0);
    // The middle of the tube of a groove is somewhere along its circle.
    Vec3 middle = Vec3::Zero(), way = dice_.vector().normalized();
    if (GetParam().first == Around::groove) {
      const double angle = pi * dice_.number();
      middle = pair_->machine().solids()[0].pieces.front().patch.size.x() *
               Vec3(std::cos(angle), std::sin(angle), 0.0);
    }
    if (is_half_space()) {
      const Vec3 up = pair_->machine().solids()[0].shape.faces.front().normal;
      middle = 3.0 * up;
      way = (0.9 * way - up).normalized();
    }
    const auto comes_near = [&] {
      at_b.x = at_a.x + at_a.R * middle;
      return pair_->approach(way, -2e-5, 4e-5);
    };
    // Along a bore there is nothing to meet.
    for (int attempt = 0; !comes_near(); ++attempt) {
      ASSERT_LT(attempt, 20);
      way = dice_.vector().normalized();
    }
    double touching = 1e-5;  // a hundredth of what is a touch of a thin ring
    for (const Solid& solid : pair_->machine().solids()) {
      touching = std::min(touching, 1e-5 * solid.size);
    }
    at_b.x += touching * dice_.number() * way;
  }

  Hollow hollow_;
  CoreShape content_;
};

INSTANTIATE_TEST_SUITE_P(Containers, ContainerPairOfKinds, ::testing::ValuesIn([] {
                           std::vector<ContentPair> all{{Around::groove, CoreKind::sphere}};
                           for (const Around a : walls) {
                             if (a == Around::groove) continue;
                             for (std::size_t k = 0; k < testing::core_names.size(); ++k) {
                               all.emplace_back(a, static_cast<CoreKind>(k));
                             }
                             all.emplace_back(a, std::nullopt);
                           }
                           return all;
                         }()),
                         [](const ::testing::TestParamInfo<ContentPair>& test) {
                           return fmt::format(
                               "{}_around_{}",
                               wall_names[static_cast<std::size_t>(test.param.first)],
                               test.param.second ? name_of(*test.param.second) : "mesh");
                         });

/// The gap of the solids, and that of the contact that is nearest, is that of the point that goes
/// furthest into the wall. Searches find it to the square of 1e-7.
TEST_P(ContainerPairOfKinds, is_as_far_from_the_wall_as_its_furthest_point) {
  constexpr double exact = 1e-9;  // of their size, which is about one
  const int cases = testing::cases_of(testing::looks_at_numbers ? 10 : 1);
  look_at_touches(cases, [&](const std::vector<Contact>& contacts) {
    const double right = right_gap();
    ASSERT_LT(std::abs(right), 1e-4);
    EXPECT_NEAR(pair_->gap(), right, exact);
    ASSERT_FALSE(contacts.empty());
    const auto [gap, on_wall, on_solid, n] = pair_->points_of(pair_->nearest_of(contacts));
    EXPECT_NEAR(gap, right, exact);
    // The points of contact are as far apart as the gap says, and that of the wall is on it.
    EXPECT_NEAR(n.dot(on_solid - on_wall), right, exact);
    EXPECT_LT((on_solid - on_wall - n.dot(on_solid - on_wall) * n).norm(), 1e-7);
    const Vec3 in_hollow = pair_->at_a().R.transpose() * (on_wall - pair_->at_a().x);
    EXPECT_NEAR(hollow_.depth(in_hollow), 0.0, exact);
  });
}

}  // namespace container_pairs_test
}  // namespace clatter
