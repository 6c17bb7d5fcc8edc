#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clatter/contact/search/pair_search.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/machine/state.hpp>

namespace clatter {

/// Spheres and discs that press on each other and on flat faces of the ground: springs along the
/// normal with a damper beside them, and springs along the surfaces that remember how far they were
/// drawn and slip where they would pull more than friction holds,
///
///   F_N = max(0, K_N delta - c v_N),  F_T = -K_T xi,  |F_T| <= mu F_N,
///
/// all of it in arrays over grains and over pairs that are near. A grain adds up its forces in the
/// order of the keys, so that neither the list of pairs nor the number of threads matters.
class GrainForces {
 public:
  struct Law {
    double K_N = 0.0, K_T = 0.0, mu = 0.0;
    double damping = 0.0;    ///< c over sqrt(K_N m)
    double mu_over_K = 0.0;  ///< mu/K_T
  };
  /// Where a grain is, and how large; velocities in space axes.
  struct alignas(32) Place {
    double x = 0.0, y = 0.0, z = 0.0, r = 0.0;
  };
  struct alignas(64) Motion {
    double v[3] = {}, own = 0.0;  ///< own: its mass
    double w[3] = {}, unused = 0.0;
  };
  struct Totals {
    double normal_loss = 0.0, friction_loss = 0.0;  ///< [J]
    std::vector<double> impulses;                   ///< by group, of contacts that have ended
  };

  /// Throws Error for groups that are not such.
  explicit GrainForces(const Machine& machine);

  std::vector<Place> places;    ///< by node; radius: that of its group
  std::vector<Motion> motions;  ///< by node
  struct Load {
    double force[3] = {}, torque[3] = {};
  };
  std::vector<Load> loads;  ///< by node: to which evaluate_and_add() adds

  /// Lists near pairs anew if a grain is further from where they were listed than the skin allows.
  void search(Totals& totals);
  bool must_search() const;
  double moved_square(std::size_t node) const;
  double allowed_square() const { return 0.25 * skin_ * skin_; }

  std::size_t pairs() const { return index_.size(); }
  /// Forces of the pairs [begin, end); springs are drawn on for a time dt.
  void evaluate(std::size_t begin, std::size_t end, double dt);
  /// Adds the forces of all pairs on a grain to its load.
  void gather(std::size_t node, Load& load) const;
  /// Both for all pairs and grains, in one go and with the same bits.
  void evaluate_and_add(double dt);

  /// From and to the contacts of groups in a state.
  void read(const State& state);
  void write(State& state, double h, Totals& totals);
  /// Losses and impulses := 0.
  void begin_sums();

 private:
  struct Index {
    int a, b, law, wall;  ///< wall: -1, or a face that b touches
  };
  struct alignas(64) Work {
    double xi[3] = {}, arm_a = 0.0, arm_b = 0.0;
    double F[3] = {}, T[3] = {};               ///< on b; n x F
    double damping = 0.0, inverse_mass = 0.0;  ///< c, 1/m
    double impulse = 0.0;                      ///< along the normal
    double normal_loss = 0.0, friction_loss = 0.0;
  };
  struct Wall {
    Vec3 n;
    double d;
  };
  bool evaluate_pair(std::size_t p, double dt);
  void list_pairs();

  const Machine& machine_;
  std::vector<Law> laws_;     // group
  std::vector<int> wall_of_;  // group: -1 none
  std::vector<Wall> walls_;
  double skin_ = 0.0;
  std::vector<Place> listed_;  // where pairs were listed; empty: never
  std::vector<ContactKey> keys_, keys_before_;
  std::vector<Index> index_;
  std::vector<Work> work_, work_before_;
  std::vector<char> touches_, was_closed_, slips_, touches_before_, was_closed_before_;
  std::vector<int> first_, entries_;  // of each node: pair times 2, + 1 where it is b
  PairSearch search_;
  std::vector<Ball> balls_, partners_;
  std::vector<std::pair<int, int>> found_;
};

}  // namespace clatter
