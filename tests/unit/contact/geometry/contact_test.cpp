#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clatter/contact/geometry/contact.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace {

using testing::agrees;
using testing::differences;
using testing::free_node;
using testing::planar_node;
using testing::Random;

const std::vector<Node> in_space{Node{}, free_node(0), free_node(6)};
const std::vector<Node> in_plane{Node{}, planar_node(0), planar_node(3)};

PairRows rows_of(const Contact& contact, const Configuration& q) {
  PairRows rows(contact.rows(), 12);
  contact.rates(q, contact.frame(q, Vec3::Zero()), rows);
  return rows;
}

VecX rates(const Contact& contact, const Configuration& q, const NodalVector& v) {
  return rows_of(contact, q) * of_pair(v, contact.a(), contact.b());
}

TEST(Contact, gap_is_the_height_of_the_point_above_the_face) {
  ContactSpec spec;
  spec.face.point = Vec3(0.0, 0.0, 0.5);
  spec.direction = Vec3(0.0, 0.0, 2.0);  // need not be a unit
  spec.point.point = Vec3(0.0, 0.0, -0.25);
  const Contact contact(spec, ground, 1, in_space);
  Configuration q(3);
  q[1].x = Vec3(4.0, 5.0, 1.0);
  EXPECT_DOUBLE_EQ(contact.gap(q), 0.25);
  q[1].x.z() = 0.5;
  EXPECT_DOUBLE_EQ(contact.gap(q), -0.25);
}

TEST(Contact, has_a_right_handed_orthonormal_frame) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ContactSpec spec;
    spec.direction = random.vector(3.0);
    spec.friction = 0.3;
    const ContactFrame f = Contact(spec, 1, 2, in_space).frame(Configuration(3), Vec3::Zero());
    Mat3 axes;
    axes << f.tangents[0], f.tangents[1], f.normal;
    EXPECT_LT((axes.transpose() * axes - Mat3::Identity()).norm(), 1e-15 * 4);
    EXPECT_NEAR(axes.determinant(), 1.0, 1e-15 * 4);
  }
}

TEST(Contact, has_one_row_without_friction_two_in_the_plane_three_in_space) {
  ContactSpec spec;
  spec.direction = Vec3::UnitY();
  EXPECT_EQ(Contact(spec, 1, 2, in_space).rows(), 1);
  EXPECT_EQ(Contact(spec, 1, 2, in_plane).rows(), 1);
  spec.friction = 0.1;
  EXPECT_EQ(Contact(spec, 1, 2, in_space).rows(), 3);
  EXPECT_EQ(Contact(spec, 1, 2, in_plane).rows(), 2);
  EXPECT_EQ(Contact(spec, ground, 2, in_plane).rows(), 2);
}

TEST(Contact, planar_tangent_points_along_x_for_an_upward_normal) {
  ContactSpec spec;
  spec.direction = Vec3::UnitY();
  spec.friction = 0.1;
  const Contact contact(spec, ground, 1, in_plane);
  EXPECT_EQ(contact.frame(Configuration(3), Vec3::Zero()).tangents[0], Vec3::UnitX());
}

// Rates of gap and slip are the velocity of the point relative to the material point of the face
// under it, seen in the frame of the face.
TEST(Contact, rates_are_the_velocity_of_the_point_relative_to_the_face) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ContactSpec spec;
    spec.face.point = random.vector();
    spec.point.point = random.vector();
    spec.direction = random.direction();
    spec.friction = 0.3;
    const Contact contact(spec, 1, 2, in_space);
    const Configuration q = random.configuration(2);
    const NodalVector v = random.numbers(18);
    const auto velocity_at = [&](std::size_t node, const Vec3& point) -> Vec3 {
      const Vec3 spin = q[node].R * v.segment<3>(6 * static_cast<Eigen::Index>(node) + 3);
      return v.segment<3>(6 * static_cast<Eigen::Index>(node)) + spin.cross(point - q[node].x);
    };
    const Vec3 point = q[2].x + q[2].R * spec.point.point;
    const Vec3 relative = velocity_at(2, point) - velocity_at(1, point);
    const ContactFrame f = contact.frame(q, Vec3::Zero());
    const Vec3 expected(f.normal.dot(relative), f.tangents[0].dot(relative),
                        f.tangents[1].dot(relative));
    EXPECT_LT((rates(contact, q, v) - expected).norm(), 1e-14) << "seed " << seed;
  }
}

TEST(Contact, normal_row_pushes_the_point_out_and_the_face_back) {
  ContactSpec spec;
  spec.direction = Vec3::UnitZ();
  const Contact contact(spec, 1, 2, in_space);
  const Vec12 g = rows_of(contact, Configuration(3)).row(0);
  EXPECT_EQ(g[8], 1.0);
  EXPECT_EQ(g[2], -1.0);
}

// ---- Every pair of surfaces, in space and in the plane

struct Surfaces {
  const char* name;
  ContactGeometry geometry;
  bool planar;
  bool patch = false;  // Coulomb-Contensou
};

// Either node may be the ground.
const std::vector<std::pair<int, int>> pairs{{1, 2}, {2, 1}, {ground, 1}, {2, ground}};

/// A contact of bodies that stand anywhere, with all the friction that its kind can have; the
/// centres of spheres are not at the nodes.
class EveryContact : public ::testing::TestWithParam<Surfaces> {
 protected:
  static bool planar() { return GetParam().planar; }
  static bool on_face() {
    return GetParam().geometry == PointOnFace::geometry ||
           GetParam().geometry == SphereOnFace::geometry;
  }
  static bool in_bore() { return GetParam().geometry == SphereInBore::geometry; }
  static const std::vector<Node>& nodes() { return planar() ? in_plane : in_space; }

  static Vec3 flat(Vec3 v) {
    if (planar()) v.z() = 0.0;
    return v;
  }

  void draw(unsigned seed, int a, int b) {
    Random random(seed);
    q_.assign(3, NodeState{});
    for (std::size_t n = 1; n < q_.size(); ++n) {
      q_[n].x = flat(random.vector());
      q_[n].angle = random.number(-3.0, 3.0);
      q_[n].p = planar() ? exp_so3(q_[n].angle * Vec3::UnitZ()) : random.rotation();
      q_[n].R = q_[n].p.toRotationMatrix();
    }
    v_ = random.numbers(18);
    for (std::size_t n = 0; n < nodes().size(); ++n) {
      for (std::size_t i = 0; i < 6; ++i) {
        if (!nodes()[n].has(static_cast<int>(i))) v_[static_cast<Eigen::Index>(6 * n + i)] = 0.0;
      }
    }
    tangent_ = random.direction();

    spec_ = ContactSpec{};
    spec_.geometry = GetParam().geometry;
    spec_.point.point = flat(random.vector());
    spec_.face.point = flat(random.vector());
    spec_.direction = flat(Vec3(0.5, 0.6, 0.7) + random.vector(0.4));
    if (GetParam().geometry != PointOnFace::geometry) {
      spec_.radius = random.number(0.2, 0.5);
    }
    if (GetParam().geometry == SphereOnSphere::geometry) {
      spec_.face_radius = random.number(0.2, 0.5);
    }
    if (GetParam().geometry == SphereInSphere::geometry) {
      spec_.face_radius = random.number(1.0, 2.0);
    }
    if (in_bore()) spec_.face_radius = random.number(1.0, 2.0);
    spec_.friction = 0.3;
    spec_.rolling_friction = 0.02;
    if (GetParam().patch) {
      spec_.patch_radius = random.number(0.1, 0.4);
    } else if (!planar()) {
      spec_.drilling_friction = 0.01;
    }
    contact_.emplace(spec_, a, b, nodes());
  }

  /// Calls `check()` for each pair of nodes at many random states.
  template <class Check>
  void at_random_states(const Check& check) {
    for (unsigned seed = 0; seed < 25; ++seed) {
      for (const auto& [a, b] : pairs) {
        draw(seed, a, b);
        // Differences err with one over the distance of the centres.
        if (!on_face() && (centre_b() - centre_a()).norm() < 0.5) continue;
        check();
        if (HasFailure()) FAIL() << "seed " << seed << ", nodes " << a << ", " << b;
      }
    }
  }

  const NodeState& state_a() const { return q_[static_cast<std::size_t>(contact_->a())]; }
  const NodeState& state_b() const { return q_[static_cast<std::size_t>(contact_->b())]; }
  /// Of a bore the point of its axis that is nearest to b.
  Vec3 centre_a() const {
    const Vec3 point = state_a().x + state_a().R * spec_.face.point;
    if (!in_bore()) return point;
    const Vec3 axis = state_a().R * spec_.direction.normalized();
    return point + axis.dot(centre_b() - point) * axis;
  }
  Vec3 centre_b() const { return state_b().x + state_b().R * spec_.point.point; }

  Vec3 spin(int node) const {
    return q_[static_cast<std::size_t>(node)].R * of_node(v_, node).tail<3>();
  }
  /// Of the point of a node that is at `place` in space.
  Vec3 velocity_at(int node, const Vec3& place) const {
    const Vec3 arm = place - q_[static_cast<std::size_t>(node)].x;
    return Vec3(of_node(v_, node).head<3>()) + spin(node).cross(arm);
  }
  /// Out of the surface of a, towards b.
  Vec3 normal() const {
    if (on_face()) return state_a().R * spec_.direction.normalized();
    const Vec3 outward = (centre_b() - centre_a()).normalized();
    return GetParam().geometry.inside ? Vec3(-outward) : outward;
  }
  /// Where b touches, and what of a touches it: of a face the point under it.
  Vec3 place_on_b() const { return centre_b() - spec_.radius * normal(); }
  Vec3 place_on_a() const {
    if (on_face()) return place_on_b();
    const Vec3 outward = (centre_b() - centre_a()).normalized();
    return centre_a() + spec_.face_radius * outward;
  }

  ContactFrame frame() const { return contact_->frame(q_, tangent_); }
  PairRows rows(const Configuration& q) const {
    PairRows rows(contact_->rows(), 12);
    contact_->rates(q, contact_->frame(q, tangent_), rows);
    return rows;
  }
  VecX rates() const { return rows(q_) * of_pair(v_, contact_->a(), contact_->b()); }

  /// Columns of the rows that belong to unknowns.
  std::vector<Eigen::Index> unknowns() const {
    std::vector<Eigen::Index> columns;
    for (int i = 0; i < 12; ++i) {
      const int node = i < 6 ? contact_->a() : contact_->b();
      if (nodes()[static_cast<std::size_t>(node)].has(i % 6)) columns.push_back(i);
    }
    return columns;
  }
  Configuration moved(const VecX& by) const {
    NodalVector increment = NodalVector::Zero(18);
    const std::vector<Eigen::Index> columns = unknowns();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const int node = columns[k] < 6 ? contact_->a() : contact_->b();
      increment[6 * node + columns[k] % 6] = by[static_cast<Eigen::Index>(k)];
    }
    Configuration q = q_;
    retract(nodes(), q_, increment, q);
    return q;
  }

  ContactSpec spec_;
  std::optional<Contact> contact_;
  Configuration q_;
  NodalVector v_;
  Vec3 tangent_ = Vec3::Zero();
};

TEST_P(EveryContact, gap_is_the_distance_of_the_surfaces) {
  at_random_states([&] {
    // From the surface of a to the nearest point of b, positive along the normal.
    const Vec3 from = on_face() ? centre_a() : place_on_a();
    EXPECT_NEAR(contact_->gap(q_), normal().dot(place_on_b() - from), 1e-14);
  });
}

TEST_P(EveryContact, normal_row_is_the_derivative_of_the_gap) {
  at_random_states([&] {
    const auto gap = [&](const VecX& by) { return VecX::Constant(1, contact_->gap(moved(by))); };
    const std::vector<Eigen::Index> columns = unknowns();
    const MatX row = rows(q_)(0, columns);
    EXPECT_TRUE(agrees(row, differences(gap, row.cols())));
  });
}

TEST_P(EveryContact, hessian_is_the_derivative_of_the_normal_row) {
  at_random_states([&] {
    const std::vector<Eigen::Index> columns = unknowns();
    const auto row = [&](const VecX& by) -> VecX {
      return rows(moved(by))(0, columns).transpose();
    };
    Mat12 H;
    contact_->gap_hessian(q_, H);
    EXPECT_TRUE(
        agrees(H(columns, columns), differences(row, static_cast<Eigen::Index>(columns.size()))));
  });
}

TEST_P(EveryContact, derivatives_of_rates_and_forces_are_those_of_the_rows) {
  at_random_states([&] {
    tangent_ = frame().tangents[0];  // tangents are carried along from where they are
    const std::vector<Eigen::Index> columns = unknowns();
    const auto count = static_cast<Eigen::Index>(columns.size());
    const Vec12 v = of_pair(v_, contact_->a(), contact_->b());
    const RowVector reaction = Random(3).numbers(contact_->rows());
    const FrameDerivative d = contact_->derivative(q_, frame());
    PairRows derivative;
    contact_->rates_derivative(q_, frame(), d, v, derivative);
    const auto rates_there = [&](const VecX& by) -> VecX { return rows(moved(by)) * v; };
    EXPECT_TRUE(agrees(derivative(Eigen::all, columns), differences(rates_there, count)));

    Mat12 stiffness;
    contact_->force_derivative(q_, frame(), d, reaction, stiffness);
    const auto force_there = [&](const VecX& by) -> VecX {
      const Vec12 force = rows(moved(by)).transpose() * reaction;
      return force(columns);
    };
    EXPECT_TRUE(agrees(stiffness(columns, columns), differences(force_there, count)));
  });
}

TEST_P(EveryContact, rows_change_in_time_as_the_bodies_move) {
  at_random_states([&] {
    tangent_ = frame().tangents[0];
    const std::vector<Eigen::Index> columns = unknowns();
    const Vec12 v = of_pair(v_, contact_->a(), contact_->b());
    PairRows rate;
    contact_->rows_rate(q_, frame(), contact_->derivative(q_, frame()), v, rate);
    const auto rows_then = [&](const VecX& time) -> VecX {
      const PairRows then = rows(moved(time[0] * v(columns)));
      return MatX(then(Eigen::all, columns)).reshaped();
    };
    EXPECT_TRUE(agrees(MatX(rate(Eigen::all, columns)).reshaped(), differences(rows_then, 1)));
  });
}

TEST_P(EveryContact, sliding_rows_are_the_velocity_of_b_relative_to_a_where_they_touch) {
  at_random_states([&] {
    const Vec3 relative =
        velocity_at(contact_->b(), place_on_b()) - velocity_at(contact_->a(), place_on_a());
    const FrictionBlock& sliding = *contact_->block(FrictionKind::sliding);
    EXPECT_NEAR(rates()[0], normal().dot(relative), 1e-14);
    for (int i = 0; i < (planar() ? 1 : 2); ++i) {
      EXPECT_NEAR(rates()[sliding.first_row + i],
                  frame().tangents[static_cast<std::size_t>(i)].dot(relative), 1e-14);
    }
  });
}

TEST_P(EveryContact, rolling_rows_are_the_angular_velocity_of_b_relative_to_a_across_the_normal) {
  at_random_states([&] {
    const Vec3 relative = spin(contact_->b()) - spin(contact_->a());
    const FrictionBlock& rolling = *contact_->block(FrictionKind::rolling);
    ASSERT_EQ(rolling.rows, planar() ? 1 : 2);
    if (planar()) {
      EXPECT_NEAR(rates()[rolling.first_row], relative.z(), 1e-14);
      return;
    }
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(rates()[rolling.first_row + i],
                  frame().tangents[static_cast<std::size_t>(i)].dot(relative), 1e-14);
    }
  });
}

TEST_P(EveryContact, drilling_is_the_angular_velocity_of_b_relative_to_a_about_the_normal) {
  at_random_states([&] {
    const double relative = normal().dot(spin(contact_->b()) - spin(contact_->a()));
    const FrictionBlock* drilling = contact_->block(FrictionKind::drilling);
    if (GetParam().patch) {
      // Coulomb-Contensou: the last row of sliding.
      const FrictionBlock& sliding = *contact_->block(FrictionKind::sliding);
      ASSERT_EQ(sliding.rows, 3);
      EXPECT_NEAR(rates()[sliding.first_row + 2],
                  3.0 * std::numbers::pi / 16.0 * spec_.patch_radius * relative, 1e-14);
      EXPECT_EQ(drilling, nullptr);
    } else if (planar()) {
      EXPECT_EQ(drilling, nullptr);
    } else {
      ASSERT_NE(drilling, nullptr);
      EXPECT_NEAR(rates()[drilling->first_row], relative, 1e-14);
    }
  });
}

TEST_P(EveryContact, frame_has_the_normal_and_two_tangents_across_it) {
  at_random_states([&] {
    const ContactFrame f = frame();
    EXPECT_LT((f.normal - normal()).norm(), 1e-14);
    Mat3 axes;
    axes << f.tangents[0], f.tangents[1], f.normal;
    EXPECT_LT((axes.transpose() * axes - Mat3::Identity()).norm(), 1e-14);
    if (planar()) {
      // The normal is x turned to the left: (T_1, N, z) is right-handed.
      EXPECT_NEAR(axes.determinant(), -1.0, 1e-14);
      EXPECT_EQ(f.tangents[1], Vec3::UnitZ());
    } else {
      EXPECT_NEAR(axes.determinant(), 1.0, 1e-14);
    }
    EXPECT_LT((state_a().x + f.arm_a - place_on_a()).norm(), 1e-14);
    EXPECT_LT((state_b().x + f.arm_b - place_on_b()).norm(), 1e-14);
  });
}

TEST_P(EveryContact, reactions_obey_action_and_reaction_where_the_surfaces_meet) {
  at_random_states([&] {
    // At a gap of zero both points are one, and what a row does to a motion as one body is nothing.
    const int mover = contact_->b() == ground ? contact_->a() : contact_->b();
    const double sense = mover == contact_->b() ? -1.0 : 1.0;
    q_[static_cast<std::size_t>(mover)].x += sense * contact_->gap(q_) * normal();
    ASSERT_NEAR(contact_->gap(q_), 0.0, 1e-14);
    const Vec3 velocity = flat(Vec3(0.3, -0.4, 0.5));
    const Vec3 turn = planar() ? Vec3(0.0, 0.0, 0.7) : Vec3(0.7, -0.2, 0.4);
    Vec12 common;
    common << velocity + turn.cross(state_a().x), state_a().R.transpose() * turn,
        velocity + turn.cross(state_b().x), state_b().R.transpose() * turn;
    EXPECT_LT((rows(q_) * common).norm(), 1e-14);
  });
}

TEST_P(EveryContact, tangents_follow_a_small_motion) {
  at_random_states([&] {
    const Vec3 before = frame().tangents[0];
    Random random(7);
    const double small = 1e-3;
    const Configuration q =
        moved(random.numbers(static_cast<Eigen::Index>(unknowns().size()), small));
    const ContactFrame after = contact_->frame(q, before);
    // A face turns by at most two such motions, the normal of spheres by motion over distance: at
    // most ten over half a metre.
    EXPECT_LT((after.tangents[0] - before).norm(), 20.0 * small);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Surfaces, EveryContact,
    ::testing::Values(
        Surfaces{"point_on_face", PointOnFace::geometry, false},
        Surfaces{"point_on_face_with_patch", PointOnFace::geometry, false, true},
        Surfaces{"sphere_on_face", SphereOnFace::geometry, false},
        Surfaces{"sphere_on_face_with_patch", SphereOnFace::geometry, false, true},
        Surfaces{"sphere_on_sphere", SphereOnSphere::geometry, false},
        Surfaces{"sphere_on_sphere_with_patch", SphereOnSphere::geometry, false, true},
        Surfaces{"sphere_in_sphere", SphereInSphere::geometry, false},
        Surfaces{"sphere_in_sphere_with_patch", SphereInSphere::geometry, false, true},
        Surfaces{"sphere_in_bore", SphereInBore::geometry, false},
        Surfaces{"sphere_in_bore_with_patch", SphereInBore::geometry, false, true},
        Surfaces{"point_on_line", PointOnFace::geometry, true},
        Surfaces{"disc_on_line", SphereOnFace::geometry, true},
        Surfaces{"disc_on_disc", SphereOnSphere::geometry, true},
        Surfaces{"disc_in_circle", SphereInSphere::geometry, true}),
    [](const auto& test) { return std::string(test.param.name); });

// ---- Signs that can be told by hand

/// A sphere of radius 1 m at x = 3 m against one of 1.5 m at the origin, both free.
ContactSpec two_spheres() {
  ContactSpec spec;
  spec.geometry = SphereOnSphere::geometry;
  spec.radius = 1.0;
  spec.face_radius = 1.5;
  spec.friction = 0.3;
  return spec;
}

TEST(SpheresInContact, are_apart_by_the_distance_of_their_centres_less_their_radii) {
  Configuration q(3);
  q[2].x = Vec3(3.0, 0.0, 0.0);
  EXPECT_DOUBLE_EQ(Contact(two_spheres(), 1, 2, in_space).gap(q), 0.5);
  ContactSpec hollow = two_spheres();
  hollow.geometry = SphereInSphere::geometry;
  hollow.face_radius = 5.0;
  EXPECT_DOUBLE_EQ(Contact(hollow, 1, 2, in_space).gap(q), 1.0);
}

TEST(SpheresInContact, push_each_other_apart_from_outside_and_inward_in_a_hollow) {
  Configuration q(3);
  q[2].x = Vec3(3.0, 0.0, 0.0);
  const Vec12 outside = rows_of(Contact(two_spheres(), 1, 2, in_space), q).row(0);
  EXPECT_EQ(outside[6], 1.0);
  EXPECT_EQ(outside[0], -1.0);
  ContactSpec hollow = two_spheres();
  hollow.geometry = SphereInSphere::geometry;
  hollow.face_radius = 4.0;
  const Contact inside(hollow, 1, 2, in_space);
  EXPECT_EQ(inside.frame(q, Vec3::Zero()).normal, Vec3(-1.0, 0.0, 0.0));
  const Vec12 pushed = rows_of(inside, q).row(0);
  EXPECT_EQ(pushed[6], -1.0);
  EXPECT_EQ(pushed[0], 1.0);
}

TEST(SpheresInContact, do_not_slip_when_they_roll_like_gears) {
  for (const bool planar : {false, true}) {
    ContactSpec spec = two_spheres();
    spec.rolling_friction = 0.1;
    const Contact contact(spec, 1, 2, planar ? in_plane : in_space);
    Configuration q(3);
    q[2].x = Vec3(0.0, 2.5, 0.0);
    NodalVector v = NodalVector::Zero(18);
    v[6 + 5] = 2.0;    // about z, 3 m/s at the rim
    v[12 + 5] = -3.0;  // the other way round, 3 m/s as well
    const VecX rate = rates(contact, q, v);
    EXPECT_LT(rate.head(planar ? 2 : 3).norm(), 1e-15);
    EXPECT_NEAR(rate.tail(planar ? 1 : 2).norm(), 5.0, 1e-15 * 8);
    if (planar) {
      EXPECT_EQ(rate[2], -5.0);
    }
  }
}

TEST(SpheresInContact, do_not_slip_when_one_rolls_inside_a_hollow_one) {
  ContactSpec spec = two_spheres();
  spec.geometry = SphereInSphere::geometry;
  spec.face_radius = 4.0;
  for (const bool planar : {false, true}) {
    const Contact contact(spec, ground, 1, planar ? in_plane : in_space);
    Configuration q(3);
    q[1].x = Vec3(0.0, -3.0, 0.0);
    NodalVector v = NodalVector::Zero(18);
    v[6] = 2.0;       // to the right at the bottom
    v[6 + 5] = -2.0;  // clockwise, as a wheel that goes to the right
    EXPECT_LT(rates(contact, q, v).norm(), 1e-15);
  }
}

TEST(SpheresInContact, disc_on_a_floor_rolls_to_the_right_when_it_turns_clockwise) {
  ContactSpec spec;
  spec.geometry = SphereOnFace::geometry;
  spec.direction = Vec3::UnitY();
  spec.radius = 0.5;
  spec.friction = 0.3;
  spec.rolling_friction = 0.1;
  const Contact contact(spec, ground, 1, in_plane);
  Configuration q(3);
  q[1].x = Vec3(7.0, 0.75, 0.0);
  EXPECT_DOUBLE_EQ(contact.gap(q), 0.25);
  NodalVector v = NodalVector::Zero(18);
  v[6] = 1.0;
  v[6 + 5] = -2.0;
  const VecX rolls = rates(contact, q, v);
  EXPECT_EQ(rolls[1], 0.0);
  EXPECT_EQ(rolls[2], -2.0);
  v[6 + 5] = 2.0;  // backspin
  EXPECT_EQ(rates(contact, q, v)[1], 2.0);
}

TEST(SpheresInContact, are_finite_when_concentric_in_a_hollow_one) {
  ContactSpec spec = two_spheres();
  spec.geometry = SphereInSphere::geometry;
  spec.face_radius = 4.0;
  for (const auto* nodes : {&in_space, &in_plane}) {
    const Contact contact(spec, 1, 2, *nodes);
    const Configuration q(3);
    EXPECT_EQ(contact.gap(q), 3.0);
    const ContactFrame frame = contact.frame(q, Vec3::UnitX());
    EXPECT_NEAR(frame.normal.norm(), 1.0, 1e-15);
    EXPECT_NEAR(frame.normal.dot(frame.tangents[0]), 0.0, 1e-15);
    EXPECT_NEAR(frame.tangents[0].norm(), 1.0, 1e-15);
    EXPECT_TRUE(MatX(rows_of(contact, q)).allFinite());
  }
}

TEST(SpheresInContact, bring_tangents_whatever_the_former_one_was) {
  const Contact contact(two_spheres(), 1, 2, in_space);
  Configuration q(3);
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    q[2].x = 2.5 * random.direction();
    const Vec3 normal = q[2].x.normalized();
    for (const Vec3& former : {Vec3(Vec3::Zero()), normal, Vec3(-normal), random.direction()}) {
      const ContactFrame f = contact.frame(q, former);
      Mat3 axes;
      axes << f.tangents[0], f.tangents[1], f.normal;
      EXPECT_LT((axes.transpose() * axes - Mat3::Identity()).norm(), 1e-14);
      EXPECT_NEAR(axes.determinant(), 1.0, 1e-14);
    }
  }
}

// A tangent that lies along the way, or across it, comes back after a full turn.
TEST(SpheresInContact, carry_their_tangents_along_without_jumps_through_a_full_turn) {
  const int steps = 360;
  const double angle = 2.0 * std::numbers::pi / steps;
  const Contact contact(two_spheres(), 1, 2, in_space);
  for (unsigned seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Mat3 plane = random.axes();  // the sphere circles in x, y of these
    for (const double lean : {0.0, 0.5, 1.0, 0.5 * std::numbers::pi}) {
      Vec3 tangent = plane * Vec3(0.0, std::cos(lean), std::sin(lean));
      const Vec3 first = tangent;
      Configuration q(3);
      for (int i = 0; i <= steps; ++i) {
        q[2].x = 2.5 * (plane * Vec3(std::cos(i * angle), std::sin(i * angle), 0.0));
        const ContactFrame f = contact.frame(q, tangent);
        ASSERT_LE((f.tangents[0] - tangent).norm(), 1.001 * angle) << "step " << i;
        ASSERT_NEAR(f.tangents[0].cross(f.tangents[1]).dot(f.normal), 1.0, 1e-14);
        tangent = f.tangents[0];
      }
      if (lean == 0.0 || lean > 1.5) {
        EXPECT_LT((tangent - first).norm(), 1e-12);
      }
    }
  }
}

TEST(SpheresInContact, turn_the_planar_tangent_with_the_normal_through_a_full_turn) {
  const Contact contact(two_spheres(), 1, 2, in_plane);
  Configuration q(3);
  for (int i = 0; i <= 360; ++i) {
    const double angle = i * std::numbers::pi / 180.0;
    q[2].x = 2.5 * Vec3(std::cos(angle), std::sin(angle), 0.0);
    const Vec3 right(std::sin(angle), -std::cos(angle), 0.0);  // of the way outward
    EXPECT_LT((contact.frame(q, Vec3::Zero()).tangents[0] - right).norm(), 1e-14);
  }
}

TEST(SphereInBore, rolls_along_and_around_without_slip) {
  ContactSpec spec;
  spec.geometry = SphereInBore::geometry;
  spec.direction = Vec3::UnitX();
  spec.radius = 1.0;
  spec.face_radius = 4.0;
  spec.friction = 0.3;
  const Contact contact(spec, ground, 1, in_space);
  Configuration q(3);
  q[1].x = Vec3(7.0, 0.0, -3.0);
  EXPECT_EQ(contact.gap(q), 0.0);
  EXPECT_EQ(contact.frame(q, Vec3::UnitX()).normal, Vec3::UnitZ());
  NodalVector v = NodalVector::Zero(18);
  v.segment<3>(6) = Vec3(2.0, 5.0, 0.0);
  v.segment<3>(9) = Vec3(-5.0, 2.0, 0.0);
  EXPECT_LT(rates(contact, q, v).norm(), 1e-15);
}

TEST(SphereInBore, is_finite_on_the_axis) {
  ContactSpec spec;
  spec.geometry = SphereInBore::geometry;
  spec.direction = Vec3(1.0, 2.0, 2.0);
  spec.radius = 1.0;
  spec.face_radius = 4.0;
  spec.friction = 0.3;
  const Contact contact(spec, 1, 2, in_space);
  Configuration q(3);
  EXPECT_EQ(contact.gap(q), 3.0);
  EXPECT_NEAR(contact.frame(q, Vec3::Zero()).normal.dot(spec.direction), 0.0, 1e-15 * 4);
  EXPECT_TRUE(MatX(rows_of(contact, q)).allFinite());
  Mat12 H;
  contact.gap_hessian(q, H);
  EXPECT_TRUE(H.allFinite());
}

// ---- Rows and blocks

struct Rows {
  const char* name;
  double friction, rolling, drilling, patch;
  int in_space, in_plane;  // 0: there is none
};

class RowsOfContact : public ::testing::TestWithParam<Rows> {};

TEST_P(RowsOfContact, are_those_of_their_blocks_one_after_the_other) {
  for (const auto& geometry :
       {PointOnFace::geometry, SphereOnFace::geometry, SphereOnSphere::geometry}) {
    ContactSpec spec;
    spec.geometry = geometry;
    spec.direction = Vec3::UnitY();
    spec.radius = spec.face_radius = 1.0;
    spec.friction = GetParam().friction;
    spec.rolling_friction = GetParam().rolling;
    spec.drilling_friction = GetParam().drilling;
    spec.patch_radius = GetParam().patch;
    spec.restitution = 0.7;
    spec.tangential_restitution = 0.4;
    for (const bool planar : {false, true}) {
      if (planar && GetParam().in_plane == 0) continue;
      const Contact contact(spec, 1, 2, planar ? in_plane : in_space);
      EXPECT_EQ(contact.rows(), planar ? GetParam().in_plane : GetParam().in_space);
      int row = 1;
      for (const FrictionBlock& block : contact.blocks()) {
        EXPECT_EQ(block.first_row, row);
        row += block.rows;
        EXPECT_EQ(contact.block(block.kind), &block);
      }
      EXPECT_EQ(row, contact.rows());
      EXPECT_EQ(contact.block(FrictionKind::sliding) != nullptr, GetParam().friction > 0.0);
      EXPECT_EQ(contact.block(FrictionKind::rolling) != nullptr, GetParam().rolling > 0.0);
      EXPECT_EQ(contact.block(FrictionKind::drilling) != nullptr, GetParam().drilling > 0.0);
      if (const FrictionBlock* sliding = contact.block(FrictionKind::sliding)) {
        EXPECT_EQ(sliding->coefficient, GetParam().friction);
      }
      if (const FrictionBlock* rolling = contact.block(FrictionKind::rolling)) {
        EXPECT_EQ(rolling->coefficient, GetParam().rolling);
      }
      if (const FrictionBlock* drilling = contact.block(FrictionKind::drilling)) {
        EXPECT_EQ(drilling->coefficient, GetParam().drilling);
      }
      // Impacts throw back along the normal and the tangents; nothing is thrown into rolling.
      EXPECT_EQ(contact.restitution_of_row(0), 0.7);
      for (int i = 1; i < contact.rows(); ++i) {
        const FrictionBlock* sliding = contact.block(FrictionKind::sliding);
        const bool slides = sliding != nullptr && i < 1 + sliding->rows;
        EXPECT_EQ(contact.restitution_of_row(i), slides ? 0.4 : 0.0) << "row " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Friction, RowsOfContact,
    ::testing::Values(Rows{"none", 0, 0, 0, 0, 1, 1}, Rows{"sliding", 0.3, 0, 0, 0, 3, 2},
                      Rows{"rolling", 0, 0.1, 0, 0, 3, 2}, Rows{"drilling", 0, 0, 0.1, 0, 2, 0},
                      Rows{"sliding_and_rolling", 0.3, 0.1, 0, 0, 5, 3},
                      Rows{"sliding_and_drilling", 0.3, 0, 0.2, 0, 4, 0},
                      Rows{"rolling_and_drilling", 0, 0.1, 0.2, 0, 4, 0},
                      Rows{"all", 0.3, 0.1, 0.2, 0, 6, 0}, Rows{"patch", 0.3, 0, 0, 0.5, 4, 0},
                      Rows{"patch_and_rolling", 0.3, 0.1, 0, 0.5, 6, 0}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Contact, of_a_planar_body_and_one_in_space_has_the_rows_of_space) {
  const std::vector<Node> mixed{Node{}, planar_node(0), free_node(3)};
  EXPECT_EQ(Contact(two_spheres(), 1, 2, mixed).rows(), 3);
  EXPECT_EQ(Contact(two_spheres(), ground, 1, mixed).rows(), 2);
  EXPECT_EQ(Contact(two_spheres(), ground, 2, mixed).rows(), 3);
}

TEST(Contact, reads_slip_off_the_face_for_points_without_a_patch_only) {
  ContactSpec spec = two_spheres();
  EXPECT_FALSE(Contact(spec, 1, 2, in_space).slides_by_coordinates());
  EXPECT_EQ(Contact(spec, 1, 2, in_space).slip_rows(), 0);
  spec.geometry = PointOnFace::geometry;
  EXPECT_TRUE(Contact(spec, 1, 2, in_space).slides_by_coordinates());
  EXPECT_EQ(Contact(spec, 1, 2, in_space).slip_rows(), 2);
  EXPECT_EQ(Contact(spec, 1, 2, in_plane).slip_rows(), 1);
  spec.patch_radius = 0.1;
  EXPECT_FALSE(Contact(spec, 1, 2, in_space).slides_by_coordinates());
  EXPECT_EQ(Contact(spec, 1, 2, in_space).slip_rows(), 0);
}

class Outline : public ::testing::Test {
 protected:
  /// A face z = 1 of a body that stands anywhere, seen in its own frame.
  void face(std::vector<Vec3> corners) {
    ContactSpec spec;
    spec.face.point = Vec3(0.0, 0.0, 1.0);
    spec.direction = Vec3::UnitZ();
    spec.outline = std::move(corners);
    contact_.emplace(spec, 1, 2, in_space);
    Random random(1);
    q_ = random.configuration(2);
  }

  bool contains(double x, double y, double height = 0.3) {
    q_[2].x = q_[1].x + q_[1].R * Vec3(x, y, 1.0 + height);
    return contact_->over_face(q_);
  }

  std::optional<Contact> contact_;
  Configuration q_;
};

TEST_F(Outline, without_corners_is_the_whole_plane) {
  face({});
  EXPECT_FALSE(contact_->has_outline());
  EXPECT_TRUE(contains(1e6, -1e6));
}

TEST_F(Outline, convex_contains_its_inside_at_any_height) {
  face({{0.0, 0.0, 1.0}, {2.0, 0.0, 1.0}, {2.0, 1.0, 1.0}, {0.0, 1.0, 1.0}});
  EXPECT_TRUE(contact_->has_outline());
  for (const double height : {-0.5, 0.0, 3.0}) {
    EXPECT_TRUE(contains(1.0, 0.5, height));
    EXPECT_TRUE(contains(1.99, 0.01, height));
    EXPECT_FALSE(contains(2.01, 0.5, height));
    EXPECT_FALSE(contains(-0.01, 0.5, height));
    EXPECT_FALSE(contains(1.0, 1.01, height));
    EXPECT_FALSE(contains(1.0, -0.01, height));
  }
}

TEST_F(Outline, concave_leaves_out_its_notch_in_either_sense_of_corners) {
  std::vector<Vec3> corners{{0.0, 0.0, 1.0},
                            {3.0, 0.0, 1.0},
                            {3.0, 3.0, 1.0},
                            {1.5, 1.0, 1.0},  // the notch reaches down to here
                            {0.0, 3.0, 1.0}};
  for (int sense = 0; sense < 2; ++sense) {
    face(corners);
    EXPECT_TRUE(contains(1.5, 0.9));
    EXPECT_FALSE(contains(1.5, 1.1));
    EXPECT_FALSE(contains(1.5, 2.9));
    EXPECT_TRUE(contains(0.1, 2.5));
    EXPECT_TRUE(contains(2.9, 2.5));
    EXPECT_FALSE(contains(3.1, 2.5));
    std::reverse(corners.begin(), corners.end());
  }
}

TEST(Contact, line_of_a_planar_body_holds_for_points_beside_its_plane_too) {
  std::vector<Node> nodes(2);
  nodes[1].dof = {0, 1, 2, -1, -1, -1};  // a point in space against a line on the ground
  ContactSpec spec;
  spec.direction = Vec3(0.6, 0.8, 0.0);
  spec.outline = {Vec3(-0.8, 0.6, 0.0), Vec3(0.8, -0.6, 0.0)};
  const Contact contact(spec, ground, 1, nodes);
  Configuration q(2);
  q[1].x = Vec3(0.3, 0.4, 0.1);
  EXPECT_TRUE(contact.over_face(q));
  q[1].x = Vec3(1.2, -0.9, 0.1);  // 0.5 beyond the end
  EXPECT_FALSE(contact.over_face(q));
}

TEST(Contact, sphere_is_over_a_face_when_its_centre_is) {
  ContactSpec spec;
  spec.geometry = SphereOnFace::geometry;
  spec.radius = 0.5;
  spec.point.point = Vec3(0.0, 0.25, 0.0);
  spec.direction = Vec3::UnitZ();
  spec.outline = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, {0.0, 1.0, 0.0}};
  const Contact contact(spec, ground, 1, in_space);
  Configuration q(3);
  q[1].x = Vec3(0.5, 0.74, 0.6);
  EXPECT_TRUE(contact.over_face(q));
  q[1].x.y() = 0.76;
  EXPECT_FALSE(contact.over_face(q));
}

TEST(Contact, planar_outline_is_a_line_between_two_ends_in_either_order) {
  std::vector<Vec3> ends{{-1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}};
  for (int order = 0; order < 2; ++order) {
    ContactSpec spec;
    spec.direction = Vec3::UnitY();
    spec.outline = ends;
    const Contact contact(spec, ground, 1, in_plane);
    Configuration q(3);
    for (const double height : {-1.0, 0.0, 1.0}) {
      q[1].x = Vec3(0.5, height, 0.0);
      EXPECT_TRUE(contact.over_face(q));
      q[1].x = Vec3(1.99, height, 0.0);
      EXPECT_TRUE(contact.over_face(q));
      q[1].x = Vec3(2.01, height, 0.0);
      EXPECT_FALSE(contact.over_face(q));
      q[1].x = Vec3(-1.01, height, 0.0);
      EXPECT_FALSE(contact.over_face(q));
    }
    std::swap(ends[0], ends[1]);
  }
}

}  // namespace
}  // namespace clatter
