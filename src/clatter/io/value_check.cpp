#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/toml_value.hpp>
#include <clatter/io/value_check.hpp>
#include <clatter/math/expression.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

std::string found(const toml::node& value) {
  switch (value.type()) {
    case toml::node_type::string:
      return "text " + in_quotes(**value.as_string());
    case toml::node_type::integer:
      return fmt::format("{}", **value.as_integer());
    case toml::node_type::floating_point:
      return fmt::format("{}", **value.as_floating_point());
    case toml::node_type::boolean:
      return **value.as_boolean() ? "true" : "false";
    case toml::node_type::array:
      return fmt::format("a list of {}", value.as_array()->size());
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

bool is_list_of_numbers(const toml::node& value) {
  const toml::array* list = value.as_array();
  return list != nullptr && !list->empty() && list->front().is_number();
}

/// What the formulas of a key are of.
Formula::Of formulas_of(ValueType type) {
  if (type == ValueType::drive) return Formula::Of::quantities;
  return type == ValueType::coefficient ? Formula::Of::speed : Formula::Of::time;
}

class ValueCheck {
 public:
  ValueCheck(const KeyDescription& row, const std::string& heading, const FormulaTables* tables,
             std::vector<Mistake>& mistakes)
      : row_(row),
        of_(formulas_of(row.type)),
        heading_(heading),
        tables_(tables),
        mistakes_(mistakes) {}

  bool passes(const toml::node& value) const;

 private:
  bool check_word(const toml::node& value) const;
  bool check_texts(const toml::node& value) const;
  bool check_number(const toml::node& value) const;
  bool check_numbers(const toml::node& value, std::size_t min, std::size_t max) const;
  bool check_not_zero(const toml::node& value) const;
  bool check_formula(const toml::node& value) const;
  bool check_formulas(const toml::node& value) const;
  bool check_inertia(const toml::node& value) const;
  bool check_points(const toml::node& value) const;
  bool check_pairs(const toml::node& value) const;
  bool check_rows(const toml::node& value) const;
  bool check_table_or_tables(const toml::node& value) const;
  bool check_tables(const toml::node& value) const;
  bool unexpected(const toml::node& value) const;
  void add(const toml::source_region& source, std::string message) const {
    mistakes_.push_back({place_of(source), std::move(message)});
  }

  const KeyDescription& row_;
  const Formula::Of of_;
  const std::string& heading_;
  const FormulaTables* tables_;
  std::vector<Mistake>& mistakes_;
};

bool ValueCheck::passes(const toml::node& value) const {
  switch (row_.type) {
    case ValueType::text:
      return value.is_string() || unexpected(value);
    case ValueType::flag:
      return value.is_boolean() || unexpected(value);
    case ValueType::word:
      return check_word(value);
    case ValueType::integer:
      return value.is_integer() ? check_number(value) : unexpected(value);
    case ValueType::number:
      return check_number(value);
    case ValueType::formula:
    case ValueType::drive:
      return check_formula(value);
    case ValueType::coefficient:
      return value.is_string() ? check_formula(value) : check_number(value);
    case ValueType::vector:
      return check_numbers(value, 2, 3);
    case ValueType::triple:
      return check_numbers(value, 3, 3);
    case ValueType::direction:
      return check_numbers(value, 2, 3) && check_not_zero(value);
    case ValueType::quaternion:
      return check_numbers(value, 4, 4) && check_not_zero(value);
    case ValueType::points:
      return check_points(value);
    case ValueType::point_or_points:
      return is_list_of_numbers(value) ? check_numbers(value, 2, 3) : check_points(value);
    case ValueType::pairs:
      return check_pairs(value);
    case ValueType::rows:
      return check_rows(value);
    case ValueType::inertia:
      return check_inertia(value);
    case ValueType::formulas:
      return check_formulas(value);
    case ValueType::torque:
      return value.is_array() ? check_formulas(value) : check_formula(value);
    case ValueType::numbers:
      return check_numbers(value, 0, std::string::npos);
    case ValueType::texts:
      return check_texts(value);
    case ValueType::table:
      return value.is_table() || unexpected(value);
    case ValueType::table_or_tables:
      return check_table_or_tables(value);
    case ValueType::table_one:
    case ValueType::tables:
      return check_tables(value);
    case ValueType::parameters:
      return value.is_table() || unexpected(value);
  }
  return false;
}

bool ValueCheck::check_word(const toml::node& value) const {
  if (!value.is_string()) return unexpected(value);
  const std::string word = **value.as_string();
  if (std::find(row_.words.begin(), row_.words.end(), word) != row_.words.end()) return true;
  const std::string hint = did_you_mean(word, row_.words);
  add(value.source(),
      fmt::format("unknown {} {} in {}{}", row_.name, in_quotes(word), heading_,
                  hint.empty() ? fmt::format("; expected one of {}", expected_value(row_)) : hint));
  return false;
}

bool ValueCheck::check_texts(const toml::node& value) const {
  const toml::array* list = value.as_array();
  if (list == nullptr) return unexpected(value);
  for (const toml::node& entry : *list) {
    if (!entry.is_string()) return unexpected(entry);
  }
  return true;
}

bool ValueCheck::check_not_zero(const toml::node& value) const {
  const toml::array& list = *value.as_array();
  const bool zero = std::all_of(list.begin(), list.end(),
                                [](const toml::node& n) { return as_number(n) == 0.0; });
  if (zero) add(value.source(), fmt::format("'{}' must not be zero", row_.name));
  return !zero;
}

bool ValueCheck::unexpected(const toml::node& value) const {
  add(value.source(),
      fmt::format("'{}': expected {}, found {}", row_.name, expected_value(row_), found(value)));
  return false;
}

bool ValueCheck::check_number(const toml::node& value) const {
  if (!value.is_number()) return unexpected(value);
  const auto wrong = complaint_about(row_.name, as_number(value), row_.range, expected_value(row_));
  if (wrong) add(value.source(), *wrong);
  return !wrong;
}

bool ValueCheck::check_numbers(const toml::node& value, std::size_t min, std::size_t max) const {
  const toml::array* list = value.as_array();
  if (list == nullptr || list->size() < min || list->size() > max) return unexpected(value);
  for (const toml::node& entry : *list) {
    if (!check_number(entry)) return false;
  }
  return true;
}

bool ValueCheck::check_formula(const toml::node& value) const {
  if (value.is_number()) return check_number(value);
  if (!value.is_string()) return unexpected(value);
  try {
    const Formula formula(**value.as_string(), of_, tables_);
    return true;
  } catch (const std::invalid_argument& error) {
    add(value.source(), fmt::format("'{}': {} is not a formula in {}: {}", row_.name,
                                    in_quotes(**value.as_string()),
                                    of_ == Formula::Of::speed ? "v" : "t", error.what()));
    return false;
  }
}

bool ValueCheck::check_formulas(const toml::node& value) const {
  const toml::array* list = value.as_array();
  if (list == nullptr || list->size() < 2 || list->size() > 3) return unexpected(value);
  bool good = true;
  for (const toml::node& entry : *list) good = check_formula(entry) && good;
  return good;
}

bool ValueCheck::check_inertia(const toml::node& value) const {
  const toml::array* list = value.as_array();
  if (list == nullptr || list->size() != 3) return unexpected(value);
  if (!list->front().is_array()) return check_numbers(value, 3, 3);
  for (const toml::node& entry : *list) {
    if (!check_numbers(entry, 3, 3)) return false;
  }
  return true;
}

bool ValueCheck::check_points(const toml::node& value) const {
  const toml::array* list = value.as_array();
  if (list == nullptr || list->empty()) return unexpected(value);
  for (const toml::node& entry : *list) {
    if (!check_numbers(entry, 2, 3)) return false;
  }
  return true;
}

bool ValueCheck::check_pairs(const toml::node& value) const {
  const toml::array* list = value.as_array();
  if (list == nullptr || list->size() < 2) return unexpected(value);
  for (const toml::node& entry : *list) {
    if (!check_numbers(entry, 2, 2)) return false;
  }
  return true;
}

bool ValueCheck::check_rows(const toml::node& value) const {
  const toml::array* list = value.as_array();
  if (list == nullptr || list->size() < 2) return unexpected(value);
  for (const toml::node& entry : *list) {
    const toml::array* row = entry.as_array();
    if (!check_numbers(entry, 2, std::string::npos)) return false;
    if (row->size() == list->front().as_array()->size()) continue;
    add(entry.source(), fmt::format("'{}': the first row has {} numbers, this one {}", row_.name,
                                    list->front().as_array()->size(), row->size()));
    return false;
  }
  return true;
}

bool ValueCheck::check_table_or_tables(const toml::node& value) const {
  if (value.is_table()) return true;
  const toml::array* list = value.as_array();
  if (list == nullptr || list->empty()) return unexpected(value);
  for (const toml::node& entry : *list) {
    if (!entry.is_table()) return unexpected(entry);
  }
  return true;
}

bool ValueCheck::check_tables(const toml::node& value) const {
  const std::string& heading = model_table(row_.table).heading;
  if (row_.type == ValueType::table_one) {
    if (value.is_table()) return true;
    add(value.source(), fmt::format("'{}' must be a table: write {} once", row_.name, heading));
    return false;
  }
  const toml::array* list = value.as_array();
  const bool good = list != nullptr && std::all_of(list->begin(), list->end(),
                                                   [](const auto& n) { return n.is_table(); });
  if (!good) {
    add(value.source(), fmt::format("'{}' must be a list of tables: write {}, with two brackets, "
                                    "before each of them",
                                    row_.name, heading));
  }
  return good;
}

}  // namespace

bool check_value(const KeyDescription& row, const toml::node& value, const std::string& heading,
                 const FormulaTables* tables, std::vector<Mistake>& mistakes) {
  return ValueCheck(row, heading, tables, mistakes).passes(value);
}

std::string expected_value(const KeyDescription& row) {
  if (row.type == ValueType::table || row.type == ValueType::table_or_tables) {
    std::vector<std::string> keys;
    for (const KeyDescription& key : model_table(row.table).keys) {
      if (std::find(keys.begin(), keys.end(), key.name) == keys.end()) keys.push_back(key.name);
    }
    return fmt::format("a table{} with keys out of {}",
                       row.type == ValueType::table ? "" : " or a list of tables",
                       fmt::join(keys, ", "));
  }
  std::string text = row.expected();
  std::erase(text, '`');
  return text;
}

}  // namespace clatter
