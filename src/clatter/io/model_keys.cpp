#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include <clatter/io/model_keys.hpp>
#include <clatter/machine/model.hpp>

namespace clatter {
namespace {

using enum ValueType;

using ranges::any, ranges::not_negative, ranges::positive;

// Defaults that the specs already hold are taken from there, so that they are said once.
std::string literal(double value) { return fmt::format("{}", value); }
std::string literal(int value) { return fmt::format("{}", value); }
std::string literal(bool value) { return value ? "true" : "false"; }
std::string literal(const std::string& value) { return fmt::format("\"{}\"", value); }

const std::string required = "required";

TableDescription model() {
  const Model m;
  return {
      "",
      "the model",
      "",
      "model",
      {
          {"title", {}, text, "", "\"\"", "What the model shows; printed with the results."},
          {"gravity",
           {},
           vector,
           "m/s²",
           "[0, 0, 0]",
           "Acceleration of free fall; `[x, y]` is enough when all bodies and beams are planar."},
          {"assemble",
           {},
           flag,
           "",
           literal(m.assemble),
           "Move the bodies at the start so that the joints fit, and say what was moved."},
          {"equilibrium",
           {},
           flag,
           "",
           literal(m.equilibrium),
           "Start from the static equilibrium under the loads at the start."},
          {"body",
           {},
           tables,
           "",
           "none",
           "Rigid bodies and points; a body or a beam is needed.",
           any,
           {},
           "body"},
          {"beam", {}, tables, "", "none", "Bodies that bend.", any, {}, "beam"},
          {"spring", {}, tables, "", "none", "Springs and dampers.", any, {}, "spring"},
          {"bushing",
           {},
           tables,
           "",
           "none",
           "Springs and dampers in all directions at once.",
           any,
           {},
           "bushing"},
          {"cable", {}, tables, "", "none", "Ropes that run over pulleys.", any, {}, "cable"},
          {"load", {}, tables, "", "none", "Applied forces and torques.", any, {}, "load"},
          {"joint", {}, tables, "", "none", "What ties bodies together.", any, {}, "joint"},
          {"coupler",
           {},
           tables,
           "",
           "none",
           "Gears, racks, belts, differentials: what ties the motions of joints together.",
           any,
           {},
           "coupler"},
          {"contact", {}, tables, "", "none", "What may touch what.", any, {}, "contact"},
          {"bearing", {}, tables, "", "none", "Ball and roller bearings.", any, {}, "bearing"},
          {"ground", {}, table_one, "", "none", "Shapes that do not move.", any, {}, "ground"},
          {"material",
           {},
           tables,
           "",
           "none",
           "What shapes are made of; all that have one touch each other.",
           any,
           {},
           "material"},
          {"material_pair",
           {},
           tables,
           "",
           "none",
           "How two materials resist each other.",
           any,
           {},
           "material_pair"},
          {"exclude",
           {},
           tables,
           "",
           "none",
           "Bodies that pass through each other.",
           any,
           {},
           "exclude"},
          {"watch",
           {},
           tables,
           "",
           "none",
           "Bodies whose contact is told of in the results.",
           any,
           {},
           "watch"},
          {"integrator",
           {},
           table_one,
           "",
           "required by `run`",
           "How to step through time; `static` and `modes` do without.",
           any,
           {},
           "integrator"},
          {"output", {}, table_one, "", "all defaults", "What to write.", any, {}, "output"},
          {"verify",
           {},
           tables,
           "",
           "none",
           "Figures that a run must reproduce.",
           any,
           {},
           "verify"},
      }};
}

TableDescription body() {
  return {
      "body",
      "[[body]]",
      "kind",
      "body",
      {
          {"name",
           {},
           text,
           "",
           required,
           "Unique among the bodies; without `/`, and not `ground`, which is the fixed world."},
          {"kind",
           {},
           word,
           "",
           "\"rigid\"",
           "`rigid` moves and turns freely, `point` only moves, `planar` moves in the x-y plane "
           "and "
           "turns about z.",
           any,
           {"rigid", "point", "planar"}},
          {"mass",
           {},
           number,
           "kg",
           "from `density`",
           "Needed unless `shape` and a density give it.",
           positive},
          {"density",
           {},
           number,
           "kg/m³",
           "none",
           "With `shape`: gives mass and inertia. Of shapes that have none of their own.",
           positive},
          {"shape",
           {},
           table_or_tables,
           "",
           "none",
           "Solids that give the inertia (with `mass` or `density`), are displayed and, with a "
           "material, touch others.",
           any,
           {},
           "shape"},
          {"inertia",
           {"rigid"},
           inertia,
           "kg m²",
           "from `shape`",
           "About the centre of mass, along the body axes."},
          {"inertia",
           {"planar"},
           number,
           "kg m²",
           "from `shape`",
           "About the axis through the centre of mass, along z.",
           positive},
          {"centre_of_mass",
           {"rigid", "planar"},
           vector,
           "m",
           "from `shape`",
           "In the body frame; with `inertia`, or without a shape, the default is its origin."},
          {"position",
           {},
           vector,
           "m",
           "[0, 0, 0]",
           "Where the origin of the body frame is at the start."},
          {"orientation",
           {"rigid"},
           table,
           "",
           "none",
           "How the body frame is turned at the start.",
           any,
           {},
           "orientation"},
          {"angle",
           {"planar"},
           number,
           "rad",
           literal(BodySpec{}.angle),
           "How far the body frame is turned about z at the start."},
          {"angle_deg", {"planar"}, number, "deg", "none", "The same in degrees."},
          {"velocity",
           {},
           vector,
           "m/s",
           "[0, 0, 0]",
           "Of the origin of the body frame, along the axes of space."},
          {"angular_velocity", {"rigid"}, vector, "rad/s", "[0, 0, 0]", "Along the body axes."},
          {"angular_velocity", {"planar"}, number, "rad/s", "0", "About z."},
          {"repeat",
           {},
           table,
           "",
           "none",
           "Makes copies `name.0`, `name.1` ... in a lattice; spheres and points of contacts name "
           "all of them by `name`.",
           any,
           {},
           "repeat"},
      }};
}

TableDescription repeat() {
  return {
      "repeat",
      "repeat of a body",
      "",
      "repeat",
      {
          {"count", {}, vector, "", required, "Copies along x, y and z; whole numbers."},
          {"spacing", {}, vector, "m", required, "Their distances along x, y and z."},
          {"jitter",
           {},
           number,
           "m",
           "0",
           "Each coordinate is off by a random number up to this, either way.",
           not_negative},
          {"seed", {}, integer, "", "1", "Another seed gives other random numbers.", Range{0, 1e9}},
      }};
}

TableDescription shape() {
  const std::vector<std::string> bounded = {"sphere",  "box",     "cylinder",  "rod",    "disc",
                                            "capsule", "cone",    "ellipsoid", "hull",   "polygon",
                                            "mesh",    "ellipse", "profile",   "spline", "ring"};
  std::vector<std::string> roundable = bounded;
  roundable.insert(roundable.end(), {"wall", "segment"});
  const PlacedShape placed;
  return {
      "shape",
      "shape",
      "kind",
      "shape",
      {
          {"kind",
           {},
           word,
           "",
           required,
           "A `rod` is a slender cylinder along x; `cylinder`, flat `disc`, `capsule`, `cone` and "
           "`ring` have their axis along z. `half_space` and `height_field` are of the ground; "
           "`polygon`, "
           "`ellipse`, `profile`, `spline`, `wall` and `segment` are in the plane.",
           any,
           {"sphere", "box", "cylinder", "rod", "disc", "half_space", "capsule", "cone",
            "ellipsoid", "hull", "polygon", "mesh", "height_field", "ellipse", "profile", "spline",
            "wall", "segment", "ring"}},
          {"radius",
           {"sphere", "cylinder", "rod", "disc", "capsule", "cone"},
           number,
           "m",
           required,
           "Outer radius; of a cone that of its base.",
           positive},
          {"radius",
           {"ring"},
           number,
           "m",
           required,
           "Of the circle in the middle of its tube.",
           positive},
          {"tube_radius",
           {"ring"},
           number,
           "m",
           required,
           "Of the tube around that circle; less than `radius`.",
           positive},
          {"radius",
           {"wall", "segment"},
           number,
           "m",
           literal(WallShape{}.radius),
           "Half of how thick it is; 0: it is a line.",
           not_negative},
          {"size", {"box"}, triple, "m", required, "Full edge lengths along x, y and z.", positive},
          {"length",
           {"cylinder", "rod", "capsule", "cone"},
           number,
           "m",
           required,
           "Along the axis; of a capsule between the centres of its ends.",
           positive},
          {"thickness", {"disc"}, number, "m", required, "Along the axis.", positive},
          {"thickness",
           {"polygon", "ellipse", "profile", "spline"},
           number,
           "m",
           literal(PolygonShape{}.thickness),
           "Along z; it counts for the mass.",
           positive},
          {"semi_axes", {"ellipsoid"}, triple, "m", required, "Along x, y and z.", positive},
          {"semi_axes", {"ellipse"}, vector, "m", required, "Along x and y.", positive},
          {"points",
           {"hull"},
           points,
           "m",
           required,
           "The solid is all that lies between them; four or more, not in one plane."},
          {"points",
           {"polygon"},
           points,
           "m",
           required,
           "Corners in order around the outline, convex or not; three or more."},
          {"points",
           {"profile"},
           points,
           "m",
           required,
           "In order around the outline; each piece to the next, and from the last to the first, "
           "is "
           "a line or an arc. Two or more."},
          {"points",
           {"spline"},
           points,
           "m",
           required,
           "In order around a smooth outline through them; three or more."},
          {"points",
           {"wall", "segment"},
           points,
           "m",
           required,
           "From one end to the other; of a segment two. When the last is the first it is closed."},
          {"radii",
           {"profile", "wall"},
           numbers,
           "m",
           "all straight",
           "Of the piece from each point to the next: 0 is a line, else an arc of up to half a "
           "circle. A positive one bulges out of a profile and turns to the left on a wall."},
          {"bulges",
           {"profile", "wall"},
           numbers,
           "",
           "all straight",
           "Instead of `radii`: the tangent of a quarter of the angle of each arc, with the same "
           "signs. Half a circle has 1, what goes further has more."},
          {"tolerance",
           {"spline"},
           number,
           "m",
           "a millionth of its extent",
           "The smooth curve is followed by arcs without corners that are nowhere further off.",
           positive},
          {"file",
           {"mesh"},
           text,
           "",
           required,
           "Closed surface in an STL, OBJ, PLY, OFF, glTF (`.gltf`, `.glb`), COLLADA (`.dae`) or "
           "3MF file; the path starts from the folder of the model file."},
          {"scale",
           {"mesh"},
           number,
           "",
           "1",
           "Factor on the coordinates of the file: 0.001 when they are in millimetres.",
           positive},
          {"heights",
           {"height_field"},
           rows,
           "m",
           required,
           "Along z: two or more rows along x, one after the other along y, of two or more "
           "numbers. The surface is straight between them."},
          {"spacing",
           {"height_field"},
           number,
           "m",
           required,
           "From one height to the next, along x and along y. The origin is in the middle.",
           positive},
          {"depth",
           {"height_field"},
           number,
           "m",
           "its longer side",
           "How far it is solid below the lowest height.",
           positive},
          {"position", {}, vector, "m", "[0, 0, 0]", "Of its origin, in the body frame."},
          {"orientation",
           {},
           table,
           "",
           "none",
           "How it is turned in the body frame; not in the plane.",
           any,
           {},
           "orientation"},
          {"angle", {}, number, "rad", "0", "In the plane: how far it is turned about z."},
          {"angle_deg", {}, number, "deg", "none", "The same in degrees."},
          {"normal",
           {"half_space"},
           direction,
           "",
           "z, in the plane y",
           "Out of it, instead of `orientation` or `angle`."},
          {"rounding", roundable, number, "m", literal(placed.rounding),
           "Radius that is added all around it where it touches; adds no mass.", not_negative},
          {"density", bounded, number, "kg/m³", "that of the body",
           "Instead of that of the body; 0: it has no mass.", not_negative},
          {"material", {}, text, "", "none", "Name of a material; without one it touches nothing."},
          {"hollow",
           {"sphere", "box", "cylinder", "disc", "capsule", "cone", "ellipsoid", "hull", "ring",
            "ellipse", "profile", "spline"},
           flag,
           "",
           literal(placed.hollow),
           "Solid is what lies around it: others are inside, as in a bore or a drum. A hollow ring "
           "is a groove, in which spheres run. Adds no mass."},
          {"open",
           {"cylinder"},
           flag,
           "",
           literal(placed.open),
           "Hollow and without ends: a bore that goes through."},
      }};
}

TableDescription ground_shapes() {
  return {"ground",
          "[ground]",
          "",
          "ground",
          {
              {"shape",
               {},
               table_or_tables,
               "",
               required,
               "Shapes in space; those with a material touch bodies.",
               any,
               {},
               "shape"},
          }};
}

TableDescription orientation() {
  return {"orientation",
          "orientation",
          "",
          "orientation",
          {
              {"axis",
               {},
               direction,
               "",
               "none",
               "Axis in space about which the body frame is turned; goes with an angle."},
              {"angle", {}, number, "rad", "none", "How far, right-handed about `axis`."},
              {"angle_deg", {}, number, "deg", "none", "The same in degrees."},
              {"quaternion",
               {},
               quaternion,
               "",
               "none",
               "Instead: `[w, x, y, z]` from body to space; its length does not matter."},
              {"rotation_vector", {}, vector, "rad", "none", "Instead: axis times angle."},
          }};
}

TableDescription beam() {
  const BeamSpec b;
  const std::vector<std::string> spatial = {"spatial"}, planar = {"planar"};
  return {
      "beam",
      "[[beam]]",
      "kind",
      "beam",
      {
          {"name",
           {},
           text,
           "",
           required,
           "Unique among the beams and bodies; without `/`, and not `ground`."},
          {"kind",
           {},
           word,
           "",
           "\"spatial\"",
           "`spatial` bends and twists freely, `planar` bends in the x-y plane.",
           any,
           {"spatial", "planar"}},
          {"points",
           {},
           points,
           "m",
           "none",
           "Corners of the centre line at the start, from the first node to the last; at least "
           "two."},
          {"start",
           {},
           vector,
           "m",
           "none",
           "Instead of `points`, together with `direction` and `length`: the first node."},
          {"direction", {}, direction, "", "none", "Of the centre line at the first node."},
          {"length", {}, number, "m", "none", "Of the centre line.", positive},
          {"elements",
           {},
           integer,
           "",
           required,
           "Shared out to the legs between the corners by length, at least one each.",
           ranges::elements},
          {"y_axis", spatial, direction, "", "horizontal",
           "Direction in space near which y of the sections is at the start."},
          {"curvature", spatial, triple, "1/m", "[0, 0, 0]",
           "Twist, curvature about y and about z at the start, in section axes; not with "
           "`points`."},
          {"curvature", planar, number, "1/m", "0",
           "Curvature about z at the start; not with `points`."},
          {"unstressed_curvature", spatial, triple, "1/m", "as at the start",
           "The same without stress; not with `points`."},
          {"unstressed_curvature", planar, number, "1/m", "as at the start",
           "The same without stress; not with `points`."},
          {"section", {}, table, "", required, "Cross-section.", any, {}, "section"},
          {"youngs_modulus", {}, number, "Pa", required, "Modulus of elasticity.", positive},
          {"shear_modulus",
           {},
           number,
           "Pa",
           "from `poisson_ratio`",
           "This or `poisson_ratio` is needed.",
           positive},
          {"poisson_ratio",
           {},
           number,
           "",
           "none",
           "Instead of `shear_modulus`.",
           ranges::poisson_ratio},
          {"density", {}, number, "kg/m³", required, "Mass per volume.", positive},
          {"mass",
           {},
           word,
           "",
           "\"consistent\"",
           "How mass goes to the nodes: as the elements move, or half of each element to either "
           "end.",
           any,
           {"consistent", "lumped"}},
          {"mass_damping",
           {},
           number,
           "1/s",
           literal(b.mass_damping),
           "Force against the velocity per mass: slows rigid motions as well.",
           not_negative},
          {"stiffness_damping",
           {},
           number,
           "s",
           literal(b.stiffness_damping),
           "Section force per rate of strain, over the stiffness.",
           not_negative},
          {"damping_ratio",
           {},
           number,
           "",
           "none",
           "Instead of the two, with `damping_frequencies`: part of the critical damping.",
           not_negative},
          {"damping_frequencies",
           {},
           numbers,
           "Hz",
           "none",
           "The two frequencies that have this ratio.",
           positive},
          {"line_force", {}, formulas, "N/m", "[0, 0, 0]", "Force per length."},
          {"line_torque", spatial, formulas, "N m/m", "[0, 0, 0]", "Torque per length."},
          {"line_torque", planar, formula, "N m/m", "0", "Torque per length, about z."},
          {"line_axes",
           {},
           word,
           "",
           "\"space\"",
           "Axes of line force and torque: fixed in space, or those of the sections, turning with "
           "them.",
           any,
           {"space", "section"}},
          {"velocity", {}, vector, "m/s", "[0, 0, 0]", "Of the first node."},
          {"angular_velocity", spatial, vector, "rad/s", "[0, 0, 0]",
           "Of the whole beam, which starts as if it were rigid; along the axes of space."},
          {"angular_velocity", planar, number, "rad/s", "0",
           "Of the whole beam, which starts as if it were rigid; about z."},
          {"material",
           {},
           text,
           "",
           "none",
           "Name of a material; without one only its nodes touch, as contacts say."},
          {"contact_radius",
           {},
           number,
           "m",
           "from `section`",
           "Of its surface: around the straight line from node to node.",
           positive},
          {"touch_itself",
           {},
           flag,
           "",
           literal(b.touch_itself),
           "Elements touch others of the same beam that are far enough along it."},
      }};
}

TableDescription section() {
  const BeamSection s;
  const std::vector<std::string> solid = {"circle", "tube", "rectangle", "I"};
  const std::vector<std::string> constants = {"constants"};
  return {"section",
          "section",
          "kind",
          "section",
          {
              {"kind",
               {},
               word,
               "",
               required,
               "A shape, or `constants` for any other.",
               any,
               {"circle", "tube", "rectangle", "I", "constants"}},
              {"radius", {"circle", "tube"}, number, "m", required, "Outer radius.", positive},
              {"thickness",
               {"tube"},
               number,
               "m",
               required,
               "Of the wall, less than the radius.",
               positive},
              {"width",
               {"rectangle", "I"},
               number,
               "m",
               required,
               "Along y; of an I that of its flanges.",
               positive},
              {"height", {"rectangle", "I"}, number, "m", required, "Along z, over all.", positive},
              {"flange", {"I"}, number, "m", required, "Thickness of each flange.", positive},
              {"web", {"I"}, number, "m", required, "Thickness of the web.", positive},
              {"area", constants, number, "m²", required, "Of the section.", positive},
              {"I_y", constants, number, "m⁴", "none",
               "Second moment of area about y, against bending along z; needed by spatial beams.",
               positive},
              {"I_z", constants, number, "m⁴", required,
               "Second moment of area about z, against bending along y.", positive},
              {"J", constants, number, "m⁴", "none", "Torsion constant; needed by spatial beams.",
               positive},
              {"shear_y", solid, number, "", "by Cowper",
               "Part of the area that carries shear along y.", positive},
              {"shear_z", solid, number, "", "by Cowper",
               "Part of the area that carries shear along z.", positive},
              {"shear_y", constants, number, "", literal(s.shear_y),
               "Part of the area that carries shear along y.", positive},
              {"shear_z", constants, number, "", literal(s.shear_z),
               "Part of the area that carries shear along z.", positive},
          }};
}

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

TableDescription joint() {
  const auto joints_that = [](const auto& is) {
    std::vector<std::string> names;
    for (const JointTraits& kind : joint_kinds) {
      if (is(kind)) names.emplace_back(kind.name);
    }
    return names;
  };
  const auto with_axis = joints_that([](auto& kind) { return kind.axes == JointAxes::z; });
  std::vector<std::string> with_first_axis = with_axis;
  with_first_axis.insert(with_first_axis.end(), {"universal", "skate"});
  const auto with_points = joints_that([](auto& kind) { return kind.axes != JointAxes::own; });
  auto with_point = joints_that([](auto& kind) { return !kind.held.empty(); });
  with_point.emplace_back("skate");
  return {
      "joint",
      "[[joint]]",
      "kind",
      "joint",
      {
          {"name", {}, text, "", "`joint1`, `joint2` ...", "Unique among the joints; without `/`."},
          {"kind",
           {},
           word,
           "",
           required,
           "`revolute` turns about the axis, `prismatic` slides along it, `cylindrical` does both, "
           "`universal` turns about two, `planar` slides across and turns about it, `slot` keeps a "
           "point of `b` on the axis, `distance` is a massless bar. Two hold velocities: a `skate` "
           "does not slip along the axis, and "
           "`rolling` is a sphere or disc that rolls on a plane.",
           any,
           joints_that([](auto&) { return true; })},
          {"a", {}, text, "", required, "Name of a body or beam node, or `ground`."},
          {"b", {}, text, "", required, "Name of another body or beam node, or `ground`."},
          {"point", with_point, vector, "m", "none", "Where the joint is in space at the start."},
          {"point_a", with_points, vector, "m", "none",
           "Instead of `point`, together with `point_b`: in the frame of `a`."},
          {"point_a",
           {"rolling"},
           vector,
           "m",
           "where it touches at the start",
           "Any point of the plane, in the frame of `a`."},
          {"point_b", with_points, vector, "m", "none", "In the frame of `b`."},
          {"point_b", {"skate"}, vector, "m", "none", "Instead of `point`: in the frame of `b`."},
          {"point_b",
           {"rolling"},
           vector,
           "m",
           "its origin",
           "Centre of the sphere or disc, in the frame of `b`."},
          {"axis", with_first_axis, direction, "", "z for a revolute joint in the plane",
           "In space at the start; for a planar joint the normal of the plane, for a universal "
           "joint the axis fixed in `a`, for a skate the direction across its blade."},
          {"axis2",
           {"universal"},
           direction,
           "",
           required,
           "The axis fixed in `b`, in space at the start, perpendicular to `axis`."},
          {"axis_a", with_axis, direction, "", "none",
           "Instead of `axis`, together with `axis_b`: in the frame of `a`."},
          {"axis_a",
           {"rolling"},
           direction,
           "",
           required,
           "Normal of the plane, on the side of `b`, in the frame of `a`."},
          {"axis_b", with_axis, direction, "", "none", "In the frame of `b`."},
          {"axis_b",
           {"skate"},
           direction,
           "",
           "none",
           "Instead of `axis`: in the frame of `b`, with which it turns."},
          {"axis_b",
           {"rolling"},
           direction,
           "",
           "none: a sphere",
           "Axle of a disc, in the frame of `b`; not in the plane, where it is z."},
          {"radius", {"rolling"}, number, "m", required, "Of the sphere or disc.", positive},
          {"length", {"distance"}, number, "m", "as at the start", "Distance to keep.", positive},
          {"clearance",
           {"ball", "revolute", "cylindrical", "prismatic"},
           table,
           "",
           "none",
           "Play of `b` in `a`; the joint is then a contact of its name, or several.",
           any,
           {},
           "clearance"},
          {"backlash",
           {"revolute", "prismatic"},
           table,
           "",
           "none",
           "How far `b` can go along its coordinate, between two stops of `a`.",
           any,
           {},
           "backlash"},
          {"touch",
           {},
           flag,
           "",
           literal(JointSpec{}.touch),
           "Shapes of `a` and `b` that have a material touch each other in spite of the joint."},
          {"motor",
           {"revolute"},
           formula,
           "rad",
           "none",
           "Prescribed angle of `b` against `a` about the axis, 0 at the start."},
          {"motor",
           {"prismatic"},
           formula,
           "m",
           "none",
           "Prescribed displacement of `b` against `a` along the axis, 0 where the two points "
           "meet."},
          {"motor", {"distance"}, formula, "m", "none", "Prescribed length."},
          {"motor",
           {"skate"},
           formula,
           "m/s",
           "0",
           "Prescribed velocity of the point of `b` over `a` along the axis."},
      }};
}

TableDescription coupler() {
  return {
      "coupler",
      "[[coupler]]",
      "",
      "coupler",
      {
          {"name",
           {},
           text,
           "",
           "`coupler1`, `coupler2` ...",
           "Unique among the couplers; without `/`."},
          {"joints",
           {},
           texts,
           "",
           required,
           "Names of two or more joints that have a coordinate: revolute (angle, turns counted), "
           "prismatic, cylindrical and slot (displacement), distance (length)."},
          {"ratios",
           {},
           numbers,
           "",
           required,
           "Factors on their coordinates, as many and none of them zero; the sum of the products "
           "stays what it is."},
          {"offset", {}, number, "m or rad", "as at the start", "What the sum is."},
          {"backlash",
           {},
           table,
           "",
           "none",
           "Play: the sum is free between two stops.",
           any,
           {},
           "coupler_backlash"},
      }};
}

KeyDescription recover_key() {
  return {"recover", {},     table,
          "",        "none", "How forces and stresses of its impacts are found from impulses.",
          any,       {},     "recover"};
}

KeyDescription solid_compliance_key() {
  return {
      "compliance",
      {},
      table,
      "",
      "none: hard",
      "How solids of it give way. Of the integrators `generalized_alpha`, `newmark` and "
      "`energy_consistent`, with which all solids have it. Between two materials without a pair "
      "the softer counts.",
      any,
      {},
      "solid_compliance"};
}

KeyDescription solid_recover_key() {
  return {"recover",
          {},
          table,
          "",
          "none",
          "How forces and stresses of impacts of watched solids are found from impulses.",
          any,
          {},
          "solid_recover"};
}

KeyDescription compliance_key() {
  return {"compliance",
          {},
          table,
          "",
          "none: hard",
          "How its surfaces give way. Of the integrators `generalized_alpha`, `newmark` and "
          "`energy_consistent`, with "
          "which all contacts have it; others have hard contacts.",
          any,
          {},
          "compliance"};
}

// The keys of a surface law, at the end of those of a table.
TableDescription with_law(TableDescription table) {
  const SurfaceLaw c;
  const std::vector<KeyDescription> law = {
      {"friction",
       {},
       number,
       "",
       literal(c.friction),
       "Coulomb's coefficient of sliding friction.",
       not_negative},
      {"rolling_friction",
       {},
       number,
       "m",
       literal(c.rolling_friction),
       "Largest moment against rolling, over the normal force.",
       not_negative},
      {"drilling_friction",
       {},
       number,
       "m",
       literal(c.drilling_friction),
       "Largest moment against turning about the normal, over the normal force.",
       not_negative},
      {"patch_radius",
       {},
       number,
       "m",
       literal(c.patch_radius),
       "Radius of the area of contact: `friction` then resists sliding and turning about the "
       "normal together (Coulomb–Contensou).",
       not_negative},
      {"restitution",
       {},
       number,
       "",
       literal(c.restitution),
       "Speed after an impact over speed before, along the normal.",
       ranges::restitution},
      {"tangential_restitution",
       {},
       number,
       "",
       literal(c.tangential_restitution),
       "The same along the face.",
       ranges::tangential_restitution},
  };
  table.keys.insert(table.keys.end(), law.begin(), law.end());
  return table;
}

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

TableDescription clearance() {
  return with_law(
      {"clearance",
       "clearance of a joint",
       "",
       "clearance",
       {
           {"play",
            {},
            number,
            "m",
            required,
            "How far the journal can move from the middle of its bearing; with 0 the joint is "
            "ideal.",
            not_negative},
           {"radius",
            {},
            number,
            "m",
            required,
            "Of the journal, a part of `b`; of a prismatic joint half of how thick its block is.",
            positive},
           {"length",
            {},
            number,
            "m",
            "none",
            "Along the axis, of the journal or block. Needed by revolute and cylindrical joints in "
            "space and by prismatic ones; without meaning for others.",
            positive},
           {"width",
            {},
            number,
            "m",
            "twice `radius`",
            "Prismatic joints in space: how wide the block is, across its thickness.",
            positive},
           {"across",
            {},
            direction,
            "",
            "the first axis of the joint",
            "Prismatic joints in space: where the block is as thick as `radius` says, in space at "
            "the start. What of it lies along the axis is left out."},
           {"axial_play",
            {},
            number,
            "m",
            "`play`",
            "Revolute joints in space: how far the journal can move along the axis, either way.",
            positive},
           recover_key(),
           compliance_key(),
       }});
}

TableDescription backlash() {
  return with_law(
      {"backlash",
       "backlash of a joint",
       "",
       "backlash",
       {
           {"play",
            {},
            number,
            "m or rad",
            required,
            "How far the coordinate can go from where it is 0, either way; of an angle less than "
            "pi/2.",
            positive},
           {"radius",
            {},
            number,
            "m",
            "none",
            "Of a revolute joint: how far from the axis the stops are. Without meaning for others.",
            positive},
           recover_key(),
           compliance_key(),
       }});
}

TableDescription coupler_backlash() {
  return {"coupler_backlash",
          "backlash of a coupler",
          "",
          "backlash",
          {
              {"play",
               {},
               number,
               "as the sum",
               required,
               "How far the sum can go from what it would be without play, either way; with 0 the "
               "coupler is ideal.",
               not_negative},
              {"radius",
               {},
               number,
               "m",
               "1",
               "By which the sum is multiplied to be a length, where it is an angle: how far from "
               "their axis the stops are. Gaps, impulses and forces of the stops are measured "
               "there.",
               positive},
              recover_key(),
              {"restitution",
               {},
               number,
               "",
               literal(SurfaceLaw{}.restitution),
               "Speed after an impact over speed before.",
               ranges::restitution},
          }};
}

TableDescription material() {
  return with_law({"material",
                   "[[material]]",
                   "",
                   "material",
                   {
                       {"name",
                        {},
                        text,
                        "",
                        required,
                        "Unique among the materials; shapes and pairs name it."},
                       {"youngs_modulus",
                        {},
                        number,
                        "Pa",
                        "none",
                        "Modulus of elasticity, for forces and stresses of impacts.",
                        positive},
                       {"poisson_ratio",
                        {},
                        number,
                        "",
                        "0.3",
                        "Goes with `youngs_modulus`.",
                        ranges::poisson_ratio},
                       {"strength",
                        {},
                        number,
                        "Pa",
                        "none",
                        "Yield stress, to be told of impacts that leave a mark; goes with "
                        "`youngs_modulus`.",
                        positive},
                       solid_recover_key(),
                       solid_compliance_key(),
                   }});
}

TableDescription material_pair() {
  return with_law(
      {"material_pair",
       "[[material_pair]]",
       "",
       "material pair",
       {
           {"materials", {}, texts, "", required, "Names of two materials, or twice the same."},
           solid_recover_key(),
           solid_compliance_key(),
       }});
}

TableDescription exclude() {
  return {
      "exclude",
      "[[exclude]]",
      "",
      "exclude",
      {
          {"bodies", {}, texts, "", required, "Names of two bodies or beams, or `ground` and one."},
      }};
}

TableDescription watch() {
  return {"watch",
          "[[watch]]",
          "",
          "watch",
          {
              {"bodies",
               {},
               texts,
               "",
               required,
               "Two names of bodies or beams, or `ground`; `*` stands for any letters."},
          }};
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
              {"outline",
               {},
               points,
               "m",
               "none",
               "Corners in order, in the plane of the face; without it the face has no edge. Two "
               "corners in the plane, at least three in space."},
          }};
}

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

TableDescription bearing() {
  return with_law(
      {"bearing",
       "[[bearing]]",
       "kind",
       "bearing",
       {
           {"name",
            {},
            text,
            "",
            "`bearing1`, `bearing2` ...",
            "Unique among the bearings; without `/`."},
           {"kind",
            {},
            word,
            "",
            "\"ball\"",
            "What rolls: balls, or cylindrical rollers.",
            any,
            {"ball", "roller"}},
           {"inner",
            {},
            text,
            "",
            required,
            "Name of the body or beam node that has the inner race, or `ground`."},
           {"outer", {}, text, "", required, "The same of the outer race."},
           {"point", {}, vector, "m", "[0, 0, 0]", "Centre of both races, in space at the start."},
           {"axis", {}, direction, "", "z in the plane", "In space at the start; needed in space."},
           {"angle", {}, number, "rad", "0", "Where the first ball is, about the axis from x."},
           {"angle_deg", {}, number, "deg", "none", "The same in degrees."},
           {"count", {}, integer, "", required, "How many roll.", Range{2, 200}},
           {"radius", {}, number, "m", required, "Of each of them.", positive},
           {"length",
            {"roller"},
            number,
            "m",
            "none",
            "Of each of them; needed in space, by `density`, and by `materials` of `recover` and "
            "`compliance`.",
            positive},
           {"stations",
            {"roller"},
            integer,
            "",
            "2; 3 with `compliance` or `share`",
            "In space: at how many places along it, with both ends, a roller touches a race.",
            Range{2, 5}},
           {"ribs",
            {"roller"},
            word,
            "",
            "\"outer\"",
            "In space: which races hold rollers along the axis, between two ribs.",
            any,
            {"outer", "inner", "both"}},
           {"axial_play",
            {"roller"},
            number,
            "m",
            "the clearance",
            "In space: how far a roller can move along the axis, either way, before a rib stops "
            "it.",
            not_negative},
           {"density",
            {},
            number,
            "kg/m³",
            "none",
            "Of what rolls; or give `mass` and `inertia`.",
            positive},
           {"mass", {}, number, "kg", "from `density`", "Of each of them.", positive},
           {"inertia",
            {},
            number,
            "kg m²",
            "that of a ball or cylinder",
            "Of each of them about its middle; of balls about any axis, of rollers about their "
            "own.",
            positive},
           {"inner_radius",
            {},
            number,
            "m",
            "none",
            "Of the inner race, at the bottom of its groove.",
            positive},
           {"outer_radius",
            {},
            number,
            "m",
            "none",
            "Of the outer race, at the bottom of its groove.",
            positive},
           {"pitch_radius",
            {},
            number,
            "m",
            "none",
            "Instead of both: of the circle in the middle between the races.",
            positive},
           {"clearance",
            {},
            number,
            "m",
            "0",
            "With `pitch_radius`: how far the inner race can move from the middle; less than 0 is "
            "a "
            "preload and needs `compliance`."},
           {"groove_radius",
            {"ball"},
            number,
            "m",
            "none: flat across",
            "Of the grooves, across: more than `radius`. Needed in space; in the plane it only "
            "counts for stiffness and stresses.",
            positive},
           {"cage",
            {},
            table,
            "",
            "none: neighbours touch",
            "What keeps neighbours apart.",
            any,
            {},
            "cage"},
           recover_key(),
           compliance_key(),
       }});
}

TableDescription cage() {
  return {"cage",
          "cage of a bearing",
          "",
          "cage",
          {
              {"stiffness",
               {},
               number,
               "N/m",
               required,
               "Of a spring from each ball to the next; between rollers in space four share it.",
               positive},
              {"damping", {}, number, "N s/m", "0", "Of a damper along it.", not_negative},
          }};
}

// The keys of a law of normal forces.
std::vector<KeyDescription> force_law_keys(const char* of_materials) {
  const ForceLawSpec law;
  return {
      {"law",
       {},
       word,
       "",
       fmt::format("\"{}\"", to_string(law.law)),
       "Law of the normal force; `exact` has the damping that returns just the `restitution` of "
       "the "
       "contact.",
       any,
       {normal_law_names.begin(), normal_law_names.end()}},
      {"stiffness", {}, number, "N/m^n", "from `materials`", "`K` of `F = K depth^n`.", positive},
      {"exponent",
       {},
       number,
       "",
       "1.5",
       "`n`, with `stiffness`; it is 1 of `hooke` and `kelvin-voigt`.",
       ranges::force_exponent},
      {"materials", {}, texts, "", "none", of_materials},
      {"length",
       {},
       number,
       "m",
       "none: at a point",
       "With `materials`, of planar bodies and of spheres in a bore or on a shaft: how long the "
       "line is along which they touch as cylinders. Rollers of bearings have it already.",
       positive},
  };
}

TableDescription recover() {
  const RecoverySpec r;
  TableDescription table{
      "recover", "recover of a contact", "", "recovery",
      force_law_keys("Names of two materials, that of `sphere` first: with the "
                     "radii they give the stiffness (Hertz; along a line Palmgren) and "
                     "the stresses.")};
  table.keys.push_back({"profile",
                        {},
                        word,
                        "",
                        fmt::format("\"{}\"", to_string(r.profile)),
                        "How the bodies move during an impact: `law` as the law moves them, `bent` "
                        "and `cubic` as 000 assumes it.",
                        any,
                        {impact_shape_names.begin(), impact_shape_names.end()}});
  table.keys.push_back({"alpha",
                        {},
                        number,
                        "",
                        literal(r.alpha),
                        "Of the profile `bent`: where it bends.",
                        positive});
  table.keys.push_back({"share",
                        {},
                        flag,
                        "",
                        literal(r.share),
                        "Tell also how the load is shared out among all contacts that have it, by "
                        "their stiffness: the result `shared_force`."});
  return table;
}

// Materials and shapes are those of the solids, and nothing is shared out.
TableDescription solid_recover() {
  TableDescription table = recover();
  table.name = "solid_recover";
  table.heading = "recover of a material";
  std::erase_if(table.keys, [](const KeyDescription& key) {
    return key.name == "materials" || key.name == "share";
  });
  for (KeyDescription& key : table.keys) {
    if (key.name == "stiffness") {
      key.default_text = "from moduli and curvatures";
    } else if (key.name == "length") {
      key.default_text = "none";
      key.meaning =
          "Of solids in the plane, which need it or `stiffness`: how long the line is along which "
          "they touch.";
    }
  }
  return table;
}

TableDescription compliance() {
  const ComplianceSpec c;
  TableDescription table{
      "compliance", "compliance of a contact", "", "compliance",
      force_law_keys("Names of two materials, that of `sphere` first: with the "
                     "radii they give the stiffness (Hertz; along a line Palmgren).")};
  table.keys.push_back({"slow_speed",
                        {},
                        number,
                        "m/s",
                        literal(c.slow_speed),
                        "Sliding that is slower is resisted in proportion to its speed; impacts "
                        "that are slower are damped as if they were that fast.",
                        positive});
  table.keys.push_back({"damping_ratio",
                        {},
                        number,
                        "",
                        literal(c.damping_ratio),
                        "Of `energy_consistent`: damping beside the spring, over critical damping. "
                        "It takes no energy, but stiffens the contact within a step: large is "
                        "nearly hard.",
                        not_negative});
  table.keys.push_back({"tangential_stiffness",
                        {},
                        number,
                        "N/m",
                        "`stiffness`",
                        "Of `energy_consistent`: that of the spring along the surfaces.",
                        positive});
  table.keys.push_back({"tangential_damping_ratio",
                        {},
                        number,
                        "",
                        "`damping_ratio`",
                        "Of `energy_consistent`: of the damping along the surfaces.",
                        not_negative});
  return table;
}

TableDescription solid_compliance() {
  TableDescription table = compliance();
  table.name = "solid_compliance";
  table.heading = "compliance of a material";
  std::erase_if(table.keys, [](const KeyDescription& key) {
    return key.name == "materials" || key.name == "length";
  });
  for (KeyDescription& key : table.keys) {
    if (key.name == "stiffness") key.default_text = required;
  }
  return table;
}

TableDescription integrator() {
  const IntegratorSpec i;
  return {
      "integrator",
      "[integrator]",
      "",
      "integrator",
      {
          {"name",
           {},
           word,
           "",
           literal(std::string(to_string(i.kind))),
           "`nsga`: decoupled nonsmooth generalized-alpha method. `nsga_coupled`: positions, "
           "velocities and accelerations in one system, with forces and impulses apart. `moreau`: "
           "Moreau-Jean method, of first order. `generalized_alpha` and `newmark`: the smooth "
           "motion "
           "alone, of contacts with `compliance`, or without contacts. `energy_consistent`: "
           "midpoint rule in which each contact with `compliance` gives back what its spring takes "
           "within the step (ACEM, with friction ADfr), for bodies that nothing else ties.",
           any,
           {integrator_names.begin(), integrator_names.end()}},
          {"step", {}, number, "s", required, "Time step.", positive},
          {"duration", {}, number, "s", required, "Time at which the run ends.", positive},
          {"rho_inf",
           {},
           number,
           "",
           literal(i.rho_inf),
           "Spectral radius at infinite frequency: 1 keeps all vibrations, 0 kills the fast ones. "
           "Of `nsga`, `nsga_coupled` and `generalized_alpha`.",
           ranges::rho_inf},
          {"gamma",
           {},
           number,
           "",
           literal(i.gamma),
           "Of `newmark`: weight of the end of the step in velocities; more than 0.5 damps.",
           ranges::newmark_gamma},
          {"beta",
           {},
           number,
           "",
           literal(i.beta),
           "Of `newmark`: half the weight of the end of the step in positions. The trapezoidal "
           "rule "
           "has 0.25 with `gamma = 0.5`; the method is stable for all steps where it is at least "
           "`(gamma + 0.5)^2/4`.",
           ranges::newmark_beta},
          {"variant",
           {},
           word,
           "",
           fmt::format("\"{}\"", to_string(i.variant)),
           "Of `energy_consistent`, to compare it with: `simo-tarnow` leaves the energy in the "
           "springs (for contacts that are linear in the gap also the scheme of Armero and "
           "Petocz), `laursen-chawla` resists the rate of the gap, `laursen-love` ends steps on "
           "the surface.",
           any,
           {conserving_names.begin(), conserving_names.end()}},
          {"closing_factor",
           {},
           number,
           "",
           literal(i.closing_factor),
           "Of `energy_consistent`: `psi_1 + psi_2` times `step*sqrt(stiffness/mass)` of the "
           "larger "
           "mass, over the damping ratio.",
           positive},
          {"largest_depth",
           {},
           number,
           "",
           literal(i.largest_depth),
           "Of `energy_consistent`: steps that press a contact further in than this many radii of "
           "the smaller body are cut in two.",
           positive},
          {"theta",
           {},
           number,
           "",
           literal(i.theta),
           "Of `moreau`: weight of the end of the step in forces and positions; 0.5 keeps "
           "vibrations, 1 damps them.",
           ranges::theta},
          {"tolerance",
           {},
           number,
           "",
           literal(i.tolerance),
           "On the relative residual of every subproblem.",
           ranges::tolerance},
          {"max_iterations",
           {},
           integer,
           "",
           literal(i.max_iterations),
           "Newton updates per subproblem.",
           ranges::max_iterations},
          {"max_halvings",
           {},
           integer,
           "",
           literal(i.max_halvings),
           "How often a step that fails is cut in two; more often where solids are fast.",
           ranges::max_halvings},
          {"locate_impacts",
           {},
           flag,
           "",
           literal(i.locate_impacts),
           "Only of `nsga`: `true` cuts a step at each impact with restitution, which dates it to "
           "1e-5 of a step."},
          {"multi_impact",
           {},
           flag,
           "",
           literal(i.multi_impact),
           "Only of `nsga`: contacts that touch each other pass an impact on one after the other, "
           "within the step; else all react at once."},
          {"impact_tolerance",
           {},
           number,
           "m/s",
           "a thousandth of what the forces of a step do",
           "With `multi_impact`: contacts that close more slowly do not strike.",
           not_negative},
          {"max_impacts",
           {},
           integer,
           "",
           literal(i.max_impacts),
           "With `multi_impact`: how many may follow each other in a step.",
           ranges::max_impacts},
          {"position_friction",
           {},
           flag,
           "",
           literal(i.position_friction),
           "Only of `nsga`: `false` leaves friction out at position level, to study the drift."},
          {"position_rolling",
           {},
           flag,
           "",
           literal(i.position_rolling),
           "Only of `nsga`: `false` leaves rolling and drilling friction to the velocity level, as "
           "000 does; what they hold on a slope then creeps."},
          {"sleep",
           {},
           flag,
           "",
           literal(i.sleep),
           "Of `nsga`, other integrators do without: bodies that have come to rest and that "
           "nothing "
           "but contacts and gravity acts on stay where they are until something comes near; "
           "`false` computes them in every step."},
          {"contact_solver",
           {},
           word,
           "",
           "Newton's method, others where it fails",
           "Of `nsga` and `moreau`, without groups of spheres: how the contacts of every step are "
           "solved; Newton's method then makes sure of the result.",
           any,
           {contact_solver_names.begin(), contact_solver_names.end()}},
          {"scaling",
           {},
           word,
           "",
           "\"delassus\"",
           "How the contact rows are scaled: each by its own, or all by one mass.",
           any,
           {"delassus", "characteristic_mass"}},
          {"characteristic_mass",
           {},
           number,
           "kg",
           "mean mass of the bodies",
           "Only with that scaling.",
           positive},
          {"penalty",
           {},
           number,
           "",
           literal(i.penalty),
           "Augmentation as a multiple of the scaling.",
           positive},
      }};
}

TableDescription output() {
  return {"output",
          "[output]",
          "",
          "output",
          {
              {"interval",
               {},
               number,
               "s",
               "every step, but at most 10 000 samples",
               "Time between samples.",
               positive},
              {"frame_interval",
               {},
               number,
               "s",
               "200 frames",
               "Time between ParaView frames.",
               positive},
              {"paraview", {}, flag, "", literal(OutputSpec{}.paraview), "Write ParaView files."},
              {"contact_points",
               {},
               flag,
               "",
               literal(OutputSpec{}.contact_points),
               "Write each point of contact, with its place, normal, gap, force and status."},
              {"checkpoint_interval",
               {},
               number,
               "s",
               "as often as costs less than 2 %",
               "Simulated time between checkpoints, from which `run --resume` goes on; 0: none.",
               not_negative},
          }};
}

TableDescription verify() {
  const VerifySpec v;
  const std::vector<std::string> crossing = {"first_time", "last_time"};
  const std::vector<std::string> windowed = {"min",        "max",       "max_abs",  "sum",
                                             "first_time", "last_time", "frequency"};
  return {
      "verify",
      "[[verify]]",
      "measure",
      "measure",
      {
          {"source", {}, text, "", literal(v.source), "Document that has the example."},
          {"example", {}, text, "", literal(v.example), "Its number or name there."},
          {"quantity",
           {},
           text,
           "",
           required,
           "`bodies/block/position/x`, or the angle `atan2(y, x)` of two such, in rad; for measure "
           "`order`: `positions` or `velocities`."},
          {"measure",
           {},
           word,
           "",
           literal(v.measure),
           "What is taken from the history of the quantity; the times are those of the first or "
           "last "
           "sample that reaches `threshold`, the frequency is that of the highest line of the "
           "spectrum in `band`.",
           any,
           {"final", "at", "min", "max", "max_abs", "sum", "first_time", "last_time", "frequency",
            "order"}},
          {"at", {"at"}, number, "s", required, "Time of the sample.", not_negative},
          {"from", windowed, number, "s", "start of the run", "Start of the time window.",
           not_negative},
          {"to", windowed, number, "s", "end of the run", "End of the time window.", not_negative},
          {"threshold", crossing, number, "as the quantity", required, "Value to be reached."},
          {"below", crossing, flag, "", literal(v.below), "Reached from above instead of below."},
          {"band",
           {"frequency"},
           numbers,
           "Hz",
           required,
           "Lowest and highest frequency among which the strongest is sought.",
           not_negative},
          {"oracle", {}, formula, "as the quantity", required, "What the measure should be."},
          {"oracle_kind",
           {},
           word,
           "",
           required,
           "Where the oracle is from: see the user's guide.",
           any,
           {"closed form", "conservation", "order", "published", "independent computation",
            "prototype of the same scheme", "own converged run"}},
          {"script",
           {},
           text,
           "",
           "none",
           "Program that computes the oracle, a path from the folder `examples`; required for an "
           "`independent computation`, for no other."},
          {"compare",
           {},
           word,
           "",
           literal(v.compare),
           "How measure and oracle must agree.",
           any,
           {"equal", "at_least", "at_most"}},
          {"tolerance",
           {},
           number,
           "as the quantity",
           literal(v.tolerance),
           "Absolute slack of the comparison.",
           not_negative},
          {"steps", {"order"}, numbers, "s", required, "Two or more time steps.", positive},
          {"reference_step",
           {"order"},
           number,
           "s",
           "none",
           "Time step of the run that the others are compared with.",
           positive},
          {"set", {}, texts, "", "none", "Changes for this run, such as `integrator.step=1e-4`."},
          {"note", {}, text, "", literal(v.note), "For the reader."},
      }};
}

}  // namespace

bool KeyDescription::applies_to(std::string_view kind) const {
  return kinds.empty() || kind.empty() ||
         std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

std::string KeyDescription::expected() const {
  const std::string limits = range.text().empty() ? "" : " " + range.text();
  switch (type) {
    case text:
      return "text";
    case word:
      return fmt::format("`\"{}\"`", fmt::join(words, "\"`, `\""));
    case flag:
      return "`true` or `false`";
    case integer:
      return "whole number" + limits;
    case number:
      return "number" + limits;
    case formula:
      return "number or formula in `t`";
    case vector:
      return limits.empty() ? "vector" : "vector with entries" + limits;
    case triple:
      return "three numbers" + limits;
    case direction:
      return "vector, not zero";
    case quaternion:
      return "four numbers, not all zero";
    case points:
      return "list of vectors";
    case point_or_points:
      return "vector or list of vectors";
    case pairs:
      return "list of two or more pairs of numbers";
    case rows:
      return "rows of numbers";
    case inertia:
      return "three numbers, or three rows of three";
    case formulas:
      return "vector of numbers or formulas in `t`";
    case torque:
      return "vector of numbers or formulas in `t`, or one of them";
    case numbers:
      return "list of numbers" + limits;
    case texts:
      return "list of texts";
    case ValueType::table:
      return fmt::format("table, see `{}`", model_table(table).heading);
    case table_or_tables:
      return fmt::format("table or list of tables, see `{}`", model_table(table).heading);
    case table_one:
      return "table";
    case tables:
      return "tables";
  }
  return "";
}

const KeyDescription* TableDescription::find(std::string_view key, std::string_view kind) const {
  for (const KeyDescription& row : keys) {
    if (row.name == key && row.applies_to(kind)) return &row;
  }
  return nullptr;
}

std::vector<std::string> TableDescription::kinds() const {
  if (kind_key.empty()) return {""};
  return find(kind_key, "")->words;
}

std::string TableDescription::default_kind() const {
  if (kind_key.empty()) return "";
  const KeyDescription& row = *find(kind_key, "");
  // The default is a quoted word.
  return row.required() ? "" : row.default_text.substr(1, row.default_text.size() - 2);
}

std::span<const TableDescription> model_tables() {
  static const std::vector<TableDescription> tables = {
      model(),         body(),       repeat(),        shape(),         orientation(),
      ground_shapes(), material(),   material_pair(), solid_recover(), solid_compliance(),
      exclude(),       watch(),      beam(),          section(),       spring(),
      end(),           bushing(),    cable(),         through(),       load(),
      joint(),         clearance(),  backlash(),      coupler(),       coupler_backlash(),
      contact(),       point(),      sphere(),        face(),          shaft(),
      bore(),          groove(),     recover(),       compliance(),    bearing(),
      cage(),          integrator(), output(),        verify()};
  return tables;
}

const TableDescription& model_table(std::string_view name) {
  const std::span<const TableDescription> tables = model_tables();
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const TableDescription& table) {
    return table.name == name;
  });
  assert(found != tables.end());
  return *found;
}

}  // namespace clatter
