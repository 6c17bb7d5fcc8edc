#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

struct ContactReading {
  std::vector<ContactSpec> contacts;
  std::vector<ContactGroupSpec> groups;
};

ContactReading read_contacts(const std::vector<TomlTable>& tables, const NamedBodies& bodies);

}  // namespace clatter
