#pragma once

#include <optional>
#include <vector>

#include <clatter/contact/solvers/contact_matrix.hpp>
#include <clatter/contact/solvers/contact_problem.hpp>
#include <clatter/contact/solvers/solver_run.hpp>

namespace clatter {

/// A regularised Newton method for singular systems: the complementarity of each friction ball is
/// relaxed, and the relaxation taken back step by step (primal-dual interior point with the scaling
/// of Nesterov and Todd, steps predicted and corrected after Mehrotra). The relaxation adds a
/// definite block to each contact, so W itself may be singular.
///
/// Each ball has x = (c r_N, r_B) and z in the cone L = {x_0 >= |x_1|}, with x o z = 0 in the end,
/// and
///
///   u_N = sum of c h(z),   u_B = z_1,   h(z) = z_0 - sqrt((1 - theta^2) |z_1|^2 + theta^2 z_0^2)
///
/// With theta = 0 this is u^ = u + c |u_B| e_N. Any theta < 1 has the same solutions, for h >= 0 on
/// L and h = 0 only on its edge; but it is smooth where |u_B| has a kink, at a contact that sticks.
class InteriorPoint {
 public:
  /// Starts from within, whatever r is. `r`: the result.
  SolverRun solve(const ContactSystem& system, double target, int max_iterations, double* r);

  /// Rough cost of an iteration in multiplications, once `prepare` was called.
  void prepare(const ContactSystem& system);
  double cost() const { return matrix_.cost(); }

  static constexpr double theta = 0.7;

 private:
  /// A friction ball with its normal row, or a contact without friction (no rows).
  struct Cone {
    int contact = 0;
    int normal = 0, first = 0, rows = 0;  // of the system
    double coefficient = 1.0;
    int begin = 0;  // in the lists of cone components
    int size() const { return rows + 1; }
  };
  using ConeVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_contact_rows, 1>;
  using ConeMatrix =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_contact_rows, max_contact_rows>;
  struct Scaling {
    ConeMatrix H, S, S_inverse, E;
    ConeVector lambda;
    void fit(const ConeVector& x, const ConeVector& z);
    double bend(const ConeVector& z);
  };

  void find_cones(const ContactSystem& system);
  void gather(const VecX& rows, VecX& components) const;
  bool direction(const VecX& rc);
  double longest_step() const;
  void find_units();
  void start_within();
  void add_cone(const Cone& cone, const Scaling& scaling);
  bool linearise();
  void aim_at(double gap, bool corrected);
  std::optional<double> find_step();

  ContactSystem system_;
  double size_W_ = 1.0, size_b_ = 1.0;  // units
  ContactMatrix matrix_;
  std::vector<Cone> cones_;
  std::vector<char> kept_;
  std::vector<Scaling> scalings_;
  VecX r_, u_, velocity_, reaction_, F_, dr_, best_;
  VecX x_, z_, dx_, dz_, rc_, corrector_;
};

}  // namespace clatter
