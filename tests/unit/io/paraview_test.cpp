#include <cstdint>
#include <cstring>
#include <numbers>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/paraview.hpp>

#include "unit/io/temporary_directory.hpp"

namespace clatter {
namespace paraview_test {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string decode_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const auto digit = digits.find(c);
    if (digit == std::string::npos) continue;
    group = group << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(group >> (bits -= 8));
  }
  return bytes;
}

/// The numbers of a named array in a frame.
template <typename T = float>
std::vector<T> array_in(const std::string& frame, const std::string& name) {
  const auto element = frame.find("Name=\"" + name + "\"");
  const auto begin = frame.find('>', element) + 1;
  const std::string bytes = decode_base64(frame.substr(begin, frame.find('<', begin) - begin));
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  EXPECT_EQ(size, bytes.size() - sizeof(size));
  std::vector<T> numbers(size / sizeof(T));
  if (size > 0) std::memcpy(numbers.data(), bytes.data() + sizeof(size), size);
  return numbers;
}

/// Whether all elements of an XML file are closed in turn.
bool is_well_formed(const std::string& text) {
  std::vector<std::string> open;
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::string tag = text.substr(at + 1, text.find('>', at) - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (tag.front() == '?' || tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(name);
    } else {
      if (open.empty() || "/" + open.back() != name) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

Model box_model() {
  Model model;
  BodySpec body;
  body.name = "box";
  body.shapes = {PlacedShape{BoxShape{Vec3(2, 2, 2)}}};
  model.bodies.push_back(body);
  return model;
}

const std::vector<Channel> box_channels = {
    {"bodies/box/position", {"x", "y", "z"}, "m", 0},
    {"bodies/box/orientation", {"w", "x", "y", "z"}, "", 3},
    {"bodies/box/velocity", {"x", "y", "z"}, "m/s", 7},
    {"bodies/box/angular_velocity", {"x", "y", "z"}, "rad/s", 10}};

TEST(paraview, list_is_complete_after_every_frame) {
  const TemporaryDirectory directory;
  std::vector<double> row(13);
  row[3] = 1;
  ParaviewSeries series(directory.path(), box_model(), box_channels);
  for (int n = 0; n <= 12; ++n) {
    const std::string list = read_text(directory / "frames.pvd");
    EXPECT_THAT(list, StartsWith("<?xml"));
    EXPECT_THAT(list, EndsWith("</Collection>\n</VTKFile>\n"));
    std::size_t entries = 0;
    for (auto at = list.find("<DataSet"); at != std::string::npos;
         at = list.find("<DataSet", at + 1))
      ++entries;
    EXPECT_EQ(entries, static_cast<std::size_t>(n));
    series.append(0.5 * n, row);
  }
  EXPECT_THAT(read_text(directory / "frames.pvd"),
              HasSubstr("<DataSet timestep=\"6\" part=\"0\" file=\"frames/000012.vtp\"/>"));
  EXPECT_TRUE(std::filesystem::exists(directory / "frames/000012.vtp"));
}

TEST(paraview, bodies_stand_and_move_as_the_row_says) {
  const TemporaryDirectory directory;
  const double half = std::sqrt(0.5);
  // At (10, 0, 0), turned by 90 degrees about z, moving along x and spinning about its own x axis.
  const std::vector<double> row = {10, 0, 0, half, 0, 0, half, 1, 0, 0, 3, 0, 0};
  ParaviewSeries series(directory.path(), box_model(), box_channels);
  series.append(0.0, row);
  const std::string frame = read_text(directory / "frames/000000.vtp");
  const std::vector<float> points = array_in(frame, "Points");
  const std::vector<float> velocities = array_in(frame, "velocity");
  ASSERT_EQ(points.size(), 24u);
  // Corner (1, 1, 1) of the body, the last one, stands at (10 - 1, 1, 1); the spin (0, 3, 0) in
  // space gives it the velocity (1, 0, 0) + (0, 3, 0) x (-1, 1, 1).
  const float expected_point[] = {9, 1, 1}, expected_velocity[] = {4, 0, 3};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(points[21 + i], expected_point[i], 1e-6);
    EXPECT_NEAR(velocities[21 + i], expected_velocity[i], 1e-6);
  }
}

// Half of them balls, half boxes that are alike.
TEST(paraview, a_crowd_is_a_point_for_each_body) {
  const TemporaryDirectory directory;
  Model model;
  std::vector<Channel> channels;
  std::vector<double> row;
  for (int b = 0; b < 200; ++b) {
    BodySpec body;
    body.name = std::to_string(b);
    if (b % 2 == 0) {
      body.shapes = {PlacedShape{SphereShape{0.5 + b}}};
    } else {
      body.shapes = {PlacedShape{BoxShape{Vec3(2, 2, 2)}}};
    }
    model.bodies.push_back(body);
    for (Channel channel : box_channels) {
      channel.path.replace(channel.path.find("box"), 3, body.name);
      channel.offset += 13 * b;
      channels.push_back(channel);
    }
    const double half = std::sqrt(0.5);
    for (const double x : {1.0 * b, 2.0, 3.0, half, 0.0, 0.0, half, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0})
      row.push_back(x);
  }
  ParaviewSeries series(directory.path(), model, channels);
  series.append(0.25, row);
  EXPECT_THAT(read_text(directory / "crowd.pvd"), HasSubstr("timestep=\"0.25\""));
  const std::string frame = read_text(directory / "crowd/000000.vtp");
  EXPECT_TRUE(is_well_formed(frame));
  const std::vector<float> points = array_in(frame, "Points"), radii = array_in(frame, "radius"),
                           turns = array_in(frame, "orientation"),
                           velocities = array_in(frame, "velocity");
  const std::vector<std::int32_t> shapes = array_in<std::int32_t>(frame, "shape");
  ASSERT_EQ(points.size(), 600u);
  ASSERT_EQ(turns.size(), 800u);
  for (int b = 0; b < 200; ++b) {
    EXPECT_EQ(points[3 * b], static_cast<float>(b));
    EXPECT_EQ(velocities[3 * b + 2], 6.0f);
    EXPECT_NEAR(turns[4 * b], std::sqrt(0.5), 1e-7);
    EXPECT_NEAR(turns[4 * b + 3], std::sqrt(0.5), 1e-7);
    EXPECT_EQ(shapes[b], b % 2 == 0 ? -1 : 0);
    EXPECT_NEAR(radii[b], b % 2 == 0 ? 0.5 + b : std::sqrt(3.0), 1e-5);
  }
  // The boxes share one surface, and are not drawn twice.
  EXPECT_EQ(array_in(read_text(directory / "crowd/shapes/0.vtp"), "Points").size(), 24u);
  EXPECT_FALSE(std::filesystem::exists(directory / "crowd/shapes/1.vtp"));
  EXPECT_TRUE(array_in(read_text(directory / "frames/000000.vtp"), "Points").empty());
}

TEST(paraview, shapes_of_the_ground_stay_where_they_are) {
  const TemporaryDirectory directory;
  Model model = box_model();
  PlacedShape step{BoxShape{Vec3(1, 1, 1)}};
  step.position = {20, 0, 0};
  model.ground = {PlacedShape{HalfSpaceShape{}}, step};
  std::vector<double> row(13);
  row[3] = 1;
  ParaviewSeries series(directory.path(), model, box_channels);
  series.append(0.0, row);
  const std::vector<float> points = array_in(read_text(directory / "frames/000000.vtp"), "Points");
  ASSERT_EQ(points.size(), 3u * (8 + 4 + 8));
  EXPECT_EQ(points[3 * 8 + 2], 0.0f);         // z of the half space
  EXPECT_GE(std::abs(points[3 * 8]), 10.0f);  // half of the size of all that is there
  EXPECT_NEAR(points[3 * 19], 20.5f, 1e-6);
}

TEST(paraview, planar_bodies_turn_about_z) {
  const TemporaryDirectory directory;
  Model model = box_model();
  model.bodies[0].kind = BodyKind::planar;
  ParaviewSeries series(
      directory.path(), model,
      {{"bodies/box/position", {"x", "y"}, "m", 0}, {"bodies/box/angle", {""}, "rad", 2}});
  series.append(0.0, std::vector<double>{5, 6, std::numbers::pi / 2});
  const std::vector<float> points = array_in(read_text(directory / "frames/000000.vtp"), "Points");
  const float expected[] = {4, 7, 1};  // corner (1, 1, 1)
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(points[21 + i], expected[i], 1e-6);
}

TEST(paraview, contacts_show_their_face_once_and_their_force_at_the_point) {
  const TemporaryDirectory directory;
  Model model = box_model();
  for (const char* name : {"corner.1", "corner.2"}) {
    ContactSpec contact;
    contact.name = name;
    contact.point = {"box", Vec3(1, 1, -1)};
    model.contacts.push_back(contact);
  }
  std::vector<Channel> channels = box_channels;
  channels.push_back({"contacts/corner.2/gap", {""}, "m", 13});
  channels.push_back({"contacts/corner.2/normal_force", {""}, "N", 14});
  std::vector<double> row(15);
  row[3] = 1;
  row[13] = 0.25;
  row[14] = 42;
  ParaviewSeries series(directory.path(), model, channels);
  series.append(0.0, row);
  const std::string frame = read_text(directory / "frames/000000.vtp");
  EXPECT_THAT(frame, HasSubstr("NumberOfPoints=\"14\""));  // box, face, two contact points
  EXPECT_EQ(array_in(frame, "normal_force").back(), 42.0f);
  EXPECT_EQ(array_in(frame, "gap").back(), 0.25f);
  EXPECT_EQ(array_in(frame, "normal_force").front(), 0.0f);
}

// ---- Beams ----

Vec3 vector_in(const std::vector<float>& array, std::size_t i) {
  return Eigen::Map<const Eigen::Vector3f>(array.data() + 3 * i).cast<double>();
}

void expect_near(const Vec3& measured, const Vec3& expected, const std::string& what) {
  // Numbers of size one, rounded to floats.
  EXPECT_LT((measured - expected).norm(), 1e-6) << what << ": " << measured.transpose();
}

/// Two elements of 1 m along x, with the same section and 0.2 x 0.4 m wide.
Model rod_model() {
  BeamSpec rod;
  rod.name = "rod";
  rod.points = {Vec3::Zero(), Vec3(2, 0, 0)};
  rod.elements = 2;
  rod.section = section_of(RectangleSection{0.2, 0.4});
  Model model;
  model.beams = {rod};
  return model;
}

/// Channels as a run has them, and a row to fill by name.
class Row {
 public:
  explicit Row(const BeamSpec& beam) : path_("beams/" + beam.name + "/") {
    const std::size_t nodes = static_cast<std::size_t>(beam.elements) + 1;
    add("position", 3 * nodes);
    add("orientation", 4 * nodes);
    for (std::size_t n = 0; n < nodes; ++n) entry("orientation", 4 * n) = 1.0;
    add("velocity", 3 * nodes);
    add("angular_velocity", 3 * nodes);
    for (const char* name :
         {"axial_force", "shear_force_y", "shear_force_z", "torque", "bending_moment_y",
          "bending_moment_z", "axial_strain", "shear_strain_y", "shear_strain_z", "twist",
          "curvature_y", "curvature_z"})
      add(name, static_cast<std::size_t>(beam.elements));
  }

  double& entry(const std::string& name, std::size_t i) {
    for (const Channel& channel : channels)
      if (channel.path == path_ + name) return values[static_cast<std::size_t>(channel.offset) + i];
    throw std::invalid_argument(name);
  }
  void set_node(std::size_t n, const Vec3& position, const Mat3& rotation) {
    const Quaternion p(rotation);
    for (int i = 0; i < 3; ++i) entry("position", 3 * n + i) = position[i];
    entry("orientation", 4 * n) = p.w();
    for (int i = 0; i < 3; ++i) entry("orientation", 4 * n + 1 + i) = p.vec()[i];
  }

  std::vector<Channel> channels;
  std::vector<double> values;

 private:
  void add(const std::string& name, std::size_t size) {
    channels.push_back(
        {path_ + name, std::vector<std::string>(size), "", static_cast<int>(values.size())});
    values.resize(values.size() + size);
  }

  std::string path_;
};

std::string frame_of(const Model& model, const Row& row) {
  const TemporaryDirectory directory;
  ParaviewSeries series(directory.path(), model, row.channels);
  series.append(0.0, row.values);
  return read_text(directory / "frames/000000.vtp");
}

// Points of rod_model(): four corners at either end of either element, then the nodes.
const Vec3 rod_corners[] = {{0, -0.1, -0.2}, {0, 0.1, -0.2}, {0, 0.1, 0.2}, {0, -0.1, 0.2}};
constexpr std::size_t rod_points = 19, rod_line = 16;

TEST(paraview, straight_beams_are_prisms_with_a_centre_line) {
  const Model model = rod_model();
  Row row(model.beams[0]);
  for (int n = 0; n <= 2; ++n) row.set_node(n, Vec3(n, 0, 0), Mat3::Identity());
  const std::string frame = frame_of(model, row);
  EXPECT_TRUE(is_well_formed(frame));
  EXPECT_THAT(frame, HasSubstr("NumberOfPoints=\"19\" NumberOfVerts=\"0\" NumberOfLines=\"1\" "
                               "NumberOfStrips=\"0\" NumberOfPolys=\"10\""));
  const std::vector<float> points = array_in(frame, "Points");
  ASSERT_EQ(points.size(), 3 * rod_points);
  for (std::size_t i = 0; i < rod_line; ++i) {
    const double x[] = {0, 1, 1, 2};
    expect_near(vector_in(points, i), Vec3(x[i / 4], 0, 0) + rod_corners[i % 4],
                "point " + std::to_string(i));
  }
  for (std::size_t n = 0; n <= 2; ++n)
    expect_near(vector_in(points, rod_line + n), Vec3(double(n), 0, 0), "node");

  for (const int kind : array_in<std::int32_t>(frame, "kind")) EXPECT_EQ(kind, 3);
  const std::string polygons = frame.substr(frame.find("<Polys>"));
  const std::vector<std::int32_t> connectivity = array_in<std::int32_t>(polygons, "connectivity");
  ASSERT_EQ(connectivity.size(), 40u);
  // Sides, and the caps at the ends of the beam: outwards all of them, so that the volume inside
  // is positive, 2 m x 0.2 m x 0.4 m.
  double volume = 0.0;
  for (std::size_t i = 0; i < connectivity.size(); i += 4)
    for (std::size_t k = 1; k <= 2; ++k)
      volume += vector_in(points, connectivity[i])
                    .dot(vector_in(points, connectivity[i + k])
                             .cross(vector_in(points, connectivity[i + k + 1]))) /
                6.0;
  EXPECT_NEAR(volume, 0.16, 1e-6);
}

TEST(paraview, bent_beams_follow_the_orientation_of_their_nodes) {
  const Model model = rod_model();
  Row row(model.beams[0]);
  // The last node is up at (1, 1, 1), its section turned so that x looks along z, y along x and z
  // along y; it moves along y and spins about its own x.
  Mat3 turned;
  turned << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  row.set_node(1, Vec3(1, 0, 0), Mat3::Identity());
  row.set_node(2, Vec3(1, 1, 1), turned);
  row.entry("velocity", 3 * 2 + 1) = 5.0;
  row.entry("angular_velocity", 3 * 2) = 10.0;
  const std::string frame = frame_of(model, row);
  const std::vector<float> points = array_in(frame, "Points");
  const std::vector<float> velocities = array_in(frame, "velocity");
  ASSERT_EQ(points.size(), 3 * rod_points);
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 corner = rod_corners[i];
    expect_near(vector_in(points, 8 + i), Vec3(1, 0, 0) + corner, "begin of element 2");
    expect_near(vector_in(points, 12 + i), Vec3(1 + corner.y(), 1 + corner.z(), 1), "end");
    // (0, 0, 10) in space x (y, z, 0)
    expect_near(vector_in(velocities, 12 + i), Vec3(-10 * corner.z(), 5 + 10 * corner.y(), 0),
                "velocity");
    expect_near(vector_in(velocities, 8 + i), Vec3::Zero(), "velocity");
  }
}

TEST(paraview, section_data_jump_between_elements) {
  Model model = rod_model();
  ContactSpec contact;
  contact.name = "tip";
  contact.point = {"rod.2", Vec3(0, 0.1, 0)};
  model.contacts = {contact};
  Row row(model.beams[0]);
  for (int n = 0; n <= 2; ++n) row.set_node(n, Vec3(n, 0, 3), Mat3::Identity());
  row.entry("axial_force", 0) = 10.0;
  row.entry("axial_force", 1) = 20.0;
  row.entry("shear_force_z", 1) = 30.0;
  row.entry("bending_moment_y", 0) = 40.0;
  row.entry("shear_strain_y", 1) = 0.5;
  row.entry("curvature_z", 0) = 0.25;
  const std::string frame = frame_of(model, row);
  const auto at = [&](const char* name, std::size_t i) {
    return vector_in(array_in(frame, name), i);
  };
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(at("section_force", i), Vec3(10, 0, 0));
    EXPECT_EQ(at("section_force", 8 + i), Vec3(20, 0, 30));
    EXPECT_EQ(at("section_moment", i), Vec3(0, 40, 0));
    EXPECT_EQ(at("strain", 8 + i), Vec3(0, 0.5, 0));
    EXPECT_EQ(at("curvature", i), Vec3(0, 0, 0.25));
    EXPECT_EQ(at("curvature", 8 + i), Vec3::Zero());
  }
  EXPECT_EQ(at("section_force", rod_line), Vec3(10, 0, 0));
  EXPECT_EQ(at("section_force", rod_line + 1), Vec3(15, 0, 15));  // the mean of both
  EXPECT_EQ(at("section_force", rod_line + 2), Vec3(20, 0, 30));
  // Then come the face, as large as the beam, and the contact point on the last node.
  const std::vector<float> points = array_in(frame, "Points");
  ASSERT_EQ(points.size(), 3 * (rod_points + 5));
  EXPECT_NEAR((vector_in(points, rod_points + 1) - vector_in(points, rod_points)).norm(), 2.0,
              1e-6);
  expect_near(vector_in(points, rod_points + 4), Vec3(2, 0.1, 3), "contact point");
  EXPECT_EQ(array_in<std::int32_t>(frame, "body").back(), 0);
  EXPECT_EQ(array_in<std::int32_t>(frame, "kind").back(), 2);
  EXPECT_EQ(at("section_force", rod_points + 4), Vec3::Zero());
}

TEST(paraview, beams_count_on_after_bodies_and_other_models_have_no_section_data) {
  Model model = rod_model();
  model.bodies = box_model().bodies;
  const Row row(model.beams[0]);
  const std::string frame = frame_of(model, row);
  const std::vector<std::int32_t> bodies = array_in<std::int32_t>(frame, "body");
  EXPECT_EQ(bodies.front(), 0);
  EXPECT_EQ(bodies.back(), 1);
  EXPECT_THAT(frame, HasSubstr("section_force"));
  const std::string without = frame_of(box_model(), row);
  EXPECT_EQ(without.find("section_force"), std::string::npos);
  EXPECT_TRUE(is_well_formed(without));
}

TEST(paraview, legs_of_a_beam_meet_with_their_own_sections) {
  Model model = rod_model();
  model.beams[0].points = {Vec3::Zero(), Vec3(1, 0, 0), Vec3(1, 1, 0)};
  Row row(model.beams[0]);
  // Nodes as at the start: the corner has the axes of the first leg.
  Mat3 second;
  second << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  row.set_node(1, Vec3(1, 0, 0), Mat3::Identity());
  row.set_node(2, Vec3(1, 1, 0), second);
  row.entry("axial_force", 0) = 10.0;
  row.entry("shear_force_y", 1) = 10.0;
  const std::string frame = frame_of(model, row);
  const std::vector<float> points = array_in(frame, "Points");
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 corner = rod_corners[i];
    expect_near(vector_in(points, 4 + i), Vec3(1, 0, 0) + corner, "end of leg 1");
    expect_near(vector_in(points, 8 + i), Vec3(1, 0, 0) + second * corner, "begin of leg 2");
    expect_near(vector_in(points, 12 + i), Vec3(1, 1, 0) + second * corner, "end of leg 2");
  }
  // The centre line shows no mean of two systems of axes.
  expect_near(vector_in(array_in(frame, "section_force"), rod_line + 1), Vec3(10, 0, 0), "corner");
}

TEST(paraview, planar_beams_turn_about_z) {
  Model model = rod_model();
  model.beams[0].planar = true;
  model.beams[0].elements = 1;
  std::vector<Channel> channels = {{"beams/rod/position", {"0/x", "0/y", "1/x", "1/y"}, "m", 0},
                                   {"beams/rod/angle", {"0", "1"}, "rad", 4},
                                   {"beams/rod/angular_velocity", {"0", "1"}, "rad/s", 6},
                                   {"beams/rod/bending_moment_z", {"1"}, "N m", 8}};
  const TemporaryDirectory directory;
  ParaviewSeries series(directory.path(), model, channels);
  series.append(0.0, std::vector<double>{0, 0, 1, 2, 0, std::numbers::pi / 2, 0, 3, 7});
  const std::string frame = read_text(directory / "frames/000000.vtp");
  const std::vector<float> points = array_in(frame, "Points");
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 corner = rod_corners[i];
    expect_near(vector_in(points, i), corner, "begin");
    const Vec3 arm(-corner.y(), 0, corner.z());
    expect_near(vector_in(points, 4 + i), Vec3(1, 2, 0) + arm, "end");
    expect_near(vector_in(array_in(frame, "velocity"), 4 + i), Vec3(0, 0, 3).cross(arm), "spin");
    EXPECT_EQ(vector_in(array_in(frame, "section_moment"), i), Vec3(0, 0, 7));
  }
}

}  // namespace paraview_test
}  // namespace clatter
