#include <type_traits>

#include <gtest/gtest.h>

#include <clatter/schemes/moreau/moreau.hpp>
#include <clatter/schemes/nsga/nsga.hpp>
#include <clatter/schemes/nsga_coupled/nsga_coupled.hpp>

#include "support/finite_difference.hpp"
#include "support/random_state.hpp"
#include "support/run.hpp"

namespace clatter {

/// A random nodal vector on the unknowns of a machine.
NodalVector anything(const Machine& machine, testing::Random& random, double size) {
  NodalVector nodal = random.numbers(machine.nodal_size(), size);
  machine.keep_unknowns(nodal);
  return nodal;
}

/// A state anywhere near the start of a machine, with displacements of size `reach`.
State state_anywhere(const Machine& machine, testing::Random& random, double reach, double speed) {
  State state = state_at_start(machine);
  state.v = anything(machine, random, speed);
  retract(machine.nodes(), machine.initial_configuration(), anything(machine, random, 0.7 * reach),
          state.q);
  return state;
}

/// xi that give a contact with this law the status, away from where it or that of a block changes.
/// Blocks but the first are as they come when `mixed`.
RowVector pressed(const ContactLaw& law, int rows, ContactStatus status, testing::Random& random,
                  bool mixed) {
  RowVector xi = RowVector::Zero(rows);
  xi[0] = status == ContactStatus::open ? -1.0 : 1.0;
  ContactStatus of_block = status;
  for (const FrictionBall& ball : law.all_balls()) {
    const double radius = ball.coefficient * std::abs(xi[0]);
    const VecX direction = random.numbers(ball.rows).normalized();
    xi.segment(ball.first_row, ball.rows) =
        (of_block == ContactStatus::stick ? 0.5 * radius : 2.0 * radius + 0.3) * direction;
    if (mixed) of_block = random.number() > 0.0 ? ContactStatus::stick : ContactStatus::slip;
  }
  return xi;
}

/// Puts a scheme into an arbitrary state within a step and differentiates its problems.
struct NsgaProbe {
  Nsga& s;
  State state{};

  /// Everything a step holds when its Newton iterations run, at random: far from any solution, so
  /// that every term of every matrix counts. `reach` is the size of displacements.
  void be_anywhere(testing::Random& random, double h, ContactStatus status, double reach) {
    StepWork& w = s.w_;
    const Machine& machine = w.machine;
    state = state_anywhere(machine, random, reach, 1.0);
    s.start(state);
    w.set_time(state, h);
    w.begin(state, h);
    SmoothEnd& end = s.smooth_.end_;
    for (NodalVector* nodal : {&end.increment, &end.v, &w.vd, &s.position_.U_, &s.velocity_.V_}) {
      *nodal = anything(machine, random, 1.0);
    }
    end.increment *= reach;
    s.position_.U_ *= 0.2 * reach;
    w.joint_forces = random.numbers(machine.joint_rows());
    s.position_.nu_ = random.numbers(machine.joint_rows());
    w.joint_impulses = random.numbers(machine.joint_rows());
    s.smooth_.evaluate();
    w.total = end.increment + s.position_.U_;
    retract(machine.nodes(), state.q, w.total, w.q);
    for (ContactWork& work : w.contacts.work) work.candidate = work.closed = true;
    s.position_.evaluate();
    press_contacts(random, s.position_, status);
    w.contacts.evaluate_rows(state, w.q);
    s.velocity_.set_moved(s.position_.has_moved());
    s.velocity_.evaluate();
    press_contacts(random, s.velocity_, status);
  }

  template <class Problem>
  void press_contacts(testing::Random& random, Problem& problem, ContactStatus status) {
    const ContactSet& contacts = s.w_.contacts;
    for (std::size_t c = 0; c < contacts.count(); ++c) {
      const Contact& contact = contacts.contact(c);
      const ContactWork& work = contacts.work[c];
      problem.contact_multipliers().segment(contact.first_row, contact.rows()) =
          pressed(problem.law(work), contact.rows(), status, random, true) +
          work.law.penalty * work.ghat;
    }
  }

  using Statuses = std::vector<std::array<ContactStatus, max_friction_blocks>>;
  Statuses block_statuses() const {
    Statuses all;
    for (const ContactWork& work : s.w_.contacts.work) all.push_back(work.equations.block_status);
    return all;
  }

  /// The assembled matrix against differences of the residual it belongs to.
  template <class Problem>
  ::testing::AssertionResult check(Problem& problem, KktMatrix& K, ContactStatus status) {
    constexpr bool has_contacts = !std::is_same_v<Problem, SmoothMotion>;
    problem.evaluate();
    const Statuses at_centre = block_statuses();
    const auto residual = [&](const VecX& x) -> VecX {
      problem.move(K, x, 1.0);
      problem.evaluate();
      if constexpr (has_contacts) {
        for (const ContactWork& work : s.w_.contacts.work) {
          const ContactLaw& law = problem.law(work);
          const bool resists = law.ball_count > 0 && law.balls[0].coefficient > 0.0;
          const ContactStatus expected =
              !resists && status == ContactStatus::stick ? ContactStatus::slip : status;
          EXPECT_EQ(work.equations.status, expected);
        }
        EXPECT_EQ(block_statuses(), at_centre);
      }
      VecX minus_residual = VecX::Zero(K.size());
      problem.fill_right_side(K, minus_residual);
      problem.move(K, x, -1.0);
      return -minus_residual;
    };
    const testing::Differences numeric = testing::differences(residual, K.size(), 1e-3);
    problem.evaluate();
    K.set_zero();
    problem.assemble(K);
    return testing::agrees(K.matrix().entries(), numeric);
  }

  ::testing::AssertionResult check_smooth(ContactStatus status) {
    return check(s.smooth_, s.smooth_K_, status);
  }
  ::testing::AssertionResult check_position(ContactStatus status) {
    return check(s.position_, matrix(), status);
  }
  ::testing::AssertionResult check_velocity(ContactStatus status) {
    s.w_.joints.evaluate(s.w_.q);
    s.w_.contacts.evaluate_rows(state, s.w_.q);
    return check(s.velocity_, matrix(), status);
  }
  KktMatrix& matrix() {
    s.stage_.begin_step(state.solver);
    s.stage_.matrix().prepare();
    return s.stage_.matrix().K;
  }
};

/// The same for Moreau's method.
struct MoreauProbe {
  Moreau& s;
  State state{};

  void be_anywhere(testing::Random& random, double h, ContactStatus status, double reach) {
    StepWork& w = s.w_;
    const Machine& machine = w.machine;
    state = state_anywhere(machine, random, reach, reach);
    s.start(state);
    w.set_time(state, h);
    w.begin(state, h);
    s.evaluate_middle();
    s.start_.v = state.v;
    s.step_.V_ = anything(machine, random, reach);
    s.step_.f_start_ = anything(machine, random, 1.0);
    w.joint_impulses = random.numbers(machine.joint_rows());
    for (ContactWork& work : w.contacts.work) work.closed = true;
    s.step_.evaluate();
    for (std::size_t c = 0; c < w.contacts.count(); ++c) {
      const Contact& contact = w.contacts.contact(c);
      const ContactWork& work = w.contacts.work[c];
      s.step_.contact_multipliers().segment(contact.first_row, contact.rows()) =
          pressed(work.law, contact.rows(), status, random, false) + work.law.penalty * work.ghat;
    }
  }

  ::testing::AssertionResult check() {
    s.stage_.matrix().prepare();
    KktMatrix& K = s.stage_.matrix().K;
    const auto residual = [&](const VecX& x) -> VecX {
      s.step_.move(K, x, 1.0);
      s.step_.evaluate();
      VecX minus_residual = VecX::Zero(K.size());
      s.step_.fill_right_side(K, minus_residual);
      s.step_.move(K, x, -1.0);
      return -minus_residual;
    };
    const testing::Differences numeric = testing::differences(residual, K.size(), 1e-3);
    s.step_.evaluate();
    K.set_zero();
    s.step_.assemble(K);
    return testing::agrees(K.matrix().entries(), numeric);
  }
};

/// The same for the coupled scheme, whose step is one problem.
struct NsgaCoupledProbe {
  NsgaCoupled& s;
  State state{};

  void be_anywhere(testing::Random& random, double h, ContactStatus status, double reach) {
    StepWork& w = s.w_;
    CoupledStep& step = s.step_;
    const Machine& machine = w.machine;
    state = state_anywhere(machine, random, reach, 1.0);
    s.Scheme::start(state);
    w.set_time(state, h);
    w.begin(state, h);
    step.guess();
    for (NodalVector* nodal : {&step.ha_, &w.v, &step.y_}) {
      *nodal = anything(machine, random, 1.0);
    }
    step.y_ *= reach;
    for (VecX& multipliers : step.joint_multipliers_) {
      multipliers = random.numbers(multipliers.size());
    }
    for (ContactWork& work : w.contacts.work) work.candidate = true;
    step.evaluate();
    for (std::size_t c = 0; c < w.contacts.count(); ++c) {
      // Tangents are carried along from where they are.
      Vec3& tangent = state.contacts[c].tangent;
      tangent = w.contacts.contact(c).frame(w.q, tangent).tangents[0];
    }
    step.evaluate();
    press_contacts(random, status);
  }

  /// Multipliers that give every contact the status at each level, away from where it changes.
  void press_contacts(testing::Random& random, ContactStatus status) {
    const StepWork& w = s.w_;
    for (std::size_t c = 0; c < w.contacts.count(); ++c) {
      const Contact& contact = w.contacts.contact(c);
      CoupledContact& work = s.step_.contacts_[c];
      const ContactWork& base = w.contacts.work[c];
      const double push = status == ContactStatus::open ? -1.0 : 1.0;
      work.push = push + base.scale[0] * contact.gap(w.q) / w.h;
      const auto press = [&](const RowVector& g) {
        return RowVector(pressed(base.law, contact.rows(), status, random, false) +
                         base.law.penalty * g);
      };
      RowVector xi = work.rate;
      const Vec12 before = of_pair(state.v, contact.a(), contact.b());
      for (int i = 0; i < contact.rows(); ++i) {
        xi[i] += contact.restitution_of_row(i) * base.scale[i] * base.G.row(i).dot(before);
      }
      work.impulse = press(xi);
      work.force = press(work.acceleration);
    }
  }

  /// Which law each contact is under, at each level.
  std::vector<ContactStatus> statuses() const {
    std::vector<ContactStatus> all;
    for (const CoupledContact& work : s.step_.contacts_) {
      all.push_back(work.position.status);
      for (const ContactEquations* e : {&work.velocity, &work.forces}) {
        all.push_back(e->status);
        all.insert(all.end(), e->block_status.begin(), e->block_status.end());
      }
    }
    return all;
  }

  ::testing::AssertionResult check() {
    s.matrix_.prepare();
    CoupledMatrix& K = s.matrix_.K;
    CoupledStep& step = s.step_;
    step.evaluate();
    const std::vector<ContactStatus> at_centre = statuses();
    const auto residual = [&](const VecX& x) -> VecX {
      step.move(K, x, 1.0);
      step.evaluate();
      EXPECT_EQ(statuses(), at_centre);
      VecX minus_residual = VecX::Zero(K.size());
      step.fill_right_side(K, minus_residual);
      step.move(K, x, -1.0);
      return -minus_residual;
    };
    testing::Differences numeric = testing::differences(residual, K.size(), 1e-3);
    step.evaluate();
    K.set_zero();
    step.assemble(K);
    MatX entries = K.matrix().entries();
    // What positions do to the bending of paths, v . (d rows/dt), is left out of the matrix: it is
    // of second order in the step.
    const int dofs = s.w_.machine.dofs();
    const auto leave_out = [&](int first_row, int rows) {
      for (MatX* matrix : {&entries, &numeric.derivative}) {
        matrix->block(first_row, 2 * dofs, rows, dofs).setZero();
      }
    };
    leave_out(K.joint_multiplier(Level::acceleration), s.w_.machine.joint_rows());
    for (std::size_t c = 0; c < s.w_.contacts.count(); ++c) {
      leave_out(K.contact_multiplier(Level::acceleration, c), s.w_.contacts.contact(c).rows());
    }
    return testing::agrees(entries, numeric);
  }
};

namespace {

using testing::Random;

BodySpec body_anywhere(std::string name, BodyKind kind, Random& random) {
  BodySpec body;
  body.name = std::move(name);
  body.kind = kind;
  body.mass = random.number(0.5, 2.0);
  body.inertia = random.inertia();
  body.centre_of_mass = random.vector(0.2);
  body.position = random.vector();
  body.orientation = random.rotation();
  if (kind == BodyKind::planar) {
    body.centre_of_mass.z() = body.position.z() = 0.0;
    body.angle = random.number(-3.0, 3.0);
  }
  return body;
}

Attachment at(std::string body, Random& random, bool planar = false) {
  Vec3 point = random.vector(0.5);
  if (planar) point.z() = 0.0;
  return {std::move(body), point};
}

JointSpec joint_anywhere(std::string name, JointKind kind, Attachment a, Attachment b,
                         Random& random) {
  JointSpec joint;
  joint.name = std::move(name);
  joint.kind = kind;
  joint.a = std::move(a);
  joint.b = std::move(b);
  joint.axes_a = random.axes();
  joint.axes_b = random.axes();
  return joint;
}

/// Three bodies and a point with one of everything between them; the ground takes part.
Model everything_in_space(Random& random) {
  Model model;
  model.gravity = random.vector(9.0);
  for (const char* name : {"A", "B", "C"}) {
    model.bodies.push_back(body_anywhere(name, BodyKind::rigid, random));
  }
  model.bodies.push_back(body_anywhere("P", BodyKind::point, random));

  SpringSpec axial;
  axial.name = "axial";
  axial.a = at("A", random);
  axial.b = {"C", Vec3(3.0, 3.0, 3.0)};  // long: differences err with one over the length
  axial.stiffness = 5.0;
  axial.damping = 0.7;
  axial.rest = 1.0;
  SpringSpec linear = axial;
  linear.name = "linear";
  linear.kind = SpringKind::linear;
  linear.a = at("", random);
  linear.b = at("P", random);
  linear.axis = random.direction();
  SpringSpec torsional = axial;
  torsional.name = "torsional";
  torsional.kind = SpringKind::torsional;
  torsional.a.body = "B";
  torsional.b.body = "";
  torsional.axis = random.direction();
  model.springs = {axial, linear, torsional};

  LoadSpec follower;
  follower.name = "follower";
  follower.at = at("B", random);
  follower.force = {Expression("2+sin(t)"), 1.0, -1.5};
  follower.torque = {0.5, Expression("t"), -1.0};
  follower.axes = LoadAxes::body;
  LoadSpec dead = follower;
  dead.name = "dead";
  dead.axes = LoadAxes::space;
  model.loads = {follower, dead};

  model.joints = {
      joint_anywhere("ball", JointKind::ball, at("", random), at("A", random), random),
      joint_anywhere("revolute", JointKind::revolute, at("A", random), at("B", random), random),
      joint_anywhere("slide", JointKind::prismatic, at("B", random), at("C", random), random),
      joint_anywhere("link", JointKind::distance, at("C", random), at("P", random), random)};
  model.joints[1].motor = Expression("0.3*t");
  model.joints[2].motor = Expression("0.1+t^2");

  ContactSpec contact;
  contact.name = "between bodies";
  contact.point = at("C", random);
  contact.face = at("A", random);
  contact.direction = random.direction();
  contact.friction = 0.4;
  contact.restitution = 0.5;
  contact.tangential_restitution = -0.3;
  ContactSpec on_ground = contact;
  on_ground.name = "on the ground";
  on_ground.point = at("P", random);
  on_ground.face = at("", random);
  ContactSpec frictionless = contact;
  frictionless.name = "point of the ground, frictionless";
  frictionless.point = at("", random);
  frictionless.face = at("B", random);
  frictionless.friction = 0.0;
  model.contacts = {contact, on_ground, frictionless};
  return model;
}

Model everything_in_the_plane(Random& random) {
  Model model;
  model.gravity = Vec3(1.0, -9.0, 0.0);
  for (const char* name : {"A", "B"}) {
    model.bodies.push_back(body_anywhere(name, BodyKind::planar, random));
  }
  SpringSpec axial;
  axial.name = "axial";
  axial.a = at("A", random, true);
  axial.b = {"B", Vec3(3.0, 4.0, 0.0)};
  axial.stiffness = 5.0;
  axial.damping = 0.7;
  axial.rest = 1.0;
  SpringSpec torsional = axial;
  torsional.name = "torsional";
  torsional.kind = SpringKind::torsional;
  torsional.axis = Vec3::UnitZ();
  model.springs = {axial, torsional};
  LoadSpec follower;
  follower.name = "follower";
  follower.at = at("B", random, true);
  follower.force = {2.0, 1.0, 0.0};
  follower.axes = LoadAxes::body;
  model.loads = {follower};
  JointSpec hinge = joint_anywhere("hinge", JointKind::revolute, at("A", random, true),
                                   at("B", random, true), random);
  hinge.axes_a = hinge.axes_b = Mat3::Identity();
  hinge.motor = Expression("t");
  model.joints = {hinge};
  ContactSpec contact;
  contact.name = "tip";
  contact.point = at("B", random, true);
  contact.face = at("A", random, true);
  contact.direction = Vec3(0.6, 0.8, 0.0);
  contact.friction = 0.4;
  ContactSpec on_ground = contact;
  on_ground.name = "on the ground";
  on_ground.face = at("", random, true);
  model.contacts = {contact, on_ground};
  return model;
}

/// Rows that hold velocities only, beside others, on bodies that move and turn.
Model rolling_in_space(Random& random) {
  Model model;
  model.gravity = random.vector(9.0);
  for (const char* name : {"A", "B", "C"}) {
    model.bodies.push_back(body_anywhere(name, BodyKind::rigid, random));
  }
  JointSpec sphere =
      joint_anywhere("sphere", JointKind::rolling, at("A", random), at("B", random), random);
  sphere.radius = 0.4;
  JointSpec disc =
      joint_anywhere("disc", JointKind::rolling, at("", random), at("C", random), random);
  disc.radius = 0.3;
  disc.is_disc = true;
  JointSpec skate =
      joint_anywhere("skate", JointKind::skate, at("B", random), at("C", random), random);
  skate.motor = Expression("0.3+t");
  model.joints = {sphere, disc, skate,
                  joint_anywhere("link", JointKind::distance, at("", random),
                                 {"A", Vec3(4.0, 3.0, 2.0)}, random)};
  ContactSpec contact;
  contact.name = "between bodies";
  contact.point = at("C", random);
  contact.face = at("A", random);
  contact.direction = random.direction();
  contact.friction = 0.4;
  model.contacts = {contact};
  return model;
}

BushingSpec bushing_anywhere(std::string a, std::string b, Random& random, bool planar = false) {
  BushingSpec bushing;
  bushing.name = "bushing";
  bushing.a = at(std::move(a), random, planar);
  bushing.b = at(std::move(b), random, planar);
  bushing.stiffness = Vec3(2.0, 5.0, planar ? 0.0 : 3.0);
  bushing.damping = Vec3(0.5, 0.2, planar ? 0.0 : 0.4);
  bushing.rotational_stiffness = Vec3(1.0, 0.4, 2.0);
  bushing.rotational_damping = Vec3(0.1, 0.7, 0.3);
  bushing.preload = Vec3(1.0, -2.0, planar ? 0.0 : 3.0);
  if (!planar) {
    bushing.axes_a = random.axes();
    bushing.axes_b = random.axes();
  }
  return bushing;
}

/// Taut, through three bodies, one of them twice.
CableSpec cable_anywhere(Random& random, bool planar = false) {
  CableSpec cable;
  cable.name = "cable";
  for (const char* body : {"A", "", "B", "A"}) cable.through.push_back(at(body, random, planar));
  cable.stiffness = 3.0;
  cable.damping = 0.02;
  cable.rest_length = 0.1;
  return cable;
}

/// With a condition over all joints that have a coordinate, which share bodies, and one over two.
Model geared_in_space(Random& random) {
  Model model = everything_in_space(random);
  model.couplers = {{"all", {"revolute", "slide", "link"}, {1.0, -2.0, 0.5}, 0.3, {}, {}},
                    {"two", {"slide", "revolute"}, {0.7, 0.2}, {}, {}, {}}};
  model.bushings = {bushing_anywhere("A", "C", random), bushing_anywhere("", "B", random)};
  model.cables = {cable_anywhere(random)};
  return model;
}

Model geared_in_the_plane(Random& random) {
  Model model = everything_in_the_plane(random);
  JointSpec pin = joint_anywhere("wheel", JointKind::revolute, at("", random, true),
                                 at("A", random, true), random);
  pin.axes_a = pin.axes_b = Mat3::Identity();
  JointSpec other = pin;
  other.name = "other";
  other.a = at("A", random, true);
  other.b = at("B", random, true);
  model.joints = {pin, other};
  model.couplers = {{"gear", {"wheel", "other"}, {1.0, -3.0}, {}, {}, {}}};
  model.bushings = {bushing_anywhere("A", "B", random, true)};
  model.cables = {cable_anywhere(random, true)};
  return model;
}

Model rolling_in_the_plane(Random& random) {
  Model model = everything_in_the_plane(random);
  JointSpec disc = joint_anywhere("disc", JointKind::rolling, at("", random, true),
                                  at("A", random, true), random);
  disc.radius = 0.4;
  disc.axes_a << 0.0, -0.8, 0.6, 0.0, 0.6, 0.8, -1.0, 0.0, 0.0;
  JointSpec skate = joint_anywhere("skate", JointKind::skate, at("A", random, true),
                                   at("B", random, true), random);
  skate.axes_b = disc.axes_a;
  model.joints = {disc, skate};
  return model;
}

/// Beams with a corner, natural curvature, both dampings and a load that turns with the sections,
/// hinged to the ground and against it. Stiffness and mass near one, so that differences are sharp.
Model beams(Random& random, bool planar) {
  Model model;
  model.gravity = Vec3(1.0, -9.0, planar ? 0.0 : 2.0);
  BeamSpec beam;
  beam.name = "beam";
  beam.planar = planar;
  beam.points = {Vec3::Zero(), Vec3(1.0, 0.0, 0.0), Vec3(1.0, 2.0, 0.0)};
  beam.elements = 3;
  beam.section.area = 1.3;
  beam.section.I_y = 0.3;
  beam.section.I_z = 0.2;
  beam.section.J = 0.4;
  beam.section.shear_y = 0.8;
  beam.section.shear_z = 0.7;
  beam.unstressed_curvature = planar ? Vec3(0.0, 0.0, 0.2) : Vec3(0.1, -0.2, 0.3);
  beam.youngs_modulus = 2.0;
  beam.shear_modulus = 1.0;
  beam.density = 1.0;
  beam.mass_damping = 0.4;
  beam.stiffness_damping = 0.3;
  beam.line_force = {0.5, -1.0, 0.0};
  beam.line_torque = {0.0, 0.0, 0.3};
  beam.line_axes = LoadAxes::body;
  BeamSpec undamped = beam;
  undamped.name = "undamped";
  undamped.mass_damping = undamped.stiffness_damping = 0.0;
  model.beams = {beam, undamped};
  JointSpec hinge =
      joint_anywhere("hinge", JointKind::revolute, at("", random, planar), {"beam.0"}, random);
  hinge.axes_a = hinge.axes_b = Mat3::Identity();
  model.joints = {hinge};
  ContactSpec contact;
  contact.name = "tip";
  contact.point.body = "undamped.3";
  contact.direction = Vec3(0.6, 0.8, 0.0);
  contact.friction = 0.4;
  model.contacts = {contact};
  return model;
}
Model beams_in_space(Random& random) { return beams(random, false); }
Model beams_in_the_plane(Random& random) { return beams(random, true); }

ContactSpec friction_of_all_kinds(std::string name, ContactGeometry geometry) {
  ContactSpec contact;
  contact.name = std::move(name);
  contact.geometry = geometry;
  contact.friction = 0.4;
  contact.rolling_friction = 0.5;
  contact.drilling_friction = 0.6;
  contact.restitution = 0.5;
  contact.tangential_restitution = -0.3;
  return contact;
}

/// Sliding and drilling together: Coulomb-Contensou.
ContactSpec with_patch(ContactSpec contact) {
  contact.name += " with patch";
  contact.drilling_friction = 0.0;
  contact.patch_radius = 0.7;
  return contact;
}

/// Spheres whose centres are off their nodes, on moving faces, on each other and within each other.
/// Centres are metres apart: differences err with one over their distance.
Model spheres_in_space(Random& random) {
  Model model;
  model.gravity = random.vector(9.0);
  for (const char* name : {"A", "B", "C"}) {
    model.bodies.push_back(body_anywhere(name, BodyKind::rigid, random));
  }
  model.bodies.push_back(body_anywhere("P", BodyKind::point, random));

  ContactSpec on_face = friction_of_all_kinds("on face", SphereOnFace::geometry);
  on_face.point = at("B", random);
  on_face.radius = 0.3;
  on_face.face = at("A", random);
  on_face.direction = random.direction();
  ContactSpec on_sphere = friction_of_all_kinds("on sphere", SphereOnSphere::geometry);
  on_sphere.point = at("C", random);
  on_sphere.radius = 0.4;
  on_sphere.face = {"B", Vec3(2.0, 4.0, -2.0)};
  on_sphere.face_radius = 0.7;
  ContactSpec in_sphere = friction_of_all_kinds("in sphere", SphereInSphere::geometry);
  in_sphere.point = {"A", Vec3(-3.0, 3.0, 3.0)};
  in_sphere.radius = 0.4;
  in_sphere.face = at("C", random);
  in_sphere.face_radius = 9.0;
  ContactSpec in_ground = in_sphere;
  in_ground.name = "in a sphere of the ground";
  in_ground.face = at("", random);
  ContactSpec in_bore = in_sphere;
  in_bore.name = "in bore";
  in_bore.geometry = SphereInBore::geometry;
  in_bore.direction = Vec3(1.0, 1.0, 1.0);
  ContactSpec point_body = on_sphere;  // only one of the two turns
  point_body.name = "of a point body";
  point_body.point = {"P", Vec3::Zero()};
  point_body.face = {"A", Vec3(4.0, -4.0, 1.0)};
  ContactSpec neither_turns = on_face;  // rolling and drilling move nothing
  neither_turns.name = "neither turns";
  neither_turns.point = {"P", Vec3::Zero()};
  neither_turns.face = at("", random);
  ContactSpec point_on_face = on_face;
  point_on_face.name = "point";
  point_on_face.geometry = PointOnFace::geometry;
  point_on_face.radius = 0.0;
  ContactSpec rolls_only = on_sphere;
  rolls_only.name = "rolls only";
  rolls_only.friction = rolls_only.tangential_restitution = rolls_only.drilling_friction = 0.0;
  model.contacts = {on_face,    on_sphere,     in_sphere,     in_ground, in_bore,
                    point_body, neither_turns, point_on_face, rolls_only};
  return model;
}

Model spheres_with_patches(Random& random) {
  Model model = spheres_in_space(random);
  for (ContactSpec& contact : model.contacts) {
    if (contact.friction > 0.0) contact = with_patch(contact);
  }
  return model;
}

Model discs_in_the_plane(Random& random) {
  Model model;
  model.gravity = Vec3(1.0, -9.0, 0.0);
  for (const char* name : {"A", "B"}) {
    model.bodies.push_back(body_anywhere(name, BodyKind::planar, random));
  }
  ContactSpec on_line = friction_of_all_kinds("on line", SphereOnFace::geometry);
  on_line.drilling_friction = 0.0;
  on_line.point = at("B", random, true);
  on_line.radius = 0.3;
  on_line.face = at("A", random, true);
  on_line.direction = Vec3(0.6, 0.8, 0.0);
  ContactSpec on_disc = on_line;
  on_disc.name = "on disc";
  on_disc.geometry = SphereOnSphere::geometry;
  on_disc.face = {"A", Vec3(3.0, -4.0, 0.0)};
  on_disc.face_radius = 0.7;
  ContactSpec in_circle = on_disc;
  in_circle.name = "in circle";
  in_circle.geometry = SphereInSphere::geometry;
  in_circle.face = {"", Vec3(-5.0, 4.0, 0.0)};
  in_circle.face_radius = 9.0;
  model.contacts = {on_line, on_disc, in_circle};
  return model;
}

struct Case {
  const char* name;
  Model (*model)(Random&);
  ContactStatus status;
  double penalty;
  double reach = 1.0;  // elements of beams have no meaning when bent by half a turn
};

/// Every element's force, rows and tangents, through the three Newton matrices.
class NewtonMatrix : public ::testing::TestWithParam<Case> {
 protected:
  template <class Check>
  void at_random_states(const Check& check) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      Random random(seed);
      const Model model = GetParam().model(random);
      const Machine machine(model);
      IntegratorSpec spec;
      spec.penalty = GetParam().penalty;
      Nsga nsga(machine, spec);
      NsgaProbe probe{nsga};
      // A step so long that velocities, stiffness and mass have equal weight.
      probe.be_anywhere(random, 0.6, GetParam().status, GetParam().reach);
      EXPECT_TRUE(check(probe)) << "seed " << seed;
    }
  }
};

TEST_P(NewtonMatrix, of_the_smooth_motion_is_the_derivative_of_its_residual) {
  at_random_states([](NsgaProbe& probe) { return probe.check_smooth(GetParam().status); });
}

TEST_P(NewtonMatrix, of_the_position_correction_is_the_derivative_of_its_residual) {
  at_random_states([](NsgaProbe& probe) { return probe.check_position(GetParam().status); });
}

TEST_P(NewtonMatrix, of_the_velocity_jump_is_the_derivative_of_its_residual) {
  at_random_states([](NsgaProbe& probe) { return probe.check_velocity(GetParam().status); });
}

TEST_P(NewtonMatrix, of_moreaus_step_is_the_derivative_of_its_residual) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    const Model model = GetParam().model(random);
    const Machine machine(model);
    IntegratorSpec spec;
    spec.penalty = GetParam().penalty;
    spec.theta = 0.7;
    Moreau moreau(machine, spec);
    MoreauProbe probe{moreau};
    probe.be_anywhere(random, 0.6, GetParam().status, GetParam().reach);
    EXPECT_TRUE(probe.check()) << "seed " << seed;
  }
}

TEST_P(NewtonMatrix, of_the_coupled_step_is_the_derivative_of_its_residual) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    const Model model = GetParam().model(random);
    const Machine machine(model);
    IntegratorSpec spec;
    spec.penalty = GetParam().penalty;
    NsgaCoupled coupled(machine, spec);
    NsgaCoupledProbe probe{coupled};
    probe.be_anywhere(random, 0.6, GetParam().status, GetParam().reach);
    EXPECT_TRUE(probe.check()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Systems, NewtonMatrix,
    ::testing::Values(
        Case{"space_open", everything_in_space, ContactStatus::open, 1.0},
        Case{"space_stick", everything_in_space, ContactStatus::stick, 1.0},
        Case{"space_slip", everything_in_space, ContactStatus::slip, 1.0},
        Case{"space_slip_penalty_3", everything_in_space, ContactStatus::slip, 3.0},
        Case{"plane_stick", everything_in_the_plane, ContactStatus::stick, 1.0},
        Case{"plane_slip_penalty_3", everything_in_the_plane, ContactStatus::slip, 3.0},
        Case{"spheres_open", spheres_in_space, ContactStatus::open, 1.0},
        Case{"spheres_stick", spheres_in_space, ContactStatus::stick, 1.0},
        Case{"spheres_slip", spheres_in_space, ContactStatus::slip, 1.0},
        Case{"spheres_slip_penalty_3", spheres_in_space, ContactStatus::slip, 3.0},
        Case{"spheres_with_patches_stick", spheres_with_patches, ContactStatus::stick, 1.0},
        Case{"spheres_with_patches_slip", spheres_with_patches, ContactStatus::slip, 1.0},
        Case{"discs_stick", discs_in_the_plane, ContactStatus::stick, 1.0},
        Case{"discs_slip_penalty_3", discs_in_the_plane, ContactStatus::slip, 3.0},
        Case{"rolling_in_space_open", rolling_in_space, ContactStatus::open, 1.0, 0.5},
        Case{"rolling_in_space_stick", rolling_in_space, ContactStatus::stick, 1.0, 0.5},
        Case{"rolling_in_the_plane_slip", rolling_in_the_plane, ContactStatus::slip, 3.0},
        Case{"geared_in_space_open", geared_in_space, ContactStatus::open, 1.0},
        Case{"geared_in_space_stick", geared_in_space, ContactStatus::stick, 1.0},
        Case{"geared_in_the_plane_slip", geared_in_the_plane, ContactStatus::slip, 1.0},
        Case{"beams_in_space_slip", beams_in_space, ContactStatus::slip, 1.0, 0.3},
        Case{"beams_in_space_stick", beams_in_space, ContactStatus::stick, 1.0, 0.3},
        Case{"beams_in_the_plane_slip", beams_in_the_plane, ContactStatus::slip, 1.0, 0.3}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(GeneralizedAlpha, coefficients_match_the_table_of_the_source) {
  const auto expect = [](double rho, double am, double af, double gamma, double beta) {
    const GeneralizedAlpha c(rho);
    EXPECT_NEAR(c.am, am, 1e-15);
    EXPECT_NEAR(c.af, af, 1e-15);
    EXPECT_NEAR(c.gamma, gamma, 1e-15);
    EXPECT_NEAR(c.beta, beta, 1e-15);
  };
  expect(0.0, -1.0, 0.0, 1.5, 1.0);
  expect(0.5, 0.0, 1.0 / 3.0, 5.0 / 6.0, 4.0 / 9.0);
  expect(0.8, 1.0 / 3.0, 4.0 / 9.0, 11.0 / 18.0, 25.0 / 81.0);
  expect(1.0, 0.5, 0.5, 0.5, 0.25);
}

}  // namespace
}  // namespace clatter
