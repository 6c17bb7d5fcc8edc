// Forces of impacts of solids that find each other, and forces that are told while a run goes on.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/recovery/contact_forces.hpp>

#include "support/read_model.hpp"
#include "support/run.hpp"

namespace clatter {
namespace recovered_solids_test {

using namespace testing;

constexpr const char* glass = R"(
[[material]]
name = "glass"
youngs_modulus = 7e10
poisson_ratio = 0.2
strength = 1e9
restitution = 0.8
)";

std::string integrator(const std::string& name, double duration) {
  return fmt::format("[integrator]\nname = \"{}\"\nstep = 1e-3\nduration = {}\n", name, duration);
}

struct Recovered {
  ContactHistory history;
  ContactForces forces;
  std::vector<double> online;  ///< the channel, at each sample
};

/// Steps through a run as a program does that stores every step.
Recovered recovered(const Model& model) {
  Simulation simulation(model);
  const std::vector<ContactRecovery> recoveries = recoveries_of(model);
  const ContactRecovery& recovery = recoveries.front();
  Recovered out;
  const auto sample = [&] {
    out.history.time.push_back(simulation.time());
    for (const HistoryChannel& channel : history_channels) {
      try {
        (out.history.*channel.values)
            .push_back(value(simulation, recovery.path() + "/" + channel.name));
      } catch (const std::invalid_argument&) {
        EXPECT_TRUE(channel.is_optional) << channel.name;
      }
    }
    out.online.push_back(simulation.value(recovery.path() + "/recovered_force"));
    simulation.start_interval();
  };
  sample();
  while (!simulation.finished()) {
    simulation.step();
    sample();
  }
  out.forces = recover_forces(out.history, recovery);
  return out;
}

std::string drop(const std::string& shape, double mass, double height, const std::string& recover,
                 const std::string& scheme, const std::string& turned = "") {
  return std::string("gravity = [0, 0, -10]\n") + glass + recover +
         "[ground]\nshape = { kind = \"half_space\", material = \"glass\" }\n" +
         fmt::format(
             "[[body]]\nname = \"ball\"\nmass = {}\nshape = {{ {}, material = \"glass\" }}\n"
             "position = [0, 0, {}]\n{}",
             mass, shape, height, turned) +
         "[[watch]]\nbodies = [\"ball\", \"ground\"]\n" + integrator(scheme, 0.6);
}

class EverySchemeRecovered : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Solids, EverySchemeRecovered,
                         ::testing::Values("nsga", "nsga_coupled", "moreau"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(EverySchemeRecovered, tells_of_a_solid_ball_what_it_tells_of_a_listed_contact) {
  const Recovered solid =
      recovered(parse_model(drop("kind = \"sphere\", radius = 0.1", 2, 0.3,
                                 "recover = { law = \"flores\" }\n", GetParam()),
                            "ball.toml"));
  const std::string listed = std::string("gravity = [0, 0, -10]\n") + glass + R"(
[[body]]
name = "ball"
mass = 2
shape = { kind = "sphere", radius = 0.1 }
position = [0, 0, 0.3]
[[contact]]
name = "floor"
sphere = { body = "ball" }
face = { normal = [0, 0, 1] }
restitution = 0.8
recover = { law = "flores", materials = ["glass", "glass"] }
)" + integrator(GetParam(), 0.6);
  const Recovered contact = recovered(parse_model(listed, "ball.toml"));
  ASSERT_GE(contact.forces.impacts.size(), 2u);
  ASSERT_EQ(solid.forces.impacts.size(), contact.forces.impacts.size());
  for (std::size_t i = 0; i < contact.forces.impacts.size(); ++i) {
    const ContactImpact &one = solid.forces.impacts[i], &two = contact.forces.impacts[i];
    for (const ImpactFigure& figure : impact_figures()) {
      // The same motion but for where solvers stop, at 1e-10.
      if (std::string(figure.name) == "force_besides") continue;
      EXPECT_NEAR(figure.value(one) / figure.value(two), 1.0, 1e-6) << figure.name;
    }
  }
}

TEST_P(EverySchemeRecovered, has_the_curvature_and_stiffness_of_an_ellipsoid_on_its_vertex) {
  const Recovered solid =
      recovered(parse_model(drop("kind = \"ellipsoid\", semi_axes = [0.1, 0.15, 0.2]", 2, 0.3,
                                 "recover = { law = \"hertz\" }\n", GetParam()),
                            "pebble.toml"));
  ASSERT_FALSE(solid.forces.impacts.empty());
  const ContactImpact& first = solid.forces.impacts.front();
  const Elasticity material{7e10, 0.2};
  // Half of c/b^2 and c/a^2: a plane has none.
  const HertzContact expected(material, material, {0.5 * 0.2 / 0.0225, 0.5 * 0.2 / 0.01});
  EXPECT_NEAR(first.settings->law.stiffness / expected.stiffness(), 1.0, 1e-6);
  // Hertz's elastic impact: m v^2/2 = 2/5 K depth^(5/2), with the mass that the impulse tells.
  const double v = first.known.speed, m = first.known.impulse / (1.8 * v);
  const double depth = std::pow(1.25 * m * v * v / expected.stiffness(), 0.4);
  EXPECT_NEAR(first.peak / (expected.stiffness() * std::pow(depth, 1.5)), 1.0, 1e-5);
  EXPECT_NEAR(first.stress->pressure / expected.pressure(first.peak + first.force), 1.0, 1e-5);
  EXPECT_NEAR(v, std::sqrt(2.0 * 10.0 * 0.1), 1.1e-2);  // at the start of a step: g h
}

/// A ball hits a round bar, which has a curvature across its axis alone.
TEST_P(EverySchemeRecovered, of_a_ball_on_a_bar_has_the_stiffness_of_their_curvatures) {
  const std::string model = std::string(glass) + R"(
recover = { law = "hertz" }
[[beam]]
name = "bar"
points = [[0, 0, 0], [1, 0, 0]]
elements = 4
section = { kind = "circle", radius = 0.02 }
youngs_modulus = 7e10
poisson_ratio = 0.2
density = 2500
material = "glass"
[[body]]
name = "ball"
mass = 0.1
shape = { kind = "sphere", radius = 0.05, material = "glass" }
position = [0.4, 0, 0.0725]
velocity = [0, 0, -1]
[[watch]]
bodies = ["bar", "ball"]
)" + integrator(GetParam(), 0.005);
  const Recovered solid = recovered(parse_model(model, "bar.toml"));
  ASSERT_FALSE(solid.forces.impacts.empty());
  const ContactImpact& first = solid.forces.impacts.front();
  const Elasticity material{7e10, 0.2};
  const HertzContact expected(material, material, {0.5 * 20.0, 0.5 * (20.0 + 50.0)});
  ASSERT_TRUE(first.settings);
  EXPECT_NEAR(first.settings->law.stiffness / expected.stiffness(), 1.0, 1e-6);
  EXPECT_NEAR(first.known.speed, 1.0, 1e-9);
  const double v = first.known.speed, m = first.known.impulse / (1.8 * v);
  const double depth = std::pow(1.25 * m * v * v / expected.stiffness(), 0.4);
  EXPECT_NEAR(first.peak / (expected.stiffness() * std::pow(depth, 1.5)), 1.0, 1e-5);
}

TEST_P(EverySchemeRecovered, tells_of_a_box_that_lands_flat_no_force_but_what_it_lost) {
  const Recovered solid = recovered(parse_model(
      drop("kind = \"box\", size = [0.2, 0.2, 0.2]", 2, 0.2, "recover = {}\n", GetParam()),
      "box.toml"));
  ASSERT_FALSE(solid.forces.impacts.empty());
  const ContactImpact& first = solid.forces.impacts.front();
  EXPECT_FALSE(first.settings);
  EXPECT_FALSE(first.stress);
  EXPECT_TRUE(std::isnan(first.peak));
  // All four corners together: m (1 + e) v and m v^2 (1 - e^2)/2, v to g h.
  const double v = std::sqrt(2.0 * 10.0 * 0.1);
  EXPECT_NEAR(first.known.impulse, 2.0 * 1.8 * v, 2.0 * 2.0 * 1e-2);
  EXPECT_NEAR(first.energy_lost, v * v * 0.36, 0.05);
}

TEST_P(EverySchemeRecovered, with_a_stiffness_finds_forces_of_edges_too) {
  const Recovered solid =
      recovered(parse_model(drop("kind = \"box\", size = [0.2, 0.2, 0.2]", 2, 0.2,
                                 "recover = { stiffness = 1e8, law = \"hertz\" }\n", GetParam()),
                            "box.toml"));
  ASSERT_FALSE(solid.forces.impacts.empty());
  const ContactImpact& first = solid.forces.impacts.front();
  const double v = first.known.speed, m = first.known.impulse / (1.8 * v);
  EXPECT_NEAR(first.peak / (1e8 * std::pow(1.25 * m * v * v / 1e8, 0.6)), 1.0, 1e-5);
  EXPECT_FALSE(first.stress);
}

TEST_P(EverySchemeRecovered, of_discs_in_the_plane_presses_along_a_line) {
  const std::string model = std::string("gravity = [0, -10]\n") + glass + R"(
recover = { law = "hertz", length = 0.05 }
[ground]
shape = { kind = "half_space", material = "glass" }
[[body]]
name = "disc"
kind = "planar"
mass = 2
shape = { kind = "disc", radius = 0.1, thickness = 0.05, material = "glass" }
position = [0, 0.3]
[[watch]]
bodies = ["disc", "ground"]
)" + integrator(GetParam(), 0.4);
  const Recovered solid = recovered(parse_model(model, "disc.toml"));
  ASSERT_FALSE(solid.forces.impacts.empty());
  const ContactImpact& first = solid.forces.impacts.front();
  const LineContact line{2.0 * 0.96 / 7e10, 10.0, 0.05};
  EXPECT_NEAR(first.settings->law.stiffness / line.law().stiffness, 1.0, 1e-9);
  // m v^2/2 = K depth^(n+1)/(n+1)
  const double n = 10.0 / 9.0, v = first.known.speed, m = first.known.impulse / (1.8 * v);
  const double depth =
      std::pow(0.5 * (n + 1.0) * m * v * v / line.law().stiffness, 1.0 / (n + 1.0));
  EXPECT_NEAR(first.depth / depth, 1.0, 1e-5);
  EXPECT_NEAR(first.stress->pressure / line.pressure(first.peak + first.force), 1.0, 1e-9);
  EXPECT_EQ(first.stress->major_axis, 0.025);
}

TEST(RecoveredOnline, is_what_the_stored_run_gives_where_the_scheme_tells_impacts_apart) {
  for (const char* recover :
       {"recover = { law = \"flores\" }\n", "recover = { profile = \"bent\" }\n"}) {
    const Recovered run = recovered(parse_model(
        drop("kind = \"sphere\", radius = 0.1", 2, 0.3, recover, "nsga_coupled"), "ball.toml"));
    ASSERT_GE(run.forces.impacts.size(), 2u);
    for (std::size_t k = 0; k < run.online.size(); ++k) {
      EXPECT_NEAR(run.online[k], run.forces.force[k], 1e-9 * (1.0 + run.forces.force[k])) << k;
    }
  }
}

TEST(RecoveredOnline, of_free_impacts_and_of_rest_is_the_same_by_other_schemes) {
  for (const char* scheme : {"nsga", "moreau"}) {
    // It lands with e = 0 and stays: one impact, then its weight.
    std::string text = drop("kind = \"sphere\", radius = 0.1", 2, 0.3, "recover = {}\n", scheme);
    const std::string bounce = "restitution = 0.8";
    text.replace(text.find(bounce), bounce.size(), "restitution = 0");
    const Recovered run = recovered(parse_model(text, "ball.toml"));
    const auto top = std::max_element(run.online.begin(), run.online.end()) - run.online.begin();
    const auto filtered = std::max_element(run.forces.force.begin(), run.forces.force.end()) -
                          run.forces.force.begin();
    EXPECT_EQ(top, filtered) << scheme;
    // The filter takes the mean of the neighbours for a force besides: half of the weight.
    EXPECT_NEAR(
        run.online[static_cast<std::size_t>(top)] / run.forces.force[static_cast<std::size_t>(top)],
        1.0, 0.02)
        << scheme;
    EXPECT_NEAR(run.online.back(), 20.0, 1e-6) << scheme;
  }
}

TEST_P(EverySchemeRecovered, has_stresses_at_every_sample_whichever_is_named_first) {
  std::string text = drop("kind = \"ellipsoid\", semi_axes = [0.1, 0.1, 0.2]", 2, 0.21,
                          "recover = {}\n", GetParam());
  const std::string bounce = "restitution = 0.8";
  text.replace(text.find(bounce), bounce.size(), "restitution = 0");
  const Model model = parse_model(text, "pebble.toml");
  Simulation simulation(model);
  simulation.step();
  EXPECT_EQ(simulation.value("pairs/ball/ground/recovered_pressure"), 0.0);  // it is in the air
  run(simulation);
  simulation.start_interval();
  simulation.step();
  // It stands on its tip, with the weight of 20 N.
  const Elasticity material{7e10, 0.2};
  const HertzContact tip(material, material, {0.5 * 0.2 / 0.01, 0.5 * 0.2 / 0.01});
  EXPECT_NEAR(simulation.value("pairs/ball/ground/recovered_force"), 20.0, 1e-6);
  EXPECT_NEAR(simulation.value("pairs/ball/ground/recovered_pressure") / tip.pressure(20.0), 1.0,
              1e-6);
  for (const char* what : {"recovered_pressure", "recovered_shear", "recovered_von_mises", "gap",
                           "position/x", "recovered_minor_axis"}) {
    EXPECT_EQ(simulation.value(fmt::format("pairs/ground/ball/{}", what)),
              simulation.value(fmt::format("pairs/ball/ground/{}", what)))
        << what;
  }
  // On the second of the two.
  EXPECT_NEAR(simulation.value("pairs/ball/ground/force/z"), -20.0, 1e-6);
  EXPECT_NEAR(simulation.value("pairs/ground/ball/force/z"), 20.0, 1e-6);
  EXPECT_NEAR(simulation.value("pairs/ground/ball/normal/z"), 1.0, 1e-9);
  EXPECT_THROW(simulation.value("pairs/ground/bell/force/z"), Error);
}

TEST(RecoveredOnline, stresses_are_those_of_the_stored_run) {
  const Model model =
      parse_model(drop("kind = \"sphere\", radius = 0.1", 2, 0.3, "recover = {}\n", "nsga_coupled"),
                  "ball.toml");
  const Recovered run = recovered(model);
  const HertzContact sphere({7e10, 0.2}, {7e10, 0.2}, {5.0, 5.0});
  ASSERT_EQ(run.forces.stress.size(), run.forces.force.size());
  for (std::size_t k = 0; k < run.forces.force.size(); ++k) {
    const double force = run.forces.force[k];
    EXPECT_NEAR(run.forces.stress[k].pressure, force > 0.0 ? sphere.pressure(force) : 0.0,
                1e-6 * sphere.pressure(force + 1.0))
        << k;
  }
}

TEST(RecoveredMaterials, are_refused_where_they_cannot_be_found) {
  const auto complaint = [](const std::string& model) { return mistakes_of(model); };
  std::string text = drop("kind = \"sphere\", radius = 0.1", 2, 0.3, "recover = {}\n", "nsga");
  const auto without = [](std::string from, const std::string& what) {
    return from.erase(from.find(what), what.size());
  };
  EXPECT_NE(complaint(without(text, "[[watch]]\nbodies = [\"ball\", \"ground\"]\n"))
                .find("'recover' of materials is told of pairs that are watched"),
            std::string::npos);
  text = without(text, "poisson_ratio = 0.2\n");
  text = without(text, "strength = 1e9\n");
  EXPECT_NE(complaint(without(text, "youngs_modulus = 7e10\n"))
                .find("needs a 'youngs_modulus' of material 'glass', or 'stiffness'"),
            std::string::npos);
}

}  // namespace recovered_solids_test
}  // namespace clatter
