#include <cmath>

#include <fmt/format.h>

#include <clatter/model/object_check.hpp>

namespace clatter {
namespace {

// How far axes may be off right angles and length one: round-off of numbers written with ten
// digits.
constexpr double frame_slack = 1e-9;

bool is_constant_zero(const Expression& e) { return e.is_constant() && e(0.0) == 0.0; }

std::string out_of_plane(const std::string& key) {
  return fmt::format(
      "'{}': planar bodies stay in the x-y plane, so the z component must be 0 or left out", key);
}

}  // namespace

bool ObjectCheck::add(Place place, std::string message) const {
  const bool is_nowhere = place.line == 0 && place.file.empty();
  if (is_nowhere) message = fmt::format("{}: {}", what_, message);
  // Two sides of a joint may have one axis: what is wrong with it is said once.
  const bool is_said = !mistakes_->empty() && mistakes_->back().message == message &&
                       mistakes_->back().place.line == place.line &&
                       mistakes_->back().place.column == place.column;
  if (!is_said) mistakes_->push_back({std::move(place), std::move(message)});
  return false;
}

bool ObjectCheck::refuse(std::string_view key, std::string message) const {
  if (!knows(key)) return false;
  return add(keys_->value(key, *place_), std::move(message));
}

bool ObjectCheck::refuse_entry(std::string_view key, std::size_t index, std::string message) const {
  if (!knows(key)) return false;
  return add(keys_->entry(key, index, *place_), std::move(message));
}

bool ObjectCheck::refuse_key(std::string_view key, std::string message) const {
  if (!knows(key)) return false;
  return add(keys_->key(key, *place_), std::move(message));
}

bool ObjectCheck::refuse_object(std::string message) const {
  return add(*place_, std::move(message));
}

bool ObjectCheck::number(std::string_view key, double value, const Range& range) const {
  if (!knows(key)) return false;
  const std::string limits = range.text();
  const auto wrong =
      complaint_about(written(key), value, range, limits.empty() ? "number" : "number " + limits);
  return !wrong || refuse(key, *wrong);
}

bool ObjectCheck::number(std::string_view key, const std::optional<double>& value,
                         const Range& range) const {
  return value ? number(key, *value, range) : knows(key);
}

bool ObjectCheck::whole_number(std::string_view key, int value, const Range& range) const {
  if (!knows(key)) return false;
  const auto wrong = complaint_about(written(key), value, range, "whole number " + range.text());
  return !wrong || refuse(key, *wrong);
}

bool ObjectCheck::vector(std::string_view key, const Vec3& value, const Range& range) const {
  if (!knows(key)) return false;
  for (int i = 0; i < 3; ++i) {
    const auto wrong =
        complaint_about(written(key), value[i], range, "three numbers " + range.text());
    if (wrong) return refuse_entry(key, static_cast<std::size_t>(i), *wrong);
  }
  return true;
}

bool ObjectCheck::direction(std::string_view key, const Vec3& value) const {
  if (!vector(key, value)) return false;
  if (!value.isZero(0.0)) return true;
  return refuse(key, fmt::format("'{}' must not be zero", written(key)));
}

bool ObjectCheck::vector_in_plane(std::string_view key, const Vec3& value) const {
  if (!vector(key, value)) return false;
  if (value[2] == 0.0) return true;
  return refuse_entry(key, 2, out_of_plane(written(key)));
}

bool ObjectCheck::points(std::string_view key, const std::vector<Vec3>& values,
                         bool in_plane) const {
  if (!knows(key)) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto refuse_component = [&](int j, std::string message) {
      return add(keys_->component(key, i, static_cast<std::size_t>(j), *place_),
                 std::move(message));
    };
    for (int j = 0; j < 3; ++j) {
      const auto wrong = complaint_about(written(key), values[i][j], ranges::any, "");
      if (wrong) return refuse_component(j, *wrong);
    }
    if (!in_plane || values[i][2] == 0.0) continue;
    return refuse_component(2, out_of_plane(written(key)));
  }
  return true;
}

bool ObjectCheck::curve(std::string_view key, const std::vector<Eigen::Vector2d>& values,
                        std::string_view arguments) const {
  if (!knows(key)) return false;
  if (values.size() < 2) {
    return refuse(key, fmt::format("'{}': give two points or more", written(key)));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].allFinite()) {
      return refuse_entry(key, i, fmt::format("'{}': its numbers must be finite", written(key)));
    }
    if (i == 0 || values[i].x() > values[i - 1].x()) continue;
    return refuse_entry(key, i,
                        fmt::format("'{}': {} must ascend, but {} follows {}", written(key),
                                    arguments, values[i].x(), values[i - 1].x()));
  }
  return true;
}

bool ObjectCheck::frame(std::string_view key, const Mat3& axes) const {
  if (!knows(key)) return false;
  if (!axes.allFinite()) {
    return refuse(key, fmt::format("'{}' must be finite numbers", written(key)));
  }
  if ((axes.transpose() * axes).isIdentity(frame_slack) && axes.determinant() > 0.0) return true;
  return refuse(key, fmt::format("'{}': the columns must be the axes of a right-handed frame, of "
                                 "length 1 and perpendicular to each other",
                                 written(key)));
}

bool ObjectCheck::formula(std::string_view key, const Expression& value) const {
  if (!knows(key)) return false;
  const double start = value(0.0);
  if (std::isfinite(start)) return true;
  return refuse(key, fmt::format("'{}': the formula is {} at t = 0", written(key), start));
}

bool ObjectCheck::formulas(std::string_view key, const std::array<Expression, 3>& values) const {
  if (!knows(key)) return false;
  bool good = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const double start = values[i](0.0);
    if (std::isfinite(start)) continue;
    good =
        refuse_entry(key, i, fmt::format("'{}': the formula is {} at t = 0", written(key), start));
  }
  return good;
}

bool ObjectCheck::formulas_in_plane(std::string_view key,
                                    const std::array<Expression, 3>& values) const {
  if (!formulas(key, values)) return false;
  if (is_constant_zero(values[2])) return true;
  return refuse_entry(key, 2, out_of_plane(written(key)));
}

bool ObjectCheck::formulas_about_z(std::string_view key,
                                   const std::array<Expression, 3>& values) const {
  if (!formulas(key, values)) return false;
  if (is_constant_zero(values[0]) && is_constant_zero(values[1])) return true;
  return refuse(key, fmt::format("'{}': planar bodies turn about z, so the x and y components must "
                                 "be 0",
                                 written(key)));
}

}  // namespace clatter
