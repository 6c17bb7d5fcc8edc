#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <clatter/io/hdf5_reader.hpp>
#include <clatter/simulation/channel.hpp>

namespace clatter {

/// What a run has stored, channel by channel. Also of a run that is still going: what there is when
/// the reader is made. Rows that not all channels have yet are not there.
class ResultReader {
 public:
  explicit ResultReader(const std::filesystem::path& path);

  const Hdf5Reader& file() const { return file_; }
  const std::vector<Channel>& channels() const { return channels_; }
  std::size_t rows() const { return times_.size(); }
  const std::vector<double>& times() const { return times_; }
  /// Null when there is none of that path.
  const Channel* find(std::string_view path) const;
  /// Row by row.
  std::vector<double> values(const Channel& channel) const;
  /// Where the values of a channel are: alone in a dataset, or as a part of one of a crowd.
  struct Source {
    std::string dataset;
    std::size_t part = 0, parts = 1;
  };
  const Source& source(const Channel& channel) const { return sources_.at(channel.offset); }

 private:
  Hdf5Reader file_;
  void add(std::string path, std::vector<std::string> components, std::string unit, Source source);

  std::vector<Channel> channels_;
  std::unordered_map<int, Source> sources_;               ///< by offset of the channel
  std::unordered_map<std::string, std::size_t> numbers_;  ///< of channels, by path
  std::vector<double> times_;
};

/// A component of a channel.
struct ChannelComponent {
  const Channel* channel;
  std::size_t component;

  /// "bodies/ball/position/z".
  std::string path() const;
};

/// What patterns ask for, in the order of the channels: "energy/total", "bodies/*/position/z" or,
/// with all components, "bodies/ball/position"; `*` stands for any letters. Throws Error for a
/// pattern that finds nothing, with the nearest name.
std::vector<ChannelComponent> select_components(const std::vector<Channel>& channels,
                                                std::span<const std::string> patterns);

}  // namespace clatter
