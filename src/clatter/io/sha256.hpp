#pragma once

#include <string>
#include <string_view>

namespace clatter {

/// SHA-256 (FIPS 180-4) of the bytes, as 64 hexadecimal digits. Names a model file in results, so
/// that a result can be traced to exactly the input that made it.
std::string sha256(std::string_view bytes);

}  // namespace clatter
