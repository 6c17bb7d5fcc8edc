#include <cmath>
#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <clatter/io/result_file.hpp>
#include <clatter/io/sha256.hpp>
#include <clatter/model/error.hpp>
#include <clatter/version.hpp>
#include <clatter/view/result_reader.hpp>

#include "unit/io/temporary_directory.hpp"

namespace clatter {
namespace result_file_test {

using ::testing::HasSubstr;

const std::vector<Channel> channels = {{"bodies/block/position", {"x", "y", "z"}, "m", 0},
                                       {"contacts/floor/gap", {""}, "m", 3},
                                       {"bodies/arm/angular_velocity", {"z"}, "rad/s", 4}};

RunInfo info_of(const std::string& text) {
  RunInfo info;
  info.title = "test";
  info.model_text = text;
  info.model_hash = sha256(text);
  info.integrator.emplace().step = 0.25;
  return info;
}

/// Numbers that differ in every place, and that do not compress well.
std::vector<double> row_of(long n) {
  std::vector<double> row(5);
  for (int i = 0; i < 5; ++i) row[i] = std::sin(10.0 * double(n) + i);
  return row;
}

void append_rows(ResultFile& file, long begin, long end) {
  for (long n = begin; n < end; ++n) file.append(0.25 * double(n), row_of(n));
}

/// A result file as another program reads it.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (is_open()) return;  // else it is being written
    file_ =
        Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT), H5Fclose);
  }

  bool is_open() const { return file_.get() >= 0; }

  std::vector<hsize_t> shape(const char* name) const {
    const Hdf5Id dataset(H5Dopen2(file_.get(), name, H5P_DEFAULT), H5Dclose);
    const Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
    std::vector<hsize_t> result(H5Sget_simple_extent_ndims(space.get()));
    H5Sget_simple_extent_dims(space.get(), result.data(), nullptr);
    return result;
  }

  std::vector<double> numbers(const char* name) const {
    const Hdf5Id dataset(H5Dopen2(file_.get(), name, H5P_DEFAULT), H5Dclose);
    hsize_t size = 1;
    for (const hsize_t n : shape(name)) size *= n;
    std::vector<double> result(size);
    EXPECT_GE(
        H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()), 0)
        << name;
    return result;
  }

  std::vector<std::string> texts(const char* object, const char* name) const {
    const Hdf5Id attribute(H5Aopen_by_name(file_.get(), object, name, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    const Hdf5Id type(H5Aget_type(attribute.get()), H5Tclose);
    const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
    std::vector<char*> raw(H5Sget_simple_extent_npoints(space.get()));
    EXPECT_GE(H5Aread(attribute.get(), type.get(), raw.data()), 0) << name;
    std::vector<std::string> result(raw.begin(), raw.end());
    H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, raw.data());
    return result;
  }

  double number(const char* name) const {
    const Hdf5Id attribute(H5Aopen_by_name(file_.get(), "/", name, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    double value = 0.0;
    EXPECT_GE(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value), 0) << name;
    return value;
  }

 private:
  Hdf5Id file_;
};

void expect_rows(const Reader& reader, long count) {
  ASSERT_TRUE(reader.is_open());
  const hsize_t rows = static_cast<hsize_t>(count);
  ASSERT_EQ(reader.shape("/time"), std::vector<hsize_t>{rows});
  ASSERT_EQ(reader.shape("/bodies/block/position"), (std::vector<hsize_t>{rows, 3}));
  ASSERT_EQ(reader.shape("/contacts/floor/gap"), std::vector<hsize_t>{rows});
  ASSERT_EQ(reader.shape("/bodies/arm/angular_velocity"), (std::vector<hsize_t>{rows, 1}));
  const std::vector<double> times = reader.numbers("/time");
  const std::vector<double> positions = reader.numbers("/bodies/block/position");
  const std::vector<double> gaps = reader.numbers("/contacts/floor/gap");
  for (long n = 0; n < count; ++n) {
    ASSERT_EQ(times[n], 0.25 * double(n));
    for (int i = 0; i < 3; ++i) ASSERT_EQ(positions[3 * n + i], row_of(n)[i]);
    ASSERT_EQ(gaps[n], row_of(n)[3]);
  }
}

TEST(result_file, gives_every_row_of_every_channel_back) {
  const TemporaryDirectory directory;
  ResultFile file(directory / "r.h5", channels, info_of(""));
  append_rows(file, 0, 3000);  // several chunks and a part
  file.close();
  expect_rows(Reader(directory / "r.h5"), 3000);
}

TEST(result_file, describes_channels_and_origin) {
  const TemporaryDirectory directory;
  const std::string model(200000, '#');  // longer than HDF5 keeps in an object's header
  ResultFile file(directory / "r.h5", channels, info_of(model));
  file.close();
  const Reader reader(directory / "r.h5");
  EXPECT_EQ(reader.texts("/bodies/block/position", "components"),
            (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(reader.texts("/bodies/block/position", "unit").front(), "m");
  EXPECT_EQ(reader.texts("/time", "unit").front(), "s");
  EXPECT_EQ(reader.texts("/", "clatter_version").front(), version);
  EXPECT_EQ(reader.texts("/", "model_text").front(), model);
  EXPECT_EQ(reader.texts("/", "model_sha256").front(), sha256(model));
  EXPECT_EQ(reader.texts("/", "integrator.name").front(), "nsga");
  EXPECT_EQ(reader.number("integrator.step"), 0.25);
}

// HDF5 keeps 64 KiB in the header of an object, and a text in an attribute takes 16 bytes there.
TEST(result_file, names_any_number_of_components) {
  const TemporaryDirectory directory;
  Channel orientation{"beams/rod/orientation", {}, "", 0};
  for (int n = 0; n < 5000; ++n)
    for (const char* part : {"w", "x", "y", "z"})
      orientation.components.push_back(std::to_string(n) + "/" + part);
  ResultFile file(directory / "r.h5", {orientation}, info_of(""));
  std::vector<double> row(20000);
  row.back() = 7.0;
  file.append(0.0, row);
  file.close();
  const Reader reader(directory / "r.h5");
  EXPECT_EQ(reader.texts("/beams/rod/orientation", "components"), orientation.components);
  EXPECT_EQ(reader.shape("/beams/rod/orientation"), (std::vector<hsize_t>{1, 20000}));
  EXPECT_EQ(reader.numbers("/beams/rod/orientation").back(), 7.0);
}

/// So many bodies that they are a crowd, with numbers that tell who is who: row n of body b is
/// 1000 n + b and the component in hundredths.
struct Crowd {
  std::vector<Channel> channels;
  int size = 0;

  explicit Crowd(std::size_t bodies) {
    for (std::size_t b = 0; b < bodies; ++b) {
      add(fmt::format("bodies/grain.{}/position", b + 1), {"x", "y", "z"}, "m");
      // What does not turn stands between.
      if (b % 2 == 0)
        add(fmt::format("bodies/grain.{}/orientation", b + 1), {"w", "x", "y", "z"}, "");
    }
    add("energy/total", {""}, "J");
  }
  void add(std::string path, std::vector<std::string> components, std::string unit) {
    channels.push_back({std::move(path), std::move(components), std::move(unit), size});
    size += static_cast<int>(channels.back().components.size());
  }
  std::vector<double> row(long n) const {
    std::vector<double> row(static_cast<std::size_t>(size));
    double body = 0.0;
    for (const Channel& channel : channels) {
      if (channel.path.ends_with("position")) ++body;
      for (std::size_t c = 0; c < channel.components.size(); ++c)
        row[static_cast<std::size_t>(channel.offset) + c] =
            1000.0 * double(n) + body + 0.01 * double(c);
    }
    return row;
  }
};

TEST(result_file, crowds_have_one_table_for_each_quantity) {
  const TemporaryDirectory directory;
  const Crowd crowd(150);
  {
    ResultFile file(directory / "r.h5", crowd.channels, info_of(""));
    for (long n = 0; n < 1500; ++n) file.append(0.1 * double(n), crowd.row(n));
    file.close();
  }
  // A run that goes on keeps what there is.
  ResultFile file(directory / "r.h5", crowd.channels, info_of(""), 1400);
  for (long n = 1400; n < 1410; ++n) file.append(0.1 * double(n), crowd.row(n));
  file.close();

  const Reader reader(directory / "r.h5");
  EXPECT_EQ(reader.shape("/crowd/position"), (std::vector<hsize_t>{1410, 150, 3}));
  EXPECT_EQ(reader.shape("/crowd/orientation"), (std::vector<hsize_t>{1410, 75, 4}));
  EXPECT_EQ(reader.shape("/energy/total"), (std::vector<hsize_t>{1410}));
  EXPECT_EQ(reader.texts("/crowd/position", "names")[149], "grain.150");
  EXPECT_EQ(reader.texts("/crowd/orientation", "names")[1], "grain.3");
  EXPECT_EQ(reader.texts("/crowd/position", "components"),
            (std::vector<std::string>{"x", "y", "z"}));
  const std::vector<double> positions = reader.numbers("/crowd/position");
  for (const long n : {0, 1399, 1400, 1409})
    for (const int b : {0, 63, 64, 149})
      EXPECT_EQ(positions[static_cast<std::size_t>((n * 150 + b) * 3 + 2)],
                1000.0 * double(n) + b + 1 + 0.02);

  // Who reads channels need not know.
  const ResultReader results(directory / "r.h5");
  ASSERT_EQ(results.rows(), 1410u);
  ASSERT_EQ(results.channels().size(), crowd.channels.size());
  for (const Channel& channel : crowd.channels) {
    const Channel* found = results.find(channel.path);
    ASSERT_NE(found, nullptr) << channel.path;
    EXPECT_EQ(found->components, channel.components);
    EXPECT_EQ(found->unit, channel.unit);
    const std::vector<double> values = results.values(*found);
    const std::size_t width = channel.components.size();
    ASSERT_EQ(values.size(), 1410 * width);
    for (const std::size_t n : {0u, 1405u})
      for (std::size_t c = 0; c < width; ++c)
        ASSERT_EQ(values[n * width + c],
                  crowd.row(long(n))[static_cast<std::size_t>(channel.offset) + c]);
  }
}

TEST(result_file, few_bodies_have_tables_of_their_own) {
  for (const ResultTable& table : tables_of(Crowd(crowd_of_bodies - 1).channels))
    EXPECT_FALSE(table.is_crowd()) << table.path;
}

// A copy is what another process finds if this one is killed.
TEST(result_file, what_was_flushed_is_readable_without_closing) {
  const TemporaryDirectory directory;
  ResultFile file(directory / "r.h5", channels, info_of(""));
  long rows = 0;
  for (const long more : {1, 7, 1500, 2}) {
    append_rows(file, rows, rows + more);
    rows += more;
    file.flush();
    append_rows(file, rows, rows + 1);  // not flushed: may be lost, must not hurt
    ++rows;
    std::filesystem::copy_file(directory / "r.h5", directory / "copy.h5",
                               std::filesystem::copy_options::overwrite_existing);
    expect_rows(Reader(directory / "copy.h5"), rows - 1);
  }
}

TEST(result_file, is_readable_while_chunks_go_to_disk_by_themselves) {
  const TemporaryDirectory directory;
  ResultFile file(directory / "r.h5", channels, info_of(""));
  append_rows(file, 0, 5000);
  std::filesystem::copy_file(directory / "r.h5", directory / "copy.h5");
  expect_rows(Reader(directory / "copy.h5"), file.rows_written());
  EXPECT_GT(file.rows_written(), 0);
}

TEST(result_file, missing_directory_is_an_error_that_names_the_file) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "none/r.h5";
  try {
    ResultFile file(path, channels, info_of(""));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
    EXPECT_THAT(error.what(), HasSubstr("No such file or directory"));
  }
}

/// Limits the size of files while it lives: to the library it looks as if the disk were full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  void (*handler_)(int);
};

TEST(result_file, starts_only_if_all_names_of_components_fit) {
  const TemporaryDirectory directory;
  std::vector<Channel> many(5);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = {"beams/rod/" + std::to_string(i), {}, "N", static_cast<int>(20000 * i)};
    for (int n = 0; n < 20000; ++n) many[i].components.push_back(std::to_string(n) + "/x");
  }
  const FileSizeLimit limit(4'000'000);
  EXPECT_THROW(ResultFile(directory / "r.h5", many, info_of("")), Error);
  EXPECT_LT(std::filesystem::file_size(directory / "r.h5"), 10000u) << "found out too late";
}

TEST(result_file, keeps_what_fits_when_the_disk_is_full) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "r.h5";
  long rows = 0;
  {
    ResultFile file(path, channels, info_of(""));
    const FileSizeLimit limit(400000);
    try {
      for (long n = 0; n < 100000; ++n) append_rows(file, n, n + 1);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
      EXPECT_THAT(error.what(), HasSubstr("File too large"));
    }
    rows = file.rows_written();
    EXPECT_NO_THROW(file.close());
  }
  EXPECT_GT(rows, 2048);
  expect_rows(Reader(path), rows);
}

}  // namespace result_file_test
}  // namespace clatter
