#pragma once

#include <vector>

#include <clatter/schemes/energy_consistent/midpoint_contacts.hpp>
#include <clatter/schemes/scheme.hpp>

namespace clatter {

/// The conserving schemes of 003 for bodies that nothing but contacts ties, beside such that motors
/// drive in the plane: the midpoint rule, in which every contact keeps its energy balance to
/// round-off (ACEM, with friction ADfr). Contacts are springs and dashpots between the bodies, but
/// the energy that they hold is given back within the step.
class EnergyConsistent final : public Scheme {
 public:
  EnergyConsistent(const Machine& machine, const IntegratorSpec& spec);

  bool separates_forces() const override { return true; }
  bool counts_work() const override { return true; }
  bool visit_contact_problems(std::function<void(const ContactProblem&)> visit) override;

 private:
  bool try_step(double t, double h) override;
  void size_contacts() override;
  void begin_solving(const SolverMemory& /*memory*/) override {}
  void end_solving(SolverMemory& /*memory*/) const override {}
  bool needs_smooth_matrix() const override { return false; }

  /// A planar body that a joint with a motor holds against the ground: where it is follows from the
  /// time, and nothing moves it else.
  struct Driven {
    std::size_t joint;
    int node;
    Vec3 v_end = Vec3::Zero();  ///< x, y and about z
    Mat3 G = Mat3::Identity();  ///< rows of the joint at the end of the step
  };
  bool moves_freely(int node) const {
    return node != ground && is_driven_[static_cast<std::size_t>(node)] == 0;
  }
  void list_driven();
  bool begin_driven();
  void finish_driven(const Driven& driven);

  void begin_bodies();
  void begin_drag(std::size_t n);
  Vec6 drag_of(std::size_t n) const;
  Vec6 end_drag(std::size_t n);
  double find_loads();
  void list_near(int island);
  void place(std::span<const int> nodes);
  /// Contacts and motion of an island that fit together.
  bool solve_island(int island);
  /// Lists contacts that the island would otherwise run into. True: there were some.
  bool activate();
  bool find_motion(std::span<const int> nodes, int placings);
  bool is_shallow();
  void make_rows(std::size_t c);
  Vec3 lever(const MidpointContacts::Row& before) const;
  bool correct_normal(const Contact& contact, ContactFrame& frame, const Vec3& lever) const;
  void finish();
  void finish_contact(std::size_t c);
  Vec6 to_body(std::size_t node, const Configuration& q, const Vec6& space) const;

  MidpointContacts problem_;
  Configuration middle_;
  NodalVector way_, mean_velocity_;
  std::vector<Driven> driven_;
  std::vector<char> is_driven_;     // node
  std::vector<int> all_nodes_;      // but the ground
  std::vector<int> first_row_;      // contact: of the problem
  std::vector<char> is_active_;     // contact
  std::vector<int> near_, active_;  // contacts of the island at hand
  double length_ = 0.0;             // that lengths are known relative to
};

}  // namespace clatter
