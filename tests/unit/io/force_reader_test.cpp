#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/read_model.hpp"

namespace clatter {
namespace force_reader_test {

using std::numbers::pi;
using testing::model_of;
using testing::planar_pair;
using testing::rigid_pair;

// Round-off of a handful of operations on numbers of size one.
constexpr double round_off = 1e-14;

TEST(ReadSpring, reads_all_kinds) {
  const Model model = model_of(rigid_pair + R"toml(
[[spring]]
a = { body = "one", point = [1, 0, 0] }
b = { body = "two" }
stiffness = 5
rest_length = 0
[[spring]]
name = "guide"
kind = "linear"
b = { body = "two" }
axis = [0, 0, 10]
damping = 2
[[spring]]
kind = "torsional"
a = { body = "ground" }
b = { body = "two" }
axis = [0, -1, 0]
stiffness = 3
rest_angle_deg = 90
)toml");
  const SpringSpec& axial = model.springs.at(0);
  EXPECT_EQ(axial.name, "spring1");
  EXPECT_EQ(axial.kind, SpringKind::axial);
  EXPECT_EQ(axial.a.body, "one");
  EXPECT_EQ(axial.a.point, Vec3(1, 0, 0));
  EXPECT_EQ(axial.b.point, Vec3::Zero());
  EXPECT_EQ(axial.rest, 0.0);
  const SpringSpec& linear = model.springs.at(1);
  EXPECT_EQ(linear.name, "guide");
  EXPECT_EQ(linear.kind, SpringKind::linear);
  EXPECT_EQ(linear.a.body, "");
  EXPECT_EQ(linear.axis, Vec3(0, 0, 1));
  EXPECT_FALSE(linear.rest.has_value());
  const SpringSpec& torsional = model.springs.at(2);
  EXPECT_EQ(torsional.name, "spring3");
  EXPECT_EQ(torsional.a.body, "");
  EXPECT_NEAR(*torsional.rest, pi / 2, round_off);
}

TEST(ReadSpring, turns_about_z_between_planar_bodies) {
  const Model model = model_of(planar_pair + R"toml(
[[spring]]
kind = "torsional"
a = { body = "one" }
b = { body = "two" }
stiffness = 3
)toml");
  EXPECT_EQ(model.springs[0].axis, Vec3::UnitZ());
}

TEST(ReadLoad, reads_numbers_and_formulas) {
  const Model model = model_of(rigid_pair + R"toml(
[[load]]
body = "one"
point = [0, 0, 1]
force = [1, "2*t", 0]
torque = [0, 0, "sin(pi*t)"]
axes = "body"
)toml");
  const LoadSpec& load = model.loads.at(0);
  EXPECT_EQ(load.at.body, "one");
  EXPECT_EQ(load.at.point, Vec3(0, 0, 1));
  EXPECT_EQ(load.force[0](3.0), 1.0);
  EXPECT_EQ(load.force[1](3.0), 6.0);
  EXPECT_NEAR(load.torque[2](0.5), 1.0, round_off);
  EXPECT_EQ(load.axes, LoadAxes::body);
}

TEST(ReadLoad, takes_one_torque_on_a_planar_body) {
  const Model model =
      model_of(planar_pair + "[[load]]\nbody = \"one\"\nforce = [1, \"t\"]\ntorque = \"3*t\"\n");
  EXPECT_EQ(model.loads[0].torque[2](2.0), 6.0);
  EXPECT_EQ(model.loads[0].force[1](2.0), 2.0);
}

}  // namespace force_reader_test
}  // namespace clatter
