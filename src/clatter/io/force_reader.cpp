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
  if (!wrong && spring.stiffness == 0.0 && spring.damping == 0.0) {
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
