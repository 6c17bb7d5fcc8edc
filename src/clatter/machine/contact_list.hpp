#pragma once

#include <clatter/contact/search/pair_search.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/machine/solid_search.hpp>

namespace clatter {

/// Which contacts of groups are listed, and where the nodes were when they were searched for. Part
/// of a state: the list is renewed only when something could have come near that is not in it.
struct ContactSearch {
  std::vector<ContactKey> keys;  ///< ascending
  Configuration searched;
  std::vector<double> margins;  ///< node: how far it may go until the next search [m]
  double skin = -1.0;           ///< and both of a pair together [m]; negative: to be searched
};

/// The contacts that a step may need: those of their own first, then those of groups that are near.
class ContactList {
 public:
  explicit ContactList(const Machine& machine);

  const std::vector<Contact>& contacts() const { return contacts_; }
  int rows() const { return contacts_.empty() ? 0 : contacts_.back().end_row(); }
  std::size_t own() const { return machine_.own_contacts().size(); }

  /// Makes the list that a search has found. True: it is another one.
  bool show(const ContactSearch& search);
  /// Searches for all pairs of groups that could meet if each node moves by its `reach`, now and
  /// for some time, unless the last search still holds; and for the touches of solids, now and when
  /// they move on to `next`. Those of solids that are both `still`, by node, stay as they are.
  /// True: the list has changed.
  bool update(ContactSearch& search, const Configuration& q, const Configuration& next,
              std::span<const double> reach, std::span<const char> still = {});
  /// Lists these, ascending, as well.
  void add(ContactSearch& search, std::span<const ContactKey> more);
  /// Whether the list has all pairs that can meet when the nodes are at q or as far from there.
  bool holds_all_near(const ContactSearch& search, const Configuration& q,
                      std::span<const double> reach) const;
  /// SolidSearch::find_missed of what is listed.
  SolidSearch::Overlap find_missed(const ContactSearch& search, const Configuration& q,
                                   const Configuration& next, std::span<const char> still,
                                   std::vector<ContactKey>& missed) {
    return solids_.find_missed(q, next, search.keys, missed, still);
  }

 private:
  void find_near(const ContactSearch& search, const Configuration& q);
  void find_near_surface(int group, const ContactSearch& search, const Configuration& q);
  void place(const std::vector<ContactGroup::Sphere>& spheres, const ContactSearch& search,
             const Configuration& q, std::vector<Ball>& balls) const;

  const Machine& machine_;
  std::vector<Contact> contacts_;
  std::vector<ContactKey> shown_;
  double smallest_radius_;
  std::vector<std::vector<ContactPair>> on_surface_;  // group: sphere by sphere
  // Scratch of the search.
  PairSearch search_;
  SolidSearch solids_;
  std::vector<Ball> balls_, partners_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<ContactKey> found_;
  std::vector<Contact> contacts_before_;
};

}  // namespace clatter
