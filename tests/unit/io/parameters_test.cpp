#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

namespace clatter {
namespace parameters_test {

std::string with(const std::string& parameters, const std::string& mass,
                 const std::string& rest = "") {
  return "[parameters]\n" + parameters + "\n[[body]]\nkind = \"point\"\nmass = " + mass +
         "\nname = \"body1\"\nposition = [\"= -half\", 0, 0]\n" + rest +
         "[integrator]\nstep = 1e-3\nduration = 1\n";
}

std::string mistake_of(const std::string& text) {
  try {
    parse_model(text, "model.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Parameters, may_be_formulas_of_each_other_in_any_order) {
  const std::string text = with("half = \"whole/2\"\nwhole = 3e0", "\"= 2*half^2 - sqrt(4)\"");
  const Model model = parse_model(text, "model.toml");
  EXPECT_DOUBLE_EQ(model.bodies[0].mass, 2.5);
  EXPECT_DOUBLE_EQ(model.bodies[0].position.x(), -1.5);
}

TEST(Parameters, are_changed_from_outside_with_all_that_follows) {
  const std::string text = with("half = \"whole/2\"\nwhole = 3", "\"=whole\"");
  const std::vector<std::string> changes{"parameters.whole=8"};
  const Model model = parse_model(text, "model.toml", changes);
  EXPECT_DOUBLE_EQ(model.bodies[0].mass, 8.0);
  EXPECT_DOUBLE_EQ(model.bodies[0].position.x(), -4.0);
  const std::vector<std::string> wrong{"parameters.hole=8"};
  EXPECT_THROW(parse_model(text, "model.toml", wrong), Error);
}

TEST(Parameters, stand_in_formulas_of_time) {
  const std::string load = "[[load]]\nbody = \"body1\"\nforce = [\"= -half*sin(2e0*t)\", 0, 0]\n";
  const Model model = parse_model(with("half = -3", "1", load), "model.toml");
  ASSERT_EQ(model.loads.size(), 1U);
  EXPECT_DOUBLE_EQ(model.loads[0].force[0](0.4), 3.0 * std::sin(0.8));
}

TEST(Parameters, become_whole_numbers_where_they_are_whole) {
  const std::string beam =
      "[[beam]]\nname = \"rod\"\nkind = \"planar\"\npoints = [[0, 0], [1, 0]]\nelements = \"= "
      "2*n\"\n"
      "section = { kind = \"rectangle\", width = 0.1, height = 0.1 }\n"
      "youngs_modulus = 1e9\nshear_modulus = 4e8\ndensity = 1000\n"
      "[parameters]\nn = 3\n[integrator]\nstep = 1e-3\nduration = 1\n";
  EXPECT_EQ(parse_model(beam, "model.toml").beams[0].elements, 6);
}

TEST(Parameters, that_are_wrong_are_told_with_their_place) {
  const auto says = [](const std::string& text, const std::string& words) {
    const std::string mistake = mistake_of(text);
    EXPECT_NE(mistake.find(words), std::string::npos) << mistake;
  };
  says(with("half = 1", "\"= 2*halv\""),
       "model.toml:5:8: unknown parameter 'halv'; did you mean 'half'?");
  says(with("half = \"other\"\nother = \"half + 1\"", "1"), "depends on itself");
  says(with("half = 1", "\"= 2 +\""),
       "model.toml:5:8: the formula ' 2 +' is wrong: it ends too early");
  says(with("half = 1", "\"= 2half\""), "is wrong");
  says(with("half = 1", "\"= half/0\""), "gives inf");
  says(with("half = 1\nsin = 2", "1"), "model.toml:3:1: 'sin' means something else");
  says(with("half = \"t\"", "1"), "model.toml:2:8: the parameter 'half' depends on t");
  says(with("half = true", "1"), "must be a number or a formula");
  says(with("half = nan", "1"), "must be a number or a formula");
  // A range is checked after all.
  says(with("half = 1", "\"= -half\""), "model.toml:5:8: 'mass'");
  says("parameters = 3\n" + with("", "1").substr(14), "'parameters': expected names");
}

}  // namespace parameters_test
}  // namespace clatter
