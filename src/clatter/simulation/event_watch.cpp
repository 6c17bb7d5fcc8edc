#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <clatter/model/error.hpp>
#include <clatter/model/nearest_word.hpp>
#include <clatter/simulation/event_watch.hpp>

namespace clatter {

void check_quantity(const std::string& quantity, const Place& place, const ChannelList& channels) {
  std::vector<std::string> all;
  for (const Channel& channel : channels.list()) {
    for (const std::string& component : channel.components) {
      all.push_back(component.empty() ? channel.path : channel.path + "/" + component);
      if (all.back() == quantity) return;
    }
  }
  const std::optional<TurnedQuantity> turned = turned_quantity(quantity);
  if (turned && std::find(all.begin(), all.end(), turned->path) != all.end()) return;
  throw Error(place, fmt::format("the run has no quantity {}{}", in_quotes(quantity),
                                 did_you_mean(quantity, all)));
}

EventWatch::EventWatch(const std::vector<EventSpec>& events, const ChannelList& channels)
    : events_(&events), channels_(&channels) {
  for (const EventSpec& event : events) {
    check_quantity(event.quantity, event.place, channels);
    for (const std::string& quantity : event.record) {
      check_quantity(quantity, event.place, channels);
    }
  }
}

double EventWatch::height(int event, const State& state) const {
  return channels_->read_one(state, spec(event).quantity) - spec(event).value;
}

std::vector<double> EventWatch::heights(const State& state) const {
  std::vector<double> all;
  for (int e = 0; e < static_cast<int>(events_->size()); ++e) all.push_back(height(e, state));
  return all;
}

bool EventWatch::crosses(int event, double before, double after) const {
  const bool rises = before < 0.0 && after >= 0.0, falls = before > 0.0 && after <= 0.0;
  switch (spec(event).way) {
    case EventSpec::Way::rising:
      return rises;
    case EventSpec::Way::falling:
      return falls;
    case EventSpec::Way::either:
      break;
  }
  return rises || falls;
}

std::vector<int> EventWatch::crossed(std::span<const double> before,
                                     std::span<const double> after) const {
  std::vector<int> found;
  for (int e = 0; e < static_cast<int>(events_->size()); ++e) {
    const auto i = static_cast<std::size_t>(e);
    if (crosses(e, before[i], after[i])) found.push_back(e);
  }
  return found;
}

std::vector<double> EventWatch::record(int event, const State& state) const {
  std::vector<double> values;
  for (const std::string& quantity : spec(event).record) {
    values.push_back(channels_->read_one(state, quantity));
  }
  return values;
}

double find_crossing(double end, double height_at_start, double height_at_end,
                     const std::function<double(double)>& height_at,
                     const std::function<bool(double)>& is_crossed) {
  constexpr double sharp = 1e-12;
  constexpr int most_secants = 12, most_trials = 100;
  double near = 0.0, far = end, h_near = height_at_start, h_far = height_at_end;
  int stays = 0;  // which side did in the last trial: -1 near, 1 far
  for (int trial = 0; trial < most_trials && far - near > sharp * end; ++trial) {
    // A secant, on which the height of a side that stays again is halved (Illinois), finds what is
    // smooth in few trials; then the middle, for quantities that jump.
    const bool is_secant = trial < most_secants;
    const double least = 0.25 * sharp * end / (far - near);
    const double part = is_secant ? std::clamp(h_near / (h_near - h_far), least, 1.0 - least) : 0.5;
    const double at = near + part * (far - near), height = height_at(at);
    const int stayed = stays;
    if (is_crossed(height)) {
      if (height == 0.0) return at;
      far = at;
      h_far = height;
      stays = -1;
      if (stayed == stays) h_near *= 0.5;
    } else {
      near = at;
      h_near = height;
      stays = 1;
      if (stayed == stays) h_far *= 0.5;
    }
  }
  return far;
}

}  // namespace clatter
