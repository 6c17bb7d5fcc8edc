#pragma once

#include <span>
#include <vector>

#include <clatter/contact/law/friction_law.hpp>
#include <clatter/contact/solvers/gauss_seidel.hpp>

namespace clatter {

/// An island of contacts between spheres, or spheres and faces that stand still, packed for
/// Gauss-Seidel sweeps: nearly all of the time of a large crowd is spent in them, and nearly all of
/// that on fetching rows from memory. The mass centre of each sphere is at its centre, so that
/// normals have no levers, the reactions of a contact act on its own rows one by one, and rows are
/// directions and levers alone. The residual is relative to the motion that the reactions make, as
/// that of BodyIsland.
class SphereIsland {
 public:
  /// The motion of a node, and its compliance, which is the same in all directions.
  struct Node {
    double x[6] = {};
    double translation = 0.0, rotation = 0.0;
  };

  static bool admits(const ContactLaw& law, const PairRows& changes, const PairRows& forces,
                     const Node& a, const Node& b);

  void reserve(std::size_t nodes, std::size_t contacts);
  void clear();
  /// Returns the index of the node here.
  int add(const Node& node);
  /// Nodes by their indices here; rows are 12 entries each, one row after the other.
  void add(int a, int b, double coefficient, const double* rows, const double* rates,
           const double* steps, const double* p);

  std::size_t rows() const { return p_.size(); }
  std::span<const double> reactions() const { return p_; }
  const Node& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  /// Sets reactions, projected on what the laws admit, and moves the nodes accordingly.
  void set_reactions(std::span<const double> p);
  /// Sets all reactions to zero.
  void release();
  /// Makes each contact obey its law, one after the other. Returns the norm of the changes.
  double sweep();
  SweepResidual residual() const;

 private:
  struct Contact {
    int a, b;
    double normal[3], tangents[2][3];
    double levers_a[2][3], levers_b[2][3];  // of the tangents
    double rates[3];
    double normal_step, tangent_step, coefficient;
  };
  static double normal_rate(const Contact& c, const Node& a, const Node& b);
  static double tangent_rate(const Contact& c, int i, const Node& a, const Node& b);
  static void move(const Contact& c, const double* change, Node& a, Node& b);

  std::vector<Node> nodes_;
  std::vector<Contact> contacts_;
  std::vector<double> p_;
};

}  // namespace clatter
