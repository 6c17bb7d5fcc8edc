#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/elements/element_channel.hpp>
#include <clatter/elements/pair_coordinate.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

class BodyLookup;
class KeyTable;
class NamedBodies;
class ObjectCheck;
struct Site;

/// Springs and dampers along and about three axes fixed in a.
struct BushingSpec {
  std::string name;
  Attachment a, b;
  Mat3 axes_a = Mat3::Identity();  ///< columns: axes in the frame of a
  Mat3 axes_b = Mat3::Identity();  ///< the same in the frame of b, equal in space without torque
  Vec3 stiffness = Vec3::Zero();   ///< [N/m]
  Vec3 rotational_stiffness = Vec3::Zero();  ///< [N m/rad]
  Vec3 damping = Vec3::Zero();               ///< [N s/m]
  Vec3 rotational_damping = Vec3::Zero();    ///< [N m s/rad]
  Vec3 preload = Vec3::Zero();               ///< [N] tension where the two points meet
  Place place;
  KeyPlaces keys;
};

struct BushingSpecs {
  std::vector<BushingSpec> bushings;
};

/// A spring and damper in all six directions between a frame of a and one of b.
///
/// u: displacement of the point of b from that of a along the axes fixed in a; psi: rotation vector
/// of the frame of b against that of a. Energy u.K u/2 + preload.u + psi.K_r psi/2, of which forces
/// and torques are the derivatives; dampers on du/dt and on the relative angular velocity in the
/// axes of a. Stiffness and damping are diagonal.
class Bushing {
 public:
  using Spec = BushingSpec;
  using Specs = BushingSpecs;
  static constexpr auto list = &BushingSpecs::bushings;
  static constexpr std::string_view word = "bushing", plural = "bushings";
  static void read(const KeyTable& table, const NamedBodies& bodies, BushingSpec& spec);
  static void check(const BushingSpec& spec, const ObjectCheck& object, BodyLookup& bodies);
  static std::vector<Attachment> attachments(const BushingSpec& spec) { return {spec.a, spec.b}; }
  static Bushing build(const BushingSpec& spec, const Site& site);

  using Vector = Vec12;
  using Matrix = Mat12;

  /// `spec` has its points already relative to the nodes (centres of mass).
  Bushing(const BushingSpec& spec, int a, int b);

  const std::string& name() const { return name_; }
  std::array<int, 2> nodes() const { return {a_, b_}; }
  std::vector<ElementChannel> channels() const;

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
  template <class SomeSpec, class Fields>
  static void describe(SomeSpec& spec, const Fields& fields);
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
