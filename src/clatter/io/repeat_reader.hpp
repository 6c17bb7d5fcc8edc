#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// The copies of a body that its table `repeat` asks for, named after it and numbered.
/// `by_density`: its mass is that of its shapes and a density, so that those of other sizes have
/// theirs.
std::vector<BodySpec> read_copies(const TomlTable& repeat, const BodySpec& body, bool by_density);

}  // namespace clatter
