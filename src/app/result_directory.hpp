#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include <clatter/io/checkpoint.hpp>
#include <clatter/io/contact_point_files.hpp>
#include <clatter/io/paraview.hpp>
#include <clatter/io/recorder.hpp>
#include <clatter/io/result_file.hpp>
#include <clatter/io/run_info.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {

/// Where a command leaves its results, and under which names.
struct ResultDirectory {
  std::filesystem::path path;

  std::filesystem::path results() const { return path / "results.h5"; }
  std::filesystem::path table() const { return path / "results.csv"; }
  std::filesystem::path modes() const { return path / "modes.h5"; }
  std::filesystem::path summary() const { return path / "summary.json"; }
  std::filesystem::path frame_list() const { return path / "frames.pvd"; }
  std::filesystem::path frames() const { return path / "frames"; }
  std::filesystem::path crowd_list() const { return path / "crowd.pvd"; }
  std::filesystem::path crowd_frames() const { return path / "crowd"; }
  std::filesystem::path contact_points() const { return path / "contacts.h5"; }
  std::filesystem::path contact_list() const { return path / "contacts.pvd"; }
  std::filesystem::path contact_frames() const { return path / "contacts"; }
  std::filesystem::path contact_problems() const { return path / "contact-problems"; }
  std::filesystem::path newton() const { return path / "newton.csv"; }
  std::filesystem::path impacts() const { return path / "impacts.csv"; }
  std::filesystem::path recovery() const { return path / "recovery.h5"; }
  std::filesystem::path checkpoint() const { return path / "checkpoint"; }

  /// Makes the directory, or clears it of earlier results. Other files in it are left alone; a
  /// directory without results of ours is refused with an Error.
  void prepare() const;

 private:
  bool is_ours() const;
};

/// `given`, or the name of the model with an ending of its own for each command that might be used
/// on one model.
ResultDirectory result_directory(const std::filesystem::path& given,
                                 const std::filesystem::path& model, const char* ending);

/// About how many bytes a run writes: so many samples of rows and so many frames, without the
/// points of contact, whose number nobody knows before.
double expected_bytes(const Model& model, int row_size, double samples, double frames);

/// Keeps other runs out of a directory while it lives, also those of other processes.
class DirectoryLock {
 public:
  DirectoryLock() = default;
  /// Throws Error when another run is writing there. Makes the directory when there is none.
  explicit DirectoryLock(const std::filesystem::path& directory);
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  DirectoryLock(DirectoryLock&&) = delete;
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  int descriptor_ = -1;
};

/// The files of a result directory that hold what a run was like: results.h5, results.csv on
/// request, frames for ParaView unless the model wants none, and points of contact if it wants
/// them.
class ResultWriter {
 public:
  ResultWriter(const ResultDirectory& directory, const Model& model, const Simulation& simulation,
               const RunInfo& info, bool csv);
  /// Goes on with the files as they were at a checkpoint.
  ResultWriter(const ResultDirectory& directory, const Model& model, const Simulation& simulation,
               const RunInfo& info, const Checkpoint& from);

  /// A sample of the present state, whose row is given.
  void store(double time, std::span<const double> row);
  bool draws() const { return frames_ != nullptr; }
  void draw(double time, std::span<const double> row);
  void flush_if_due();
  void flush();
  /// Closes all files, also when one of them fails; throws the first Error.
  void close();

  long samples() const { return results_->rows_written(); }
  long frames() const { return frames_drawn_; }
  long table_bytes() const;  ///< of the CSV file as flushed; 0: there is none

 private:
  const Simulation& simulation_;
  std::vector<std::unique_ptr<Recorder>> files_;
  const ResultFile* results_ = nullptr;  ///< one of the files
  std::unique_ptr<ParaviewSeries> frames_;
  std::unique_ptr<ContactPointFile> points_;
  std::unique_ptr<ContactPointFrames> point_frames_;
  std::filesystem::path table_;  ///< empty: there is none
  long frames_drawn_ = 0;
};

}  // namespace clatter
