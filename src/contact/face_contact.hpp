#pragma once

#include <string>
#include <vector>

#include "bodies/pair_coordinate.hpp"
#include "contact/friction_law.hpp"
#include "model/model.hpp"

namespace clatter {

/// Node-to-face contact (001 section 4): a point of node b against a plane face of node a.
///   g_N   = N . (d - d_face)          gap, > 0 open
///   g_T,i = T_i . (d - d_n)           slip since the start of the step, in the frame of the face
/// with d = R_a^T (p_b - x_a); all rows are PairCoordinate::along.
class FaceContact {
 public:
  /// `spec` has its points already relative to the nodes.
  FaceContact(const ContactSpec& spec, int face_node, int point_node,
              const std::vector<Node>& nodes);

  const std::string& name() const { return name_; }
  const Place& place() const { return place_; }
  int a() const { return a_; }
  int b() const { return b_; }
  double friction() const { return friction_; }
  double restitution() const { return restitution_; }
  double tangential_restitution() const { return tangential_restitution_; }

  int rows() const { return static_cast<int>(coordinates_.size()); }
  int tangential_rows() const { return rows() - 1; }
  const PairCoordinate& coordinate(int row) const { return coordinates_[row]; }
  int first_row = 0;  ///< in the order of all contacts of a system

  double gap(const Configuration& q) const { return coordinates_[0].value(q); }
  /// True when the foot of the point on the plane lies inside the outline of the face.
  bool over_face(const Configuration& q) const;
  bool has_outline() const { return !outline_.empty(); }

  /// Directions of slip in the frame of the face: T_1 and, unless the contact is planar, T_2.
  const Vec3& tangent(int i) const { return tangents_[i]; }
  const Vec3& normal() const { return normal_; }

 private:
  std::string name_;
  Place place_;
  int a_, b_;
  Vec3 point_a_, point_b_, normal_;
  std::array<Vec3, 2> tangents_;
  double friction_, restitution_, tangential_restitution_;
  std::vector<Vec3> outline_;
  std::vector<PairCoordinate> coordinates_;
};

}  // namespace clatter
