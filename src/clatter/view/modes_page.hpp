#pragma once

#include <filesystem>
#include <string>

namespace clatter {

/// Whether results are those of `clatter modes`.
bool has_modes(const std::filesystem::path& directory);

/// The same for a page as the results of a run (page_data.hpp), with so many frames of each mode as
/// `modes` of the description says: one vibration each, one mode after the other, with the number
/// of the mode for the time at its start.
std::string page_of_modes(const std::filesystem::path& directory);

}  // namespace clatter
