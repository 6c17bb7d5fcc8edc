#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <clatter/contact/solvers/impact_flow.hpp>
#include <clatter/schemes/step_work.hpp>

namespace clatter {

/// Impacts of contacts whose law looks at what happens while they last: Poisson's and the energetic
/// one. It finds their impulses, which are passed on as momentum, and with which speed contacts
/// part; the jump of the step then only has to hold them to that. Islands in which no contact has
/// such a law are left to the jump, with Newton's law as it is. Scratch of a scheme.
class ImpactProcess {
 public:
  explicit ImpactProcess(StepWork& work) : w_(work) {}

  /// Contacts for which `takes_part(work)` meet at the velocities `before`; `struck`: also those
  /// that were closed, which what came before in a sequence has driven together. False: the
  /// machine is singular, as `failure` of the work says.
  template <class TakesPart>
  bool run(const NodalVector& before, const TakesPart& takes_part, bool struck) {
    for (const std::size_t c : w_.contacts.near()) w_.contacts.work[c].parts = false;
    has_happened_ = false;
    if (!find_members(before, takes_part, struck)) return true;
    return run_islands(before);
  }
  /// Some of them had such a law.
  bool has_happened() const { return has_happened_; }

 private:
  struct Taking {
    std::size_t contact;
    int island;
    bool is_struck;
  };

  ImpactLaw law_of(std::size_t c) const {
    return w_.contacts.contact(c).impact_law().value_or(w_.spec.impact_law);
  }
  template <class TakesPart>
  bool find_members(const NodalVector& before, const TakesPart& takes_part, bool struck) {
    const auto meets = [&](const ContactWork& work) {
      return takes_part(work) && (struck || work.open_at_start);
    };
    const auto approaches = [&](std::size_t c) { return w_.contacts.normal_rate(c, before) < 0.0; };
    const std::span<const std::size_t> near = w_.contacts.near();
    const bool any = std::any_of(near.begin(), near.end(), [&](std::size_t c) {
      return meets(w_.contacts.work[c]) && law_of(c) != ImpactLaw::newton && approaches(c);
    });
    if (!any) return false;
    taking_.clear();
    w_.contacts.find_islands();
    for (const std::size_t c : w_.contacts.near()) {
      const ContactWork& work = w_.contacts.work[c];
      if (!takes_part(work)) continue;
      const int island = w_.contacts.island_of(w_.contacts.contact(c));
      taking_.push_back({c, island, meets(work) && approaches(c)});
    }
    return true;
  }
  bool run_islands(const NodalVector& before);
  void run_island(const NodalVector& before);
  /// Contacts that jam each other: the jump of the step holds them, without restitution.
  void give_up();
  /// What momentum does to velocities, joints holding.
  bool prepare_masses();
  void move(const NodalVector& momentum);
  void set_up(const NodalVector& before);
  void lessen();
  void pass_on();

  StepWork& w_;
  std::vector<Taking> taking_, island_;
  ImpactFlow flow_;
  std::optional<KktMatrix> masses_;  // of machines in which something ties bodies
  VecX rhs_;
  NodalVector momentum_, motion_;
  bool has_happened_ = false;
};

}  // namespace clatter
