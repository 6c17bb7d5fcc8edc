#include <algorithm>
#include <map>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include <clatter/io/crowd_frames.hpp>
#include <clatter/io/output_stream.hpp>
#include <clatter/io/tessellation.hpp>

namespace clatter {
namespace {

std::string points_of(const std::vector<float>& points) {
  std::string text = "<Points>\n";
  add_vtk_array(text, "Points", points, 3);
  return text + "</Points>\n";
}

/// A surface as a file of its own.
std::string file_of(const Mesh& mesh, const std::vector<float>& points) {
  std::string text = vtk_header({mesh.points.size(), 0, mesh.lines.size(), mesh.polygons.size()});
  if (!mesh.lines.empty()) add_vtk_cells(text, "Lines", mesh.lines);
  add_vtk_cells(text, "Polys", mesh.polygons);
  return text + points_of(points) + std::string(vtk_footer);
}

/// Of a ball about the origin of its body; none of other shapes.
std::optional<float> ball_radius(const BodySpec& body) {
  if (body.shapes.empty()) return 0.0f;
  const PlacedShape& placed = body.shapes[0];
  const auto* sphere = std::get_if<SphereShape>(&placed.shape);
  if (body.shapes.size() > 1 || sphere == nullptr || placed.hollow || !placed.position.isZero(0.0))
    return std::nullopt;
  return static_cast<float>(sphere->radius + placed.rounding);
}

}  // namespace

CrowdFrames::CrowdFrames(const std::filesystem::path& directory,
                         const std::vector<BodySpec>& bodies, long frames)
    : frames_(directory, "crowd", frames),
      points_(3 * bodies.size()),
      orientations_(4 * bodies.size()),
      velocities_(3 * bodies.size()) {
  std::map<std::vector<float>, int> surfaces;  // by their points
  std::vector<float> radii;
  std::vector<std::int32_t> numbers, shapes;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    numbers.push_back(static_cast<std::int32_t>(b));
    if (const auto radius = ball_radius(bodies[b])) {
      radii.push_back(*radius);
      shapes.push_back(-1);
      continue;
    }
    Mesh mesh;
    for (const PlacedShape& shape : bodies[b].shapes) {
      mesh.append(tessellate(shape, bodies[b].kind == BodyKind::planar, 0.0));
    }
    std::vector<float> points;
    double reach = 0.0;
    for (const Vec3& point : mesh.points) {
      for (const double x : point) points.push_back(static_cast<float>(x));
      reach = std::max(reach, point.norm());
    }
    const auto [found, is_new] = surfaces.try_emplace(points, static_cast<int>(surfaces.size()));
    if (is_new) {
      make_directory(directory / "crowd/shapes");
      replace_file(directory / fmt::format("crowd/shapes/{}.vtp", found->second),
                   file_of(mesh, points));
    }
    radii.push_back(static_cast<float>(reach));
    shapes.push_back(found->second);
  }
  std::vector<std::vector<int>> vertices;
  for (const std::int32_t b : numbers) vertices.push_back({b});
  head_ = vtk_header({bodies.size(), bodies.size(), 0, 0});
  add_vtk_cells(head_, "Verts", vertices);
  head_ += "<PointData Scalars=\"radius\" Vectors=\"velocity\">\n";
  add_vtk_array(head_, "body", numbers);
  add_vtk_array(head_, "radius", radii);
  add_vtk_array(head_, "shape", shapes);
}

void CrowdFrames::place(std::size_t b, const Vec3& position, const Quaternion& orientation,
                        const Vec3& velocity) {
  for (Eigen::Index i = 0; i < 3; ++i) {
    const std::size_t at = 3 * b + static_cast<std::size_t>(i);
    points_[at] = static_cast<float>(position[i]);
    velocities_[at] = static_cast<float>(velocity[i]);
    orientations_[4 * b + 1 + static_cast<std::size_t>(i)] =
        static_cast<float>(orientation.vec()[i]);
  }
  orientations_[4 * b] = static_cast<float>(orientation.w());
}

void CrowdFrames::append(double time) {
  std::string frame = head_;
  add_vtk_array(frame, "orientation", orientations_, 4);
  add_vtk_array(frame, "velocity", velocities_, 3);
  frame += "</PointData>\n" + points_of(points_);
  frame += vtk_footer;
  frames_.add(time, frame);
}

std::size_t CrowdFrames::frame_bytes() const {
  // Four letters for three bytes.
  return head_.size() + 10 * points_.size() / 3 * sizeof(float) * 4 / 3;
}

}  // namespace clatter
