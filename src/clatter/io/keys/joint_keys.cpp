#include <clatter/io/keys/key_tables.hpp>

namespace clatter::keys {

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
  with_first_axis.insert(with_first_axis.end(), {"universal", "skate", "hold_turn"});
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
           "`rolling` is a sphere or disc that rolls on a plane. Two hold one motion each: `hold` "
           "how far `b` is along the axis, `hold_turn` how fast it turns about it.",
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
          {"axis", with_first_axis, direction, "", "z for turning in the plane",
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
          {"limits",
           {"revolute", "prismatic", "cylindrical", "slot"},
           table,
           "",
           "none",
           "Stops of the coordinate, hard and exact: contacts `NAME.lower` and `NAME.upper`.",
           any,
           {},
           "limits"},
          {"friction",
           {"revolute", "prismatic", "cylindrical", "ball", "universal"},
           table,
           "",
           "none",
           "Dry friction that sticks exactly, a contact `NAME.friction`, and viscous friction.",
           any,
           {},
           "joint_friction"},
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
          {"motor",
           {"hold"},
           formula,
           "m",
           "none",
           "Prescribed displacement of the point of `b` along the axis, which is fixed in `a`, 0 "
           "where the two points meet."},
          {"motor",
           {"hold_turn"},
           formula,
           "rad/s",
           "0",
           "Prescribed angular velocity of `b` over `a` about the axis, which is fixed in `a`."},
          {"motor", {"distance"}, formula, "m", "none", "Prescribed length."},
          {"motor",
           {"skate"},
           formula,
           "m/s",
           "0",
           "Prescribed velocity of the point of `b` over `a` along the axis."},
      }};
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

TableDescription limits() {
  return {
      "limits",
      "limits of a joint",
      "",
      "limits",
      {
          {"lower", {}, number, "rad or m", "none", "The coordinate is never less."},
          {"lower_deg", {}, number, "deg", "none", "The same of an angle, in degrees."},
          {"upper", {}, number, "rad or m", "none", "The coordinate is never more."},
          {"upper_deg", {}, number, "deg", "none", "The same of an angle, in degrees."},
          {"restitution",
           {},
           number,
           "",
           literal(SurfaceLaw{}.restitution),
           "Speed after an impact over speed before.",
           ranges::restitution},
          {"radius",
           {},
           number,
           "m",
           "1",
           "Of a revolute joint: how far from the axis the stops are. Gaps, impulses and forces "
           "are measured there.",
           positive},
          recover_key(),
      }};
}

TableDescription joint_friction() {
  return {
      "joint_friction",
      "friction of a joint",
      "",
      "friction",
      {
          {"preload",
           {},
           drive,
           "N m, N",
           "0",
           "Largest torque, or force along the axis of prismatic and cylindrical joints, that it "
           "resists with; a formula of t and of quantities makes it a brake. Less than 0 is 0."},
          {"coefficient",
           {},
           number,
           "",
           "0",
           "Coulomb's coefficient for what the joint carries: the force of the joint times "
           "`radius` is added to a torque, the force itself to a force.",
           not_negative},
          {"radius",
           {},
           number,
           "m",
           "0",
           "Of the journal, ball or shaft. Needed with `coefficient` but by prismatic joints, for "
           "which it has no meaning, and by cylindrical ones always.",
           not_negative},
          {"length",
           {},
           number,
           "m",
           "none",
           "Of the guide of prismatic and cylindrical joints: the torque of the joint presses its "
           "two ends. Without it torques do not press.",
           positive},
          {"viscous",
           {},
           number,
           "N m s/rad, N s/m",
           "0",
           "Torque or force per relative velocity, of revolute, prismatic and ball joints.",
           not_negative},
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
          {"capacity",
           {},
           drive,
           "N m, N",
           "without bound",
           "Of a friction clutch, a brake or a belt: the largest torque or force, for a ratio of "
           "1, "
           "with which it resists that the sum changes; a number or a formula of t and of "
           "quantities. One joint is enough, and `offset` has no meaning."},
          {"one_way",
           {},
           flag,
           "",
           "false",
           "A freewheel: the sum can grow and never falls. One joint is enough, and `offset` has "
           "no "
           "meaning."},
      }};
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

}  // namespace clatter::keys
