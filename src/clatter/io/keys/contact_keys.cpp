#include <clatter/io/keys/key_tables.hpp>

namespace clatter::keys {

TableDescription contact() {
  return with_law(
      {"contact",
       "[[contact]]",
       "",
       "contact",
       {
           {"name",
            {},
            text,
            "",
            "`contact1`, `contact2` ...",
            "Unique among the contacts; without `/`. Several points give `name.1`, `name.2` ..., a "
            "whole beam `name.0`, `name.1` ... after its nodes."},
           {"point",
            {},
            table,
            "",
            "none",
            "The point or points that touch a face; or give `sphere`.",
            any,
            {},
            "point"},
           {"sphere",
            {},
            table,
            "",
            "none",
            "The sphere or spheres that touch a face or other spheres; discs on planar bodies.",
            any,
            {},
            "sphere"},
           {"face",
            {},
            table,
            "",
            "none",
            "The plane face that they touch; or give `other`, `hollow`, `shaft`, `bore` or "
            "`groove`.",
            any,
            {},
            "face"},
           {"other",
            {},
            table,
            "",
            "none",
            "The sphere or spheres that `sphere` touches from outside.",
            any,
            {},
            "sphere"},
           {"hollow",
            {},
            table,
            "",
            "none",
            "The hollow sphere that `sphere` touches from inside; a circle on planar bodies.",
            any,
            {},
            "sphere"},
           {"shaft",
            {},
            table,
            "",
            "none",
            "The shaft that `sphere` touches from outside: a straight round rod without ends.",
            any,
            {},
            "shaft"},
           {"bore",
            {},
            table,
            "",
            "none",
            "The bore that `sphere` touches from inside: a straight round hole without ends.",
            any,
            {},
            "bore"},
           {"groove",
            {},
            table,
            "",
            "none",
            "The groove that `sphere` runs in: a tube around a circle, such as the race of a "
            "bearing.",
            any,
            {},
            "groove"},
           recover_key(),
           compliance_key(),
       }});
}

TableDescription point() {
  return {"point",
          "point of a contact",
          "",
          "point",
          {
              {"body",
               {},
               text,
               "",
               "\"ground\"",
               "Name of a body or beam node, or `ground`; the name of a beam means all its nodes."},
              {"at",
               {},
               point_or_points,
               "m",
               "[0, 0, 0]",
               "A point in the body frame, or a list of points."},
          }};
}

TableDescription sphere() {
  return {"sphere",
          "sphere of a contact",
          "",
          "sphere",
          {
              {"body",
               {},
               text,
               "",
               "\"ground\"",
               "Name of a body or beam node, or `ground`; the name of a beam means all its nodes."},
              {"bodies", {}, texts, "", "none", "Several of them, instead of `body`."},
              {"at", {}, vector, "m", "[0, 0, 0]", "Centre, in the body frame."},
              {"radius",
               {},
               number,
               "m",
               "that of the body's shape",
               "Needed unless the shape of the body is a sphere (planar: a disc or cylinder).",
               positive},
          }};
}

TableDescription face() {
  return {"face",
          "face of a contact",
          "",
          "face",
          {
              {"body",
               {},
               text,
               "",
               "\"ground\"",
               "Name of another body or beam node, or `ground`; not a point."},
              {"point", {}, vector, "m", "[0, 0, 0]", "Any point of the face, in the body frame."},
              {"normal", {}, direction, "", required, "Out of the body, in the body frame."},
              {"along",
               {},
               direction,
               "",
               "none",
               "In the face, in space: the direction in which `friction` acts; across it "
               "`across_friction` does."},
              {"outline",
               {},
               points,
               "m",
               "none",
               "Corners in order, in the plane of the face; without it the face has no edge. Two "
               "corners in the plane, at least three in space."},
          }};
}

namespace {

// What is straight and round, without ends.
TableDescription straight_and_round(const char* name, const char* along, const char* radius) {
  return {name,
          fmt::format("{} of a contact", name),
          "",
          name,
          {
              {"body",
               {},
               text,
               "",
               "\"ground\"",
               "Name of another body or beam node, or `ground`; neither a point nor planar."},
              {"point", {}, vector, "m", "[0, 0, 0]", "Any point of the axis, in the body frame."},
              {"axis", {}, direction, "", required, along},
              {"radius", {}, number, "m", required, radius, positive},
          }};
}

}  // namespace

TableDescription shaft() {
  return straight_and_round("shaft", "Along the shaft, in the body frame.", "Of the shaft.");
}

TableDescription bore() {
  return straight_and_round("bore", "Along the bore, in the body frame.",
                            "More than that of the sphere.");
}

TableDescription groove() {
  return {"groove",
          "groove of a contact",
          "",
          "groove",
          {
              {"body",
               {},
               text,
               "",
               "\"ground\"",
               "Name of another body or beam node, or `ground`; neither a point nor planar."},
              {"point", {}, vector, "m", "[0, 0, 0]", "Centre of the circle, in the body frame."},
              {"axis", {}, direction, "", required, "Of the circle, in the body frame."},
              {"radius", {}, number, "m", required, "Of the circle.", positive},
              {"tube_radius",
               {},
               number,
               "m",
               required,
               "Of the tube around it: more than that of the sphere, less than that of the circle.",
               positive},
          }};
}

}  // namespace clatter::keys
