#include <string>

#include <gtest/gtest.h>

#include <clatter/io/joint_reader.hpp>
#include <clatter/io/model_reader.hpp>

#include "support/read_model.hpp"

namespace clatter {
namespace joint_reader_test {

using testing::model_of;
using testing::planar_pair;
using testing::rigid_pair;

// Round-off of a handful of operations on numbers of size one.
constexpr double round_off = 1e-14;

Mat3 rotation(const BodySpec& body) { return body.orientation.toRotationMatrix(); }

Vec3 in_space(const Model& model, const Attachment& at) {
  for (const BodySpec& body : model.bodies) {
    if (body.name == at.body) return body.position + rotation(body) * at.point;
  }
  return at.point;
}

Mat3 axes_in_space(const Model& model, const Attachment& at, const Mat3& axes) {
  for (const BodySpec& body : model.bodies) {
    if (body.name == at.body) return rotation(body) * axes;
  }
  return axes;
}

void expect_frame(const Mat3& axes) {
  EXPECT_TRUE((axes.transpose() * axes).isIdentity(round_off)) << axes;
  EXPECT_NEAR(axes.determinant(), 1.0, round_off);
}

class JointInSpace : public ::testing::TestWithParam<const char*> {};

TEST_P(JointInSpace, has_points_and_axes_that_coincide_at_the_start) {
  const std::string kind = GetParam();
  const bool has_axis = kind != "fixed" && kind != "ball";
  const Model model =
      model_of(rigid_pair + "[[joint]]\na = \"one\"\nb = \"two\"\nkind = \"" + kind +
               "\"\npoint = [0.5, -3, 2]\n" + (has_axis ? "axis = [3, 4, 0]\n" : "") +
               (kind == "universal" ? "axis2 = [-4, 3, 7]\n" : ""));
  const JointSpec& joint = model.joints.at(0);
  const Vec3 point(0.5, -3, 2);
  EXPECT_TRUE(in_space(model, joint.a).isApprox(point, round_off));
  EXPECT_TRUE(in_space(model, joint.b).isApprox(point, round_off));
  expect_frame(joint.axes_a);
  expect_frame(joint.axes_b);
  const Mat3 a = axes_in_space(model, joint.a, joint.axes_a);
  const Mat3 b = axes_in_space(model, joint.b, joint.axes_b);
  EXPECT_TRUE(a.isApprox(b, round_off));
  if (has_axis) {
    EXPECT_TRUE(a.col(2).isApprox(Vec3(0.6, 0.8, 0), round_off));
  } else {
    EXPECT_TRUE(a.isIdentity(round_off));
  }
  if (kind == "universal") {
    EXPECT_TRUE(a.col(0).isApprox(Vec3(-4, 3, 7).normalized(), round_off));
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, JointInSpace,
                         ::testing::Values("fixed", "ball", "revolute", "prismatic", "cylindrical",
                                           "universal", "planar", "slot"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(ReadJoint, in_body_frames_has_coordinate_zero_when_the_axes_agree_at_the_start) {
  // Both bodies turned about x by 90 degrees apart; the axis is x of both.
  const Model model = model_of(R"toml(
[[body]]
name = "one"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "two"
mass = 1
inertia = [1, 1, 1]
orientation = { axis = [1, 0, 0], angle_deg = 90 }
[[joint]]
kind = "revolute"
a = "one"
b = "two"
point_a = [1, 2, 3]
point_b = [4, 5, 6]
axis_a = [1, 0, 0]
axis_b = [1, 0, 0]
)toml");
  const JointSpec& joint = model.joints[0];
  EXPECT_EQ(joint.a.point, Vec3(1, 2, 3));
  EXPECT_EQ(joint.b.point, Vec3(4, 5, 6));
  expect_frame(joint.axes_b);
  EXPECT_TRUE(axes_in_space(model, joint.a, joint.axes_a)
                  .isApprox(axes_in_space(model, joint.b, joint.axes_b), round_off));
}

TEST(ReadJoint, in_body_frames_with_opposite_axes_still_has_right_handed_frames) {
  const Model model = model_of(rigid_pair + R"toml(
[[joint]]
kind = "cylindrical"
a = "ground"
b = "one"
point_a = [0, 0, 0]
point_b = [0, 0, 0]
axis_a = [0, 0, 1]
axis_b = [0, 0, -1]
)toml");
  expect_frame(model.joints[0].axes_a);
  expect_frame(model.joints[0].axes_b);
  EXPECT_EQ(model.joints[0].axes_b.col(2), Vec3(0, 0, -1));
}

TEST(ReadJoint, between_planar_bodies_keeps_the_normal_of_the_plane_exact) {
  const Model model = model_of(planar_pair + R"toml(
[[joint]]
kind = "prismatic"
a = "one"
b = "two"
point = [3, 4]
axis = [1, 3]
motor = "0.1*t"
[[joint]]
kind = "revolute"
a = "one"
b = "two"
point = [3, 4]
[[joint]]
kind = "prismatic"
a = "one"
b = "ground"
point_a = [0, 0]
point_b = [0, 0]
axis_a = [1, 2]
axis_b = [2, 1]
[[joint]]
kind = "fixed"
a = "one"
b = "two"
point = [3, 4]
)toml");
  for (const JointSpec& joint : model.joints) {
    expect_frame(joint.axes_a);
    expect_frame(joint.axes_b);
    EXPECT_EQ(joint.a.point[2], 0.0);
    const int normal = joint.kind == JointKind::prismatic ? 0 : 2;
    EXPECT_EQ(joint.axes_a.col(normal), Vec3::UnitZ()) << joint.name;
    EXPECT_EQ(joint.axes_b.col(normal), Vec3::UnitZ()) << joint.name;
  }
  EXPECT_EQ((*model.joints[0].motor)(10.0), 1.0);
}

TEST(ReadJoint, of_point_bodies_sits_at_their_origin) {
  const Model model = model_of(R"toml(
[[body]]
name = "bead"
kind = "point"
mass = 1
position = [0.1, 0.2, 0.3]
[[joint]]
kind = "ball"
a = "ground"
b = "bead"
point = [0.1, 0.2, 0.3]
[[joint]]
kind = "distance"
a = "ground"
b = "bead"
point_a = [1, 0, 0]
point_b = [0, 0, 0]
length = 2
)toml");
  EXPECT_EQ(model.joints[0].b.point, Vec3::Zero());
  EXPECT_EQ(model.joints[1].length, 2.0);
  EXPECT_EQ(model.joints[1].a.body, "");
}

TEST(FrameAlong, is_right_handed_for_all_directions_and_the_identity_along_z) {
  EXPECT_EQ(frame_along(Vec3::UnitZ()), Mat3::Identity());
  for (const Vec3& v :
       {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, -1), Vec3(1, 1, 1), Vec3(-1, 2, 1e-9)}) {
    const Mat3 frame = frame_along(v.normalized());
    expect_frame(frame);
    EXPECT_EQ(frame.col(2), v.normalized());
  }
}

}  // namespace joint_reader_test
}  // namespace clatter
