#include <gtest/gtest.h>

#include <clatter/contact/solvers/contact_solver.hpp>

#include "support/contact_problems.hpp"

namespace clatter {
namespace contact_solver_test {

using testing::contact_problems;
using testing::NamedProblem;
using testing::step_gravity;
using testing::TouchingBodies;

constexpr ContactSolverKind kinds[] = {
    ContactSolverKind::automatic, ContactSolverKind::newton, ContactSolverKind::fixed_point,
    ContactSolverKind::gauss_seidel, ContactSolverKind::regularised_newton};

struct Case {
  ContactSolverKind kind;
  NamedProblem named;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << to_string(c.kind) << ", " << c.named.name;
}

std::vector<Case> table() {
  std::vector<Case> cases;
  for (const NamedProblem& named : contact_problems()) {
    for (const ContactSolverKind kind : kinds) cases.push_back({kind, named});
  }
  return cases;
}

ContactSolution solve(const ContactProblem& problem, ContactSolverKind kind, VecX& r,
                      double tolerance = 1e-8) {
  ContactSolver solver;
  ContactSolverOptions options;
  options.solver = kind;
  options.tolerance = tolerance;
  return solver.solve(problem, options, r);
}

class EverySolver : public ::testing::TestWithParam<Case> {};

TEST_P(EverySolver, solves_every_problem) {
  const auto& [kind, named] = GetParam();
  ASSERT_EQ(find_fault(named.problem), "");
  VecX r;
  const ContactSolution solution = solve(named.problem, kind, r);
  EXPECT_TRUE(solution.solved);
  const double error = contact_error(named.problem, r).common;
  EXPECT_LE(error, 1e-8);
  // What it says of itself is true but for the order of additions.
  EXPECT_NEAR(solution.error, error, 1e-2 * error + 1e-15);
  if (kind != ContactSolverKind::automatic) {
    EXPECT_EQ(solution.solver, kind);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EverySolver, ::testing::ValuesIn(table()),
                         [](const ::testing::TestParamInfo<Case>& of) {
                           std::string name =
                               std::string(to_string(of.param.kind)) + "_" + of.param.named.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class EachKind : public ::testing::TestWithParam<ContactSolverKind> {};

ContactProblem single(const MatX& W, const VecX& b, double mu) {
  ContactProblem problem;
  problem.W = W.sparseView();
  problem.b = b;
  problem.contacts = {coulomb_contact(0, static_cast<int>(b.size()), mu)};
  return problem;
}

//        o  m = 1, v = (approach, slip)      u = r/m + b
//   _____v______                              stick: r = -b      slip: r_T = -mu r_N slip/|slip|
TEST_P(EachKind, particle_on_plane_takes_off_sticks_and_slips) {
  const MatX W = 0.5 * MatX::Identity(3, 3);
  const struct {
    Vec3 b, r;
  } cases[] = {{{1, 2, 3}, {0, 0, 0}},
               {{-2, 0.6, -0.8}, {4, -1.2, 1.6}},
               {{-2, 3, -4}, {4, -1.2, 1.6}}};  // mu r_N = 2 along (-0.6, 0.8)
  for (const auto& [b, expected] : cases) {
    VecX r;
    EXPECT_TRUE(solve(single(W, b, 0.5), GetParam(), r, 1e-12).solved);
    EXPECT_LE((r - expected).norm(), 1e-10 * (1.0 + expected.norm())) << r.transpose();
  }
}

TEST_P(EachKind, rod_in_the_plane_slips_with_the_pressure_that_slip_gives) {
  // W_NT != 0: r_N = -b_N / (W_NN + mu t W_NT) with r_T = mu t r_N
  MatX W(2, 2);
  W << 2.0, 0.5, 0.5, 1.0;
  for (const double side : {-1.0, 1.0}) {
    const Eigen::Vector2d b(-1.0, -3.0 * side);
    const double mu = 0.4, r_N = 1.0 / (2.0 + 0.4 * side * 0.5);
    VecX r;
    EXPECT_TRUE(solve(single(W, b, mu), GetParam(), r, 1e-12).solved);
    EXPECT_NEAR(r[0], r_N, 1e-10);
    EXPECT_NEAR(r[1], mu * side * r_N, 1e-10);
  }
}

TEST_P(EachKind, ground_carries_the_weight_of_box_and_stack) {
  // At rest afterwards: the reactions take the momentum that gravity gave, however they share it.
  for (const int side : {2, 3, 10}) {
    const TouchingBodies box = testing::box_on_plane(side, 0.5, 0.0);
    VecX r;
    ASSERT_TRUE(solve(box.problem(), GetParam(), r).solved);
    double sum = 0.0;
    for (Eigen::Index i = 0; i < r.size(); i += 3) sum += r[i];
    EXPECT_NEAR(sum, 2.0 * step_gravity, 1e-6 * step_gravity);
    EXPECT_LE(box.velocity_after(0, r).norm(), 1e-5 * step_gravity);
  }
  const TouchingBodies stack = testing::stack_of_boxes(4, 0.5, 0.0);
  VecX r;
  ASSERT_TRUE(solve(stack.problem(), GetParam(), r).solved);
  EXPECT_NEAR(r[0] + r[3] + r[6] + r[9], 10.0 * step_gravity, 1e-6 * step_gravity);
}

TEST_P(EachKind, sliding_box_is_braked_by_mu_times_its_weight) {
  // 1 m/s along (0.6, 0.8); the box does not tip, so all its points slip along.
  const TouchingBodies box = testing::box_on_plane(3, 0.2, 1.0);
  VecX r;
  ASSERT_TRUE(solve(box.problem(), GetParam(), r).solved);
  const Vec6 v = box.velocity_after(0, r);
  const double speed = 1.0 - 0.2 * step_gravity;
  EXPECT_NEAR(v[0], 0.6 * speed, 1e-7);
  EXPECT_NEAR(v[1], 0.8 * speed, 1e-7);
  EXPECT_NEAR(v[2], 0.0, 1e-7);
}

TEST_P(EachKind, contacts_do_not_make_energy) {
  for (const unsigned seed : {5u, 6u}) {
    const TouchingBodies heap = testing::heap_of_balls(seed, 2, 0.5);
    VecX r;
    ASSERT_TRUE(solve(heap.problem(), GetParam(), r).solved);
    EXPECT_LT(heap.kinetic_energy(r), heap.kinetic_energy(VecX::Zero(r.size())));
  }
}

TEST_P(EachKind, ball_between_walls_that_close_has_no_solution_and_is_not_called_solved) {
  // u_1 = v - 1 >= 0 and u_2 = -v - 1 >= 0 exclude each other.
  TouchingBodies bodies;
  const int ball = bodies.add_ball(1.0, 0.1, Vec3::Zero(), Vec3::Zero());
  bodies.touch(-1, ball, {-0.1, 0, 0}, Vec3::UnitX(), 0.3);
  bodies.touch(-1, ball, {0.1, 0, 0}, -Vec3::UnitX(), 0.3);
  ContactProblem problem = bodies.problem();
  problem.b[0] = problem.b[3] = -1.0;
  ContactSolver solver;
  ContactSolverOptions options;
  options.solver = GetParam();
  options.max_iterations = 200;
  VecX r;
  const ContactSolution solution = solver.solve(problem, options, r);
  EXPECT_FALSE(solution.solved);
  EXPECT_GT(solution.error, 1e-3);
  EXPECT_TRUE(r.allFinite());
}

TEST_P(EachKind, contact_of_two_fixed_bodies_that_approach_is_not_called_solved) {
  VecX r;
  const ContactSolution solution =
      solve(single(MatX::Zero(3, 3), Vec3(-1, 0, 0), 0.5), GetParam(), r);
  EXPECT_FALSE(solution.solved);
  EXPECT_TRUE(r.allFinite());
}

TEST_P(EachKind, nothing_to_solve_is_solved) {
  VecX r;
  EXPECT_TRUE(solve(ContactProblem{DelassusMatrix(0, 0), VecX(0), {}}, GetParam(), r).solved);
  EXPECT_TRUE(solve(single(MatX::Identity(3, 3), Vec3::Zero(), 0.5), GetParam(), r).solved);
  EXPECT_EQ(r.norm(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EachKind, ::testing::ValuesIn(kinds),
                         [](const ::testing::TestParamInfo<ContactSolverKind>& of) {
                           std::string name(to_string(of.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ContactSolver, alternating_directions_solve_machines_at_rest_and_leave_the_others) {
  for (const TouchingBodies& bodies :
       {testing::box_on_plane(10, 0.5, 0.0), testing::stack_of_boxes(3, 0.5, 0.0)}) {
    VecX r;
    const ContactSolution solution = solve(bodies.problem(), ContactSolverKind::alternating, r);
    EXPECT_TRUE(solution.solved);
    EXPECT_LE(solution.iterations, 40);
    EXPECT_LE(bodies.velocity_after(0, r).norm(), 1e-5 * step_gravity);
  }
  // A guess that it cannot improve is left as it is.
  const ContactProblem moving = testing::heap_of_balls(9, 2, 0.3).problem();
  ContactSolver solver;
  ContactSolverOptions options;
  options.solver = ContactSolverKind::alternating;
  options.max_iterations = 5;
  VecX r = VecX::Constant(moving.b.size(), 0.125);
  if (!solver.solve(moving, options, r).solved) {
    EXPECT_EQ(r, VecX(VecX::Constant(moving.b.size(), 0.125)));
  }
}

TEST(ContactSolver, high_stack_with_the_heaviest_on_top_rests_on_its_lowest_contacts) {
  const TouchingBodies stack = testing::stack_of_boxes(60, 0.5, 0.0);
  VecX r;
  const ContactSolution solution = solve(stack.problem(), ContactSolverKind::automatic, r);
  EXPECT_TRUE(solution.solved);
  // The lowest four contacts carry it all: 1 + 2 + ... + 60 kg.
  EXPECT_NEAR(r[0] + r[3] + r[6] + r[9], 1830.0 * step_gravity, 1e-5 * 1830.0 * step_gravity);
}

/// A link of a gram between the ground and 10 kg, in ball joints with play and friction. It sticks
/// at both ends, which holds all of it: the reactions are those of the linear system.
TEST(ContactSolver, finds_what_a_light_body_sticks_to_under_a_heavy_one) {
  MatX W(6, 6);
  W << 1010.14431, 0, -453.133164, -1032.548842, 0, -460.221196,  //
      0, 203509.233196, 0, 0, 246894.212671, 0,                   //
      -453.133164, 0, 21240.870224, 1555.7292, 0, 23733.249724,   //
      -1032.548842, 0, 1555.7292, 1134.460743, 0, 2014.77267,     //
      0, 246894.212671, 0, 0, 304451.291493, 0,                   //
      -460.221196, 0, 23733.249724, 2014.77267, 0, 31212.117248;
  const VecX b{{-1.541154e-06, 0, -1.206544e-04, -4.316418e-06, 0, 2.920706e-02}};
  ContactProblem problem{W.sparseView(), b, {}};
  problem.W.makeCompressed();
  for (const int row : {0, 3}) problem.contacts.push_back(coulomb_contact(row, 3, 0.1));
  VecX r;
  const ContactSolution solution = solve(problem, ContactSolverKind::automatic, r, 1e-10);
  EXPECT_TRUE(solution.solved);
  const VecX held = W.fullPivLu().solve(-b);
  EXPECT_LT(held.segment<2>(1).norm(), 0.1 * held[0]);
  EXPECT_LT(held.segment<2>(4).norm(), 0.1 * held[3]);
  EXPECT_LT((r - held).norm(), 1e-6 * held.norm());
}

TEST(ContactSolver, names_lead_back_to_their_solvers) {
  for (const ContactSolverKind kind : kinds) EXPECT_EQ(contact_solver_of(to_string(kind)), kind);
  EXPECT_EQ(contact_solver_of("alternating"), ContactSolverKind::alternating);
  EXPECT_FALSE(contact_solver_of("newtn"));
}

TEST(ContactSolver, islands_are_solved_one_by_one) {
  // Two heaps that do not touch have the reactions that each has alone.
  const ContactProblem one = testing::heap_of_balls(7, 2, 0.4).problem();
  const Eigen::Index n = one.b.size();
  ContactProblem two;
  MatX W = MatX::Zero(2 * n, 2 * n);
  W.topLeftCorner(n, n) = W.bottomRightCorner(n, n) = MatX(one.W);
  two.W = W.sparseView();
  two.b.resize(2 * n);
  two.b << one.b, 2.0 * one.b;
  two.contacts = one.contacts;
  for (CondensedContact contact : one.contacts) {
    contact.first_row += static_cast<int>(n);
    two.contacts.push_back(contact);
  }
  VecX r, r_one;
  const ContactSolution solution = solve(two, ContactSolverKind::newton, r, 1e-12);
  ASSERT_TRUE(solution.solved);
  EXPECT_EQ(solution.islands, 2);
  ASSERT_TRUE(solve(one, ContactSolverKind::newton, r_one, 1e-12).solved);
  // Twice the velocities: twice the reactions. Contacts that nearly open magnify the tolerance.
  EXPECT_LE((MatX(one.W) * (r.head(n) - r_one)).norm(), 1e-6 * one.b.norm());
  EXPECT_LE((MatX(one.W) * (r.tail(n) - 2.0 * r_one)).norm(), 1e-6 * one.b.norm());
}

TEST(ContactSolver, slightly_unsymmetric_operators_are_solved_as_they_are) {
  // What the linearisation of gyroscopic forces adds: W = H (M + C)^-1 H^T with C not symmetric.
  ContactProblem problem = testing::stack_of_boxes(3, 0.3, 0.01).problem();
  MatX W = problem.W;
  MatX twist = MatX::Zero(W.rows(), W.rows());
  for (Eigen::Index i = 0; i + 1 < W.rows(); ++i) {
    twist(i, i + 1) = 1e-4;
    twist(i + 1, i) = -1e-4;
  }
  problem.W = MatX(W + W * twist * W / W.norm()).sparseView();
  for (const ContactSolverKind kind : kinds) {
    VecX r;
    EXPECT_TRUE(solve(problem, kind, r).solved) << to_string(kind);
    EXPECT_LE(contact_error(problem, r).common, 1e-8) << to_string(kind);
  }
}

TEST(ContactSolver, same_problem_gives_the_same_bits_whatever_was_solved_before) {
  const ContactProblem problem = testing::heap_of_balls(8, 3, 0.3).problem();
  const ContactProblem other = testing::stack_of_boxes(6, 0.3, 0.02).problem();
  ContactSolver solver;
  VecX first, second, between;
  solver.solve(problem, {}, first);
  solver.solve(other, {}, between);
  solver.solve(problem, {}, second);
  EXPECT_EQ(first, second);
}

}  // namespace contact_solver_test
}  // namespace clatter
