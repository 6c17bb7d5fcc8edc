#pragma once

#include <cstddef>
#include <filesystem>
#include <hdf5.h>
#include <span>
#include <string>
#include <vector>

namespace clatter {

/// Owns an HDF5 identifier.
class Hdf5Id {
 public:
  using Closer = herr_t (*)(hid_t);

  Hdf5Id() = default;
  Hdf5Id(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Hdf5Id(Hdf5Id&& other) noexcept { swap(other); }
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    swap(other);
    return *this;
  }
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;
  ~Hdf5Id() { close(); }

  hid_t get() const { return id_; }
  /// False when HDF5 reports that closing failed. Closing twice is harmless.
  bool close() {
    if (id_ < 0) return true;
    const hid_t id = id_;
    id_ = H5I_INVALID_HID;
    return closer_(id) >= 0;
  }

 private:
  void swap(Hdf5Id& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
  }

  hid_t id_ = H5I_INVALID_HID;
  Closer closer_ = nullptr;
};

/// A table of numbers in an HDF5 file that grows by rows.
struct Hdf5Table {
  Hdf5Id dataset;
  hsize_t rows = 0;
  hsize_t columns = 0;  ///< 0: one number per row, and a dataset of one dimension
  hsize_t parts = 0;    ///< 0: a row has no parts; else each has `columns`, at least one
};

/// A new HDF5 file. Every failure is an Error that names the file and the system's reason; HDF5's
/// own messages are silenced.
class Hdf5File {
 public:
  /// Replaces a file of that name.
  explicit Hdf5File(std::filesystem::path path);
  /// Goes on under another name, and replaces what has it.
  void move_to(const std::filesystem::path& path);

  /// Attributes of the file itself (object "/") or of a group or dataset.
  void set_attribute(const std::string& object, const std::string& name, const std::string& value);
  void set_attribute(const std::string& object, const std::string& name,
                     std::span<const std::string> values);
  void set_attribute(const std::string& object, const std::string& name, double value);
  void set_attribute(const std::string& object, const std::string& name, long value);

  /// Compressed, in chunks of `chunk_rows`; groups on the way to `name` are created. With `parts` a
  /// dataset of three dimensions: rows, parts, columns.
  Hdf5Table create_table(const std::string& name, hsize_t columns, hsize_t chunk_rows,
                         hsize_t parts = 0);
  /// From now on others may read the file while tables grow (HDF5's SWMR mode), and what was
  /// flushed stays readable whatever happens. No more tables or attributes can be added.
  void let_read();
  void append(Hdf5Table& table, std::span<const double> values);
  /// A list that does not grow.
  void write(const std::string& name, std::span<const double> values);
  void write(const std::string& name, std::span<const int> values);

  /// Makes sure that the file can grow by `bytes`. A full disk is thus found out before HDF5 has
  /// begun to change the file, which would leave it unreadable.
  void reserve(std::size_t bytes);
  void flush();
  /// Close the tables before.
  void close();

  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  Hdf5Id check(hid_t id, Hdf5Id::Closer closer, const char* what) const;
  void check(herr_t status, const char* what) const;
  void write_list(const std::string& name, hid_t file_type, hid_t type, hsize_t size,
                  const void* values);
  template <typename T>
  void write_attribute(const std::string& object, const std::string& name, hid_t type, hid_t space,
                       const T* value);

  std::filesystem::path path_;
  Hdf5Id file_;
};

}  // namespace clatter
