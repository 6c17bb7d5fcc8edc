#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <zlib.h>

#include <fmt/format.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/model/beam_mesh.hpp>
#include <clatter/model/error.hpp>
#include <clatter/version.hpp>
#include <clatter/view/page_data.hpp>
#include <clatter/view/result_reader.hpp>
#include <clatter/view/scene.hpp>

namespace clatter {
namespace {

using Json = nlohmann::json;

constexpr std::size_t crowd = 2000;            ///< movers from which places are told less exactly
constexpr std::size_t most_events = 2000;      ///< the hardest of them
constexpr std::size_t most_contacts = 500;     ///< whose impacts are marked
constexpr double turn_quantum = 1.0 / 16384;   ///< of quaternions
constexpr double normal_quantum = 1.0 / 4096;  ///< of unit vectors

/// A stream of bytes.
class Bytes {
 public:
  template <class T>
  void put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    text_.append(raw, sizeof(T));
  }
  /// Zigzag code, seven bits a byte, the lowest first.
  void put_number(std::int64_t value) {
    auto code = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    for (; code >= 0x80; code >>= 7) text_ += static_cast<char>(0x80 | (code & 0x7f));
    text_ += static_cast<char>(code);
  }
  void put(const std::vector<double>& values) {
    for (const double value : values) put(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Numbers that change little from frame to frame.
class Track {
 public:
  Track(std::size_t size, double quantum) : quantum_(quantum), last_(size), before_(size) {}

  void put(Bytes& bytes, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double scaled = std::isfinite(values[i]) ? values[i] / quantum_ : 0.0;
      // Far below what doubles hold exactly: a page counts in them.
      const auto now = static_cast<std::int64_t>(std::llround(std::clamp(scaled, -1e12, 1e12)));
      const std::int64_t expected = frames_ < 2 ? last_[i] : 2 * last_[i] - before_[i];
      bytes.put_number(now - expected);
      before_[i] = last_[i];
      last_[i] = now;
    }
    ++frames_;
  }

 private:
  double quantum_;
  std::vector<std::int64_t> last_, before_;
  int frames_ = 0;
};

std::string compressed(const std::string& text) {
  z_stream stream{};
  constexpr int gzip = 15 + 16;
  if (deflateInit2(&stream, 6, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error("zlib cannot compress");
  }
  std::string result;
  std::vector<char> buffer(std::size_t{1} << 18);
  std::size_t taken = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0 && taken < text.size()) {
      const std::size_t part = std::min<std::size_t>(text.size() - taken, 1u << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + taken));
      stream.avail_in = static_cast<uInt>(part);
      taken += part;
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = deflate(&stream, taken == text.size() ? Z_FINISH : Z_NO_FLUSH);
    result.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw Error("zlib cannot compress");
  return result;
}

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
    meta_["format"] = 1;
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
    const std::string text = meta_.dump(-1, ' ', false, Json::error_handler_t::replace);
    Bytes head;
    head.put(static_cast<std::uint32_t>(text.size()));
    std::string all = head.text() + text;
    while (all.size() % 8 != 0) all += ' ';  // doubles begin where they may
    return "CLATTER1" + compressed(all + frames.text() + series.text());
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
      meta_["scene"] = scene_of(*model_, 0.0);
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
  std::vector<double> at_frames(const std::string& path) const {
    const Channel* channel = results_.find(path);
    if (channel == nullptr) return {};
    const std::vector<double> all = results_.values(*channel);
    const std::size_t width = channel->components.size();
    std::vector<double> rows;
    rows.reserve(frames_.size() * width);
    for (const std::size_t frame : frames_) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(samples_[frame] * width);
      rows.insert(rows.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    }
    return rows;
  }

  /// `nodes` movers from `first` on, with the channels of a body or beam.
  void read_movers(const std::string& path, std::size_t first, std::size_t nodes, bool planar) {
    const std::vector<double> position = at_frames(path + "/position"),
                              angle = at_frames(path + "/angle"),
                              orientation = at_frames(path + "/orientation");
    const std::size_t axes = planar ? 2 : 3;
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      for (std::size_t n = 0; n < nodes; ++n) {
        double* x = &places_[f][3 * (first + n)];
        double* q = &turns_[f][4 * (first + n)];
        const std::size_t node = f * nodes + n;
        if (!position.empty()) std::copy_n(&position[node * axes], axes, x);
        if (!angle.empty()) {
          q[0] = std::cos(angle[node] / 2);
          q[3] = std::sin(angle[node] / 2);
        }
        if (!orientation.empty()) std::copy_n(&orientation[node * 4], 4, q);
        if (f == 0) continue;
        // Of the two quaternions of a rotation the one near that of the frame before.
        const double* last = &turns_[f - 1][4 * (first + n)];
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
    std::size_t first = 0;
    if (model_) {
      for (const BodySpec& body : model_->bodies) {
        read_movers("bodies/" + body.name, first++, 1, body.kind == BodyKind::planar);
      }
      for (const BeamSpec& beam : model_->beams) {
        const std::size_t nodes = mesh_of(beam).nodes.size();
        read_movers("beams/" + beam.name, first, nodes, beam.planar);
        first += nodes;
      }
    }
    Eigen::AlignedBox3d box;
    for (const auto& frame : places_)
      for (std::size_t n = 0; n < movers_; ++n)
        if (const Vec3 at(&frame[3 * n]); at.allFinite()) box.extend(at);
    const double extent = box.isEmpty() ? 1.0 : std::max(box.diagonal().norm(), 1e-9);
    if (model_) meta_["scene"] = scene_of(*model_, box.isEmpty() ? 0.0 : extent);
    const double quantum = extent * std::exp2(movers_ > crowd ? -14 : -20);
    const std::size_t contacts = machine_ ? machine_->own_contacts().size() : 0;
    Json corners = Json::array();
    for (const Vec3& corner : {Vec3(box.min()), Vec3(box.max())})
      for (const double each : corner) corners.push_back(box.isEmpty() ? 0.0 : each);
    meta_["box"] = std::move(corners);
    meta_["movers"] = movers_;
    meta_["quantum"] = {{"place", quantum}, {"turn", turn_quantum}, {"normal", normal_quantum}};
    meta_["turns"] = movers_ <= 20 * crowd;
    if (movers_ > 20 * crowd) note("turns of bodies are not shown in crowds");

    std::vector<double> frame_times, sample_times;
    for (const std::size_t row : samples_) sample_times.push_back(results_.times()[row]);
    for (const std::size_t frame : frames_) frame_times.push_back(sample_times[frame]);
    bytes.put(frame_times);
    bytes.put(sample_times);
    Track places(3 * movers_, quantum), turns(4 * movers_, turn_quantum),
        touches(3 * contacts, quantum), normals(3 * contacts, normal_quantum);
    std::vector<double> positions(3 * contacts), directions(3 * contacts);
    for (std::size_t f = 0; f < count; ++f) {
      places.put(bytes, places_[f]);
      if (movers_ <= 20 * crowd) turns.put(bytes, turns_[f]);
      find_contacts(f, positions, directions);
      touches.put(bytes, positions);
      normals.put(bytes, directions);
    }
  }

  /// Where the contacts that the model lists are in a frame.
  void find_contacts(std::size_t f, std::vector<double>& positions, std::vector<double>& normals) {
    if (positions.empty()) return;
    Configuration q(machine_->nodes().size());
    for (std::size_t n = 0; n < movers_ && n + 1 < q.size(); ++n) {
      const double* turn = &turns_[f][4 * n];
      NodeState& node = q[n + 1];
      node.p = Quaternion(turn[0], turn[1], turn[2], turn[3]).normalized();
      node.R = node.p.toRotationMatrix();
      node.x =
          Vec3(&places_[f][3 * n]) + node.R * machine_->centre_of_mass(static_cast<int>(n) + 1);
    }
    const std::vector<Contact>& contacts = machine_->own_contacts();
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      const ContactFrame frame = contacts[c].frame(q, Vec3::UnitX());
      const Vec3 at = contacts[c].position(q, frame);
      // That of a coupler's stop points nowhere: no arrow is drawn.
      const Vec3 normal = contacts[c].is_stop() ? Vec3(Vec3::Zero()) : frame.normal;
      std::copy_n(at.data(), 3, &positions[3 * c]);
      std::copy_n(normal.data(), 3, &normals[3 * c]);
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

  void put_channel(Bytes& bytes, const Channel& channel) const {
    const std::vector<double> all = results_.values(channel);
    const std::size_t width = channel.components.size();
    for (std::size_t c = 0; c < width; ++c) {
      std::vector<std::uint32_t> differences;
      std::uint32_t last = 0;
      for (const std::size_t row : samples_) {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(all[row * width + c]));
        differences.push_back(bits - last);
        last = bits;
      }
      for (int byte = 0; byte < 4; ++byte)
        for (const std::uint32_t each : differences)
          bytes.put(static_cast<std::uint8_t>(each >> (8 * byte)));
    }
  }

  /// What schemes tell as percussion; else the impulse where a contact has no lasting force.
  std::vector<double> impacts_of(const std::string& path, const Channel& impulse,
                                 const Channel& force) const {
    if (const Channel* percussion = results_.find(path + "/normal_percussion")) {
      return results_.values(*percussion);
    }
    std::vector<double> impulses = results_.values(impulse);
    const std::vector<double> forces = results_.values(force);
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
    std::vector<Event> events;
    const auto look = [&](const std::vector<double>& all, const std::string& what) {
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] > 0.0) events.push_back({results_.times()[i], all[i], what});
    };
    std::size_t looked_at = 0;
    for (const Channel& channel : results_.channels()) {
      if (!channel.path.ends_with("/normal_impulse")) continue;
      const std::string path = channel.path.substr(0, channel.path.rfind('/'));
      if (const Channel* forces = results_.find(path + "/normal_force")) {
        if (++looked_at <= most_contacts) look(impacts_of(path, channel, *forces), path);
      }
    }
    for (const char* name : {"solver/plastic_steps", "solver/lessened_steps"}) {
      if (const Channel* channel = results_.find(name)) look(results_.values(*channel), name);
    }
    const std::size_t all = events.size();
    if (all > most_events) {
      std::nth_element(events.begin(), events.begin() + most_events, events.end(),
                       [](const Event& a, const Event& b) { return a.size > b.size; });
      events.resize(most_events);
      note(fmt::format("the {} hardest of {} impacts are marked", most_events, all));
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
    Json list = Json::array();
    for (Event& event : events) list.push_back({event.time, event.size, std::move(event.what)});
    meta_["events"] = std::move(list);
  }

  std::filesystem::path directory_;
  const PageLimits& limits_;
  ResultReader results_;
  Json meta_;
  std::optional<Model> model_;
  std::optional<Machine> machine_;
  std::size_t movers_ = 0;
  std::vector<std::size_t> samples_, frames_;  ///< rows; numbers in samples_
  std::vector<std::vector<double>> places_, turns_;
};

}  // namespace

std::string page_data(const std::filesystem::path& directory, const PageLimits& limits) {
  return PagePacker(directory, limits).pack();
}

}  // namespace clatter
