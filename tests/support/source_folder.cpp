#include <support/source_folder.hpp>

namespace clatter {

std::filesystem::path source_folder() { return CLATTER_SOURCE_DIR; }

}  // namespace clatter
