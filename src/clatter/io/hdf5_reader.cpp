#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/hdf5_reader.hpp>
#include <clatter/model/error.hpp>

namespace clatter {

Hdf5Reader::Hdf5Reader(std::filesystem::path path) : path_(std::move(path)) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // we say ourselves what is wrong
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) fail("there is no such file");
  if (!std::filesystem::is_regular_file(path_, error)) fail("this is not a file");
  file_ = Hdf5Id(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file_.get() < 0) {
    file_ =
        Hdf5Id(H5Fopen(path_.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT), H5Fclose);
  }
  if (file_.get() < 0) fail("this is not an HDF5 file, or it is cut short");
}

void Hdf5Reader::fail(const std::string& what) const {
  throw Error(fmt::format("{}: {}", path_.string(), what));
}

bool Hdf5Reader::has(const std::string& name) const {
  for (auto end = name.find('/', 1); end != std::string::npos; end = name.find('/', end + 1)) {
    if (H5Lexists(file_.get(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(file_.get(), name.c_str(), H5P_DEFAULT) > 0;
}

long Hdf5Reader::attribute(const std::string& name) const {
  if (H5Aexists_by_name(file_.get(), "/", name.c_str(), H5P_DEFAULT) <= 0) {
    fail(fmt::format("the attribute '{}' is missing", name));
  }
  const Hdf5Id attribute(H5Aopen_by_name(file_.get(), "/", name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
  const Hdf5Id type(H5Aget_type(attribute.get()), H5Tclose);
  long value = 0;
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Tget_class(type.get()) != H5T_INTEGER ||
      H5Aread(attribute.get(), H5T_NATIVE_LONG, &value) < 0) {
    fail(fmt::format("the attribute '{}' is not a whole number", name));
  }
  return value;
}

std::vector<std::string> Hdf5Reader::texts_of(const std::string& object,
                                              const std::string& name) const {
  if (H5Aexists_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT) <= 0) return {};
  const Hdf5Id attribute(
      H5Aopen_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
  const Hdf5Id type(H5Aget_type(attribute.get()), H5Tclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0 || H5Tis_variable_str(type.get()) <= 0) {
    fail(fmt::format("the attribute '{}' is not text", name));
  }
  std::vector<char*> stored(static_cast<std::size_t>(count), nullptr);
  if (count > 0 && H5Aread(attribute.get(), type.get(), stored.data()) < 0) {
    fail(fmt::format("the attribute '{}' cannot be read: the file is damaged", name));
  }
  std::vector<std::string> texts;
  for (const char* each : stored) texts.emplace_back(each == nullptr ? "" : each);
  H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, stored.data());
  return texts;
}

std::string Hdf5Reader::text(const std::string& name) const {
  std::vector<std::string> texts = this->texts(name);
  if (texts.size() != 1) fail(fmt::format("the attribute '{}' is missing", name));
  return std::move(texts[0]);
}

template <class T>
std::vector<T> Hdf5Reader::read(const std::string& name, hid_t type, H5T_class_t expected,
                                bool is_list) const {
  if (!has(name)) fail(fmt::format("the dataset '{}' is missing", name));
  const Hdf5Id dataset(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (dataset.get() < 0) fail(fmt::format("'{}' is not a dataset, or the file is damaged", name));
  const Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
  const Hdf5Id stored(H5Dget_type(dataset.get()), H5Tclose);
  if (is_list && H5Sget_simple_extent_ndims(space.get()) != 1) {
    fail(fmt::format("the dataset '{}' is not a list", name));
  }
  if (H5Tget_class(stored.get()) != expected) {
    fail(fmt::format("the dataset '{}' does not hold {}", name,
                     expected == H5T_INTEGER ? "whole numbers" : "numbers"));
  }
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0 || count > std::numeric_limits<int>::max()) {
    fail(fmt::format("the dataset '{}' is too long", name));
  }
  try {
    std::vector<T> values(static_cast<std::size_t>(count));
    if (count > 0 &&
        H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
      fail(fmt::format("the dataset '{}' cannot be read: the file is damaged", name));
    }
    return values;
  } catch (const std::bad_alloc&) {
    fail(fmt::format("there is not enough memory for the dataset '{}'", name));
  }
}

std::vector<double> Hdf5Reader::numbers(const std::string& name) const {
  return read<double>(name, H5T_NATIVE_DOUBLE, H5T_FLOAT);
}

std::vector<double> Hdf5Reader::table(const std::string& name) const {
  return read<double>(name, H5T_NATIVE_DOUBLE, H5T_FLOAT, false);
}

std::vector<double> Hdf5Reader::part_of_table(const std::string& name, std::size_t part) const {
  if (!has(name)) fail(fmt::format("the dataset '{}' is missing", name));
  const Hdf5Id dataset(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Id space(dataset.get() < 0 ? H5I_INVALID_HID : H5Dget_space(dataset.get()), H5Sclose);
  std::array<hsize_t, 3> size{};
  if (space.get() < 0 || H5Sget_simple_extent_ndims(space.get()) != 3 ||
      H5Sget_simple_extent_dims(space.get(), size.data(), nullptr) != 3 || part >= size[1]) {
    fail(fmt::format("'{}' is not a table with so many parts, or the file is damaged", name));
  }
  std::vector<double> values(size[0] * size[2]);
  if (values.empty()) return values;
  const std::array<hsize_t, 3> begin{0, part, 0}, count{size[0], 1, size[2]};
  const Hdf5Id memory(H5Screate_simple(3, count.data(), nullptr), H5Sclose);
  if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(), nullptr, count.data(),
                          nullptr) < 0 ||
      H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT,
              values.data()) < 0) {
    fail(fmt::format("the dataset '{}' cannot be read: the file is damaged", name));
  }
  return values;
}

std::array<std::size_t, 2> Hdf5Reader::size_of(const std::string& name) const {
  if (!has(name)) fail(fmt::format("the dataset '{}' is missing", name));
  const Hdf5Id dataset(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Id space(dataset.get() < 0 ? H5I_INVALID_HID : H5Dget_space(dataset.get()), H5Sclose);
  std::array<hsize_t, 3> size{0, 1, 1};
  const int dimensions = space.get() < 0 ? -1 : H5Sget_simple_extent_ndims(space.get());
  if (dimensions < 1 || dimensions > 3) {
    fail(fmt::format("'{}' is not a table, or the file is damaged", name));
  }
  H5Sget_simple_extent_dims(space.get(), size.data(), nullptr);
  return {static_cast<std::size_t>(size[0]), static_cast<std::size_t>(size[1] * size[2])};
}

std::vector<std::string> Hdf5Reader::datasets() const {
  std::vector<std::string> paths;
  const auto add = [](hid_t, const char* path, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(path);
    return 0;
  };
  H5Lvisit(file_.get(), H5_INDEX_NAME, H5_ITER_INC, add, &paths);
  std::erase_if(paths, [this](const std::string& path) {
    const Hdf5Id object(H5Oopen(file_.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
    return object.get() < 0 || H5Iget_type(object.get()) != H5I_DATASET;
  });
  return paths;
}

std::vector<std::string> Hdf5Reader::names(const std::string& group) const {
  std::vector<std::string> names;
  if (!has(group)) return names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  H5Literate_by_name(file_.get(), group.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names,
                     H5P_DEFAULT);
  return names;
}

std::vector<int> Hdf5Reader::integers(const std::string& name) const {
  return read<int>(name, H5T_NATIVE_INT, H5T_INTEGER);
}

}  // namespace clatter
