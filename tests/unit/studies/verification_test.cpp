#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <clatter/studies/verification.hpp>

namespace clatter {
namespace verification_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<double> times = {0.0, 0.1, 0.2, 0.3};
const std::vector<double> values = {1.0, -4.0, 2.0, 3.0};

VerifySpec spec_of(const std::string& measure) {
  VerifySpec spec;
  spec.quantity = "bodies/ball/position/z";
  spec.measure = measure;
  return spec;
}

TEST(measure, takes_extremes_sums_and_ends) {
  EXPECT_EQ(measure(spec_of("final"), times, values), 3.0);
  EXPECT_EQ(measure(spec_of("min"), times, values), -4.0);
  EXPECT_EQ(measure(spec_of("max"), times, values), 3.0);
  EXPECT_EQ(measure(spec_of("max_abs"), times, values), 4.0);
  EXPECT_EQ(measure(spec_of("sum"), times, values), 2.0);
}

TEST(measure, window_includes_its_bounds) {
  VerifySpec spec = spec_of("sum");
  spec.from = 0.1;
  spec.to = 0.2;
  EXPECT_EQ(measure(spec, times, values), -2.0);
  spec.from = 0.11;
  EXPECT_EQ(measure(spec, times, values), 2.0);
  spec.from = 7.0;
  EXPECT_FALSE(measure(spec, times, values));
}

TEST(measure, value_at_a_time_is_the_sample_or_lies_between_two) {
  VerifySpec spec = spec_of("at");
  spec.at = 0.2;
  EXPECT_EQ(measure(spec, times, values), 2.0);
  spec.at = 0.1 + 0.2;  // not 0.3 in floating point
  EXPECT_EQ(measure(spec, times, values), 3.0);
  spec.at = 0.15;
  EXPECT_NEAR(measure(spec, times, values).value(), -1.0, 1e-12);
  spec.at = 0.5;
  EXPECT_FALSE(measure(spec, times, values));
}

TEST(measure, times_of_thresholds) {
  VerifySpec spec = spec_of("first_time");
  spec.threshold = 2.0;
  EXPECT_EQ(measure(spec, times, values), 0.2);
  spec.below = true;
  EXPECT_EQ(measure(spec, times, values), 0.0);
  spec.measure = "last_time";
  EXPECT_EQ(measure(spec, times, values), 0.2);
  spec.threshold = -10.0;
  EXPECT_FALSE(measure(spec, times, values));
}

TEST(measure, strongest_frequency_in_a_band) {
  // Two tones and a mean; lines lie 1/16 of the resolution, 1/2 s, apart.
  std::vector<double> at, signal;
  for (int i = 0; i <= 2000; ++i) {
    const double t = 1e-3 * i, turn = 2.0 * std::numbers::pi * t;
    at.push_back(t);
    signal.push_back(5.0 + std::sin(30.3 * turn) + 0.2 * std::cos(71.0 * turn));
  }
  VerifySpec spec = spec_of("frequency");
  spec.band = {5.0, 100.0};
  EXPECT_NEAR(measure(spec, at, signal).value(), 30.3, 0.5 / 16.0);
  spec.band = {50.0, 100.0};
  EXPECT_NEAR(measure(spec, at, signal).value(), 71.0, 0.5 / 16.0);
  spec.from = 0.5;
  spec.to = 1.5;
  EXPECT_NEAR(measure(spec, at, signal).value(), 71.0, 1.0 / 16.0);
  spec.from = 1.4985;
  EXPECT_FALSE(measure(spec, at, signal));
}

TEST(measure, does_not_hide_a_value_that_is_no_number) {
  const std::vector<double> broken = {1.0, std::nan(""), 2.0, 3.0};
  for (const char* name : {"min", "max", "max_abs", "sum"})
    EXPECT_TRUE(std::isnan(measure(spec_of(name), times, broken).value())) << name;
}

TEST(agrees, compares_within_the_tolerance_on_the_right_side) {
  VerifySpec spec;
  spec.tolerance = 0.5;
  EXPECT_TRUE(agrees(spec, 1.5, 1.0));
  EXPECT_FALSE(agrees(spec, 1.75, 1.0));
  spec.compare = "at_least";
  EXPECT_TRUE(agrees(spec, 100.0, 1.0));
  EXPECT_FALSE(agrees(spec, 0.25, 1.0));
  spec.compare = "at_most";
  EXPECT_TRUE(agrees(spec, -100.0, 1.0));
  EXPECT_FALSE(agrees(spec, 1.75, 1.0));
  EXPECT_FALSE(agrees(spec, std::nan(""), 1.0));
}

TEST(describe, says_what_is_measured) {
  VerifySpec spec = spec_of("at");
  spec.at = 2.0;
  EXPECT_EQ(describe(spec), "bodies/ball/position/z at t=2");
  spec.measure = "max_abs";
  spec.to = 0.5;
  spec.compare = "at_most";
  spec.set = {"integrator.step=1e-4"};
  EXPECT_EQ(describe(spec),
            "largest |bodies/ball/position/z| to t=0.5, at most (integrator.step=1e-4)");
}

/// A mass on a spring, x = cos(omega t) with omega = 10: second order for a smooth scheme.
Model oscillator() {
  Model model;
  BodySpec body;
  body.name = "ball";
  body.kind = BodyKind::point;
  body.mass = 1.0;
  body.position = Vec3(1, 0, 0);
  model.bodies.push_back(body);
  SpringSpec spring;
  spring.name = "spring";
  spring.kind = SpringKind::linear;
  spring.b = {"ball", Vec3::Zero()};
  spring.axis = Vec3::UnitX();
  spring.stiffness = 100.0;
  spring.rest = 0.0;
  model.springs.push_back(spring);
  model.integrator.step = 1e-3;
  model.integrator.duration = 0.5;
  return model;
}

VerifySpec entry(const std::string& quantity, const std::string& measure, const std::string& oracle,
                 double tolerance) {
  VerifySpec spec;
  spec.source = "test";
  spec.example = "oscillator";
  spec.quantity = quantity;
  spec.measure = measure;
  spec.oracle = oracle;
  spec.oracle_kind = "closed form";
  spec.tolerance = tolerance;
  return spec;
}

TEST(verify, measures_channels_figures_of_the_run_and_orders) {
  Model model = oscillator();
  // Second order: the period is off by less than (omega h)² = 1e-4, relative; the phase is 5.
  model.verify = {entry("bodies/ball/position/x", "final", "cos(5)", 5e-4),
                  entry("bodies/ball/position/x", "min", "-1", 1e-3),
                  entry("run/substeps", "final", "0", 0), entry("positions", "order", "2", 0.1)};
  model.verify.back().steps = {4e-3, 2e-3, 1e-3};
  const std::vector<Verification> results = verify(std::vector<Model>{model});
  ASSERT_EQ(results.size(), 4u);
  for (const Verification& result : results)
    EXPECT_TRUE(result.pass) << result.quantity << " " << result.measured.value_or(NAN) << " "
                             << result.problem;
}

TEST(verify, measures_the_angle_of_two_channels) {
  Model model = oscillator();
  model.bodies[0].velocity = Vec3(0, 2, 0);  // no force along y
  const std::string x = "bodies/ball/position/x", y = "bodies/ball/position/y";
  model.verify = {entry("atan2(" + y + ", " + x + ")", "final", "atan2(1, cos(5))", 5e-4),
                  entry("atan2(" + y + ", " + x + ")", "min", "0", 1e-12),
                  entry("atan2(" + y + ", bodies/ball/position/w)", "final", "0", 0)};
  const std::vector<Verification> results = verify(std::vector<Model>{model});
  EXPECT_TRUE(results[0].pass) << results[0].measured.value_or(NAN);
  EXPECT_TRUE(results[1].pass) << results[1].measured.value_or(NAN);
  EXPECT_FALSE(results[2].pass);
  EXPECT_THAT(results[2].problem, HasSubstr("no quantity 'bodies/ball/position/w'"));
}

TEST(verify, wrong_figure_does_not_pass) {
  Model model = oscillator();
  model.verify = {entry("bodies/ball/position/x", "final", "cos(5) + 0.01", 5e-4)};
  const std::vector<Verification> results = verify(std::vector<Model>{model});
  EXPECT_FALSE(results.front().pass);
  EXPECT_TRUE(results.front().measured);
  EXPECT_THAT(results.front().problem, IsEmpty());
}

TEST(verify, figure_that_is_known_to_differ_passes_only_while_it_does) {
  Model model = oscillator();
  model.verify = {entry("bodies/ball/position/x", "final", "cos(5) + 0.01", 5e-4),
                  entry("bodies/ball/position/x", "final", "cos(5)", 5e-4)};
  for (VerifySpec& spec : model.verify) {
    spec.oracle_kind = "published";
    spec.differs = "printed with a slip of the pen";
  }
  const std::vector<Verification> results = verify(std::vector<Model>{model});
  EXPECT_TRUE(results[0].pass);
  EXPECT_FALSE(results[1].pass);
}

TEST(verify, unknown_quantity_fails_alone_and_names_a_near_one) {
  Model model = oscillator();
  model.verify = {entry("bodies/bal/position/x", "final", "0", 1),
                  entry("run/substeps", "final", "0", 0)};
  const std::vector<Verification> results = verify(std::vector<Model>{model});
  EXPECT_FALSE(results[0].pass);
  EXPECT_THAT(results[0].problem, HasSubstr("did you mean 'bodies/ball/position/x'"));
  EXPECT_TRUE(results[1].pass);
}

TEST(verify, run_that_cannot_start_does_not_pass_and_says_why) {
  Model model = oscillator();
  model.bodies[0].mass = -1.0;
  model.verify = {entry("run/substeps", "final", "0", 0)};
  const std::vector<Verification> results = verify(std::vector<Model>{model});
  EXPECT_FALSE(results[0].pass);
}

TEST(verify, oracle_that_is_no_formula_is_an_error) {
  Model model = oscillator();
  model.verify = {entry("run/substeps", "final", "1 +", 0)};
  EXPECT_THROW(verify(std::vector<Model>{model}), Error);
}

TEST(verification_mistakes, finds_all_entries_that_cannot_be_measured) {
  Model model = oscillator();
  const Simulation simulation(model);
  model.verify = {entry("bodies/ball/position", "final", "0", 0),
                  entry("bodies/ball/position/x", "order", "2", 0),
                  entry("bodies/ball/position/x", "final", "(", 0),
                  entry("bodies/ball/position/x", "final", "0", 0)};
  const std::vector<Mistake> mistakes = verification_mistakes(model, simulation.channels());
  ASSERT_EQ(mistakes.size(), 3u);
  EXPECT_THAT(mistakes[0].message, HasSubstr("add one of its components: x, y, z"));
  EXPECT_THAT(mistakes[1].message, HasSubstr("'positions' or 'velocities'"));
  EXPECT_THAT(mistakes[2].message, HasSubstr("oracle"));
}

/// Channels of a beam with 1000 elements.
std::vector<Channel> long_beam_channels() {
  Channel position{"beams/rod/position", {}, "m", 0};
  for (int n = 0; n <= 1000; ++n)
    for (const char* axis : {"x", "y", "z"})
      position.components.push_back(std::to_string(n) + "/" + axis);
  Channel force{"beams/rod/axial_force", {}, "N", 3003};
  for (int e = 1; e <= 1000; ++e) force.components.push_back(std::to_string(e));
  return {position, force};
}

std::string mistake_in(const std::string& quantity) {
  Model model;
  model.verify = {entry(quantity, "final", "0", 0)};
  const std::vector<Mistake> mistakes = verification_mistakes(model, long_beam_channels());
  return mistakes.empty() ? "" : mistakes.front().message;
}

TEST(verification_mistakes, nodes_and_elements_of_beams_are_quantities) {
  EXPECT_EQ(mistake_in("beams/rod/position/0/x"), "");
  EXPECT_EQ(mistake_in("beams/rod/position/1000/z"), "");
  EXPECT_EQ(mistake_in("beams/rod/axial_force/1000"), "");
  EXPECT_NE(mistake_in("beams/rod/axial_force/0"), "");
}

TEST(verification_mistakes, corrections_for_long_beams_are_short) {
  EXPECT_THAT(mistake_in("beams/rod/position"),
              HasSubstr("add one of its components: 0/x, 0/y, 0/z, 1/x, ..., 1000/z"));
  EXPECT_THAT(mistake_in("beams/rod/positon/417/x"),
              HasSubstr("did you mean 'beams/rod/position/417/x'"));
  EXPECT_THAT(mistake_in("beams/rods/axial_force/417"),
              HasSubstr("did you mean 'beams/rod/axial_force/417'"));
  EXPECT_THAT(mistake_in("beams/rod/position/417"),
              HasSubstr("add one of its components: x, y, z"));
  for (const char* quantity : {"beams/rod/position", "beams/rod/position/2000/x", "beams/rod/x"})
    EXPECT_LT(mistake_in(quantity).size(), 200u);
}

TEST(verification_mistakes, figures_of_impacts_are_quantities_of_contacts_that_are_recovered) {
  Model model;
  model.contacts.resize(1);
  model.contacts[0].name = "floor";
  const auto mistake_about = [&](const char* quantity) {
    model.verify = {entry(quantity, "max", "0", 0)};
    const std::vector<Mistake> mistakes = verification_mistakes(model, {});
    return mistakes.empty() ? "" : mistakes.front().message;
  };
  EXPECT_NE(mistake_about("impacts/floor/peak"), "");
  model.contacts[0].recovery.emplace().stiffness = 1e8;
  EXPECT_EQ(mistake_about("impacts/floor/peak"), "");
  EXPECT_EQ(mistake_about("contacts/floor/recovered_force"), "");
  EXPECT_THAT(mistake_about("impacts/floor/peek"), HasSubstr("did you mean 'impacts/floor/peak'"));
}

TEST(verification_json, has_exactly_the_promised_keys) {
  Verification result;
  result.spec = entry("run/substeps", "final", "0", 0.5);
  result.quantity = "run/substeps";
  result.measured = 3.0;
  result.model_file = "model.toml";
  const nlohmann::json json =
      nlohmann::json::parse(verification_json(std::vector<Verification>{result}).dump());
  EXPECT_EQ(json, nlohmann::json::parse(R"([{"source": "test", "example": "oscillator",
    "quantity": "run/substeps", "measured": 3.0, "oracle": 0.0, "oracle_kind": "closed form",
    "tolerance": 0.5, "pass": false, "model": "model.toml"}])"));
  result.measured.reset();
  EXPECT_TRUE(verification_json(std::vector<Verification>{result})[0]["measured"].is_null());
}

}  // namespace verification_test
}  // namespace clatter
