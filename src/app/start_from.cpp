#include "app/start_from.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include <fmt/format.h>

#include <clatter/io/hdf5_reader.hpp>

#include "app/result_directory.hpp"

namespace clatter {
namespace {

/// "DIRECTORY@TIME" taken apart; no time: the end.
std::pair<std::string, std::optional<double>> directory_and_time(const std::string& text) {
  const auto at = text.rfind('@');
  if (at == std::string::npos) return {text, std::nullopt};
  char* end = nullptr;
  const double time = std::strtod(text.c_str() + at + 1, &end);
  if (end == text.c_str() + at + 1 || *end != '\0' || !std::isfinite(time)) {
    throw Error(fmt::format("--from {}: what follows '@' must be a time in seconds", text));
  }
  return {text.substr(0, at), time};
}

/// One row of the results of a run, by channel.
class Row {
 public:
  Row(const Hdf5Reader& file, std::optional<double> time) : file_(file) {
    const std::vector<double> times = file.numbers("/time");
    if (times.empty()) file.fail("it holds no samples");
    rows_ = times.size();
    row_ = rows_ - 1;
    if (!time) return;
    for (std::size_t i = 0; i < rows_; ++i) {
      if (std::abs(times[i] - *time) < std::abs(times[row_] - *time)) row_ = i;
    }
    const double spacing = rows_ > 1 ? (times.back() - times.front()) / double(rows_ - 1) : 0.0;
    if (std::abs(times[row_] - *time) > spacing) {
      file.fail(
          fmt::format("it has no sample near t = {:g} s; its samples are from {:g} s to {:g} s",
                      *time, times.front(), times.back()));
    }
  }

  bool has(const std::string& name) const { return file_.has(name); }
  /// Entry by entry; none when there is no such channel.
  std::vector<double> operator()(const std::string& name) const {
    if (!has(name)) return {};
    const std::vector<double> all = file_.table(name);
    const std::size_t width = all.size() / rows_;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row_ * width);
    return {begin, begin + static_cast<std::ptrdiff_t>(width)};
  }

 private:
  const Hdf5Reader& file_;
  std::size_t rows_ = 0, row_ = 0;
};

/// Quantities of bodies or nodes, `of_each` numbers of each, which go to the motions at `places`.
void put(std::vector<NodeMotion>& motions, const std::vector<std::size_t>& places,
         const std::string& quantity, const std::vector<double>& values) {
  const std::size_t of_each = values.size() / std::max<std::size_t>(places.size(), 1);
  for (std::size_t k = 0; k < places.size(); ++k) {
    NodeMotion& motion = motions[places[k]];
    for (std::size_t i = 0; i < of_each; ++i) {
      const double value = values[k * of_each + i];
      const auto axis = static_cast<Eigen::Index>(i);
      if (quantity == "position") motion.position[axis] = value;
      if (quantity == "velocity") motion.velocity[axis] = value;
      if (quantity == "angle") motion.angle = value;
      if (quantity == "orientation") {
        (i == 0 ? motion.orientation.w() : motion.orientation.coeffs()[axis - 1]) = value;
      }
      if (quantity == "angular_velocity") motion.angular_velocity[of_each == 1 ? 2 : axis] = value;
    }
  }
}

constexpr std::array quantities = {"position", "velocity", "angle", "orientation",
                                   "angular_velocity"};

/// Of a body or the nodes of a beam, from its channels.
void add_motions(std::vector<NodeMotion>& motions, const Row& row, const std::string& path,
                 const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    places.push_back(motions.size());
    motions.emplace_back().name = name;
  }
  for (const std::string quantity : quantities) {
    put(motions, places, quantity, row(path + "/" + quantity));
  }
}

/// Of a crowd; what turns has more quantities than what does not.
void add_crowd(std::vector<NodeMotion>& motions, const Hdf5Reader& file, const Row& row,
               const std::string& path) {
  std::unordered_map<std::string, std::size_t> place_of;
  for (const std::string quantity : quantities) {
    std::vector<std::size_t> places;
    for (const std::string& name : file.texts_of(path + "/" + quantity, "names")) {
      const auto [found, is_new] = place_of.try_emplace(name, motions.size());
      if (is_new) motions.emplace_back().name = name;
      places.push_back(found->second);
    }
    put(motions, places, quantity, row(path + "/" + quantity));
  }
}

}  // namespace

std::vector<NodeMotion> motions_of(const std::string& text) {
  const auto [directory, time] = directory_and_time(text);
  const Hdf5Reader file(ResultDirectory{directory}.results());
  const Row row(file, time);
  std::vector<NodeMotion> motions;
  for (const std::string& body : file.names("/bodies")) {
    add_motions(motions, row, "/bodies/" + body, {body});
  }
  for (const char* path : {"/crowd", "/crowd/planar"}) {
    if (file.has(path)) add_crowd(motions, file, row, path);
  }
  for (const std::string& beam : file.names("/beams")) {
    const std::string path = "/beams/" + beam;
    const std::size_t width = row.has(path + "/angle") ? 2 : 3;
    const std::size_t nodes = row(path + "/position").size() / width;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < nodes; ++k) names.push_back(fmt::format("{}.{}", beam, k));
    add_motions(motions, row, path, names);
  }
  return motions;
}

}  // namespace clatter
