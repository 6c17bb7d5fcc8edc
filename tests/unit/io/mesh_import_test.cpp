#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/base64.hpp>
#include <clatter/io/mesh_file.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/model/mesh_checks.hpp>

#include "support/message_of.hpp"
#include "temporary_directory.hpp"

namespace clatter {
namespace mesh_import_test {

using ::testing::HasSubstr;

// A wedge, not the same along any two axes: a triangle in x and y, drawn out along z. All of its
// coordinates are numbers of single precision. Five faces, seen from outside.
constexpr std::array<std::array<double, 3>, 6> corners{
    {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 4}, {2, 0, 4}, {0, 1, 4}}};
const std::vector<std::vector<int>> faces{
    {0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
constexpr int triangle_count = 8;

std::string numbers_of_corners(const char* between) {
  std::string text;
  for (const auto& [x, y, z] : corners) text += fmt::format("{} {} {}{}", x, y, z, between);
  return text;
}

std::string list_of_faces(bool as_triangles) {
  std::string text;
  for (const std::vector<int>& face : faces) {
    if (!as_triangles) {
      text += fmt::format("{} {}\n", face.size(), fmt::join(face, " "));
      continue;
    }
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      text += fmt::format("{} {} {} ", face[0], face[i], face[i + 1]);
    }
  }
  return text;
}

void append(std::string& bytes, const auto& value) {
  char raw[sizeof(value)];
  std::memcpy(raw, &value, sizeof(value));
  bytes.append(raw, sizeof(value));
}

std::string ply_head(const char* format) {
  return fmt::format(
      "ply\nformat {} 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float "
      "z\nelement face 5\nproperty list uchar int vertex_indices\nend_header\n",
      format);
}
std::string text_ply() {
  return ply_head("ascii") + numbers_of_corners("\n") + list_of_faces(false);
}
std::string binary_ply() {
  std::string bytes = ply_head("binary_little_endian");
  for (const auto& corner : corners) {
    for (const double x : corner) append(bytes, static_cast<float>(x));
  }
  for (const std::vector<int>& face : faces) {
    append(bytes, static_cast<std::uint8_t>(face.size()));
    for (const int i : face) append(bytes, static_cast<std::int32_t>(i));
  }
  return bytes;
}

std::string off() { return "OFF\n6 5 0\n" + numbers_of_corners("\n") + list_of_faces(false); }

// Points, then triangles, in one block of bytes. `nodes` are those of its scene.
std::string gltf_buffer() {
  std::string bytes;
  for (const auto& corner : corners) {
    for (const double x : corner) append(bytes, static_cast<float>(x));
  }
  for (const std::vector<int>& face : faces) {
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      for (const int k : {face[0], face[i], face[i + 1]})
        append(bytes, static_cast<std::uint16_t>(k));
    }
  }
  return bytes;
}
std::string gltf(const std::string& nodes, const std::string& roots, const std::string& uri) {
  const std::size_t points = 12 * corners.size(), indices = 6 * triangle_count;
  return fmt::format(
      R"({{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[{}]}}],"nodes":[{}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"buffers":[{{"byteLength":{}{}}}],
"bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":{},"target":34962}},
{{"buffer":0,"byteOffset":{},"byteLength":{},"target":34963}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3","min":[0,0,0],"max":[2,1,4]}},
{{"bufferView":1,"componentType":5123,"count":{},"type":"SCALAR"}}]}})",
      roots, nodes, points + indices, uri, points, points, indices, corners.size(),
      3 * triangle_count);
}
std::string text_gltf(const std::string& nodes = R"({"mesh":0})", const std::string& roots = "0") {
  const std::string buffer = gltf_buffer();
  std::string text;
  add_base64(text, buffer.data(), buffer.size());
  return gltf(nodes, roots, R"(,"uri":"data:application/octet-stream;base64,)" + text + "\"");
}
std::string binary_gltf() {
  std::string text = gltf(R"({"mesh":0})", "0", "");
  while (text.size() % 4 != 0) text += ' ';
  const std::string buffer = gltf_buffer();
  std::string bytes = "glTF";
  append(bytes, std::uint32_t{2});
  append(bytes, static_cast<std::uint32_t>(28 + text.size() + buffer.size()));
  append(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += "JSON" + text;
  append(bytes, static_cast<std::uint32_t>(buffer.size()));
  bytes += std::string("BIN\0", 4) + buffer;
  return bytes;
}

std::string collada(const std::string& axis, double metre, const std::string& placed) {
  return fmt::format(R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
<unit name="unit" meter="{}"/><up_axis>{}</up_axis></asset>
<library_geometries><geometry id="wedge"><mesh>
<source id="places"><float_array id="numbers" count="18">{}</float_array>
<technique_common><accessor source="#numbers" count="6" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="corners"><input semantic="POSITION" source="#places"/></vertices>
<triangles count="8"><input semantic="VERTEX" source="#corners" offset="0"/><p>{}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="all">{}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#all"/></scene></COLLADA>
)",
                     metre, axis, numbers_of_corners(" "), list_of_faces(true), placed);
}
const std::string collada_node = R"(<node id="n"><instance_geometry url="#wedge"/></node>)";

/// An archive whose files are stored as they are.
class Archive {
 public:
  void add(const std::string& name, const std::string& content) {
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    std::string head;
    for (const std::uint16_t x : {20, 0, 0, 0, 0x21}) append(head, x);  // version to date
    for (const std::uint32_t x : {check_sum(content), static_cast<std::uint32_t>(content.size()),
                                  static_cast<std::uint32_t>(content.size())}) {
      append(head, x);
    }
    append(head, static_cast<std::uint16_t>(name.size()));
    append(head, std::uint16_t{0});
    bytes_ += "PK\3\4" + head + name + content;
    list_ += std::string("PK\1\2\x14\0", 6) + head + std::string(10, '\0');
    append(list_, offset);
    list_ += name;
    ++count_;
  }
  std::string bytes() const {
    std::string end = std::string("PK\5\6", 4) + std::string(4, '\0');
    append(end, count_);
    append(end, count_);
    append(end, static_cast<std::uint32_t>(list_.size()));
    append(end, static_cast<std::uint32_t>(bytes_.size()));
    append(end, std::uint16_t{0});
    return bytes_ + list_ + end;
  }

 private:
  static std::uint32_t check_sum(const std::string& content) {
    std::uint32_t sum = ~0u;
    for (const char c : content) {
      sum ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (0xEDB88320u & (0u - (sum & 1u)));
    }
    return ~sum;
  }
  std::string bytes_, list_;
  std::uint16_t count_ = 0;
};

std::string three_mf() {
  std::string points, triangles;
  for (const auto& [x, y, z] : corners) {
    points += fmt::format("<vertex x=\"{}\" y=\"{}\" z=\"{}\"/>", x, y, z);
  }
  for (const std::vector<int>& face : faces) {
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      triangles +=
          fmt::format("<triangle v1=\"{}\" v2=\"{}\" v3=\"{}\"/>", face[0], face[i], face[i + 1]);
    }
  }
  Archive archive;
  archive.add("[Content_Types].xml",
              R"(<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>)");
  archive.add("_rels/.rels",
              R"(<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/3dmodel.model" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>)");
  archive.add("3D/3dmodel.model", fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources><object id="1" type="model"><mesh><vertices>{}</vertices><triangles>{}</triangles></mesh></object></resources><build><item objectid="1"/></build></model>)",
                                              points, triangles));
  return archive.bytes();
}

std::optional<std::string> read(const std::string& name, const std::string& bytes,
                                MeshShape& mesh) {
  const TemporaryDirectory folder;
  write_text(folder / name, bytes);
  return read_mesh_file(folder / name, mesh);
}

/// The wedge, with coordinates times a factor.
void expect_wedge(const MeshShape& mesh, double factor) {
  ASSERT_EQ(mesh.points.size(), corners.size());
  ASSERT_EQ(mesh.triangles.size(), static_cast<std::size_t>(triangle_count));
  EXPECT_EQ(complaint_about(mesh), std::nullopt);
  EXPECT_NEAR(volume(mesh), 4.0 * factor * factor * factor, 1e-6 * factor * factor * factor);
  for (const auto& [x, y, z] : corners) {
    const Vec3 corner = factor * Vec3(x, y, z);
    EXPECT_TRUE(std::any_of(mesh.points.begin(), mesh.points.end(), [&](const Vec3& point) {
      return (point - corner).norm() <= 1e-6 * factor;
    })) << corner.transpose();
  }
}

TEST(MeshImport, reads_the_same_wedge_from_every_format) {
  const std::vector<std::pair<std::string, std::string>> files{
      {"a.ply", text_ply()},
      {"b.ply", binary_ply()},
      {"a.off", off()},
      {"a.gltf", text_gltf()},
      {"a.glb", binary_gltf()},
      {"a.3mf", three_mf()},
      {"a.DAE", collada("Y_UP", 1.0, collada_node)}};
  for (const auto& [name, bytes] : files) {
    SCOPED_TRACE(name);
    MeshShape mesh;
    ASSERT_EQ(read(name, bytes, mesh).value_or(""), "");
    expect_wedge(mesh, 1.0);
  }
}

TEST(MeshImport, takes_the_unit_of_collada_and_leaves_its_axes) {
  for (const char* up : {"X_UP", "Y_UP", "Z_UP"}) {
    MeshShape mesh;
    ASSERT_EQ(read("a.dae", collada(up, 0.001, collada_node), mesh).value_or(""), "");
    expect_wedge(mesh, 0.001);
  }
}

TEST(MeshImport, places_every_mesh_of_a_scene_as_its_nodes_say) {
  // The wedge, and the same once more, turned by a quarter about x, twice as large and ten further.
  MeshShape mesh;
  const std::string nodes =
      R"({"mesh":0},{"translation":[10,0,0],"rotation":[0.7071067811865476,0,0,0.7071067811865476],"children":[2]},{"mesh":0,"scale":[2,2,2]})";
  ASSERT_EQ(read("a.gltf", text_gltf(nodes, "0,1"), mesh).value_or(""), "");
  EXPECT_EQ(mesh.points.size(), 2 * corners.size());
  EXPECT_EQ(complaint_about(mesh), std::nullopt);
  EXPECT_NEAR(volume(mesh), 4.0 + 32.0, 1e-4);
  Eigen::AlignedBox3d box;
  for (const Vec3& point : mesh.points) box.extend(point);
  EXPECT_LT((box.min() - Vec3(0, -8, 0)).norm(), 1e-5);
  EXPECT_LT((box.max() - Vec3(14, 1, 4)).norm(), 1e-5);
}

TEST(MeshImport, keeps_the_outside_of_what_is_mirrored) {
  MeshShape mesh;
  ASSERT_EQ(read("a.gltf", text_gltf(R"({"mesh":0,"scale":[1,1,-1]})"), mesh).value_or(""), "");
  EXPECT_EQ(complaint_about(mesh), std::nullopt);
  EXPECT_NEAR(volume(mesh), 4.0, 1e-6);
}

TEST(MeshImport, takes_faces_that_are_not_convex) {
  // An L, two thick, whose upper and lower faces have a corner that points inwards.
  MeshShape mesh;
  ASSERT_EQ(read("l.off",
                 "OFF\n12 8 0\n"
                 "0 0 0\n2 0 0\n2 1 0\n1 1 0\n1 2 0\n0 2 0\n"
                 "0 0 2\n2 0 2\n2 1 2\n1 1 2\n1 2 2\n0 2 2\n"
                 "6 5 4 3 2 1 0\n6 9 10 11 6 7 8\n4 0 1 7 6\n4 1 2 8 7\n4 2 3 9 8\n"
                 "4 3 4 10 9\n4 4 5 11 10\n4 5 0 6 11\n",
                 mesh)
                .value_or(""),
            "");
  EXPECT_EQ(complaint_about(mesh), std::nullopt);
  EXPECT_NEAR(volume(mesh), 6.0, 1e-12);
  // As many triangles as a hexagon has, and none outside: their areas add up to that of the L.
  EXPECT_EQ(mesh.triangles.size(), 2u * 4u + 6u * 2u);
  double area = 0.0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const auto at = [&](int i) { return mesh.points[static_cast<std::size_t>(i)]; };
    area += 0.5 * (at(b) - at(a)).cross(at(c) - at(a)).norm();
  }
  EXPECT_NEAR(area, 2.0 * 3.0 + 8.0 * 2.0, 1e-12);
}

TEST(MeshImport, says_what_it_cannot_read) {
  const auto complaint = [](const std::string& name, const std::string& bytes) {
    MeshShape mesh;
    const std::string said = read(name, bytes, mesh).value_or("");
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    return said;
  };
  const std::string ply = text_ply(), glb = binary_gltf(), archive = three_mf();
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"empty.ply", ""},
           {"empty.off", ""},
           {"empty.gltf", ""},
           {"empty.glb", ""},
           {"empty.dae", ""},
           {"empty.3mf", ""},
           {"head.ply", ply.substr(0, 60)},
           {"cut.glb", glb.substr(0, glb.size() / 2)},
           {"cut.3mf", archive.substr(0, archive.size() / 2)},
           {"other.ply", "a poem about a wedge\n"},
           {"other.dae", "<html></html>"}}) {
    EXPECT_THAT(complaint(name, bytes), HasSubstr("cannot be read")) << name;
  }
}

/// What is cut off between two faces, or has numbers that are none: here or with the other checks.
TEST(MeshImport, never_takes_a_part_of_a_file_for_a_solid) {
  const auto is_refused = [](const std::string& name, const std::string& bytes) {
    MeshShape mesh;
    if (read(name, bytes, mesh)) return true;
    return complaint_about(mesh).has_value();
  };
  const std::vector<std::pair<std::string, std::string>> files{
      {"a.ply", text_ply()},
      {"b.ply", binary_ply()},
      {"a.off", off()},
      {"a.gltf", text_gltf()},
      {"a.glb", binary_gltf()},
      {"a.3mf", three_mf()},
      {"a.dae", collada("Y_UP", 1.0, collada_node)}};
  for (const auto& [name, bytes] : files) {
    // The end of the last line of a text may be missing.
    for (std::size_t end = 0; end + 2 < bytes.size(); end += 1 + bytes.size() / 60) {
      EXPECT_TRUE(is_refused(name, bytes.substr(0, end))) << name << " cut at " << end;
    }
  }
  std::string not_a_number = off();
  not_a_number.replace(not_a_number.find("2 0 4"), 5, "2 nan 4");
  EXPECT_TRUE(is_refused("a.off", not_a_number));
  std::string beyond = off();
  beyond.replace(beyond.find("3 3 4 5"), 7, "3 3 4 9");
  EXPECT_TRUE(is_refused("a.off", beyond));
  EXPECT_TRUE(is_refused("a.gltf", text_gltf("{}")));  // a scene without a mesh
}

TEST(MeshImport, is_refused_in_a_model_with_its_place) {
  const TemporaryDirectory folder;
  write_text(folder / "part.ply", text_ply().substr(0, 60));
  write_text(folder / "model.toml",
             "[[body]]\nname = 'part'\ndensity = 1\nshape = { kind = 'mesh', file = 'part.ply' }\n"
             "[integrator]\nstep = 1\nduration = 1\n");
  EXPECT_THAT(testing::message_of([&] { read_model(folder / "model.toml"); }),
              HasSubstr("model.toml:4:33: 'file': 'part.ply': it cannot be read"));
}

}  // namespace mesh_import_test
}  // namespace clatter
