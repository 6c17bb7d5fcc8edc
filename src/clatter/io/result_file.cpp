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
std::size_t bytes_to_create(const std::vector<ResultTable>& tables, const RunInfo& info) {
  std::size_t bytes = file_overhead + info.model_text.size();
  for (const ResultTable& table : tables) {
    bytes += dataset_overhead;
    for (const auto& names : {table.components, table.names})
      for (const std::string& name : names) bytes += name_overhead + name.size();
  }
  return bytes;
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

void ResultFile::make_buffers(const std::vector<ResultTable>& tables) {
  std::size_t widest = 0;
  for (const ResultTable& table : tables) {
    for (const int offset : table.offsets)
      row_size_ = std::max(row_size_, static_cast<std::size_t>(offset) + table.components.size());
    widest = std::max(widest, table.width());
  }
  const std::size_t fitting = buffer_bytes / (std::max<std::size_t>(row_size_, 1) * 8);
  capacity_ = std::clamp<std::size_t>(fitting, 1, 1024);
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
    copy_rows(Hdf5Reader(path), static_cast<std::size_t>(rows));
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
  std::vector<ResultTable> tables = tables_of(channels);
  file_.reserve(bytes_to_create(tables, info));
  write_origin(file_, info);
  make_buffers(tables);
  times_ = file_.create_table("/" + key.name, 0, capacity_);
  file_.set_attribute("/" + key.name, "unit", key.unit);
  for (ResultTable& layout : tables) {
    const std::string name = "/" + layout.path;
    const std::size_t width = layout.is_scalar() ? 0 : layout.components.size();
    Hdf5Table table = file_.create_table(name, width, capacity_, layout.names.size());
    file_.set_attribute(name, "unit", layout.unit);
    if (!layout.is_scalar())
      file_.set_attribute(name, "components", std::span<const std::string>(layout.components));
    if (layout.is_crowd())
      file_.set_attribute(name, "names", std::span<const std::string>(layout.names));
    columns_.push_back({std::move(layout), std::move(table)});
  }
}

void ResultFile::copy_rows(const Hdf5Reader& from, std::size_t rows) {
  const auto copy = [&](const std::string& name, std::size_t width, Hdf5Table& to) {
    const std::vector<double> values = from.table(name);
    if (values.size() < rows * width) {
      from.fail(fmt::format("'{}' has fewer rows than the checkpoint tells", name));
    }
    file_.reserve(rows * width * sizeof(double) + index_growth);
    if (rows > 0) file_.append(to, {values.data(), rows * width});
  };
  copy("/time", 1, times_);
  for (Column& column : columns_) {
    copy("/" + column.layout.path, column.layout.width(), column.table);
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
    const auto& [path, components, unit, names, offsets] = column.layout;
    for (std::size_t i = 0; i < rows; ++i)
      for (const int offset : offsets)
        to = std::copy_n(buffer_.data() + i * row_size_ + offset, components.size(), to);
    file_.append(column.table, {gathered_.data(), to});
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
