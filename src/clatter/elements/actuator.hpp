#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/elements/element_channel.hpp>
#include <clatter/elements/quantity.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

class BodyLookup;
class KeyTable;
class NamedBodies;
class ObjectCheck;

enum class ActuatorKind { joint, axial, linear, torsional };

/// A force or torque by formula, along a coordinate of two bodies.
struct ActuatorSpec {
  std::string name;
  ActuatorKind kind = ActuatorKind::joint;
  std::string joint;                            ///< whose coordinate it drives, of kind joint
  Attachment a, b;                              ///< its ends, of the other kinds
  Vec3 axis = Vec3::UnitX();                    ///< linear, torsional: in the frame of a
  Formula force{"0", Formula::Of::quantities};  ///< [N], [N m] that makes the coordinate grow
  std::optional<double> lower, upper;           ///< between which the force stays
  Place place;
  KeyPlaces keys;
};

struct ActuatorSpecs {
  std::vector<ActuatorSpec> actuators;
};

/// Pushes a coordinate of two nodes by a force u(t, quantities), limited to an interval. Quantities
/// of bodies and joints are taken where they are in the same instant, with derivatives: feedback is
/// implicit. Others stand still in a step.
class Actuator {
 public:
  using Spec = ActuatorSpec;
  using Specs = ActuatorSpecs;
  static constexpr auto list = &ActuatorSpecs::actuators;
  static constexpr std::string_view word = "actuator", plural = "actuators";
  static constexpr bool is_driven = true;  ///< has an input; see DriveInput
  static void read(const KeyTable& table, const NamedBodies& bodies, ActuatorSpec& spec);
  static void check(const ActuatorSpec& spec, const ObjectCheck& object, BodyLookup& bodies);
  static std::vector<Attachment> attachments(const ActuatorSpec& spec);
  static Actuator build(const ActuatorSpec& spec, const DriveSite& site);

  using Vector = StateGradient::Vector;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0,
                               Vector::MaxRowsAtCompileTime, Vector::MaxRowsAtCompileTime>;

  const std::string& name() const { return name_; }
  /// Those of its coordinate, and those that its formula depends on.
  std::span<const int> nodes() const { return nodes_; }
  double force(const Configuration& q, const NodalVector& v, const DriveInput& in) const;
  double power(const Configuration& q, const NodalVector& v, const DriveInput& in) const;

  void generalised_force(const Configuration& q, const NodalVector& v, const DriveInput& in,
                         Vector& f) const;
  /// K = -d(force)/dq, C = -d(force)/dv
  void tangent(const Configuration& q, const NodalVector& v, const DriveInput& in, Matrix& K,
               Matrix& C) const;
  double energy(const Configuration& /*q*/, double /*reached*/) const { return 0.0; }
  double dissipated_power(const Configuration& /*q*/, const NodalVector& /*v*/,
                          double /*reached*/) const {
    return 0.0;
  }
  double coordinate(const Configuration& /*q*/, double /*reached*/) const { return 0.0; }
  double coordinate_at_start() const { return 0.0; }
  /// Throws Error where an axial one has no direction.
  void check(const Configuration& q, double reached) const;

 private:
  Actuator(const ActuatorSpec& spec, const PairCoordinate& coordinate, const DriveSite& site);

  std::string name_;
  PairCoordinate coordinate_;
  DriveFormula formula_;
  std::optional<double> lower_, upper_;
  std::vector<int> nodes_;
  bool is_axial_;
  double shortest_;
  Place place_;
};

}  // namespace clatter
