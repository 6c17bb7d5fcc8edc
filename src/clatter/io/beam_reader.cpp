#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/beam_reader.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// How far the length of a beam may be off because the coordinates of its ends are rounded.
constexpr double length_slack = 1e-6;

// ---- Sections

std::optional<SectionShape> read_section_shape(const TomlTable& table) {
  const std::optional<double> radius = table.number("radius");
  const std::optional<double> thickness = table.number("thickness");
  const std::optional<double> width = table.number("width");
  const std::optional<double> height = table.number("height");
  const std::optional<double> flange = table.number("flange");
  const std::optional<double> web = table.number("web");
  if (table.kind() == "circle" && radius) return CircleSection{*radius};
  if (table.kind() == "rectangle" && width && height) return RectangleSection{*width, *height};
  if (table.kind() == "tube" && radius && thickness) return TubeSection{*radius, *thickness};
  if (table.kind() == "I" && width && height && flange && web) {
    return ISection{*width, *height, *flange, *web};
  }
  return std::nullopt;
}

std::optional<BeamSection> read_section_constants(const TomlTable& table, bool planar) {
  bool good = table.has_usable("area") && table.has_usable("I_z");
  for (const char* key : {"I_y", "J"}) {
    if (planar || table.has(key)) continue;
    table.refuse_table(fmt::format("missing key '{}' in section: a spatial beam needs it", key));
    good = false;
  }
  if (!good) return std::nullopt;
  BeamSection section;
  section.area = *table.number("area");
  section.I_z = *table.number("I_z");
  section.I_y = table.number("I_y").value_or(0.0);
  section.J = table.number("J").value_or(0.0);
  return section;
}

std::optional<BeamSection> read_section(const TomlTable& table, bool planar) {
  std::optional<BeamSection> section;
  if (!table.kind_is_known()) return section;
  if (table.kind() == "constants") {
    section = read_section_constants(table, planar);
  } else if (const std::optional<SectionShape> shape = read_section_shape(table)) {
    section = section_of(*shape);
  }
  if (planar) {
    for (const char* key : {"I_y", "J", "shear_z"}) {
      if (!table.has_usable(key)) continue;
      table.refuse_key(key, fmt::format("'{}' has no meaning for a planar beam", key));
    }
  }
  if (section) {
    section->shear_y = table.number("shear_y").value_or(section->shear_y);
    section->shear_z = table.number("shear_z").value_or(section->shear_z);
  }
  return section;
}

// ---- Material

void read_moduli(const TomlTable& table, BeamSpec& beam) {
  beam.youngs_modulus = table.number("youngs_modulus").value_or(0.0);
  beam.shear_modulus = table.number("shear_modulus").value_or(0.0);
  table.refuse_together("poisson_ratio", "shear_modulus");
  if (!table.has("shear_modulus") && !table.has("poisson_ratio")) {
    table.refuse_table(
        "missing key 'shear_modulus' in [[beam]]: give 'shear_modulus' or 'poisson_ratio'");
  }
  if (const std::optional<double> nu = table.number("poisson_ratio")) {
    beam.shear_modulus = beam.youngs_modulus / (2.0 * (1.0 + *nu));
    beam.keys.set_written("shear_modulus", "poisson_ratio");
  }
  if (beam.shear_modulus == 0.0) beam.keys.doubt("shear_modulus");
}

void read_damping(const TomlTable& table, BeamSpec& beam) {
  beam.mass_damping = table.number("mass_damping").value_or(beam.mass_damping);
  beam.stiffness_damping = table.number("stiffness_damping").value_or(beam.stiffness_damping);
  table.refuse_together("damping_ratio", "mass_damping");
  table.refuse_together("damping_ratio", "stiffness_damping");
  if (table.has("damping_ratio") != table.has("damping_frequencies")) {
    table.refuse_table(fmt::format(
        "missing key '{}' in [[beam]]: 'damping_ratio' and 'damping_frequencies' go together",
        table.has("damping_ratio") ? "damping_frequencies" : "damping_ratio"));
    return;
  }
  const std::optional<std::vector<double>> frequencies = table.numbers("damping_frequencies");
  if (frequencies && frequencies->size() != 2) {
    table.refuse("damping_frequencies",
                 fmt::format("'damping_frequencies': expected two frequencies, found {}",
                             frequencies->size()));
    return;
  }
  const std::optional<double> ratio = table.number("damping_ratio");
  if (!ratio || !frequencies) return;
  // alpha / (2 w) + beta w / 2 = ratio at both.
  const double w1 = 2.0 * std::numbers::pi * (*frequencies)[0];
  const double w2 = 2.0 * std::numbers::pi * (*frequencies)[1];
  beam.mass_damping = 2.0 * *ratio * w1 * (w2 / (w1 + w2));
  beam.stiffness_damping = 2.0 * *ratio / (w1 + w2);
}

void read_material(const TomlTable& table, BeamSpec& beam) {
  read_moduli(table, beam);
  beam.density = table.number("density").value_or(0.0);
  beam.lumped_mass = table.text("mass") == "lumped";
  read_damping(table, beam);
  const std::optional<TomlTable> section_table = table.table("section");
  std::optional<BeamSection> section;
  if (section_table && table.kind_is_known()) section = read_section(*section_table, beam.planar);
  if (section) {
    beam.section = *section;
    beam.keys.add_nested("section", section_table->key_places());
  } else {
    beam.keys.doubt("section");
  }
}

// ---- Centre line

void read_start(const TomlTable& table, Dimension dimension, BeamSpec& beam) {
  const std::optional<Vec3> start = table.vector("start", dimension);
  const std::optional<Vec3> direction = table.direction("direction", dimension);
  const std::optional<double> length = table.number("length");
  if (!start || !direction || !length) return;
  const Vec3 end = *start + *length * *direction;
  if (std::abs((end - *start).stableNorm() - *length) > length_slack * *length) {
    table.refuse("length", "'length' is too small beside the coordinates of 'start'");
    return;
  }
  beam.points = {*start, end};
}

Vec3 read_curvature(const TomlTable& table, std::string_view key, const BeamSpec& beam) {
  if (beam.planar) return {0.0, 0.0, table.number(key).value_or(0.0)};
  return table.vector(key, Dimension::three).value_or(Vec3::Zero());
}

void read_curvatures(const TomlTable& table, BeamSpec& beam) {
  for (const char* key : {"curvature", "unstressed_curvature"}) {
    if (!table.has_usable(key) || !table.has("points")) continue;
    table.refuse_key(key, fmt::format("'{}' goes with 'start', 'direction' and 'length', not with "
                                      "'points'",
                                      key));
    return;
  }
  if (!table.kind_is_known()) return;
  beam.curvature = read_curvature(table, "curvature", beam);
  if (table.has_usable("unstressed_curvature")) {
    beam.unstressed_curvature = read_curvature(table, "unstressed_curvature", beam);
  }
}

void read_centre_line(const TomlTable& table, Dimension dimension, BeamSpec& beam) {
  std::string missing;
  bool has_start = false;
  for (const char* key : {"start", "direction", "length"}) {
    table.refuse_together(key, "points");
    has_start = has_start || table.has(key);
    if (missing.empty() && !table.has(key)) missing = key;
  }
  if (table.has("points")) {
    beam.points = table.points("points", notation(dimension)).value_or(std::vector<Vec3>{});
  } else if (!has_start) {
    table.refuse_table(
        "missing key 'points' in [[beam]]: give 'points', or 'start', 'direction' and 'length'");
  } else if (!missing.empty()) {
    table.refuse_table(fmt::format(
        "missing key '{}' in [[beam]]: 'start', 'direction' and 'length' go together", missing));
  } else {
    read_start(table, dimension, beam);
  }
  if (beam.points.empty()) beam.keys.doubt("points");
  read_curvatures(table, beam);
  beam.elements = table.integer("elements").value_or(beam.elements);
  beam.y_axis = table.direction("y_axis", notation(dimension));
}

// ---- Loads and motion

void read_line_loads(const TomlTable& table, Dimension dimension, BeamSpec& beam) {
  if (auto force = table.formulas("line_force", notation(dimension))) {
    beam.line_force = std::move(*force);
  }
  if (table.kind_is_known()) {
    if (beam.planar) {
      if (auto torque = table.formula("line_torque")) beam.line_torque[2] = std::move(*torque);
    } else if (auto torque = table.formulas("line_torque", Dimension::three)) {
      beam.line_torque = std::move(*torque);
    }
  }
  if (table.text("line_axes") == "section") beam.line_axes = LoadAxes::body;
  if (table.has("line_axes") && !table.has("line_force") && !table.has("line_torque")) {
    table.refuse_key("line_axes",
                     "'line_axes' has no meaning without 'line_force' or 'line_torque'");
  }
}

void read_surface(const TomlTable& table, BeamSpec& beam) {
  beam.material = table.text("material").value_or("");
  beam.contact_radius = table.number("contact_radius");
  beam.touch_itself = table.flag("touch_itself").value_or(beam.touch_itself);
}

void read_motion(const TomlTable& table, Dimension dimension, BeamSpec& beam) {
  beam.velocity = table.vector("velocity", notation(dimension)).value_or(Vec3::Zero());
  if (!table.kind_is_known()) return;
  if (beam.planar) {
    beam.angular_velocity[2] = table.number("angular_velocity").value_or(0.0);
  } else {
    beam.angular_velocity =
        table.vector("angular_velocity", Dimension::three).value_or(Vec3::Zero());
  }
}

BeamReading read_beam(const TomlTable& table, const std::string& name, int elements_left) {
  BeamReading reading;
  BeamSpec& beam = reading.spec;
  beam.name = name;
  beam.place = table.place();
  beam.keys = table.key_places();
  beam.planar = table.kind() == "planar";
  const Dimension dimension = !table.kind_is_known() ? Dimension::either
                              : beam.planar          ? Dimension::two
                                                     : Dimension::three;
  read_material(table, beam);
  read_line_loads(table, dimension, beam);
  read_motion(table, dimension, beam);
  read_surface(table, beam);
  read_centre_line(table, dimension, beam);
  reading.mesh = mesh_if_possible(beam, elements_left);
  return reading;
}

}  // namespace

std::vector<BeamReading> read_beams(const std::vector<TomlTable>& tables) {
  std::vector<BeamReading> beams;
  NameReader names("beam");
  int elements_left = most_beam_elements;
  for (const TomlTable& table : tables) {
    beams.push_back(read_beam(table, names.read(table), elements_left));
    if (beams.back().mesh) elements_left -= beams.back().spec.elements;
  }
  return beams;
}

}  // namespace clatter
