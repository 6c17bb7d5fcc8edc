#pragma once

#include <string_view>

#include <clatter/io/toml.hpp>
#include <clatter/model/error.hpp>

namespace clatter {

/// Source name of values that come from an override instead of the file starts with this; they have
/// no line and column.
inline constexpr std::string_view override_source = "override ";

Place place_of(const toml::source_region& source);

/// Of an integer or a floating-point number.
double as_number(const toml::node& value);

}  // namespace clatter
