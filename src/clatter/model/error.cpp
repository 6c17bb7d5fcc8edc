#include <fmt/format.h>

#include <clatter/model/error.hpp>

namespace clatter {

std::string to_string(const Mistake& mistake) {
  const Place& place = mistake.place;
  if (place.line == 0) {
    return place.file.empty() ? mistake.message
                              : fmt::format("{}: {}", place.file, mistake.message);
  }
  return fmt::format("{}:{}:{}: {}", place.file, place.line, place.column, mistake.message);
}

namespace {

std::string joined(const std::vector<Mistake>& mistakes) {
  std::string text;
  for (const Mistake& mistake : mistakes) {
    if (!text.empty()) text += '\n';
    text += to_string(mistake);
  }
  return text;
}

}  // namespace

Error::Error(std::vector<Mistake> mistakes)
    : std::runtime_error(joined(mistakes)), mistakes_(std::move(mistakes)) {}

}  // namespace clatter
