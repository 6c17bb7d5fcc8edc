#pragma once

#include <optional>
#include <vector>

#include <clatter/io/toml_table.hpp>
#include <clatter/model/beam_mesh.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

struct BeamReading {
  BeamSpec spec;
  /// Absent when mistakes leave open where the nodes are.
  std::optional<BeamMesh> mesh;
};

std::vector<BeamReading> read_beams(const std::vector<TomlTable>& tables);

}  // namespace clatter
