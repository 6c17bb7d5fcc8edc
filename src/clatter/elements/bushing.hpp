#pragma once

#include <array>
#include <string>

#include <clatter/elements/pair_coordinate.hpp>
#include <clatter/model/model.hpp>

namespace clatter {

/// A spring and damper in all six directions between a frame of a and one of b.
///
/// u: displacement of the point of b from that of a along the axes fixed in a; psi: rotation vector
/// of the frame of b against that of a. Energy u.K u/2 + preload.u + psi.K_r psi/2, of which forces
/// and torques are the derivatives; dampers on du/dt and on the relative angular velocity in the
/// axes of a. Stiffness and damping are diagonal.
class Bushing {
 public:
  /// `spec` has its points already relative to the nodes (centres of mass).
  Bushing(const BushingSpec& spec, int a, int b);

  const std::string& name() const { return name_; }
  int a() const { return a_; }
  int b() const { return b_; }

  /// Where b is in the frame of a, and what acts on it there, along the axes of the bushing.
  struct Reading {
    Vec3 displacement, rotation;
    Vec3 force, torque;  ///< on b; those of a dampers' motion included
  };
  Reading read(const Configuration& q, const NodalVector& v) const;

  // As every force element has them; nothing of a bushing is counted over steps.
  void generalised_force(const Configuration& q, const NodalVector& v, double reached,
                         Vec12& f) const;
  /// K = -d(force)/dq, C = -d(force)/dv
  void tangent(const Configuration& q, const NodalVector& v, double reached, Mat12& K,
               Mat12& C) const;
  double energy(const Configuration& q, double reached) const;
  double dissipated_power(const Configuration& q, const NodalVector& v, double reached) const;
  double coordinate(const Configuration& /*q*/, double /*reached*/) const { return 0.0; }
  double coordinate_at_start() const { return 0.0; }
  /// Throws Error when it is turned so much that the rotation vector is about to jump.
  void check(const Configuration& q, double reached) const;

 private:
  /// Rotation of the frame of b against that of a.
  Quaternion turn(const Configuration& q) const;
  /// Relative angular velocity in the axes of a.
  Vec3 spin(const Mat3& turn, const NodalVector& v) const;

  std::string name_;
  int a_, b_;
  std::array<PairCoordinate, 3> along_;
  Quaternion frame_a_, frame_b_;
  Mat3 axes_a_, axes_b_;  // columns, in the frames of the nodes
  Vec3 stiffness_, rotational_stiffness_, damping_, rotational_damping_, preload_;
  Place place_;
};

}  // namespace clatter
