#pragma once

#include <cstddef>
#include <string>

namespace clatter {

/// Adds the bytes to a text, encoded as in RFC 4648, with padding.
void add_base64(std::string& text, const void* bytes, std::size_t size);

}  // namespace clatter
