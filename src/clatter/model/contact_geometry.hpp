#pragma once

#include <string_view>

namespace clatter {

class ObjectCheck;
struct ContactSpec;

/// What a model says of one of two surfaces that touch, besides the body that has it and a point.
struct SurfaceKind {
  std::string_view key;     ///< its table in a [[contact]] of a model file
  std::string_view noun;    ///< in messages
  bool is_sphere = false;   ///< one on each of several bodies, whose shapes give the radius
  bool has_radius = false;  ///< [m], > 0
  std::string_view direction =
      {};                    ///< key of the direction that turns with the body; else it has none
  bool has_outline = false;  ///< may end at an edge
  bool has_tube = false;     ///< a tube around a circle of its radius, with a radius of its own

  bool has_direction() const { return !direction.empty(); }
};

/// Two surfaces that can touch, as models, files and messages know them. Each pair says it in its
/// own file in contact/geometry; readers and checks follow from it.
struct ContactGeometry {
  std::string_view name;
  SurfaceKind b;         ///< of ContactSpec::point
  SurfaceKind a;         ///< of ContactSpec::face, which b touches
  bool inside = false;   ///< b is inside a
  bool in_plane = true;  ///< planar bodies can have these surfaces
  /// Refuses what only this pair cannot be; what any pair of such surfaces cannot be is known.
  void (*check)(const ObjectCheck& object, const ContactSpec& contact) = nullptr;

  bool operator==(const ContactGeometry& other) const { return name == other.name; }
};

// Surfaces that several pairs have.

inline constexpr SurfaceKind point_surface{.key = "point", .noun = "point"};
inline constexpr SurfaceKind face_surface{
    .key = "face", .noun = "face", .direction = "normal", .has_outline = true};
inline constexpr SurfaceKind sphere_surface{
    .key = "sphere", .noun = "sphere", .is_sphere = true, .has_radius = true};

/// Of a contact that says nothing else.
inline constexpr ContactGeometry default_geometry{
    .name = "point_on_face", .b = point_surface, .a = face_surface};

}  // namespace clatter
