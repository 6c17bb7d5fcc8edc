#pragma once

#include <optional>

#include <clatter/io/toml_table.hpp>
#include <clatter/math/types.hpp>

namespace clatter {

/// What a table `orientation` says, in any of its forms.
std::optional<Quaternion> read_orientation(const TomlTable& table);

}  // namespace clatter
