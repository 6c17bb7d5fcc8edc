#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <clatter/io/hdf5_file.hpp>
#include <clatter/model/error.hpp>

namespace clatter {

namespace {

/// The system's reason in HDF5's stack of errors, "No space left on device"; else HDF5's innermost.
std::string reason_of_last_error() {
  std::string reason;
  const auto look = [](unsigned, const H5E_error2_t* error, void* result) -> herr_t {
    std::string& found = *static_cast<std::string*>(result);
    const std::string text = error->desc ? error->desc : "";
    constexpr std::string_view mark = "error message = '";
    if (const auto at = text.find(mark); at != std::string::npos) {
      const auto begin = at + mark.size();
      found = text.substr(begin, text.find('\'', begin) - begin);
      return 1;  // ends the walk
    }
    if (found.empty()) found = text;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &reason);
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

void prepare_library() {
  // We close what we open. HDF5's own clean-up at exit would try again to write what could not be
  // written, and complain on stderr.
  static const herr_t once = H5dont_atexit();
  static_cast<void>(once);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// UTF-8, of variable length: such attributes may be longer than 64 KiB, and h5py gives them as
/// str.
hid_t string_type() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

int rank_of(const Hdf5Table& table) {
  if (table.parts > 0) return 3;
  return table.columns == 0 ? 1 : 2;
}

std::array<hsize_t, 3> extent_of(const Hdf5Table& table, hsize_t rows) {
  if (table.parts > 0) return {rows, table.parts, table.columns};
  return {rows, table.columns, 0};
}

}  // namespace

Hdf5File::Hdf5File(std::filesystem::path path) : path_(std::move(path)) {
  prepare_library();
  const Hdf5Id access = check(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "prepare");
  // The format that can be read while it is written, of HDF5 1.10 (2016).
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "prepare");
  // A fixed metadata cache that holds the working set of one flush: then HDF5 changes the file on
  // disk only when we flush, and what was flushed stays readable whatever happens in between.
  H5AC_cache_config_t cache;
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check(H5Pget_mdc_config(access.get(), &cache), "prepare");
  cache.set_initial_size = true;
  cache.initial_size = cache.max_size = std::size_t{64} << 20;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  check(H5Pset_mdc_config(access.get(), &cache), "prepare");

  file_ =
      check(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, "create");
}

void Hdf5File::move_to(const std::filesystem::path& path) {
  std::filesystem::rename(path_, path);
  path_ = path;
}

void Hdf5File::let_read() { check(H5Fstart_swmr_write(file_.get()), "share"); }

void Hdf5File::fail(const std::string& what) const {
  throw Error(
      fmt::format("{}: cannot {} this file: {}", path_.string(), what, reason_of_last_error()));
}

Hdf5Id Hdf5File::check(hid_t id, Hdf5Id::Closer closer, const char* what) const {
  if (id < 0) fail(what);
  return {id, closer};
}

void Hdf5File::check(herr_t status, const char* what) const {
  if (status < 0) fail(what);
}

template <typename T>
void Hdf5File::write_attribute(const std::string& object, const std::string& name, hid_t type,
                               hid_t space, const T* value) {
  const Hdf5Id attribute = check(H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), type,
                                                   space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                 H5Aclose, "write");
  check(H5Awrite(attribute.get(), type, value), "write");
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name,
                             const std::string& value) {
  const Hdf5Id type = check(string_type(), H5Tclose, "write");
  const Hdf5Id space = check(H5Screate(H5S_SCALAR), H5Sclose, "write");
  const char* text = value.c_str();
  write_attribute(object, name, type.get(), space.get(), &text);
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name,
                             std::span<const std::string> values) {
  const Hdf5Id type = check(string_type(), H5Tclose, "write");
  const hsize_t size = values.size();
  const Hdf5Id space = check(H5Screate_simple(1, &size, nullptr), H5Sclose, "write");
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  write_attribute(object, name, type.get(), space.get(), texts.data());
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name, double value) {
  const Hdf5Id space = check(H5Screate(H5S_SCALAR), H5Sclose, "write");
  write_attribute(object, name, H5T_NATIVE_DOUBLE, space.get(), &value);
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name, long value) {
  const Hdf5Id space = check(H5Screate(H5S_SCALAR), H5Sclose, "write");
  write_attribute(object, name, H5T_NATIVE_LONG, space.get(), &value);
}

Hdf5Table Hdf5File::create_table(const std::string& name, hsize_t columns, hsize_t chunk_rows,
                                 hsize_t parts) {
  Hdf5Table table;
  table.columns = parts > 0 ? std::max<hsize_t>(columns, 1) : columns;
  table.parts = parts;
  const int rank = rank_of(table);
  const std::array<hsize_t, 3> size = extent_of(table, 0);
  const std::array<hsize_t, 3> limit = extent_of(table, H5S_UNLIMITED);
  std::array<hsize_t, 3> chunk = extent_of(table, chunk_rows);
  // Few parts at a time, so that one can be read without the others; more of them where few rows
  // are gathered, as a file of very many small chunks is slow.
  // Few rows, too: a chunk that is flushed before it is full is written anew elsewhere.
  constexpr hsize_t chunk_rows_of_parts = 64;
  const hsize_t chunk_parts = std::clamp<hsize_t>(512 / chunk_rows, 64, 512);
  hsize_t chunks = 1;
  if (parts > chunk_parts) {
    chunk[1] = chunk_parts;
    chunk[0] = std::min<hsize_t>(chunk_rows, chunk_rows_of_parts);
    chunks = (parts + chunk_parts - 1) / chunk_parts;
  }

  const Hdf5Id space = check(H5Screate_simple(rank, size.data(), limit.data()), H5Sclose, "write");
  const Hdf5Id links = check(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "write");
  check(H5Pset_create_intermediate_group(links.get(), 1), "write");
  const Hdf5Id layout = check(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "write");
  check(H5Pset_chunk(layout.get(), rank, chunk.data()), "write");
  check(H5Pset_shuffle(layout.get()), "write");
  check(H5Pset_deflate(layout.get(), 1), "write");
  const Hdf5Id access = check(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "write");
  // Room for the chunks that are being filled and no more: a model may have thousands of tables.
  const std::size_t numbers =
      chunk_rows * std::max<hsize_t>(table.columns, 1) * (parts == 0 ? 1 : chunks * chunk[1]);
  check(H5Pset_chunk_cache(access.get(), 7 * chunks, numbers * sizeof(double), 1.0), "write");

  table.dataset = check(H5Dcreate2(file_.get(), name.c_str(), H5T_IEEE_F64LE, space.get(),
                                   links.get(), layout.get(), access.get()),
                        H5Dclose, "write");
  return table;
}

void Hdf5File::append(Hdf5Table& table, std::span<const double> values) {
  const hsize_t new_rows =
      values.size() / (std::max<hsize_t>(table.columns, 1) * std::max<hsize_t>(table.parts, 1));
  const std::array<hsize_t, 3> size = extent_of(table, table.rows + new_rows);
  const std::array<hsize_t, 3> begin = {table.rows, 0, 0};
  const std::array<hsize_t, 3> count = extent_of(table, new_rows);

  check(H5Dset_extent(table.dataset.get(), size.data()), "write");
  const Hdf5Id file_space = check(H5Dget_space(table.dataset.get()), H5Sclose, "write");
  check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, begin.data(), nullptr, count.data(),
                            nullptr),
        "write");
  const Hdf5Id memory_space =
      check(H5Screate_simple(rank_of(table), count.data(), nullptr), H5Sclose, "write");
  check(H5Dwrite(table.dataset.get(), H5T_NATIVE_DOUBLE, memory_space.get(), file_space.get(),
                 H5P_DEFAULT, values.data()),
        "write");
  table.rows += new_rows;
}

void Hdf5File::write_list(const std::string& name, hid_t file_type, hid_t type, hsize_t size,
                          const void* values) {
  const Hdf5Id space = check(H5Screate_simple(1, &size, nullptr), H5Sclose, "write");
  const Hdf5Id links = check(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "write");
  check(H5Pset_create_intermediate_group(links.get(), 1), "write");
  const Hdf5Id layout = check(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "write");
  constexpr hsize_t worth_compressing = 1024;
  if (size >= worth_compressing) {
    check(H5Pset_chunk(layout.get(), 1, &size), "write");
    check(H5Pset_shuffle(layout.get()), "write");
    check(H5Pset_deflate(layout.get(), 1), "write");
  }
  const Hdf5Id dataset = check(H5Dcreate2(file_.get(), name.c_str(), file_type, space.get(),
                                          links.get(), layout.get(), H5P_DEFAULT),
                               H5Dclose, "write");
  if (size > 0) {
    check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write");
  }
}

void Hdf5File::write(const std::string& name, std::span<const double> values) {
  write_list(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void Hdf5File::write(const std::string& name, std::span<const int> values) {
  write_list(name, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), values.data());
}

void Hdf5File::reserve(std::size_t bytes) {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &handle) < 0) return;
  const int descriptor = *static_cast<int*>(handle);
  struct stat status;
  if (fstat(descriptor, &status) != 0) return;

  int reason = 0;
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<std::size_t>(status.st_size) + bytes > limit.rlim_cur)
    reason = EFBIG;
#ifdef FALLOC_FL_KEEP_SIZE
  else if (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, status.st_size, static_cast<off_t>(bytes)) !=
           0)
    reason = errno;
#endif
  // Other reasons are those of file systems that cannot reserve: there HDF5 finds out by itself.
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
    throw Error(
        fmt::format("{}: cannot write this file: {}", path_.string(), std::strerror(reason)));
}

void Hdf5File::flush() { check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "write"); }

void Hdf5File::close() {
  if (file_.get() < 0) return;
  if (!file_.close()) fail("close");
  // Gives back what was reserved beyond the end.
  std::error_code ignored;
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_, ignored), ignored);
}

}  // namespace clatter
