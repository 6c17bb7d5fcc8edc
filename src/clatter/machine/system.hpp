#pragma once

#include <map>
#include <string>
#include <vector>

#include <clatter/contact/geometry/contact.hpp>
#include <clatter/contact/search/pair_search.hpp>
#include <clatter/elements/beam_element.hpp>
#include <clatter/elements/joint.hpp>
#include <clatter/elements/load.hpp>
#include <clatter/elements/node.hpp>
#include <clatter/elements/spring.hpp>
#include <clatter/model/model.hpp>

namespace clatter {

/// The nodes and elements of one beam, which follow each other.
struct Beam {
  std::string name;
  bool planar;
  int first_node, nodes;
  int first_element, elements;
  Place place;
};

/// Spheres that become contacts when they come near a face or each other.
struct ContactGroup {
  struct Sphere {
    int node;
    Vec3 centre;  ///< relative to the node
    double radius;
  };
  ContactSpec contact;  ///< its points relative to the nodes
  int face_node;
  std::vector<Sphere> ones, twos;
  bool among_themselves;
};

/// Which spheres of a group a contact is of.
struct ContactKey {
  int group, one, two;
  auto operator<=>(const ContactKey&) const = default;
};

/// Part of a residual that round-off alone leaves, relative to the numbers it is made from.
inline constexpr double round_off = 2e-15;

/// How large forces are: what a residual of them is small compared with.
struct ForceSizes {
  double terms = 0.0;    ///< weighted sum of the sizes of all terms (A.57 of 000)
  double numbers = 0.0;  ///< weighted norm of the numbers that stiff terms are differences of
};

/// The machine as an integrator sees it:  M dv/dt = f(q, v, t) + G^T lambda + W^T r,
/// with G the rows of the joints and W those of the contacts. Built once from a model.
class System {
 public:
  explicit System(const Model& model);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Beam>& beams() const { return beams_; }
  const std::vector<BeamElement>& beam_elements() const { return beam_elements_; }
  /// How element e lay in the last call of forces().
  const BeamElement::Helix& helix(std::size_t e) const { return helices_[e]; }
  const std::vector<Spring>& springs() const { return springs_; }
  const std::vector<Load>& loads() const { return loads_; }
  const std::vector<Joint>& joints() const { return joints_; }
  /// Those of their own first, then those of the groups.
  const std::vector<Contact>& contacts() const { return contacts_; }
  int own_contacts() const { return own_contacts_; }
  const std::vector<ContactGroup>& contact_groups() const { return groups_; }
  /// Keys of the contacts of groups, ascending.
  const std::vector<ContactKey>& contact_keys() const { return keys_; }
  /// Makes contacts of all pairs of groups that could meet if each node moves by its `reach`, now
  /// and for some time. True: the list has changed.
  bool update_contacts(const Configuration& q, std::span<const double> reach);
  /// Whether the list holds all pairs that can meet when the nodes are at q or as far from there.
  bool lists_all_near(const Configuration& q, std::span<const double> reach) const;
  /// Makes just these contacts of groups.
  void set_contacts(std::vector<ContactKey> keys);
  /// How far from a node its contacts can be: a turn moves them by this.
  double extent(std::size_t node) const { return extents_[node]; }

  int dofs() const { return dofs_; }
  int joint_rows() const { return joint_rows_; }
  int contact_rows() const { return contact_rows_; }
  Eigen::Index nodal_size() const { return 6 * static_cast<Eigen::Index>(nodes_.size()); }
  const Vec3& gravity() const { return gravity_; }
  /// Extent of the model at the start [m]: what tolerances of lengths are measured with.
  double length() const { return length_; }

  const Configuration& initial_configuration() const { return q0_; }
  const NodalVector& initial_velocity() const { return v0_; }

  /// Scales gravity and loads, for statics; 1 at the start.
  void set_load_factor(double factor);
  /// Evaluates loads and motors at t. `spacing` as in Expression::rate.
  void set_time(double t, double spacing);
  double time() const { return time_; }  ///< that was set last
  /// Lets torsional springs and joint angles count turns; at the end of a step.
  void remember(const Configuration& q);

  /// Throws Error when an element of a beam is bent so much that its strain loses its meaning.
  void check_bends(const Configuration& q) const;

  /// f(q, v, t)
  ForceSizes forces(const Configuration& q, const NodalVector& v, NodalVector& f) const;
  /// out = M v
  void apply_mass(const NodalVector& v, NodalVector& out) const;
  /// v := v on the unknowns of each node, zero elsewhere.
  void keep_unknowns(NodalVector& v) const;
  /// 1/sqrt(M_ii), zero where there is no unknown: weights every residual to one unit, sqrt(kg)
  /// times the unit of its motion, whatever the units of the model.
  const NodalVector& weights() const { return weights_; }
  double weighted_norm(const NodalVector& f) const { return weights_.cwiseProduct(f).norm(); }
  /// sqrt(v . M v) with the diagonal of M.
  double kinetic_norm(const NodalVector& v) const {
    return inverse_weights_.cwiseProduct(v).norm();
  }
  /// Diagonal entry g M^-1 g^T of the Delassus operator of one row, with the mass of beams lumped.
  double delassus(const Vec12& g, int a, int b) const;

  double kinetic_energy(const NodalVector& v) const;
  double gravity_energy(const Configuration& q) const;
  double elastic_energy(const Configuration& q) const;
  /// Linear momentum, and angular momentum about the origin, in space axes.
  Vec6 momentum(const Configuration& q, const NodalVector& v) const;
  double load_power(const Configuration& q, const NodalVector& v) const;
  double damper_power(const Configuration& q, const NodalVector& v) const;

  double total_mass() const { return total_mass_; }
  int body_count() const { return static_cast<int>(nodes_.size()) - 1; }
  /// Centre of mass of each node in the frame of its body.
  const Vec3& centre_of_mass(int node) const { return centres_[node]; }

 private:
  int add_node(Node node, const NodeState& state, const Vec6& velocity);
  void add_body(const BodySpec& spec);
  void add_beam(const BeamSpec& spec);
  void add_contact(const ContactSpec& spec);
  void add_group(const ContactGroupSpec& spec);
  Contact contact_of(const ContactKey& key) const;
  void append(Contact contact);
  void add_line_load(const BeamSpec& spec, const Beam& beam);
  int node_of(const Attachment& attachment) const;
  Attachment about_node(const Attachment& attachment) const;
  double measure_length(const Model& model) const;

  Vec3 gravity_;
  double load_factor_ = 1.0, time_ = 0.0;
  std::vector<Node> nodes_;
  std::map<std::string, int, std::less<>> node_by_name_;
  std::vector<Vec3> centres_;
  std::vector<Beam> beams_;
  std::vector<BeamElement> beam_elements_;
  mutable std::vector<BeamElement::Helix> helices_;  // of the last call of forces()
  double beam_noise_ = 0.0;  // weighted norm of what a unit displacement of round-off does
  std::vector<Spring> springs_;
  std::vector<Load> loads_;
  std::vector<Joint> joints_;
  std::vector<Contact> contacts_;
  int own_contacts_ = 0;
  std::vector<ContactGroup> groups_;
  std::vector<ContactKey> keys_;
  std::vector<double> extents_;
  // The search for pairs, and where the spheres were when it was last done.
  PairSearch search_;
  std::vector<Ball> balls_, other_balls_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<ContactKey> found_;
  Configuration searched_;
  std::vector<double> margins_;  // node: how far it may go until the next search
  double skin_ = -1.0;           // and both of a pair together; negative: to be searched
  int dofs_ = 0, joint_rows_ = 0, contact_rows_ = 0;
  Configuration q0_;
  NodalVector v0_, weights_, inverse_weights_;
  double length_ = 0.0, total_mass_ = 0.0;
};

}  // namespace clatter
