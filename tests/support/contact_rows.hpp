#pragma once

#include <vector>

#include <clatter/contact/geometry/contact.hpp>

#include "support/random_state.hpp"

namespace clatter::testing {

/// The ground and two bodies that are free in space or in the plane.
inline const std::vector<Node> in_space{Node{}, free_node(0), free_node(6)};
inline const std::vector<Node> in_plane{Node{}, planar_node(0), planar_node(3)};

inline PairRows rows_of(const Contact& contact, const Configuration& q) {
  PairRows rows(contact.rows(), 12);
  contact.rates(q, contact.frame(q, Vec3::Zero()), rows);
  return rows;
}

inline VecX rates(const Contact& contact, const Configuration& q, const NodalVector& v) {
  return rows_of(contact, q) * of_pair(v, contact.a(), contact.b());
}

/// A sphere of radius 1 m against one of 1.5 m at the origin, both free.
inline ContactSpec two_spheres() {
  ContactSpec spec;
  spec.geometry = SphereOnSphere::geometry;
  spec.radius = 1.0;
  spec.face_radius = 1.5;
  spec.friction = 0.3;
  return spec;
}

}  // namespace clatter::testing
