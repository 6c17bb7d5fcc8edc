#pragma once

#include <span>
#include <vector>

#include <clatter/machine/machine.hpp>
#include <clatter/math/union_find.hpp>

namespace clatter {

class ContactSet;

/// Nodes that joints, beams, force elements and near contacts tie together: in a step, what
/// happens in one island does not depend on any other. So each is judged on its own, by the size of
/// its own forces. The ground is in none. Scratch of a scheme.
class Islands {
 public:
  explicit Islands(const Machine& machine);

  /// Of a step, with the contacts that are near in it.
  void find(const ContactSet& contacts);

  int count() const { return count_; }
  int of_node(int node) const { return of_node_[static_cast<std::size_t>(node)]; }
  int of_pair(int a, int b) const { return of_node(a > b ? a : b); }  // the ground is node 0
  std::span<const int> nodes(int island) const { return nodes_.of(island); }
  std::span<const int> joints(int island) const { return joints_.of(island); }
  /// That are near.
  std::span<const int> contacts(int island) const { return contacts_.of(island); }

  // Sums over an island.
  double weighted_norm(int island, const NodalVector& f) const;
  double kinetic_norm(int island, const NodalVector& v) const;
  double sum_of_nodes(int island, const VecX& by_node) const;
  double sum_of_joints(int island, const VecX& by_joint) const;
  /// Squares of rows, of joints and of contacts.
  double joint_squares(int island, const VecX& by_row) const;
  double contact_squares(int island, const ContactSet& set, const VecX& by_row) const;
  bool has_beam(int island) const { return has_beam_[static_cast<std::size_t>(island)] != 0; }
  /// Root of its mass.
  double mass_root(int island) const { return mass_roots_[static_cast<std::size_t>(island)]; }

 private:
  /// Members of the islands, one island after the other.
  struct Members {
    std::vector<int> list, begins;
    std::span<const int> of(int island) const {
      const auto i = static_cast<std::size_t>(island);
      return {list.data() + begins[i], list.data() + begins[i + 1]};
    }
  };
  template <class IslandOf>
  void sort(std::size_t members, const IslandOf& island_of, Members& sorted);
  void number();
  void list_members();

  const Machine& machine_;
  int count_ = 0;
  std::vector<int> of_node_;
  std::vector<int> tied_;   // node: the smallest that is tied to it by all but contacts
  bool has_joined_ = true;  // contacts join what is not tied
  UnionFind connected_;
  Members nodes_, joints_, contacts_;
  std::vector<char> has_beam_;
  std::vector<double> mass_roots_;
  std::vector<int> next_;  // scratch of sort() and number()
};

}  // namespace clatter
