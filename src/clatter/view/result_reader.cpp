#include <algorithm>

#include <fmt/format.h>

#include <clatter/model/error.hpp>
#include <clatter/model/name_pattern.hpp>
#include <clatter/model/nearest_word.hpp>
#include <clatter/view/result_reader.hpp>

namespace clatter {

ResultReader::ResultReader(const std::filesystem::path& path) : file_(path) {
  if (!file_.has("/time")) file_.fail("it has no times: these are not results of a run");
  std::size_t rows = file_.size_of("/time")[0];
  for (const std::string& name : file_.datasets()) {
    if (name == "time") continue;
    const auto [length, numbers] = file_.size_of(name);
    const std::vector<std::string> crowd = file_.texts_of(name, "names");
    const std::size_t parts = std::max<std::size_t>(crowd.size(), 1), width = numbers / parts;
    std::vector<std::string> components = file_.texts_of(name, "components");
    if (components.size() != width) {
      components.assign(width, "");
      for (std::size_t i = 0; width > 1 && i < width; ++i) components[i] = std::to_string(i + 1);
    }
    const std::vector<std::string> units = file_.texts_of(name, "unit");
    const std::string unit = units.empty() ? std::string() : units[0];
    rows = std::min(rows, length);
    if (crowd.empty()) {
      add(name, std::move(components), unit, {name});
      continue;
    }
    const std::string quantity = name.substr(name.rfind('/') + 1);
    for (std::size_t part = 0; part < parts; ++part) {
      add(fmt::format("bodies/{}/{}", crowd[part], quantity), components, unit,
          {name, part, parts});
    }
  }
  times_ = file_.numbers("/time");
  times_.resize(rows);
}

void ResultReader::add(std::string path, std::vector<std::string> components, std::string unit,
                       Source source) {
  const int offset = channels_.empty() ? 0
                                       : channels_.back().offset +
                                             static_cast<int>(channels_.back().components.size());
  numbers_[path] = channels_.size();
  sources_[offset] = std::move(source);
  channels_.push_back({std::move(path), std::move(components), std::move(unit), offset});
}

const Channel* ResultReader::find(std::string_view path) const {
  const auto found = numbers_.find(std::string(path));
  return found == numbers_.end() ? nullptr : &channels_[found->second];
}

std::vector<double> ResultReader::values(const Channel& channel) const {
  const Source& from = source(channel);
  std::vector<double> values = from.parts == 1 ? file_.table("/" + from.dataset)
                                               : file_.part_of_table("/" + from.dataset, from.part);
  values.resize(rows() * channel.components.size());
  return values;
}

std::string ChannelComponent::path() const {
  const std::string& name = channel->components[component];
  return name.empty() ? channel->path : channel->path + "/" + name;
}

std::vector<ChannelComponent> select_components(const std::vector<Channel>& channels,
                                                std::span<const std::string> patterns) {
  std::vector<bool> is_used(patterns.size());
  std::vector<ChannelComponent> selected;
  for (const Channel& channel : channels) {
    for (std::size_t c = 0; c < channel.components.size(); ++c) {
      const ChannelComponent component{&channel, c};
      const std::string path = component.path();
      bool is_selected = false;
      for (std::size_t p = 0; p < patterns.size(); ++p) {
        if (!matches(patterns[p], path) && !matches(patterns[p], channel.path)) continue;
        is_used[p] = is_selected = true;
      }
      if (is_selected) selected.push_back(component);
    }
  }
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    if (is_used[p]) continue;
    std::vector<std::string> names;
    for (const Channel& channel : channels) {
      names.push_back(channel.path);
      for (std::size_t c = 0; channel.components.size() > 1 && c < channel.components.size(); ++c)
        names.push_back(ChannelComponent{&channel, c}.path());
    }
    throw Error(
        fmt::format("no channel is named '{}'{}", patterns[p], did_you_mean(patterns[p], names)));
  }
  return selected;
}

}  // namespace clatter
