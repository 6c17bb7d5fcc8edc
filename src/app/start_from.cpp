#include "app/start_from.hpp"

#include <cmath>
#include <cstdlib>

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

/// Node k of so many from the channels of a body or beam.
NodeMotion motion_of(const Row& row, const std::string& path, std::string name, std::size_t k,
                     std::size_t count) {
  NodeMotion motion;
  motion.name = std::move(name);
  const auto read = [&](const char* channel, auto&& put) {
    const std::vector<double> values = row(path + "/" + channel);
    const std::size_t width = values.size() / count;
    for (std::size_t i = 0; i < width; ++i) put(i, width, values[k * width + i]);
  };
  read("position", [&](std::size_t i, std::size_t, double x) {
    motion.position[static_cast<Eigen::Index>(i)] = x;
  });
  read("velocity", [&](std::size_t i, std::size_t, double x) {
    motion.velocity[static_cast<Eigen::Index>(i)] = x;
  });
  read("angle", [&](std::size_t, std::size_t, double x) { motion.angle = x; });
  read("orientation", [&](std::size_t i, std::size_t, double x) {
    (i == 0 ? motion.orientation.w()
            : motion.orientation.coeffs()[static_cast<Eigen::Index>(i) - 1]) = x;
  });
  read("angular_velocity", [&](std::size_t i, std::size_t width, double x) {
    motion.angular_velocity[width == 1 ? 2 : static_cast<Eigen::Index>(i)] = x;
  });
  return motion;
}

}  // namespace

std::vector<NodeMotion> motions_of(const std::string& text) {
  const auto [directory, time] = directory_and_time(text);
  const Hdf5Reader file(ResultDirectory{directory}.results());
  const Row row(file, time);
  std::vector<NodeMotion> motions;
  for (const std::string& body : file.names("/bodies")) {
    motions.push_back(motion_of(row, "/bodies/" + body, body, 0, 1));
  }
  for (const std::string& beam : file.names("/beams")) {
    const std::string path = "/beams/" + beam;
    const std::size_t width = row.has(path + "/angle") ? 2 : 3;
    const std::size_t nodes = row(path + "/position").size() / width;
    for (std::size_t k = 0; k < nodes; ++k) {
      motions.push_back(motion_of(row, path, fmt::format("{}.{}", beam, k), k, nodes));
    }
  }
  return motions;
}

}  // namespace clatter
