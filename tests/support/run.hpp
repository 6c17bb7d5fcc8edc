#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "dynamics/simulation.hpp"

namespace clatter::test {

/// Present value of a channel component, by its path: "bodies/block/position", 0.
inline double value(const Simulation& simulation, const std::string& path, int component = 0) {
  std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
  simulation.sample(row);
  for (const Channel& channel : simulation.channels()) {
    if (channel.path == path) return row[static_cast<std::size_t>(channel.offset + component)];
  }
  return std::nan("");
}

inline void run_to_end(Simulation& simulation) {
  while (!simulation.finished()) simulation.step();
}

}  // namespace clatter::test
