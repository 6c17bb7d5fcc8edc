#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/elements/element_channel.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

class BodyLookup;
class KeyTable;
class NamedBodies;
class ObjectCheck;
struct Site;

/// A skin without mass and stiffness in the plane, from body to body, with a pressure on it.
struct MembraneSpec {
  std::string name;
  std::vector<std::string> bodies;  ///< two or more, in order; empty names are not allowed
  double pressure = 0.0;            ///< [N/m] from the left of the way along it
  bool closed = false;              ///< it goes on from the last to the first
  Place place;
  KeyPlaces keys;
};

struct MembraneSpecs {
  std::vector<MembraneSpec> membranes;
};

/// A straight piece of it between the origins of two bodies: half of pressure times length at
/// either, across it. What it does is work of a load.
class Membrane {
 public:
  using Spec = MembraneSpec;
  using Specs = MembraneSpecs;
  static constexpr auto list = &MembraneSpecs::membranes;
  static constexpr std::string_view word = "membrane", plural = "membranes";
  static constexpr bool is_load = true;
  static void read(const KeyTable& table, const NamedBodies& bodies, MembraneSpec& spec);
  static void check(const MembraneSpec& spec, const ObjectCheck& object, BodyLookup& bodies);
  static std::vector<Attachment> attachments(const MembraneSpec& spec);
  static void build_all(const MembraneSpec& spec, const Site& site, std::vector<Membrane>& pieces);

  using Vector = Vec12;
  using Matrix = Mat12;

  /// Points relative to the nodes.
  Membrane(std::string name, int a, const Vec3& at_a, int b, const Vec3& at_b, double pressure);

  const std::string& name() const { return name_; }
  const std::array<int, 2>& nodes() const { return nodes_; }
  std::vector<ElementChannel> channels() const { return {}; }

  // As every force element has them; nothing of a membrane is counted over steps.
  void generalised_force(const Configuration& q, const NodalVector& v, double reached,
                         Vec12& f) const;
  /// K = -d(force)/dq, C = -d(force)/dv
  void tangent(const Configuration& q, const NodalVector& v, double reached, Mat12& K,
               Mat12& C) const;
  double power(const Configuration& q, const NodalVector& v) const;
  double energy(const Configuration& /*q*/, double /*reached*/) const { return 0.0; }
  double dissipated_power(const Configuration& /*q*/, const NodalVector& /*v*/,
                          double /*reached*/) const {
    return 0.0;
  }
  double coordinate(const Configuration& /*q*/, double /*reached*/) const { return 0.0; }
  double coordinate_at_start() const { return 0.0; }
  void check(const Configuration& /*q*/, double /*reached*/) const {}

 private:
  std::string name_;
  std::array<int, 2> nodes_;
  std::array<Vec3, 2> arms_;
  double pressure_;
};

}  // namespace clatter
