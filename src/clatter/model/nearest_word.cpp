#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

// Longer words are never typing slips of ours, and the distance costs the product of the lengths.
constexpr std::size_t longest_word = 64;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows i-2, i-1 and i of the table of distances between prefixes.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearest_word(std::string_view wrong, std::span<const std::string> words) {
  if (wrong.empty() || wrong.size() > longest_word) return {};
  // A third of the letters may be wrong: enough for "angle_degrees", too little for nonsense.
  std::size_t best = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  std::string nearest;
  for (const std::string& word : words) {
    const std::size_t longer = std::max(word.size(), wrong.size());
    const std::size_t shorter = std::min(word.size(), wrong.size());
    if (longer - shorter >= best) continue;
    const std::size_t distance = edit_distance(wrong, word);
    if (distance < best && distance < word.size()) {
      best = distance;
      nearest = word;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string> words) {
  const std::string word = nearest_word(wrong, words);
  return word.empty() ? "" : fmt::format("; did you mean '{}'?", word);
}

std::string in_quotes(std::string_view text) {
  const bool cut = text.size() > longest_word;
  if (cut) {
    std::size_t end = longest_word;
    // Never cut inside a UTF-8 character.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  std::string clean(text);
  std::replace_if(
      clean.begin(), clean.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return fmt::format("'{}{}'", clean, cut ? "..." : "");
}

}  // namespace clatter
