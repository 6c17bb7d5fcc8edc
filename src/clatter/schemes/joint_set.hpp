#pragma once

#include <string>
#include <vector>

#include <clatter/machine/kkt_matrix.hpp>
#include <clatter/machine/machine.hpp>

namespace clatter {

/// The rows G of all joints at one configuration, scaled by the square root of their inverse
/// Delassus diagonal (000 2.3): rows of one size, whatever masses and units. Scratch of a scheme.
class JointSet {
 public:
  explicit JointSet(const Machine& machine);

  /// Evaluates the rows at q.
  void evaluate(const Configuration& q);
  /// Takes the scale of every row from the rows as they are.
  void find_scale();

  std::size_t count() const { return rows_.size(); }
  const Joint& joint(std::size_t j) const { return machine_.joints()[j]; }
  const JointRow& condition(std::size_t j, Eigen::Index i) const {
    return joint(j).rows()[static_cast<std::size_t>(i)];
  }
  const PairRows& rows(std::size_t j) const { return rows_[j]; }
  const VecX& scale() const { return scale_; }

  /// residual := minus the rates less what motors want, scaled.
  void evaluate_rates(const NodalVector& v, const Instant& instant);
  /// Sum over the rows of joints of what motors want, scaled.
  double target_speed(std::span<const int> joints, const Instant& instant) const;

  /// reaction += G^T force
  void add_reactions(const VecX& force, NodalVector& reaction) const;
  /// Rows and columns of all joints in the matrix of velocities.
  void add_tangents(KktMatrix& K) const;
  /// The same at position level, where the unknowns are increments from where T is the tangent:
  /// with -d(G^T force)/dq at q, and without the rows that hold no position.
  void add_position_tangents(KktMatrix& K, const Configuration& q, const VecX& force,
                             std::span<const Mat3> T) const;

  /// " (largest residual at joint 'name')", or nothing.
  std::string worst() const;

  VecX residual;  ///< of the problem at hand

 private:
  const Machine& machine_;
  std::vector<PairRows> rows_;
  VecX scale_;
};

}  // namespace clatter
