#include <fmt/format.h>

#include <clatter/model/body_keys.hpp>

namespace clatter {

Dimension dimension_of_pair(const BodyChoice& a, const BodyChoice& b) {
  if (!a.is_known() || !b.is_known()) return Dimension::either;
  return is_planar_pair(a, b) ? Dimension::two : Dimension::three;
}

Dimension dimension_of_all(const std::vector<BodyChoice>& bodies) {
  bool has_planar = false, has_spatial = false;
  for (const BodyChoice& body : bodies) {
    if (!body.is_known()) return Dimension::either;
    has_planar = has_planar || body.is(BodyKind::planar);
    has_spatial = has_spatial || !(body.is(BodyKind::planar) || body.is_ground());
  }
  return has_planar && !has_spatial ? Dimension::two : Dimension::three;
}

Dimension dimension_on(const BodyChoice& body, Dimension pair) {
  if (!body.is_known()) return Dimension::either;
  if (body.is_ground()) return pair;
  return body.is(BodyKind::planar) ? Dimension::two : Dimension::three;
}

BodyChoice NamedBodies::find(const KeyTable& table, std::string_view key) const {
  if (!table.has(key)) return BodyChoice::ground();
  const std::optional<std::string> name = table.text(key);
  return name ? find_named(table, key, *name) : BodyChoice::unknown();
}

BodyChoice NamedBodies::find_named(const KeyTable& table, std::string_view key,
                                   const std::string& name) const {
  if (!name.empty()) return lookup.find(name);
  table.refuse(key, "unknown body ''");  // in a spec it would be the ground
  return BodyChoice::unknown();
}

std::vector<BodyChoice> NamedBodies::find_all(const KeyTable& table, std::string_view key) const {
  const std::optional<std::string> name = table.text(key);
  return name ? find_all_named(table, key, *name) : std::vector{find(table, key)};
}

std::vector<BodyChoice> NamedBodies::find_list(const KeyTable& table, std::string_view key) const {
  std::vector<BodyChoice> all;
  for (const std::string& name : table.texts(key).value_or(std::vector<std::string>{})) {
    for (BodyChoice& choice : find_all_named(table, key, name)) all.push_back(std::move(choice));
  }
  return all;
}

std::vector<BodyChoice> NamedBodies::find_all_named(const KeyTable& table, std::string_view key,
                                                    const std::string& name) const {
  std::vector<BodyChoice> choices;
  if (const auto family = families_.find(name); family != families_.end()) {
    for (const BodySpec* body : family->second) choices.push_back(BodyChoice::of(*body));
    return choices;
  }
  BodyChoice one = find_named(table, key, name);
  const BodyLookup::Beam* beam = lookup.beam(name);
  if (one.is_known() || beam == nullptr) return {std::move(one)};
  for (int i = 0; i <= beam->last(); ++i) {
    choices.push_back(BodyChoice::of(*beam->spec, i, beam->nodes[static_cast<std::size_t>(i)]));
  }
  return choices;
}

Vec3 read_point(const KeyTable& table, std::string_view key, const BodyChoice& body,
                Dimension pair) {
  return table.vector(key, notation(dimension_on(body, pair))).value_or(Vec3::Zero());
}

Vec3 point_in_body(const KeyTable& table, std::string_view key, const Vec3& point,
                   const BodyChoice& body, bool may_move) {
  // Relative to the coordinates: round-off of numbers that were written with ten digits or more.
  constexpr double slack = 1e-9;
  const Vec3 in_body = body.point_to_body(point);
  if (!body.is(BodyKind::point)) return in_body;
  const double miss = in_body.cwiseAbs().maxCoeff(), scale = 1.0 + point.cwiseAbs().maxCoeff();
  if (!may_move && miss > slack * scale) {
    table.refuse(key, fmt::format("'{}' is not where point body '{}' is", key, body.name()));
  }
  return Vec3::Zero();
}

std::string NameReader::read(const KeyTable& table) {
  ++count_;
  return table.text("name").value_or(fmt::format("{}{}", noun_, count_));
}

}  // namespace clatter
