#pragma once

#include <array>
#include <string>
#include <vector>

#include <clatter/contact/search/box_tree.hpp>
#include <clatter/contact/shapes/outline_pair.hpp>
#include <clatter/contact/shapes/piece_pair.hpp>
#include <clatter/machine/machine.hpp>

namespace clatter {

/// Finds where solids touch, or come to touch on their way. What it finds depends on nothing but
/// what it is given: it holds scratch.
class SolidSearch {
 public:
  explicit SolidSearch(const Machine& machine);

  /// Whether two are on nodes that do not move.
  bool are_still(int a, int b, std::span<const char> still) const;

  /// Touches at q, and those with which solids first meet when the nodes move on to `next`, but for
  /// those that are still.
  void find(const Configuration& q, const Configuration& next, std::vector<ContactKey>& keys,
            std::span<const char> still = {});

  /// The deepest overlap of two solids, and whose; zero if there is none.
  struct Overlap {
    double depth = 0.0;
    int a = -1, b = -1;
    bool on_way = false;  ///< they went through each other and are apart again
  };
  /// After a motion from q to `next` that minded the touches of `known`, ascending: those with
  /// which solids met besides. Returns the overlap at `next`, or that on the way of who went
  /// through another. May be asked again after a find() from the same q, for another motion and
  /// with what was missed among the known: pairs that missed nothing and move as they did then are
  /// not looked at again.
  Overlap find_missed(const Configuration& q, const Configuration& next,
                      std::span<const ContactKey> known, std::vector<ContactKey>& missed,
                      std::span<const char> still = {});
  Overlap deepest_overlap(const Configuration& q);
  /// Between two solids; less than zero when they overlap.
  double gap(int a, int b, const Configuration& q);

 private:
  /// Where a solid is.
  struct Spot {
    NodeState at;
    double stretch = 1.0;  ///< of an element of a beam: how much longer its chord has become
  };
  /// How a solid moves, and when on its way from 0 to 1.
  struct Track;
  struct Way;
  Spot spot_of(int solid, const Configuration& q) const;
  void find_pairs(const Configuration& q, const Configuration& next,
                  std::span<const char> still = {});
  /// Gets the pair ready where it is, as what both are.
  enum class By { polytopes, pieces, outlines };
  By place(int a, int b, const Spot& at_a, const Spot& at_b);
  double gap_between(int a, int b, const Spot& at_a, const Spot& at_b);
  /// Adds those at a time of the way; of solids that were known to touch, `closely`.
  void add_touches(int a, int b, const Way& way, double t, bool must_find, bool closely,
                   std::vector<ContactKey>& keys);
  /// Adds the features of two polytopes that move along each other which are over each other at
  /// both ends of their way and near at the last: they would be missed otherwise.
  void add_coming_touches(int a, int b, const Way& way, std::vector<ContactKey>& keys);
  ContactKey key_of(int a, int b, const Touch& touch) const;
  /// The ball of a node of a beam belongs to two elements: the first of them has it.
  void name_ball(int& solid, Feature& feature) const;
  /// Where a place lies over an element it is not told again of the balls at its ends; `unless_all`
  /// of the keys are such balls. Also leaves out what is there twice.
  void leave_out_balls(std::span<const ContactKey> known, bool unless_all,
                       std::vector<ContactKey>& keys);
  bool is_over_element(const ContactKey& key, std::span<const ContactKey> keys) const;
  Track track_of(int solid, const Configuration& q, const Configuration& next) const;
  Way way_of(int a, int b, const Configuration& q, const Configuration& next) const;
  /// When two solids that are apart first come near each other; more than one: never.
  double first_meeting_of(int a, int b, const Way& way);
  /// How deep two were in each other on a way that leads through; zero if it does not.
  double deepest_on_way(int a, int b, const Way& way);
  /// The last time before they overlap at the end; zero if they do from the start.
  double last_time_apart(int a, int b, const Way& way, double depth);

  bool stay(int a, int b, const Configuration& next) const;

  const Machine& machine_;
  std::vector<Box> boxes_;
  Configuration looked_at_;  // `next` of the last find_missed() since find(), or nothing
  std::vector<std::pair<int, int>> with_news_;    // pairs that missed something or overlapped then
  std::vector<std::pair<int, int>> news_before_;  // scratch
  BoxTree tree_;
  std::vector<std::pair<int, int>> pairs_;
  PolytopePair polytopes_;
  PiecePair pieces_;
  OutlinePair outlines_;
  std::vector<Touch> touches_, coming_;
  std::vector<ContactKey> balls_over_;
  // Elements of beams as long as they are.
  std::array<Polytope, 2> shapes_;
  std::array<Pieces, 2> shape_pieces_;
};

}  // namespace clatter
