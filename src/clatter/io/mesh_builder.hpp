#pragma once

#include <array>
#include <map>
#include <span>

#include <clatter/model/specs.hpp>

namespace clatter {

/// Puts a mesh together out of the points and faces of a file.
class MeshBuilder {
 public:
  explicit MeshBuilder(MeshShape& mesh) : mesh_(mesh) {}

  /// Numbers the points, equal ones alike.
  int number_of(const Vec3& point);
  /// With three or more corners, as triangles. False: its sides cross, so that it encloses nothing.
  bool add_face(std::span<const int> corners);

 private:
  MeshShape& mesh_;
  std::map<std::array<double, 3>, int> numbers_;
};

}  // namespace clatter
