#pragma once

#include <clatter/elements/chord_map.hpp>
#include <clatter/elements/node.hpp>

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
  bool planar = false;  ///< stays in the plane x, y: what else there is of its nodes does not move
  Mat3 frame_a = Mat3::Identity(), frame_b = Mat3::Identity();  ///< as in BeamMesh
};

/// Of the parts of a matrix mass M + damping C + stiffness K.
struct TangentFactors {
  double mass = 0.0, damping = 0.0, stiffness = 0.0;
  bool symmetric = false;  ///< the symmetric part of K, block by block
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

  /// The element as it lies: what forces and tangents are made from.
  struct Helix {
    Mat3 Ra;       ///< section axes at a
    Vec3 chord;    ///< in these
    ChordMap map;  ///< in the plane without A
    Vec3 u;
  };
  Helix helix(const Configuration& q) const {
    Helix lies;
    find_helix(q, lies);
    return lies;
  }
  void find_helix(const Configuration& q, Helix& lies) const;

  struct Section {
    SectionVector strain, resultant;  ///< the resultant with the part of stiffness damping
  };
  Section section(const Configuration& q, const NodalVector& v) const;
  /// Of half the rotation from one end to the other; the element is meaningless near 0.
  double cosine_of_half_bend(const Configuration& q) const;

  /// Elastic and damping forces on a and b, and what the mass correction adds to the gyroscopic
  /// torques of the nodes.
  void force(const Helix& lies, const NodalVector& v, Vec12& f) const;
  /// Force and torque on a node per displacement [1/m]: round-off of positions, and of rotations
  /// as displacements over the length, makes a noise of this times its size.
  Vec6 stiffest_force() const;
  /// An element as it lies, where its tangent goes, and T of its nodes or null.
  struct Place {
    const BeamElement& element;
    const Helix& lies;
    const Mat3 *T_a, *T_b;
    Mat12& tangent;
  };
  /// mass M + damping C + stiffness K T with the mass correction M, C = -d(force)/dv and
  /// K = -d(force)/dq; of two elements at once, which takes hardly longer than one. With T, the
  /// unknowns of K are increments from where it is the tangent. Both have T, or none has.
  static void tangents(const Place& first, const Place& second, const NodalVector& v,
                       const TangentFactors& factors);
  bool is_damped() const { return p_.mass_damping > 0.0 || p_.stiffness_damping > 0.0; }

  /// The part of the momentum M v that makes the mass consistent, and its constant matrix.
  void correct_momentum(const NodalVector& v, Vec12& momentum) const {
    if (offset_ && !p_.planar) {
      momentum = mass_correction_ * of_pair(v, a_, b_);
    } else {
      const double *at_a = v.data() + 6 * Eigen::Index{a_}, *at_b = v.data() + 6 * Eigen::Index{b_};
      for (int i = 0; i < 6; ++i) momentum[i] = sixth_mass_[i] * (at_b[i] - at_a[i]);
      momentum.tail<6>() = -momentum.head<6>();
    }
  }
  const Mat12& mass_correction() const { return mass_correction_; }

  double energy(const Helix& lies) const;
  /// Power that Rayleigh damping takes out.
  double dissipated_power(const Configuration& q, const NodalVector& v) const;

 private:
  struct Rates;
  struct Both;
  struct InPlane;
  void find_helix_in_plane(const Configuration& q, Helix& lies) const;
  SectionVector strain(const Helix& helix) const;
  SectionVector resultant(const Helix& helix, const NodalVector& v) const;
  /// Adds factor times the part of C that damping makes.
  void add_damping(const Helix& lies, double factor, Mat12& matrix) const;
  /// Velocities of the ends, rotations in section axes.
  Vec12 in_section_axes(const NodalVector& v) const;

  int a_, b_;
  BeamProperties p_;
  bool offset_;  // a section frame differs from that of its node
  Quaternion turn_a_, turn_b_;
  Vec6 sixth_mass_;  // a sixth of mass and inertia of the element, or zero when they are lumped
  Mat12 mass_ = Mat12::Zero(), mass_correction_ = Mat12::Zero();
};

}  // namespace clatter
