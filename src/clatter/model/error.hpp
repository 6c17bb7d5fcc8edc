#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace clatter {

/// Where in a model file something was said; line 0 means "nowhere in a file".
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One thing that is wrong, where, and (in the message) how to mend it.
struct Mistake {
  Place place;
  std::string message;
};

/// "file:line:column: message", or the bare message when the mistake has no place.
std::string to_string(const Mistake& mistake);

/// The one exception for everything a user can cause. It may carry several mistakes, so that a
/// model file is mended in one go.
class Error : public std::runtime_error {
 public:
  explicit Error(std::string message) : Error(Mistake{{}, std::move(message)}) {}
  Error(Place place, std::string message) : Error(Mistake{std::move(place), std::move(message)}) {}
  explicit Error(Mistake mistake) : Error(std::vector<Mistake>{std::move(mistake)}) {}
  explicit Error(std::vector<Mistake> mistakes);

  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<Mistake> mistakes_;
};

}  // namespace clatter
