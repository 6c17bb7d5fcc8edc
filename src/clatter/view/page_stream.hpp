#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace clatter {

/// A stream of bytes.
class Bytes {
 public:
  template <class T>
  void put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    text_.append(raw, sizeof(T));
  }
  /// Zigzag code, seven bits a byte, the lowest first.
  void put_number(std::int64_t value) {
    auto code = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    for (; code >= 0x80; code >>= 7) text_ += static_cast<char>(0x80 | (code & 0x7f));
    text_ += static_cast<char>(code);
  }
  void put(const std::vector<double>& values) {
    for (const double value : values) put(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Numbers that change little from frame to frame.
class Track {
 public:
  Track(std::size_t size, double quantum) : quantum_(quantum), last_(size), before_(size) {}

  void put(Bytes& bytes, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double scaled = std::isfinite(values[i]) ? values[i] / quantum_ : 0.0;
      // Far below what doubles hold exactly: a page counts in them.
      const auto now = static_cast<std::int64_t>(std::llround(std::clamp(scaled, -1e12, 1e12)));
      const std::int64_t expected = frames_ < 2 ? last_[i] : 2 * last_[i] - before_[i];
      bytes.put_number(now - expected);
      before_[i] = last_[i];
      last_[i] = now;
    }
    ++frames_;
  }

 private:
  double quantum_;
  std::vector<std::int64_t> last_, before_;
  int frames_ = 0;
};

inline constexpr int page_format = 2;                 ///< that the page knows
inline constexpr double turn_quantum = 1.0 / 16384;   ///< of quaternions
inline constexpr double normal_quantum = 1.0 / 4096;  ///< of unit vectors

/// By gzip.
std::string compressed(const std::string& text);

/// All that a page decodes: the description, padded so that what follows may hold doubles, and the
/// streams.
std::string packed_page(const nlohmann::json& description, const std::string& streams);

}  // namespace clatter
