#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <clatter/io/model_keys.hpp>
#include <clatter/io/overrides.hpp>
#include <clatter/io/toml_table.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

// toml++ nests a table per dot of a key and takes them down recursively; this keeps them few.
constexpr std::size_t longest_override = 4000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

struct PathAndValue {
  std::vector<std::string> path;
  std::string value;
};

// Splits at dots and at the first equals sign, both outside quotes, which names with dots need.
std::optional<PathAndValue> split(std::string_view text) {
  PathAndValue result;
  std::string segment;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        segment += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '.' || c == '=') {
      result.path.emplace_back(trimmed(segment));
      if (result.path.back().empty()) return std::nullopt;
      segment.clear();
      if (c == '=') {
        result.value = trimmed(text.substr(i + 1));
        if (result.value.empty()) return std::nullopt;
        return result;
      }
    } else {
      segment += c;
    }
  }
  return std::nullopt;
}

// A document with the one key "value", or the reason why there is none.
std::pair<toml::table, std::optional<std::string>> parse_value(const std::string& value,
                                                               const std::string& source) {
  try {
    toml::table document = toml::parse("value = " + value, std::string_view(source));
    if (document.size() == 1) return {std::move(document), std::nullopt};
    return {toml::table(), "expected one value"};
  } catch (const toml::parse_error& error) {
    const bool word = std::string_view("[{\"'").find(value[0]) == std::string_view::npos;
    if (!word) {
      return {toml::table(), fmt::format("the value is not valid TOML: {}", error.description())};
    }
  } catch (const TomlFailure&) {
    return {toml::table(), "the value is not valid TOML"};
  }
  std::string literal = "value = \"";
  for (const char c : value) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  try {
    return {toml::parse(literal + "\"", std::string_view(source)), std::nullopt};
  } catch (const toml::parse_error& error) {
    return {toml::table(), fmt::format("the value is not valid TOML: {}", error.description())};
  }
}

void move_value(toml::table document, toml::table& target, const std::string& key) {
  target.erase(key);
  toml::node& value = *document.get("value");
  // A moved node keeps its source, a copied one does not.
  const toml::key named(key, value.source());
  value.visit([&](auto& typed) { target.insert(named, std::move(typed)); });
}

std::string name_of(const toml::node& element, const std::string& noun, std::size_t index) {
  const toml::table* table = element.as_table();
  if (table == nullptr) return {};
  return (*table)["name"].value<std::string>().value_or(fmt::format("{}{}", noun, index + 1));
}

bool is_table(ValueType type) {
  return type == ValueType::table || type == ValueType::table_one ||
         type == ValueType::table_or_tables;
}

// Walks to the table that holds the last key of the path. With a null table it only checks the
// path.
class Walk {
 public:
  Walk(toml::table* writable, const toml::table* model, std::string source)
      : writable_(writable),
        table_(model),
        description_(&model_table("")),
        source_(std::move(source)) {}

  // Consumes one or, for a list of tables, two segments.
  std::optional<std::string> enter(const std::vector<std::string>& path, std::size_t& i) {
    if (names_are_free_) return fmt::format("'{}' is a number and has no keys", path[i]);
    const KeyDescription* row = description_->find(path[i], "");
    if (row == nullptr) return unknown(path[i]);
    if (row->type == ValueType::parameters) {
      descend(path[i]);
      i += 1;
      names_are_free_ = true;
      return std::nullopt;
    }
    if (row->type == ValueType::tables) {
      if (i + 2 >= path.size()) {
        return fmt::format("say which {0} and which of its keys: {0}.name.key", row->name);
      }
      if (auto wrong = choose(*row, path[i], path[i + 1])) return wrong;
      i += 2;
    } else if (is_table(row->type)) {
      if (table_ != nullptr && (*table_)[path[i]].is_array()) {
        return fmt::format("'{}' is a list here, whose parts have no names; replace it as a whole",
                           row->name);
      }
      descend(path[i]);
      i += 1;
    } else {
      return fmt::format("'{}' is a value and has no keys", row->name);
    }
    description_ = &model_table(row->table);
    return std::nullopt;
  }

  std::optional<std::string> check_last(const std::string& key) const {
    if (names_are_free_) return check_parameter(key);
    const KeyDescription* row = description_->find(key, "");
    if (row == nullptr) return unknown(key);
    if (row->type == ValueType::tables || row->type == ValueType::table_one ||
        row->type == ValueType::parameters) {
      return fmt::format("'{}' cannot be replaced as a whole; address one of its keys", key);
    }
    return std::nullopt;
  }

  toml::table* writable() const { return writable_; }

 private:
  // A parameter that the file does not have would change nothing.
  std::optional<std::string> check_parameter(const std::string& name) const {
    if (table_ != nullptr && table_->contains(name)) return std::nullopt;
    std::vector<std::string> known;
    if (table_ != nullptr) {
      for (auto&& [key, value] : *table_) known.emplace_back(key.str());
    }
    return fmt::format("there is no parameter {}{}", in_quotes(name), did_you_mean(name, known));
  }

  std::string unknown(const std::string& key) const {
    std::vector<std::string> known;
    for (const KeyDescription& row : description_->keys) known.push_back(row.name);
    return fmt::format("unknown key {} in {}{}", in_quotes(key), description_->heading,
                       did_you_mean(key, known));
  }

  std::optional<std::string> choose(const KeyDescription& row, const std::string& key,
                                    const std::string& name) {
    const toml::array* list = table_ == nullptr ? nullptr : (*table_)[key].as_array();
    std::vector<std::string> names;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      names.push_back(name_of(*list->get(i), row.name, i));
      if (names.back() != name) continue;
      table_ = list->get(i)->as_table();
      if (writable_ != nullptr) writable_ = (*writable_)[key].as_array()->get(i)->as_table();
      return std::nullopt;
    }
    return fmt::format("there is no {} {}{}", row.name, in_quotes(name), did_you_mean(name, names));
  }

  void descend(const std::string& key) {
    if (writable_ != nullptr) {
      if (!writable_->contains(key)) move_value(parse_value("{}", source_).first, *writable_, key);
      // Something else than a table stays, for the reader to complain about.
      writable_ = writable_->get(key)->as_table();
      table_ = writable_;
    } else if (table_ != nullptr) {
      table_ = (*table_)[key].as_table();
    }
  }

  toml::table* writable_;
  const toml::table* table_;
  const TableDescription* description_;
  bool names_are_free_ = false;  // in [parameters]
  std::string source_;           // of tables that the file does not have
};

std::optional<std::string> put(toml::table* writable, const toml::table& model,
                               const std::string& text) {
  if (text.size() > longest_override) return "the override is too long";
  const std::optional<PathAndValue> parts = split(text);
  if (!parts) return "expected key.path=value";
  auto [document, wrong_value] = parse_value(parts->value, override_name(text));
  if (wrong_value) return wrong_value;
  Walk walk(writable, &model, override_name(text));
  std::size_t i = 0;
  while (i + 1 < parts->path.size()) {
    if (auto wrong = walk.enter(parts->path, i)) return wrong;
  }
  const std::string& key = parts->path.back();
  if (auto wrong = walk.check_last(key)) return wrong;
  if (walk.writable() == nullptr) return std::nullopt;
  move_value(std::move(document), *walk.writable(), key);
  return std::nullopt;
}

}  // namespace

std::string override_name(std::string_view text) {
  return fmt::format("{}{}", override_source, in_quotes(text));
}

std::optional<std::string> apply_override(toml::table& model, const std::string& text) {
  return put(&model, model, text);
}

std::optional<std::string> check_override(const toml::table& model, const std::string& text) {
  return put(nullptr, model, text);
}

}  // namespace clatter
