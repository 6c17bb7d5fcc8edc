#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/contact/geometry/contact.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace every_patch_pair_test {

using testing::agrees;
using testing::Differences;
using testing::differences;
using testing::displaced;
using testing::Random;
using Kind = Patch::Kind;

constexpr double pi = std::numbers::pi;

// ---- Patches as a textbook has them, apart from how the library does

/// A point of the core by angles and lengths, in its axes.
Vec3 textbook_point(const Patch& patch, double u, double w) {
  const Vec3& size = patch.size;
  switch (patch.kind) {
    case Kind::point:
      return Vec3::Zero();
    case Kind::line:
      return {0.0, 0.0, u};
    case Kind::circle:
      return {size.x() * std::cos(u), size.x() * std::sin(u), 0.0};
    case Kind::plane:
      return {u, w, 0.0};
    case Kind::cone:
      return {w * std::sin(size.x()) * std::cos(u), w * std::sin(size.x()) * std::sin(u),
              w * std::cos(size.x())};
    case Kind::ellipse:
      return {size.x() * std::cos(u), size.y() * std::sin(u), w};
    case Kind::ellipsoid:
      return {size.x() * std::cos(u) * std::cos(w), size.y() * std::sin(u) * std::cos(w),
              size.z() * std::sin(w)};
  }
  return Vec3::Zero();
}

/// Along the straight lines that some cores are made of, else zero.
Vec3 textbook_line(const Patch& patch, double u) {
  if (patch.kind == Kind::line || patch.kind == Kind::ellipse) return Vec3::UnitZ();
  return patch.kind == Kind::cone ? textbook_point(patch, u, 1.0) : Vec3(Vec3::Zero());
}

/// Out of the solid: across both tangents, which differences give. Of a line or circle any across.
Vec3 textbook_normal(const Patch& patch, double u, double w, Random& random) {
  const double h = 1e-5;
  const Vec3 du = textbook_point(patch, u + h, w) - textbook_point(patch, u - h, w);
  const Vec3 dw = textbook_point(patch, u, w + h) - textbook_point(patch, u, w - h);
  const Vec3 at = textbook_point(patch, u, w);
  switch (patch.kind) {
    case Kind::point:
      return random.direction();
    case Kind::line:
      return across(random.direction(), Vec3::UnitZ());
    case Kind::circle: {
      // Rather outwards, as the rim of a disc is touched.
      const double tilt = random.number(-1.0, 1.0);
      return std::cos(tilt) * at.normalized() + std::sin(tilt) * Vec3::UnitZ();
    }
    case Kind::plane:
      return Vec3::UnitZ();
    default: {
      const Vec3 normal = du.cross(dw).normalized();
      const Vec3 inside =
          patch.kind == Kind::ellipsoid ? Vec3(Vec3::Zero()) : Vec3(0.0, 0.0, 2.0 * at.z());
      const double sign = normal.dot(at - inside) > 0.0 ? 1.0 : -1.0;
      return patch.hollow ? Vec3(-sign * normal) : Vec3(sign * normal);
    }
  }
}

struct Pairing {
  const char* name;
  Kind a, b;
  bool inside = false;  // a is hollow and b inside
  bool planar = false;
};

/// Patches of nodes 1 and 2 that stand anywhere, made so that they have a common normal at a
/// distance that is known: for convex patches that are apart, there is no other.
class EveryPatchPair : public ::testing::TestWithParam<Pairing> {
 protected:
  static bool planar() { return GetParam().planar; }

  static Patch draw_patch(Kind kind, Random& random, double scale) {
    Patch patch;
    patch.kind = kind;
    patch.origin = planar() ? Vec3(random.number(), random.number(), 0.0) : random.vector();
    patch.axes = planar() ? about_z(random.number(-3.0, 3.0)) : random.axes();
    if (planar() && kind == Kind::plane) {
      const Vec3 normal = patch.axes.col(0);
      patch.axes << Vec3::UnitZ(), normal.cross(Vec3::UnitZ()), normal;
    }
    patch.size =
        scale * Vec3(random.number(0.7, 1.0), random.number(0.7, 1.0), random.number(0.7, 1.0));
    if (kind == Kind::cone) patch.size.x() = random.number(0.3, 0.9);
    patch.radius = scale * random.number(0.0, 0.3);
    return patch;
  }
  static Mat3 about_z(double angle) { return exp_so3(angle * Vec3::UnitZ()).toRotationMatrix(); }

  void draw(unsigned seed) {
    Random random(seed);
    const double scale_b = GetParam().inside ? 0.2 : 1.0;
    patch_a_ = draw_patch(GetParam().a, random, 1.0);
    patch_b_ = draw_patch(GetParam().b, random, scale_b);
    distance_ = random.number(0.1, 0.7);
    if (GetParam().inside && patch_a_.is_surface()) {
      patch_a_.hollow = true;
      distance_ = random.number(0.05, 0.1);
    } else if (GetParam().inside) {
      patch_a_.radius = -random.number(1.0, 1.5);
      distance_ = -random.number(0.5, 0.8);
    }
    const auto parameters = [&](const Patch& patch) {
      std::array<double, 2> p{random.number(-1.2, 1.2), random.number(-1.2, 1.2)};
      if (patch.kind == Kind::cone) p[1] += 3.0;
      if (planar() && patch.kind == Kind::ellipse) p[1] = 0.0;
      if (planar() && patch.kind == Kind::plane) p[0] = 0.0;
      return p;
    };
    const auto at_a = parameters(patch_a_), at_b = parameters(patch_b_);
    Vec3 normal_a = textbook_normal(patch_a_, at_a[0], at_a[1], random);
    Vec3 normal_b = textbook_normal(patch_b_, at_b[0], at_b[1], random);
    if (planar() && patch_a_.kind == Kind::point) normal_a = Vec3::UnitX();
    if (planar() && patch_b_.kind == Kind::point) normal_b = Vec3::UnitX();

    q_.assign(3, NodeState{});
    q_[1].x = planar() ? Vec3(random.number(), random.number(), 0.0) : random.vector();
    turn(q_[1], planar() ? exp_so3(random.number(-3.0, 3.0) * Vec3::UnitZ()) : random.rotation());
    normal_ = q_[1].R * patch_a_.axes * normal_a;
    const Vec3 of_b = patch_b_.axes * normal_b;
    Quaternion align = Quaternion::FromTwoVectors(of_b, -normal_);
    if (planar()) {
      const double angle = std::atan2(of_b.cross(-normal_).z(), -of_b.dot(normal_));
      align = exp_so3(angle * Vec3::UnitZ());
    } else {
      // What is straight must cross, and does if it is not turned by less than that.
      const Vec3 line_a = q_[1].R * patch_a_.axes * textbook_line(patch_a_, at_a[0]);
      const Vec3 line_b = align * Vec3(patch_b_.axes * textbook_line(patch_b_, at_b[0]));
      const double between = std::atan2(normal_.dot(line_b.cross(line_a)), line_b.dot(line_a));
      align = exp_so3((between + random.number(0.5, 2.6)) * normal_) * align;
    }
    turn(q_[2], align.normalized());
    place_a_ = in_space(1, patch_a_, at_a);
    q_[2].x += place_a_ + distance_ * normal_ - in_space(2, patch_b_, at_b);
    place_b_ = in_space(2, patch_b_, at_b);
    tangent_ = random.direction();
    pair_.emplace(patch_a_, patch_b_, 1, 2, planar());
  }
  static void turn(NodeState& node, const Quaternion& p) {
    node.p = p;
    node.R = p.toRotationMatrix();
  }
  Vec3 in_space(std::size_t node, const Patch& patch, const std::array<double, 2>& at) const {
    return q_[node].x +
           q_[node].R * (patch.origin + patch.axes * textbook_point(patch, at[0], at[1]));
  }
  bool has_circle() const { return patch_a_.kind == Kind::circle || patch_b_.kind == Kind::circle; }
  static bool has_surface() {
    return Patch{.kind = GetParam().a}.is_surface() || Patch{.kind = GetParam().b}.is_surface();
  }
  double radii() const { return patch_a_.radius + patch_b_.radius; }

  template <class Check>
  void at_random_states(const Check& check, unsigned count = 20) {
    for (unsigned seed = 0; seed < count; ++seed) {
      draw(seed);
      check();
      if (HasFailure()) FAIL() << "seed " << seed;
    }
  }

  /// Displacements that planar bodies can make, or all.
  static std::vector<Eigen::Index> columns() {
    if (planar()) return {0, 1, 5, 6, 7, 11};
    return {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  }
  Configuration moved(const VecX& by) const {
    Vec12 all = Vec12::Zero();
    const std::vector<Eigen::Index> moving = columns();
    for (std::size_t i = 0; i < moving.size(); ++i) {
      all[moving[i]] = by[static_cast<Eigen::Index>(i)];
    }
    return displaced(q_, 1, 2, all);
  }
  Vec12 normal_row(const Configuration& q) const {
    const ContactFrame f = pair_->frame(q, tangent_);
    Vec12 row;
    row << -f.normal, -q[1].R.transpose() * f.arm_a.cross(f.normal), f.normal,
        q[2].R.transpose() * f.arm_b.cross(f.normal);
    return row;
  }
  /// Differences of a solution that is known to some ten units in the last place, because its
  /// equations are as badly conditioned; steps are small for curvatures of radius 0.1.
  template <class Function>
  static Differences of_solution(const Function& f) {
    Differences found = differences(f, static_cast<Eigen::Index>(columns().size()), 1e-3);
    found.error *= 10.0;
    return found;
  }

  void expect_derivative_of_frame() {
    tangent_ = pair_->frame(q_, tangent_).tangents[0];
    const auto parts = [&](const VecX& by) -> VecX {
      const ContactFrame f = pair_->frame(moved(by), tangent_);
      VecX all(15);
      all << f.normal, f.tangents[0], f.tangents[1], f.arm_a, f.arm_b;
      return all;
    };
    const FrameDerivative d = pair_->derivative(q_, pair_->frame(q_, tangent_));
    MatX all(15, 12);
    all << d.normal, d.tangents[0], d.tangents[1], d.arm_a, d.arm_b;
    EXPECT_TRUE(agrees(all(Eigen::all, columns()), of_solution(parts)));
  }

  Patch patch_a_, patch_b_;
  Configuration q_;
  double distance_ = 0.0;
  Vec3 normal_, place_a_, place_b_, tangent_;
  std::optional<PatchPair> pair_;
};

/// The least of a function of up to four variables near a place, by trying steps along each of them
/// and halving those that help nowhere. The value has twice the digits of the place.
double least_near(const std::function<double(const VecX&)>& f, VecX at, double step) {
  double least = f(at);
  while (step > 1e-7) {
    bool better = false;
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      for (const double sign : {1.0, -1.0}) {
        VecX next = at;
        next[i] += sign * step;
        const double value = f(next);
        if (value >= least) continue;
        least = value;
        at = next;
        better = true;
      }
    }
    if (!better) step *= 0.5;
  }
  return least;
}

TEST_P(EveryPatchPair, touches_where_the_patches_have_a_common_normal) {
  at_random_states(
      [&] {
        if (has_circle()) return;  // has several
        EXPECT_NEAR(pair_->gap(q_), distance_ - radii(), 1e-9);
        // Differences of the textbook have the normal to their spacing squared.
        const ContactFrame f = pair_->frame(q_, tangent_);
        EXPECT_LT((f.normal - normal_).norm(), 1e-7);
        EXPECT_LT((q_[1].x + f.arm_a - place_a_ - patch_a_.radius * normal_).norm(), 1e-7);
        EXPECT_LT((q_[2].x + f.arm_b - place_b_ + patch_b_.radius * normal_).norm(), 1e-7);
      },
      200);
}

TEST_P(EveryPatchPair, gap_is_the_least_distance_found_by_trying) {
  if (GetParam().inside && !Patch{.kind = GetParam().a}.is_surface()) return;  // see below
  at_random_states(
      [&] {
        const auto distance = [&](const VecX& at) {
          // Cones end at their tip.
          if (patch_a_.kind == Kind::cone && at[1] < 0.0) return 1e9;
          if (patch_b_.kind == Kind::cone && at[3] < 0.0) return 1e9;
          return (in_space(2, patch_b_, {at[2], at[3]}) - in_space(1, patch_a_, {at[0], at[1]}))
              .norm();
        };
        // From wherever a circle may be nearest; elsewhere near the common normal.
        double least = 1e9;
        const int starts = has_circle() ? 6 : 1;
        for (int i = 0; i < starts * starts; ++i) {
          const VecX at = Eigen::Vector4d(2.0 * pi / starts * (i / starts), 0.5,
                                          2.0 * pi / starts * (i % starts), 0.5);
          least = std::min(least, least_near(distance, at, 0.5));
        }
        const ContactFrame f = pair_->frame(q_, tangent_);
        // Circles may have sunk into what they touch: there is no distance then.
        if (has_circle() && pair_->gap(q_) + radii() < 0.0) return;
        EXPECT_NEAR(pair_->gap(q_), least - radii(), 1e-9);
        const Vec3 between = q_[2].x + f.arm_b - q_[1].x - f.arm_a;
        EXPECT_LT((between - pair_->gap(q_) * f.normal).norm(), 1e-13);
      },
      10);
}

// Inside a bore that is the point of b furthest from its axis.
TEST_P(EveryPatchPair, gap_in_a_bore_is_its_radius_less_the_largest_distance_found_by_trying) {
  if (!GetParam().inside || GetParam().a != Kind::line) return;
  at_random_states(
      [&] {
        const Vec3 axis = q_[1].R * patch_a_.axes.col(2);
        const auto distance = [&](const VecX& at) {
          return -axis.cross(in_space(2, patch_b_, {at[0], at[1]}) - place_a_).norm();
        };
        double most = 0.0;
        for (int i = 0; i < 6; ++i) {
          most = std::max(most, -least_near(distance, Eigen::Vector2d(i, 0.3), 0.5));
        }
        EXPECT_NEAR(pair_->gap(q_), -most - radii(), 1e-9);
      },
      10);
}

TEST_P(EveryPatchPair, of_convex_surfaces_that_overlap_has_the_least_depth) {
  if (GetParam().inside || !has_surface()) return;
  if (GetParam().a == Kind::circle || GetParam().b == Kind::circle) return;
  at_random_states(
      [&] {
        const double depth = 0.1;
        q_[2].x -= (distance_ + depth) * normal_;
        EXPECT_NEAR(pair_->gap(q_), -depth - radii(), 1e-9);
        EXPECT_LT((pair_->frame(q_, tangent_).normal - normal_).norm(), 1e-7);
      },
      100);
}

TEST_P(EveryPatchPair, normal_row_is_the_derivative_of_the_gap) {
  at_random_states([&] {
    const auto gap = [&](const VecX& by) { return VecX::Constant(1, pair_->gap(moved(by))); };
    const MatX row = normal_row(q_)(columns()).transpose();
    EXPECT_TRUE(agrees(row, of_solution(gap)));
  });
}

TEST_P(EveryPatchPair, hessian_is_the_derivative_of_the_normal_row) {
  at_random_states([&] {
    const auto row = [&](const VecX& by) -> VecX { return normal_row(moved(by))(columns()); };
    Mat12 H;
    pair_->gap_hessian(q_, H);
    EXPECT_TRUE(agrees(H(columns(), columns()), of_solution(row)));
  });
}

TEST_P(EveryPatchPair, derivative_is_that_of_the_frame) {
  at_random_states([&] { expect_derivative_of_frame(); });
}

// There the direction from one core to the other says nothing.
TEST_P(EveryPatchPair, derivative_is_that_of_the_frame_also_where_a_surface_meets_a_sharp_core) {
  if (GetParam().inside || !has_surface()) return;
  at_random_states([&] {
    q_[2].x -= (pair_->gap(q_) + radii()) * pair_->frame(q_, tangent_).normal;
    ASSERT_NEAR(pair_->gap(q_), -radii(), 1e-14);
    expect_derivative_of_frame();
  });
}

TEST_P(EveryPatchPair, is_the_same_with_the_nodes_in_the_other_order) {
  at_random_states([&] {
    const PatchPair other(patch_b_, patch_a_, 2, 1, planar());
    const ContactFrame f = pair_->frame(q_, tangent_), back = other.frame(q_, tangent_);
    EXPECT_NEAR(other.gap(q_), pair_->gap(q_), 1e-13);
    EXPECT_LT((f.normal + back.normal).norm(), 1e-11);
    EXPECT_LT((f.arm_a - back.arm_b).norm() + (f.arm_b - back.arm_a).norm(), 1e-11);
  });
}

TEST_P(EveryPatchPair, has_no_unit_of_length) {
  at_random_states([&] {
    const double scale = 1e-3;
    const double before = pair_->gap(q_);
    for (Patch* patch : {&patch_a_, &patch_b_}) {
      patch->origin *= scale;
      patch->radius *= scale;
      if (patch->kind != Kind::cone) patch->size *= scale;
    }
    for (NodeState& node : q_) node.x *= scale;
    const PatchPair small(patch_a_, patch_b_, 1, 2, planar());
    EXPECT_NEAR(small.gap(q_), scale * before, 1e-13 * scale);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Patches, EveryPatchPair,
    ::testing::Values(
        Pairing{"point_point", Kind::point, Kind::point},
        Pairing{"point_line", Kind::point, Kind::line},
        Pairing{"point_circle", Kind::point, Kind::circle},
        Pairing{"plane_point", Kind::plane, Kind::point},
        Pairing{"cone_point", Kind::cone, Kind::point},
        Pairing{"ellipse_point", Kind::ellipse, Kind::point},
        Pairing{"point_ellipsoid", Kind::point, Kind::ellipsoid},
        Pairing{"line_line", Kind::line, Kind::line},
        Pairing{"circle_line", Kind::circle, Kind::line},
        Pairing{"cone_line", Kind::cone, Kind::line},
        Pairing{"line_ellipse", Kind::line, Kind::ellipse},
        Pairing{"line_ellipsoid", Kind::line, Kind::ellipsoid},
        Pairing{"circle_circle", Kind::circle, Kind::circle},
        Pairing{"plane_circle", Kind::plane, Kind::circle},
        Pairing{"circle_cone", Kind::circle, Kind::cone},
        Pairing{"circle_ellipse", Kind::circle, Kind::ellipse},
        Pairing{"ellipsoid_circle", Kind::ellipsoid, Kind::circle},
        Pairing{"plane_ellipsoid", Kind::plane, Kind::ellipsoid},
        Pairing{"cone_cone", Kind::cone, Kind::cone},
        Pairing{"ellipse_cone", Kind::ellipse, Kind::cone},
        Pairing{"cone_ellipsoid", Kind::cone, Kind::ellipsoid},
        Pairing{"ellipse_ellipse", Kind::ellipse, Kind::ellipse},
        Pairing{"ellipsoid_ellipse", Kind::ellipsoid, Kind::ellipse},
        Pairing{"ellipsoid_ellipsoid", Kind::ellipsoid, Kind::ellipsoid},
        Pairing{"hollow_sphere", Kind::point, Kind::point, true},
        Pairing{"hollow_sphere_circle", Kind::point, Kind::circle, true},
        Pairing{"hollow_sphere_ellipsoid", Kind::point, Kind::ellipsoid, true},
        Pairing{"bore_point", Kind::line, Kind::point, true},
        Pairing{"bore_circle", Kind::line, Kind::circle, true},
        Pairing{"bore_ellipsoid", Kind::line, Kind::ellipsoid, true},
        Pairing{"groove_point", Kind::circle, Kind::point, true},
        Pairing{"hollow_cone_point", Kind::cone, Kind::point, true},
        Pairing{"hollow_cone_ellipsoid", Kind::cone, Kind::ellipsoid, true},
        Pairing{"hollow_ellipse_point", Kind::ellipse, Kind::point, true},
        Pairing{"hollow_ellipsoid_point", Kind::ellipsoid, Kind::point, true},
        Pairing{"hollow_ellipsoid_circle", Kind::ellipsoid, Kind::circle, true},
        Pairing{"hollow_ellipsoid_ellipsoid", Kind::ellipsoid, Kind::ellipsoid, true},
        Pairing{"disc_disc", Kind::point, Kind::point, false, true},
        Pairing{"disc_ellipse_in_plane", Kind::point, Kind::ellipse, false, true},
        Pairing{"line_disc_in_plane", Kind::plane, Kind::point, false, true},
        Pairing{"line_ellipse_in_plane", Kind::plane, Kind::ellipse, false, true},
        Pairing{"ellipse_ellipse_in_plane", Kind::ellipse, Kind::ellipse, false, true},
        Pairing{"disc_in_hollow_ellipse", Kind::ellipse, Kind::point, true, true},
        Pairing{"ellipse_in_hollow_ellipse", Kind::ellipse, Kind::ellipse, true, true}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace every_patch_pair_test
}  // namespace clatter
