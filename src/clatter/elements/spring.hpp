#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/elements/element_channel.hpp>
#include <clatter/elements/pair_coordinate.hpp>
#include <clatter/elements/spring_law.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

class BodyLookup;
class KeyTable;
class NamedBodies;
class ObjectCheck;
struct Site;

enum class SpringKind {
  axial,      ///< along the line between the two points, geometrically nonlinear
  linear,     ///< along `axis` (fixed in a), whatever the lateral displacement
  torsional,  ///< about `axis` (fixed in a)
};

/// In the order of SpringLaw::Kinds.
enum class SpringLawKind {
  linear,
  one_sided,  ///< linear, in tension or in compression only
  table,      ///< linear between points
  gas,        ///< a column of gas, pushes apart
};

struct SpringSpec {
  std::string name;
  SpringKind kind = SpringKind::axial;
  Attachment a, b;
  Vec3 axis = Vec3::UnitX();  ///< linear, torsional: in the frame of a
  SpringLawKind law = SpringLawKind::linear;
  double stiffness = 0.0;  ///< [N/m], [N m/rad]; linear, one_sided
  double damping = 0.0;    ///< [N s/m], [N m s/rad]
  /// Length, or angle of b against a about the axis (0 where their frames agree, whole turns of
  /// planar bodies count), without force; as at the start when absent.
  std::optional<double> rest;
  bool acts_in_tension = true;         ///< one_sided: in tension, else in compression
  std::vector<Eigen::Vector2d> table;  ///< elongation [m], [rad], ascending, and tension
  double force = 0.0;                  ///< [N] gas: at the rest length
  double gas_length = 0.0;             ///< [m] of the column there
  double exponent = 1.0;               ///< gas: 1 isothermal to 1.4 adiabatic
  Place place;
  KeyPlaces keys;
};

struct SpringSpecs {
  std::vector<SpringSpec> springs;
};

/// A spring and damper on a coordinate s: force -(law(s - rest) + c ds/dt) along its gradient. What
/// the coordinate is makes it axial, linear or torsional. A spring that acts to one side has a
/// damper only while it acts, and the two together never have the other sign. `reached`: the
/// coordinate at the start of the step, which the turns of an angle are counted from.
class Spring {
 public:
  using Spec = SpringSpec;
  using Specs = SpringSpecs;
  static constexpr auto list = &SpringSpecs::springs;
  static constexpr std::string_view word = "spring", plural = "springs";
  static void read(const KeyTable& table, const NamedBodies& bodies, SpringSpec& spec);
  static void check(const SpringSpec& spec, const ObjectCheck& object, BodyLookup& bodies);
  static std::vector<Attachment> attachments(const SpringSpec& spec) { return {spec.a, spec.b}; }
  static Spring build(const SpringSpec& spec, const Site& site);

  using Vector = Vec12;
  using Matrix = Mat12;

  /// `offset` is added to the coordinate: an angle that is measured from the start is counted from
  /// elsewhere. `at_start` is the sum at the start, which the turns of an angle are counted from.
  Spring(std::string name, const PairCoordinate& coordinate, SpringLaw law, double damping,
         double rest, Place place = {}, double at_start = 0.0, double offset = 0.0);

  const std::string& name() const { return name_; }
  std::array<int, 2> nodes() const { return {coordinate_.a(), coordinate_.b()}; }
  std::vector<ElementChannel> channels() const;

  struct Force {
    double elongation, rate, tension;  ///< tension > 0 pulls a and b together
    Vec12 generalised;                 ///< on the two nodes
  };
  void force(const Configuration& q, const NodalVector& v, double reached, Force& f) const;
  void generalised_force(const Configuration& q, const NodalVector& v, double reached,
                         Vec12& f) const {
    Force all;
    force(q, v, reached, all);
    f = all.generalised;
  }
  /// K = -d(force)/dq, C = -d(force)/dv
  void tangent(const Configuration& q, const NodalVector& v, double reached, Mat12& K,
               Mat12& C) const;

  double energy(const Configuration& q, double reached) const;
  /// Power that the damper takes out, >= 0.
  double dissipated_power(const Configuration& q, const NodalVector& v, double reached) const;

  double coordinate(const Configuration& q, double reached) const;
  double coordinate_at_start() const { return at_start_; }

  /// Throws Error when the law has no meaning there.
  void check(const Configuration& q, double reached) const;

 private:
  template <class SomeSpec, class Fields>
  static void describe(SomeSpec& spec, const Fields& fields);
  /// False when a spring that acts to one side is slack.
  bool acts(double elongation, double tension) const {
    return side_ == 0 || (side_ * elongation > 0.0 && side_ * tension > 0.0);
  }

  std::string name_;
  PairCoordinate coordinate_;
  SpringLaw law_;
  int side_;
  double damping_, rest_, at_start_, offset_;
  Place place_;
};

}  // namespace clatter
