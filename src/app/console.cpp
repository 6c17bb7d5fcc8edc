#include "app/console.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace clatter {

void print_text(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

bool output_failed() { return std::ferror(stdout) != 0; }

std::string align(const std::vector<std::vector<std::string>>& lines,
                  const std::vector<std::size_t>& text_columns) {
  // Widths in characters, not bytes: continuation bytes of UTF-8 do not count.
  const auto width_of = [](const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  };
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()), 0);
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], width_of(line[i]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string padded;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (i > 0) padded += "  ";
      const std::string space(widths[i] - width_of(line[i]), ' ');
      const bool left = std::count(text_columns.begin(), text_columns.end(), i) > 0;
      padded += left ? line[i] + space : space + line[i];
    }
    padded.erase(padded.find_last_not_of(' ') + 1);
    text += padded + "\n";
  }
  return text;
}

std::string format_duration(double seconds) {
  if (!(seconds >= 0.0) || seconds > 1e9) return "?";
  const long whole = std::lround(seconds);
  const long hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string format_number(double value) { return fmt::format("{:.4g}", value); }

}  // namespace clatter
