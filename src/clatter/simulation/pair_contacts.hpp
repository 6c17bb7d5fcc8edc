#pragma once

#include <vector>

#include <clatter/machine/solid_search.hpp>
#include <clatter/simulation/contact_point.hpp>

namespace clatter {

/// How two parts touch, all their points together.
struct PairContact {
  double gap;      ///< the smallest [m]; infinite when nothing of them is near
  int points = 0;  ///< that are closed
  ContactStatus status = ContactStatus::open;  ///< slip when one of them does
  Vec3 force = Vec3::Zero();                   ///< on the second part [N]
  double weight = 0.0;                         ///< normal impulses of the last step [N s]
  /// The centre and the mean normal of these impulses, from the first part to the second; NaN when
  /// there are none.
  Vec3 position = Vec3::Zero(), normal = Vec3::Zero();
};

/// Reads the contacts of watched pairs off states. Holds scratch.
class PairContacts {
 public:
  /// The machine must outlive this. `separates_forces`: as Scheme has it.
  PairContacts(const Machine& machine, bool separates_forces);
  /// In the order of Machine::watched_pairs.
  const std::vector<PairContact>& read(const State& state);

 private:
  void add(const ContactPoint& point);
  void find_gaps(const State& state);

  const Machine& machine_;
  bool separates_forces_;
  SolidSearch search_;
  std::vector<std::vector<std::pair<int, int>>> solids_;  // of each pair
  std::vector<ContactPoint> points_;
  std::vector<PairContact> pairs_;
};

}  // namespace clatter
