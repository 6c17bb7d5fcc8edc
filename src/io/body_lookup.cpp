#include "io/body_lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/nearest_word.hpp"

namespace clatter {
namespace {

// More names than these are not worth listing in a message.
constexpr std::size_t most_names = 8;

}  // namespace

Mat3 BodyChoice::rotation() const {
  if (body_ == nullptr) return Mat3::Identity();
  if (body_->kind != BodyKind::planar) return body_->orientation.toRotationMatrix();
  const double c = std::cos(body_->angle), s = std::sin(body_->angle);
  Mat3 rotation;
  rotation << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
  return rotation;
}

Vec3 BodyChoice::point_to_body(const Vec3& in_space) const {
  if (body_ == nullptr) return in_space;
  return rotation().transpose() * (in_space - body_->position);
}

Vec3 BodyChoice::point_to_space(const Vec3& in_body) const {
  if (body_ == nullptr) return in_body;
  return body_->position + rotation() * in_body;
}

Dimension dimension_of_pair(const BodyChoice& a, const BodyChoice& b) {
  if (!a.is_known() || !b.is_known()) return Dimension::either;
  const bool a_fits = a.is_ground() || a.is(BodyKind::planar);
  const bool b_fits = b.is_ground() || b.is(BodyKind::planar);
  const bool one_is_planar = a.is(BodyKind::planar) || b.is(BodyKind::planar);
  return a_fits && b_fits && one_is_planar ? Dimension::two : Dimension::three;
}

Dimension dimension_on(const BodyChoice& body, Dimension pair) {
  if (!body.is_known()) return Dimension::either;
  if (body.is_ground()) return pair;
  return body.is(BodyKind::planar) ? Dimension::two : Dimension::three;
}

BodyChoice BodyLookup::find(const TomlTable& table, std::string_view key) const {
  if (!table.has(key)) return BodyChoice::ground();
  const std::optional<std::string> name = table.text(key);
  if (!name) return BodyChoice::unknown();
  if (*name == "ground") return BodyChoice::ground();
  const auto found = known_.find(*name);
  if (found == known_.end()) {
    if (doubt_all_) return BodyChoice::unknown();
    std::vector<std::string> names = {"ground"};
    std::string hint;
    if (hints_left_ > 0) {
      --hints_left_;
      for (const auto& [known, body] : known_) names.push_back(known);
      hint = did_you_mean(*name, names);
    }
    if (hint.empty() && names.size() > 1 && names.size() <= most_names) {
      hint = fmt::format("; expected one of '{}'", fmt::join(names, "', '"));
    }
    table.refuse(key, fmt::format("unknown body {}{}", in_quotes(*name), hint));
    return BodyChoice::unknown();
  }
  return found->second == nullptr ? BodyChoice::unknown() : BodyChoice::of(*found->second);
}

Vec3 read_point(const TomlTable& table, std::string_view key, const BodyChoice& body,
                Dimension pair) {
  Vec3 point = table.vector(key, dimension_on(body, pair)).value_or(Vec3::Zero());
  if (body.is(BodyKind::point) && !point.isZero(0.0)) {
    table.refuse(key, fmt::format("'{}': point body '{}' has no other point than its origin", key,
                                  body.name()));
    return Vec3::Zero();
  }
  return point;
}

std::string NameReader::read(const TomlTable& table) {
  ++count_;
  const std::optional<std::string> given = table.text("name");
  if (!given) return fmt::format("{}{}", noun_, count_);
  const bool control =
      std::any_of(given->begin(), given->end(), [](char c) { return c >= 0 && c < ' '; });
  if (given->empty()) {
    table.refuse("name", "'name' must not be empty");
  } else if (control || given->find('/') != std::string::npos) {
    table.refuse("name", fmt::format("'name': {} must not hold '/' or control characters",
                                     in_quotes(*given)));
  }
  return *given;
}

bool NameReader::claim(const TomlTable& table, const std::string& name) {
  const int line = table.place().line;
  const auto [before, is_new] = line_of_.emplace(name, line);
  if (is_new) return true;
  const std::string where =
      before->second == 0 ? "" : fmt::format(", the first is on line {}", before->second);
  table.refuse("name", fmt::format("there are two {}s named {}{}",
                                   noun_ == "body" ? "bodie" : noun_, in_quotes(name), where));
  return false;
}

}  // namespace clatter
