#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/mesh_file.hpp>
#include <clatter/io/orientation_reader.hpp>
#include <clatter/io/shape_reader.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

// Those with an axis: radius and what is along it, or around.
std::optional<Shape> read_round(const TomlTable& table) {
  const std::string& kind = table.kind();
  const std::optional<double> radius = table.number("radius");
  if (kind == "sphere" && radius) return SphereShape{*radius};
  const std::optional<double> along = table.number(kind == "disc"   ? "thickness"
                                                   : kind == "ring" ? "tube_radius"
                                                                    : "length");
  if (!radius || !along) return std::nullopt;
  if (kind == "cylinder") return CylinderShape{*radius, *along};
  if (kind == "disc") return DiscShape{*radius, *along};
  if (kind == "rod") return RodShape{*along, *radius};
  if (kind == "capsule") return CapsuleShape{*radius, *along};
  if (kind == "cone") return ConeShape{*radius, *along};
  if (kind == "ring") return RingShape{*radius, *along};
  return std::nullopt;
}

std::optional<Shape> read_mesh(const TomlTable& table, const std::filesystem::path& folder) {
  const std::optional<std::string> file = table.text("file");
  if (!file || (table.has("scale") && !table.has_usable("scale"))) return std::nullopt;
  MeshShape mesh;
  mesh.file = *file;
  if (const auto wrong = read_mesh_file(folder / *file, mesh)) {
    table.refuse("file", fmt::format("'file': {}: {}", in_quotes(*file), *wrong));
    return std::nullopt;
  }
  const double scale = table.number("scale").value_or(1.0);
  for (Vec3& point : mesh.points) point *= scale;
  return mesh;
}

std::optional<Shape> read_height_field(const TomlTable& table) {
  auto heights = table.rows("heights");
  const std::optional<double> spacing = table.number("spacing");
  if (!heights || !spacing || (table.has("depth") && !table.has_usable("depth"))) {
    return std::nullopt;
  }
  const std::size_t longer = std::max(heights->size(), heights->front().size()) - 1;
  return HeightFieldShape{std::move(*heights), *spacing,
                          table.number("depth").value_or(static_cast<double>(longer) * *spacing)};
}

// In the plane: those with curved outlines.
std::optional<Shape> read_curved(const TomlTable& table) {
  const std::string& kind = table.kind();
  for (const char* key : {"thickness", "tolerance", "radius", "radii", "bulges"}) {
    if (table.has(key) && !table.has_usable(key)) return std::nullopt;
  }
  const double thickness = table.number("thickness").value_or(PolygonShape{}.thickness);
  if (kind == "ellipse") {
    const std::optional<Vec3> axes = table.vector("semi_axes", Dimension::two);
    if (!axes) return std::nullopt;
    return EllipseShape{axes->x(), axes->y(), thickness};
  }
  const auto points = table.points("points", Dimension::two);
  if (!points) return std::nullopt;
  if (kind == "spline") return SplineShape{*points, table.number("tolerance"), thickness};
  const PieceBends bends{table.numbers("radii").value_or(std::vector<double>{}),
                         table.numbers("bulges").value_or(std::vector<double>{})};
  if (kind == "profile") return ProfileShape{*points, bends, thickness};
  if (kind == "segment" && points->size() != 2) {
    table.refuse("points", fmt::format("'points': a segment has two points, found {}; use a wall",
                                       points->size()));
    return std::nullopt;
  }
  return WallShape{*points, bends, table.number("radius").value_or(0.0)};
}

std::optional<Shape> read_solid(const TomlTable& table, Dimension dimension,
                                const std::filesystem::path& folder) {
  const std::string& kind = table.kind();
  if (kind == "half_space") return HalfSpaceShape{};
  if (kind == "box") {
    std::optional<Vec3> size = table.vector("size", notation(dimension));
    if (!size) return std::nullopt;
    if (size->z() == 0.0) size->z() = PolygonShape{}.thickness;  // [x, y]
    return BoxShape{*size};
  }
  if (kind == "ellipsoid") {
    const std::optional<Vec3> semi_axes = table.vector("semi_axes", Dimension::three);
    return semi_axes ? std::optional<Shape>(EllipsoidShape{*semi_axes}) : std::nullopt;
  }
  if (kind == "hull") {
    const auto points = table.points("points", Dimension::three);
    return points ? std::optional<Shape>(HullShape{*points}) : std::nullopt;
  }
  if (kind == "polygon") {
    const auto points = table.points("points", Dimension::either);
    if (!points || (table.has("thickness") && !table.has_usable("thickness"))) return std::nullopt;
    PolygonShape polygon{*points};
    polygon.thickness = table.number("thickness").value_or(polygon.thickness);
    return polygon;
  }
  if (kind == "mesh") return read_mesh(table, folder);
  if (kind == "ellipse" || kind == "profile" || kind == "spline" || kind == "wall" ||
      kind == "segment") {
    return read_curved(table);
  }
  if (kind == "height_field") return read_height_field(table);
  return read_round(table);
}

// How a shape is turned in its body, or nothing when the file does not say.
std::optional<Quaternion> read_turn(const TomlTable& table, Dimension dimension) {
  for (const char* key : {"orientation", "angle", "angle_deg"}) {
    table.refuse_together("normal", key);
  }
  const std::optional<Vec3> normal = table.direction("normal", dimension);
  const auto about_z = [](double angle) {
    return Quaternion(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
  };
  if (dimension == Dimension::two) {
    if (table.has("orientation")) {
      table.refuse_key("orientation",
                       "'orientation' has no meaning for a shape in the plane; give 'angle'");
    }
    if (normal) return about_z(std::atan2(normal->y(), normal->x()) - std::numbers::pi / 2.0);
    const std::optional<double> angle = table.angle("angle");
    return angle ? std::optional(about_z(*angle)) : std::nullopt;
  }
  if (dimension == Dimension::either) return std::nullopt;
  for (const char* key : {"angle", "angle_deg"}) {
    if (!table.has(key)) continue;
    table.refuse_key(
        key, std::string("'") + key + "' has no meaning for a shape in space; give 'orientation'");
  }
  if (normal) return Quaternion::FromTwoVectors(Vec3::UnitZ(), *normal);
  const std::optional<TomlTable> orientation = table.table("orientation");
  return orientation ? read_orientation(*orientation) : std::nullopt;
}

std::optional<PlacedShape> read_shape(const TomlTable& table, Dimension dimension,
                                      const std::filesystem::path& folder) {
  PlacedShape placed;
  placed.place = table.place();
  placed.keys = table.key_places();
  placed.position = table.vector("position", notation(dimension)).value_or(placed.position);
  placed.orientation = read_turn(table, dimension).value_or(placed.orientation);
  placed.rounding = table.number("rounding").value_or(placed.rounding);
  placed.density = table.number("density");
  placed.material = table.text("material").value_or("");
  placed.hollow = table.flag("hollow").value_or(placed.hollow);
  placed.open = table.flag("open").value_or(placed.open);
  if (table.text("material") == "") {
    table.refuse("material", "'material' must not be empty; leave it out");
  }
  std::optional<Shape> shape = read_solid(table, dimension, folder);
  if (!shape) return std::nullopt;
  placed.shape = std::move(*shape);
  return placed;
}

}  // namespace

ShapeReading read_shapes(const TomlTable& owner, Dimension dimension,
                         const std::filesystem::path& folder) {
  ShapeReading reading;
  reading.all_were_read = !owner.has("shape") || owner.has_usable("shape");
  for (const TomlTable& table : owner.tables("shape")) {
    if (std::optional<PlacedShape> shape = read_shape(table, dimension, folder)) {
      reading.shapes.push_back(std::move(*shape));
    } else {
      reading.all_were_read = false;
    }
  }
  return reading;
}

}  // namespace clatter
