#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include <fmt/format.h>

#include <clatter/io/hdf5_reader.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/io/tessellation.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/version.hpp>
#include <clatter/view/modes_page.hpp>
#include <clatter/view/page_stream.hpp>
#include <clatter/view/scene.hpp>

namespace clatter {
namespace {

using Json = nlohmann::json;

constexpr std::size_t frames_of_mode = 24;                         ///< over one vibration
constexpr double drawn_displacement = 0.08, drawn_rotation = 0.5;  ///< of the size; [rad]

/// Where all movers are in a frame.
struct Pose {
  std::vector<double> places, turns;
};

/// The shapes of modes about a place of rest, node by node: bodies, then nodes of beams.
class DrawnModes {
 public:
  explicit DrawnModes(const Hdf5Reader& file)
      : frequencies(file.numbers("/frequency")),
        squares(file.numbers("/square")),
        free(file.numbers("/free")),
        damping(file.numbers("/damping_ratio")),
        displacements_(file.table("/displacement")),
        rotations_(file.table("/rotation")),
        positions_(file.table("/rest_position")),
        orientations_(file.table("/rest_orientation")) {
    if (frequencies.empty()) file.fail("it holds no modes: there is nothing to show");
    nodes_ = displacements_.size() / frequencies.size() / 3;
  }

  std::size_t nodes() const { return nodes_; }

  /// The factor that makes a mode large enough to be seen in a model of that size, and small enough
  /// to be a shape.
  double drawn(std::size_t mode, double size) const {
    double way = 1e-300, turn = 1e-300;
    for (std::size_t n = 0; n < nodes_; ++n) {
      way = std::max(way, at(displacements_, mode, n).norm());
      turn = std::max(turn, at(rotations_, mode, n).norm());
    }
    return std::min(drawn_displacement * size / way, drawn_rotation / turn);
  }

  /// Displaced by `factor` times a mode.
  Pose pose(const Machine& machine, std::size_t mode, double factor) const {
    Pose pose;
    for (std::size_t n = 0; n < nodes_; ++n) {
      const double* q = &orientations_[4 * n];
      const Vec3 turn = factor * at(rotations_, mode, n);
      const double angle = turn.norm();
      Quaternion orientation = Quaternion(q[0], q[1], q[2], q[3]);
      if (angle > 0.0) orientation = orientation * Eigen::AngleAxisd(angle, turn / angle);
      const Vec3 centre = machine.centre_of_mass(static_cast<int>(n) + 1);
      const Vec3 place =
          Vec3(&positions_[3 * n]) + factor * at(displacements_, mode, n) - orientation * centre;
      pose.places.insert(pose.places.end(), place.begin(), place.end());
      for (const double each :
           {orientation.w(), orientation.x(), orientation.y(), orientation.z()}) {
        pose.turns.push_back(each);
      }
    }
    return pose;
  }

  const std::vector<double> frequencies, squares, free, damping;

 private:
  Vec3 at(const std::vector<double>& table, std::size_t mode, std::size_t node) const {
    return Vec3(&table[3 * (mode * nodes_ + node)]);
  }

  std::vector<double> displacements_, rotations_, positions_, orientations_;
  std::size_t nodes_ = 0;
};

}  // namespace

bool has_modes(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / "modes.h5") &&
         !std::filesystem::exists(directory / "results.h5");
}

std::string page_of_modes(const std::filesystem::path& directory) {
  const Hdf5Reader file(directory / "modes.h5");
  const DrawnModes modes(file);
  const Model model = parse_model(file.text("model_text"), file.text("model_file"),
                                  file.texts("overrides"), ModelUse::rest);
  const Machine machine(model);
  if (modes.nodes() != count_movers(model)) file.fail("its shapes are not those of its model");
  std::ifstream stream(directory / "summary.json");
  Json summary = Json::parse(stream, nullptr, false);
  if (!summary.is_object()) summary = Json::object();

  Eigen::AlignedBox3d box;
  const Pose rest = modes.pose(machine, 0, 0.0);
  for (std::size_t n = 0; n < modes.nodes(); ++n) box.extend(Vec3(&rest.places[3 * n]));
  const double extent = std::max(box.diagonal().norm(), 1e-9);
  Json meta{{"format", page_format},
            {"clatter", version},
            {"name", directory.filename().empty() ? directory.parent_path().filename().string()
                                                  : directory.filename().string()},
            {"title", file.text("title")},
            {"model_file", file.text("model_file")},
            {"model_text", file.text("model_text")},
            {"overrides", file.texts("overrides")},
            {"version", file.text("clatter_version")},
            {"notes", Json::array()},
            {"summary", std::move(summary)}};
  meta["scene"] = scene_of(model, box);
  // What touches is not told of modes: contacts hold nothing.
  meta["scene"]["contacts"] = Json::array();
  // Of one body the box is a point: its shape tells the size.
  double size = extent;
  for (const BodySpec& body : model.bodies) {
    for (const PlacedShape& shape : body.shapes)
      for (const Vec3& point : tessellate(shape, body.kind == BodyKind::planar, 0.0).points)
        size = std::max(size, point.norm());
  }

  const std::size_t count = modes.frequencies.size(), frames = count * frames_of_mode;
  const double quantum = place_quantum(box, size, -20);
  Bytes bytes;
  std::vector<std::size_t> samples;
  std::vector<double> times;
  for (std::size_t f = 0; f < frames; ++f) {
    samples.push_back(f);
    times.push_back(1.0 + static_cast<double>(f) / frames_of_mode);
  }
  bytes.put(times);
  bytes.put(times);
  Track places(3 * modes.nodes(), quantum), turns(4 * modes.nodes(), turn_quantum);
  for (std::size_t mode = 0; mode < count; ++mode) {
    const double factor = modes.drawn(mode, size);
    for (std::size_t k = 0; k < frames_of_mode; ++k) {
      const double phase = 2.0 * std::numbers::pi * static_cast<double>(k) / frames_of_mode;
      const Pose pose = modes.pose(machine, mode, factor * std::sin(phase));
      places.put(bytes, pose.places);
      for (std::size_t n = 0; n < modes.nodes(); ++n) box.extend(Vec3(&pose.places[3 * n]));
      turns.put(bytes, pose.turns);
    }
    meta["modes"]["list"].push_back({{"frequency", modes.frequencies[mode]},
                                     {"square", modes.squares[mode]},
                                     {"free", modes.free[mode] != 0.0},
                                     {"damping_ratio", modes.damping[mode]}});
  }
  meta["box"] = Json::array();
  for (const Vec3& corner : {Vec3(box.min()), Vec3(box.max())})
    for (const double each : corner) meta["box"].push_back(each);
  meta["modes"]["frames"] = frames_of_mode;
  meta["samples"] = frames;
  meta["frames"] = samples;
  meta["movers"] = modes.nodes();
  meta["turns"] = true;
  meta["quantum"] = {{"place", quantum}, {"turn", turn_quantum}, {"normal", normal_quantum}};
  meta["channels"] = Json::array();
  meta["points"] = std::vector<int>(frames);
  meta["events"] = Json::array();
  meta["frame_bytes"] = bytes.text().size();
  return packed_page(meta, bytes.text());
}

}  // namespace clatter
