#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <clatter/contact/solvers/contact_solver.hpp>
#include <clatter/io/beam_reader.hpp>
#include <clatter/io/bearing_reader.hpp>
#include <clatter/io/body_reader.hpp>
#include <clatter/io/contact_reader.hpp>
#include <clatter/io/coupler_reader.hpp>
#include <clatter/io/drive_reader.hpp>
#include <clatter/io/event_reader.hpp>
#include <clatter/io/joint_reader.hpp>
#include <clatter/io/load_reader.hpp>
#include <clatter/io/material_reader.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/io/overrides.hpp>
#include <clatter/io/parameters.hpp>
#include <clatter/io/rope_reader.hpp>
#include <clatter/io/shape_reader.hpp>
#include <clatter/io/toml_table.hpp>
#include <clatter/io/verify_reader.hpp>
#include <clatter/machine/checks.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/fields.hpp>
#include <clatter/model/integrator_fields.hpp>

namespace clatter {
namespace {

// A model of a hundred thousand bodies has about 20 MB; anything larger is not a model.
constexpr std::size_t largest_file = std::size_t{256} << 20;
// toml++ nests a table per dot of a key and takes them down recursively; our keys have three dots.
constexpr int most_dots = 1000;

// Refuses keys of absurdly many parts. Dots count while nothing ends the key.
void check_dots(std::string_view text, const std::string& file) {
  int dots = 0, line = 1, column = 1;
  for (const char c : text) {
    if (c == '.') {
      if (++dots > most_dots) {
        throw Error({file, line, column}, fmt::format("more than {} dots in a row", most_dots));
      }
    } else if (c == '\n' || c == ',' || c == '=' || c == '#') {
      dots = 0;
    }
    column = c == '\n' ? 1 : column + 1;
    if (c == '\n') ++line;
  }
}

// The first line with which toml++ fails an assertion: it reads from the top and fails at once.
int failing_line(std::string_view text) {
  std::vector<std::size_t> ends;  // of the text up to and with each line
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', end + 1)) {
    ends.push_back(end + 1);
  }
  const auto reads = [&](std::size_t end) {
    try {
      const toml::table ignored = toml::parse(text.substr(0, end));
    } catch (const toml::parse_error&) {
    } catch (const TomlFailure&) {
      return false;
    }
    return true;
  };
  return 1 + static_cast<int>(std::partition_point(ends.begin(), ends.end(), reads) - ends.begin());
}

toml::table parse_toml(std::string_view text, const std::string& file) {
  check_dots(text, file);
  try {
    return toml::parse(text, std::string_view(file));
  } catch (const toml::parse_error& error) {
    std::string reason(error.description());
    if (!reason.empty()) {
      reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
    }
    // toml++ names the option of its build, which means nothing to the user.
    if (const std::size_t option = reason.find(" (TOML_"); option != std::string::npos) {
      reason.erase(option);
    }
    const bool cut = reason.find("end-of-file") != std::string::npos;
    Place place = place_of(error.source());
    place.file = file;
    place.line = std::max(place.line, 1);
    place.column = std::max(place.column, 1);
    throw Error(std::move(place),
                fmt::format("not valid TOML: {}{}", reason, cut ? "; is the file cut off?" : ""));
  } catch (const TomlFailure&) {
    throw Error({file, failing_line(text), 1}, "not valid TOML: this line cannot be understood");
  }
}

// Whether [x, y] is enough for vectors that concern all bodies and beams.
Dimension dimension_of_model(const Model& model) {
  bool is_spatial = false;
  for (const BodySpec& body : model.bodies) {
    if (body.keys.is_doubtful("kind")) return Dimension::either;
    is_spatial = is_spatial || body.kind != BodyKind::planar;
  }
  for (const BeamSpec& beam : model.beams) {
    if (beam.keys.is_doubtful("kind")) return Dimension::either;
    is_spatial = is_spatial || !beam.planar;
  }
  return is_spatial ? Dimension::three : Dimension::either;
}

IntegratorSpec read_integrator(const TomlTable& table) {
  IntegratorSpec i;
  i.place = table.place();
  i.keys = table.key_places();
  if (const auto name = table.text("name")) {
    const auto found = std::find(integrator_names.begin(), integrator_names.end(), *name);
    if (found != integrator_names.end())
      i.kind = static_cast<IntegratorKind>(found - integrator_names.begin());
  }
  describe_integrator(i, FieldReader(table));
  if (const auto variant = table.text("variant")) {
    const auto found = std::find(conserving_names.begin(), conserving_names.end(), *variant);
    if (found != conserving_names.end()) {
      i.variant = static_cast<ConservingKind>(found - conserving_names.begin());
    }
  }
  if (const auto coefficients = table.text("coefficients")) {
    const auto found = std::find(alpha_names.begin(), alpha_names.end(), *coefficients);
    if (found != alpha_names.end()) {
      i.coefficients = static_cast<AlphaKind>(found - alpha_names.begin());
    }
  }
  if (const auto solver = table.text("contact_solver")) {
    i.contact_solver = contact_solver_of(*solver);
  }
  if (const auto law = table.text("impact_law")) i.impact_law = impact_law_of(*law).value();
  if (table.text("scaling") == "characteristic_mass") i.scaling = Scaling::characteristic_mass;
  return i;
}

OutputSpec read_output(const TomlTable& table) {
  OutputSpec output;
  output.place = table.place();
  output.keys = table.key_places();
  output.interval = table.number("interval");
  output.frame_interval = table.number("frame_interval");
  output.checkpoint_interval = table.number("checkpoint_interval");
  output.paraview = table.flag("paraview").value_or(output.paraview);
  output.contact_points = table.flag("contact_points").value_or(output.contact_points);
  return output;
}

template <class Kind>
void read_force_elements(const TomlTable& root, const NamedBodies& bodies, Model& model) {
  NameReader names{std::string(Kind::word)};
  for (const TomlTable& table : root.tables(Kind::word)) {
    auto& spec = (model.*Kind::list).emplace_back();
    spec.place = table.place();
    spec.keys = table.key_places();
    spec.name = names.read(table);
    Kind::read(table, bodies, spec);
  }
}

FluidSpec read_fluid(const TomlTable& table, const NamedBodies& bodies) {
  FluidSpec fluid;
  fluid.place = table.place();
  fluid.keys = table.key_places();
  fluid.density = table.number("density").value_or(fluid.density);
  fluid.viscosity = table.number("viscosity").value_or(fluid.viscosity);
  if (table.has("bodies")) {
    for (const BodyChoice& body : bodies.find_list(table, "bodies")) {
      fluid.bodies.push_back(body.name());
    }
    if (table.has_usable("bodies") && fluid.bodies.empty()) {
      table.refuse("bodies", "'bodies' is empty");
    }
  }
  return fluid;
}

// Shapes of the ground are in space or in the plane, as all else is.
std::vector<PlacedShape> read_ground(const TomlTable& table, const std::filesystem::path& folder,
                                     Model& model) {
  const Dimension dimension = is_planar(model) ? Dimension::two : dimension_of_model(model);
  if (dimension == Dimension::either) model.keys.doubt("ground");
  std::vector<PlacedShape> shapes = read_shapes(table, dimension, folder).shapes;
  for (const PlacedShape& shape : shapes) {
    if (!shape.density) continue;
    table.refuse_at(shape.keys.key("density", shape.place),
                    "'density' has no meaning for the ground, which does not move");
  }
  return shapes;
}

Model read_tables(const toml::table& root, ModelUse use, const std::filesystem::path& folder,
                  std::vector<Mistake>& mistakes) {
  FormulaTables formula_tables;
  const TomlTable table(root, model_table(""), mistakes, &formula_tables);
  formula_tables = read_formula_tables(table.tables("table"), folder);
  Model model;
  model.place = table.place();
  model.keys = table.key_places();
  model.title = table.text("title").value_or("");
  model.assemble = table.flag("assemble").value_or(model.assemble);
  model.equilibrium = table.flag("equilibrium").value_or(model.equilibrium);

  const std::vector<BodyReading> bodies = read_bodies(table.tables("body"), folder);
  std::vector<BeamReading> beams = read_beams(table.tables("beam"));
  const bool lists_are_sound = (!table.has("body") || table.has_usable("body")) &&
                               (!table.has("beam") || table.has_usable("beam"));
  if (bodies.empty() && beams.empty()) {
    if (lists_are_sound) table.refuse_table("a model needs [[body]] or [[beam]]");
    model.keys.doubt("body");
  }
  const std::vector<TomlTable> bearing_tables = table.tables("bearing");
  model.bodies.reserve(bodies.size() + count_balls(bearing_tables));  // the lookup points into both
  model.beams.reserve(beams.size());
  NamedBodies named;
  for (const BodyReading& body : bodies) {
    model.bodies.push_back(body.spec);
    named.lookup.add(model.bodies.back());
    if (!body.family.empty()) named.add_to_family(body.family, model.bodies.back());
  }
  for (BeamReading& beam : beams) {
    model.beams.push_back(std::move(beam.spec));
    if (beam.mesh) named.lookup.add_beam(model.beams.back(), std::move(*beam.mesh));
  }
  BearingReading bearings = read_bearings(bearing_tables, named);
  for (BodySpec& ball : bearings.balls) {
    model.bodies.push_back(std::move(ball));
    named.lookup.add(model.bodies.back());
  }
  model.bearings = std::move(bearings.bearings);
  model.gravity = table.vector("gravity", dimension_of_model(model)).value_or(Vec3::Zero());
  ForceKinds::for_each([&]<class Kind>() { read_force_elements<Kind>(table, named, model); });
  model.springs.insert(model.springs.end(), bearings.springs.begin(), bearings.springs.end());
  model.sensors = read_sensors(table.tables("sensor"));
  model.controllers = read_controllers(table.tables("controller"));
  model.loads = read_loads(table.tables("load"), named);
  if (const auto fluid = table.table("fluid")) model.fluid = read_fluid(*fluid, named);
  JointReading joints = read_joints(table.tables("joint"), named, model.assemble);
  model.joints = std::move(joints.joints);
  model.bushings.insert(model.bushings.end(), joints.dampers.begin(), joints.dampers.end());
  CouplerReading couplers = read_couplers(table.tables("coupler"));
  model.couplers = std::move(couplers.couplers);
  ContactReading contacts = read_contacts(table.tables("contact"), named);
  model.contacts = std::move(contacts.contacts);
  std::vector<ContactSpec> ropes = read_ropes(table.tables("rope"), named);
  for (const auto* made : {&joints.contacts, &couplers.contacts, &bearings.contacts, &ropes}) {
    model.contacts.insert(model.contacts.end(), made->begin(), made->end());
  }
  model.contact_groups = std::move(contacts.groups);
  if (const auto ground = table.table("ground")) {
    model.ground = read_ground(*ground, folder, model);
  }
  model.materials = read_materials(table.tables("material"));
  model.material_pairs = read_material_pairs(table.tables("material_pair"));
  model.exclusions = read_body_pairs(table.tables("exclude"));
  model.exclusions.insert(model.exclusions.end(), joints.exclusions.begin(),
                          joints.exclusions.end());
  model.watches = read_body_pairs(table.tables("watch"));
  model.events = read_events(table.tables("event"), table.tables("stop"));
  if (const auto integrator = table.table("integrator")) {
    model.integrator = read_integrator(*integrator);
  }
  if (use == ModelUse::run && !table.has("integrator")) {
    table.refuse_table("a model needs [integrator] to be run");
  }
  if (const auto output = table.table("output")) model.output = read_output(*output);
  model.verify = read_verify(table.tables("verify"), root);
  return model;
}

[[noreturn]] void throw_sorted(std::vector<Mistake> mistakes) {
  std::stable_sort(mistakes.begin(), mistakes.end(), [](const Mistake& a, const Mistake& b) {
    return std::tuple(a.place.line, a.place.column) < std::tuple(b.place.line, b.place.column);
  });
  throw Error(std::move(mistakes));
}

std::string read_text(const std::filesystem::path& path) {
  const Place place{path.string(), 0, 0};
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw Error(place, "there is no such file");
  if (std::filesystem::is_directory(status)) {
    throw Error(place, "this is a directory, not a model file");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(place, "the file cannot be opened for reading");
  std::string text;
  std::vector<char> block(1 << 16);
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         stream.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > largest_file) throw Error(place, "the file is too large to be a model");
  }
  if (stream.bad()) throw Error(place, "the file cannot be read to its end");
  return text;
}

}  // namespace

Model parse_model(std::string_view text, std::string file_name,
                  std::span<const std::string> overrides, ModelUse use) {
  toml::table root = parse_toml(text, file_name);
  if (root.empty()) {
    throw Error({file_name, 1, 1},
                "the file is empty: a model needs [[body]] or [[beam]], and [integrator]");
  }
  std::vector<Mistake> mistakes;
  for (const std::string& change : overrides) {
    if (const std::optional<std::string> wrong = apply_override(root, change)) {
      Mistake& mistake = mistakes.emplace_back();
      mistake.place.file = override_name(change);
      mistake.message = *wrong;
    }
  }
  if (mistakes.empty()) apply_parameters(root, mistakes);
  if (!mistakes.empty()) throw_sorted(std::move(mistakes));
  const std::filesystem::path folder = std::filesystem::path(file_name).parent_path();
  Model model = read_tables(root, use, folder, mistakes);
  for (Mistake& mistake : check(model)) mistakes.push_back(std::move(mistake));
  if (!mistakes.empty()) throw_sorted(std::move(mistakes));
  model.file = std::move(file_name);
  return model;
}

Model read_model(const std::filesystem::path& path, std::span<const std::string> overrides,
                 ModelUse use) {
  return parse_model(read_text(path), path.string(), overrides, use);
}

}  // namespace clatter
