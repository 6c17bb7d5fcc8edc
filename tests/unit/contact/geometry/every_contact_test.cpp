#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/contact_rows.hpp"
#include "support/finite_difference.hpp"

namespace clatter {
namespace every_contact_test {

using testing::agrees;
using testing::differences;
using testing::in_plane;
using testing::in_space;
using testing::Random;
using testing::rates;

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
  static bool on_shaft() { return GetParam().geometry == SphereOnShaft::geometry; }
  static bool in_groove() { return GetParam().geometry == SphereInGroove::geometry; }
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
    if (GetParam().geometry == SphereOnSphere::geometry || on_shaft()) {
      spec_.face_radius = random.number(0.2, 0.5);
    }
    if (GetParam().geometry == SphereInSphere::geometry) {
      spec_.face_radius = random.number(1.0, 2.0);
    }
    if (in_bore()) spec_.face_radius = random.number(1.0, 2.0);
    if (in_groove()) {
      spec_.face_radius = random.number(2.0, 3.0);
      spec_.tube_radius = random.number(1.0, 1.5);
    }
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
        if ((in_groove() || on_shaft()) && from_axis() < 0.5) continue;
        check();
        if (HasFailure()) FAIL() << "seed " << seed << ", nodes " << a << ", " << b;
      }
    }
  }

  const NodeState& state_a() const { return q_[static_cast<std::size_t>(contact_->a())]; }
  const NodeState& state_b() const { return q_[static_cast<std::size_t>(contact_->b())]; }
  /// Of a bore or shaft the point of its axis that is nearest to b, of a groove that of its circle.
  Vec3 centre_a() const {
    const Vec3 point = state_a().x + state_a().R * spec_.face.point;
    if (!in_bore() && !on_shaft() && !in_groove()) return point;
    const Vec3 axis = state_a().R * spec_.direction.normalized();
    const Vec3 foot = point + axis.dot(centre_b() - point) * axis;
    return !in_groove() ? foot : Vec3(point + spec_.face_radius * (centre_b() - foot).normalized());
  }
  double from_axis() const {
    const Vec3 from = centre_b() - state_a().x - state_a().R * spec_.face.point;
    return from.cross(state_a().R * spec_.direction.normalized()).norm();
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
    return centre_a() + (in_groove() ? spec_.tube_radius : spec_.face_radius) * outward;
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
        Surfaces{"sphere_on_shaft", SphereOnShaft::geometry, false},
        Surfaces{"sphere_on_shaft_with_patch", SphereOnShaft::geometry, false, true},
        Surfaces{"sphere_in_bore", SphereInBore::geometry, false},
        Surfaces{"sphere_in_bore_with_patch", SphereInBore::geometry, false, true},
        Surfaces{"sphere_in_groove", SphereInGroove::geometry, false},
        Surfaces{"sphere_in_groove_with_patch", SphereInGroove::geometry, false, true},
        Surfaces{"point_on_line", PointOnFace::geometry, true},
        Surfaces{"disc_on_line", SphereOnFace::geometry, true},
        Surfaces{"disc_on_disc", SphereOnSphere::geometry, true},
        Surfaces{"disc_in_circle", SphereInSphere::geometry, true}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace every_contact_test
}  // namespace clatter
