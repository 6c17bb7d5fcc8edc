#pragma once

#include <filesystem>

namespace clatter {

/// The folder of the project, which tests find files in.
std::filesystem::path source_folder();

}  // namespace clatter
