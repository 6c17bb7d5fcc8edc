#pragma once

#include <filesystem>

#include <clatter/io/run_info.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/run_statistics.hpp>

namespace clatter {

/// All that a run needs to go on from where it was, exactly as if it had not been interrupted.
struct Checkpoint {
  std::string model_file, model_text;  ///< as they were when the run began
  std::vector<std::string> overrides;
  State state;
  RunStatistics statistics;
  double wall_time = 0.0;  ///< [s] so far
  long samples = 0;        ///< rows that results.h5 had
  long table_bytes = 0;    ///< length of results.csv; 0: there is none
  long frames = 0;         ///< that were drawn
  bool draws = false;
};

/// Replaces the file at once: a reader, or a crash, finds the old one or the new one. Throws Error.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// Throws Error when the file is missing, damaged or of another version of the program.
Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace clatter
