#include <algorithm>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/toml_table.hpp>
#include <clatter/io/value_check.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

// A value that has been checked.
Expression expression_of(const toml::node& value, const FormulaTables* tables) {
  return value.is_number() ? Expression(as_number(value)) : Expression(**value.as_string(), tables);
}

KeyPlaces::Spot spot_of(const toml::node& value) {
  const Place place = place_of(value.source());
  return {place.line, place.column};
}

std::string with_article(const std::string& words) {
  const bool vowel =
      !words.empty() && std::string_view("aeiou").find(words[0]) != std::string::npos;
  return (vowel ? "an " : "a ") + words;
}

}  // namespace

Vec3 unit(const Vec3& v) {
  const Vec3 scaled = v / v.cwiseAbs().maxCoeff();
  return scaled.normalized();
}

TomlTable::TomlTable(const toml::table& table, const TableDescription& description,
                     std::vector<Mistake>& mistakes, const FormulaTables* formula_tables)
    : table_(&table),
      description_(&description),
      mistakes_(&mistakes),
      formula_tables_(formula_tables) {
  find_kind();
  check_keys();
}

void TomlTable::find_kind() {
  if (description_->kind_key.empty()) return;
  const std::vector<std::string> kinds = description_->kinds();
  kind_ = description_->default_kind();
  if (const toml::node* value = table_->get(description_->kind_key)) {
    kind_ = value->value<std::string>().value_or("");
    if (std::find(kinds.begin(), kinds.end(), kind_) == kinds.end()) kind_.clear();
  }
  kind_is_known_ = !kind_.empty();
}

void TomlTable::check_keys() {
  for (auto&& [key, value] : *table_) {
    const std::string name(key.str());
    const KeyDescription* row = description_->find(name, kind_);
    if (row == nullptr) {
      unusable_.insert(name);
      if (description_->find(name, "") != nullptr) {
        add(key.source(), fmt::format("'{}' has no meaning for {}", name,
                                      with_article(kind_ + " " + description_->noun)));
        continue;
      }
      std::vector<std::string> known;
      for (const KeyDescription& candidate : description_->keys) {
        if (candidate.applies_to(kind_)) known.push_back(candidate.name);
      }
      add(key.source(), fmt::format("unknown key {} in {}{}", in_quotes(name),
                                    description_->heading, did_you_mean(name, known)));
      continue;
    }
    // Without a kind it is not known which row of the description counts.
    const bool ambiguous = !kind_is_known_ && !row->kinds.empty();
    if (ambiguous ||
        !check_value(*row, value, description_->heading, formula_tables_, *mistakes_)) {
      unusable_.insert(name);
    }
  }
  for (const KeyDescription& row : description_->keys) {
    const bool applies = kind_is_known_ ? row.applies_to(kind_) : row.kinds.empty();
    if (!row.required() || !applies || has(row.name)) continue;
    const std::string in =
        description_->name.empty() ? "" : fmt::format(" in {}", description_->heading);
    add(table_->source(),
        fmt::format("missing key '{}'{}: expected {}{}", row.name, in, expected_value(row),
                    row.unit.empty() ? "" : fmt::format(" [{}]", row.unit)));
  }
}

void TomlTable::add(const toml::source_region& source, std::string message) const {
  mistakes_->push_back({place_of(source), std::move(message)});
}

KeyPlaces TomlTable::key_places() const {
  KeyPlaces places(place().file);
  for (auto&& [key, value] : *table_) {
    KeyPlaces::Key entry;
    entry.name = key.str();
    const Place of_value = place_of(value.source()), of_key = place_of(key.source());
    if (of_value.file.starts_with(override_source)) entry.override_name = of_value.file;
    entry.value = {of_value.line, of_value.column};
    entry.key = {of_key.line, of_key.column};
    entry.is_doubtful = unusable_.contains(entry.name);
    const toml::array* list = value.as_array();
    const bool is_long = list != nullptr && !list->empty() && list->front().is_table();
    for (std::size_t i = 0; list != nullptr && !is_long && i < list->size(); ++i) {
      entry.entries.push_back(spot_of(*list->get(i)));
      const toml::array* vector = list->get(i)->as_array();
      for (std::size_t j = 0; vector != nullptr && j < 3; ++j) {
        entry.components.push_back(j < vector->size() ? spot_of(*vector->get(j))
                                                      : KeyPlaces::Spot{});
      }
    }
    places.add(std::move(entry));
  }
  for (const KeyDescription& row : description_->keys) {
    const bool applies = kind_is_known_ ? row.applies_to(kind_) : row.kinds.empty();
    if (row.required() && applies && !has(row.name)) places.doubt(row.name);
  }
  return places;
}

bool TomlTable::has(std::string_view key) const { return table_->contains(key); }

bool TomlTable::has_usable(std::string_view key) const { return usable(key) != nullptr; }

Place TomlTable::place() const { return place_of(table_->source()); }

Place TomlTable::place(std::string_view key) const {
  const toml::node* value = table_->get(key);
  return value == nullptr ? place() : place_of(value->source());
}

void TomlTable::refuse(std::string_view key, std::string message) const {
  mistakes_->push_back({place(key), std::move(message)});
}

void TomlTable::refuse_key(std::string_view key, std::string message) const {
  const auto found_key = table_->find(key);
  if (found_key == table_->end()) return refuse_table(std::move(message));
  add(found_key->first.source(), std::move(message));
}

void TomlTable::refuse_at(Place place, std::string message) const {
  mistakes_->push_back({std::move(place), std::move(message)});
}

void TomlTable::refuse_table(std::string message) const {
  mistakes_->push_back({place(), std::move(message)});
}

void TomlTable::refuse_together(std::string_view key, std::string_view other) const {
  if (!has_usable(key) || !has_usable(other)) return;
  refuse_key(key, fmt::format("'{}' conflicts with '{}': give one of them", key, other));
}

const toml::node* TomlTable::usable(std::string_view key) const {
  return unusable_.contains(key) ? nullptr : table_->get(key);
}

std::optional<std::string> TomlTable::text(std::string_view key) const {
  const toml::node* value = usable(key);
  return value == nullptr ? std::nullopt : value->value<std::string>();
}

std::optional<bool> TomlTable::flag(std::string_view key) const {
  const toml::node* value = usable(key);
  return value == nullptr ? std::nullopt : value->value<bool>();
}

std::optional<int> TomlTable::integer(std::string_view key) const {
  const toml::node* value = usable(key);
  return value == nullptr ? std::nullopt : value->value<int>();
}

std::optional<double> TomlTable::number(std::string_view key) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  return as_number(*value);
}

std::optional<double> TomlTable::angle(std::string_view key) const {
  const std::string degrees_key = fmt::format("{}_deg", key);
  refuse_together(degrees_key, key);
  if (const std::optional<double> radians = number(key)) return radians;
  const std::optional<double> degrees = number(degrees_key);
  if (!degrees) return std::nullopt;
  return *degrees * (std::numbers::pi / 180.0);
}

std::optional<Expression> TomlTable::formula(std::string_view key) const {
  const toml::node* value = usable(key);
  return value == nullptr ? std::nullopt : std::optional(expression_of(*value, formula_tables_));
}

std::optional<Formula> TomlTable::drive(std::string_view key) const {
  const std::optional<std::string> text = formula_text(key);
  if (!text) return std::nullopt;
  return Formula(*text, Formula::Of::quantities, formula_tables_);
}

bool TomlTable::is_text(std::string_view key) const {
  const toml::node* value = usable(key);
  return value != nullptr && value->is_string();
}

std::shared_ptr<const Formula> TomlTable::of_speed(const std::string& text) const {
  return std::make_shared<const Formula>(text, Formula::Of::speed, formula_tables_);
}

std::optional<std::string> TomlTable::formula_text(std::string_view key) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  return value->is_string() ? **value->as_string() : fmt::format("{}", as_number(*value));
}

bool TomlTable::check_dimension(std::string_view key, const toml::array& value,
                                Dimension dimension) const {
  if (dimension == Dimension::three && value.size() == 2) {
    add(value.source(),
        fmt::format("'{}': expected [x, y, z]; [x, y] is for planar bodies only", key));
    return false;
  }
  if (dimension == Dimension::two && value.size() == 3) {
    const toml::node& z = *value.get(2);
    if (z.is_number() && as_number(z) == 0.0) return true;
    add(z.source(),
        fmt::format("'{}': planar bodies stay in the x-y plane, so the z component must "
                    "be 0 or left out",
                    key));
    return false;
  }
  return true;
}

std::optional<Vec3> TomlTable::vector_of(std::string_view key, const toml::array& value,
                                         Dimension dimension) const {
  if (!check_dimension(key, value, dimension)) return std::nullopt;
  Vec3 vector = Vec3::Zero();
  for (std::size_t i = 0; i < value.size(); ++i) {
    vector[static_cast<Eigen::Index>(i)] = as_number(*value.get(i));
  }
  return vector;
}

std::optional<Vec3> TomlTable::vector(std::string_view key, Dimension dimension) const {
  const toml::node* value = usable(key);
  return value == nullptr ? std::nullopt : vector_of(key, *value->as_array(), dimension);
}

std::optional<Vec3> TomlTable::direction(std::string_view key, Dimension dimension) const {
  const std::optional<Vec3> along = vector(key, dimension);
  if (!along) return std::nullopt;
  return unit(*along);
}

std::optional<Quaternion> TomlTable::quaternion(std::string_view key) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  const toml::array& list = *value->as_array();
  Eigen::Vector4d wxyz;
  for (std::size_t i = 0; i < 4; ++i) wxyz[static_cast<Eigen::Index>(i)] = as_number(*list.get(i));
  wxyz /= wxyz.cwiseAbs().maxCoeff();
  return Quaternion(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).normalized();
}

bool TomlTable::is_single_point(std::string_view key) const {
  const toml::node* value = usable(key);
  return value == nullptr || !value->is_array() || value->as_array()->front().is_number();
}

std::optional<std::vector<Vec3>> TomlTable::points(std::string_view key,
                                                   Dimension dimension) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  const toml::array& list = *value->as_array();
  if (is_single_point(key)) {
    const std::optional<Vec3> point = vector_of(key, list, dimension);
    if (!point) return std::nullopt;
    return std::vector<Vec3>{*point};
  }
  std::vector<Vec3> points;
  for (const toml::node& entry : list) {
    const std::optional<Vec3> point = vector_of(key, *entry.as_array(), dimension);
    if (!point) return std::nullopt;
    points.push_back(*point);
  }
  return points;
}

std::optional<std::vector<std::vector<double>>> TomlTable::rows(std::string_view key) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  std::vector<std::vector<double>> rows;
  for (const toml::node& row : *value->as_array()) {
    std::vector<double>& numbers = rows.emplace_back();
    for (const toml::node& entry : *row.as_array()) numbers.push_back(as_number(entry));
  }
  return rows;
}

std::optional<Mat3> TomlTable::inertia(std::string_view key) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  const toml::array& list = *value->as_array();
  Mat3 matrix = Mat3::Zero();
  for (int i = 0; i < 3; ++i) {
    const toml::node& row = *list.get(static_cast<std::size_t>(i));
    if (!row.is_array()) {
      matrix(i, i) = as_number(row);
      continue;
    }
    for (int j = 0; j < 3; ++j) {
      matrix(i, j) = as_number(*row.as_array()->get(static_cast<std::size_t>(j)));
    }
  }
  return matrix;
}

std::optional<std::array<Expression, 3>> TomlTable::formulas(std::string_view key,
                                                             Dimension dimension) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  const toml::array& list = *value->as_array();
  if (!check_dimension(key, list, dimension)) return std::nullopt;
  std::array<Expression, 3> components;
  for (std::size_t i = 0; i < list.size(); ++i)
    components[i] = expression_of(*list.get(i), formula_tables_);
  return components;
}

bool TomlTable::is_list(std::string_view key) const {
  const toml::node* value = usable(key);
  return value != nullptr && value->is_array();
}

std::optional<std::vector<double>> TomlTable::numbers(std::string_view key) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  std::vector<double> numbers;
  for (const toml::node& entry : *value->as_array()) numbers.push_back(as_number(entry));
  return numbers;
}

std::optional<std::vector<Eigen::Vector2d>> TomlTable::pairs(std::string_view key) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  std::vector<Eigen::Vector2d> pairs;
  for (const toml::node& entry : *value->as_array()) {
    const toml::array& pair = *entry.as_array();
    pairs.emplace_back(as_number(*pair.get(0)), as_number(*pair.get(1)));
  }
  return pairs;
}

std::optional<std::vector<std::string>> TomlTable::texts(std::string_view key) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const toml::node& entry : *value->as_array()) texts.push_back(**entry.as_string());
  return texts;
}

Place TomlTable::entry_place(std::string_view key, std::size_t index) const {
  const toml::node* value = usable(key);
  if (value == nullptr || !value->is_array()) return place(key);
  const toml::node* entry = value->as_array()->get(index);
  return entry == nullptr ? place(key) : place_of(entry->source());
}

std::optional<TomlTable> TomlTable::table(std::string_view key) const {
  const toml::node* value = usable(key);
  if (value == nullptr) return std::nullopt;
  const KeyDescription* row = description_->find(key, kind_);
  return TomlTable(*value->as_table(), model_table(row->table), *mistakes_, formula_tables_);
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) const {
  std::vector<TomlTable> tables;
  const toml::node* value = usable(key);
  if (value == nullptr) return tables;
  const KeyDescription* row = description_->find(key, kind_);
  if (value->is_table()) return {*table(key)};
  for (const toml::node& entry : *value->as_array()) {
    tables.emplace_back(*entry.as_table(), model_table(row->table), *mistakes_, formula_tables_);
  }
  return tables;
}

}  // namespace clatter
