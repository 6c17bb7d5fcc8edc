#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <clatter/simulation/simulation.hpp>

namespace clatter {

/// Writes how Newton's method gets on in the steps of a time window, as a table.
class NewtonTrace {
 public:
  /// `window`: "FROM:TO" in seconds. Throws Error when it is none.
  explicit NewtonTrace(const std::string& window);

  /// From now on; the simulation must not outlive this.
  void follow(Simulation& simulation, const std::filesystem::path& file);
  long updates() const { return updates_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  double from_ = 0.0, to_ = 0.0;
  std::unique_ptr<std::FILE, Close> file_;
  long updates_ = 0;
};

}  // namespace clatter
