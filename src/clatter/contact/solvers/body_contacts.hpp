#pragma once

#include <array>
#include <span>
#include <vector>

#include <clatter/contact/solvers/contact_problem.hpp>

namespace clatter {

/// Contacts of bodies that nothing else ties together, or little, with the motion of the bodies
/// condensed out: reactions p of the contacts c give the rates
///
///   g_c = b_c + C_c x,     x = sum over all contacts of Y F_c^T p_c
///
/// with Y the compliance (inverse mass) of each node. The motion x is kept for each node, so that a
/// reaction changes no more than its two nodes, and those that these are tied to, and W = C Y F^T
/// is never written out.
///
/// Reactions may also bend with the bodies, x = x_free + Y (F^T p + D (x + what moves them
/// otherwise)), which no more than Newton's method on the motion knows (`bends`): it is what a
/// linearisation lacks to converge quickly.
struct BodyContacts {
  /// By rows, as they are stored; their number is known, or at most that of any contact.
  template <int Rows>
  using Lines =
      Eigen::Matrix<double, Rows, 12, Eigen::RowMajor, (Rows > 0 ? Rows : max_contact_rows), 12>;

  /// Of a free node: entries 0 to 2 of the inverse mass, then the inverse inertia in body axes. Of
  /// a node that joints, springs or beams hold: what they leave of it, all six entries together.
  struct Compliance {
    Vec3 translation = Vec3::Zero();
    Mat3 rotation = Mat3::Zero();
    bool is_held = false;
    Mat6 held = Mat6::Zero();
  };
  /// What a force on one node does to another that it is tied to.
  struct Link {
    int from, to;
    Mat6 compliance;
  };
  /// A node that a contact moves without being on it: a line of six for each of its rows.
  struct Moved {
    int node;
    std::size_t first;  ///< in moved_lines
  };
  struct Contact {
    int a, b;  ///< nodes
    int first_row, rows;
    std::size_t first_moved, moved;  ///< of the list of others that it moves
    int own_block;                   ///< place of C Y F^T of the contact with itself in own_blocks
    bool planar;  ///< of the motion of its nodes, x, y and the turn about z are all it knows
    ContactLaw law;
    double normal_step;  ///< lengths of steps that projections converge with
    std::array<double, max_friction_blocks> ball_steps;
  };

  std::vector<Compliance> compliances;  ///< of the nodes
  std::vector<Link> links;              ///< ascending by where they come from
  std::vector<Contact> list;
  std::vector<double> changes, motions;  ///< rows of C and of F Y, 12 entries each
  std::vector<double> b, p;              ///< by rows
  std::vector<double> round_off;         ///< by rows: of the rates, which need not be smaller
  std::vector<double> own_blocks;
  std::vector<Moved> moved;
  std::vector<double> moved_lines;
  VecX x;                    ///< by nodes, six entries each
  std::vector<Mat12> bends;  ///< by contacts, Y D; or none at all
  VecX bent;                 ///< by nodes: Y D times what moves them otherwise

  /// Takes the memory that so many contacts can need.
  void reserve(std::size_t nodes, std::size_t contacts, std::size_t rows);
  void clear(std::size_t nodes);
  /// Adds a contact of nodes a and b; compliances must be set before. `noise`: round-off of its
  /// rates. `guess`: of its reaction, which does not move the nodes yet.
  void add(int node_a, int node_b, const ContactLaw& law, const PairRows& change,
           const PairRows& force, const RowVector& rates, const RowVector& noise,
           const RowVector& guess);

  /// Of the contact that was added last; of all or none. `otherwise`: motion of its nodes.
  void add_bend(const Mat12& D, const Vec12& otherwise);

  const Contact& operator[](int k) const { return list[static_cast<std::size_t>(k)]; }
  bool moves(int node) const {
    const Compliance& own = compliances[static_cast<std::size_t>(node)];
    return own.is_held ? !own.held.isZero(0.0) : !own.translation.isZero(0.0);
  }
  double* p_of(const Contact& contact) { return p.data() + contact.first_row; }
  const double* p_of(const Contact& contact) const { return p.data() + contact.first_row; }
  /// C x of row i of the contact: what the reactions add to its rate.
  double rate_of_motion(const Contact& contact, int i) const {
    const double* line = changes.data() + 12 * (contact.first_row + i);
    const double *x_a = x.data() + 6 * contact.a, *x_b = x.data() + 6 * contact.b;
    return contact.planar ? rate_of<true>(line, x_a, x_b) : rate_of<false>(line, x_a, x_b);
  }
  /// A row of C times the motions of its two nodes, in four sums, for additions have to wait.
  template <bool Planar>
  static double rate_of(const double* row, const double* x_a, const double* x_b) {
    const double *c = row, *d = row + 6;
    double s0 = c[0] * x_a[0], s1 = c[1] * x_a[1], s2 = d[0] * x_b[0], s3 = d[1] * x_b[1];
    if constexpr (!Planar) {
      s0 += c[2] * x_a[2], s1 += c[3] * x_a[3], s2 += d[2] * x_b[2], s3 += d[3] * x_b[3];
      s0 += c[4] * x_a[4], s2 += d[4] * x_b[4];
    }
    s1 += c[5] * x_a[5], s3 += d[5] * x_b[5];
    return (s0 + s1) + (s2 + s3);
  }
  /// x += change times a row of F Y.
  template <bool Planar>
  static void move(const double* row, double change, double* x_a, double* x_b) {
    if constexpr (Planar) {
      for (const int k : {0, 1, 5}) x_a[k] += change * row[k];
      for (const int k : {0, 1, 5}) x_b[k] += change * row[k + 6];
    } else {
      for (int k = 0; k < 6; ++k) x_a[k] += change * row[k];
      for (int k = 0; k < 6; ++k) x_b[k] += change * row[k + 6];
    }
  }
  std::span<const Moved> moved_by(const Contact& contact) const {
    return {moved.data() + contact.first_moved, contact.moved};
  }
  /// x := x + Y F^T change, with the change of the contact's reaction.
  void add_motion(const Contact& contact, const double* change);
  /// The same for the nodes that the contact is not on.
  void move_others(const Contact& contact, const double* change);
  /// Sets the reaction of a contact, and moves its nodes accordingly.
  void set_reaction(const Contact& contact, const RowVector& reaction);
  /// The same for all contacts of an island, one after the other, and the reverse.
  void set_reactions(std::span<const int> island, const double* reactions);
  void get_reactions(std::span<const int> island, double* reactions) const;

  /// With W written out, of all contacts or of those that are named.
  ContactProblem problem() const;
  ContactProblem problem(std::span<const int> island) const;

 private:
  template <int Rows>
  void add_rows(int node_a, int node_b, const ContactLaw& law, const PairRows& change,
                const PairRows& force);
  template <int Rows>
  void add_moved(int node_a, int node_b, const Lines<Rows>& force, Lines<Rows>& motion);
};

}  // namespace clatter
