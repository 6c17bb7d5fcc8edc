#pragma once

#include <optional>
#include <vector>

#include <clatter/model/beam_mesh.hpp>
#include <clatter/io/body_reader.hpp>
#include <clatter/io/toml_table.hpp>
#include <clatter/model/model.hpp>

namespace clatter {

struct BeamReading {
  BeamSpec spec;
  bool kind_is_known = true;
  /// Absent when mistakes leave open where the nodes are.
  std::optional<BeamMesh> mesh;
};

/// The bodies are those of the same model: names of beams and of their nodes must differ from
/// theirs.
std::vector<BeamReading> read_beams(const std::vector<TomlTable>& tables,
                                    const std::vector<BodyReading>& bodies);

}  // namespace clatter
