#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

struct BodyReading {
  BodySpec spec;
  std::string family = {};  ///< name of the table that repeats it, or empty
};

std::vector<BodyReading> read_bodies(const std::vector<TomlTable>& tables);

}  // namespace clatter
