#define TOML_IMPLEMENTATION
#include <clatter/io/toml.hpp>

namespace clatter {

void toml_failure(const char* condition) { throw TomlFailure(condition); }

}  // namespace clatter
