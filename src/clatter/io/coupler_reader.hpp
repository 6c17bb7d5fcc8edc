#pragma once

#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// Couplers with play are two contacts, the stops of their sums.
struct CouplerReading {
  std::vector<CouplerSpec> couplers;
  std::vector<ContactSpec> contacts;
};

CouplerReading read_couplers(const std::vector<TomlTable>& tables);

}  // namespace clatter
