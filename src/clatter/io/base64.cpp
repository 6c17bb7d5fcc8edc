#include <array>
#include <cstdint>
#include <cstring>

#include <clatter/io/base64.hpp>

namespace clatter {

namespace {

constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Two digits for every twelve bits.
constexpr auto pairs = [] {
  std::array<std::array<char, 2>, 4096> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = {digits[i >> 6], digits[i & 63]};
  return table;
}();

}  // namespace

void add_base64(std::string& text, const void* bytes, std::size_t size) {
  const auto* in = static_cast<const unsigned char*>(bytes);
  const std::size_t begin = text.size();
  text.resize(begin + (size + 2) / 3 * 4, '=');
  char* out = text.data() + begin;
  const std::size_t whole = size / 3 * 3;
  for (std::size_t i = 0; i < whole; i += 3, out += 4) {
    const std::uint32_t group =
        std::uint32_t{in[i]} << 16 | std::uint32_t{in[i + 1]} << 8 | std::uint32_t{in[i + 2]};
    std::memcpy(out, pairs[group >> 12].data(), 2);
    std::memcpy(out + 2, pairs[group & 4095].data(), 2);
  }
  if (whole == size) return;
  const bool has_two = size - whole == 2;
  const std::uint32_t group =
      std::uint32_t{in[whole]} << 16 | (has_two ? std::uint32_t{in[whole + 1]} << 8 : 0U);
  *out++ = digits[group >> 18];
  *out++ = digits[group >> 12 & 63];
  if (has_two) *out = digits[group >> 6 & 63];
}

std::string from_base64(std::string_view text) {
  std::array<int, 256> values{};
  values.fill(-1);
  for (int i = 0; i < 64; ++i) values[static_cast<unsigned char>(digits[i])] = i;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char letter : text) {
    const int value = values[static_cast<unsigned char>(letter)];
    if (value < 0) break;
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 255);
  }
  return bytes;
}

}  // namespace clatter
