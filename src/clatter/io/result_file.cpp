#include <algorithm>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <clatter/io/hdf5_reader.hpp>
#include <clatter/io/result_file.hpp>
#include <clatter/model/error.hpp>
#include <clatter/version.hpp>

namespace clatter {

namespace {

/// Memory for rows that wait to be written [bytes].
constexpr std::size_t buffer_bytes = std::size_t{16} << 20;
/// Upper bound [bytes] of what HDF5 stores about a dataset besides its chunks, and of what its
/// index of chunks grows by in one flush.
constexpr std::size_t dataset_overhead = 6144, index_growth = 3072;
/// The same for the name of a component, besides its letters.
constexpr std::size_t name_overhead = 48;
/// The same for the file itself.
constexpr std::size_t file_overhead = 65536;

/// Upper bound [bytes] of what a new file holds before the first row.
std::size_t bytes_to_create(const std::vector<Channel>& channels, const RunInfo& info) {
  std::size_t bytes = file_overhead + info.model_text.size();
  for (const Channel& channel : channels) {
    bytes += dataset_overhead;
    for (const std::string& name : channel.components) bytes += name_overhead + name.size();
  }
  return bytes;
}

bool is_scalar(const Channel& channel) {
  return channel.components.size() == 1 && channel.components.front().empty();
}

void write_origin(Hdf5File& file, const RunInfo& info) {
  file.set_attribute("/", "clatter_version", std::string(version));
  file.set_attribute("/", "command", info.command);
  file.set_attribute("/", "title", info.title);
  file.set_attribute("/", "model_file", info.model_file);
  file.set_attribute("/", "model_text", info.model_text);
  file.set_attribute("/", "model_sha256", info.model_hash);
  if (!info.overrides.empty())
    file.set_attribute("/", "overrides", std::span<const std::string>(info.overrides));
  if (!info.integrator) return;
  const nlohmann::ordered_json settings = settings_json(*info.integrator);
  for (const auto& [key, value] : settings.items()) {
    const std::string name = "integrator." + key;
    if (value.is_string())
      file.set_attribute("/", name, value.get<std::string>());
    else if (value.is_number_float())
      file.set_attribute("/", name, value.get<double>());
    else
      file.set_attribute("/", name,
                         value.is_boolean() ? long{value.get<bool>()} : value.get<long>());
  }
}

}  // namespace

void ResultFile::make_buffers(const std::vector<Channel>& channels) {
  std::size_t widest = 0;
  for (const Channel& channel : channels) {
    row_size_ = std::max(row_size_, channel.offset + channel.components.size());
    widest = std::max(widest, channel.components.size());
  }
  capacity_ =
      std::clamp<std::size_t>(buffer_bytes / (std::max<std::size_t>(row_size_, 1) * 8), 32, 1024);
  time_buffer_.resize(capacity_);
  buffer_.resize(capacity_ * row_size_);
  gathered_.resize(capacity_ * widest);
}

ResultFile::ResultFile(const std::filesystem::path& path, const std::vector<Channel>& channels,
                       const RunInfo& info, const RowKey& key)
    : file_(path) {
  create_tables(channels, info, key);
  file_.flush();
  file_.let_read();
}

ResultFile::ResultFile(const std::filesystem::path& path, const std::vector<Channel>& channels,
                       const RunInfo& info, long rows)
    : file_(std::filesystem::path(path) += ".new") {
  const std::filesystem::path unfinished = file_.path();
  try {
    create_tables(channels, info, {"time", "s"});
    copy_rows(Hdf5Reader(path), channels, static_cast<std::size_t>(rows));
    file_.flush();
    file_.let_read();
    file_.move_to(path);  // last: from now on whoever is killed leaves a file that can be read
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
}

void ResultFile::create_tables(const std::vector<Channel>& channels, const RunInfo& info,
                               const RowKey& key) {
  file_.reserve(bytes_to_create(channels, info));
  write_origin(file_, info);
  make_buffers(channels);
  times_ = file_.create_table("/" + key.name, 0, capacity_);
  file_.set_attribute("/" + key.name, "unit", key.unit);
  for (const Channel& channel : channels) {
    const std::string name = "/" + channel.path;
    const std::size_t width = channel.components.size();
    columns_.push_back({channel.offset, static_cast<int>(width),
                        file_.create_table(name, is_scalar(channel) ? 0 : width, capacity_)});
    file_.set_attribute(name, "unit", channel.unit);
    if (!is_scalar(channel))
      file_.set_attribute(name, "components", std::span<const std::string>(channel.components));
  }
}

void ResultFile::copy_rows(const Hdf5Reader& from, const std::vector<Channel>& channels,
                           std::size_t rows) {
  const auto copy = [&](const std::string& name, std::size_t width, Hdf5Table& to) {
    const std::vector<double> values = from.table(name);
    if (values.size() < rows * width) {
      from.fail(fmt::format("'{}' has fewer rows than the checkpoint tells", name));
    }
    file_.reserve(rows * width * sizeof(double) + index_growth);
    if (rows > 0) file_.append(to, {values.data(), rows * width});
  };
  copy("/time", 1, times_);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    copy("/" + channels[c].path, channels[c].components.size(), columns_[c].table);
  }
}

void ResultFile::append(double time, std::span<const double> row) {
  time_buffer_[rows_] = time;
  std::copy_n(row.begin(), row_size_, buffer_.data() + rows_ * row_size_);
  if (++rows_ == capacity_) flush();
}

void ResultFile::flush() {
  // When the disk is nearly full, as many rows as fit are saved before that is reported.
  std::size_t rows = rows_;
  std::optional<Error> full;
  while (rows > 0) {
    try {
      file_.reserve(bytes_to_write(rows));
      break;
    } catch (const Error& error) {
      full = error;
      rows /= 2;
    }
  }
  rows_ = 0;  // first: rows that cannot be written must not be tried again when closing
  if (rows > 0) write(rows);
  if (full) throw *full;
}

void ResultFile::write(std::size_t rows) {
  file_.append(times_, {time_buffer_.data(), rows});
  for (Column& column : columns_) {
    double* to = gathered_.data();
    for (std::size_t i = 0; i < rows; ++i)
      to = std::copy_n(buffer_.data() + i * row_size_ + column.offset, column.width, to);
    file_.append(column.table, {gathered_.data(), rows * column.width});
  }
  file_.flush();
}

std::size_t ResultFile::bytes_to_write(std::size_t rows) const {
  // A chunk that was begun before is written again as a whole.
  const std::size_t begun = times_.rows % capacity_;
  const std::size_t data = (begun + rows) * (row_size_ + 1) * sizeof(double);
  return data + data / 50 + (columns_.size() + 1) * index_growth + file_overhead;
}

void ResultFile::close() {
  const auto close_all = [this] {
    times_.dataset.close();
    for (Column& column : columns_) column.table.dataset.close();
    file_.close();
  };
  try {
    flush();
  } catch (...) {
    close_all();
    throw;
  }
  close_all();
}

}  // namespace clatter
