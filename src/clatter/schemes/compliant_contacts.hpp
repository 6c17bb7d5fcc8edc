#pragma once

#include <clatter/schemes/contact_set.hpp>

namespace clatter {

/// The contacts whose surfaces give way, as forces of the smooth motion: their own, tangents, and
/// what they hold and lose. Scratch of a scheme; what outlasts a step is in the states of the
/// contacts.
class CompliantContacts {
 public:
  CompliantContacts(const Machine& machine, ContactSet& contacts)
      : machine_(machine), set_(contacts) {}

  /// The list of contacts has changed.
  void resize();
  /// Begins a step of size h. The set knows what is near, with rows as at the start.
  void begin(const State& state, double h);

  /// Slow speeds of friction are so many times what they are: an easier problem on the way to the
  /// one that is asked for.
  void ease_friction(double times) { ease_ = times; }

  /// f += forces at q and v. `terms` += their weighted sizes, by node. Returns the weighted size of
  /// the numbers whose differences they are, positions being known relative to `span`.
  double add_forces(const State& state, const Configuration& q, const NodalVector& v, double span,
                    NodalVector& f, VecX& terms);
  /// damping C + stiffness K, where the forces were evaluated last; see add_tangents of
  /// tangents.hpp.
  void add_tangents(const Configuration& q, const NodalVector& v, const TangentFactors& factors,
                    std::span<const Mat3> T, KktMatrix& K) const;
  /// What contacts do at the end of a step of size h, at q and v, into their work and states.
  /// Impulses and losses are those of the trapezoidal rule.
  void end(State& state, const Configuration& q, const NodalVector& v, double h);

 private:
  struct Pressed {
    bool is_closed = false;
    double damping = 0.0;  ///< of the impact that lasts or begins
    CompliantLaw::Normal normal;
    PairRows G;
    RowVector rate, force;
    RowVector over_normal;  ///< of friction
    RowMatrix by_rate;      ///< dforce/drate
    ContactFrame frame;
    RowVector force_at_start, power_at_start;  ///< power: lost
  };
  void evaluate(std::size_t c, const State& state, const Configuration& q, const NodalVector& v);
  /// What is lost by damping and friction, by rows [W].
  static RowVector lost_power(const Pressed& p);
  double meeting_speed(std::size_t c, const State& state, const Configuration& next,
                       double h) const;

  const Machine& machine_;
  ContactSet& set_;
  std::vector<Pressed> pressed_;
  double ease_ = 1.0;
};

}  // namespace clatter
