#pragma once

#include "bodies/node.hpp"

namespace clatter {

/// Strains or section forces of a beam, in section axes: along x, y, z, then about x, y, z.
///   strain:    elongation, shear y, shear z [-], twist, curvature about y, about z [1/m]
///   resultant: axial force, shear force y, z [N], torque, bending moment about y, z [N m]
using SectionVector = Vec6;

/// What a beam element is made of.
struct BeamProperties {
  double length = 0.0;                                 ///< without stress [m]
  SectionVector stiffness = SectionVector::Zero();     ///< EA, G A_y, G A_z, G J, E I_y, E I_z
  Vec3 unstressed_curvature = Vec3::Zero();            ///< twist, curvatures [1/m]
  double line_mass = 0.0;                              ///< [kg/m]
  Vec3 line_inertia = Vec3::Zero();                    ///< [kg m] about x, y, z
  double mass_damping = 0.0, stiffness_damping = 0.0;  ///< Rayleigh's alpha [1/s], beta [s]
  bool lumped_mass = false;
  Mat3 frame_a = Mat3::Identity(), frame_b = Mat3::Identity();  ///< as in BeamMesh
};

/// Geometrically exact beam of two frames (Reissner, Simo): the section axes move from frame a to
/// frame b on a helix, along which all six strains are constant:
///   psi = log(R_a^T R_b),   u = T(psi)^-T R_a^T (x_b - x_a),   strain = (u, psi) / length - (e_1,
///   unstressed curvature).
/// A function of relative motion alone: superposed rigid motions leave it alone, and it does not
/// remember how it got there. Exact for constant strain; no quadrature, no locking.
///
/// Its mass is lumped at the nodes, as if they were bodies; what makes the mass matrix consistent
/// is added here: with linear velocities (in space axes) and angular velocities (in section axes),
/// M_consistent = M_lumped + m/6 [-1 1; 1 -1]. M is constant.
class BeamElement {
 public:
  BeamElement(int a, int b, const BeamProperties& properties);

  int a() const { return a_; }
  int b() const { return b_; }
  const BeamProperties& properties() const { return p_; }

  struct Section {
    SectionVector strain, resultant;  ///< the resultant with the part of stiffness damping
  };
  Section section(const Configuration& q, const NodalVector& v) const;
  /// Rotation from one end to the other [rad]; the element is meaningless near pi.
  double bend(const Configuration& q) const;

  /// Elastic and damping forces on a and b, and what the mass correction adds to the gyroscopic
  /// torques of the nodes. `magnitude` bounds the numbers that they are the differences of, so that
  /// their round-off is known.
  void force(const Configuration& q, const NodalVector& v, Vec12& f, Vec12& magnitude) const;
  /// K = -d(force)/dq, C = -d(force)/dv
  void tangent(const Configuration& q, const NodalVector& v, Mat12& K, Mat12& C) const;

  /// False when C is zero whatever the motion: no damping, and no turning out of a plane.
  bool resists_velocity() const {
    return p_.mass_damping > 0.0 || p_.stiffness_damping > 0.0 ||
           (!p_.lumped_mass && p_.line_inertia[0] > 0.0);
  }

  /// The part of the momentum M v that makes the mass consistent, and its constant matrix.
  void correct_momentum(const NodalVector& v, Vec12& momentum) const;
  const Mat12& mass_correction() const { return mass_correction_; }

  double energy(const Configuration& q) const;
  /// Power that Rayleigh damping takes out.
  double dissipated_power(const Configuration& q, const NodalVector& v) const;

 private:
  struct Helix;
  struct Rates;
  Helix helix(const Configuration& q) const;
  SectionVector strain(const Helix& helix) const;
  SectionVector resultant(const Helix& helix, const Vec12& v) const;
  void add_damping(const Helix& helix, const Mat3& N_chord, const Mat3& N_psi, const Mat3& M_psi,
                   Mat12& C) const;
  /// Velocities of the ends, rotations in section axes; and back, rows and columns of a matrix.
  Vec12 in_section_axes(const NodalVector& v) const;
  void to_node_axes(Mat12& matrix) const;

  int a_, b_;
  BeamProperties p_;
  bool offset_;  // a section frame differs from that of its node
  Quaternion turn_a_, turn_b_;
  Mat12 mass_ = Mat12::Zero(), mass_correction_ = Mat12::Zero();
};

}  // namespace clatter
