// The key `contact_solver`: whoever finds the reactions, the motion is the same.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/test_name.hpp"

namespace clatter {
namespace contact_solver_of_run_test {

/// Slides for 0.5 s and stops. Four corners touch, three would do.
const std::string box_on_four_points = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "box"
mass = 2
shape = { kind = "box", size = [0.3, 0.2, 0.1] }
position = [0, 0, 0.05]
velocity = [2, 0.3, 0]
[[contact]]
name = "foot"
point = { body = "box", at = [[0.15, 0.1, -0.05], [-0.15, 0.1, -0.05], [-0.15, -0.1, -0.05], [0.15, -0.1, -0.05]] }
face = { normal = [0, 0, 1] }
friction = 0.4
[integrator]
step = 1e-2
duration = 0.7
)";

/// They roll into the corner of a floor and two walls, one after the other, and lean on each other.
const std::string three_spheres_in_a_corner = R"(
gravity = [-3, -2, -9]
[[body]]
name = "first"
mass = 1
shape = { kind = "sphere", radius = 0.1 }
position = [0.11, 0.12, 0.1]
[[body]]
name = "second"
mass = 2
shape = { kind = "sphere", radius = 0.1 }
position = [0.35, 0.14, 0.1]
[[body]]
name = "third"
mass = 1.5
shape = { kind = "sphere", radius = 0.1 }
position = [0.15, 0.37, 0.1]
[[contact]]
name = "floor"
sphere = { bodies = ["first", "second", "third"] }
face = { normal = [0, 0, 1] }
friction = 0.3
[[contact]]
name = "left"
sphere = { bodies = ["first", "second", "third"] }
face = { normal = [1, 0, 0] }
friction = 0.2
[[contact]]
name = "front"
sphere = { bodies = ["first", "second", "third"] }
face = { normal = [0, 1, 0] }
friction = 0.2
[[contact]]
name = "pair"
sphere = { bodies = ["first", "second", "third"] }
other = { bodies = ["first", "second", "third"] }
friction = 0.1
[integrator]
step = 5e-3
duration = 0.5
)";

/// A hatch on two hinges, which hold five motions twice, falls on a stop.
const std::string hatch_on_two_hinges = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "hatch"
mass = 3
shape = { kind = "box", size = [0.8, 0.6, 0.02] }
position = [0.4, 0, 0.1]
[[joint]]
name = "left"
kind = "revolute"
a = "ground"
b = "hatch"
point = [0, 0.2, 0.1]
axis = [0, 1, 0]
[[joint]]
name = "right"
kind = "revolute"
a = "ground"
b = "hatch"
point = [0, -0.2, 0.1]
axis = [0, 1, 0]
[[contact]]
name = "stop"
point = { body = "hatch", at = [0.4, 0, 0] }
face = { normal = [0, 0, 1] }
[integrator]
step = 5e-3
duration = 0.4
)";

struct Case {
  std::string model, text;
  IntegratorKind integrator;
};

std::vector<Case> cases() {
  return {{"box_on_four_points", box_on_four_points, IntegratorKind::nsga},
          {"box_on_four_points", box_on_four_points, IntegratorKind::moreau},
          {"hatch_on_two_hinges", hatch_on_two_hinges, IntegratorKind::nsga},
          {"hatch_on_two_hinges", hatch_on_two_hinges, IntegratorKind::moreau},
          {"three_spheres_in_a_corner", three_spheres_in_a_corner, IntegratorKind::nsga},
          {"three_spheres_in_a_corner", three_spheres_in_a_corner, IntegratorKind::moreau}};
}

Model model_of(const Case& one, std::optional<ContactSolverKind> solver) {
  Model model = parse_model(one.text, one.model);
  model.integrator.kind = one.integrator;
  model.integrator.contact_solver = solver;
  return model;
}

/// Largest difference of positions, orientations and velocities of bodies.
double difference(const Simulation& one, const Simulation& two) {
  std::vector<double> of_one(static_cast<std::size_t>(one.row_size())), of_two = of_one;
  one.sample(of_one);
  two.sample(of_two);
  double worst = 0.0;
  for (const Channel& channel : one.channels()) {
    if (!channel.path.starts_with("bodies/") || channel.path.ends_with("acceleration")) continue;
    const auto begin = static_cast<std::size_t>(channel.offset);
    for (std::size_t i = begin; i < begin + channel.components.size(); ++i) {
      worst = std::max(worst, std::abs(of_one[i] - of_two[i]));
    }
  }
  return worst;
}

class ContactSolverOfRun : public ::testing::TestWithParam<std::tuple<Case, ContactSolverKind>> {};

TEST_P(ContactSolverOfRun, gives_the_motion_of_the_default) {
  const auto& [one, solver] = GetParam();
  Simulation usual(model_of(one, {})), chosen(model_of(one, solver));
  // Newton's method finishes every step to 1e-10 of the momenta that it changes, whatever it starts
  // from. Speeds are of order one, and there are a hundred steps at most.
  while (!usual.finished()) {
    usual.step();
    chosen.step();
    ASSERT_LT(difference(usual, chosen), 100 * 1e-10) << "at t = " << usual.time();
  }
  EXPECT_EQ(chosen.statistics().substeps, 0);
}

TEST_P(ContactSolverOfRun, leaves_the_problems_of_the_steps_to_be_seen) {
  const auto& [one, solver] = GetParam();
  std::vector<ContactProblem> usual, chosen;
  const auto run = [&, &of = one](std::optional<ContactSolverKind> by, auto& problems) {
    Simulation simulation(model_of(of, by));
    simulation.on_contact_problem([&](const ContactProblem& each) { problems.push_back(each); });
    while (!simulation.finished()) simulation.step();
  };
  run({}, usual);
  run(solver, chosen);
  ASSERT_FALSE(usual.empty());
  ASSERT_EQ(usual.size(), chosen.size());
  for (std::size_t k = 0; k < usual.size(); ++k) {
    EXPECT_EQ(find_fault(chosen[k]), "");
    ASSERT_EQ(usual[k].contacts.size(), chosen[k].contacts.size());
    // As the motions, and velocities are of order one.
    EXPECT_LT((usual[k].b - chosen[k].b).norm(), 100 * 1e-10 * 10.0) << "problem " << k;
    EXPECT_LT((MatX(usual[k].W) - MatX(chosen[k].W)).norm(), 1e-6 * usual[k].W.norm());
  }
}

std::string name_of(const ::testing::TestParamInfo<ContactSolverOfRun::ParamType>& test) {
  const auto& [one, solver] = test.param;
  const std::string integrator = one.integrator == IntegratorKind::nsga ? "_nsga_" : "_moreau_";
  return testing::test_name(one.model + integrator + std::string(to_string(solver)));
}

INSTANTIATE_TEST_SUITE_P(Solvers, ContactSolverOfRun,
                         ::testing::Combine(::testing::ValuesIn(cases()),
                                            ::testing::Values(ContactSolverKind::automatic,
                                                              ContactSolverKind::newton,
                                                              ContactSolverKind::fixed_point,
                                                              ContactSolverKind::gauss_seidel,
                                                              ContactSolverKind::regularised_newton,
                                                              ContactSolverKind::alternating)),
                         name_of);

}  // namespace contact_solver_of_run_test
}  // namespace clatter
