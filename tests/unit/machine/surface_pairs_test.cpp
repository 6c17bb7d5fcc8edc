#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/convex_distance.hpp"
#include "support/core_shapes.hpp"
#include "support/least_on_circle.hpp"
#include "support/meshes.hpp"
#include "support/random_pair.hpp"
#include "support/solid_pair.hpp"

namespace clatter {
namespace surface_pairs_test {

using std::numbers::pi;
using testing::BoundsOfDistance;
using testing::CoreKind;
using testing::CoreShape;
using testing::Dice;
using testing::SolidPair;
using testing::Triangles;

struct Triangle {
  std::array<Vec3, 3> corners;
  Vec3 centre;
  double ball;  ///< how far it goes from its centre

  Triangle(const Vec3& p, const Vec3& q, const Vec3& r)
      : corners{p, q, r}, centre((p + q + r) / 3.0), ball(0.0) {
    for (const Vec3& corner : corners) ball = std::max(ball, (corner - centre).norm());
  }
  /// The corner furthest along a vector.
  const Vec3& furthest(const Vec3& n) const {
    std::size_t best = 0;
    for (const std::size_t k : {1U, 2U}) {
      if (n.dot(corners[k]) > n.dot(corners[best])) best = k;
    }
    return corners[best];
  }
};

/// A closed surface of triangles, with a radius all around; told apart from the library.
struct MeshedShape {
  std::string text;
  double radius = 0.0;
  std::vector<Triangle> triangles;

  double distance(const Vec3& x) const {
    double least = INFINITY;
    for (const Triangle& triangle : triangles) {
      if ((x - triangle.centre).norm() - triangle.ball > least) continue;
      least = std::min(least, testing::distance_from_triangle(x, triangle.corners));
    }
    return least;
  }
  /// By the angles under which its triangles are seen.
  bool holds(const Vec3& x) const {
    double angle = 0.0;
    for (const Triangle& triangle : triangles) {
      const auto& [p, q, r] = triangle.corners;
      const Vec3 a = (p - x).normalized(), b = (q - x).normalized(), c = (r - x).normalized();
      angle += 2.0 * std::atan2(a.dot(b.cross(c)), 1.0 + a.dot(b) + b.dot(c) + c.dot(a));
    }
    return angle > 2.0 * pi;
  }
};

enum class SurfaceKind { l, cup, rough_ball, height_field };
constexpr std::array surface_kinds{SurfaceKind::l, SurfaceKind::cup, SurfaceKind::rough_ball,
                                   SurfaceKind::height_field};
constexpr std::array surface_names{"l", "cup", "rough_ball", "height_field"};

void take_triangles(const Triangles& mesh, MeshedShape& shape) {
  for (std::size_t t = 0; t < mesh.corners.size(); ++t) {
    shape.triangles.emplace_back(mesh.at(t, 0), mesh.at(t, 1), mesh.at(t, 2));
  }
}

MeshedShape make_mesh(const Triangles& mesh, double rounding, const std::string& file) {
  MeshedShape shape;
  take_triangles(mesh, shape);
  const std::string path = ::testing::TempDir() + file;
  mesh.write(path);
  shape.radius = rounding;
  shape.text = fmt::format("{{ kind = 'mesh', file = '{}', rounding = {}, material = 'stone' }}",
                           path, rounding);
  return shape;
}

/// Heights over a grid of 4 x 4, two triangles between four of them, walls and a floor.
MeshedShape make_field(Dice& dice) {
  constexpr int count = 4;
  constexpr double spacing = 0.8;
  std::array<std::array<double, count>, count> heights{};
  std::string rows;
  double lowest = INFINITY;
  for (auto& row : heights) {
    rows += "[";
    for (double& height : row) {
      height = 0.4 * dice.number();
      lowest = std::min(lowest, height);
      rows += fmt::format("{}, ", height);
    }
    rows += "], ";
  }
  MeshedShape shape;
  shape.text = fmt::format(
      "{{ kind = 'height_field', heights = [{}], spacing = {}, depth = 0.5, material = 'stone' }}",
      rows, spacing);
  const auto at = [&](int i, int j) {
    return Vec3(spacing * (i - 1.5), spacing * (j - 1.5),
                heights[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]);
  };
  const double floor = lowest - 0.5;
  const auto below = [&](int i, int j) {
    const Vec3 above = at(i, j);
    return Vec3(above.x(), above.y(), floor);
  };
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      shape.triangles.emplace_back(at(i, j), at(i + 1, j), at(i + 1, j + 1));
      shape.triangles.emplace_back(at(i, j), at(i + 1, j + 1), at(i, j + 1));
      shape.triangles.emplace_back(below(i, j), below(i + 1, j + 1), below(i + 1, j));
      shape.triangles.emplace_back(below(i, j), below(i, j + 1), below(i + 1, j + 1));
    }
  }
  const auto wall = [&](int i, int j, int to_i, int to_j) {  // with the field to the left
    shape.triangles.emplace_back(below(i, j), below(to_i, to_j), at(to_i, to_j));
    shape.triangles.emplace_back(below(i, j), at(to_i, to_j), at(i, j));
  };
  for (int k = 0; k < 3; ++k) {
    wall(k, 0, k + 1, 0);
    wall(3, k, 3, k + 1);
    wall(3 - k, 3, 2 - k, 3);
    wall(0, 3 - k, 0, 2 - k);
  }
  return shape;
}

MeshedShape make_surface(SurfaceKind kind, Dice& dice, const std::string& file) {
  const double rounding = dice.number() > 0.0 ? 0.05 * dice.length() : 0.0;
  switch (kind) {
    case SurfaceKind::l:
      return make_mesh(testing::l_of_triangles(0.5 + 0.2 * dice.number()), rounding, file);
    case SurfaceKind::cup:
      return make_mesh(testing::cup_of_triangles(1.0, 1.0 + 0.5 * dice.number(), 0.2, 7), rounding,
                       file);
    case SurfaceKind::rough_ball:
      return make_mesh(testing::rough_ball(4, 6, 0.3, dice.generator()), rounding, file);
    case SurfaceKind::height_field:
      break;
  }
  return make_field(dice);
}

/// What it meets: a convex core, a ring, or another mesh.
constexpr std::array partner_names{"sphere", "capsule",   "box",  "hull",      "cylinder",
                                   "cone",   "ellipsoid", "ring", "sharp_box", "mesh"};
enum class PartnerKind {
  sphere,
  capsule,
  box,
  hull,
  cylinder,
  cone,
  ellipsoid,
  ring,
  sharp_box,
  mesh
};

class SurfacePairOfKinds : public testing::RandomPair<std::pair<SurfaceKind, PartnerKind>> {
 protected:
  SurfacePairOfKinds()
      : RandomPair(10 * static_cast<unsigned>(GetParam().first) +
                   static_cast<unsigned>(GetParam().second)) {}

  static bool is_field() { return GetParam().first == SurfaceKind::height_field; }
  static bool is_mesh() { return GetParam().second == PartnerKind::mesh; }
  static bool is_ring() { return GetParam().second == PartnerKind::ring; }

  void make() override {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::string file = "surface_pair_" + name + ".obj";
    std::replace(file.begin(), file.end(), '/', '_');
    surface_ = make_surface(GetParam().first, dice_, "a_" + file);
    if (is_mesh()) {
      other_ = make_surface(dice_.number() > 0.0 ? SurfaceKind::l : SurfaceKind::rough_ball, dice_,
                            "b_" + file);
    } else {
      const bool is_sharp = GetParam().second == PartnerKind::sharp_box;
      partner_ =
          make_core_shape(is_sharp ? CoreKind::box : static_cast<CoreKind>(GetParam().second),
                          dice_, dice_.number() > 0.0 ? 1.0 : 0.3,
                          is_sharp ? testing::Edges::sharp : testing::Edges::rounded);
    }
    pair_.emplace(surface_.text, is_mesh() ? other_.text : partner_.text, SolidPair::In::space,
                  is_field() ? SolidPair::First::ground : SolidPair::First::body);
  }

  double radii() const { return surface_.radius + (is_mesh() ? other_.radius : partner_.radius); }
  Vec3 to_surface(const Vec3& of_partner) const {
    const Vec3 at = pair_->at_b().x + pair_->at_b().R * of_partner - pair_->at_a().x;
    return pair_->at_a().R.transpose() * at;
  }

  /// Brute force over all triangles; of solids that are apart. With a guess of the direction from
  /// the surface to the other, and of the distance: what is surely further needs no closer look.
  BoundsOfDistance right_gap(const Vec3& guess, double distance) const {
    BoundsOfDistance least;
    const Mat3 R = pair_->at_a().R.transpose() * pair_->at_b().R;
    const Vec3 shift = to_surface(Vec3::Zero());
    if (is_ring()) {
      const CoreShape::Circle& circle = partner_.circles.front();
      const double found = testing::least_on_circle(
          720, [&](double angle) { return surface_.distance(to_surface(circle.at(angle))); },
          circle.radius);
      least.take({found, found});
    } else {
      const double enough = distance + 1e-6;
      const auto from_triangle = [&](const Triangle& triangle, const auto& furthest_of_b,
                                     const Vec3& centre_b, double ball_b) {
        // Most are told apart by balls around them.
        const Vec3 between = shift + R * centre_b - triangle.centre;
        if (between.norm() - triangle.ball - ball_b > enough) return;
        const auto furthest = [&](const Vec3& n) -> Vec3 {
          return shift + R * furthest_of_b(R.transpose() * n) - triangle.furthest(-n);
        };
        if (guess.dot(furthest(-guess)) > enough) return;
        least.take(testing::bounds_of_distance(furthest, 1e-11, guess, enough));
      };
      double ball = 0.0;
      for (const Vec3& n : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
        if (!is_mesh()) ball = std::hypot(ball, std::max(partner_.reach(n), partner_.reach(-n)));
      }
      for (const Triangle& triangle : surface_.triangles) {
        if (is_mesh()) {
          for (const Triangle& of_b : other_.triangles) {
            from_triangle(
                triangle, [&](const Vec3& n) { return of_b.furthest(n); }, of_b.centre, of_b.ball);
          }
        } else {
          from_triangle(
              triangle, [&](const Vec3& n) { return partner_.furthest(n); }, Vec3::Zero(), ball);
        }
      }
    }
    return {least.least - radii(), least.most - radii()};
  }

  /// At random, outside the surface or in its hollows, apart or overlapped by less than what
  /// counts as a touch, cores apart.
  void place() override {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      if (!is_field()) pair_->q[pair_->node_a] = dice_.place(1.0);
      pair_->q[pair_->node_b] = dice_.place(0.0);
      const NodeState& at_a = pair_->at_a();
      const Vec3 from = (dice_.number() > 0.0 ? 1.0 : 4.0) * dice_.vector();
      const auto index = static_cast<std::size_t>(dice_.generator() % surface_.triangles.size());
      const Vec3& target = surface_.triangles[index].centre;
      if (surface_.holds(from)) continue;
      pair_->q[pair_->node_b].x = at_a.x + at_a.R * from;
      if (!(pair_->gap() > 1e-3)) continue;
      const double least = radii() > 0.0 ? -2e-5 : 2e-6;
      if (pair_->approach(at_a.R * (target - from).normalized(), least, 5e-5)) return;
      // Straight on it would have had to meet.
      if (is_ring()) continue;
      FAIL() << "nothing was met";
    }
    FAIL() << "no place was found";
  }

  MeshedShape surface_, other_;
  CoreShape partner_;
};

INSTANTIATE_TEST_SUITE_P(
    Surfaces, SurfacePairOfKinds, ::testing::ValuesIn([] {
      std::vector<std::pair<SurfaceKind, PartnerKind>> all;
      for (const SurfaceKind a : surface_kinds) {
        for (std::size_t b = 0; b < partner_names.size(); ++b) {
          all.emplace_back(a, static_cast<PartnerKind>(b));
        }
      }
      return all;
    }()),
    [](const ::testing::TestParamInfo<std::pair<SurfaceKind, PartnerKind>>& test) {
      return fmt::format("{}_and_{}", surface_names[static_cast<std::size_t>(test.param.first)],
                         partner_names[static_cast<std::size_t>(test.param.second)]);
    });

TEST_P(SurfacePairOfKinds, is_as_far_as_the_nearest_of_all_triangles) {
  constexpr double exact = 1e-9;  // of their size, which is about one
  const int cases = testing::cases_of(testing::looks_at_numbers ? 20 : 1);
  look_at_touches(cases, [&](const std::vector<Contact>& contacts) {
    SolidPair::Points nearest{infinity, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ()};
    if (!contacts.empty()) nearest = pair_->points_of(pair_->nearest_of(contacts));
    const auto& [gap, on_a, on_b, n] = nearest;
    const BoundsOfDistance right = right_gap(pair_->at_a().R.transpose() * n, gap + radii());
    ASSERT_LT(right.most - right.least, exact);
    // Of those that are apart not more, and less by a thousandth.
    const double told = pair_->gap();
    EXPECT_LT(told, right.most + exact);
    EXPECT_GT(told, right.least - 1e-3 * std::abs(right.least) - exact);
    // Sharp corners that meet corners or edges touch nowhere.
    if (contacts.empty() && radii() == 0.0) return;
    ASSERT_FALSE(contacts.empty());
    EXPECT_NEAR(gap, right.least, exact);
    EXPECT_NEAR(n.norm(), 1.0, 1e-14);
    const Vec3 between = on_b - on_a;
    EXPECT_NEAR(between.dot(n), gap, exact);
    EXPECT_LT((between - between.dot(n) * n).norm(), 1e-7);
    const Vec3 in_a = pair_->at_a().R.transpose() * (on_a - surface_.radius * n - pair_->at_a().x);
    EXPECT_LT(surface_.distance(in_a), 1e-6);
    const double radius_b = is_mesh() ? other_.radius : partner_.radius;
    const Vec3 in_b = pair_->at_b().R.transpose() * (on_b + radius_b * n - pair_->at_b().x);
    EXPECT_LT(is_mesh() ? other_.distance(in_b) : partner_.distance(in_b), 1e-6);
  });
}

/// Its end slides down a slope beside an edge of the heights, whose line it is deep below behind
/// that: what it touches on its way is the slope alone.
TEST(Needle, that_slides_over_heights_touches_nothing_that_lies_behind_it) {
  testing::SolidPair pair(
      "{ kind = 'height_field', spacing = 0.2, material = 'stone', heights = ["
      "[0.024, 0.054, 0.037, 0.06, 0.063, 0.007, 0.001], "
      "[0.084, 0.026, 0.023, 0.1, 0.047, 0.084, 0.048], "
      "[0.064, 0.015, 0.063, 0.087, 0.052, 0.074, 0.067], "
      "[0.006, 0.076, 0.059, 0.03, 0.003, 0.087, 0.047], "
      "[0.072, 0.088, 0.071, 0.092, 0.039, 0.08, 0.044], "
      "[0.094, 0.088, 0.01, 0.014, 0.022, 0.097, 0.044], "
      "[0.063, 0.03, 0.051, 0.039, 0.035, 0.059, 0.058]] }",
      "{ kind = 'rod', radius = 5e-4, length = 0.5, material = 'stone' }",
      testing::SolidPair::In::space, testing::SolidPair::First::ground);
  NodeState& at = pair.q[pair.node_b];
  at.x = {-0.030929506699815788, -0.034107779626664614, 0.043247362336822186};
  at.p = Quaternion(0.9353741308562774, 0.3499876660040883, 0.049966487794503696,
                    -0.00933911491288088);
  at.R = at.p.toRotationMatrix();
  const Vec3 velocity(-0.17334833066336316, 0.030899048214621125, -0.028631305059231938);
  const Vec3 spin(-194.62124151832538, 0.33211598671563336, -0.028871390041645375);
  ASSERT_GT(pair.gap(), -1e-9);
  SolidSearch search(pair.machine());
  for (const double h : {1e-3, 1e-4, 1.5e-5}) {
    Configuration next = pair.q;
    NodeState& then = next[pair.node_b];
    then.x += h * velocity;
    then.p = (at.p * exp_so3(h * spin)).normalized();
    then.R = then.p.toRotationMatrix();
    std::vector<ContactKey> keys;
    search.find(pair.q, next, keys);
    ASSERT_FALSE(keys.empty());
    for (const ContactKey& key : keys) {
      EXPECT_GT(pair.machine().contact_of(key).gap(pair.q), -1e-8) << "step " << h;
    }
  }
}

}  // namespace surface_pairs_test
}  // namespace clatter
