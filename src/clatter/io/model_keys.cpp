#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include <clatter/io/keys/key_tables.hpp>
#include <clatter/io/model_keys.hpp>

namespace clatter {

bool KeyDescription::applies_to(std::string_view kind) const {
  return kinds.empty() || kind.empty() ||
         std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

std::string KeyDescription::expected() const {
  using enum ValueType;
  const std::string limits = range.text().empty() ? "" : " " + range.text();
  switch (type) {
    case text:
      return "text";
    case word:
      return fmt::format("`\"{}\"`", fmt::join(words, "\"`, `\""));
    case flag:
      return "`true` or `false`";
    case integer:
      return "whole number" + limits;
    case number:
      return "number" + limits;
    case formula:
      return "number or formula in `t`";
    case drive:
      return "number or formula in `t` and quantities";
    case vector:
      return limits.empty() ? "vector" : "vector with entries" + limits;
    case triple:
      return "three numbers" + limits;
    case direction:
      return "vector, not zero";
    case quaternion:
      return "four numbers, not all zero";
    case points:
      return "list of vectors";
    case point_or_points:
      return "vector or list of vectors";
    case pairs:
      return "list of two or more pairs of numbers";
    case rows:
      return "rows of numbers";
    case inertia:
      return "three numbers, or three rows of three";
    case formulas:
      return "vector of numbers or formulas in `t`";
    case torque:
      return "vector of numbers or formulas in `t`, or one of them";
    case numbers:
      return "list of numbers" + limits;
    case texts:
      return "list of texts";
    case ValueType::table:
      return fmt::format("table, see `{}`", model_table(this->table).heading);
    case table_or_tables:
      return fmt::format("table or list of tables, see `{}`", model_table(this->table).heading);
    case table_one:
      return "table";
    case tables:
      return "tables";
    case parameters:
      return "names with numbers or formulas";
  }
  return "";
}

const KeyDescription* TableDescription::find(std::string_view key, std::string_view kind) const {
  for (const KeyDescription& row : keys) {
    if (row.name == key && row.applies_to(kind)) return &row;
  }
  return nullptr;
}

std::vector<std::string> TableDescription::kinds() const {
  if (kind_key.empty()) return {""};
  return find(kind_key, "")->words;
}

std::string TableDescription::default_kind() const {
  if (kind_key.empty()) return "";
  const KeyDescription& row = *find(kind_key, "");
  // The default is a quoted word.
  return row.required() ? "" : row.default_text.substr(1, row.default_text.size() - 2);
}

std::span<const TableDescription> model_tables() {
  using namespace keys;
  static const std::vector<TableDescription> tables = {model(),
                                                       body(),
                                                       repeat(),
                                                       sizes(),
                                                       shape(),
                                                       orientation(),
                                                       ground_shapes(),
                                                       material(),
                                                       material_pair(),
                                                       solid_recover(),
                                                       solid_compliance(),
                                                       exclude(),
                                                       watch(),
                                                       beam(),
                                                       section(),
                                                       spring(),
                                                       end(),
                                                       bushing(),
                                                       cable(),
                                                       through(),
                                                       rope(),
                                                       rope_through(),
                                                       actuator(),
                                                       sensor(),
                                                       controller(),
                                                       formula_table(),
                                                       load(),
                                                       joint(),
                                                       clearance(),
                                                       backlash(),
                                                       limits(),
                                                       joint_friction(),
                                                       coupler(),
                                                       coupler_backlash(),
                                                       contact(),
                                                       point(),
                                                       sphere(),
                                                       face(),
                                                       shaft(),
                                                       bore(),
                                                       groove(),
                                                       recover(),
                                                       compliance(),
                                                       bearing(),
                                                       cage(),
                                                       event(),
                                                       stop(),
                                                       integrator(),
                                                       output(),
                                                       verify()};
  return tables;
}

const TableDescription& model_table(std::string_view name) {
  const std::span<const TableDescription> tables = model_tables();
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const TableDescription& table) {
    return table.name == name;
  });
  assert(found != tables.end());
  return *found;
}

}  // namespace clatter
