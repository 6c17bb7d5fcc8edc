#pragma once

#include <functional>
#include <span>
#include <vector>

#include <clatter/machine/model.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/simulation/channels.hpp>

namespace clatter {

/// Throws Error when a quantity is no number of the channels.
void check_quantity(const std::string& quantity, const Place& place, const ChannelList& channels);

/// Sees when quantities cross the values of the events of a model.
class EventWatch {
 public:
  /// Throws Error when a quantity is none of the channels, or has several components. Both must
  /// outlive it.
  EventWatch(const std::vector<EventSpec>& events, const ChannelList& channels);

  bool any() const { return !events_->empty(); }
  const EventSpec& spec(int event) const { return (*events_)[static_cast<std::size_t>(event)]; }
  /// Of each event how far its quantity is above its value.
  std::vector<double> heights(const State& state) const;
  /// Which of them happen between two heights.
  std::vector<int> crossed(std::span<const double> before, std::span<const double> after) const;
  double height(int event, const State& state) const;
  bool crosses(int event, double before, double after) const;
  std::vector<double> record(int event, const State& state) const;

 private:
  const std::vector<EventSpec>* events_;
  const ChannelList* channels_;
};

/// Where in ]0, end] a quantity has crossed zero: `height_at` is asked at lengths of steps, and
/// `is_crossed` tells of a height whether that lies behind. The quantity may jump. To 1e-12 of
/// `end`, the far side of it.
double find_crossing(double end, double height_at_start, double height_at_end,
                     const std::function<double(double)>& height_at,
                     const std::function<bool(double)>& is_crossed);

}  // namespace clatter
