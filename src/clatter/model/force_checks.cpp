#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

bool is_constant_zero(const std::array<Expression, 3>& vector) {
  for (const Expression& e : vector) {
    if (!e.is_constant() || e(0.0) != 0.0) return false;
  }
  return true;
}

void check_spring_axis(const ObjectCheck& object, const SpringSpec& spring, bool planar) {
  if (spring.kind == SpringKind::axial || !object.direction("axis", spring.axis) || !planar) return;
  if (spring.kind == SpringKind::linear) {
    object.vector_in_plane("axis", spring.axis);
  } else if (!spring.axis.head<2>().isZero(0.0)) {
    object.refuse("axis",
                  "'axis': between planar bodies a torsional spring turns about z, so the axis "
                  "must be [0, 0, 1] or [0, 0, -1]");
  }
}

void check_table(const ObjectCheck& object, const SpringSpec& spring) {
  const auto& table = spring.table;
  if (table.size() < 2) {
    object.refuse("table", "'table': give two points or more");
    return;
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!table[i].allFinite()) {
      object.refuse_entry("table", i, "'table': its numbers must be finite");
      return;
    }
    if (i == 0 || table[i].x() > table[i - 1].x()) continue;
    object.refuse_entry("table", i,
                        fmt::format("'table': elongations must ascend, but {} follows {}",
                                    table[i].x(), table[i - 1].x()));
    return;
  }
}

void check_spring_law(const ObjectCheck& object, const SpringSpec& spring) {
  bool good = object.number("stiffness", spring.stiffness, ranges::not_negative);
  good = object.number("damping", spring.damping, ranges::not_negative) && good;
  const bool stiff_by_law = spring.law == SpringLawKind::table || spring.law == SpringLawKind::gas;
  if (good && !stiff_by_law && spring.stiffness == 0.0 && spring.damping == 0.0) {
    object.refuse_object("a spring needs a positive 'stiffness' or 'damping'");
  }
  if (spring.law == SpringLawKind::gas) {
    if (spring.kind == SpringKind::torsional) {
      object.refuse("law", "a gas pushes along a line; use kind \"axial\" or \"linear\"");
      return;
    }
    object.number("force", spring.force, ranges::positive);
    object.number("gas_length", spring.gas_length, ranges::positive);
    object.number("exponent", spring.exponent, ranges::gas_exponent);
  }
  if (spring.law == SpringLawKind::table && object.knows("table")) check_table(object, spring);
  const char* key = spring.kind == SpringKind::torsional ? "rest_angle" : "rest_length";
  object.number(key, spring.rest,
                spring.kind == SpringKind::axial ? ranges::not_negative : ranges::any);
}

}  // namespace

BodyChoice find_body(const ObjectCheck& object, std::string_view key, const std::string& name,
                     BodyLookup& bodies) {
  if (!object.knows(key)) return BodyChoice::unknown(name);
  BodyChoice choice = bodies.find(name);
  if (choice.is_known()) return choice;
  if (const auto wrong = bodies.complaint_about(name)) object.refuse(key, *wrong);
  return choice;
}

void check_point(const ObjectCheck& object, std::string_view key, const Vec3& point,
                 const BodyChoice& body, bool in_plane) {
  if (!(in_plane ? object.vector_in_plane(key, point) : object.vector(key, point))) return;
  if (!body.is(BodyKind::point) || point.isZero(0.0)) return;
  object.refuse(key, fmt::format("'{}': point body '{}' has no other point than its origin",
                                 object.written(key), body.name()));
}

void check_spring(const SpringSpec& spring, BodyLookup& bodies, std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("spring '{}'", spring.name), spring.place, spring.keys,
                           mistakes);
  const BodyChoice a = find_body(object, "a.body", spring.a.body, bodies);
  const BodyChoice b = find_body(object, "b.body", spring.b.body, bodies);
  if (a.same_as(b)) {
    object.refuse_object(a.is_ground()
                             ? "a spring needs a body: both ends are on the ground"
                             : fmt::format("both ends of the spring are on body '{}'", a.name()));
  }
  if (!object.knows("kind")) return;
  const bool planar = is_planar_pair(a, b);
  struct End {
    const char *body_key, *point_key;
    const Attachment& attachment;
    const BodyChoice& body;
  };
  for (const End& end :
       {End{"a.body", "a.point", spring.a, a}, {"b.body", "b.point", spring.b, b}}) {
    if (spring.kind != SpringKind::torsional) {
      check_point(object, end.point_key, end.attachment.point, end.body,
                  end.body.is(BodyKind::planar) || (end.body.is_ground() && planar));
    } else if (!end.attachment.point.isZero(0.0)) {
      object.refuse(end.point_key, "'point' has no meaning for a torsional spring");
    }
    if (spring.kind != SpringKind::torsional || !end.body.is(BodyKind::point)) continue;
    object.refuse(end.body_key,
                  fmt::format("point body '{}' does not turn, so it cannot carry a torsional "
                              "spring",
                              end.body.name()));
  }
  check_spring_axis(object, spring, planar);
  check_spring_law(object, spring);
}

void check_load(const LoadSpec& load, BodyLookup& bodies, std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("load '{}'", load.name), load.place, load.keys, mistakes);
  const BodyChoice body = find_body(object, "body", load.at.body, bodies);
  if (body.is_ground()) {
    object.refuse("body", "a load needs a body that can move, not the ground");
  }
  check_point(object, "point", load.at.point, body, body.is(BodyKind::planar));
  if (body.is(BodyKind::planar)) {
    object.formulas_in_plane("force", load.force);
    object.formulas_about_z("torque", load.torque);
    return;
  }
  object.formulas("force", load.force);
  if (body.is(BodyKind::point) && !is_constant_zero(load.torque)) {
    object.refuse(
        "torque",
        fmt::format("point body '{}' does not turn, so it cannot carry a torque", body.name()));
    return;
  }
  object.formulas("torque", load.torque);
}

}  // namespace clatter
