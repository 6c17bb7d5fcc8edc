#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/parameters.hpp>
#include <clatter/io/toml_value.hpp>
#include <clatter/math/formula.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

constexpr std::string_view table_name = "parameters";

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_name(std::string_view text) {
  if (text.empty() || !begins_name(text[0])) return false;
  for (const char c : text) {
    if (!continues_name(c)) return false;
  }
  return true;
}

/// What follows the "=" of a text that begins with one.
std::optional<std::string_view> formula_in(const toml::node& value) {
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = **value.as_string();
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos || text[first] != '=') return std::nullopt;
  return text.substr(first + 1);
}

/// A node with that value at the place of another; only what was read from a file has a place.
toml::array value_at(const toml::source_region& source, const std::string& value) {
  const auto at = [](auto position) { return position > 1 ? std::size_t{position} - 1 : 0; };
  const std::string text = "v=[" + std::string(at(source.begin.line), '\n') +
                           std::string(at(source.begin.column), ' ') + value + "]";
  toml::table document = toml::parse(text, source.path ? *source.path : std::string());
  return std::move(*document.get("v")->as_array());
}

std::string literal_of(double value) {
  const bool is_whole = value == std::floor(value) && std::abs(value) < 9e15;
  return is_whole ? fmt::format("{}", static_cast<long long>(value)) : fmt::format("{}", value);
}

std::string literal_of(const std::string& formula) {
  std::string text = "\"";
  for (const char c : formula) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + '"';
}

class Parameters {
 public:
  /// `functions`: names by which formulas call tables.
  Parameters(const toml::table* table, std::set<std::string, std::less<>> functions,
             std::vector<Mistake>& mistakes)
      : table_(table), functions_(std::move(functions)), mistakes_(mistakes) {}

  /// All of them, so that what nobody uses is right, too.
  void find_all() {
    if (table_ == nullptr) return;
    for (auto&& [key, value] : *table_) {
      const std::string name(key.str());
      if (!is_name(name)) {
        refuse(key.source(),
               fmt::format("{} cannot be the name of a parameter: use letters, digits "
                           "and _, and begin with a letter",
                           in_quotes(name)));
      } else if (Formula::knows(name) || functions_.contains(name)) {
        refuse(key.source(), fmt::format("{} means something else in formulas; choose another name "
                                         "for the parameter",
                                         in_quotes(name)));
      } else {
        find(name);
      }
    }
  }

  void replace_in(toml::table& table) {
    std::vector<std::pair<std::string, toml::array>> found;
    for (auto&& [key, value] : table) {
      if (descend(value)) continue;
      if (std::optional<toml::array> other = replacement(value)) {
        found.emplace_back(key.str(), std::move(*other));
      }
    }
    for (auto& [key, other] : found) {
      // The key keeps its place, and a value that is moved too.
      const toml::key named = table.find(key)->first;
      table.erase(key);
      other.get(0)->visit([&](auto& value) { table.insert(named, std::move(value)); });
    }
  }

 private:
  bool descend(toml::node& value) {
    if (toml::table* inner = value.as_table()) {
      replace_in(*inner);
    } else if (toml::array* list = value.as_array()) {
      replace_in(*list);
    } else {
      return false;
    }
    return true;
  }

  void replace_in(toml::array& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (descend(*list.get(i))) continue;
      if (std::optional<toml::array> other = replacement(*list.get(i))) {
        const auto place = list.cbegin() + static_cast<std::ptrdiff_t>(i);
        other->get(0)->visit([&](auto& value) { list.replace(place, std::move(value)); });
      }
    }
  }

  std::optional<toml::array> replacement(const toml::node& value) {
    const std::optional<std::string_view> formula = formula_in(value);
    if (!formula) return std::nullopt;
    const std::optional<Result> result = evaluate(*formula, value.source());
    if (!result) return std::nullopt;
    return value_at(value.source(), result->formula.empty() ? literal_of(result->number)
                                                            : literal_of(result->formula));
  }

  struct Result {
    double number = 0.0;
    std::string formula = {};  // where it depends on t or on quantities of the run
  };

  /// What a formula is made of besides numbers.
  struct Parts {
    bool time = false, tables = false, quantities = false;
  };

  /// Nothing when it is wrong, which has been said then.
  std::optional<Result> evaluate(std::string_view text, const toml::source_region& source) {
    Parts parts;
    const std::optional<std::string> resolved = resolve(text, source, parts);
    if (!resolved) return std::nullopt;
    if (parts.tables) return Result{0.0, *resolved};  // whoever has the tables looks at it
    try {
      const Formula formula(*resolved, Formula::Of::quantities);
      if (parts.time || parts.quantities) return Result{0.0, *resolved};
      const double value = formula(0.0);
      if (std::isfinite(value)) return Result{value};
      refuse(source, fmt::format("the formula {} gives {}", in_quotes(text), value));
    } catch (const std::invalid_argument& error) {
      refuse(source, fmt::format("the formula {} is wrong: {}{}", in_quotes(text), error.what(),
                                 *resolved == text ? "" : " of " + in_quotes(*resolved)));
    }
    return std::nullopt;
  }

  /// The formula with numbers for its parameters.
  std::optional<std::string> resolve(std::string_view text, const toml::source_region& source,
                                     Parts& parts) {
    std::string resolved;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i + 1;
      if (double number = 0.0; std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
        // With its exponent, whose "e" is no name.
        const auto read = std::from_chars(text.data() + i, text.data() + text.size(), number);
        end = static_cast<std::size_t>(read.ptr - text.data());
      } else if (const std::size_t path = Formula::length_of_path(text.substr(i)); path > 0) {
        end = i + path;
        parts.quantities = true;
      } else if (begins_name(text[i])) {
        while (end < text.size() && continues_name(text[end])) ++end;
        const std::string name(text.substr(i, end - i));
        if (functions_.contains(name)) {
          parts.tables = true;
        } else if (!Formula::knows(name)) {
          const std::optional<double> value = value_of(name, source);
          if (!value) return std::nullopt;
          resolved += fmt::format("({})", *value);
          i = end;
          continue;
        }
        parts.time = parts.time || name == "t";
      }
      resolved += text.substr(i, end - i);
      i = end;
    }
    return resolved;
  }

  std::optional<double> value_of(const std::string& name, const toml::source_region& source) {
    if (table_ == nullptr || !table_->contains(name)) {
      std::vector<std::string> known;
      if (table_ != nullptr) {
        for (auto&& [key, value] : *table_) known.emplace_back(key.str());
      }
      refuse(source,
             fmt::format("unknown parameter {}{}", in_quotes(name), did_you_mean(name, known)));
      return std::nullopt;
    }
    return find(name);
  }

  std::optional<double> find(const std::string& name) {
    const auto known = values_.find(name);
    if (known != values_.end()) {
      if (known->second.is_open) {
        refuse(table_->get(name)->source(),
               fmt::format("the parameter {} depends on itself", in_quotes(name)));
        known->second.is_open = false;
      }
      return known->second.value;
    }
    Value& entry = values_[name];
    const toml::node& value = *table_->get(name);
    if (value.is_number() && std::isfinite(as_number(value))) {
      entry.value = as_number(value);
    } else if (value.is_string()) {
      entry.is_open = true;
      const std::string_view text = formula_in(value).value_or(**value.as_string());
      const std::optional<Result> result = evaluate(text, value.source());
      entry.is_open = false;
      if (result && !result->formula.empty()) {
        refuse(value.source(),
               fmt::format("the parameter {} depends on t, a table or a quantity; use a formula "
                           "where such a function is expected",
                           in_quotes(name)));
      } else if (result) {
        entry.value = result->number;
      }
    } else {
      refuse(value.source(),
             fmt::format("the parameter {} must be a number or a formula", in_quotes(name)));
    }
    return entry.value;
  }

  void refuse(const toml::source_region& source, std::string message) {
    mistakes_.push_back({place_of(source), std::move(message)});
  }

  struct Value {
    std::optional<double> value;
    bool is_open = false;  // being found
  };

  const toml::table* table_;
  std::set<std::string, std::less<>> functions_;
  std::vector<Mistake>& mistakes_;
  std::map<std::string, Value> values_;
};

std::set<std::string, std::less<>> names_of_tables(const toml::table& model) {
  std::set<std::string, std::less<>> names;
  const toml::array* list = model["table"].as_array();
  if (list == nullptr) return names;
  for (const toml::node& each : *list) {
    const toml::table* table = each.as_table();
    if (table == nullptr) continue;
    if (const auto name = (*table)["name"].value<std::string>()) names.insert(*name);
  }
  return names;
}

}  // namespace

void apply_parameters(toml::table& model, std::vector<Mistake>& mistakes) {
  const toml::node* given = model.get(table_name);
  if (given != nullptr && !given->is_table()) return;  // the reader says so
  Parameters parameters(given == nullptr ? nullptr : given->as_table(), names_of_tables(model),
                        mistakes);
  parameters.find_all();
  parameters.replace_in(model);
}

}  // namespace clatter
