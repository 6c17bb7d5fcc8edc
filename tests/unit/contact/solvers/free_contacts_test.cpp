#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clatter/contact/solvers/free_contacts.hpp>

#include "support/random_state.hpp"

namespace clatter {
namespace free_contacts_test {

using testing::Random;

struct TestContact {
  int a, b;
  ContactLaw law;
  PairRows rows;
  RowVector rates;
};

/// Contacts between random pairs of nodes, the ground (0) among them, with all kinds of friction.
std::vector<TestContact> contacts_of(Random& random, int nodes, int count) {
  std::vector<TestContact> contacts;
  for (int c = 0; c < count; ++c) {
    TestContact contact;
    contact.a = static_cast<int>(random.number(0.0, nodes - 1e-9));
    do {
      contact.b = static_cast<int>(random.number(0.0, nodes - 1e-9));
    } while (contact.b == contact.a);
    const int balls = static_cast<int>(random.number(0.0, 2.999));
    int rows = 1;
    for (int k = 0; k < balls; ++k) {
      const int own = 1 + static_cast<int>(random.number(0.0, 1.999));
      contact.law.balls[k] = {rows, own, random.number(0.1, 0.8)};
      rows += own;
    }
    contact.law.ball_count = balls;
    contact.rows.resize(rows, 12);
    for (Eigen::Index i = 0; i < contact.rows.size(); ++i) contact.rows(i) = random.number();
    contact.rates = random.numbers(rows);
    contacts.push_back(contact);
  }
  return contacts;
}

void fill(FreeContacts& free, int nodes, const std::vector<TestContact>& contacts) {
  free.clear(static_cast<std::size_t>(nodes));
  free.compliance(0) = {};
  for (int n = 1; n < nodes; ++n) {
    free.compliance(n) = {Vec3::Constant(1.0 + 0.1 * n), 2.0 * Mat3::Identity()};
  }
  for (const TestContact& c : contacts) {
    free.add(c.a, c.b, c.law, c.rows, c.rows, c.rates, RowVector::Zero(c.rates.size()),
             RowVector::Zero(c.rates.size()));
  }
}

/// Largest violation of the laws, from the motion that is reported.
double violation(const FreeContacts& free, const std::vector<TestContact>& contacts) {
  double worst = 0.0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const TestContact& c = contacts[k];
    Vec12 x;
    x << free.motion(c.a), free.motion(c.b);
    const RowVector g = c.rates + RowVector(c.rows * x), p = free.reaction(k);
    worst = std::max({worst, -p[0], -g[0], std::abs(std::min(p[0], g[0]))});
    for (const FrictionBall& ball : c.law.all_balls()) {
      // The reaction is the projection of itself minus the slip.
      VecX projected = p.segment(ball.first_row, ball.rows) - g.segment(ball.first_row, ball.rows);
      const double radius = ball.coefficient * std::max(p[0], 0.0);
      if (projected.norm() > radius) projected *= radius / projected.norm();
      worst = std::max(worst, (projected - p.segment(ball.first_row, ball.rows)).norm());
    }
  }
  return worst;
}

/// Largest difference between the motion that is reported and that of the reactions.
double imbalance(const FreeContacts& free, int nodes, const std::vector<TestContact>& contacts) {
  VecX x = VecX::Zero(6 * nodes);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const TestContact& c = contacts[k];
    const Vec12 force = c.rows.transpose() * free.reaction(k);
    x.segment<6>(6 * c.a) += force.head<6>();
    x.segment<6>(6 * c.b) += force.tail<6>();
  }
  double worst = free.motion(0).norm();
  for (int n = 1; n < nodes; ++n) {
    Vec6 expected = x.segment<6>(6 * n);
    expected.head<3>() *= 1.0 + 0.1 * n;
    expected.tail<3>() *= 2.0;
    worst = std::max(worst, (free.motion(n) - expected).norm());
  }
  return worst;
}

RC_GTEST_PROP(FreeContacts, obey_their_laws_when_solved_by_newton, ()) {
  Random random(*rc::gen::arbitrary<unsigned>());
  const int nodes = *rc::gen::inRange(2, 8);
  const auto contacts = contacts_of(random, nodes, *rc::gen::inRange(1, 7));
  FreeContacts free;
  fill(free, nodes, contacts);
  const FreeContacts::Result result = free.solve(true, {0.0, {}}, {1e-10, 100'000});
  RC_PRE(result.all_exact);  // coupled at random, a few have no solution that Newton finds
  RC_ASSERT(result.solved);
  RC_ASSERT(violation(free, contacts) < 1e-9);
  RC_ASSERT(imbalance(free, nodes, contacts) < 1e-9);
}

/// A column of points, each pressed down on the one below.
std::vector<TestContact> column(int points) {
  std::vector<TestContact> contacts;
  for (int n = 1; n <= points; ++n) {
    TestContact c{n - 1, n, {}, PairRows::Zero(1, 12), RowVector::Constant(1, n == 1 ? -1.0 : 0.0)};
    c.rows(0, 2) = -1.0;
    c.rows(0, 8) = 1.0;
    contacts.push_back(c);
  }
  return contacts;
}

TEST(FreeContacts, that_are_many_obey_their_laws_by_sweeps) {
  constexpr int points = 150;  // more rows than Newton's method takes
  const auto contacts = column(points);
  FreeContacts free;
  fill(free, points + 1, contacts);
  const FreeContacts::Result result = free.solve(true, {0.0, {}}, {1e-9, 100'000});
  EXPECT_TRUE(result.solved);
  EXPECT_FALSE(result.all_exact);
  EXPECT_LT(result.residual, 1e-9);
  EXPECT_LT(violation(free, contacts), 1e-9);  // all move by less than one, and 150 of them
  EXPECT_LT(imbalance(free, points + 1, contacts), 1e-9);
}

TEST(FreeContacts, that_are_many_need_no_sweeps_where_none_are_allowed) {
  for (const int points : {150, 400}) {
    const auto contacts = column(points);
    FreeContacts free;
    fill(free, points + 1, contacts);
    const FreeContacts::Result result = free.solve(true, {0.0, {}}, {1e-9, 0});
    EXPECT_TRUE(result.solved);
    EXPECT_TRUE(result.all_exact);
    // Relative to the motion, of which each of so many may have the whole.
    EXPECT_LT(violation(free, contacts), 1e-9);
    EXPECT_LT(imbalance(free, points + 1, contacts), 1e-9);
  }
}

/// A wall of spheres on a floor, pressed together at random, with sliding friction.
std::vector<TestContact> heap(Random& random, int layers, int width) {
  std::vector<TestContact> contacts;
  const auto node = [&](int x, int z) { return 1 + z * width + x; };
  const auto add = [&](int a, int b, const Vec3& direction) {
    TestContact c{a, b, {}, PairRows(3, 12), 0.2 * random.numbers(3)};
    if (a == 0) c.rates[0] -= 1.0;
    c.law.ball_count = 1;
    c.law.balls[0] = {1, 2, 0.3};
    const Vec3 normal = direction.normalized(), tangent = normal.unitOrthogonal();
    const std::array<Vec3, 3> axes{normal, tangent, normal.cross(tangent)};
    for (int i = 0; i < 3; ++i) {
      const Vec3 &u = axes[static_cast<std::size_t>(i)], lever = (-0.5 * normal).cross(u);
      c.rows.row(i) << -u.transpose(), lever.transpose(), u.transpose(), lever.transpose();
    }
    contacts.push_back(c);
  };
  for (int z = 0; z < layers; ++z) {
    for (int x = 0; x < width; ++x) {
      const double lean = random.number(-0.3, 0.3), turn = random.number(-0.3, 0.3);
      add(z == 0 ? 0 : node(x, z - 1), node(x, z), Vec3(lean, turn, 1.0));
      if (x > 0) add(node(x - 1, z), node(x, z), Vec3(1.0, lean, turn));
    }
  }
  return contacts;
}

TEST(FreeContacts, between_spheres_are_swept_as_any_others) {
  Random random(5);
  const auto contacts = heap(random, 8, 8);
  auto others = contacts;  // the same, but for a row that nothing resists
  for (TestContact& c : others) {
    c.law.balls[static_cast<std::size_t>(c.law.ball_count++)] = {3, 1, 0.0};
    c.rows.conservativeResize(4, 12);
    c.rows.row(3).setConstant(0.1);
    c.rates.conservativeResize(4);
    c.rates[3] = 0.0;
  }
  FreeContacts spheres, any;
  fill(spheres, 65, contacts);
  fill(any, 65, others);
  EXPECT_EQ(spheres.solve(true, {0.0, {}}, {1e-10, 20}).sweeps, 20);
  EXPECT_EQ(any.solve(true, {0.0, {}}, {1e-10, 20}).sweeps, 20);
  for (int n = 1; n < 65; ++n) {
    EXPECT_LT((spheres.motion(n) - any.motion(n)).norm(), 1e-9 * any.motion(n).norm());
  }
  EXPECT_LT(imbalance(spheres, 65, contacts), 1e-12);
}

TEST(FreeContacts, of_a_heap_obey_their_laws) {
  Random random(7);
  const auto contacts = heap(random, 8, 8);
  FreeContacts free;
  fill(free, 65, contacts);
  const FreeContacts::Result result = free.solve(true, {0.0, {}}, {1e-9, 1'000'000});
  EXPECT_FALSE(result.all_exact);
  EXPECT_TRUE(result.solved);
  // The motion has 64 x 6 entries of about one.
  EXPECT_LT(violation(free, contacts), 20.0 * 1e-9);
}

TEST(FreeContacts, that_bend_with_the_bodies_obey_their_laws_where_these_end) {
  Random random(11);
  constexpr int nodes = 26;
  const auto contacts = heap(random, 5, 5);
  FreeContacts straight, free;
  fill(straight, nodes, contacts);
  ASSERT_TRUE(straight.solve(true, {1e-12, {}}, {1e-9, 0}).solved);
  fill(free, nodes, {});
  std::vector<Mat12> bends;
  std::vector<Vec12> otherwise;
  const VecX moved = 0.3 * random.numbers(6 * nodes);
  for (const TestContact& c : contacts) {
    free.add(c.a, c.b, c.law, c.rows, c.rows, c.rates, RowVector::Zero(3),
             straight.reaction(bends.size()));
    Mat12 bend;
    for (Eigen::Index i = 0; i < bend.size(); ++i) bend(i) = 0.02 * random.number();
    Vec12 motion;
    motion << moved.segment<6>(6 * c.a), moved.segment<6>(6 * c.b);
    free.add_bend(bend, motion);
    bends.push_back(bend);
    otherwise.push_back(motion);
  }
  ASSERT_TRUE(free.solve(false, {1e-11, {}}, {1e-9, 0}).solved);
  // A hundred times the precision at most, of a motion of 25 x 6 entries of about one.
  EXPECT_LT(violation(free, contacts), 12.0 * 1e-9);
  // x = Y (F^T p + D (x + what moves them otherwise))
  VecX push = VecX::Zero(6 * nodes);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const TestContact& c = contacts[k];
    Vec12 x;
    x << free.motion(c.a), free.motion(c.b);
    const Vec12 force = c.rows.transpose() * free.reaction(k) + bends[k] * (x + otherwise[k]);
    push.segment<6>(6 * c.a) += force.head<6>();
    push.segment<6>(6 * c.b) += force.tail<6>();
  }
  for (int n = 1; n < nodes; ++n) {
    Vec6 expected = push.segment<6>(6 * n);
    expected.head<3>() *= 1.0 + 0.1 * n;
    expected.tail<3>() *= 2.0;
    EXPECT_LT((free.motion(n) - expected).norm(), 1e-10);
  }
}

/// Largest residual of the laws of these contacts, as Newton's method measures it.
double violation_of(const FreeContacts& free, const std::vector<TestContact>& contacts,
                    std::size_t begin, std::size_t end) {
  double worst = 0.0;
  for (std::size_t k = begin; k < end; ++k) {
    const TestContact& c = contacts[k];
    Vec12 x;
    x << free.motion(c.a), free.motion(c.b);
    const RowVector g = c.rates + RowVector(c.rows * x);
    ContactEquations equations;
    evaluate(c.law, true, g, free.reaction(k), false, equations);
    worst = std::max(worst, equations.residual.cwiseAbs().maxCoeff());
  }
  return worst;
}

TEST(FreeContacts, of_each_redundant_island_are_as_exact_as_asked_of_its_nodes) {
  Random random(11);
  auto contacts = heap(random, 5, 5);
  const std::size_t of_one = contacts.size();
  for (std::size_t k = 0; k < of_one; ++k) {  // the same heap once more, beside it
    TestContact c = contacts[k];
    if (c.a != 0) c.a += 25;
    if (c.b != 0) c.b += 25;
    contacts.push_back(c);
  }
  FreeContacts free;
  fill(free, 51, contacts);
  std::vector<double> precisions(51, 1e-3);
  std::fill(precisions.begin() + 26, precisions.end(), 1e-12);
  ASSERT_TRUE(free.solve(true, {1e-12, precisions}, {1e-9, 0}).solved);
  const double rough = violation_of(free, contacts, 0, of_one),
               exact = violation_of(free, contacts, of_one, contacts.size());
  // Up to a hundred times the precision, of a motion of 25 x 6 entries of about one.
  EXPECT_LT(exact, 12.0 * 1e-10);
  EXPECT_LT(rough, 12.0 * 1e-1);
  EXPECT_GT(rough, 1e-9);
}

TEST(FreeContacts, that_converge_slowly_are_left_with_a_larger_residual) {
  const auto contacts = column(150);
  FreeContacts free;
  fill(free, 151, contacts);
  const FreeContacts::Result result = free.solve(true, {0.0, {}}, {1e-9, 100'000, 10.0});
  EXPECT_FALSE(result.solved);
  EXPECT_LT(result.sweeps, 100'000);
  EXPECT_LE(result.residual, 1e-9 * std::pow(result.sweeps / 10.0, 2.0));
}

TEST(FreeContacts, that_are_redundant_share_the_load) {
  TestContact c{0, 1, {}, PairRows::Zero(1, 12), RowVector::Constant(1, -1.1)};
  c.rows(0, 2) = -1.0;
  c.rows(0, 8) = 1.0;
  const std::vector<TestContact> twice{c, c};
  FreeContacts free;
  fill(free, 2, twice);
  const FreeContacts::Result result = free.solve(true, {0.0, {}}, {1e-10, 100});
  EXPECT_TRUE(result.all_exact);
  EXPECT_GT(result.regularised, 0);
  EXPECT_NEAR(free.reaction(0)[0], 0.5, 1e-9);  // 1.1 / (2 * 1.1), less the regularisation
  EXPECT_NEAR(free.reaction(1)[0], 0.5, 1e-9);
}

TEST(FreeContacts, that_separate_have_no_reaction) {
  TestContact c{0, 1, {}, PairRows::Zero(1, 12), RowVector::Constant(1, 0.3)};
  c.rows(0, 8) = 1.0;
  FreeContacts free;
  fill(free, 2, {c});
  free.solve(true, {0.0, {}}, {1e-10, 100});
  EXPECT_EQ(free.reaction(0)[0], 0.0);
  EXPECT_EQ(free.motion(1).norm(), 0.0);
}

}  // namespace free_contacts_test
}  // namespace clatter
