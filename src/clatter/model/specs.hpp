#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <clatter/math/expression.hpp>
#include <clatter/math/formula.hpp>
#include <clatter/math/types.hpp>
#include <clatter/model/conserving_kind.hpp>
#include <clatter/model/contact_geometry.hpp>
#include <clatter/model/contact_solver_kind.hpp>
#include <clatter/model/error.hpp>
#include <clatter/model/impact_kinds.hpp>
#include <clatter/model/joint_kinds.hpp>
#include <clatter/model/key_places.hpp>
#include <clatter/model/scheme_kinds.hpp>

namespace clatter {

// What a model says of its parts, as plain values: SI units, angles in radians. Nothing here
// computes; the equations of motion are built from it by Machine. Specs name other specs; an empty
// body name is the ground. `place` and `keys` tell error messages where in a file the spec and its
// values stand; a model built in code leaves them empty. Kinds of force elements have their specs
// in their own files. All of it together is a Model.

// ---- Bodies
// ---------------------------------------------------------------------------------------

/// Shapes give mass and inertia from a density, a surface for display, and, when they have a
/// material, a solid that touches others. Their centre of mass is the origin of their frame unless
/// they are given by points. mass_properties.hpp computes what they weigh.
struct SphereShape {
  double radius;
};
struct BoxShape {
  Vec3 size;  ///< full edge lengths along x, y, z
};
struct CylinderShape {
  double radius, length;  ///< axis along z
};
struct RodShape {
  double length, radius;  ///< slender: axis along x, no inertia about it but m r²/2
};
struct DiscShape {
  double radius, thickness;  ///< axis along z
};
struct HalfSpaceShape {};  ///< z <= 0, of planar bodies y <= 0; only of the ground
struct CapsuleShape {
  double radius,
      length;  ///< axis along z, of planar bodies along x; between the centres of its ends
};
struct ConeShape {
  double radius, length;  ///< axis along z from the base, at z = -length/4, to the tip
};
struct EllipsoidShape {
  Vec3 semi_axes;
};
struct RingShape {
  double radius, tube_radius;  ///< all within tube_radius of a circle about z
};
struct HullShape {
  std::vector<Vec3> points;  ///< all that lies between them
};
struct PolygonShape {
  std::vector<Vec3> points;  ///< of planar bodies: corners, convex or not, in either sense
  double thickness = 1.0;    ///< half of it on either side of the plane
};
struct EllipseShape {
  double x, y;             ///< of planar bodies: semi-axes
  double thickness = 1.0;  ///< half of it on either side of the plane
};
/// Arcs instead of straight pieces between points, one number for each piece; none: all straight.
struct PieceBends {
  std::vector<double> radii;   ///< 0: straight; its arc is at most half a circle
  std::vector<double> bulges;  ///< tangent of a quarter of the angle of the arc
};
/// Of planar bodies: closed, of lines and of arcs that bulge outwards when positive.
struct ProfileShape {
  std::vector<Vec3> points;
  PieceBends bends = {};
  double thickness = 1.0;
};
/// Of planar bodies: closed, smooth through its points; see smooth_curve_through.
struct SplineShape {
  std::vector<Vec3> points;
  std::optional<double> tolerance = {};  ///< [m]; a millionth of its extent when absent
  double thickness = 1.0;
};
/// In the plane: open, both sides touch; arcs turn to the left when positive. It has no mass.
struct WallShape {
  std::vector<Vec3> points;
  PieceBends bends = {};
  double radius = 0.0;  ///< half of how thick it is
};
struct MeshShape {
  std::string file;
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise seen from outside
};
/// Straight between its heights, and solid below; only of the ground.
struct HeightFieldShape {
  std::vector<std::vector<double>> heights;  ///< rows along x, one after the other along y
  double spacing = 0.0;                      ///< of the points, along x and y
  double depth = 0.0;                        ///< of what is solid, below the lowest height
};
using Shape =
    std::variant<SphereShape, BoxShape, CylinderShape, RodShape, DiscShape, HalfSpaceShape,
                 CapsuleShape, ConeShape, EllipsoidShape, HullShape, PolygonShape, MeshShape,
                 HeightFieldShape, EllipseShape, ProfileShape, SplineShape, WallShape, RingShape>;

/// A shape as a part of a body.
struct PlacedShape {
  Shape shape;
  Vec3 position = Vec3::Zero();  ///< of its frame in that of the body
  Quaternion orientation = Quaternion::Identity();
  double rounding = 0.0;               ///< [m] radius that is added all around it
  std::optional<double> density = {};  ///< [kg/m³]; that of the body when absent
  std::string material = {};           ///< empty: it touches nothing
  bool hollow = false;                 ///< solid is what lies around it; it has no mass
  bool open = false;                   ///< hollow cylinder: without ends
  Place place = {};
  KeyPlaces keys = {};
};

double volume(const Shape& shape);
/// Inertia about the centre of mass of the shape, for a given mass.
Mat3 inertia_of(const Shape& shape, double mass);

enum class BodyKind {
  point,   ///< three translations
  rigid,   ///< three translations, three rotations
  planar,  ///< moves in the x-y plane: x, y and the angle about z
};

struct BodySpec {
  std::string name;
  BodyKind kind = BodyKind::rigid;
  double mass = 0.0;                   ///< [kg]
  Mat3 inertia = Mat3::Zero();         ///< about the centre of mass, body axes; planar: (2, 2) only
  Vec3 centre_of_mass = Vec3::Zero();  ///< in the body frame
  std::vector<PlacedShape> shapes;     ///< those with a material are solid and touch others
  Vec3 position = Vec3::Zero();        ///< of the origin of the body frame
  Quaternion orientation = Quaternion::Identity();
  double angle = 0.0;                    ///< planar bodies: orientation, not reduced to one turn
  Vec3 velocity = Vec3::Zero();          ///< of the origin of the body frame, space axes
  Vec3 angular_velocity = Vec3::Zero();  ///< body axes
  Place place;
  KeyPlaces keys;
};

/// A point of a body, in its body frame; of the ground when `body` is empty.
struct Attachment {
  std::string body;
  Vec3 point = Vec3::Zero();
};

enum class LoadAxes { space, body };

/// A fluid at rest, in which bodies float and are slowed by Stokes' law.
struct FluidSpec {
  double density = 0.0;             ///< [kg/m³]
  double viscosity = 0.0;           ///< [Pa s]
  std::vector<std::string> bodies;  ///< that are in it; none: all of them
  Place place;
  KeyPlaces keys;
};

// ---- Beams
// ----------------------------------------------------------------------------------------

/// Cross-sections by name give all section constants, and a surface for display. Axes y and z of a
/// section are principal axes through its centroid.
struct CircleSection {
  double radius;
};
struct TubeSection {
  double radius, thickness;  ///< outer radius
};
struct RectangleSection {
  double width, height;  ///< along y and z
};
struct ISection {
  double width, height;  ///< of the flanges along y; over all along z
  double flange, web;    ///< thicknesses
};
using SectionShape = std::variant<CircleSection, TubeSection, RectangleSection, ISection>;

struct BeamSection {
  double area = 0.0;            ///< [m²]
  double I_y = 0.0, I_z = 0.0;  ///< [m⁴] about y and z: stiffness against bending in z and y
  double J = 0.0;               ///< [m⁴] Saint-Venant's torsion constant
  double shear_y = 1.0, shear_z = 1.0;  ///< part of the area that carries shear along y and z
  std::optional<SectionShape> shape;
};

/// All constants of a named section. Shear: Cowper's coefficients without lateral contraction.
BeamSection section_of(const SectionShape& shape);

/// A geometrically exact beam: sections stay plane and rigid, displacements and rotations are as
/// large as they like. Meshed into nodes `name.0` ... `name.n` that joints, loads, springs and
/// contacts can name like bodies.
struct BeamSpec {
  std::string name;
  bool planar = false;         ///< moves in the x-y plane, on planar nodes
  std::vector<Vec3> points;    ///< corners of the centre line at the start; two: one leg
  int elements = 1;            ///< of all legs together
  std::optional<Vec3> y_axis;  ///< direction near which y of the sections is; see beam_mesh.hpp
  /// Twist and curvatures about y and z at the start [1/m], in section axes; only with one leg,
  /// whose second point then gives direction and length of the centre line.
  Vec3 curvature = Vec3::Zero();
  /// Twist and curvatures without stress; those of the start when absent.
  std::optional<Vec3> unstressed_curvature;
  BeamSection section;
  double youngs_modulus = 0.0, shear_modulus = 0.0;  ///< [Pa]
  double density = 0.0;                              ///< [kg/m³]
  bool lumped_mass = false;        ///< half of each element's mass at either node; else consistent
  double mass_damping = 0.0;       ///< [1/s] Rayleigh's alpha: force -alpha M v
  double stiffness_damping = 0.0;  ///< [s] Rayleigh's beta: stress beta C dstrain/dt
  std::array<Expression, 3> line_force;   ///< [N/m]
  std::array<Expression, 3> line_torque;  ///< [N m/m]
  LoadAxes line_axes = LoadAxes::space;   ///< body: section axes, turning with the beam
  Vec3 velocity = Vec3::Zero();           ///< of the first node
  Vec3 angular_velocity = Vec3::Zero();   ///< of the whole beam, space axes
  std::string material;  ///< of its surface; empty: nothing touches it but at its nodes
  /// [m] Of its surface about the chords of its elements; see contact_radius_of().
  std::optional<double> contact_radius;
  bool touch_itself = false;  ///< places of it that are far apart along it can touch
  Place place;
  KeyPlaces keys;
};

/// The radius of the surface of a beam: what it says, else that of a circle or tube, else, in the
/// plane, half the width of a rectangle. Others have none.
std::optional<double> contact_radius_of(const BeamSpec& beam);

// ---- Forces
// ---------------------------------------------------------------------------------------

struct LoadSpec {
  std::string name;
  Attachment at;
  std::array<Expression, 3> force;   ///< [N]
  std::array<Expression, 3> torque;  ///< [N m]
  LoadAxes axes = LoadAxes::space;
  Place place;
  KeyPlaces keys;
};

// ---- Joints
// ---------------------------------------------------------------------------------------

struct JointSpec {
  std::string name;
  JointKind kind = JointKind::fixed;
  Attachment a, b;
  Mat3 axes_a = Mat3::Identity();  ///< columns: joint axes in the frame of a
  Mat3 axes_b =
      Mat3::Identity();  ///< the same in the frame of b; equal in space when the coordinate is 0
  std::optional<double> length;  ///< distance joint; as at the start when absent
  double radius = 0.0;           ///< [m] of what rolls, about the point of b
  bool is_disc = false;          ///< rolling: its axle is z of b; otherwise a sphere
  /// Prescribes the angle (revolute), displacement (prismatic, hold), length (distance) or velocity
  /// (skate, hold_turn) as a function of t.
  std::optional<Expression> motor;
  bool touch = false;  ///< solids of its two bodies touch
  Place place;
  KeyPlaces keys;
};

/// Holds a weighted sum of the coordinates of joints: gears, racks, belts, differentials.
struct CouplerSpec {
  std::string name;
  std::vector<std::string> joints;
  std::vector<double> ratios;    ///< as many
  std::optional<double> offset;  ///< what the sum is; as at the start when absent
  Place place;
  KeyPlaces keys;
};

/// Besides the ground: between so many bodies the joints of a coupler with play can be.
inline constexpr std::size_t most_coupled_bodies = 4;

/// What joints, couplers and ropes oppose to motion as a contact does.
struct JointContactSpec {
  enum class Kind {
    backlash,  ///< one of the two stops between which the sum of a coupler with play is free
    limit,     ///< of the coordinate of one joint
    friction,  ///< of one joint
    clutch,    ///< friction against the rate of a coupler's sum
    one_way,   ///< the sum of a coupler only grows
    rope,      ///< has a largest length
  };
  Kind kind = Kind::backlash;
  /// Not one of those of the model, which hold their sums; of a limit or friction the joint alone.
  CouplerSpec coupler;
  double play = 0.0;    ///< how far the sum can go from what it would be without
  double side = 1.0;    ///< -1: the stop below
  double radius = 1.0;  ///< [m] the gap is this times what is left of the play
  // Friction: largest resistance is pressure + coefficient shaft_radius |force|, and of what slides
  // pressure + coefficient (|force| + 2 |torque|/length).
  Formula pressure{"0", Formula::Of::quantities};  ///< [N], [N m]
  double coefficient = 0.0;
  double shaft_radius = 0.0;     ///< [m]
  std::optional<double> length;  ///< [m] that guides against tilting
  // Rope
  std::vector<Attachment> through;
  std::optional<double> rope_length;  ///< as at the start when absent
  std::optional<std::size_t> drum;    ///< the point where it has friction
  double drum_friction = 0.0;
  std::optional<double> drum_angle;  ///< [rad] as at the start when absent

  std::string what() const;  ///< "coupler 'teeth'", for messages
};

// ---- Contacts
// -------------------------------------------------------------------------------------

/// A coefficient as a formula in a speed v > 0; null: it is constant.
using OfSpeed = std::shared_ptr<const Formula>;

/// How two surfaces resist each other. Where a coefficient depends on the speed, of sliding [m/s]
/// or turning [rad/s] at the end of a step, the number beside it holds at rest; that of restitution
/// is then none.
struct SurfaceLaw {
  double friction = 0.0;           ///< Coulomb's mu
  double rolling_friction = 0.0;   ///< [m] largest moment against rolling over normal force
  double drilling_friction = 0.0;  ///< [m] the same about the normal
  OfSpeed sliding, rolling, drilling;
  std::optional<double> across_friction;  ///< mu across the direction `along` of a face
  double patch_radius = 0.0;              ///< [m] Coulomb-Contensou: sliding and drilling together
  double restitution = 0.0;               ///< e_N in [0, 1]
  OfSpeed rebound;                        ///< e_N by the speed of approach [m/s]
  double tangential_restitution = 0.0;    ///< e_T in [-1, 1]
  std::optional<ImpactLaw> impact_law;    ///< that of the integrator when absent
};

/// By which law two surfaces press on each other when they give way; its damping is that for the
/// restitution of the contact.
struct ForceLawSpec {
  NormalLawKind law = NormalLawKind::exact;
  std::optional<double> stiffness;  ///< K of F = K delta^n; else that of the materials
  std::optional<double> exponent;   ///< n; 1.5 when absent, always 1 of linear laws
  /// Of the point or sphere and of what it touches; empty: not known.
  std::array<std::string, 2> materials;
  /// [m] Of the line along which cylinders of these materials touch; absent: at a point.
  std::optional<double> length;
  /// How much of that line the contact stands for: along a roller there are several.
  double part = 1.0;
};

/// How forces and stresses of impacts are found from impulses.
struct RecoverySpec : ForceLawSpec {
  ImpactShape profile = ImpactShape::law;
  double alpha = 1.7;  ///< of the bent profile
  /// Forces of contacts that stay closed are shared out by their stiffness; see SharedForces.
  bool share = false;
};

/// The surfaces give way in the motion itself, instead of being hard.
struct ComplianceSpec : ForceLawSpec {
  /// [m/s] Sliding that is slower is resisted in proportion to its speed, and impacts that are
  /// slower are damped as if they were that fast.
  double slow_speed = 1e-3;
  // Of conserving contacts, 003: dampers beside the springs, by their ratio to critical damping.
  double damping_ratio = 200.0;                    ///< xi_N
  std::optional<double> tangential_stiffness;      ///< [N/m] K_T; as along the normal when absent
  std::optional<double> tangential_damping_ratio;  ///< xi_T; as along the normal when absent
};

/// A surface of one body against one of another; which two, its geometry says. Planar bodies have
/// discs and lines.
struct ContactSpec : SurfaceLaw {
  std::string name;
  ContactGeometry geometry = default_geometry;  ///< `SphereOnFace::geometry` ...
  Attachment point;                             ///< the point, or the centre of the sphere
  double radius = 0.0;                          ///< [m] of the sphere
  Attachment face;           ///< any point of the face, or the centre of its sphere
  double face_radius = 0.0;  ///< [m] of that sphere
  double tube_radius = 0.0;  ///< [m] of a groove, about the circle of face_radius
  /// [1/m] Principal curvatures of the face, for Hertz; those of its geometry when absent.
  std::optional<std::array<double, 2>> face_curvature = {};
  Vec3 direction = Vec3::UnitZ();  ///< of the face: out of it, in the frame of its body
  Vec3 along = Vec3::Zero();       ///< in the face: where `friction` acts, if it matters
  std::vector<Vec3> outline;       ///< corners in that frame; empty: the face has no edge
  std::optional<JointContactSpec> of_joints = {};  ///< instead of surfaces of two bodies
  std::optional<RecoverySpec> recovery;
  std::optional<ComplianceSpec> compliance;  ///< none: it is hard
  Place place;
  KeyPlaces keys;
};

/// Balls or rollers between two races: which bodies and contacts of a model are one bearing, for
/// its results. They move as any others do.
struct BearingSpec {
  std::string name;
  std::vector<std::string> balls;  ///< bodies
  Attachment inner, outer;         ///< centres of the races
  Vec3 axis = Vec3::UnitZ();       ///< in the frame of the outer race
  Vec3 start = Vec3::UnitX();      ///< the same: across it, from where angles of balls are counted
  /// [m] Where rollers in space touch races, along them from their middle: as many contacts each,
  /// numbered from 1. Empty: one contact, at a point or in the plane.
  std::vector<double> stations;
  Place place;
};

/// Many spheres against a face or against each other: pairs become contacts when they come near.
struct ContactGroupSpec {
  struct Sphere {
    Attachment centre;
    double radius = 0.0;
  };
  ContactSpec contact;            ///< all but the spheres; its face when that is what they touch
  std::vector<Sphere> spheres;    ///< that touch
  std::vector<Sphere> partners;   ///< that they touch
  bool among_themselves = false;  ///< the two lists are the same
};

/// What solids are made of: shapes with a material touch all others that have one.
struct MaterialSpec {
  std::string name;
  SurfaceLaw law;                            ///< against itself; see law_between
  std::optional<double> youngs_modulus;      ///< [Pa]
  std::optional<double> poisson_ratio;       ///< 0.3 when absent
  std::optional<double> strength;            ///< yield stress [Pa]
  std::optional<RecoverySpec> recovery;      ///< of impacts with itself; see recovery_between
  std::optional<ComplianceSpec> compliance;  ///< of contacts with itself; none: it is hard
  Place place;
  KeyPlaces keys;
};

/// How two materials, or a material and itself, resist each other.
struct MaterialPairSpec {
  std::array<std::string, 2> materials;
  SurfaceLaw law;
  std::optional<RecoverySpec> recovery;
  std::optional<ComplianceSpec> compliance;  ///< none: it is hard
  Place place;
  KeyPlaces keys;
};

/// Two bodies, beams or the ground (empty): that pass through each other, or whose contact is to be
/// told of.
struct BodyPairSpec {
  std::array<std::string, 2> bodies;
  Place place;
  KeyPlaces keys;
};

// ---- How to integrate and what to write --------------------------------------------------------

enum class Scaling {
  delassus,             ///< every row by the inverse of its own Delassus diagonal
  characteristic_mass,  ///< one mass for all rows, as in 001
};

/// How the coefficients of generalized-alpha follow from rho_inf.
enum class AlphaKind {
  chung_hulbert,  ///< 001 (5)
  hht,            ///< forces alone are weighted, am = 0
  newmark,        ///< nothing is weighted: damps from the first order on
};
inline constexpr std::array<std::string_view, 3> alpha_names = {"chung_hulbert", "hht", "newmark"};

struct IntegratorSpec {
  IntegratorKind kind = IntegratorKind::nsga;
  double step = 1e-3;     ///< [s]
  double duration = 1.0;  ///< [s]
  double rho_inf = 0.8;   ///< spectral radius at infinite frequency, in [0, 1]
  AlphaKind coefficients = AlphaKind::chung_hulbert;
  /// nsga: c_h of 000, factor on the forces that the position correction changes
  double correction_forces = 1.0;
  double theta = 0.5;  ///< moreau: weight of the end of the step, in [0.5, 1]
  double gamma = 0.5;  ///< newmark: weight of the end of the step in velocities
  double beta = 0.25;  ///< newmark: half of that in positions
  ConservingKind variant = ConservingKind::acem;  ///< of energy_consistent
  double closing_factor = 4.0;  ///< energy_consistent: psi_1 + psi_2 = this xi/theta, 003 (4.26)
  /// energy_consistent: a step that presses deeper, in radii of the smaller body, is too long
  double largest_depth = 0.5;
  int substeps = 0;          ///< verlet: in a step; 0: as many as contacts need
  int threads = 1;           ///< verlet
  double tolerance = 1e-10;  ///< of the relative residual of each subproblem
  int max_iterations = 50;
  int max_halvings = 6;         ///< how often a step that fails is cut in two
  bool locate_impacts = false;  ///< cut steps at impacts, to date them to 1e-5 of a step
  /// Contacts that touch pass an impact on one after the other, as often as it takes; else all
  /// react at once.
  bool multi_impact = false;
  ImpactLaw impact_law = ImpactLaw::newton;  ///< of contacts that do not say
  std::optional<double> impact_tolerance;    ///< [m/s] slower approaches are none; multi_impact
  int max_impacts = 10000;                   ///< in a step, multi_impact
  bool position_friction = true;  ///< false: study of the drift without friction at position level
  bool position_rolling =
      true;  ///< false: rolling and drilling are resisted at velocity level only
  /// false: one matrix for all bodies and contacts, as in the sources, unless that fails.
  bool islands = true;
  /// nsga: bodies at rest that nothing but contacts holds are left where they are, see
  /// sleepers.hpp.
  bool sleep = true;
  /// For the contacts of every step; else Newton's method, and others where it fails.
  std::optional<ContactSolverKind> contact_solver;
  Scaling scaling = Scaling::delassus;
  std::optional<double> characteristic_mass;  ///< [kg]; mean mass of the bodies when absent
  double penalty = 1.0;                       ///< augmentation as a multiple of the scaling
  Place place;
  KeyPlaces keys;
};

struct OutputSpec {
  std::optional<double> interval;  ///< [s]; every step, but at most 10 000 samples, when absent
  std::optional<double> frame_interval;  ///< [s] between ParaView frames; 200 frames when absent
  bool paraview = true;
  /// [s] of simulated time between checkpoints, 0: none; as often as costs little when absent
  std::optional<double> checkpoint_interval;
  bool contact_points = false;  ///< each point of contact, at each sample and in each frame
  Place place;
  KeyPlaces keys;
};

/// A quantity that crosses a value: told of, and perhaps the end of the run.
struct EventSpec {
  enum class Way { either, rising, falling };
  std::string name;
  std::string quantity;  ///< channel and component, "bodies/block/position/x"
  double value = 0.0;    ///< in the unit of the quantity
  Way way = Way::either;
  std::vector<std::string> record;  ///< quantities to be told at that time
  bool ends_run = false;
  Place place;
  KeyPlaces keys;
};

/// A figure that a run of this model must reproduce; `clatter verify` measures it.
struct VerifySpec {
  std::string source;    ///< document, e.g. "001"
  std::string example;   ///< its number or name there
  std::string quantity;  ///< channel and component, "bodies/block/position/x"
  std::string measure = "final";
  std::string over;  ///< for loop_area and loop_damping: the quantity along the axis
  std::optional<double> at, from, to;  ///< [s]
  std::optional<double> threshold;     ///< for first_time and last_time
  bool below = false;                  ///< first_time, last_time: count samples <= threshold
  std::vector<double> band;            ///< for frequency: lowest and highest [Hz]
  std::string oracle;                  ///< a number or a formula
  std::string oracle_kind;             ///< where the oracle is from: "closed form", ...
  std::string script;                  ///< program that computes it, from the folder of examples
  std::string compare = "equal";       ///< equal, at_least, at_most
  double tolerance = 0.0;              ///< absolute
  std::vector<double> steps;           ///< measure = "order"
  std::optional<double> reference_step;
  std::vector<std::string> set;  ///< overrides of this run, "integrator.step=1e-4"
  std::string note;
  std::string printed_at;  ///< of a published figure: where in its source, "Fig. 17", "Table 3.1"
  /// Of a published figure that is not met: why. It is measured and told, not judged, but it must
  /// not agree after all.
  std::string differs;
  Place place;
  KeyPlaces keys;
};

}  // namespace clatter
