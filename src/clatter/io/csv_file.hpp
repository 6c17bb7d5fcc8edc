#pragma once

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include <clatter/io/output_stream.hpp>
#include <clatter/io/recorder.hpp>
#include <clatter/simulation/channel.hpp>

namespace clatter {

/// All channels as one table of text for spreadsheets: a line of names with units
/// ("bodies/block/position/x [m]"), then a line per sample. Numbers are exact.
class CsvFile : public Recorder {
 public:
  CsvFile(const std::filesystem::path& path, const std::vector<Channel>& channels);
  /// Goes on after the first `bytes` of a file with the same channels.
  CsvFile(const std::filesystem::path& path, const std::vector<Channel>& channels, long bytes);

  void append(double time, std::span<const double> row) override;
  void flush() override;
  void close() override;

 private:
  /// Fills order_ and returns the line of names.
  std::string list_columns(const std::vector<Channel>& channels);

  OutputStream stream_;
  std::vector<int> order_;  ///< entries of the row, in the order of the columns
  fmt::memory_buffer line_;
};

/// Quoted as RFC 4180 asks, since names are free text.
std::string csv_field(const std::string& text);

/// "bodies/block/position/x", or the path alone for a scalar.
std::string component_name(const Channel& channel, std::size_t component);

}  // namespace clatter
