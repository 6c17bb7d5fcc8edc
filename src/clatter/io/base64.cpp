#include <cstdint>

#include <clatter/io/base64.hpp>

namespace clatter {

std::string base64(const void* bytes, std::size_t size) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* in = static_cast<const unsigned char*>(bytes);
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t left = size - i;
    const std::uint32_t group = std::uint32_t{in[i]} << 16 |
                                std::uint32_t{left > 1 ? in[i + 1] : std::uint8_t{0}} << 8 |
                                std::uint32_t{left > 2 ? in[i + 2] : std::uint8_t{0}};
    text += digits[group >> 18];
    text += digits[group >> 12 & 63];
    text += left > 1 ? digits[group >> 6 & 63] : '=';
    text += left > 2 ? digits[group & 63] : '=';
  }
  return text;
}

}  // namespace clatter
