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

/// `recover` and `compliance` of a contact, or of what becomes one.
void read_force_laws(const TomlTable& table, ContactSpec& contact);

ContactReading read_contacts(const std::vector<TomlTable>& tables, const NamedBodies& bodies);

}  // namespace clatter
