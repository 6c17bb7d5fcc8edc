#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <clatter/machine/model.hpp>

namespace clatter {

/// The parts of a model that can touch: the ground, bodies, beams.
std::vector<std::string> parts_of(const Model& model);

/// More would be tables that nobody reads.
inline constexpr std::size_t most_watched_pairs = 2000;

void check_watches(const Model& model, std::vector<Mistake>& mistakes);

/// That of the pair of materials; else of the first of them in the model that has one. Null: none.
const RecoverySpec* recovery_between(const Model& model, const std::string& material,
                                     const std::string& other);

/// How forces of impacts of two solids are recovered.
struct SolidRecovery {
  std::size_t pair = 0;              ///< of WatchedPairs
  std::array<std::string, 2> parts;  ///< their names
  std::array<std::string, 2> materials;
  RecoverySpec recovery;
  double restitution = 0.0;
};
/// Of the watched pairs whose materials ask for it. A part has one material, that of its first
/// solid shape.
std::vector<SolidRecovery> solid_recoveries(const Model& model);

/// Pairs of parts whose contact is told of.
class WatchedPairs {
 public:
  WatchedPairs() = default;
  /// `parts`: that of each node.
  WatchedPairs(const Model& model, std::vector<int> parts);

  std::size_t size() const { return pairs_.size(); }
  bool empty() const { return pairs_.empty(); }
  /// The parts of a pair, numbered as parts_of() has them.
  const std::array<int, 2>& parts(std::size_t pair) const { return pairs_[pair]; }
  int part_of(int node) const { return part_of_node_[static_cast<std::size_t>(node)]; }

  /// The pair that two nodes belong to, if it is watched.
  struct Found {
    int pair = -1;
    bool is_turned = false;  ///< the first node belongs to the second part
  };
  Found find(int node_a, int node_b) const;
  /// Its place among those of solid_recoveries(); negative: it is not recovered.
  int recovered(int pair) const { return recovered_[static_cast<std::size_t>(pair)]; }
  std::size_t recovered_count() const { return recovered_count_; }

 private:
  std::vector<int> part_of_node_;
  std::vector<std::array<int, 2>> pairs_;
  std::map<std::pair<int, int>, int> index_;
  std::vector<int> recovered_;
  std::size_t recovered_count_ = 0;
};

}  // namespace clatter
