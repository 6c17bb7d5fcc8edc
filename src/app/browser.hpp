#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>
#include <sys/types.h>

namespace clatter {

/// Chromium without a window, told what to do over a pipe (its DevTools protocol). Every failure is
/// an Error that says what to do.
class Browser {
 public:
  /// With a page of so many pixels.
  Browser(int width, int height);
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;
  Browser(Browser&&) = delete;
  Browser& operator=(Browser&&) = delete;
  ~Browser();

  /// Opens a page of results on disk and waits until it shows them. `link`: the view, as the page's
  /// address holds it after '#'.
  void open(const std::filesystem::path& page, const std::string& link);
  /// The value of an expression of JavaScript; promises are awaited.
  nlohmann::json evaluate(const std::string& expression);

 private:
  nlohmann::json ask(const std::string& method, nlohmann::json parameters);
  std::string receive();

  std::filesystem::path profile_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  int last_ = 0;         // number of the last question
  std::string session_;  // of the page
  std::string received_;
};

}  // namespace clatter
