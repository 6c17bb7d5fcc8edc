#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace clatter {

/// In the order of the rows of joint_kinds.
enum class JointKind {
  fixed,
  ball,
  revolute,     ///< about z of the joint frame
  prismatic,    ///< along z
  cylindrical,  ///< about and along z
  universal,    ///< about z of a and x of b
  planar,       ///< moves in the x-y plane of the joint frame of a
  distance,     ///< keeps the distance between the two points
  skate,        ///< the point of b does not slip along z of b
  rolling,      ///< a sphere or disc of b rolls on the plane of a that z of a is normal to
  slot,         ///< the point of b stays on the line along z of a
  hold,         ///< the point of b stays where it is along z of a
  hold_turn,    ///< b does not turn over a about z of a
};

/// Which axes of the frames of a and b stay together.
enum class Alignment {
  none,
  z,        ///< both z are parallel
  all,      ///< no rotation
  crossed,  ///< z of a and x of b are perpendicular
};

/// What is left to measure, to drive and to couple.
enum class JointCoordinate {
  none,
  angle,         ///< of b against a about z
  displacement,  ///< of b against a along z
  distance,      ///< between the points
};

/// The axes that a file gives.
enum class JointAxes {
  none,
  z,        ///< `axis`, or `axis_a` and `axis_b`
  z_and_x,  ///< `axis` of a and `axis2` of b
  own,      ///< as the reader of the kind says
};

/// Between planar bodies.
enum class InPlane {
  never,    ///< has no meaning
  as_ever,  ///< whatever its axes
  about,    ///< z is normal to the plane, which is why it may be left out
  along,    ///< z lies in the plane
  own,      ///< as the checks of the kind say
};

/// What a kind of joint is. One that only holds lengths and axes together is a row below, a value
/// of JointKind, and its meaning in the description of the model file (io/keys/joint_keys.cpp).
struct JointTraits {
  JointKind kind;
  std::string_view name;
  std::string_view held;  ///< axes of a along which the two points stay together
  Alignment aligned;
  JointCoordinate coordinate;
  bool has_motor;
  JointAxes axes;
  bool on_points;  ///< also on bodies that do not turn
  InPlane in_plane;
};

// clang-format off
/// What distance, skate, rolling and hold_turn hold is said in elements/joint.cpp.
inline constexpr std::array<JointTraits, 13> joint_kinds{{
    {JointKind::fixed,       "fixed",       "xyz", Alignment::all,     JointCoordinate::none,         false, JointAxes::none,    false, InPlane::as_ever},
    {JointKind::ball,        "ball",        "xyz", Alignment::none,    JointCoordinate::none,         false, JointAxes::none,    true,  InPlane::never},
    {JointKind::revolute,    "revolute",    "xyz", Alignment::z,       JointCoordinate::angle,        true,  JointAxes::z,       false, InPlane::about},
    {JointKind::prismatic,   "prismatic",   "xy",  Alignment::all,     JointCoordinate::displacement, true,  JointAxes::z,       false, InPlane::along},
    {JointKind::cylindrical, "cylindrical", "xy",  Alignment::z,       JointCoordinate::displacement, false, JointAxes::z,       false, InPlane::never},
    {JointKind::universal,   "universal",   "xyz", Alignment::crossed, JointCoordinate::none,         false, JointAxes::z_and_x, false, InPlane::never},
    {JointKind::planar,      "planar",      "z",   Alignment::z,       JointCoordinate::none,         false, JointAxes::z,       false, InPlane::never},
    {JointKind::distance,    "distance",    "",    Alignment::none,    JointCoordinate::distance,     true,  JointAxes::none,    true,  InPlane::as_ever},
    {JointKind::skate,       "skate",       "",    Alignment::none,    JointCoordinate::none,         true,  JointAxes::own,     false, InPlane::own},
    {JointKind::rolling,     "rolling",     "",    Alignment::none,    JointCoordinate::none,         false, JointAxes::own,     false, InPlane::own},
    {JointKind::slot,        "slot",        "xy",  Alignment::none,    JointCoordinate::displacement, false, JointAxes::z,       true,  InPlane::along},
    {JointKind::hold,        "hold",        "z",   Alignment::none,    JointCoordinate::displacement, true,  JointAxes::z,       true,  InPlane::along},
    {JointKind::hold_turn,   "hold_turn",   "",    Alignment::none,    JointCoordinate::none,         true,  JointAxes::own,     false, InPlane::about},
}};
// clang-format on

constexpr const JointTraits& traits_of(JointKind kind) {
  return joint_kinds[static_cast<std::size_t>(kind)];
}
static_assert([] {
  for (std::size_t i = 0; i < joint_kinds.size(); ++i) {
    if (joint_kinds[i].kind != static_cast<JointKind>(i)) return false;
  }
  return true;
}());

inline std::string_view to_string(JointKind kind) { return traits_of(kind).name; }

inline bool can_be_driven(const JointTraits& kind) { return kind.has_motor; }
inline bool has_free_coordinate(const JointTraits& kind) {
  return kind.coordinate != JointCoordinate::none;
}

/// "revolute, prismatic and distance": the names of all kinds of which `is` is true, with `before`
/// the last.
template <class Predicate>
std::string names_of_joints(const Predicate& is, std::string_view quote, std::string_view before) {
  std::size_t left = 0;
  for (const JointTraits& kind : joint_kinds) left += is(kind) ? 1 : 0;
  std::string names;
  for (const JointTraits& kind : joint_kinds) {
    if (!is(kind)) continue;
    if (!names.empty()) names += left == 1 ? " " + std::string(before) + " " : ", ";
    names += std::string(quote) + std::string(kind.name) + std::string(quote);
    --left;
  }
  return names;
}

}  // namespace clatter
