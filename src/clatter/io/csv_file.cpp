#include <iterator>
#include <string>

#include <clatter/io/csv_file.hpp>

namespace clatter {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += c;
    result += c;
  }
  result += '"';
  return result;
}

std::string component_name(const Channel& channel, std::size_t component) {
  const std::string& name = channel.components[component];
  return name.empty() ? channel.path : channel.path + "/" + name;
}

CsvFile::CsvFile(const std::filesystem::path& path, const std::vector<Channel>& channels)
    : stream_(path) {
  stream_.write(list_columns(channels) + "\n");
  stream_.flush();
}

CsvFile::CsvFile(const std::filesystem::path& path, const std::vector<Channel>& channels,
                 long bytes)
    : stream_(path, bytes) {
  list_columns(channels);
}

std::string CsvFile::list_columns(const std::vector<Channel>& channels) {
  std::string header = "time [s]";
  for (const Channel& channel : channels) {
    for (std::size_t i = 0; i < channel.components.size(); ++i) {
      std::string name = component_name(channel, i);
      if (!channel.unit.empty()) name += " [" + channel.unit + "]";
      header += ',';
      header += csv_field(name);
      order_.push_back(channel.offset + static_cast<int>(i));
    }
  }
  return header;
}

void CsvFile::append(double time, std::span<const double> row) {
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "{}", time);
  for (const int i : order_) fmt::format_to(std::back_inserter(line_), ",{}", row[i]);
  line_.push_back('\n');
  stream_.write({line_.data(), line_.size()});
}

void CsvFile::flush() { stream_.flush(); }

void CsvFile::close() { stream_.close(); }

}  // namespace clatter
