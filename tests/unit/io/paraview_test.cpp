#include "io/paraview.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numbers>

#include "unit/io/temporary_directory.hpp"

namespace clatter {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

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
std::vector<float> array_in(const std::string& frame, const std::string& name) {
  const auto element = frame.find("Name=\"" + name + "\"");
  const auto begin = frame.find('>', element) + 1;
  const std::string bytes = decode_base64(frame.substr(begin, frame.find('<', begin) - begin));
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  EXPECT_EQ(size, bytes.size() - sizeof(size));
  std::vector<float> numbers(size / sizeof(float));
  std::memcpy(numbers.data(), bytes.data() + sizeof(size), size);
  return numbers;
}

Model box_model() {
  Model model;
  BodySpec body;
  body.name = "box";
  body.shape = BoxShape{Vec3(2, 2, 2)};
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

}  // namespace
}  // namespace clatter
