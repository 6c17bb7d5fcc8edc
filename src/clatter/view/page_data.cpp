#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/model/beam_mesh.hpp>
#include <clatter/model/error.hpp>
#include <clatter/version.hpp>
#include <clatter/view/contact_places.hpp>
#include <clatter/view/modes_page.hpp>
#include <clatter/view/page_data.hpp>
#include <clatter/view/page_stream.hpp>
#include <clatter/view/result_reader.hpp>
#include <clatter/view/scene.hpp>

namespace clatter {
namespace {

using Json = nlohmann::json;

constexpr std::size_t crowd = 2000;         ///< movers from which places are told less exactly
constexpr std::size_t most_events = 2000;   ///< of impacts, and of hard steps: the hardest of them
constexpr std::size_t most_contacts = 500;  ///< whose impacts are marked

/// `count` of `all`, with the first and the last.
std::vector<std::size_t> spread(std::size_t all, std::size_t count) {
  count =
      std::clamp<std::size_t>(count, std::min<std::size_t>(all, 2), std::max<std::size_t>(all, 1));
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count && i < all; ++i) {
    chosen.push_back(count < 2 ? 0 : (i * (all - 1) + (count - 1) / 2) / (count - 1));
  }
  return chosen;
}

class PagePacker {
 public:
  PagePacker(const std::filesystem::path& directory, const PageLimits& limits)
      : directory_(directory), limits_(limits), results_(directory / "results.h5") {
    if (results_.rows() == 0) results_.file().fail("it holds no samples yet");
    meta_["format"] = page_format;
    meta_["clatter"] = version;
    meta_["name"] = directory.filename().empty() ? directory.parent_path().filename().string()
                                                 : directory.filename().string();
    meta_["notes"] = Json::array();
    read_summary();
    read_model();
    choose_rows();
  }

  std::string pack() {
    Bytes frames;
    pack_frames(frames);
    meta_["frame_bytes"] = frames.text().size();  // with the times before
    pack_points(frames);
    Bytes series;
    pack_series(series);
    find_events();
    return packed_page(meta_, frames.text() + series.text());
  }

 private:
  void note(std::string text) { meta_["notes"].push_back(std::move(text)); }

  void read_summary() {
    std::ifstream stream(directory_ / "summary.json");
    Json summary = Json::parse(stream, nullptr, false);
    if (!summary.is_object()) {
      note("summary.json is missing or damaged");
      summary = Json::object();
    }
    meta_["summary"] = std::move(summary);
    const auto text = [&](const char* name) {
      const std::vector<std::string> all = results_.file().texts(name);
      return all.empty() ? std::string() : all[0];
    };
    meta_["title"] = text("title");
    meta_["model_file"] = text("model_file");
    meta_["model_text"] = text("model_text");
    meta_["overrides"] = results_.file().texts("overrides");
    meta_["version"] = text("clatter_version");
  }

  /// A model that cannot be read again, as its meshes are elsewhere, say, leaves the plots.
  void read_model() {
    try {
      model_ = parse_model(results_.file().text("model_text"), results_.file().text("model_file"),
                           results_.file().texts("overrides"));
      meta_["scene"] = scene_of(*model_, {});
      machine_.emplace(*model_);
    } catch (const std::exception& error) {
      note(fmt::format("the bodies cannot be drawn: {}", error.what()));
      meta_["scene"] = nullptr;
      model_.reset();
    }
  }

  void choose_rows() {
    std::size_t components = 0;
    for (const Channel& channel : results_.channels()) components += channel.components.size();
    std::size_t samples = std::min(limits_.samples, results_.rows());
    const std::size_t enough = std::min<std::size_t>(samples, 500);
    samples = std::clamp(limits_.values / std::max<std::size_t>(components, 1), enough, samples);
    samples_ = spread(results_.rows(), samples);
    if (samples_.size() < results_.rows()) {
      note(fmt::format("{} of {} samples are in this page", samples_.size(), results_.rows()));
    }
    movers_ = model_ ? count_movers(*model_) : 0;
    const std::size_t most = limits_.places / std::max<std::size_t>(movers_, 1);
    for (const std::size_t i :
         spread(samples_.size(), std::min(limits_.frames, std::max<std::size_t>(most, 2)))) {
      frames_.push_back(i);
    }
    meta_["samples"] = samples_.size();
    meta_["frames"] = frames_;  // as numbers of samples
  }

  /// A channel at the frames, row by row; empty when there is none.
  std::vector<double> at_frames(const std::string& path) {
    const Channel* channel = results_.find(path);
    if (channel == nullptr) return {};
    const Values all = values_of(*channel);
    std::vector<double> rows;
    rows.reserve(frames_.size() * all.width);
    for (const std::size_t frame : frames_)
      for (std::size_t c = 0; c < all.width; ++c) rows.push_back(all(samples_[frame], c));
    return rows;
  }

  /// Those of one channel, which may be a part of the rows of a crowd.
  struct Values {
    const std::vector<double>* numbers;
    std::size_t begin, stride, width;
    double operator()(std::size_t row, std::size_t component) const {
      return (*numbers)[row * stride + begin + component];
    }
  };
  /// Until those of another dataset are asked for.
  Values values_of(const Channel& channel) {
    const ResultReader::Source& source = results_.source(channel);
    if (read_ != source.dataset) {
      numbers_ = results_.file().table("/" + source.dataset);
      read_ = source.dataset;
    }
    const std::size_t width = channel.components.size();
    return {&numbers_, source.part * width, source.parts * width, width};
  }

  bool has_turns() const { return movers_ <= 20 * crowd; }

  /// `nodes` movers from `first` on, with a channel of a body or beam.
  void read_movers(const std::string& path, const std::string& quantity, std::size_t first,
                   std::size_t nodes, bool planar) {
    const std::vector<double> values = at_frames(path + "/" + quantity);
    if (values.empty()) return;
    const std::size_t axes = planar ? 2 : 3;
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      for (std::size_t n = 0; n < nodes; ++n) {
        double* x = &places_[f][3 * (first + n)];
        double* q = &turns_[f][4 * (first + n)];
        const std::size_t node = f * nodes + n;
        if (quantity == "position") {
          std::copy_n(&values[node * axes], axes, x);
        } else if (quantity == "angle") {
          q[0] = std::cos(values[node] / 2);
          q[3] = std::sin(values[node] / 2);
        } else {
          std::copy_n(&values[node * 4], 4, q);
        }
      }
    }
  }

  /// Of the two quaternions of a rotation the one near that of the frame before.
  void keep_signs() {
    for (std::size_t f = 1; f < turns_.size(); ++f) {
      for (std::size_t n = 0; n < movers_; ++n) {
        double* q = &turns_[f][4 * n];
        const double* last = &turns_[f - 1][4 * n];
        double product = 0.0;
        for (int i = 0; i < 4; ++i) product += q[i] * last[i];
        for (int i = 0; product < 0.0 && i < 4; ++i) q[i] = -q[i];
      }
    }
  }

  void pack_frames(Bytes& bytes) {
    const std::size_t count = frames_.size();
    places_.assign(count, std::vector<double>(3 * movers_));
    turns_.assign(count, std::vector<double>(4 * movers_));
    for (auto& frame : turns_)
      for (std::size_t n = 0; n < movers_; ++n) frame[4 * n] = 1.0;
    // Quantity by quantity, as those of a crowd are in one dataset.
    for (const char* quantity : {"position", "angle", "orientation"}) {
      if (quantity != std::string("position") && !has_turns()) continue;
      std::size_t first = 0;
      if (!model_) continue;
      for (const BodySpec& body : model_->bodies) {
        read_movers("bodies/" + body.name, quantity, first++, 1, body.kind == BodyKind::planar);
      }
      for (const BeamSpec& beam : model_->beams) {
        const std::size_t nodes = mesh_of(beam).nodes.size();
        read_movers("beams/" + beam.name, quantity, first, nodes, beam.planar);
        first += nodes;
      }
    }
    keep_signs();
    Eigen::AlignedBox3d box;
    for (const auto& frame : places_)
      for (std::size_t n = 0; n < movers_; ++n)
        if (const Vec3 at(&frame[3 * n]); at.allFinite()) box.extend(at);
    if (model_) meta_["scene"] = scene_of(*model_, box);
    const double quantum = place_quantum(box, 0.0, movers_ > crowd ? -14 : -20);
    const std::size_t contacts = machine_ ? machine_->own_contacts().size() : 0;
    Json corners = Json::array();
    for (const Vec3& corner : {Vec3(box.min()), Vec3(box.max())})
      for (const double each : corner) corners.push_back(box.isEmpty() ? 0.0 : each);
    meta_["box"] = std::move(corners);
    meta_["movers"] = movers_;
    meta_["quantum"] = {{"place", quantum}, {"turn", turn_quantum}, {"normal", normal_quantum}};
    meta_["turns"] = has_turns();
    if (!has_turns()) note("turns of bodies are not shown in crowds");

    std::vector<double> frame_times, sample_times;
    for (const std::size_t row : samples_) sample_times.push_back(results_.times()[row]);
    for (const std::size_t frame : frames_) frame_times.push_back(sample_times[frame]);
    bytes.put(frame_times);
    bytes.put(sample_times);
    Track places(3 * movers_, quantum), turns(4 * movers_, turn_quantum),
        touches(3 * contacts, quantum), normals(3 * contacts, normal_quantum),
        tangents(3 * contacts, normal_quantum);
    ContactPlaces found(contacts);
    for (std::size_t f = 0; f < count; ++f) {
      places.put(bytes, places_[f]);
      if (has_turns()) turns.put(bytes, turns_[f]);
      if (machine_) find_contacts(*machine_, places_[f], turns_[f], found);
      touches.put(bytes, found.positions);
      normals.put(bytes, found.normals);
      tangents.put(bytes, found.tangents);
    }
  }

  /// For each frame how many there are, then all of them.
  void pack_points(Bytes& bytes) {
    Json counts = Json::array();
    const std::filesystem::path path = directory_ / "contacts.h5";
    if (std::filesystem::exists(path)) {
      try {
        put_points(bytes, Hdf5Reader(path), counts);
      } catch (const Error& error) {
        note(fmt::format("points of contact cannot be shown: {}", error.what()));
        counts = Json::array();
      }
    }
    meta_["points"] = std::move(counts);
  }

  void put_points(Bytes& bytes, const Hdf5Reader& file, Json& counts) {
    const std::vector<double> times = file.numbers("/time"), end = file.numbers("/end"),
                              position = file.table("/position"), force = file.table("/force"),
                              status = file.numbers("/status"), gap = file.numbers("/gap");
    Bytes points;
    std::size_t all = 0;
    for (const std::size_t frame : frames_) {
      const double time = results_.times()[samples_[frame]];
      const auto row = static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), time) -
                                                times.begin());
      std::size_t count = 0;
      if (row < end.size() && times[row] == time) {
        const auto to = static_cast<std::size_t>(std::max(end[row], 0.0));
        const auto from = row == 0 ? 0 : static_cast<std::size_t>(std::max(end[row - 1], 0.0));
        for (std::size_t p = from; p < to && p < gap.size() && p < status.size(); ++p) {
          if (3 * p + 2 >= position.size() || 3 * p + 2 >= force.size()) break;
          if (all + count >= limits_.points) break;
          for (int i = 0; i < 3; ++i) points.put(static_cast<float>(position[3 * p + i]));
          for (int i = 0; i < 3; ++i) points.put(static_cast<float>(force[3 * p + i]));
          points.put(static_cast<float>(status[p]));
          points.put(static_cast<float>(gap[p]));
          ++count;
        }
      }
      counts.push_back(count);
      all += count;
    }
    if (all >= limits_.points) note("not all points of contact are in this page");
    for (const char each : points.text()) bytes.put(each);
  }

  void pack_series(Bytes& bytes) {
    // What belongs to no single body first, so that crowds leave it.
    std::vector<const Channel*> order;
    for (const Channel& channel : results_.channels()) order.push_back(&channel);
    std::stable_partition(order.begin(), order.end(), [](const Channel* channel) {
      return !channel->path.starts_with("bodies/") && !channel->path.starts_with("beams/");
    });
    Json channels = Json::array();
    std::size_t values = 0, left_out = 0;
    for (const Channel* channel : order) {
      const std::size_t width = channel->components.size();
      values += width * samples_.size();
      if (values > std::max(limits_.values, limits_.samples)) {
        ++left_out;
        continue;
      }
      put_channel(bytes, *channel);
      channels.push_back({{"path", channel->path}, {"unit", channel->unit}});
      if (width > 1 || !channel->components[0].empty())
        channels.back()["components"] = channel->components;
    }
    if (left_out > 0) note(fmt::format("{} channels are only in results.h5", left_out));
    meta_["channels"] = std::move(channels);
  }

  void put_channel(Bytes& bytes, const Channel& channel) {
    const Values all = values_of(channel);
    for (std::size_t c = 0; c < all.width; ++c) {
      std::vector<std::uint32_t> differences;
      std::uint32_t last = 0;
      for (const std::size_t row : samples_) {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(all(row, c)));
        differences.push_back(bits - last);
        last = bits;
      }
      for (int byte = 0; byte < 4; ++byte)
        for (const std::uint32_t each : differences)
          bytes.put(static_cast<std::uint8_t>(each >> (8 * byte)));
    }
  }

  /// Lengths of its rows.
  std::vector<double> sizes_of(const Channel& channel) const {
    const std::vector<double> values = results_.values(channel);
    const std::size_t width = channel.components.size();
    std::vector<double> sizes(values.size() / width);
    for (std::size_t i = 0; i < values.size(); ++i)
      sizes[i / width] = std::hypot(sizes[i / width], values[i]);
    return sizes;
  }

  /// What schemes tell as percussion; else the impulse where a contact has no lasting force.
  std::vector<double> impacts_of(const std::string& path, const Channel& impulse,
                                 const Channel& force) const {
    if (const Channel* percussion = results_.find(path + "/normal_percussion")) {
      return results_.values(*percussion);
    }
    std::vector<double> impulses = sizes_of(impulse);
    const std::vector<double> forces = sizes_of(force);
    for (std::size_t i = 0; i < impulses.size(); ++i)
      if (forces[i] != 0.0) impulses[i] = 0.0;
    return impulses;
  }

  /// Impacts and hard steps of all samples, also of those that the page does not have.
  void find_events() {
    struct Event {
      double time, size;
      std::string what;
    };
    std::vector<Event> impacts, steps;
    const auto look = [&](const std::vector<double>& all, const std::string& what,
                          std::vector<Event>& events) {
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] > 0.0) events.push_back({results_.times()[i], all[i], what});
    };
    std::size_t looked_at = 0;
    for (const Channel& channel : results_.channels()) {
      const bool is_pair = channel.path.starts_with("pairs/");
      if (!channel.path.ends_with(is_pair ? "/impulse" : "/normal_impulse")) continue;
      const std::string path = channel.path.substr(0, channel.path.rfind('/'));
      if (const Channel* forces = results_.find(path + (is_pair ? "/force" : "/normal_force"))) {
        if (++looked_at <= most_contacts) look(impacts_of(path, channel, *forces), path, impacts);
      }
    }
    for (const char* name : {"solver/plastic_steps", "solver/lessened_steps"}) {
      if (const Channel* channel = results_.find(name))
        look(results_.values(*channel), name, steps);
    }
    if (const Channel* channel = results_.find("solver/substeps")) {  // so far
      std::vector<double> parts = results_.values(*channel);
      std::adjacent_difference(parts.begin(), parts.end(), parts.begin());
      look(parts, channel->path, steps);
    }
    const auto keep_hardest = [&](std::vector<Event>& events, const char* what) {
      if (events.size() <= most_events) return;
      note(fmt::format("the {} hardest of {} {} are marked", most_events, events.size(), what));
      std::nth_element(events.begin(), events.begin() + most_events, events.end(),
                       [](const Event& a, const Event& b) { return a.size > b.size; });
      events.resize(most_events);
    };
    keep_hardest(impacts, "impacts");
    keep_hardest(steps, "hard steps");
    std::vector<Event> events = std::move(impacts);
    events.insert(events.end(), steps.begin(), steps.end());
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
    Json list = Json::array();
    for (Event& event : events) list.push_back({event.time, event.size, std::move(event.what)});
    meta_["events"] = std::move(list);
  }

  std::filesystem::path directory_;
  const PageLimits& limits_;
  ResultReader results_;
  std::string read_;             ///< the dataset that was read last
  std::vector<double> numbers_;  ///< all of it
  Json meta_;
  std::optional<Model> model_;
  std::optional<Machine> machine_;
  std::size_t movers_ = 0;
  std::vector<std::size_t> samples_, frames_;  ///< rows; numbers in samples_
  std::vector<std::vector<double>> places_, turns_;
};

}  // namespace

std::string page_data(const std::filesystem::path& directory, const PageLimits& limits) {
  if (has_modes(directory)) return page_of_modes(directory);
  return PagePacker(directory, limits).pack();
}

}  // namespace clatter
