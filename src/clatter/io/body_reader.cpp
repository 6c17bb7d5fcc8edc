#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/body_reader.hpp>
#include <clatter/io/orientation_reader.hpp>
#include <clatter/io/repeat_reader.hpp>
#include <clatter/io/shape_reader.hpp>
#include <clatter/model/mass_properties.hpp>
#include <clatter/model/nearest_word.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// How far a centre of mass may be off that of the shapes, over their size: digits of people.
constexpr double centre_slack = 1e-6;

// All that follows from shapes: only of sound ones, about the others the checks will complain.
class ShapeMass {
 public:
  ShapeMass(const TomlTable& table, const BodySpec& body, bool all_were_read)
      : table_(table), body_(body) {
    std::vector<Mistake> mistakes;
    is_known_ = table.kind_is_known() && all_were_read && !body.shapes.empty() &&
                check_shapes(body, mistakes);
    has_own_density_ = !all_were_read;  // perhaps
    for (const PlacedShape& shape : body.shapes) {
      has_own_density_ = has_own_density_ || shape.density || shape.keys.is_doubtful("density");
      is_known_ = is_known_ && !shape.keys.is_doubtful("density");
    }
  }

  bool is_known() const { return is_known_; }
  bool has_own_density() const { return has_own_density_; }
  bool are_hollow() const {
    return std::all_of(body_.shapes.begin(), body_.shapes.end(),
                       [](const PlacedShape& shape) { return shape.hollow; });
  }

  // Every shape needs a density when one has it.
  std::optional<MassProperties> of_density(const std::optional<double>& density) const {
    if (!is_known_) return std::nullopt;
    for (const PlacedShape& shape : body_.shapes) {
      if (density || shape.density || shape.hollow) continue;
      table_.refuse_at(shape.place,
                       "missing key 'density' in shape: another shape has one; give it here or "
                       "to the body");
      return std::nullopt;
    }
    const MassProperties all =
        properties_of_density(body_.shapes, body_.kind == BodyKind::planar, density.value_or(0.0));
    if (all.mass > 0.0 && std::isfinite(all.mass)) return all;
    table_.refuse(table_.has("density") ? "density" : "shape",
                  fmt::format("'density' times volume gives a mass of {} kg", all.mass));
    return std::nullopt;
  }

  MassProperties of_mass(double mass) const {
    return properties_of_mass(body_.shapes, body_.kind == BodyKind::planar, mass);
  }

 private:
  const TomlTable& table_;
  const BodySpec& body_;
  bool is_known_, has_own_density_;
};

// That mass, density and inertia are given in one of the ways that go together.
void check_ways(const TomlTable& table, const BodySpec& body, const ShapeMass& shapes) {
  table.refuse_together("density", "mass");
  if (table.has("density") && !table.has("shape")) {
    table.refuse_key("density", "'density' needs a 'shape'");
  } else {
    table.refuse_together("density", "inertia");
  }
  for (const PlacedShape& shape : body.shapes) {
    if (!shape.density || (!table.has("mass") && !table.has("inertia"))) continue;
    table.refuse_at(shape.keys.key("density", shape.place),
                    fmt::format("'density' of a shape conflicts with '{}' of the body: give one of "
                                "them",
                                table.has("mass") ? "mass" : "inertia"));
  }
  if (!table.has("mass") && !table.has("density") && !shapes.has_own_density()) {
    table.refuse_table("missing key 'mass' in [[body]]: give 'mass', or 'density' and 'shape'");
  }
}

// A centre of mass that is given beside shapes must be theirs.
void check_centre(const TomlTable& table, const MassProperties& found) {
  const std::optional<Vec3> given = table.vector("centre_of_mass", Dimension::either);
  if (!given) return;
  const double size = std::sqrt(found.inertia.trace() / found.mass) + found.centre.norm();
  if ((*given - found.centre).norm() <= centre_slack * size) return;
  table.refuse("centre_of_mass",
               fmt::format("'centre_of_mass' is that of the shapes, ({:.6g}, {:.6g}, {:.6g}), when "
                           "the inertia comes from them; leave it out, or give 'inertia'",
                           found.centre.x(), found.centre.y(), found.centre.z()));
}

void take_shapes(const TomlTable& table, const MassProperties& found, BodySpec& body) {
  const Mat3& inertia = found.inertia;
  const bool turns = body.kind != BodyKind::point;
  if (turns && (!inertia.allFinite() || !(inertia.diagonal().minCoeff() > 0.0))) {
    table.refuse("shape",
                 "'shape' gives an inertia that is too large or too small to compute with");
    return;
  }
  if (turns) check_centre(table, found);
  take_properties(found, body);
}

// Mass, centre of mass and inertia: as given, or from the shapes.
void read_mass(const TomlTable& table, bool all_shapes_were_read, BodySpec& body) {
  const ShapeMass shapes(table, body, all_shapes_were_read);
  check_ways(table, body, shapes);
  const bool turns = table.kind_is_known() && body.kind != BodyKind::point;
  const Dimension dimension =
      body.kind == BodyKind::rigid && table.kind_is_known() ? Dimension::three : Dimension::either;
  body.centre_of_mass = table.vector("centre_of_mass", dimension).value_or(Vec3::Zero());
  if (const std::optional<double> mass = table.number("mass")) body.mass = *mass;
  const bool has_density = table.has("density") || shapes.has_own_density();
  if (has_density && !table.has("mass") && !table.has("inertia")) {
    if (const auto found = shapes.of_density(table.number("density"))) {
      take_shapes(table, *found, body);
    }
  } else if (turns && !table.has("inertia") && shapes.is_known() && shapes.are_hollow()) {
    table.refuse("shape",
                 "'shape': hollow shapes have no mass and give no inertia; give 'inertia'");
  } else if (turns && !table.has("inertia") && shapes.is_known() && body.mass > 0.0) {
    take_shapes(table, shapes.of_mass(body.mass), body);
  }
  if (body.mass == 0.0) body.keys.doubt("mass");
  if (!turns) return;
  if (!table.has("inertia")) {
    body.keys.doubt("inertia");  // shapes that give one are checked themselves
    if (!table.has("shape")) {
      table.refuse_table(fmt::format(
          "missing key 'inertia' in [[body]]: a {} body needs 'inertia' or 'shape'", table.kind()));
    }
  } else if (body.kind == BodyKind::planar) {
    body.inertia(2, 2) = table.number("inertia").value_or(0.0);
  } else {
    body.inertia = table.inertia("inertia").value_or(Mat3::Zero());
  }
}

BodySpec read_body(const TomlTable& table, const std::string& name,
                   const std::filesystem::path& folder) {
  BodySpec body;
  body.name = name;
  body.place = table.place();
  body.keys = table.key_places();
  if (table.kind() == "point") body.kind = BodyKind::point;
  if (table.kind() == "planar") body.kind = BodyKind::planar;
  const bool planar = body.kind == BodyKind::planar;
  const Dimension dimension =
      !table.kind_is_known() || planar ? Dimension::either : Dimension::three;
  const Dimension of_shapes = !table.kind_is_known() ? Dimension::either
                              : planar               ? Dimension::two
                                                     : Dimension::three;
  ShapeReading shapes = read_shapes(table, of_shapes, folder);
  body.shapes = std::move(shapes.shapes);
  read_mass(table, shapes.all_were_read, body);
  body.position = table.vector("position", dimension).value_or(Vec3::Zero());
  body.velocity = table.vector("velocity", dimension).value_or(Vec3::Zero());
  if (planar) {
    body.angle = table.angle("angle").value_or(0.0);
    if (!table.has("angle")) body.keys.set_written("angle", "angle_deg");
    body.orientation = Quaternion(Eigen::AngleAxisd(body.angle, Vec3::UnitZ()));
    body.angular_velocity[2] = table.number("angular_velocity").value_or(0.0);
  } else {
    if (const std::optional<TomlTable> orientation = table.table("orientation")) {
      body.orientation = read_orientation(*orientation).value_or(body.orientation);
    }
    body.angular_velocity =
        table.vector("angular_velocity", Dimension::three).value_or(Vec3::Zero());
  }
  return body;
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

std::vector<BodyReading> read_bodies(const std::vector<TomlTable>& tables,
                                     const std::filesystem::path& folder) {
  std::vector<BodyReading> bodies;
  NameReader names("body");
  FamilyNames families;
  for (const TomlTable& table : tables) {
    const BodySpec body = read_body(table, names.read(table), folder);
    const std::optional<TomlTable> repeat = table.table("repeat");
    const bool is_distinct = families.check(table, body.name, repeat.has_value());
    if (!repeat) bodies.push_back({body});
    if (!repeat || !is_distinct) continue;
    const bool by_density = !table.has("mass") && !table.has("inertia");
    for (BodySpec& copy : read_copies(*repeat, body, by_density)) {
      bodies.push_back({std::move(copy), body.name});
    }
  }
  return bodies;
}

}  // namespace clatter
