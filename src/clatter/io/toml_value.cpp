#include <string>
#include <utility>

#include <clatter/io/toml_value.hpp>

namespace clatter {

double as_number(const toml::node& value) {
  if (value.is_integer()) return static_cast<double>(**value.as_integer());
  return **value.as_floating_point();
}

Place place_of(const toml::source_region& source) {
  std::string file = source.path ? *source.path : std::string();
  if (file.starts_with(override_source)) return {std::move(file), 0, 0};
  return {std::move(file), static_cast<int>(source.begin.line),
          static_cast<int>(source.begin.column)};
}

}  // namespace clatter
