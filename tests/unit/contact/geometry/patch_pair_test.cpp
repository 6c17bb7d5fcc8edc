#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/contact/geometry/contact.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace patch_pair_test {

using testing::agrees;
using testing::Differences;
using testing::differences;
using testing::displaced;
using testing::Random;
using Kind = Patch::Kind;

// ---- Against pairs that know their own way

/// A contact of named surfaces and the same as patches, at random states.
void expect_same(const ContactGeometry& geometry, const std::function<void(ContactSpec&)>& sizes,
                 const std::function<std::pair<Patch, Patch>(const ContactSpec&)>& patches) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ContactSpec spec;
    spec.geometry = geometry;
    spec.point.point = random.vector();
    spec.face.point = random.vector();
    spec.direction = random.direction();
    sizes(spec);
    const Configuration q = random.configuration(2);
    auto [patch_a, patch_b] = patches(spec);
    patch_a.origin = spec.face.point;
    patch_a.axes = Quaternion::FromTwoVectors(Vec3::UnitZ(), spec.direction).toRotationMatrix();
    patch_b.origin = spec.point.point;
    const PatchPair pair(patch_a, patch_b, 1, 2, false);
    const ContactPair named = make_contact_pair(spec, 1, 2, false);
    std::visit(
        [&](const auto& other) {
          EXPECT_NEAR(pair.gap(q), other.gap(q), 1e-14);
          EXPECT_EQ(pair.extent_a(), other.extent_a());
          const ContactFrame f = pair.frame(q, Vec3::UnitX());
          const ContactFrame g = other.frame(q, Vec3::UnitX());
          EXPECT_LT((f.normal - g.normal).norm() + (f.arm_b - g.arm_b).norm(), 1e-13);
          // The arm of a may differ along the normal.
          EXPECT_LT((f.arm_a - g.arm_a).cross(f.normal).norm(), 1e-13);
          if constexpr (!std::decay_t<decltype(other)>::has_chord) {
            Mat12 H, K;
            pair.gap_hessian(q, H);
            other.gap_hessian(q, K);
            EXPECT_LT((H - K).norm(), 1e-12 * (1.0 + K.norm()));
          }
        },
        named);
  }
}

TEST(PatchPair, of_points_is_two_spheres) {
  expect_same(
      SphereOnSphere::geometry,
      [](ContactSpec& spec) {
        spec.radius = 0.3;
        spec.face_radius = 0.4;
      },
      [](const ContactSpec& spec) {
        return std::pair(Patch{.radius = spec.face_radius}, Patch{.radius = spec.radius});
      });
  expect_same(
      SphereInSphere::geometry,
      [](ContactSpec& spec) {
        spec.radius = 0.3;
        spec.face_radius = 2.0;
      },
      [](const ContactSpec& spec) {
        return std::pair(Patch{.radius = -spec.face_radius}, Patch{.radius = spec.radius});
      });
}

TEST(PatchPair, of_a_hollow_line_and_a_point_is_a_sphere_in_a_bore) {
  expect_same(
      SphereInBore::geometry,
      [](ContactSpec& spec) {
        spec.radius = 0.3;
        spec.face_radius = 2.0;
      },
      [](const ContactSpec& spec) {
        return std::pair(Patch{.kind = Kind::line, .radius = -spec.face_radius},
                         Patch{.radius = spec.radius});
      });
}

TEST(PatchPair, of_a_plane_and_a_point_is_a_sphere_on_a_face) {
  expect_same(
      SphereOnFace::geometry, [](ContactSpec& spec) { spec.radius = 0.3; },
      [](const ContactSpec& spec) {
        return std::pair(Patch{.kind = Kind::plane}, Patch{.radius = spec.radius});
      });
}

// ---- Sharp edges

/// An edge along y that looks up, and one of b along x, or a rim above it, that looks down.
PatchPair sharp(Kind kind_b) {
  Patch a{.kind = Kind::line, .outward = Vec3(-1.0, 0.0, 0.0)}, b{.kind = kind_b};
  a.axes << -Vec3::UnitZ(), Vec3::UnitX(), -Vec3::UnitY();  // x, y, z of the edge
  if (kind_b == Kind::line) {
    b.axes << Vec3::UnitZ(), Vec3::UnitY(), -Vec3::UnitX();
    b.outward = Vec3(-1.0, 0.3, 0.0);
  } else {
    // A disc on its rim, across y, whose face looks to +y and is above the edge on the other side.
    b.axes << Vec3::UnitX(), -Vec3::UnitZ(), Vec3::UnitY();
    b.size.x() = 2.0;
    b.origin = Vec3(0.0, 0.0, 2.0);
    b.outward = Vec3(1.0, 0.0, 0.1);
  }
  return {a, b, 1, 2, false};
}

TEST(PatchPair, of_sharp_edges_goes_through_zero_smoothly) {
  for (const Kind kind : {Kind::line, Kind::circle}) {
    const PatchPair pair = sharp(kind);
    Configuration q(3);
    for (const double height : {0.1, 1e-3, 1e-9, 1e-15, 0.0, -1e-15, -1e-9, -1e-3, -0.1}) {
      q[2].x = Vec3(0.2, 0.4, height);
      const ContactFrame f = pair.frame(q, Vec3::UnitX());
      EXPECT_NEAR(f.normal.z(), 1.0, kind == Kind::line ? 1e-15 : 0.1) << height;
      if (kind == Kind::line) {
        EXPECT_NEAR(pair.gap(q), height, 1e-15);
      }
    }
  }
}

TEST(PatchPair, of_sharp_edges_has_derivatives_where_they_touch) {
  for (const Kind kind : {Kind::line, Kind::circle}) {
    const PatchPair pair = sharp(kind);
    Configuration q(3);
    q[2].x = Vec3(0.0, 0.4, 0.0);
    ASSERT_NEAR(pair.gap(q), 0.0, 1e-15);
    const auto parts = [&](const VecX& by) -> VecX {
      const Configuration there = displaced(q, 1, 2, by);
      const ContactFrame f = pair.frame(there, Vec3::UnitX());
      VecX all(10);
      all << pair.gap(there), f.normal, f.arm_a, f.arm_b;
      return all;
    };
    const ContactFrame f = pair.frame(q, Vec3::UnitX());
    const FrameDerivative d = pair.derivative(q, f);
    MatX all(10, 12);
    all.row(0) << -f.normal.transpose(), -f.arm_a.cross(f.normal).transpose(), f.normal.transpose(),
        f.arm_b.cross(f.normal).transpose();
    all.middleRows<3>(1) = d.normal;
    all.middleRows<3>(4) = d.arm_a;
    all.middleRows<3>(7) = d.arm_b;
    Differences numeric = differences(parts, 12, 1e-3);
    numeric.error *= 10.0;
    EXPECT_TRUE(agrees(all, numeric)) << (kind == Kind::line ? "line" : "circle");
  }
}

// ---- Slim bodies

TEST(PatchPair, of_slim_ellipsoids_finds_the_common_normal) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    Random random(seed);
    Patch a{.kind = Kind::ellipsoid}, b{.kind = Kind::ellipsoid};
    a.size = Vec3(random.number(0.1, 1.0), random.number(0.1, 1.0), random.number(0.1, 1.0));
    b.size = Vec3(random.number(0.1, 1.0), random.number(0.1, 1.0), random.number(0.1, 1.0));
    const Vec3 n = random.direction();
    Configuration q(3);
    q[1].R = random.axes();
    q[2].R = random.axes();
    // The point of an ellipsoid with normal n is D D n / |D n|.
    const auto farthest = [](const Mat3& R, const Vec3& size, const Vec3& along) -> Vec3 {
      const Vec3 local = size.cwiseProduct(R.transpose() * along);
      return R * size.cwiseProduct(local.normalized());
    };
    const double distance = random.number(-0.005, 0.5);
    q[2].x = farthest(q[1].R, a.size, n) + distance * n - farthest(q[2].R, b.size, -n);
    const PatchPair pair(a, b, 1, 2, false);
    EXPECT_NEAR(pair.gap(q), distance, 1e-13) << "seed " << seed;
    EXPECT_LT((pair.frame(q, Vec3::UnitX()).normal - n).norm(), 1e-9) << "seed " << seed;
  }
}

// ---- Where there is no single place of contact

TEST(PatchPair, has_finite_derivatives_and_the_right_gap_where_the_place_is_not_single) {
  struct Case {
    Patch a, b;
    Vec3 at;
    double gap;
  };
  const Patch line{.kind = Kind::line, .radius = 0.1};
  const Patch circle{.kind = Kind::circle, .size = Vec3(0.5, 0.0, 0.0)};
  const Patch plane{.kind = Kind::plane}, point{.radius = 0.1};
  const Patch bore{.kind = Kind::line, .radius = -1.0};
  for (const Case& each : {Case{line, line, Vec3(1.0, 0.0, 3.0), 0.8},     // parallel
                           Case{plane, circle, Vec3(1.0, 2.0, 0.7), 0.7},  // flat
                           Case{bore, circle, Vec3(0.0, 0.0, 3.0), 0.5},   // about the same axis
                           Case{bore, point, Vec3(0.0, 0.0, 3.0), 0.9},
                           Case{Patch{.radius = -1.0}, point, Vec3::Zero(), 0.9}}) {
    const PatchPair pair(each.a, each.b, 1, 2, false);
    Configuration q(3);
    q[2].x = each.at;
    EXPECT_NEAR(pair.gap(q), each.gap, 1e-15);
    Mat12 H;
    pair.gap_hessian(q, H);
    EXPECT_TRUE(H.allFinite());
    EXPECT_LT(H.norm(), 100.0);
  }
}

// ---- In a contact

TEST(PatchPair, is_a_contact_that_no_model_file_can_name) {
  const std::vector<Node> nodes{Node{}, testing::free_node(0), testing::free_node(6)};
  ContactSpec spec;
  spec.friction = 0.3;
  Configuration q(3);
  q[2].x = Vec3(0.0, 0.0, 1.0);
  const PatchPair pair({.radius = 0.25}, {.radius = 0.5}, 1, 2, false);
  const Contact contact(spec, pair, 1, 2, nodes);
  EXPECT_EQ(contact.gap(q), 0.25);
  EXPECT_EQ(contact.rows(), 3);
  EXPECT_EQ(contact.geometry().name, "patches");
  for (const ContactGeometry& named : contact_geometries()) EXPECT_NE(named.name, "patches");
}

}  // namespace patch_pair_test
}  // namespace clatter
