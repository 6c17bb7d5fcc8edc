#pragma once

#include <vector>

#include <clatter/schemes/energy_consistent/midpoint_contacts.hpp>
#include <clatter/schemes/scheme.hpp>

namespace clatter {

/// The conserving schemes of 003 for bodies that nothing but contacts ties: the midpoint rule, in
/// which every contact keeps its energy balance to round-off (ACEM, with friction ADfr). Contacts
/// are springs and dashpots between the bodies, but the energy that they hold is given back within
/// the step.
class EnergyConsistent final : public Scheme {
 public:
  EnergyConsistent(const Machine& machine, const IntegratorSpec& spec);

  bool separates_forces() const override { return true; }
  bool visit_contact_problems(std::function<void(const ContactProblem&)> visit) override;

 private:
  bool try_step(double t, double h) override;
  void size_contacts() override;
  void begin_solving(const SolverMemory& /*memory*/) override {}
  void end_solving(SolverMemory& /*memory*/) const override {}
  bool needs_smooth_matrix() const override { return false; }

  void begin_bodies();
  /// Forces on the bodies of an island in the middle of the step, where it is at present.
  void find_loads(std::span<const int> nodes);
  /// Contacts and motion of an island that fit together.
  bool solve_island(int island);
  bool find_motion(std::span<const int> nodes);
  void make_rows(std::size_t c);
  void set_row(MidpointContacts::Row& row, const ContactFrame& frame, const Vec3& direction) const;
  /// For two spheres: the normal with which their forces keep the angular momentum. False: they are
  /// none.
  bool correct_normal(const Contact& contact, ContactFrame& frame,
                      const MidpointContacts::Row& before) const;
  void place(std::span<const int> nodes);
  /// Lists contacts that the island would otherwise run into. True: there were some.
  bool activate(int island);
  void finish();
  void finish_contact(std::size_t c);
  Vec6 to_body(std::size_t node, const Configuration& q, const Vec6& space) const;

  MidpointContacts problem_;
  Configuration middle_;
  NodalVector way_, mean_velocity_;
  std::vector<int> first_row_;      // contact: of the problem
  std::vector<char> is_active_;     // contact
  std::vector<int> active_;         // contacts of the island at hand that are
  std::vector<double> gap_at_end_;  // contact
  double length_ = 0.0;             // that lengths are known relative to
};

}  // namespace clatter
