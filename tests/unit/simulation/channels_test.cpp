#include <algorithm>
#include <numbers>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/schemes/nsga/nsga.hpp>
#include <clatter/simulation/channels.hpp>
#include <clatter/simulation/sums.hpp>

#include "support/run.hpp"

namespace clatter {
namespace channels_test {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// Two elements of 1 m from (1, 0, 0) along x: EA = 200, G A_y = 50, G A_z = 25, G J = 3,
/// E I_y = 4, E I_z = 6.
BeamSpec rod_along_x(bool planar) {
  BeamSpec rod;
  rod.name = "rod";
  rod.planar = planar;
  rod.points = {Vec3(1, 0, 0), Vec3(3, 0, 0)};
  rod.elements = 2;
  rod.youngs_modulus = 2.0;
  rod.shear_modulus = 1.0;
  rod.density = 0.01;
  rod.section = {100.0, 2.0, 3.0, 3.0, 0.5, 0.25, {}};  // A, I_y, I_z, J, parts that shear
  return rod;
}

Model model_of(const BeamSpec& beam) {
  Model model;
  model.beams = {beam};
  return model;
}

/// A model in a state of our choice, and what its channels say of that.
class Reading {
 public:
  explicit Reading(const Model& model)
      : machine_(model),
        nsga_(machine_, model.integrator),
        list_(model, machine_, nsga_.separates_forces(), substeps_),
        q(machine_.initial_configuration()),
        v(machine_.initial_velocity()) {}

  const Channel& channel(const std::string& path) const {
    const auto found = std::find_if(list_.list().begin(), list_.list().end(),
                                    [&](const Channel& c) { return c.path == path; });
    if (found == list_.list().end()) throw std::invalid_argument("no channel " + path);
    return *found;
  }

  /// The values of a channel in the state q, v.
  std::vector<double> values(const std::string& path) {
    State state = state_at_start(machine_);
    state.q = q;
    state.v = v;
    EXPECT_TRUE(nsga_.start(state)) << nsga_.failure();
    begin_sums(machine_, nsga_, state);
    std::vector<double> row(static_cast<std::size_t>(list_.row_size()), -99.0);
    list_.sample(state, row);
    const Channel& wanted = channel(path);
    const auto begin = row.begin() + wanted.offset;
    return {begin, begin + static_cast<std::ptrdiff_t>(wanted.components.size())};
  }

  /// Last parts of the paths in a group.
  std::vector<std::string> paths_of(const std::string& group) const {
    std::vector<std::string> paths;
    for (const Channel& c : list_.list())
      if (c.path.starts_with(group + "/")) paths.push_back(c.path.substr(c.path.rfind('/') + 1));
    return paths;
  }
  std::vector<std::string> paths_of_beams() const { return paths_of("beams"); }

 private:
  Machine machine_;
  Nsga nsga_;
  const long substeps_ = 3;
  ChannelList list_;

 public:
  Configuration q;
  NodalVector v;
};

TEST(ChannelList, names_what_beams_in_space_have) {
  const Reading reading(model_of(rod_along_x(false)));
  EXPECT_THAT(reading.paths_of_beams(),
              ElementsAre("position", "orientation", "velocity", "angular_velocity", "axial_force",
                          "shear_force_y", "shear_force_z", "torque", "bending_moment_y",
                          "bending_moment_z", "axial_strain", "shear_strain_y", "shear_strain_z",
                          "twist", "curvature_y", "curvature_z"));
  EXPECT_THAT(reading.channel("beams/rod/position").components,
              ElementsAre("0/x", "0/y", "0/z", "1/x", "1/y", "1/z", "2/x", "2/y", "2/z"));
  EXPECT_THAT(reading.channel("beams/rod/orientation").components, SizeIs(12));
  EXPECT_EQ(reading.channel("beams/rod/orientation").components[4], "1/w");
  EXPECT_THAT(reading.channel("beams/rod/angular_velocity").components, SizeIs(9));
  EXPECT_THAT(reading.channel("beams/rod/torque").components, ElementsAre("1", "2"));
  EXPECT_EQ(reading.channel("beams/rod/shear_force_z").unit, "N");
  EXPECT_EQ(reading.channel("beams/rod/bending_moment_y").unit, "N m");
  EXPECT_EQ(reading.channel("beams/rod/axial_strain").unit, "");
  EXPECT_EQ(reading.channel("beams/rod/twist").unit, "1/m");
}

TEST(ChannelList, names_what_planar_beams_have) {
  const Reading reading(model_of(rod_along_x(true)));
  EXPECT_THAT(reading.paths_of_beams(),
              ElementsAre("position", "angle", "velocity", "angular_velocity", "axial_force",
                          "shear_force_y", "bending_moment_z", "axial_strain", "shear_strain_y",
                          "curvature_z"));
  EXPECT_THAT(reading.channel("beams/rod/velocity").components,
              ElementsAre("0/x", "0/y", "1/x", "1/y", "2/x", "2/y"));
  EXPECT_THAT(reading.channel("beams/rod/angle").components, ElementsAre("0", "1", "2"));
  EXPECT_THAT(reading.channel("beams/rod/angular_velocity").components, ElementsAre("0", "1", "2"));
  EXPECT_EQ(reading.channel("beams/rod/angle").unit, "rad");
}

TEST(ChannelList, parts_of_cut_steps_are_those_of_the_run_so_far) {
  Reading reading(model_of(rod_along_x(false)));
  EXPECT_EQ(reading.values("solver/substeps"), std::vector{3.0});
}

TEST(ChannelList, entries_of_the_row_follow_each_other) {
  Model model = model_of(rod_along_x(false));
  model.beams.push_back(rod_along_x(true));
  model.beams[1].name = "plane";
  model.bodies = {testing::point("p", 1.0, Vec3::Zero())};
  const Machine machine(model);
  const long substeps = 0;
  const ChannelList list(model, machine, false, substeps);
  int offset = 0;
  for (const Channel& channel : list.list()) {
    EXPECT_EQ(channel.offset, offset) << channel.path;
    offset += static_cast<int>(channel.components.size());
  }
  EXPECT_EQ(list.row_size(), offset);
}

TEST(ChannelList, forces_and_strains_belong_to_their_elements) {
  Reading reading(model_of(rod_along_x(false)));
  // The second element, alone, is stretched to 1.1 m and sheared; the strain is u - e_1 per metre.
  reading.q[3].x = Vec3(3.1, 0.2, -0.3);
  EXPECT_THAT(reading.values("beams/rod/axial_strain"), ElementsAre(0.0, 3.1 - 3.0));
  EXPECT_THAT(reading.values("beams/rod/shear_strain_y"), ElementsAre(0.0, 0.2));
  EXPECT_THAT(reading.values("beams/rod/shear_strain_z"), ElementsAre(0.0, -0.3));
  const auto near = [](double value) { return ::testing::DoubleNear(value, 1e-13); };
  EXPECT_THAT(reading.values("beams/rod/axial_force"), ElementsAre(0.0, near(200.0 * 0.1)));
  EXPECT_THAT(reading.values("beams/rod/shear_force_y"), ElementsAre(0.0, near(50.0 * 0.2)));
  EXPECT_THAT(reading.values("beams/rod/shear_force_z"), ElementsAre(0.0, near(25.0 * -0.3)));
  EXPECT_THAT(reading.values("beams/rod/twist"), ElementsAre(0.0, 0.0));
  EXPECT_THAT(reading.values("beams/rod/bending_moment_z"), ElementsAre(0.0, 0.0));
}

TEST(ChannelList, moments_come_from_the_curvature_beyond_that_without_stress) {
  BeamSpec rod = rod_along_x(false);
  rod.unstressed_curvature = Vec3(0.1, 0.2, 0.3);
  Reading reading(model_of(rod));
  EXPECT_THAT(reading.values("beams/rod/twist"), ElementsAre(-0.1, -0.1));
  EXPECT_THAT(reading.values("beams/rod/curvature_y"), ElementsAre(-0.2, -0.2));
  EXPECT_THAT(reading.values("beams/rod/curvature_z"), ElementsAre(-0.3, -0.3));
  EXPECT_THAT(reading.values("beams/rod/torque"), ElementsAre(3.0 * -0.1, 3.0 * -0.1));
  EXPECT_THAT(reading.values("beams/rod/bending_moment_y"), ElementsAre(4.0 * -0.2, 4.0 * -0.2));
  EXPECT_THAT(reading.values("beams/rod/bending_moment_z"), ElementsAre(6.0 * -0.3, 6.0 * -0.3));
}

TEST(ChannelList, planar_beams_have_their_own_entries_of_the_section) {
  BeamSpec rod = rod_along_x(true);
  rod.unstressed_curvature = Vec3(0.0, 0.0, 0.3);
  Reading reading(model_of(rod));
  reading.q[3].x = Vec3(3.1, 0.0, 0.0);
  EXPECT_THAT(reading.values("beams/rod/axial_strain"), ElementsAre(0.0, 3.1 - 3.0));
  EXPECT_THAT(reading.values("beams/rod/shear_force_y"), ElementsAre(0.0, 0.0));
  EXPECT_THAT(reading.values("beams/rod/bending_moment_z"), ElementsAre(6.0 * -0.3, 6.0 * -0.3));
  EXPECT_THAT(reading.values("beams/rod/curvature_z"), ElementsAre(-0.3, -0.3));
}

TEST(ChannelList, nodes_of_beams_stand_behind_those_of_bodies) {
  BeamSpec rod = rod_along_x(false);
  rod.velocity = Vec3(1, 2, 3);
  rod.angular_velocity = Vec3(0, 0, 5);
  Model model = model_of(rod);
  model.bodies = {testing::point("first", 1.0, Vec3(7, 8, 9), Vec3(4, 5, 6)),
                  testing::box("second", BodyKind::rigid, 1.0, Vec3::Ones(), Vec3(-1, -2, -3))};
  Reading reading(model);
  EXPECT_THAT(reading.values("bodies/first/velocity"), ElementsAre(4, 5, 6));
  EXPECT_THAT(reading.values("bodies/second/position"), ElementsAre(-1, -2, -3));
  EXPECT_THAT(reading.values("beams/rod/position"), ElementsAre(1, 0, 0, 2, 0, 0, 3, 0, 0));
  // Node n is n metres from the first: v + (0, 0, 5) x (n, 0, 0).
  EXPECT_THAT(reading.values("beams/rod/velocity"), ElementsAre(1, 2, 3, 1, 7, 3, 1, 12, 3));
  EXPECT_THAT(reading.values("beams/rod/angular_velocity"), ElementsAre(0, 0, 5, 0, 0, 5, 0, 0, 5));
  EXPECT_THAT(reading.values("beams/rod/orientation"),
              ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0));
}

TEST(ChannelList, angles_of_planar_beams_are_those_of_the_sections) {
  BeamSpec rod = rod_along_x(true);
  rod.points[1] = rod.points[0] + Vec3(0, 2, 0);
  rod.angular_velocity = Vec3(0, 0, 5);
  Reading reading(model_of(rod));
  const double right = std::numbers::pi / 2;
  EXPECT_THAT(reading.values("beams/rod/angle"), ElementsAre(right, right, right));
  EXPECT_THAT(reading.values("beams/rod/position"), ElementsAre(1, 0, 1, 1, 1, 2));
  EXPECT_THAT(reading.values("beams/rod/velocity"), ElementsAre(0, 0, -5, 0, -10, 0));
  EXPECT_THAT(reading.values("beams/rod/angular_velocity"), ElementsAre(5, 5, 5));
}

/// A ball of 0.5 m on the ground with every friction there is.
Model ball_on_ground(BodyKind kind) {
  Model model;
  const bool planar = kind == BodyKind::planar;
  const Vec3 up = planar ? Vec3::UnitY() : Vec3::UnitZ();
  model.bodies = {testing::box("ball", kind, 2.0, Vec3::Ones(), 0.75 * up)};
  ContactSpec contact;
  contact.name = "floor";
  contact.geometry = SphereOnFace::geometry;
  contact.point.body = "ball";
  contact.radius = 0.5;
  contact.direction = up;
  contact.friction = 0.3;
  contact.rolling_friction = 0.02;
  contact.drilling_friction = planar ? 0.0 : 0.01;
  model.contacts = {contact};
  return model;
}

TEST(ChannelList, names_what_contacts_in_space_have) {
  const Reading reading(ball_on_ground(BodyKind::rigid));
  EXPECT_THAT(
      reading.paths_of("contacts"),
      ElementsAre("gap", "normal_velocity", "status", "normal_impulse", "normal_force",
                  "slip_velocity", "tangential_impulse", "tangential_force", "slip",
                  "rolling_velocity", "rolling_impulse", "rolling_torque", "rolling_status",
                  "drilling_velocity", "drilling_impulse", "drilling_torque", "drilling_status"));
  const auto expect = [&](const std::string& name, const std::string& unit,
                          std::size_t components) {
    const Channel& channel = reading.channel("contacts/floor/" + name);
    EXPECT_EQ(channel.unit, unit) << name;
    EXPECT_THAT(channel.components, SizeIs(components)) << name;
  };
  expect("slip_velocity", "m/s", 2);
  expect("tangential_impulse", "N s", 2);
  expect("tangential_force", "N", 2);
  expect("rolling_velocity", "rad/s", 2);
  expect("rolling_impulse", "N m s", 2);
  expect("rolling_torque", "N m", 2);
  expect("rolling_status", "", 1);
  expect("drilling_velocity", "rad/s", 1);
  expect("drilling_impulse", "N m s", 1);
  expect("drilling_torque", "N m", 1);
  expect("drilling_status", "", 1);
  EXPECT_THAT(reading.channel("contacts/floor/rolling_torque").components, ElementsAre("1", "2"));
  EXPECT_THAT(reading.channel("contacts/floor/drilling_torque").components, ElementsAre(""));
}

TEST(ChannelList, names_what_contacts_in_the_plane_have) {
  const Reading reading(ball_on_ground(BodyKind::planar));
  EXPECT_THAT(
      reading.paths_of("contacts"),
      ElementsAre("gap", "normal_velocity", "status", "normal_impulse", "normal_force",
                  "slip_velocity", "tangential_impulse", "tangential_force", "slip",
                  "rolling_velocity", "rolling_impulse", "rolling_torque", "rolling_status"));
  EXPECT_THAT(reading.channel("contacts/floor/slip_velocity").components, ElementsAre("1"));
  EXPECT_THAT(reading.channel("contacts/floor/rolling_torque").components, ElementsAre("1"));
}

TEST(ChannelList, contacts_with_a_patch_have_a_third_direction_of_slip_and_no_drilling) {
  Model model = ball_on_ground(BodyKind::rigid);
  model.contacts[0].drilling_friction = 0.0;
  model.contacts[0].patch_radius = 0.1;
  Reading reading(model);
  EXPECT_THAT(
      reading.paths_of("contacts"),
      ElementsAre("gap", "normal_velocity", "status", "normal_impulse", "normal_force",
                  "slip_velocity", "tangential_impulse", "tangential_force", "slip",
                  "rolling_velocity", "rolling_impulse", "rolling_torque", "rolling_status"));
  EXPECT_THAT(reading.channel("contacts/floor/slip_velocity").components,
              ElementsAre("1", "2", "3"));
  reading.v[6 + 5] = 2.0;  // about the normal
  EXPECT_NEAR(reading.values("contacts/floor/slip_velocity")[2],
              3.0 * std::numbers::pi / 16.0 * 0.1 * 2.0, 1e-15);
}

TEST(ChannelList, velocities_of_a_contact_are_those_of_the_ball_against_the_ground) {
  Reading reading(ball_on_ground(BodyKind::rigid));
  reading.v.segment<6>(6) << 1.0, 2.0, 3.0, 4.0, 5.0, 6.0;
  EXPECT_THAT(reading.values("contacts/floor/gap"), ElementsAre(0.25));
  EXPECT_THAT(reading.values("contacts/floor/normal_velocity"), ElementsAre(3.0));
  EXPECT_THAT(reading.values("contacts/floor/drilling_velocity"), ElementsAre(6.0));
  // The lowest point is at -0.5 z: (1, 2, 3) + (4, 5, 6) x (0, 0, -0.5) = (-1.5, 4, 3). The
  // tangents are along x and y in some order and sense, the same for rolling.
  const std::vector<double> slip = reading.values("contacts/floor/slip_velocity");
  const std::vector<double> rolling = reading.values("contacts/floor/rolling_velocity");
  EXPECT_NEAR(std::hypot(slip[0], slip[1]), std::hypot(1.5, 4.0), 1e-15 * 8);
  EXPECT_NEAR(std::hypot(rolling[0], rolling[1]), std::hypot(4.0, 5.0), 1e-15 * 8);
  EXPECT_NEAR(slip[0] * rolling[0] + slip[1] * rolling[1], -1.5 * 4.0 + 4.0 * 5.0, 1e-14);
  EXPECT_NEAR(slip[0] * rolling[1] - slip[1] * rolling[0], -1.5 * 5.0 - 4.0 * 4.0, 1e-14);
}

TEST(ChannelList, disc_on_a_floor_turns_clockwise_when_it_rolls_to_the_right) {
  Reading reading(ball_on_ground(BodyKind::planar));
  reading.v[6] = 1.0;
  reading.v[6 + 5] = -2.0;
  EXPECT_THAT(reading.values("contacts/floor/slip_velocity"), ElementsAre(0.0));
  EXPECT_THAT(reading.values("contacts/floor/rolling_velocity"), ElementsAre(-2.0));
}

}  // namespace channels_test
}  // namespace clatter
