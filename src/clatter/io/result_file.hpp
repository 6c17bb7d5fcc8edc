#pragma once

#include <filesystem>
#include <vector>

#include <clatter/io/hdf5_file.hpp>
#include <clatter/io/recorder.hpp>
#include <clatter/io/result_tables.hpp>
#include <clatter/io/run_info.hpp>
#include <clatter/simulation/channel.hpp>

namespace clatter {

class Hdf5Reader;

/// What tells the rows of a result file apart.
struct RowKey {
  std::string name, unit;
};

/// The HDF5 file of a run. Every channel is a dataset of that name with a row per sample, but a
/// crowd of bodies has one dataset per quantity, /crowd/position, with an entry for each body in a
/// row; /time (or another key of the rows) holds the times [s]; units, names of components and of
/// the bodies of a crowd are attributes of the datasets, the origin of the run (version, model text
/// and hash, settings) attributes of the file.
///
/// Rows are gathered in memory and written a chunk at a time, or when a flush is due. Others can
/// read the file meanwhile (in SWMR mode: h5py.File(path, swmr=True)). A process killed in the
/// middle of a flush may leave some datasets a flush longer than others; the rows that all have are
/// whole.
class ResultFile : public Recorder {
 public:
  ResultFile(const std::filesystem::path& path, const std::vector<Channel>& channels,
             const RunInfo& info, const RowKey& key = {"time", "s"});
  /// Goes on after the first `rows` of a file with the same channels, also one whose writer was
  /// killed. They are copied, and the new file takes the place of the old one when it is complete:
  /// what a killed writer leaves can be read, but must not be changed.
  ResultFile(const std::filesystem::path& path, const std::vector<Channel>& channels,
             const RunInfo& info, long rows);

  void append(double time, std::span<const double> row) override;
  void flush() override;
  /// Also after a failed write: everything flushed before stays readable.
  void close() override;

  /// Rows in the file, without those that wait in memory.
  long rows_written() const { return static_cast<long>(times_.rows); }

 private:
  void create_tables(const std::vector<Channel>& channels, const RunInfo& info, const RowKey& key);
  void copy_rows(const Hdf5Reader& from, std::size_t rows);
  /// Room for rows of all channels.
  void make_buffers(const std::vector<ResultTable>& tables);

  struct Column {
    ResultTable layout;
    Hdf5Table table;
  };

  void write(std::size_t rows);
  /// Upper bound for the first `rows` of the buffer.
  std::size_t bytes_to_write(std::size_t rows) const;

  Hdf5File file_;
  Hdf5Table times_;
  std::vector<Column> columns_;
  std::size_t row_size_ = 0;
  std::size_t capacity_ = 0;  ///< rows that the buffer holds; also the rows of a chunk
  std::size_t rows_ = 0;      ///< rows in the buffer
  std::vector<double> time_buffer_;
  std::vector<double> buffer_;    ///< row by row
  std::vector<double> gathered_;  ///< one channel's part of the buffer
};

}  // namespace clatter
