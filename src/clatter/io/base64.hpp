#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clatter {

/// Adds the bytes to a text, encoded as in RFC 4648, with padding.
void add_base64(std::string& text, const void* bytes, std::size_t size);

/// The bytes of such a text, up to the first letter that is none of it.
std::string from_base64(std::string_view text);

}  // namespace clatter
