#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <clatter/io/hdf5_file.hpp>

namespace clatter {

/// An HDF5 file that is read. Every failure is an Error that names the file and what is wrong.
class Hdf5Reader {
 public:
  /// Also a file that is being written by a run, or whose writer was killed.
  explicit Hdf5Reader(std::filesystem::path path);

  bool has(const std::string& name) const;
  /// An attribute of the file itself.
  long attribute(const std::string& name) const;
  std::string text(const std::string& name) const;
  /// The same of a list; none when there is no such attribute.
  std::vector<std::string> texts(const std::string& name) const { return texts_of("/", name); }
  /// The same of a dataset.
  std::vector<std::string> texts_of(const std::string& object, const std::string& name) const;
  std::vector<double> numbers(const std::string& name) const;
  std::vector<int> integers(const std::string& name) const;
  /// A table with a row per sample, row by row.
  std::vector<double> table(const std::string& name) const;
  /// The same of one part of a table whose rows have parts.
  std::vector<double> part_of_table(const std::string& name, std::size_t part) const;
  /// Rows, and numbers in a row, of a table as it is now.
  std::array<std::size_t, 2> size_of(const std::string& name) const;
  /// Paths of all datasets, "bodies/ball/position", sorted.
  std::vector<std::string> datasets() const;
  /// Of what is in a group, sorted; none when there is no such group.
  std::vector<std::string> names(const std::string& group) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  template <class T>
  std::vector<T> read(const std::string& name, hid_t type, H5T_class_t expected,
                      bool is_list = true) const;

  std::filesystem::path path_;
  Hdf5Id file_;
};

}  // namespace clatter
