#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/sphere_island.hpp>
#include <clatter/math/dense_lu.hpp>
#include <clatter/math/fixed_point_accelerator.hpp>
#include <clatter/math/union_find.hpp>

namespace clatter {

/// The contacts of bodies that nothing else ties together, with the motion of the bodies condensed
/// out: find reactions p such that the rates
///
///   g_c = b_c + C_c x,     x = sum over all contacts of Y F_c^T p_c
///
/// obey the law of each contact c, with Y the compliance (inverse mass) of each node. Bodies that
/// do not touch are independent: each island of contacts is solved alone, small ones by a
/// semismooth Newton method, large ones by Gauss-Seidel sweeps over the contacts, whose cost grows
/// in proportion to their number.
class FreeContacts {
 public:
  FreeContacts();

  /// Entries 0 to 2: inverse mass; then the inverse inertia in body axes.
  struct Compliance {
    Vec3 translation = Vec3::Zero();
    Mat3 rotation = Mat3::Zero();
  };

  /// Takes the memory that so many contacts can need, so that solving takes none.
  void reserve(std::size_t nodes, std::size_t contacts, std::size_t rows);
  void clear(std::size_t nodes);
  Compliance& compliance(int node) { return compliances_[static_cast<std::size_t>(node)]; }

  /// Adds a contact of nodes a and b; compliances must be set before. `p` is a first guess.
  void add(int a, int b, const ContactLaw& law, const PairRows& changes, const PairRows& forces,
           const RowVector& rates, const RowVector& p);

  struct Result {
    int updates = 0;        ///< Newton updates of the hardest island
    int sweeps = 0;         ///< Gauss-Seidel sweeps of the hardest island
    int recovered = 0;      ///< islands where Newton's method needed sweeps first
    int regularised = 0;    ///< solves of singular systems
    double residual = 0.0;  ///< of the worst of the swept islands, see SweepResidual
    bool all_exact = true;  ///< every island was solved by Newton's method
    bool solved = true;     ///< within the tolerance
  };
  struct SweepLimits {
    double tolerance;  ///< of Result::residual
    int most;          ///< how many
    /// More sweeps than this raise the tolerance by the square of their number: redundant contacts
    /// have modes of reactions that hardly move anything, and hardly converge.
    double patience = std::numeric_limits<double>::infinity();
  };
  /// `from_zero`: unless the guesses are the solution, Newton's method does not start from them but
  /// from no reactions at all, so that redundant contacts share the load evenly. `precision`: of
  /// Newton's method. Without sweeps (none allowed) it gives up at the first island that is too
  /// large for Newton's method, or that it fails on.
  Result solve(bool from_zero, double precision, const SweepLimits& limits);

  RowVector reaction(std::size_t contact) const;
  /// What has been added, written out.
  ContactProblem problem() const;
  /// The motion of a node under all reactions.
  Vec6 motion(int node) const { return x_.segment<6>(6 * static_cast<Eigen::Index>(node)); }

  /// Islands with more rows than this are swept.
  static constexpr int max_newton_rows = 120;

 private:
  struct Item {
    int a, b;
    int first_row, rows;
    int local_begin;       // C F Y of the contact with itself, in local_
    bool between_spheres;  // as SphereIsland admits it
    ContactLaw law;
    double normal_step;  // lengths of steps that the local projections converge with
    std::array<double, max_friction_blocks> ball_steps;
  };
  using Lines = Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::RowMajor, max_contact_rows, 12>;

  bool moves(int node) const {
    return !compliances_[static_cast<std::size_t>(node)].translation.isZero(0.0);
  }
  /// Its compliance is that of a sphere, or nothing moves it.
  bool is_ball(int node);
  void find_islands();
  void add_motion(const Item& item, const double* change);
  /// Returns the square of the change.
  template <int Rows, int Balls>
  double solve_one(const Item& item);
  class AnyIsland;
  void sweep(std::span<const int> island, const SweepLimits& limits, Result& result);
  /// A start for Newton's method where it failed from elsewhere.
  void find_active_sets(std::span<const int> island);
  /// False: there are contacts in the island that are not between spheres.
  bool pack(std::span<const int> island);
  void unpack(std::span<const int> island);
  /// Whether the guesses are the solution.
  bool is_solved(std::span<const int> island, double precision);
  /// Semismooth Newton on the reactions of an island; leaves them as they were when it fails.
  bool newton(std::span<const int> island, bool from_zero, double precision, Result& result);
  void size_dense(Eigen::Index n);
  void fill_dense(std::span<const int> island, Eigen::Index n);
  double evaluate_island(std::span<const int> island, Eigen::Index n, bool with_derivative);

  std::vector<Compliance> compliances_;
  std::vector<Item> items_;
  std::vector<double> changes_, motions_;  // rows of C and of F Y, 12 entries each
  std::vector<double> rates_, p_;          // b and p by rows
  std::vector<double> local_;
  VecX x_;
  UnionFind touching_;  // nodes
  std::vector<int> order_, island_begin_;
  // Newton's method, grown when needed.
  std::vector<int> row_of_item_;
  MatX D_, J_;
  VecX b_, residual_, start_, trial_p_, update_;
  DenseLu lu_;
  FixedPointAccelerator accelerator_;
  SphereIsland spheres_;
  std::vector<SphereIsland::Node> balls_;  // node: as SphereIsland sees it
  std::vector<char> is_ball_;              // node: whether it does; 2 when not known yet
  std::vector<int> index_;                 // node: in spheres_
  std::vector<double> before_, after_;     // reactions of an island in its sweeps
  ContactEquations equations_;
};

}  // namespace clatter
