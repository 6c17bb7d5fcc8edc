#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clatter/contact/solvers/impact_flow.hpp>

#include "support/random_state.hpp"

namespace clatter {
namespace impact_flow_test {

using testing::Random;

constexpr std::array laws{ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::energetic};

/// One contact in the plane after Routh: over the normal impulse p velocities run along straight
/// lines, slip with one direction, then hold or slip with the other.
class Routh {
 public:
  Routh(const Eigen::Matrix2d& W, double mu, Eigen::Vector2d u) : W_(W), mu_(mu), u_(u) {}

  void compress() {
    run([](double from, double) { return -from; });
    squeezed_ = p_;
    taken_ = work_;
  }
  void restore(ImpactLaw law, double e, double approach) {
    p_ = work_ = 0.0;
    run([&](double from, double slope) {
      if (law == ImpactLaw::newton) return e * approach - from;
      if (law == ImpactLaw::poisson) return slope * (e * squeezed_ - p_);
      const double left = -e * e * taken_ - work_;  // (from + to)/2 (to - from)/slope
      return std::sqrt(from * from + 2.0 * slope * left) - from;
    });
  }
  const Eigen::Vector2d& velocity() const { return u_; }

 private:
  /// `rise(u_N, du_N/dp)`: by how much the normal speed is still to rise.
  template <class Rise>
  void run(const Rise& rise) {
    for (int piece = 0; piece < 3; ++piece) {
      const double holding = W_(1, 0) / W_(1, 1);
      double ratio = u_[1] > 0.0 ? mu_ : -mu_;
      if (u_[1] == 0.0) ratio = std::clamp(holding, -mu_, mu_);
      const Eigen::Vector2d slope = W_ * Eigen::Vector2d(1.0, -ratio);
      double part = rise(u_[0], slope[0]) / slope[0];
      const double to_stop = u_[1] * slope[1] < 0.0 ? -u_[1] / slope[1] : INFINITY;
      const bool stops = to_stop < part;
      part = std::min(part, to_stop);
      const Eigen::Vector2d next = u_ + part * slope;
      work_ += 0.5 * part * (u_[0] + next[0]);
      p_ += part;
      u_ = next;
      if (!stops) return;
      u_[1] = 0.0;
    }
  }

  Eigen::Matrix2d W_;
  double mu_;
  Eigen::Vector2d u_;
  double p_ = 0.0, work_ = 0.0, squeezed_ = 0.0, taken_ = 0.0;
};

ImpactFlow single(const MatX& W, double mu, const VecX& u, ImpactLaw law, double e) {
  ImpactFlow flow;
  flow.W = W;
  flow.before = u;
  flow.members.push_back({coulomb_contact(0, static_cast<int>(u.size()), mu), law, e, true});
  return flow;
}

/// W of a rod that touches the ground with its end, friction coefficients up to where slip jams it:
/// there velocities do not follow from impulses alone.
RC_GTEST_PROP(ImpactFlow, of_one_contact_in_the_plane_is_that_of_routh, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  const double angle = random.number() * 1.5, mass = 1.0 + 0.9 * random.number();
  const double x = 0.5 * std::cos(angle), y = 0.5 * std::sin(angle), per_inertia = 12.0 / mass;
  Eigen::Matrix2d W;
  W << 1.0 / mass + x * x * per_inertia, -x * y * per_inertia, -x * y * per_inertia,
      1.0 / mass + y * y * per_inertia;
  const double jams = std::abs(W(0, 1)) > 0.0 ? W(0, 0) / std::abs(W(0, 1)) : INFINITY;
  const double mu = std::min(0.9 * jams, 0.75 * (1.0 + random.number()));
  const double e = 0.5 * (1.0 + random.number());
  const Eigen::Vector2d before(-1.0, 2.0 * random.number());
  for (const ImpactLaw law : laws) {
    Routh routh(W, mu, before);
    routh.compress();
    routh.restore(law, e, 1.0);
    ImpactFlow flow = single(W, mu, before, law, e);
    RC_ASSERT(flow.run());
    // Slip is stopped within 1e-9 of a phase; squares of that are lost.
    RC_ASSERT((flow.after - routh.velocity()).norm() < 1e-8 * before.norm());
    RC_ASSERT(law == ImpactLaw::poisson || law == ImpactLaw::newton || flow.gain() <= 1e-12);
  }
}

/// A sphere that strikes a plane with spin (Keller, Brach): it rolls off if mu (1 + e) u_N is at
/// least 2/7 of its slip, which is then gone, and slips on with less else; for all laws, since
/// slip does not change the normal speed.
TEST(ImpactFlow, of_a_sphere_is_that_of_keller) {
  const MatX W = Eigen::Vector3d(1.0, 3.5, 3.5).asDiagonal();
  const double e = 0.6, mu = 0.25;
  for (const ImpactLaw law : laws) {
    for (const double slip : {0.3, 1.3, 1.5, 4.0}) {
      ImpactFlow flow = single(W, mu, Eigen::Vector3d(-1.0, 0.6 * slip, -0.8 * slip), law, e);
      ASSERT_TRUE(flow.run());
      const double left = std::max(0.0, slip - 3.5 * mu * (1.0 + e));
      EXPECT_NEAR(flow.after[0], e, 1e-12);
      EXPECT_NEAR(flow.after[1], 0.6 * left, 1e-12);
      EXPECT_NEAR(flow.after[2], -0.8 * left, 1e-12);
    }
  }
}

/// Without friction the energetic law keeps e^2 of what compression takes, whatever touches; so do
/// the other two where one contact is struck.
TEST(ImpactFlow, of_three_balls_at_once_shares_the_impulse) {
  for (const ImpactLaw law : laws) {
    for (const double e : {0.0, 0.5, 1.0}) {
      ImpactFlow flow;
      flow.W = Eigen::Matrix2d{{2.0, -1.0}, {-1.0, 2.0}};
      flow.before = Eigen::Vector2d(-1.0, 0.0);  // the second touches the third
      flow.members = {{coulomb_contact(0, 1, 0.0), law, e, true},
                      {coulomb_contact(1, 1, 0.0), law, e, false}};
      ASSERT_TRUE(flow.run());
      EXPECT_NEAR(flow.after[0], e, 1e-12);
      EXPECT_NEAR(flow.after[1], 0.0, 1e-12);
      EXPECT_NEAR(flow.gain(), -(1.0 - e * e) / 3.0, 1e-12);  // p = 2/3 at a mean speed of 1/2
    }
  }
}

/// Two unequal speeds: compression ends for both at once, work of 1/2 u W^-1 u.
TEST(ImpactFlow, of_two_struck_contacts_gives_back_what_the_law_says) {
  const Eigen::Matrix2d W{{2.0, -1.0}, {-1.0, 3.0}};
  const Eigen::Vector2d u(-1.0, -2.0);
  for (const double e : {0.3, 1.0}) {
    ImpactFlow flow;
    flow.W = W;
    flow.before = u;
    flow.members = {{coulomb_contact(0, 1, 0.0), ImpactLaw::energetic, e, true},
                    {coulomb_contact(1, 1, 0.0), ImpactLaw::energetic, e, true}};
    ASSERT_TRUE(flow.run());
    EXPECT_NEAR(flow.gain(), -(1.0 - e * e) * 0.5 * u.dot(W.inverse() * u), 1e-11);
  }
}

/// In space slip turns while the impact lasts; against the differential equations over the normal
/// impulse. Increments are of first order in the turn that they allow.
TEST(ImpactFlow, follows_slip_that_turns) {
  const Vec3 arm(0.3, 0.2, -0.5);
  const Mat3 inverse_inertia = Vec3(12.0, 30.0, 8.0).asDiagonal();
  Mat3 cross;  // v x arm as a matrix on v
  cross << 0, arm.z(), -arm.y(), -arm.z(), 0, arm.x(), arm.y(), -arm.x(), 0;
  const Mat3 in_axes = Mat3::Identity() + cross.transpose() * inverse_inertia * cross;
  Mat3 order;  // normal first
  order << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  const Mat3 W = order * in_axes * order.transpose();
  const double mu = 0.3, e = 0.7;
  const Vec3 before(-1.0, 0.8, -0.4);

  const auto slope = [&](const Vec3& u) -> Vec3 {
    const Eigen::Vector2d t = u.tail<2>().normalized();
    return W * Vec3(1.0, -mu * t[0], -mu * t[1]);
  };
  // Over the normal velocity, at whose zero compression ends exactly; work: du = u dp.
  Vec3 u = before;
  double taken = 0.0, given = 0.0;
  const auto advance = [&](double rise, double& work) {
    using State = Eigen::Vector4d;
    const auto rate = [&](const State& s) -> State {
      const Vec3 d = slope(s.head<3>());
      State of;
      of << d / d[0], s[0] / d[0];
      return of;
    };
    State s;
    s << u, work;
    const State k1 = rate(s), k2 = rate(s + 0.5 * rise * k1), k3 = rate(s + 0.5 * rise * k2),
                k4 = rate(s + rise * k3);
    s += rise / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    u = s.head<3>();
    work = s[3];
  };
  for (int i = 0; i < 2000; ++i) advance(5e-4, taken);
  for (;;) {
    const Vec3 from = u;
    const double work = given;
    advance(5e-4, given);
    if (given < -e * e * taken) continue;
    const double part = (-e * e * taken - work) / (given - work);  // off by (5e-4)^2 at most
    u = from + part * (u - from);
    break;
  }
  std::array<double, 2> error{};
  for (std::size_t i = 0; i < 2; ++i) {
    ImpactFlow flow = single(W, mu, before, ImpactLaw::energetic, e);
    flow.most_turn = 0.02 / (i + 1.0);
    ASSERT_TRUE(flow.run());
    error[i] = (flow.after - u).norm();
  }
  EXPECT_LT(error[1], 0.01);
  EXPECT_LT(error[1], 0.7 * error[0]);
}

}  // namespace impact_flow_test
}  // namespace clatter
