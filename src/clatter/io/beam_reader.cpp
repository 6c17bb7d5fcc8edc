#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/beam_reader.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

// Of all beams of a model: more would fill the memory before anything could be said about them.
constexpr int most_elements = 200'000;
// Stiffnesses and masses beyond these leave the range of double when they are multiplied.
constexpr double largest_product = 1e100;
constexpr double smallest_product = 1e-100;
// Legs shorter than this lose digits when they are squared.
constexpr double shortest_leg = 1e-100;
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
  if (table.kind() == "tube" && radius && thickness) {
    if (*thickness < *radius) return TubeSection{*radius, *thickness};
    table.refuse("thickness", "'thickness' of a tube must be less than its 'radius'; use a circle");
  }
  if (table.kind() == "I" && width && height && flange && web) {
    if (2.0 * *flange >= *height) {
      table.refuse("flange", "'flange': two flanges must be thinner than the 'height' of the I");
    } else if (*web > *width) {
      table.refuse("web", "'web' must not be thicker than the 'width' of the I");
    } else {
      return ISection{*width, *height, *flange, *web};
    }
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
  }
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

// Whether stiffnesses and masses per length are numbers that can be computed with.
bool is_computable(const BeamSpec& beam) {
  const BeamSection& s = beam.section;
  const double E = beam.youngs_modulus, G = beam.shear_modulus, rho = beam.density;
  std::vector<double> products = {E * s.area, G * s.area * s.shear_y, E * s.I_z, rho * s.area,
                                  rho * s.I_z};
  if (!beam.planar) {
    products.insert(products.end(), {G * s.area * s.shear_z, E * s.I_y, G * s.J, rho * s.I_y});
  }
  return std::all_of(products.begin(), products.end(), [](double product) {
    return product >= smallest_product && product <= largest_product;
  });
}

void read_material(const TomlTable& table, BeamSpec& beam) {
  read_moduli(table, beam);
  beam.density = table.number("density").value_or(0.0);
  beam.lumped_mass = table.text("mass") == "lumped";
  read_damping(table, beam);
  const std::optional<TomlTable> section_table = table.table("section");
  if (!section_table || !table.kind_is_known()) return;
  const std::optional<BeamSection> section = read_section(*section_table, beam.planar);
  if (!section) return;
  beam.section = *section;
  const bool complete = beam.youngs_modulus > 0.0 && beam.shear_modulus > 0.0 && beam.density > 0.0;
  if (complete && !is_computable(beam)) {
    table.refuse("section",
                 "'section' gives a stiffness or mass that is too large or too small to compute "
                 "with");
  }
}

// ---- Centre line

void read_corners(const TomlTable& table, Dimension dimension, BeamSpec& beam) {
  const std::optional<std::vector<Vec3>> corners = table.points("points", dimension);
  if (!corners) return;
  if (corners->size() < 2) {
    table.refuse("points", "'points': expected at least two corners, found 1");
    return;
  }
  for (std::size_t i = 1; i < corners->size(); ++i) {
    const Vec3 leg = (*corners)[i] - (*corners)[i - 1];
    if (leg.cwiseAbs().maxCoeff() > shortest_leg) continue;
    table.refuse_at(table.entry_place("points", i),
                    "'points': this corner is where the one before is");
    return;
  }
  beam.points = *corners;
}

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

// Whether the beam is clear enough to be meshed.
bool read_centre_line(const TomlTable& table, Dimension dimension, BeamSpec& beam) {
  std::string missing;
  bool has_start = false;
  for (const char* key : {"start", "direction", "length"}) {
    table.refuse_together(key, "points");
    has_start = has_start || table.has(key);
    if (missing.empty() && !table.has(key)) missing = key;
  }
  if (table.has("points")) {
    read_corners(table, dimension, beam);
  } else if (!has_start) {
    table.refuse_table(
        "missing key 'points' in [[beam]]: give 'points', or 'start', 'direction' and 'length'");
  } else if (!missing.empty()) {
    table.refuse_table(fmt::format(
        "missing key '{}' in [[beam]]: 'start', 'direction' and 'length' go together", missing));
  } else {
    read_start(table, dimension, beam);
  }
  read_curvatures(table, beam);
  beam.elements = table.integer("elements").value_or(beam.elements);
  beam.y_axis = table.direction("y_axis", dimension);
  const auto is_wrong = [&](const char* key) { return table.has(key) && !table.has_usable(key); };
  return table.kind_is_known() && !beam.points.empty() && table.has_usable("elements") &&
         !is_wrong("curvature") && !is_wrong("unstressed_curvature") && !is_wrong("y_axis");
}

// Beams that the mesh would refuse, with the place in the file that is to blame.
bool check_elements(const TomlTable& table, const BeamSpec& beam) {
  const auto legs = static_cast<int>(beam.points.size()) - 1;
  if (beam.elements < legs) {
    table.refuse("elements", fmt::format("'elements': {} legs need at least {} elements, found {}",
                                         legs, legs, beam.elements));
    return false;
  }
  const Vec3 unstressed = beam.unstressed_curvature.value_or(beam.curvature);
  const double turn =
      std::max(beam.curvature.stableNorm(), unstressed.stableNorm()) * length_of(beam);
  if (turn > largest_element_turn * beam.elements) {
    table.refuse("elements",
                 fmt::format("'elements': the curvature turns the sections by {:.4g} rad in all; "
                             "take at least {:.0f} elements, so that none turns by more than 120 "
                             "degrees",
                             turn, std::ceil(turn / largest_element_turn)));
    return false;
  }
  return true;
}

std::optional<BeamMesh> read_mesh(const TomlTable& table, const BeamSpec& beam) {
  if (!check_elements(table, beam)) return std::nullopt;
  try {
    return mesh_of(beam);
  } catch (const Error&) {
    table.refuse("y_axis", "'y_axis' must not lie along the beam");
    return std::nullopt;
  }
}

// ---- Loads and motion

void read_line_loads(const TomlTable& table, Dimension dimension, BeamSpec& beam) {
  if (auto force = table.formulas("line_force", dimension)) beam.line_force = std::move(*force);
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

void read_motion(const TomlTable& table, Dimension dimension, BeamSpec& beam) {
  beam.velocity = table.vector("velocity", dimension).value_or(Vec3::Zero());
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
  reading.kind_is_known = table.kind_is_known();
  BeamSpec& beam = reading.spec;
  beam.name = name;
  beam.place = table.place();
  beam.planar = table.kind() == "planar";
  const Dimension dimension = !table.kind_is_known() ? Dimension::either
                              : beam.planar          ? Dimension::two
                                                     : Dimension::three;
  read_material(table, beam);
  read_line_loads(table, dimension, beam);
  read_motion(table, dimension, beam);
  const bool is_clear = read_centre_line(table, dimension, beam);
  if (beam.elements > elements_left) {
    table.refuse("elements", fmt::format("'elements': the beams of a model can have {} elements "
                                         "together, not more",
                                         most_elements));
  } else if (is_clear) {
    reading.mesh = read_mesh(table, beam);
  }
  return reading;
}

// ---- Names

std::string on_line(const Place& place) {
  return place.line == 0 ? "" : fmt::format(" on line {}", place.line);
}

void check_names(const std::vector<TomlTable>& tables, const std::vector<BeamReading>& beams,
                 const std::vector<BodyReading>& bodies) {
  std::map<std::string, std::size_t, std::less<>> beam_of;
  for (std::size_t i = 0; i < beams.size(); ++i) beam_of.emplace(beams[i].spec.name, i);
  const auto check = [&](const char* noun, const std::string& name, const Place& place) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return;
    const auto found = beam_of.find(std::string_view(name).substr(0, dot));
    if (found == beam_of.end() || !beams[found->second].mesh) return;
    const auto nodes = static_cast<int>(beams[found->second].mesh->nodes.size());
    if (!node_index(std::string_view(name).substr(dot + 1), nodes)) return;
    tables[found->second].refuse(
        "name", fmt::format("beam {} has a node {}, but a {}{} has that name; rename one of them",
                            in_quotes(found->first), in_quotes(name), noun, on_line(place)));
  };
  for (const BodyReading& body : bodies) {
    check("body", body.spec.name, body.spec.place);
    const auto found = beam_of.find(body.spec.name);
    if (found == beam_of.end()) continue;
    tables[found->second].refuse(
        "name", fmt::format("there is a body named {} already{}{}", in_quotes(body.spec.name),
                            body.spec.place.line == 0 ? "" : ",", on_line(body.spec.place)));
  }
  for (const BeamReading& beam : beams) check("beam", beam.spec.name, beam.spec.place);
}

}  // namespace

std::vector<BeamReading> read_beams(const std::vector<TomlTable>& tables,
                                    const std::vector<BodyReading>& bodies) {
  std::vector<BeamReading> beams;
  NameReader names("beam");
  int elements_left = most_elements;
  for (const TomlTable& table : tables) {
    const std::string name = names.read(table);
    if (table.has_usable("name")) names.claim(table, name);
    if (name == "ground") {
      table.refuse("name", "'ground' is the fixed world; a beam needs another name");
    }
    beams.push_back(read_beam(table, name, elements_left));
    if (beams.back().mesh) elements_left -= beams.back().spec.elements;
  }
  check_names(tables, beams, bodies);
  return beams;
}

}  // namespace clatter
