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

/// The table `recover`, with its keys as "recover.law" and so on.
RecoverySpec read_recovery(const TomlTable& table, KeyPlaces& keys);

ContactReading read_contacts(const std::vector<TomlTable>& tables, const NamedBodies& bodies);

}  // namespace clatter
