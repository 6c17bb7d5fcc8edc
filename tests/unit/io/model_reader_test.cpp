#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/read_model.hpp"

namespace clatter {
namespace model_reader_test {

using testing::mistakes_of;
using testing::model_of;
using testing::rigid_pair;
using testing::run_keys;

TEST(ReadIntegrator, has_the_defaults_of_its_spec) {
  const IntegratorSpec read = model_of(rigid_pair).integrator;
  const IntegratorSpec plain;
  EXPECT_EQ(read.kind, plain.kind);
  EXPECT_EQ(read.step, 1e-3);
  EXPECT_EQ(read.duration, 1.0);
  EXPECT_EQ(read.rho_inf, plain.rho_inf);
  EXPECT_EQ(read.tolerance, plain.tolerance);
  EXPECT_EQ(read.max_iterations, plain.max_iterations);
  EXPECT_EQ(read.max_halvings, plain.max_halvings);
  EXPECT_EQ(read.position_friction, plain.position_friction);
  EXPECT_EQ(read.scaling, plain.scaling);
  EXPECT_EQ(read.penalty, plain.penalty);
}

TEST(ReadIntegrator, and_output_read_every_key) {
  const Model model = parse_model(rigid_pair + run_keys + R"toml(
rho_inf = 0
tolerance = 1e-8
max_iterations = 7
max_halvings = 0
position_friction = false
scaling = "characteristic_mass"
characteristic_mass = 3
penalty = 2
[output]
interval = 0.1
frame_interval = 0.2
paraview = false
)toml",
                                  "model.toml");
  const IntegratorSpec& read = model.integrator;
  EXPECT_EQ(read.rho_inf, 0.0);
  EXPECT_EQ(read.max_iterations, 7);
  EXPECT_EQ(read.max_halvings, 0);
  EXPECT_FALSE(read.position_friction);
  EXPECT_EQ(read.scaling, Scaling::characteristic_mass);
  EXPECT_EQ(read.characteristic_mass, 3.0);
  EXPECT_EQ(read.penalty, 2.0);
  EXPECT_EQ(model.output.interval, 0.1);
  EXPECT_EQ(model.output.frame_interval, 0.2);
  EXPECT_FALSE(model.output.paraview);
}

TEST(ReadVerify, reads_every_key) {
  const Model model = model_of(rigid_pair + R"toml(
[[verify]]
source = "001"
example = "4.1"
quantity = "bodies/one/position/z"
measure = "first_time"
threshold = 0.5
below = true
from = 0.1
to = 0.9
oracle = "sqrt(2)"
oracle_kind = "closed form"
compare = "at_most"
tolerance = 1e-3
set = ["integrator.step=1e-4", "body.one.mass=2"]
note = "falls"
[[verify]]
quantity = "positions"
measure = "order"
oracle = 2
oracle_kind = "order"
compare = "at_least"
tolerance = 0.1
steps = [1e-2, 5e-3]
reference_step = 1e-4
[[verify]]
quantity = "bodies/one/position/z"
oracle = 0.5
oracle_kind = "independent computation"
script = "oracles/pair.py"
)toml");
  const VerifySpec& v = model.verify.at(0);
  EXPECT_EQ(v.source, "001");
  EXPECT_EQ(v.example, "4.1");
  EXPECT_EQ(v.measure, "first_time");
  EXPECT_EQ(v.threshold, 0.5);
  EXPECT_TRUE(v.below);
  EXPECT_EQ(v.from, 0.1);
  EXPECT_EQ(v.to, 0.9);
  EXPECT_EQ(v.oracle, "sqrt(2)");
  EXPECT_EQ(v.compare, "at_most");
  EXPECT_EQ(v.tolerance, 1e-3);
  EXPECT_EQ(v.set.size(), 2u);
  EXPECT_EQ(v.note, "falls");
  EXPECT_EQ(model.verify[1].oracle, "2");
  EXPECT_EQ(model.verify[1].steps, (std::vector<double>{1e-2, 5e-3}));
  EXPECT_EQ(model.verify[2].script, "oracles/pair.py");
}

TEST(ReadVerify, reads_every_kind_of_oracle) {
  for (const char* kind : {"closed form", "conservation", "order", "published",
                           "prototype of the same scheme", "own converged run"}) {
    const Model model = model_of(
        rigid_pair + fmt::format("[[verify]]\nquantity = \"bodies/one/position/z\"\noracle = 0\n"
                                 "oracle_kind = \"{}\"\n",
                                 kind));
    EXPECT_EQ(model.verify.at(0).oracle_kind, kind);
    EXPECT_EQ(model.verify[0].script, "");
  }
}

std::string mistake_in_file(const std::filesystem::path& path) {
  try {
    read_model(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.mistakes().size(), 1u);
    return error.mistakes().at(0).message;
  }
  return "";
}

TEST(ReadModel, tells_a_missing_file_from_a_directory_and_an_empty_file) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "clatter_model_reader_test";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(mistake_in_file(folder / "none.toml"), "there is no such file");
  EXPECT_EQ(mistake_in_file(folder), "this is a directory, not a model file");
  std::ofstream(folder / "empty.toml").close();
  EXPECT_EQ(mistake_in_file(folder / "empty.toml"),
            "the file is empty: a model needs [[body]] or [[beam]], and [integrator]");
  std::filesystem::remove_all(folder);
}

TEST(ReadModel, refuses_every_truncation_of_a_good_model_without_falling_over) {
  const std::string text = rigid_pair + "[[joint]]\nkind = \"ball\"\na = \"one\"\nb = \"two\"\n" +
                           "point = [0, 0, 0]\n[integrator]\nduration = 1\nstep = 1e-3";
  ASSERT_EQ(mistakes_of(text), "");
  for (std::size_t length = 0; length < text.size() - std::string("= 1e-3").size(); ++length) {
    EXPECT_NE(mistakes_of(text.substr(0, length)), "") << text.substr(0, length);
  }
}

TEST(ReadModel, reads_windows_line_ends_and_a_byte_order_mark) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : rigid_pair + run_keys)
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parse_model(text, "model.toml").bodies.size(), 2u);
}

TEST(ReadModel, reads_ten_thousand_bodies) {
  std::string text;
  for (int i = 0; i < 10000; ++i) {
    text += fmt::format(
        "[[body]]\nname = \"b{}\"\nkind = \"point\"\nmass = {}\nposition = [{}, 0, 0]\n", i, i + 1,
        3 * i);
  }
  text += "[[load]]\nbody = \"b9999\"\nforce = [1, 0, 0]\n";
  const Model model = model_of(text);
  ASSERT_EQ(model.bodies.size(), 10000u);
  for (int i = 0; i < 10000; ++i) {  // none is lost, doubled or swapped
    const BodySpec& body = model.bodies[static_cast<std::size_t>(i)];
    ASSERT_EQ(body.name, fmt::format("b{}", i));
    ASSERT_EQ(body.mass, i + 1);
    ASSERT_EQ(body.position, Vec3(3.0 * i, 0.0, 0.0));
    ASSERT_EQ(body.place.line, 1 + 5 * i);
  }
  EXPECT_EQ(model.loads[0].at.body, "b9999");
  // A mistake among them is found, and found alone.
  const std::size_t at = text.find("mass = 5001\n");
  const std::string wrong = text.substr(0, at) + "mass = -5001\n" + text.substr(at + 12);
  EXPECT_EQ(mistakes_of(wrong + run_keys),
            "model.toml:25004:8: 'mass': expected number > 0, found -5001");
}

TEST(ReadModel, reports_mistakes_in_the_order_of_the_file) {
  const std::string text =
      "zebra = 1\n[[body]]\nname = \"a\"\nmass = 0\nkind = \"point\"\napple = 1\n";
  const std::string mistakes = mistakes_of(text + run_keys);
  EXPECT_LT(mistakes.find("zebra"), mistakes.find("mass"));
  EXPECT_LT(mistakes.find("mass"), mistakes.find("apple"));
}

}  // namespace model_reader_test
}  // namespace clatter
