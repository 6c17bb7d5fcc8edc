#include <cstdint>

#include <clatter/io/base64.hpp>

namespace clatter {

std::string base64(const void* bytes, std::size_t size) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* in = static_cast<const unsigned char*>(bytes);
  std::string text((size + 2) / 3 * 4, '=');
  char* out = text.data();
  const std::size_t whole = size / 3 * 3;
  for (std::size_t i = 0; i < whole; i += 3) {
    const std::uint32_t group =
        std::uint32_t{in[i]} << 16 | std::uint32_t{in[i + 1]} << 8 | std::uint32_t{in[i + 2]};
    *out++ = digits[group >> 18];
    *out++ = digits[group >> 12 & 63];
    *out++ = digits[group >> 6 & 63];
    *out++ = digits[group & 63];
  }
  if (whole == size) return text;
  const bool has_two = size - whole == 2;
  const std::uint32_t group =
      std::uint32_t{in[whole]} << 16 | (has_two ? std::uint32_t{in[whole + 1]} << 8 : 0U);
  *out++ = digits[group >> 18];
  *out++ = digits[group >> 12 & 63];
  if (has_two) *out = digits[group >> 6 & 63];
  return text;
}

}  // namespace clatter
