#include <utility>

#include <clatter/io/load_reader.hpp>

namespace clatter {
namespace {

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
