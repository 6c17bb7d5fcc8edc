#pragma once

#include <filesystem>
#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

struct ShapeReading {
  std::vector<PlacedShape> shapes;
  bool all_were_read = true;
};

/// The shapes of a body or of the ground, from its key `shape`. `dimension` is that of their owner,
/// `either` when it is not known; files that they name are in `folder`.
ShapeReading read_shapes(const TomlTable& owner, Dimension dimension,
                         const std::filesystem::path& folder);

}  // namespace clatter
