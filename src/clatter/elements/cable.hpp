#pragma once

#include <optional>
#include <span>
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

/// A rope without mass that runs without friction through points of bodies, as over small pulleys.
struct CableSpec {
  std::string name;
  std::vector<Attachment> through;    ///< two or more; the first and the last hold its ends
  double stiffness = 0.0;             ///< [N/m] of its whole length
  double damping = 0.0;               ///< [N s/m] of its whole length
  std::optional<double> rest_length;  ///< [m] without tension; as at the start when absent
  Place place;
  KeyPlaces keys;
};

struct CableSpecs {
  std::vector<CableSpec> cables;
};

/// One tension k (l - rest) + c dl/dt all along, with l the sum of the distances from point to
/// point. It pulls only: a cable that is slack has no damper, and where the damper would push, the
/// tension is zero.
class Cable {
 public:
  using Spec = CableSpec;
  using Specs = CableSpecs;
  static constexpr auto list = &CableSpecs::cables;
  static constexpr std::string_view word = "cable", plural = "cables";
  static void read(const KeyTable& table, const NamedBodies& bodies, CableSpec& spec);
  static void check(const CableSpec& spec, const ObjectCheck& object, BodyLookup& bodies);
  static std::vector<Attachment> attachments(const CableSpec& spec) { return spec.through; }
  static Cable build(const CableSpec& spec, const Site& site);

  /// The ground is one of them. A cable may run through each as often as it likes.
  static constexpr int most_nodes = 16;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6 * most_nodes, 1>;
  using Matrix =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6 * most_nodes, 6 * most_nodes>;

  /// A point of a node, relative to it.
  struct Point {
    int node;
    Vec3 at;
  };
  Cable(std::string name, std::span<const Point> through, double stiffness, double damping,
        double rest_length, Place place = {});

  const std::string& name() const { return name_; }
  std::span<const int> nodes() const { return nodes_; }
  std::vector<ElementChannel> channels() const;

  double length(const Configuration& q) const;
  double tension(const Configuration& q, const NodalVector& v) const;

  // As every force element has them; nothing of a cable is counted over steps.
  void generalised_force(const Configuration& q, const NodalVector& v, double reached,
                         Vector& f) const;
  /// K = -d(force)/dq, C = -d(force)/dv
  void tangent(const Configuration& q, const NodalVector& v, double reached, Matrix& K,
               Matrix& C) const;
  double energy(const Configuration& q, double reached) const;
  double dissipated_power(const Configuration& q, const NodalVector& v, double reached) const;
  double coordinate(const Configuration& /*q*/, double /*reached*/) const { return 0.0; }
  double coordinate_at_start() const { return 0.0; }
  /// Throws Error when two points of a taut cable meet: it has no direction there.
  void check(const Configuration& q, double reached) const;

 private:
  template <class SomeSpec, class Fields>
  static void describe(SomeSpec& spec, const Fields& fields);

  /// Of the length by the unknowns of all nodes.
  void gradient(const Configuration& q, Vector& g) const;
  double rate(const Configuration& q, const NodalVector& v) const;

  /// Between two points of different nodes.
  struct Segment {
    PairCoordinate length;
    Eigen::Index first_a, first_b;  // where the two nodes begin in vectors over all
  };

  std::string name_;
  std::vector<int> nodes_;  // each once
  std::vector<Segment> segments_;
  double fixed_length_ = 0.0;  // between points of one node
  double stiffness_, damping_, rest_length_;
  Place place_;
};

}  // namespace clatter
