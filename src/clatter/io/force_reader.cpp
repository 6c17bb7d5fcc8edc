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

End read_end(const TomlTable& spring, std::string_view key, const BodyLookup& bodies) {
  End end;
  end.table = spring.table(key);
  if (end.table) {
    end.body = bodies.find(*end.table, "body");
  } else if (spring.has(key)) {
    end.body = BodyChoice::unknown();
  }
  return end;
}

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
  const Dimension dimension = torsional && pair == Dimension::two ? Dimension::either : pair;
  const std::optional<Vec3> axis = table.direction("axis", dimension);
  if (!axis) return;
  spring.axis = *axis;
  if (torsional && pair == Dimension::two && !axis->head<2>().isZero(0.0)) {
    table.refuse("axis",
                 "'axis': between planar bodies a torsional spring turns about z, so the "
                 "axis must be [0, 0, 1] or [0, 0, -1]");
  }
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

void check_law_keys(const TomlTable& table, SpringLawKind law) {
  const auto index = static_cast<std::size_t>(law);
  const std::string_view word = spring_laws[index].first;
  for (const LawKey& entry : law_keys) {
    if (entry.allowed[index]) {
      if (entry.needed && !table.has(entry.key)) {
        table.refuse_table(
            fmt::format("missing key '{}' in [[spring]]: law \"{}\" needs it", entry.key, word));
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

void read_spring_table(const TomlTable& table, SpringSpec& spring) {
  const auto points = table.pairs("table");
  if (!points) return;
  for (std::size_t i = 1; i < points->size(); ++i) {
    if ((*points)[i].x() > (*points)[i - 1].x()) continue;
    table.refuse_at(table.entry_place("table", i),
                    fmt::format("'table': elongations must ascend, but {} follows {}",
                                (*points)[i].x(), (*points)[i - 1].x()));
    return;
  }
  spring.table = *points;
}

void read_spring_law(const TomlTable& table, SpringSpec& spring) {
  if (table.has("law") && !table.has_usable("law")) return;
  const std::string word = table.text("law").value_or("linear");
  for (const auto& [name, law] : spring_laws) {
    if (name == word) spring.law = law;
  }
  if (spring.law == SpringLawKind::gas && spring.kind == SpringKind::torsional) {
    table.refuse("law", "a gas pushes along a line; use kind \"axial\" or \"linear\"");
    return;
  }
  check_law_keys(table, spring.law);
  spring.acts_in_tension = table.text("acts_in") != "compression";
  read_spring_table(table, spring);
  spring.force = table.number("force").value_or(0.0);
  spring.gas_length = table.number("gas_length").value_or(0.0);
  spring.exponent = table.number("exponent").value_or(spring.exponent);
}

SpringSpec read_spring(const TomlTable& table, const BodyLookup& bodies) {
  SpringSpec spring;
  spring.place = table.place();
  if (table.kind() == "linear") spring.kind = SpringKind::linear;
  if (table.kind() == "torsional") spring.kind = SpringKind::torsional;
  const End a = read_end(table, "a", bodies);
  const End b = read_end(table, "b", bodies);
  const Dimension pair = dimension_of_pair(a.body, b.body);
  if (a.body.same_as(b.body)) {
    table.refuse_table(a.body.is_ground() ? "a spring needs a body: both ends are on the ground"
                                          : fmt::format("both ends of the spring are on body '{}'",
                                                        a.body.name()));
  }
  if (!table.kind_is_known()) return spring;

  spring.a = read_attachment(a, spring.kind, pair);
  spring.b = read_attachment(b, spring.kind, pair);
  if (spring.kind != SpringKind::axial) read_spring_axis(table, pair, spring);
  if (spring.kind == SpringKind::torsional) {
    for (const End& end : {a, b}) {
      if (!end.body.is(BodyKind::point)) continue;
      end.table->refuse("body", fmt::format("point body '{}' does not turn, so it cannot carry a "
                                            "torsional spring",
                                            end.body.name()));
    }
    spring.rest = table.angle("rest_angle");
  } else {
    spring.rest = table.number("rest_length");
  }
  spring.stiffness = table.number("stiffness").value_or(0.0);
  spring.damping = table.number("damping").value_or(0.0);
  const bool wrong = (table.has("stiffness") && !table.has_usable("stiffness")) ||
                     (table.has("damping") && !table.has_usable("damping"));
  read_spring_law(table, spring);
  const bool stiff_by_law = spring.law == SpringLawKind::table || spring.law == SpringLawKind::gas;
  if (!wrong && !stiff_by_law && spring.stiffness == 0.0 && spring.damping == 0.0) {
    table.refuse_table("a spring needs a positive 'stiffness' or 'damping'");
  }
  return spring;
}

void read_torque(const TomlTable& table, const BodyChoice& body, LoadSpec& load) {
  if (!table.has_usable("torque")) return;
  if (body.is(BodyKind::point)) {
    table.refuse("torque", fmt::format("point body '{}' does not turn, so it cannot carry a torque",
                                       body.name()));
    return;
  }
  const bool list = table.is_list("torque");
  if (!body.is_known()) return;
  if (body.is(BodyKind::planar) == list) {
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

LoadSpec read_load(const TomlTable& table, const BodyLookup& bodies) {
  LoadSpec load;
  load.place = table.place();
  const BodyChoice body = table.has("body") ? bodies.find(table, "body") : BodyChoice::unknown();
  if (body.is_ground()) table.refuse("body", "a load needs a body that can move, not the ground");
  const Dimension dimension =
      body.is_ground() ? Dimension::either : dimension_on(body, Dimension::either);
  load.at.body = body.name();
  load.at.point = read_point(table, "point", body, dimension);
  if (auto force = table.formulas("force", dimension)) load.force = std::move(*force);
  if (!body.is_ground()) read_torque(table, body, load);
  if (!table.has("force") && !table.has("torque")) {
    table.refuse_table("a load needs a 'force' or a 'torque'");
  }
  if (table.text("axes") == "body") load.axes = LoadAxes::body;
  return load;
}

}  // namespace

std::vector<SpringSpec> read_springs(const std::vector<TomlTable>& tables,
                                     const BodyLookup& bodies) {
  std::vector<SpringSpec> springs;
  NameReader names("spring");
  for (const TomlTable& table : tables) {
    springs.push_back(read_spring(table, bodies));
    springs.back().name = names.read(table);
    names.claim(table, springs.back().name);
  }
  return springs;
}

std::vector<LoadSpec> read_loads(const std::vector<TomlTable>& tables, const BodyLookup& bodies) {
  std::vector<LoadSpec> loads;
  NameReader names("load");
  for (const TomlTable& table : tables) {
    loads.push_back(read_load(table, bodies));
    loads.back().name = names.read(table);
    names.claim(table, loads.back().name);
  }
  return loads;
}

}  // namespace clatter
