#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/bushing_reader.hpp>

namespace clatter {
namespace {

/// One bushing while it is read.
struct BushingReading {
  const TomlTable& table;
  BodyChoice a, b;
  Dimension pair;
  BushingSpec& bushing;
};

void read_bushing_points(const BushingReading& r) {
  r.table.refuse_together("point_a", "point");
  r.table.refuse_together("point_b", "point");
  if (const std::optional<Vec3> point = r.table.vector("point", r.pair)) {
    for (const auto& [body, end] : {std::pair(r.a, &r.bushing.a), std::pair(r.b, &r.bushing.b)}) {
      end->point = point_in_body(r.table, "point", *point, body, false);
    }
  }
  if (r.table.has("point")) return;
  if (!r.table.has("point_a") || !r.table.has("point_b")) {
    r.table.refuse_table(
        "missing key 'point' in [[bushing]]: give 'point' in space, or 'point_a' and 'point_b' in "
        "the body frames");
    return;
  }
  r.bushing.a.point = read_point(r.table, "point_a", r.a, r.pair);
  r.bushing.b.point = read_point(r.table, "point_b", r.b, r.pair);
}

void read_bushing_axes(const BushingReading& r) {
  constexpr double slack = 1e-6;  // six digits, as people write them
  const bool planar = r.pair == Dimension::two;
  const std::optional<Vec3> x = r.table.direction("axis", r.pair);
  const std::optional<Vec3> given = r.table.direction("axis2", r.pair);
  Mat3 frame = Mat3::Identity();
  if (r.table.has("axis2") && (planar || !r.table.has("axis"))) {
    r.table.refuse_key("axis2", planar ? "'axis2' follows from 'axis' in the plane; leave it out"
                                       : "'axis2' goes together with 'axis'");
    return;
  }
  if (r.table.has("axis") && !r.table.has("axis2") && r.pair == Dimension::three) {
    r.table.refuse_table("missing key 'axis2' in [[bushing]]: 'axis' and 'axis2' go together");
    return;
  }
  if (x && (planar || given)) {
    const Vec3 second = planar ? Vec3::UnitZ().cross(*x) : *given;
    if (std::abs(x->dot(second)) > slack) {
      r.table.refuse("axis2", "'axis2' must be perpendicular to 'axis'");
      return;
    }
    const Vec3 y = (second - second.dot(*x) * *x).normalized();
    frame << *x, y, x->cross(y);
  }
  r.bushing.axes_a = r.a.rotation().transpose() * frame;
  r.bushing.axes_b = r.b.rotation().transpose() * frame;
}

BushingSpec read_bushing(const TomlTable& table, const NamedBodies& bodies) {
  BushingSpec bushing;
  bushing.place = table.place();
  bushing.keys = table.key_places();
  const BodyChoice a = table.has("a") ? bodies.find(table, "a") : BodyChoice::unknown();
  const BodyChoice b = table.has("b") ? bodies.find(table, "b") : BodyChoice::unknown();
  bushing.a.body = a.name();
  bushing.b.body = b.name();
  const BushingReading r{table, a, b, dimension_of_pair(a, b), bushing};
  read_bushing_points(r);
  read_bushing_axes(r);
  const auto straight = [&](const char* key) {
    return table.vector(key, r.pair).value_or(Vec3::Zero());
  };
  bushing.stiffness = straight("stiffness");
  bushing.damping = straight("damping");
  bushing.preload = straight("preload");
  const auto rotational = [&](const char* key) {
    return table.vector(key, Dimension::three).value_or(Vec3::Zero());
  };
  bushing.rotational_stiffness = rotational("rotational_stiffness");
  bushing.rotational_damping = rotational("rotational_damping");
  return bushing;
}

}  // namespace

std::vector<BushingSpec> read_bushings(const std::vector<TomlTable>& tables,
                                       const NamedBodies& bodies) {
  std::vector<BushingSpec> bushings;
  NameReader names("bushing");
  for (const TomlTable& table : tables) {
    bushings.push_back(read_bushing(table, bodies));
    bushings.back().name = names.read(table);
  }
  return bushings;
}

}  // namespace clatter
