// Loads that rigid bodies leave open, shared out by the stiffness of their contacts.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clatter/recovery/load_sharing.hpp>

namespace clatter {
namespace load_sharing_test {

constexpr double pi = std::numbers::pi;
constexpr double K = 7e10, pitch = 0.0167, ball = 0.004, load = 1000.0;

/// The inner race of a bearing in the plane, pressed towards the first of the balls until that
/// carries all of the load. The balls are on the outer race.
SharedLoad bearing(int balls, double clearance, double exponent) {
  const Eigen::Index contacts = 2 * balls, rows = 3 * (balls + 1);
  SharedLoad of{MatX::Zero(rows, contacts),  MatX::Zero(rows, contacts),
                VecX::Zero(contacts),        VecX::Zero(contacts),
                VecX::Constant(contacts, K), VecX::Constant(contacts, exponent)};
  const double inner = pitch - ball - 0.5 * clearance;
  for (int i = 0; i < balls; ++i) {
    const double angle = 2.0 * pi * i / balls;
    const Eigen::Vector2d outward(std::cos(angle), std::sin(angle));
    const Eigen::Vector2d centre = (pitch + 0.5 * clearance) * outward;
    const Eigen::Vector2d from_inner = centre - Eigen::Vector2d(clearance, 0.0);
    const Eigen::Vector2d n = from_inner.normalized();
    const Eigen::Index row = 3 * (i + 1);
    of.gaps[2 * i] = from_inner.norm() - inner - ball;
    // On the inner race and on the ball; torques over a radius of about 0.01 m.
    of.normals.col(2 * i).segment<2>(0) = -n;
    of.normals.col(2 * i).segment<2>(row) = n;
    of.tangents.col(2 * i).segment<3>(0) << n.y(), -n.x(), -inner / 0.01;
    of.tangents.col(2 * i).segment<3>(row) << -n.y(), n.x(), -ball / 0.01;
    of.normals.col(2 * i + 1).segment<2>(row) = -outward;
    of.tangents.col(2 * i + 1).segment<3>(row) << outward.y(), -outward.x(), -ball / 0.01;
  }
  of.forces[0] = of.forces[1] = load;
  return of;
}

/// Harris: ball and two races are as stiff as the two contacts one after the other; the inner race
/// moves by d beyond the clearance.
struct Harris {
  int balls;
  double clearance, exponent, d = 0.0;

  double of_ball(int i) const {
    const double depth = (clearance + d) * std::cos(2.0 * pi * i / balls) - clearance;
    return depth > 0.0 ? K * std::pow(0.5 * depth, exponent) : 0.0;
  }
  double sum() const {
    double sum = 0.0;
    for (int i = 0; i < balls; ++i) sum += of_ball(i) * std::cos(2.0 * pi * i / balls);
    return sum;
  }
  void find() {
    double low = 0.0, high = 1e-2;
    for (int k = 0; k < 100; ++k) {
      d = 0.5 * (low + high);
      (sum() < load ? low : high) = d;
    }
  }
};

TEST(LoadSharing, without_clearance_is_stribecks) {
  for (const int balls : {8, 12, 20}) {
    const LoadShares shares = share_load(bearing(balls, 0.0, 1.5));
    double sum = 0.0;  // of cos^2.5 over the loaded half
    for (int i = 0; i < balls; ++i) {
      const double c = std::cos(2.0 * pi * i / balls);
      if (c > 1e-12) sum += std::pow(c, 2.5);
    }
    for (int i = 0; i < balls; ++i) {
      const double c = std::max(0.0, std::cos(2.0 * pi * i / balls));
      const double expected = load / sum * std::pow(c < 1e-12 ? 0.0 : c, 1.5);
      // The tolerance of the dual problem: 1e-14 of wrenches. A ball at a right angle to the load
      // is where its stiffness vanishes, and has the power 2/3 of that.
      EXPECT_NEAR(shares.normal[2 * i], expected, 1e-7 * load) << balls << " balls, ball " << i;
    }
    EXPECT_NEAR(load / shares.normal[0] * 4.37, balls, 0.01 * balls);  // its limit for many
  }
}

TEST(LoadSharing, with_clearance_is_that_of_harris) {
  for (const int balls : {8, 12, 20}) {
    for (const double exponent : {1.5, 10.0 / 9.0}) {
      for (const double clearance : {1e-6, 1e-5, 1e-4}) {
        Harris harris{balls, clearance, exponent};
        harris.find();
        const LoadShares shares = share_load(bearing(balls, clearance, exponent));
        for (int i = 0; i < balls; ++i) {
          // A thousandth is what tangential forces may take; Harris leaves out that directions
          // change by clearance over pitch, 0.6 %.
          EXPECT_NEAR(shares.normal[2 * i], harris.of_ball(i), 0.01 * load)
              << balls << " balls, clearance " << clearance << ", ball " << i;
        }
      }
    }
  }
}

TEST(LoadSharing, keeps_the_wrench_on_every_body_and_pulls_nowhere) {
  for (const int balls : {8, 12, 20}) {
    for (const double clearance : {0.0, 1e-6, 1e-5, 1e-4}) {
      const SharedLoad of = bearing(balls, clearance, 1.5);
      const LoadShares shares = share_load(of);
      const VecX off = of.normals * (shares.normal - of.forces) + of.tangents * shares.tangential;
      EXPECT_LT(off.lpNorm<Eigen::Infinity>(), 1e-10 * load);
      EXPECT_GE(shares.normal.minCoeff(), 0.0);
      // What directions leave over, by at most clearance over pitch.
      EXPECT_LE(shares.tangential.lpNorm<Eigen::Infinity>(),
                (2e-10 + 2.0 * clearance / pitch) * load);
    }
  }
}

/// Four feet of a table of 2 m by 2 m, under a force beside the middle.
TEST(LoadSharing, of_a_table_follows_the_softness_of_its_feet) {
  const std::array<Eigen::Vector2d, 4> feet{Eigen::Vector2d(1, 1), {-1, 1}, {-1, -1}, {1, -1}};
  SharedLoad of{MatX::Zero(6, 4), MatX::Zero(6, 0), VecX(4), VecX::Zero(4), VecX(4), VecX::Ones(4)};
  of.stiffness << 1e6, 1e6, 2e6, 1e6;
  of.forces << 60.0, 0.0, 40.0, 0.0;  // on two of them: moments of 20 N m about x and y
  for (Eigen::Index i = 0; i < 4; ++i) {
    const Eigen::Vector2d& at = feet[static_cast<std::size_t>(i)];
    of.normals.col(i) << 0.0, 0.0, 1.0, at.y(), -at.x(), 0.0;
  }
  const LoadShares shares = share_load(of);
  // N_i = k_i (u + a y_i - b x_i) with the sum and both moments given: 3 equations.
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  for (Eigen::Index i = 0; i < 4; ++i) {
    const Eigen::Vector3d w = of.normals.col(i).segment<3>(2);
    A += of.stiffness[i] * w * w.transpose();
    b += of.forces[i] * w;
  }
  const Eigen::Vector3d u = A.inverse() * b;
  for (Eigen::Index i = 0; i < 4; ++i) {
    const double expected = of.stiffness[i] * of.normals.col(i).segment<3>(2).dot(u);
    EXPECT_NEAR(shares.normal[i], expected, 1e-10 * 100.0);
  }
  EXPECT_GT(shares.normal[1], 1.0);
}

TEST(LoadSharing, of_nothing_is_nothing) {
  SharedLoad of = bearing(8, 0.0, 1.5);
  of.forces.setZero();
  EXPECT_EQ(share_load(of).normal.maxCoeff(), 0.0);
}

}  // namespace load_sharing_test
}  // namespace clatter
