#include <gtest/gtest.h>

#include <clatter/contact/geometry/contact.hpp>

#include "support/finite_difference.hpp"
#include "support/random_cases.hpp"
#include "support/random_state.hpp"

namespace clatter {
namespace chord_pair_test {

using testing::agrees;
using testing::differences;
using testing::free_node;
using testing::planar_node;
using testing::Random;

/// What the chord from node 1 to node 3 touches: a patch of node 2, or the chord to node 4.
struct Partner {
  const char* name;
  Patch::Kind kind;
  bool is_chord;
};

class Chord : public ::testing::TestWithParam<Partner> {
 protected:
  /// Nodes 1 and 3 hold a chord along x at the origin, roughly, which the other lies over.
  explicit Chord(unsigned seed = 3) : random_(seed), q_(random_.configuration(4)) {
    q_[1].x = Vec3(-0.6, 0.02, 0.1) + random_.vector(0.1);
    q_[3].x = Vec3(0.7, -0.05, 0.05) + random_.vector(0.1);
    q_[2].x = Vec3(0.1, -0.7, 0.9) + random_.vector(0.1);
    q_[4].x = Vec3(-0.05, 0.8, 1.1) + random_.vector(0.1);
    side_a_.node = 1;
    side_a_.second = 3;
    side_a_.patch.radius = 0.11;
    side_b_.node = 2;
    Patch& patch = side_b_.patch;
    patch.radius = 0.07;
    patch.kind = GetParam().kind;
    if (GetParam().is_chord) {
      side_b_.second = 4;
      return;
    }
    // Over the middle, in the frame of its node.
    patch.origin = q_[2].R.transpose() * (Vec3(0.05, 0.02, 0.9) - q_[2].x);
    const Quaternion tilt = exp_so3(Vec3(0.7, 0.4, -0.3));
    patch.axes = q_[2].R.transpose() * tilt.toRotationMatrix();
    patch.size = Vec3(0.3, 0.2, 0.25);
  }

  Contact contact() const {
    ContactSpec spec;
    spec.friction = 0.3;
    spec.patch_radius = 0.05;
    spec.rolling_friction = 0.01;
    return Contact(spec, ChordPair(side_a_, side_b_, false), 1, 2, nodes_);
  }
  Configuration moved(const VecX& by) const {
    Configuration q = q_;
    for (std::size_t k = 0; k < 4; ++k) {
      const int node = contact().nodes()[k];
      if (node == ground) continue;
      NodeState& state = q[static_cast<std::size_t>(node)];
      state.x += by.segment<3>(6 * static_cast<Eigen::Index>(k));
      state.p = state.p * exp_so3(by.segment<3>(6 * static_cast<Eigen::Index>(k) + 3));
      state.R = state.p.toRotationMatrix();
    }
    return q;
  }
  ContactFrame frame(const Configuration& q) const {
    const Contact of = contact();
    return of.frame(q, of.frame(q_, Vec3::UnitY()).tangents[0]);
  }
  TwoPairRows rows(const Configuration& q) const {
    const Contact of = contact();
    PairRows first(of.rows(), 12), second(of.rows(), 12);
    of.rates(q, frame(q), first, second);
    TwoPairRows all(of.rows(), 24);
    all << first, second;
    return all;
  }
  /// Zero on the ground, which does not move.
  Vec24 motion() {
    Vec24 v = random_.numbers(24);
    if (!GetParam().is_chord) v.tail<6>().setZero();
    return v;
  }

  Random random_;
  Configuration q_;
  ChordPair::Side side_a_, side_b_;
  const std::vector<Node> nodes_{Node{}, free_node(0), free_node(6), free_node(12), free_node(18)};
};

INSTANTIATE_TEST_SUITE_P(Against, Chord,
                         ::testing::Values(Partner{"sphere", Patch::Kind::point, false},
                                           Partner{"cylinder", Patch::Kind::line, false},
                                           Partner{"torus", Patch::Kind::circle, false},
                                           Partner{"ellipsoid", Patch::Kind::ellipsoid, false},
                                           Partner{"chord", Patch::Kind::line, true}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(Chord, has_the_derivative_of_the_gap_for_its_first_row) {
  const auto gap = [&](const VecX& by) -> VecX {
    return VecX::Constant(1, contact().gap(moved(by)));
  };
  EXPECT_TRUE(agrees(rows(q_).row(0), differences(gap, 24)));
}

TEST_P(Chord, has_the_derivative_of_that_row_for_its_hessian) {
  Mat24 H;
  contact().gap_hessian(q_, H);
  const auto row = [&](const VecX& by) -> VecX { return rows(moved(by)).row(0).transpose(); };
  EXPECT_TRUE(agrees(H, differences(row, 24)));
}

TEST_P(Chord, bulges_across_itself_and_not_along) {
  const Contact of = contact();
  const ContactFrame f = frame(q_);
  const auto curvature = of.curvature(q_, f);
  if (GetParam().is_chord || GetParam().kind == Patch::Kind::point) {
    // Of a bar 1/r across it; of a ball 1/R everywhere, of another bar across that.
    const auto of_bar = [&](int node, int second, double radius) {
      const Vec3 along =
          q_[static_cast<std::size_t>(second)].x - q_[static_cast<std::size_t>(node)].x;
      const Vec3 across = f.normal.cross(along).normalized();
      const Eigen::Vector2d t(across.dot(f.tangents[0]), across.dot(f.tangents[1]));
      return Eigen::Matrix2d(t * t.transpose() / radius);
    };
    Eigen::Matrix2d expected = of_bar(1, 3, 0.11);
    if (GetParam().is_chord) {
      expected += of_bar(2, 4, 0.07);
    } else {
      expected += Eigen::Matrix2d::Identity() / 0.07;
    }
    ASSERT_TRUE(curvature);
    EXPECT_LT((*curvature - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST_P(Chord, has_the_derivatives_of_all_rows) {
  const Contact of = contact();
  const ContactFrame f = frame(q_);
  const ChordDerivative d = of.chord_derivative(q_, f);
  const Vec24 v = motion();
  TwoPairRows by_position, rate;
  of.rates_derivative(q_, f, d, v, by_position);
  const auto rates = [&](const VecX& by) -> VecX { return rows(moved(by)) * v; };
  EXPECT_TRUE(agrees(by_position, differences(rates, 24)));

  of.rows_rate(q_, f, d, v, rate);
  const auto along = [&](const VecX& t) -> VecX {
    const TwoPairRows there = rows(moved(t[0] * v));
    return Eigen::Map<const VecX>(there.data(), there.size());
  };
  EXPECT_TRUE(agrees(Eigen::Map<const VecX>(rate.data(), rate.size()), differences(along, 1)));

  const RowVector reaction = random_.numbers(of.rows());
  Mat24 stiffness;
  of.force_derivative(q_, f, d, reaction, stiffness);
  const auto force = [&](const VecX& by) -> VecX { return rows(moved(by)).transpose() * reaction; };
  EXPECT_TRUE(agrees(stiffness, differences(force, 24)));
}

// What one side gets the other gives: forces and moments about the origin add up to nothing.
TEST_P(Chord, changes_neither_momentum_nor_angular_momentum) {
  const TwoPairRows all = rows(q_);
  for (Eigen::Index row = 0; row < all.rows(); ++row) {
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
      const auto column = 6 * static_cast<Eigen::Index>(k);
      const NodeState& node = q_[static_cast<std::size_t>(contact().nodes()[k])];
      const Vec3 f = all.row(row).segment<3>(column), m = all.row(row).segment<3>(column + 3);
      force += f;
      moment += node.x.cross(f) + node.R * m;
    }
    // Of two round surfaces that do not touch the places are a gap apart.
    const ContactFrame f = frame(q_);
    const Vec3 apart = contact().gap(q_) * f.normal;
    const Vec3 lever = row == 1 || row == 2
                           ? Vec3(apart.cross(f.tangents[static_cast<std::size_t>(row - 1)]))
                           : Vec3(Vec3::Zero());
    EXPECT_LT(force.norm(), 1e-15 * 10) << "row " << row;
    EXPECT_LT((moment - lever).norm(), 1e-15 * 20) << "row " << row;
  }
}

TEST(ChordOfABeam, is_as_far_from_a_sphere_as_a_line_from_a_point) {
  const std::vector<Node> nodes{Node{}, free_node(0), free_node(6), free_node(12)};
  for (unsigned seed = 0; seed < testing::random_cases; ++seed) {
    Random random(seed);
    const Configuration q = random.configuration(3);
    ChordPair::Side chord, sphere;
    chord.node = 1;
    chord.second = 3;
    chord.patch.radius = 0.2;
    sphere.node = 2;
    sphere.patch.radius = 0.1;
    const ChordPair pair(chord, sphere, false);
    const Vec3 along = (q[3].x - q[1].x).normalized(), between = q[2].x - q[1].x;
    EXPECT_NEAR(pair.gap(q), along.cross(between).norm() - 0.3, 1e-14);
    const ContactFrame f = pair.frame(q, Vec3::Zero());
    EXPECT_NEAR(f.share_a, along.dot(between) / (q[3].x - q[1].x).norm(), 1e-13);
    EXPECT_EQ(f.share_b, 0.0);
    EXPECT_NEAR(f.arm_a.dot(f.normal), 0.2, 1e-15);
  }
}

TEST(ChordOfABeam, stays_in_the_plane_of_a_planar_beam) {
  const std::vector<Node> nodes{Node{}, planar_node(0), planar_node(3), planar_node(6)};
  Configuration q(4);
  q[1].x = Vec3(-1, 0.2, 0);
  q[2].x = Vec3(0.1, 0.7, 0);
  q[3].x = Vec3(1, -0.1, 0);
  ChordPair::Side chord, disc;
  chord.node = 1;
  chord.second = 3;
  chord.patch.radius = 0.2;
  disc.node = 2;
  disc.patch.radius = 0.1;
  ContactSpec spec;
  spec.friction = 0.1;
  const Contact contact(spec, ChordPair(chord, disc, true), 1, 2, nodes);
  EXPECT_EQ(contact.rows(), 2);
  const ContactFrame f = contact.frame(q, Vec3::Zero());
  EXPECT_LT(std::abs(f.normal.z()), 1e-15);
  EXPECT_NEAR(f.tangents[0].cross(f.normal).z(), 1.0, 1e-14);
  const auto gap = [&](const VecX& by) -> VecX {
    Configuration there = q;
    for (std::size_t k = 0; k < 3; ++k) {
      there[k + 1].x.head<2>() += by.segment<2>(2 * static_cast<Eigen::Index>(k));
    }
    return VecX::Constant(1, contact.gap(there));
  };
  PairRows first(2, 12), second(2, 12);
  contact.rates(q, f, first, second);
  VecX row(6);
  row << first.row(0).segment<2>(0).transpose(), first.row(0).segment<2>(6).transpose(),
      second.row(0).segment<2>(0).transpose();
  EXPECT_TRUE(agrees(row.transpose(), differences(gap, 6)));
}

}  // namespace chord_pair_test
}  // namespace clatter
