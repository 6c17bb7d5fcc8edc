#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace clatter {

/// Number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word that was probably meant, or an empty string when none is near enough to be worth
/// saying.
std::string nearest_word(std::string_view wrong, std::span<const std::string> words);

/// "; did you mean 'x'?", or nothing: to be put at the end of a message.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> words);

/// A piece of a user's file in single quotes, cut when long and with control characters shown as
/// '?', so that a message stays one readable line whatever the file holds.
std::string in_quotes(std::string_view text);

}  // namespace clatter
