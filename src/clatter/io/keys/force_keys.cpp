#include <clatter/io/keys/key_tables.hpp>

namespace clatter::keys {

TableDescription spring() {
  const std::vector<std::string> straight = {"axial", "linear"};
  const std::vector<std::string> torsional = {"torsional"};
  return {
      "spring",
      "[[spring]]",
      "kind",
      "spring",
      {
          {"name",
           {},
           text,
           "",
           "`spring1`, `spring2` ...",
           "Unique among the springs; without `/`."},
          {"kind",
           {},
           word,
           "",
           "\"axial\"",
           "`axial` pulls along the line between its ends, `linear` only along `axis`, `torsional` "
           "turns about `axis`.",
           any,
           {"axial", "linear", "torsional"}},
          {"a", {}, table, "", "origin of the ground", "One end.", any, {}, "end"},
          {"b", {}, table, "", "origin of the ground", "The other end.", any, {}, "end"},
          {"axis",
           {"linear", "torsional"},
           direction,
           "",
           "z for a torsional spring in the plane",
           "In the frame of `a`; needed except for torsional springs between planar bodies."},
          {"law",
           {},
           word,
           "",
           "\"linear\"",
           "Tension by elongation, that is length or angle less that at rest: `linear`, "
           "`one_sided` in `acts_in` only, after a `table`, or that of a `gas`.",
           any,
           {"linear", "one_sided", "table", "gas"}},
          {"acts_in",
           {},
           word,
           "",
           "none",
           "Law one_sided: `tension` is a rope, `compression` a buffer. The damper acts only while "
           "the spring does.",
           any,
           {"tension", "compression"}},
          {"table", straight, pairs, "m, N", "none",
           "Law table: elongation, ascending, and tension. Linear in between and on beyond the "
           "ends."},
          {"force", straight, number, "N", "none",
           "Law gas: with which it pushes the ends apart at the rest length.", positive},
          {"gas_length", straight, number, "m", "none",
           "Law gas: length of the column of gas at the rest length.", positive},
          {"exponent", straight, number, "", literal(SpringSpec{}.exponent),
           "Law gas: of (`gas_length`/length of the column); 1 for slow changes, 1.4 for fast "
           "ones.",
           ranges::gas_exponent},
          {"stiffness", straight, number, "N/m", literal(SpringSpec{}.stiffness),
           "Stiffness or damping must be positive.", not_negative},
          {"damping", straight, number, "N s/m", literal(SpringSpec{}.damping),
           "Force per rate of lengthening.", not_negative},
          {"rest_length",
           {"axial"},
           number,
           "m",
           "as at the start",
           "Length without force.",
           not_negative},
          {"rest_length",
           {"linear"},
           number,
           "m",
           "as at the start",
           "Distance from `a` to `b` along `axis` without force; may be negative."},
          {"table", torsional, pairs, "rad, N m", "none",
           "Law table: angle less `rest_angle`, ascending, and torque. Linear in between and on "
           "beyond the ends."},
          {"stiffness", torsional, number, "N m/rad", literal(SpringSpec{}.stiffness),
           "Stiffness or damping must be positive.", not_negative},
          {"damping", torsional, number, "N m s/rad", literal(SpringSpec{}.damping),
           "Torque per rate of turning.", not_negative},
          {"rest_angle", torsional, number, "rad", "as at the start",
           "Angle of `b` against `a` about `axis` without torque: 0 where their body frames agree "
           "(between planar bodies the difference of their angles)."},
          {"rest_angle_deg", torsional, number, "deg", "none", "The same in degrees."},
      }};
}

TableDescription end() {
  return {"end",
          "end of a spring",
          "",
          "end",
          {
              {"body", {}, text, "", "\"ground\"", "Name of a body or beam node, or `ground`."},
              {"point",
               {},
               vector,
               "m",
               "[0, 0, 0]",
               "In the body frame. Without meaning for torsional springs."},
          }};
}

TableDescription bushing() {
  return {
      "bushing",
      "[[bushing]]",
      "",
      "bushing",
      {
          {"name",
           {},
           text,
           "",
           "`bushing1`, `bushing2` ...",
           "Unique among the bushings; without `/`."},
          {"a", {}, text, "", required, "Name of a body or beam node, or `ground`."},
          {"b", {}, text, "", required, "Name of another body or beam node, or `ground`."},
          {"point", {}, vector, "m", "none", "Where the bushing is in space at the start."},
          {"point_a",
           {},
           vector,
           "m",
           "none",
           "Instead of `point`, together with `point_b`: in the frame of `a`."},
          {"point_b", {}, vector, "m", "none", "In the frame of `b`."},
          {"axis",
           {},
           direction,
           "",
           "x axis of space",
           "First axis of the bushing, in space at the start; turns with `a`."},
          {"axis2",
           {},
           direction,
           "",
           "y axis of space",
           "Second one, perpendicular to it; goes with `axis`, but not in the plane."},
          {"stiffness",
           {},
           vector,
           "N/m",
           "[0, 0, 0]",
           "Along the three axes, of the displacement of the point of `b` from that of `a`.",
           not_negative},
          {"rotational_stiffness",
           {},
           triple,
           "N m/rad",
           "[0, 0, 0]",
           "About the three axes, of the rotation vector since the start; in the plane `[0, 0, "
           "k]`.",
           not_negative},
          {"damping", {}, vector, "N s/m", "[0, 0, 0]", "Along the three axes.", not_negative},
          {"rotational_damping",
           {},
           triple,
           "N m s/rad",
           "[0, 0, 0]",
           "About the three axes, of the relative angular velocity.",
           not_negative},
          {"preload",
           {},
           vector,
           "N",
           "[0, 0, 0]",
           "Tension along the three axes where the two points meet; positive pulls `b` back along "
           "the axis."},
      }};
}

TableDescription cable() {
  return {
      "cable",
      "[[cable]]",
      "",
      "cable",
      {
          {"name", {}, text, "", "`cable1`, `cable2` ...", "Unique among the cables; without `/`."},
          {"through",
           {},
           tables,
           "",
           required,
           "Two or more points that it runs through without friction, in this order. The first "
           "and the last hold its ends.",
           any,
           {},
           "through"},
          {"stiffness",
           {},
           number,
           "N/m",
           required,
           "Tension over elongation of the whole length; a cable pulls only.",
           positive},
          {"damping",
           {},
           number,
           "N s/m",
           literal(CableSpec{}.damping),
           "Tension per rate of lengthening, while it is taut.",
           not_negative},
          {"rest_length",
           {},
           number,
           "m",
           "as at the start",
           "Length without tension, of all parts together.",
           not_negative},
      }};
}

TableDescription through() {
  return {"through",
          "[[cable.through]]",
          "",
          "point",
          {
              {"body", {}, text, "", "\"ground\"", "Name of a body or beam node, or `ground`."},
              {"point", {}, vector, "m", "[0, 0, 0]", "In the body frame."},
          }};
}

TableDescription rope() {
  return {
      "rope",
      "[[rope]]",
      "",
      "rope",
      {
          {"name", {}, text, "", "`rope1`, `rope2` ...", "Unique among the ropes; without `/`."},
          {"through",
           {},
           tables,
           "",
           required,
           "Two or more points that it runs through, in this order; of four bodies at most, "
           "besides "
           "the ground. The first and the last hold its ends.",
           any,
           {},
           "rope_through"},
          {"length",
           {},
           number,
           "m",
           "as at the start",
           "It is never longer, and free below.",
           positive},
          {"restitution",
           {},
           number,
           "",
           literal(SurfaceLaw{}.restitution),
           "Rate of shortening after it became taut over rate of lengthening before.",
           ranges::restitution},
      }};
}

TableDescription rope_through() {
  return {
      "rope_through",
      "[[rope.through]]",
      "",
      "point",
      {
          {"body", {}, text, "", "\"ground\"", "Name of a body or beam node, or `ground`."},
          {"point", {}, vector, "m", "[0, 0, 0]", "In the body frame."},
          {"friction",
           {},
           number,
           "",
           "0",
           "Coulomb's coefficient on a drum there that does not turn: tensions before and behind "
           "it differ by exp(friction angle) at most. At one point of a rope.",
           not_negative},
          {"angle",
           {},
           number,
           "rad",
           "as it is bent at the start",
           "By which it is wound around the drum.",
           not_negative},
          {"angle_deg", {}, number, "deg", "none", "The same in degrees.", not_negative},
      }};
}

TableDescription load() {
  return {
      "load",
      "[[load]]",
      "",
      "load",
      {
          {"name", {}, text, "", "`load1`, `load2` ...", "Unique among the loads; without `/`."},
          {"body", {}, text, "", required, "Name of the body or beam node it acts on."},
          {"point", {}, vector, "m", "[0, 0, 0]", "Where the force acts, in the body frame."},
          {"force", {}, formulas, "N", "[0, 0, 0]", "Force or torque is needed."},
          {"torque",
           {},
           torque,
           "N m",
           "[0, 0, 0]",
           "For planar bodies one number or formula, for points none."},
          {"axes",
           {},
           word,
           "",
           "\"space\"",
           "Axes of force and torque: fixed in space, or turning with the body.",
           any,
           {"space", "body"}},
      }};
}

}  // namespace clatter::keys
