#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

struct BodyReading {
  BodySpec spec;
  std::string family = {};  ///< name of the table that repeats it, or empty
};

/// Files that bodies name are in `folder`.
std::vector<BodyReading> read_bodies(const std::vector<TomlTable>& tables,
                                     const std::filesystem::path& folder);

}  // namespace clatter
