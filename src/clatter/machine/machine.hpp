#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/contact/geometry/contact.hpp>
#include <clatter/contact/law/hertz.hpp>
#include <clatter/elements/beam_element.hpp>
#include <clatter/elements/force_elements.hpp>
#include <clatter/elements/joint.hpp>
#include <clatter/elements/joint_friction.hpp>
#include <clatter/elements/load.hpp>
#include <clatter/elements/node.hpp>
#include <clatter/elements/signal_table.hpp>
#include <clatter/elements/site.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/machine/solid.hpp>
#include <clatter/machine/watched_pairs.hpp>

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
  std::vector<Sphere> spheres;   ///< that touch
  std::vector<Sphere> partners;  ///< that they touch; none: the face
  bool among_themselves;
  std::array<Elasticity, 2> materials = {};  ///< that its compliance follows from, if it does
};

/// Which spheres of a group a contact is of; of solids which two, and with what they touch.
struct ContactKey {
  int group, sphere, partner;
  int feature = 0, partner_feature = 0;  ///< Feature::code
  auto operator<=>(const ContactKey&) const = default;
};

/// Part of a residual that round-off alone leaves, relative to the numbers it is made from.
inline constexpr double round_off = 2e-15;

/// How large forces are: what a residual of them is small compared with.
struct ForceSizes {
  double terms = 0.0;    ///< weighted sum of the sizes of all terms (A.57 of 000); Instant::terms
  double numbers = 0.0;  ///< weighted norm of the numbers that stiff terms are differences of
};

/// What the forces of a machine depend on besides positions and velocities, and how its beams lay
/// when they were last evaluated. Scratch: a step fills it, and nothing of it need be kept.
struct Instant {
  double time = 0.0;
  double spacing = 1e-3;             ///< of differences in time, as in Expression::rate
  double load_factor = 1.0;          ///< on gravity and loads, for statics
  std::vector<Load::Value> loads;    ///< by load
  std::vector<Joint::Drive> drives;  ///< by joint
  std::vector<char> is_given;        ///< load: its value is given from outside
  std::vector<double> turns;         ///< see Machine::turns_at_start()
  std::vector<double> signals;       ///< of State
  // Of the last call of Machine::forces:
  std::vector<BeamElement::Helix> helices;  ///< by beam element
  VecX terms;  ///< by node: weighted sum of the sizes of the forces of which it is a node
};

/// The machine as a scheme sees it:  M dv/dt = f(q, v, t) + G^T lambda + G_c^T r,
/// with G the rows of the joints and G_c those of the contacts. Built once from a model, and
/// constant from then on.
class Machine {
 public:
  explicit Machine(const Model& model);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Beam>& beams() const { return beams_; }
  const std::vector<BeamElement>& beam_elements() const { return beam_elements_; }
  const ForceElements& force_elements() const { return force_elements_; }
  std::size_t force_element_count() const { return count_of(force_elements_); }
  /// Those of one kind: all<Spring>().
  template <class Kind>
  const std::vector<Kind>& all() const {
    return std::get<std::vector<Kind>>(force_elements_);
  }
  const std::vector<Load>& loads() const { return loads_; }
  /// What drives remember; State::signals has its numbers.
  const SignalTable& signals() const { return signals_; }
  DriveInput drive_input(const Instant& instant) const {
    return {instant.time, turns_of_joints(instant.turns), instant.signals, instant.load_factor};
  }
  DriveInput drive_input(double time, std::span<const double> turns,
                         std::span<const double> signals) const {
    return {time, turns_of_joints(turns), signals, 1.0};
  }
  /// Joints, and after them the terms of couplers; see Joint.
  const std::vector<Joint>& joints() const { return joints_; }
  /// Contacts that are always listed. Those of groups come and go: ContactList has them.
  const std::vector<Contact>& own_contacts() const { return own_contacts_; }
  /// What presses those of them that are friction of joints, brakes and clutches.
  const std::vector<JointFriction>& joint_frictions() const { return joint_frictions_; }
  /// Some are pressed by what their joints do.
  bool has_pressing_joints() const { return has_pressing_joints_; }
  const std::vector<ContactGroup>& contact_groups() const { return groups_; }
  Contact contact_of(const ContactKey& key) const;
  const std::vector<Solid>& solids() const { return solids_; }
  /// Contacts between solids have this for a group.
  int group_of_solids() const { return static_cast<int>(groups_.size()); }
  /// Its contacts have compliance, all of them; else they are hard.
  bool is_compliant() const { return is_compliant_; }
  /// Contacts come and go: there are groups or solids.
  bool finds_contacts() const { return !groups_.empty() || !solids_.empty(); }
  bool may_touch(int solid, int other) const;
  /// Whether a contact is what another has become: the same place of a solid has passed on to the
  /// next element of a beam, or to the ball between two.
  bool goes_on(const ContactKey& before, const ContactKey& now) const;
  /// Some contacts have rows over four nodes; see Contact::has_chord().
  bool has_wide_contacts() const { return has_solid_beams_ || has_stops_; }
  /// Some of the solids are elements of beams.
  bool has_solid_beams() const { return has_solid_beams_; }
  /// Parts whose contact is told of, and those of all nodes.
  const WatchedPairs& watched_pairs() const { return watched_pairs_; }
  /// How far from a node its contacts can be: a turn moves them by this.
  double extent(std::size_t node) const { return extents_[node]; }
  std::span<const double> extents() const { return extents_; }

  int dofs() const { return dofs_; }
  int joint_rows() const { return joint_rows_; }
  Eigen::Index nodal_size() const { return 6 * static_cast<Eigen::Index>(nodes_.size()); }
  const Vec3& gravity() const { return gravity_; }
  /// Extent of the model at the start [m]: what tolerances of lengths are measured with.
  double length() const { return length_; }

  const Configuration& initial_configuration() const { return q0_; }
  const NodalVector& initial_velocity() const { return v0_; }

  /// Coordinates that count turns, of all force elements and then of all joints, at the start.
  std::vector<double> turns_at_start() const;
  /// The same at the end of a step, from what they were before.
  void count_turns(const Configuration& q, std::span<double> turns) const;
  double turns_of_joint(std::size_t j, std::span<const double> turns) const {
    return turns[force_element_count() + j];
  }

  std::span<const double> turns_of_joints(std::span<const double> turns) const {
    return turns.subspan(force_element_count());
  }

  Instant instant_at_start() const;
  /// Evaluates loads and motors at t. Loads that are given instead of computed stay as they are.
  void set_time(Instant& instant, double t, double spacing) const;
  std::optional<std::size_t> find_load(std::string_view name) const;
  /// Scales gravity and loads.
  static void set_load_factor(Instant& instant, double factor);

  /// Throws Error when an element of a beam is bent so much that its strain loses its meaning.
  void check_bends(const Configuration& q) const;
  /// Throws Error when a force element is where it has no meaning.
  void check_force_elements(const Configuration& q, std::span<const double> turns) const;

  /// f(q, v, t). Leaves in the instant how the beams lie, for their tangents.
  ForceSizes forces(const Configuration& q, const NodalVector& v, Instant& instant,
                    NodalVector& f) const;
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
  /// Its square for one node.
  double kinetic_square(int node, const NodalVector& v) const {
    return of_node(inverse_weights_, node).cwiseProduct(of_node(v, node)).squaredNorm();
  }
  /// Diagonal entry g M^-1 g^T of the Delassus operator of one row, with the mass of beams lumped.
  double delassus(const Vec12& g, int a, int b) const;

  /// The same of the rows of all joints. That of a coupler is the sum over its terms, as if no two
  /// of them met at a node: a scale, which need not be exact.
  VecX joint_delassus(const Configuration& q) const;

  double kinetic_energy(const NodalVector& v) const;
  double gravity_energy(const Configuration& q) const;
  double elastic_energy(const Configuration& q, std::span<const double> turns) const;
  /// Linear momentum, and angular momentum about the origin, in space axes.
  Vec6 momentum(const Configuration& q, const NodalVector& v) const;
  double load_power(const Configuration& q, const NodalVector& v, const Instant& instant) const;
  double damper_power(const Configuration& q, const NodalVector& v,
                      std::span<const double> turns) const;

  double total_mass() const { return total_mass_; }
  int body_count() const { return static_cast<int>(nodes_.size()) - 1; }
  /// Centre of mass of each node in the frame of its body.
  const Vec3& centre_of_mass(int node) const { return centres_[node]; }

 private:
  int add_node(Node node, const NodeState& state, const Vec6& velocity);
  void add_body(const BodySpec& spec);
  void add_beam(const BeamSpec& spec);
  void add_joint(const JointSpec& spec);
  void add_coupler(const CouplerSpec& spec);
  /// What the coordinates of a coupler's joints add up to at the start.
  struct CoupledJoints {
    std::vector<std::size_t> joints;
    double sum = 0.0;
  };
  CoupledJoints joints_of(const CouplerSpec& spec, std::size_t fewest = 2) const;
  void add_contact(const ContactSpec& spec, const Model& model);
  void add_joint_contact(const ContactSpec& spec, const Model& model);
  /// Of the sum of coupled joints; `factor` on all.
  std::vector<JointContact::Term> terms_of(const CoupledJoints& joints, const CouplerSpec& spec,
                                           double factor) const;
  JointContact friction_of(const JointContactSpec& spec, const Model& model) const;
  JointContact rope_of(const ContactSpec& spec) const;
  void press(const ContactSpec& spec, const Model& model);
  void add_group(const ContactGroupSpec& spec, const Model& model);
  void add_solids(const Model& model);
  void check_thin_walls() const;
  void check_beams_and_curves() const;
  void check_grooves() const;
  void add_solids(const std::string& body, int node, const std::vector<PlacedShape>& shapes,
                  const Model& model);
  void add_solid_beam(const BeamSpec& spec, const Beam& beam, const Model& model);
  void keep_apart(const Model& model);
  Contact contact_of_solids(const ContactKey& key) const;
  void add_line_load(const BeamSpec& spec, const Beam& beam);
  /// From the masses of all nodes.
  void set_weights();
  void measure_beam_noise();
  double measure_length(const Model& model) const;
  Site site() const { return {nodes_, node_by_name_, centres_, q0_, length_}; }
  int node_of(const Attachment& attachment) const { return site().node_of(attachment); }
  /// With its point relative to the node.
  Attachment about_node(const Attachment& attachment) const {
    return {attachment.body, site().point_of(attachment)};
  }

  Vec3 gravity_;
  std::vector<Node> nodes_;
  std::map<std::string, int, std::less<>> node_by_name_;
  std::vector<Vec3> centres_;
  std::vector<Beam> beams_;
  std::vector<BeamElement> beam_elements_;
  double beam_noise_ = 0.0;  // weighted norm of what a unit displacement of round-off does
  ForceElements force_elements_;
  SignalTable signals_;
  std::vector<Load> loads_;
  std::vector<Joint> joints_;
  std::vector<Contact> own_contacts_;
  std::vector<JointFriction> joint_frictions_;
  std::vector<ContactGroup> groups_;
  std::vector<Solid> solids_;
  // By two materials:
  std::vector<SurfaceLaw> laws_;
  std::vector<std::optional<ComplianceSpec>> compliances_;
  std::size_t materials_ = 0;
  bool has_solid_beams_ = false, has_stops_ = false, has_pressing_joints_ = false,
       is_compliant_ = false;
  // The smaller first: parts that do not touch, and nodes whose solids do not.
  std::set<std::pair<int, int>> apart_, nodes_apart_;
  WatchedPairs watched_pairs_;
  std::vector<double> extents_;
  int dofs_ = 0, joint_rows_ = 0;
  Configuration q0_;
  NodalVector v0_, weights_, inverse_weights_;
  double length_ = 0.0, total_mass_ = 0.0;
};

}  // namespace clatter
