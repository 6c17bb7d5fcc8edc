#pragma once

#include <cstddef>
#include <string>

namespace clatter {

/// RFC 4648, with padding.
std::string base64(const void* bytes, std::size_t size);

}  // namespace clatter
