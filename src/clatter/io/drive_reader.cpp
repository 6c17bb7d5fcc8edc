#include <charconv>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/drive_reader.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

constexpr std::size_t most_points = 10'000'000;
constexpr std::size_t longest_line = 100'000;

using Points = std::vector<Eigen::Vector2d>;

/// A name that formulas can call.
bool is_callable(const std::string& name) {
  constexpr const char* letters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return !name.empty() && std::string_view("0123456789").find(name[0]) == std::string_view::npos &&
         name.find_first_not_of(letters) == std::string::npos && !Formula::knows(name);
}

/// The field of that number in a line, separated by commas, semicolons or tabs, as a number.
std::optional<double> number_in(std::string_view line, int column) {
  for (int c = 1; c < column; ++c) {
    const std::size_t end = line.find_first_of(",;\t");
    if (end == line.npos) return std::nullopt;
    line.remove_prefix(end + 1);
  }
  line = line.substr(0, line.find_first_of(",;\t"));
  const std::size_t first = line.find_first_not_of(" \"+"), last = line.find_last_not_of(" \"\r");
  if (first == line.npos || last == line.npos || last < first) return std::nullopt;
  line = line.substr(first, last - first + 1);
  double value = 0.0;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc() || rest != line.data() + line.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<Points> read_points_of(const TomlTable& table, const std::string& name,
                                     const std::filesystem::path& path, int argument, int value) {
  std::ifstream stream(path, std::ios::binary);
  const auto refuse = [&](const std::string& why) {
    table.refuse("file", fmt::format("'file': {} {}", name, why));
    return std::nullopt;
  };
  if (std::error_code error; !std::filesystem::is_regular_file(path, error) || !stream) {
    return refuse("cannot be opened for reading");
  }
  Points points;
  std::string line;
  for (long n = 1; std::getline(stream, line); ++n) {
    if (line.size() > longest_line)
      return refuse(fmt::format("has no lines of numbers (line {})", n));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const std::optional<double> x = number_in(line, argument), y = number_in(line, value);
    if (!x || !y) {
      if (points.empty()) continue;  // names of the columns
      return refuse(fmt::format("has no number in column {} of line {}", x ? value : argument, n));
    }
    if (points.size() == most_points) return refuse("has more than ten million lines");
    points.emplace_back(*x, *y);
  }
  if (points.size() < 2) {
    return refuse(
        fmt::format("has no two lines with numbers in columns {} and {}", argument, value));
  }
  return points;
}

std::optional<std::array<double, 2>> pair_of(const TomlTable& table, const char* key,
                                             double other) {
  const auto numbers = table.numbers(key);
  if (!numbers) return table.has(key) ? std::nullopt : std::optional(std::array{1.0, other});
  if (numbers->size() == 2) return std::array{(*numbers)[0], (*numbers)[1]};
  table.refuse(key, fmt::format("'{}' is two numbers, for arguments and values", key));
  return std::nullopt;
}

std::optional<Points> points_of(const TomlTable& table, const std::filesystem::path& folder) {
  table.refuse_together("file", "points");
  if (!table.has("file")) {
    if (!table.has("points")) table.refuse_table("a table needs 'points' or a 'file'");
    if (table.has("columns")) table.refuse_key("columns", "'columns' are those of a 'file'");
    return table.pairs("points");
  }
  const auto file = table.text("file");
  const auto columns = pair_of(table, "columns", 2.0);
  if (!file || !columns) return std::nullopt;
  for (const double column : *columns) {
    if (column == std::floor(column) && column < 1e4) continue;
    table.refuse("columns", "'columns' are two whole numbers");
    return std::nullopt;
  }
  return read_points_of(table, *file, folder / *file, static_cast<int>((*columns)[0]),
                        static_cast<int>((*columns)[1]));
}

std::shared_ptr<const Tabulated> read_formula_table(const TomlTable& table,
                                                    const std::filesystem::path& folder) {
  std::optional<Points> points = points_of(table, folder);
  const auto scale = pair_of(table, "scale", 1.0);
  if (!points || !scale) return nullptr;
  const char* key = table.has("file") ? "file" : "points";
  for (Eigen::Vector2d& point : *points) {
    point = Eigen::Vector2d(point.x() * (*scale)[0], point.y() * (*scale)[1]);
  }
  for (std::size_t i = 1; i < points->size(); ++i) {
    if ((*points)[i].x() > (*points)[i - 1].x()) continue;
    table.refuse(key, fmt::format("'{}': arguments must ascend, but {} comes after {}", key,
                                  (*points)[i].x(), (*points)[i - 1].x()));
    return nullptr;
  }
  auto between = Tabulated::Between::linear;
  auto beyond = Tabulated::Beyond::hold;
  if (table.text("between") == "spline") between = Tabulated::Between::spline;
  if (table.text("beyond") == "zero") beyond = Tabulated::Beyond::zero;
  if (table.text("beyond") == "repeat") {
    beyond = Tabulated::Beyond::repeat;
    const double gap = std::abs(points->back().y() - points->front().y());
    double size = 0.0;
    for (const Eigen::Vector2d& point : *points) size = std::max(size, std::abs(point.y()));
    if (gap > 1e-9 * size) {
      table.refuse("beyond", fmt::format("'beyond': what repeats must end with the value that it "
                                         "begins with, {}, not with {}",
                                         points->front().y(), points->back().y()));
      return nullptr;
    }
  }
  return std::make_shared<const Tabulated>(*points, between, beyond);
}

}  // namespace

FormulaTables read_formula_tables(const std::vector<TomlTable>& tables,
                                  const std::filesystem::path& folder) {
  FormulaTables all;
  for (const TomlTable& table : tables) {
    const std::string name = table.text("name").value_or("");
    std::shared_ptr<const Tabulated> read = read_formula_table(table, folder);
    // So that formulas which call it are not complained about, too.
    if (!read) read = std::make_shared<const Tabulated>(Points{{0.0, 0.0}, {1.0, 0.0}});
    if (!table.has_usable("name")) continue;
    if (!is_callable(name)) {
      table.refuse("name", fmt::format("'name': formulas cannot call {}; use letters, digits and "
                                       "_, begin with a letter, and take no word that formulas "
                                       "have already",
                                       in_quotes(name)));
    } else if (!all.emplace(name, std::move(read)).second) {
      table.refuse("name", fmt::format("there is a table named {} already", in_quotes(name)));
    }
  }
  return all;
}

std::vector<SensorSpec> read_sensors(const std::vector<TomlTable>& tables) {
  std::vector<SensorSpec> sensors;
  NameReader names{"sensor"};
  for (const TomlTable& table : tables) {
    SensorSpec& sensor = sensors.emplace_back();
    sensor.place = table.place();
    sensor.keys = table.key_places();
    sensor.name = names.read(table);
    sensor.quantity = table.drive("quantity").value_or(sensor.quantity);
    sensor.sampling_time = table.number("sampling_time");
    sensor.delay = table.number("delay").value_or(sensor.delay);
  }
  return sensors;
}

std::vector<ControllerSpec> read_controllers(const std::vector<TomlTable>& tables) {
  std::vector<ControllerSpec> controllers;
  NameReader names{"controller"};
  for (const TomlTable& table : tables) {
    ControllerSpec& c = controllers.emplace_back();
    c.place = table.place();
    c.keys = table.key_places();
    c.name = names.read(table);
    c.input = table.drive("input").value_or(c.input);
    c.setpoint = table.drive("setpoint").value_or(c.setpoint);
    c.proportional = table.number("proportional").value_or(c.proportional);
    c.integral = table.number("integral").value_or(c.integral);
    c.derivative = table.number("derivative").value_or(c.derivative);
    c.derivative_filter = table.number("derivative_filter").value_or(c.derivative_filter);
    c.lower = table.number("lower");
    c.upper = table.number("upper");
    c.sampling_time = table.number("sampling_time");
    c.delay = table.number("delay").value_or(c.delay);
  }
  return controllers;
}

}  // namespace clatter
