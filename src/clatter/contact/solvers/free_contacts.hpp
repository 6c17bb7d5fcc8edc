#pragma once

#include <span>
#include <vector>

#include <clatter/contact/solvers/body_contacts.hpp>
#include <clatter/contact/solvers/body_island.hpp>
#include <clatter/contact/solvers/contact_solver.hpp>
#include <clatter/contact/solvers/gauss_seidel.hpp>
#include <clatter/contact/solvers/island_newton.hpp>
#include <clatter/contact/solvers/redundant_newton.hpp>
#include <clatter/contact/solvers/sphere_island.hpp>
#include <clatter/math/union_find.hpp>

namespace clatter {

/// Finds the reactions of contacts of bodies that nothing else ties together, or little
/// (body_contacts.hpp).
/// Bodies that do not touch are independent: each island of contacts is solved alone, small ones by
/// a semismooth Newton method, large ones by Gauss-Seidel sweeps over the contacts, whose cost
/// grows in proportion to their number.
class FreeContacts {
 public:
  using Compliance = BodyContacts::Compliance;

  FreeContacts();

  /// Takes the memory that so many contacts can need, so that solving takes none.
  void reserve(std::size_t nodes, std::size_t contacts, std::size_t rows);
  void clear(std::size_t nodes);
  Compliance& compliance(int node) { return contacts_.compliances[static_cast<std::size_t>(node)]; }

  /// What a force on a node does to another; all that come from a node one after the other, and
  /// nodes in ascending order.
  void add_link(int from, int to, const Mat6& compliance) {
    contacts_.links.push_back({from, to, compliance});
  }
  /// Adds a contact of nodes a and b; compliances must be set before. `noise`: round-off of its
  /// rates. `p` is a first guess; a second one may be tried where it is far off. Either all
  /// contacts have one or none.
  void add(int a, int b, const ContactLaw& law, const PairRows& changes, const PairRows& forces,
           const RowVector& rates, const RowVector& noise, const RowVector& p,
           const RowVector& second_guess = {});

  /// How the reaction of the contact that was added last bends with its nodes, which `otherwise`
  /// move so; of all contacts or none.
  void add_bend(const Mat12& D, const Vec12& otherwise) { contacts_.add_bend(D, otherwise); }

  struct Result : IslandNewton::Counts {
    int sweeps = 0;          ///< Gauss-Seidel sweeps of the hardest island
    int recovered = 0;       ///< islands where Newton's method needed sweeps first
    double residual = 0.0;   ///< of the worst of the swept islands, see SweepResidual
    bool all_exact = true;   ///< every island was solved by Newton's method
    bool redundant = false;  ///< an island has more rows than its bodies have unknowns
    bool solved = true;      ///< within the tolerance
  };
  /// What Newton's method is to reach, relative to the motion; in islands with more rows than
  /// unknowns no more than `of_redundant` of their nodes, if given, for there each digit has its
  /// price.
  struct Precision {
    double usual;
    std::span<const double> of_redundant;
    bool is_all_there_is = false;  ///< a matrix of all failed: few contacts are as many
  };
  /// `from_zero`: unless the guesses are the solution, Newton's method does not start from them but
  /// from no reactions at all, so that redundant contacts share the load evenly. Without sweeps
  /// (none allowed) it gives up at the first island that is too large for Newton's method, or that
  /// it fails on.
  Result solve(bool from_zero, const Precision& precision, const SweepLimits& limits);

  RowVector reaction(std::size_t contact) const;
  /// What has been added, written out.
  ContactProblem problem() const { return contacts_.problem(); }
  /// The motion of a node under all reactions.
  Vec6 motion(int node) const {
    return contacts_.x.segment<6>(6 * static_cast<Eigen::Index>(node));
  }

  /// Islands with more rows than this are swept.
  static constexpr int max_newton_rows = 120;
  /// So few are better left to a matrix of all where they are hard.
  static constexpr std::size_t few_contacts = 30;

 private:
  /// Its compliance is that of a sphere, or nothing moves it.
  bool is_ball(int node);
  void find_islands();
  /// Where the reactions of the last step are.
  enum class Start { solution, nearby, elsewhere };
  /// Near the solution a few sweeps may reach it, to the usual precision or at least to this one.
  Start settle(std::span<const int> island, double usual, double precision);
  void exchange_guesses(std::span<const int> island);
  /// Of an island, and what is asked of it.
  struct Kind {
    int rows = 0;
    bool is_small = false;      ///< enough for W to be written out
    bool is_among_few = false;  ///< contacts, which a matrix of all may solve instead
    bool is_free = false;       ///< its bodies are
    bool by_motion = false;     ///< it is redundant or large: RedundantNewton alone solves it
    bool is_compliant = false;  ///< and may solve it
    double of_redundant = 0.0, precision = 0.0;
  };
  Kind kind_of(std::span<const int> island, const Precision& asked);
  /// By Newton's method, from one start after the other. False: it fails, or the island is too
  /// large.
  bool solve_exactly(std::span<const int> island, bool from_zero, const Precision& precision,
                     bool may_sweep, Result& result);
  bool solve_bent(std::span<const int> island, const Kind& kind, Result& result);
  /// From the reactions as they are, or from none.
  bool solve_by_newton(std::span<const int> island, const Kind& kind, bool from_zero,
                       bool patiently, Result& result);
  /// With W written out, by what always comes through but takes its time.
  bool solve_written_out(std::span<const int> island, double precision, Result& result);
  void sweep(std::span<const int> island, const SweepLimits& limits, Result& result);
  /// Returns the relative residual that is left.
  template <class Island>
  double sweep_island(Island& island, const SweepLimits& limits, Result& result);
  /// A start for Newton's method where it failed from elsewhere.
  void find_active_sets(std::span<const int> island, int sweeps);
  /// False: there are contacts in the island that are not between spheres.
  bool pack(std::span<const int> island);
  void unpack(std::span<const int> island);

  BodyContacts contacts_;
  std::vector<char> between_spheres_;  // contact: as SphereIsland admits it
  UnionFind touching_;                 // nodes
  std::vector<int> island_of_;         // contact: the smallest node of its island
  std::vector<int> order_, island_begin_;
  IslandNewton newton_;
  RedundantNewton redundant_;
  ContactSolver written_out_;
  GaussSeidel gauss_seidel_;
  BodyIsland any_;
  SphereIsland spheres_;
  std::vector<SphereIsland::Node> balls_;  // node: as SphereIsland sees it
  std::vector<char> is_ball_;              // node: whether it does; 2 when not known yet
  std::vector<int> index_;                 // node: in spheres_
  std::vector<double> guess_;              // reactions that the sweeps of an island were given
  std::vector<double> second_guess_;       // by rows
  bool has_second_guess_ = false;
};

}  // namespace clatter
