#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <clatter/io/frame_series.hpp>
#include <clatter/io/hdf5_file.hpp>
#include <clatter/simulation/contact_point.hpp>

namespace clatter {

/// The points of contact of a run in HDF5: one row of /bodies, /position, /normal, /gap, /force and
/// /status for each of them, sample after sample; /time and /end have a row for each sample, and
/// /end tells how many points there are up to its end. Attribute `names` of /bodies has the names
/// that its numbers mean.
class ContactPointFile {
 public:
  ContactPointFile(const std::filesystem::path& path, const std::vector<std::string>& parts);
  /// Goes on after the first `samples` of a file, as ResultFile does.
  ContactPointFile(const std::filesystem::path& path, const std::vector<std::string>& parts,
                   long samples);

  /// With a and b of the points as numbers of parts.
  void append(double time, std::span<const ContactPoint> points);
  void flush();
  void close();

 private:
  /// A table and what waits to be written to it.
  struct Column {
    Hdf5Table table;
    std::vector<double> waiting;
  };
  enum { time, end, bodies, position, normal, gap, force, status, column_count };

  void create_tables(const std::vector<std::string>& parts);
  void write_waiting();

  Hdf5File file_;
  std::array<Column, column_count> columns_;
  double points_ = 0.0;  // so far
};

/// The same as a series for ParaView: `contacts.pvd`. Every point carries `bodies`, `normal`,
/// `force`, `gap` and `status`.
class ContactPointFrames {
 public:
  explicit ContactPointFrames(std::filesystem::path directory, long frames = 0)
      : frames_(std::move(directory), "contacts", frames) {}
  void append(double time, std::span<const ContactPoint> points);

 private:
  FrameSeries frames_;
};

}  // namespace clatter
