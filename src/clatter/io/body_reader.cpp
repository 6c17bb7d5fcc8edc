#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include <clatter/io/body_reader.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

constexpr double most_copies = 1e5;

std::optional<Shape> read_shape(const TomlTable& table) {
  const std::optional<double> radius = table.number("radius");
  const std::optional<double> length = table.number("length");
  const std::optional<double> thickness = table.number("thickness");
  if (table.kind() == "sphere" && radius) return SphereShape{*radius};
  if (table.kind() == "box") {
    const std::optional<Vec3> size = table.vector("size", Dimension::three);
    if (size) return BoxShape{*size};
  }
  if (table.kind() == "cylinder" && radius && length) return CylinderShape{*radius, *length};
  if (table.kind() == "disc" && radius && thickness) return DiscShape{*radius, *thickness};
  if (table.kind() == "rod" && radius && length) return RodShape{*length, *radius};
  return std::nullopt;
}

void read_orientation(const TomlTable& table, BodySpec& body) {
  const std::optional<Vec3> axis = table.direction("axis", Dimension::three);
  const std::optional<double> angle = table.angle("angle");
  const std::optional<Quaternion> quaternion = table.quaternion("quaternion");
  const std::optional<Vec3> rotation = table.vector("rotation_vector", Dimension::three);
  const bool has_angle = table.has("angle") || table.has("angle_deg");
  const int forms = int{table.has("axis") || has_angle} + int{table.has("quaternion")} +
                    int{table.has("rotation_vector")};
  if (forms != 1) {
    table.refuse_table(
        "orientation: give either 'axis' and an angle, or 'quaternion', or "
        "'rotation_vector'");
    return;
  }
  if (table.has("axis") != has_angle) {
    table.refuse_table(has_angle ? "orientation: 'axis' is missing"
                                 : "orientation: 'angle' or 'angle_deg' is missing");
    return;
  }
  if (quaternion) body.orientation = *quaternion;
  if (axis && angle) body.orientation = Quaternion(Eigen::AngleAxisd(*angle, *axis));
  if (rotation && !rotation->isZero(0.0)) {
    body.orientation = Quaternion(Eigen::AngleAxisd(rotation->stableNorm(), unit(*rotation)));
  }
}

void read_mass(const TomlTable& table, BodySpec& body) {
  const std::optional<double> mass = table.number("mass");
  const std::optional<double> density = table.number("density");
  if (const std::optional<TomlTable> shape = table.table("shape")) {
    body.shape = read_shape(*shape);
    body.keys.add_nested("shape", shape->key_places());
  }
  table.refuse_together("density", "mass");
  if (table.has("density") && !table.has("shape")) {
    table.refuse_key("density", "'density' needs a 'shape'");
  } else {
    table.refuse_together("density", "inertia");
  }
  if (!table.has("mass") && !table.has("density")) {
    table.refuse_table("missing key 'mass' in [[body]]: give 'mass', or 'density' and 'shape'");
  }
  if (mass) body.mass = *mass;
  if (density && body.shape) {
    body.mass = *density * volume(*body.shape);
    if (!(body.mass > 0.0) || !std::isfinite(body.mass)) {
      table.refuse("density",
                   fmt::format("'density' times volume gives a mass of {} kg", body.mass));
      body.mass = 0.0;
    }
  }
  if (body.mass == 0.0) body.keys.doubt("mass");
}

// From the shape, unless it is given.
void read_inertia(const TomlTable& table, BodySpec& body) {
  if (!table.kind_is_known() || body.kind == BodyKind::point) return;
  if (table.has("inertia")) {
    if (body.kind == BodyKind::planar) {
      body.inertia(2, 2) = table.number("inertia").value_or(0.0);
    } else {
      body.inertia = table.inertia("inertia").value_or(Mat3::Zero());
    }
    return;
  }
  body.keys.doubt("inertia");  // a shape that gives one is checked itself
  if (!table.has("shape")) {
    table.refuse_table(fmt::format(
        "missing key 'inertia' in [[body]]: a {} body needs 'inertia' or 'shape'", table.kind()));
    return;
  }
  const std::optional<Vec3> centre = table.vector("centre_of_mass", Dimension::either);
  if (centre && !centre->isZero(0.0)) {
    table.refuse(
        "centre_of_mass",
        "'centre_of_mass' must be 0 when the inertia comes from the shape, whose centre is "
        "the origin; give 'inertia'");
  }
  if (!body.shape || body.mass == 0.0) return;
  const Mat3 inertia = inertia_of(*body.shape, body.mass);
  if (!inertia.allFinite() || !(inertia.diagonal().minCoeff() > 0.0)) {
    table.refuse("shape",
                 "'shape' gives an inertia that is too large or too small to compute with");
    return;
  }
  if (body.kind == BodyKind::planar) {
    body.inertia(2, 2) = inertia(2, 2);
  } else {
    body.inertia = inertia;
  }
}

BodySpec read_body(const TomlTable& table, const std::string& name) {
  BodySpec body;
  body.name = name;
  body.place = table.place();
  body.keys = table.key_places();
  if (table.kind() == "point") body.kind = BodyKind::point;
  if (table.kind() == "planar") body.kind = BodyKind::planar;
  const bool planar = body.kind == BodyKind::planar;
  const Dimension dimension =
      !table.kind_is_known() || planar ? Dimension::either : Dimension::three;
  read_mass(table, body);
  read_inertia(table, body);
  body.centre_of_mass = table.vector("centre_of_mass", dimension).value_or(Vec3::Zero());
  body.position = table.vector("position", dimension).value_or(Vec3::Zero());
  body.velocity = table.vector("velocity", dimension).value_or(Vec3::Zero());
  if (planar) {
    body.angle = table.angle("angle").value_or(0.0);
    if (!table.has("angle")) body.keys.set_written("angle", "angle_deg");
    body.orientation = Quaternion(Eigen::AngleAxisd(body.angle, Vec3::UnitZ()));
    body.angular_velocity[2] = table.number("angular_velocity").value_or(0.0);
  } else {
    if (const std::optional<TomlTable> orientation = table.table("orientation")) {
      read_orientation(*orientation, body);
    }
    body.angular_velocity =
        table.vector("angular_velocity", Dimension::three).value_or(Vec3::Zero());
  }
  return body;
}

// A number in [-1, 1) from a seed and a counter, the same everywhere (splitmix64).
double scatter(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15ULL + (counter + 1) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
}

// Places of the copies of a body, relative to it.
std::vector<Vec3> read_repeat(const TomlTable& table, Dimension dimension) {
  const Vec3 count = table.vector("count", dimension).value_or(Vec3::Ones());
  const Vec3 spacing = table.vector("spacing", dimension).value_or(Vec3::Zero());
  const double jitter = table.number("jitter").value_or(0.0);
  const int seed = table.integer("seed").value_or(1);
  std::array<int, 3> along{1, 1, 1};
  double all = 1.0;
  for (int i = 0; i < (dimension == Dimension::two ? 2 : 3); ++i) {
    all *= count[i];
    if (count[i] != std::floor(count[i]) || !(count[i] >= 1.0) || !(all <= most_copies)) {
      table.refuse("count",
                   fmt::format("'count': expected whole numbers from 1 on, of {} copies at "
                               "most",
                               most_copies));
      return {Vec3::Zero()};
    }
    along[static_cast<std::size_t>(i)] = static_cast<int>(count[i]);
  }
  std::vector<Vec3> places;
  for (int z = 0; z < along[2]; ++z) {
    for (int y = 0; y < along[1]; ++y) {
      for (int x = 0; x < along[0]; ++x) {
        Vec3 place = Vec3(x, y, z).cwiseProduct(spacing);
        for (int i = 0; i < (dimension == Dimension::two ? 2 : 3); ++i) {
          place[i] += jitter * scatter(static_cast<std::uint64_t>(seed),
                                       3 * places.size() + static_cast<std::uint64_t>(i));
        }
        places.push_back(place);
      }
    }
  }
  return places;
}

// The name of a table that repeats a body is that of no body, but means all its copies: it must
// differ from all others. (The names of bodies are for the checks of the model.)
class FamilyNames {
 public:
  // Whether the name is good.
  bool check(const TomlTable& table, const std::string& name, bool is_family) {
    if (is_family && (name.empty() || name == "ground")) {
      table.refuse("name", name.empty() ? "'name' must not be empty"
                                        : "'ground' is the fixed world; a body needs another name");
      return false;
    }
    const auto [first, is_new] = seen_.emplace(name, Table{table.place().line, is_family});
    if (is_new || (!is_family && !first->second.is_family)) return true;
    const int line = first->second.line;
    table.refuse("name",
                 fmt::format("there are two bodies named {}{}", in_quotes(name),
                             line == 0 ? "" : fmt::format(", the first is on line {}", line)));
    return false;
  }

 private:
  struct Table {
    int line;
    bool is_family;
  };
  std::map<std::string, Table, std::less<>> seen_;
};

}  // namespace

std::vector<BodyReading> read_bodies(const std::vector<TomlTable>& tables) {
  std::vector<BodyReading> bodies;
  NameReader names("body");
  FamilyNames families;
  for (const TomlTable& table : tables) {
    const BodySpec body = read_body(table, names.read(table));
    const std::optional<TomlTable> repeat = table.table("repeat");
    const bool is_distinct = families.check(table, body.name, repeat.has_value());
    if (!repeat) bodies.push_back({body});
    if (!repeat || !is_distinct) continue;
    const Dimension dimension = body.kind == BodyKind::planar ? Dimension::two : Dimension::three;
    std::size_t number = 0;
    for (const Vec3& place : read_repeat(*repeat, dimension)) {
      BodySpec copy = body;
      copy.name = fmt::format("{}.{}", body.name, number++);
      copy.position += place;
      bodies.push_back({copy, body.name});
    }
  }
  return bodies;
}

}  // namespace clatter
