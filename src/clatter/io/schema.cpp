#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <clatter/io/schema.hpp>

namespace clatter {
namespace {

using Json = nlohmann::ordered_json;

Json number_schema(const KeyDescription& key, const char* type = "number") {
  // Text that begins with "=" is a number after all.
  Json schema = {{"type", Json::array({type, "string"})}, {"pattern", "^\\s*="}};
  if (std::isfinite(key.range.min)) {
    schema[key.range.min_excluded ? "exclusiveMinimum" : "minimum"] = key.range.min;
  }
  if (std::isfinite(key.range.max)) schema["maximum"] = key.range.max;
  return schema;
}

Json list_schema(Json items, int min, int max) {
  Json schema = {{"type", "array"}, {"items", std::move(items)}};
  if (min > 0) schema["minItems"] = min;
  if (max > 0) schema["maxItems"] = max;
  return schema;
}

Json reference(const std::string& table) { return {{"$ref", "#/$defs/" + table}}; }

Json any_of(Json one, Json other) {
  return {{"anyOf", Json::array({std::move(one), std::move(other)})}};
}

Json value_schema(const KeyDescription& key) {
  Json text = {{"type", "string"}};
  Json number = number_schema(key);
  Json formula = {{"type", Json::array({"number", "string"})}};
  Json vector = list_schema(number, 2, 3);
  switch (key.type) {
    case ValueType::text:
      return text;
    case ValueType::word:
      return {{"enum", key.words}};
    case ValueType::flag:
      return {{"type", "boolean"}};
    case ValueType::integer:
      return number_schema(key, "integer");
    case ValueType::number:
      return number;
    case ValueType::formula:
    case ValueType::drive:
      return formula;
    case ValueType::coefficient:
      return any_of(number, text);
    case ValueType::vector:
    case ValueType::direction:
      return vector;
    case ValueType::triple:
      return list_schema(number, 3, 3);
    case ValueType::quaternion:
      return list_schema(number, 4, 4);
    case ValueType::points:
      return list_schema(vector, 1, 0);
    case ValueType::point_or_points:
      return any_of(vector, list_schema(vector, 1, 0));
    case ValueType::pairs:
      return list_schema(list_schema(number, 2, 2), 2, 0);
    case ValueType::rows:
      return list_schema(list_schema(number, 2, 0), 2, 0);
    case ValueType::inertia:
      return any_of(list_schema(number, 3, 3), list_schema(list_schema(number, 3, 3), 3, 3));
    case ValueType::formulas:
      return list_schema(formula, 2, 3);
    case ValueType::torque:
      return any_of(formula, list_schema(formula, 3, 3));
    case ValueType::numbers:
      return list_schema(number, 0, 0);
    case ValueType::texts:
      return list_schema(text, 0, 0);
    case ValueType::table:
    case ValueType::table_one:
      return reference(key.table);
    case ValueType::table_or_tables:
      return any_of(reference(key.table), list_schema(reference(key.table), 1, 0));
    case ValueType::tables:
      return list_schema(reference(key.table), key.required() ? 1 : 0, 0);
    case ValueType::parameters:
      return {{"type", "object"}, {"additionalProperties", formula}};
  }
  return {};
}

Json key_schema(const KeyDescription& key) {
  Json schema = value_schema(key);
  schema["description"] = key.meaning;
  if (!key.unit.empty()) schema["x-unit"] = key.unit;
  // Defaults that are values are TOML and JSON alike; the others are sentences.
  const Json value = Json::parse(key.default_text, nullptr, false);
  if (!value.is_discarded()) schema["default"] = value;
  return schema;
}

Json kind_schema(const TableDescription& table, const std::string& kind) {
  Json schema = {{"type", "object"}, {"additionalProperties", false}};
  Json properties = Json::object();
  Json needed = Json::array();
  for (const KeyDescription& key : table.keys) {
    if (!key.applies_to(kind)) continue;
    const bool is_kind = !kind.empty() && key.name == table.kind_key;
    properties[key.name] = is_kind ? Json{{"const", kind}} : key_schema(key);
    if (key.required() || (is_kind && kind != table.default_kind())) needed.push_back(key.name);
  }
  schema["properties"] = std::move(properties);
  if (!needed.empty()) schema["required"] = std::move(needed);
  return schema;
}

Json table_schema(const TableDescription& table) {
  if (table.kind_key.empty()) return kind_schema(table, "");
  Json kinds = Json::array();
  for (const std::string& kind : table.kinds()) kinds.push_back(kind_schema(table, kind));
  return {{"oneOf", std::move(kinds)}};
}

// A value is set as code, a sentence is not.
std::string default_cell(const KeyDescription& key) {
  const bool value = !Json::parse(key.default_text, nullptr, false).is_discarded();
  return value ? "`" + key.default_text + "`" : key.default_text;
}

}  // namespace

std::string schema_json() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "clatter model file"}};
  schema.update(table_schema(model_table("")));
  // Neither list is needed by itself.
  schema["anyOf"] = Json::array({{{"required", {"body"}}}, {{"required", {"beam"}}}});
  Json definitions = Json::object();
  for (const TableDescription& table : model_tables()) {
    if (!table.name.empty()) definitions[table.name] = table_schema(table);
  }
  schema["$defs"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

std::string schema_markdown(const TableDescription& table) {
  const bool has_kinds = !table.kind_key.empty();
  std::string text = has_kinds
                         ? fmt::format(
                               "| key | {} | value | unit | default | meaning |\n"
                               "|---|---|---|---|---|---|\n",
                               table.kind_key)
                         : "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";
  for (const KeyDescription& key : table.keys) {
    const std::string kinds =
        key.kinds.empty() ? "all" : fmt::format("{}", fmt::join(key.kinds, ", "));
    text += fmt::format("| `{}` |{} {} | {} | {} | {} |\n", key.name,
                        has_kinds ? " " + kinds + " |" : "", key.expected(),
                        key.unit.empty() ? "-" : key.unit, default_cell(key), key.meaning);
  }
  return text;
}

}  // namespace clatter
