#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace clatter {

/// Writes to stdout. A reader that went away must not stop a run, so failures are only remembered.
void print_text(std::string_view text);
bool output_failed();

template <typename... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  print_text(fmt::format(format, std::forward<Args>(args)...));
}

/// Lines of cells with aligned columns; numbers (all columns but those listed as text) to the
/// right.
std::string align(const std::vector<std::vector<std::string>>& lines,
                  const std::vector<std::size_t>& text_columns = {0});

/// "0:07", "12:40", "3:02:09".
std::string format_duration(double seconds);

/// Four significant digits, as short as possible: "0.5", "1.234e-07".
std::string format_number(double value);

}  // namespace clatter
