#include <array>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/force_reader.hpp>

namespace clatter {
namespace {

struct End {
  std::optional<TomlTable> table;
  BodyChoice body = BodyChoice::ground();
};

End read_end(const TomlTable& spring, std::string_view key, const NamedBodies& bodies) {
  End end;
  end.table = spring.table(key);
  if (end.table) {
    end.body = bodies.find(*end.table, "body");
  } else if (spring.has(key)) {
    end.body = BodyChoice::unknown();
  }
  return end;
}

// The keys of an end are those of the spring as "a.body".
Attachment read_attachment(const End& end, SpringKind kind, Dimension pair) {
  Attachment attachment{end.body.name(), Vec3::Zero()};
  if (!end.table) return attachment;
  if (kind == SpringKind::torsional) {
    if (end.table->has("point")) {
      end.table->refuse_key("point", "'point' has no meaning for a torsional spring");
    }
    return attachment;
  }
  attachment.point = read_point(*end.table, "point", end.body, pair);
  return attachment;
}

void read_spring_axis(const TomlTable& table, Dimension pair, SpringSpec& spring) {
  const bool torsional = spring.kind == SpringKind::torsional;
  if (!table.has("axis")) {
    if (torsional && pair != Dimension::three) {
      spring.axis = Vec3::UnitZ();
    } else {
      table.refuse_table(
          fmt::format("missing key 'axis' in [[spring]]: a {} spring needs one", table.kind()));
    }
    return;
  }
  spring.axis = table.direction("axis", notation(pair)).value_or(spring.axis);
}

constexpr std::array<std::pair<std::string_view, SpringLawKind>, 4> spring_laws = {{
    {"linear", SpringLawKind::linear},
    {"one_sided", SpringLawKind::one_sided},
    {"table", SpringLawKind::table},
    {"gas", SpringLawKind::gas},
}};

// Keys that belong to some laws only, and whether these need them.
struct LawKey {
  const char* key;
  std::array<bool, 4> allowed;  // in the order of the laws
  bool needed;
};
constexpr std::array<LawKey, 6> law_keys = {{
    {"stiffness", {true, true, false, false}, false},
    {"acts_in", {false, true, false, false}, true},
    {"table", {false, false, true, false}, true},
    {"force", {false, false, false, true}, true},
    {"gas_length", {false, false, false, true}, true},
    {"exponent", {false, false, false, true}, false},
}};

/// Keys of other laws are refused, and missing ones told; the checks of the model leave these
/// alone.
void check_law_keys(const TomlTable& table, SpringSpec& spring) {
  const auto index = static_cast<std::size_t>(spring.law);
  const std::string_view word = spring_laws[index].first;
  for (const LawKey& entry : law_keys) {
    if (entry.allowed[index]) {
      if (entry.needed && !table.has(entry.key)) {
        table.refuse_table(
            fmt::format("missing key '{}' in [[spring]]: law \"{}\" needs it", entry.key, word));
        spring.keys.doubt(entry.key);
      }
    } else if (table.has_usable(entry.key)) {
      std::vector<std::string> laws;
      for (std::size_t i = 0; i < spring_laws.size(); ++i) {
        if (entry.allowed[i]) laws.push_back(fmt::format("\"{}\"", spring_laws[i].first));
      }
      table.refuse_key(entry.key,
                       fmt::format("'{}' has no meaning for law \"{}\"; leave it out or give law "
                                   "{}",
                                   entry.key, word, fmt::join(laws, " or ")));
    }
  }
}

void read_spring_law(const TomlTable& table, SpringSpec& spring) {
  if (table.has("law") && !table.has_usable("law")) return;
  const std::string word = table.text("law").value_or("linear");
  for (const auto& [name, law] : spring_laws) {
    if (name == word) spring.law = law;
  }
  // That a gas cannot turn anything is for the checks of the model, which say it once.
  if (spring.law != SpringLawKind::gas || spring.kind != SpringKind::torsional) {
    check_law_keys(table, spring);
  }
  spring.acts_in_tension = table.text("acts_in") != "compression";
  spring.table = table.pairs("table").value_or(spring.table);
  spring.force = table.number("force").value_or(0.0);
  spring.gas_length = table.number("gas_length").value_or(0.0);
  spring.exponent = table.number("exponent").value_or(spring.exponent);
}

SpringSpec read_spring(const TomlTable& table, const NamedBodies& bodies) {
  SpringSpec spring;
  spring.place = table.place();
  spring.keys = table.key_places();
  if (table.kind() == "linear") spring.kind = SpringKind::linear;
  if (table.kind() == "torsional") spring.kind = SpringKind::torsional;
  const End a = read_end(table, "a", bodies);
  const End b = read_end(table, "b", bodies);
  const Dimension pair = dimension_of_pair(a.body, b.body);
  if (a.table) spring.keys.add_nested("a", a.table->key_places());
  if (b.table) spring.keys.add_nested("b", b.table->key_places());
  spring.a.body = a.body.name();
  spring.b.body = b.body.name();
  if (!table.kind_is_known()) return spring;

  spring.a = read_attachment(a, spring.kind, pair);
  spring.b = read_attachment(b, spring.kind, pair);
  if (spring.kind != SpringKind::axial) read_spring_axis(table, pair, spring);
  if (spring.kind == SpringKind::torsional) {
    spring.rest = table.angle("rest_angle");
    if (!table.has("rest_angle")) spring.keys.set_written("rest_angle", "rest_angle_deg");
  } else {
    spring.rest = table.number("rest_length");
  }
  spring.stiffness = table.number("stiffness").value_or(0.0);
  spring.damping = table.number("damping").value_or(0.0);
  read_spring_law(table, spring);
  return spring;
}

void read_torque(const TomlTable& table, const BodyChoice& body, LoadSpec& load) {
  if (!table.has_usable("torque") || !body.is_known()) return;
  const bool list = table.is_list("torque");
  if (!body.is(BodyKind::point) && body.is(BodyKind::planar) == list) {
    table.refuse("torque", list
                               ? "'torque': on a planar body one number or formula, about z"
                               : "'torque': expected three numbers or formulas [x, y, z]; a single "
                                 "one is for planar bodies only");
    return;
  }
  if (list) {
    if (auto torque = table.formulas("torque", Dimension::three)) load.torque = std::move(*torque);
  } else {
    if (auto torque = table.formula("torque")) load.torque[2] = std::move(*torque);
  }
}

LoadSpec read_load(const TomlTable& table, const NamedBodies& bodies) {
  LoadSpec load;
  load.place = table.place();
  load.keys = table.key_places();
  const BodyChoice body = table.has("body") ? bodies.find(table, "body") : BodyChoice::unknown();
  const Dimension dimension =
      body.is_ground() ? Dimension::either : dimension_on(body, Dimension::either);
  load.at.body = body.name();
  load.at.point = read_point(table, "point", body, dimension);
  if (auto force = table.formulas("force", notation(dimension))) load.force = std::move(*force);
  if (!body.is_ground()) read_torque(table, body, load);
  if (!table.has("force") && !table.has("torque")) {
    table.refuse_table("a load needs a 'force' or a 'torque'");
  }
  if (table.text("axes") == "body") load.axes = LoadAxes::body;
  return load;
}

}  // namespace

std::vector<SpringSpec> read_springs(const std::vector<TomlTable>& tables,
                                     const NamedBodies& bodies) {
  std::vector<SpringSpec> springs;
  NameReader names("spring");
  for (const TomlTable& table : tables) {
    springs.push_back(read_spring(table, bodies));
    springs.back().name = names.read(table);
  }
  return springs;
}

std::vector<LoadSpec> read_loads(const std::vector<TomlTable>& tables, const NamedBodies& bodies) {
  std::vector<LoadSpec> loads;
  NameReader names("load");
  for (const TomlTable& table : tables) {
    loads.push_back(read_load(table, bodies));
    loads.back().name = names.read(table);
  }
  return loads;
}

}  // namespace clatter
