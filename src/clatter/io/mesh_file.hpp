#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <clatter/model/specs.hpp>

namespace clatter {

// Triangles out of STL files, text or binary, OBJ files, and those that mesh_import.hpp tells of.
// Points with equal coordinates become one; all else is as in the file. What is wrong is returned
// in words, or nothing.

std::optional<std::string> read_mesh_file(const std::filesystem::path& path, MeshShape& mesh);

/// `bytes` of a file.
std::optional<std::string> parse_stl(std::string_view bytes, MeshShape& mesh);
std::optional<std::string> parse_obj(std::string_view bytes, MeshShape& mesh);

}  // namespace clatter
