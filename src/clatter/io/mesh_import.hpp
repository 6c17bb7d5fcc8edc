#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <clatter/model/specs.hpp>

namespace clatter {

/// Whether files with such an extension, in small letters and with its dot, are read by
/// import_mesh().
bool can_import(const std::string& extension);

/// All faces of a PLY, OFF, glTF, COLLADA or 3MF file by the Open Asset Import Library, placed as
/// its scene places them. Points with equal coordinates become one; nothing else is changed or left
/// out. What is wrong is returned in words, or nothing.
std::optional<std::string> import_mesh(const std::filesystem::path& path,
                                       const std::string& extension, MeshShape& mesh);

}  // namespace clatter
