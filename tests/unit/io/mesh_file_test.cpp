#include <cstdint>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/mesh_file.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/model/mesh_checks.hpp>

#include "support/message_of.hpp"
#include "temporary_directory.hpp"

namespace clatter {
namespace mesh_file_test {

using ::testing::HasSubstr;

// A tetrahedron with corners at the origin and at one on each axis, its faces seen from outside.
constexpr double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
constexpr int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

std::string text_stl() {
  std::string text = "solid a tetrahedron\n";
  for (const auto& face : faces) {
    text += " facet normal 0 0 0\n  outer loop\n";
    for (const int i : face) {
      text += "   vertex " + std::to_string(corners[i][0]) + " " + std::to_string(corners[i][1]) +
              " " + std::to_string(corners[i][2]) + "\n";
    }
    text += "  endloop\n endfacet\n";
  }
  return text + "endsolid\n";
}

void append(std::string& bytes, const auto& value) {
  char raw[sizeof(value)];
  std::memcpy(raw, &value, sizeof(value));
  bytes.append(raw, sizeof(value));
}

std::string binary_stl() {
  std::string bytes = "solid as some programs begin binary files, too";
  bytes.resize(80, ' ');
  append(bytes, std::uint32_t{4});
  for (const auto& face : faces) {
    for (int k = 0; k < 3; ++k) append(bytes, 0.0f);
    for (const int i : face) {
      for (const double x : corners[i]) append(bytes, static_cast<float>(x));
    }
    append(bytes, std::uint16_t{0});
  }
  return bytes;
}

const std::string obj = R"(# a tetrahedron
o thing
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vn 0 0 -1
f 1//1 3//1 2//1
f 1 2 4
f 1 4 3  # the last one counts from the end
f -3 -2 -1
)";

void expect_tetrahedron(const MeshShape& mesh) {
  EXPECT_EQ(mesh.points.size(), 4u);
  ASSERT_EQ(mesh.triangles.size(), 4u);
  EXPECT_EQ(complaint_about(mesh), std::nullopt);
  EXPECT_NEAR(volume(mesh), 1.0 / 6.0, 1e-15);
}

TEST(MeshFile, reads_text_and_binary_stl_and_obj_alike) {
  MeshShape from_text, from_binary, from_obj;
  EXPECT_EQ(parse_stl(text_stl(), from_text), std::nullopt);
  EXPECT_EQ(parse_stl(binary_stl(), from_binary), std::nullopt);
  EXPECT_EQ(parse_obj(obj, from_obj), std::nullopt);
  expect_tetrahedron(from_text);
  expect_tetrahedron(from_binary);
  expect_tetrahedron(from_obj);
}

TEST(MeshFile, faces_of_obj_with_four_corners_become_two_triangles) {
  MeshShape mesh;
  EXPECT_EQ(parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", mesh), std::nullopt);
  EXPECT_EQ(mesh.triangles.size(), 2u);
}

TEST(MeshFile, says_what_it_cannot_read_and_where) {
  const auto stl = [](const std::string& text) {
    MeshShape mesh;
    return parse_stl(text, mesh).value_or("");
  };
  const auto of_obj = [](const std::string& text) {
    MeshShape mesh;
    return parse_obj(text, mesh).value_or("");
  };
  EXPECT_THAT(stl(binary_stl().substr(0, 200)), HasSubstr("is the file cut off?"));
  EXPECT_THAT(stl("something"), HasSubstr("neither a text that begins with 'solid' nor"));
  EXPECT_THAT(stl("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n"),
              HasSubstr("line 4: expected 'vertex x y z', found 'vertex 0 0'"));
  EXPECT_THAT(stl("solid\nfacet normal 0 0 1\nouter loop\n"), HasSubstr("the end of the file"));
  EXPECT_THAT(stl("solid\n"), HasSubstr("'endsolid' is missing"));
  EXPECT_THAT(of_obj("v 0 0 x\n"), HasSubstr("line 1: expected 'v x y z'"));
  EXPECT_THAT(of_obj("v 0 0 0\nf 1 2 3\n"), HasSubstr("line 2: expected 'f'"));
  EXPECT_THAT(of_obj("curv 0 1\n"), HasSubstr("line 1: expected points 'v' and faces 'f'"));
}

TEST(MeshCheck, names_the_triangle_or_edge_that_is_wrong) {
  MeshShape sound;
  parse_obj(obj, sound);
  const auto words = [&](const auto& spoil) {
    MeshShape mesh = sound;
    spoil(mesh);
    return complaint_about(mesh).value_or("");
  };
  EXPECT_THAT(words([](MeshShape& m) { m.triangles.pop_back(); }), HasSubstr("at least four"));
  EXPECT_THAT(words([](MeshShape& m) {
                m.points.push_back(Vec3(2, 2, 2));
                m.triangles[3] = {1, 2, 4};
              }),
              HasSubstr("has no triangle on its other side: the surface has a hole there"));
  EXPECT_THAT(words([](MeshShape& m) { std::swap(m.triangles[2][0], m.triangles[2][1]); }),
              HasSubstr("triangles 1 and 3 run along the edge from (0, 0, 0) to (0, 1, 0)"));
  EXPECT_THAT(words([](MeshShape& m) {
                for (auto& t : m.triangles) std::swap(t[0], t[1]);
              }),
              HasSubstr("face inward"));
  EXPECT_THAT(words([](MeshShape& m) {
                m.points[3] = {0.5, 0, 0};
              }),
              HasSubstr("triangle 2 at (0, 0, 0) has no area"));
  EXPECT_THAT(words([](MeshShape& m) { m.triangles.push_back(m.triangles[0]); }),
              HasSubstr("is a side of 3 triangles"));
  EXPECT_THAT(words([](MeshShape& m) { m.triangles[1][0] = 7; }),
              HasSubstr("triangle 2 names a point 7 that is not there"));
}

TEST(ReadMesh, finds_its_file_beside_the_model_and_scales_it) {
  const TemporaryDirectory directory;
  write_text(directory / "part.stl", binary_stl());
  const std::string model =
      "[[body]]\nname = \"part\"\ndensity = 6000\n"
      "shape = { kind = \"mesh\", file = \"part.stl\", scale = 0.1 }\n"
      "[integrator]\nstep = 1e-3\nduration = 1\n";
  write_text(directory / "model.toml", model);
  const Model read = read_model(directory / "model.toml");
  EXPECT_NEAR(read.bodies.at(0).mass, 1.0, 1e-6);  // 0.1 is one of 24 bits in the file's corners
  EXPECT_LT((read.bodies[0].centre_of_mass - Vec3::Constant(0.025)).norm(), 1e-9);
  std::filesystem::remove(directory / "part.stl");
  EXPECT_THAT(testing::message_of([&] { read_model(directory / "model.toml"); }),
              HasSubstr("4:33: 'file': 'part.stl': there is no such file"));
}

}  // namespace mesh_file_test
}  // namespace clatter
