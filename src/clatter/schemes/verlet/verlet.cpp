#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/math/stopwatch.hpp>
#include <clatter/schemes/verlet/verlet.hpp>

namespace clatter {
namespace {

/// Of a substep times the angular frequency of the stiffest contact, when nothing else is asked:
/// 25 substeps while two bodies touch.
constexpr double usual_angle = 0.125;
/// Beyond it springs between many bodies are not stable any more.
constexpr double largest_angle = 1.0;

Vec3 vec(const double* x) { return {x[0], x[1], x[2]}; }

double inverse_mass_of(const Machine& machine, int node) {
  return node == ground ? 0.0 : machine.nodes()[static_cast<std::size_t>(node)].inverse_mass;
}

}  // namespace

Verlet::Verlet(const Machine& machine, const IntegratorSpec& spec)
    : Scheme(machine, spec),
      grains_(machine),
      crew_(spec.threads),
      bodies_(machine.nodes().size()),
      own_(machine.own_contacts().size()),
      of_own_(own_.empty() ? 0 : bodies_.size()),
      moved_(static_cast<std::size_t>(spec.threads), 0.0) {
  check_bodies();
  for (std::size_t n = 1; n < bodies_.size(); ++n) {
    const Node& node = machine.nodes()[n];
    const Vec3 inverse_mass = node.inverse_mass * node.translations();
    for (int i = 0; i < 3; ++i) {
      bodies_[n].inverse_mass[i] = inverse_mass[i];
      bodies_[n].inverse_inertia[i] = node.inverse_inertia(i, i);
    }
  }
  w_.instant.has_drag = false;
  for (std::size_t n = 1; n < machine.immersions().size(); ++n) {
    bodies_[n].drag = machine.immersions()[n].drag;
    bodies_[n].spin_drag = machine.immersions()[n].spin_drag;
  }
  for (std::size_t c = 0; c < own_.size(); ++c) {
    const Contact& contact = machine.own_contacts()[c];
    const double inverse =
        inverse_mass_of(machine, contact.a()) + inverse_mass_of(machine, contact.b());
    own_[c].inverse_mass = inverse;
    own_[c].damping = contact.compliance()->damping(0.0, 1.0 / inverse);
  }
  totals_.impulses.assign(machine.contact_groups().size(), 0.0);
  fastest_ = fastest_contact();
  const double angle = fastest_ * spec.step / substeps_of(spec.step);
  if (angle > largest_angle) {
    throw Error(spec.place,
                fmt::format("integrator.substeps = {} leaves substeps of {:.3g} s, too long for "
                            "the springs of contacts: take {} or more, or leave it out",
                            substeps_of(spec.step), spec.step / substeps_of(spec.step),
                            std::ceil(fastest_ * spec.step / largest_angle)));
  }
}

void Verlet::check_bodies() const {
  const Machine& machine = w_.machine;
  if (!machine.solids().empty()) {
    throw Error(
        "shapes with a 'material' are not for the integrator \"verlet\": give the contacts "
        "of spheres and discs as [[contact]]");
  }
  if (!machine.watched_pairs().empty()) {
    throw Error("[[watch]] is not for the integrator \"verlet\"");
  }
  for (const Node& node : machine.nodes()) {
    if (!node.rotates_in_space) continue;
    const Mat3 mean = node.inertia.trace() / 3.0 * Mat3::Identity();
    if ((node.inertia - mean).norm() > 1e-9 * mean.norm()) {
      throw Error(
          fmt::format("body '{}': the integrator \"verlet\" takes bodies in space that are "
                      "alike about all axes, such as spheres",
                      node.name));
    }
  }
}

double Verlet::fastest_contact() const {
  double square = 0.0;
  const auto note = [&](const CompliantLaw& law, double inverse_mass) {
    const double K = std::max(law.normal_pair().stiffness, law.tangential_pair().stiffness);
    square = std::max(square, K * inverse_mass);
  };
  for (const Contact& contact : w_.machine.own_contacts()) {
    note(*contact.compliance(),
         inverse_mass_of(w_.machine, contact.a()) + inverse_mass_of(w_.machine, contact.b()));
  }
  for (std::size_t g = 0; g < w_.machine.contact_groups().size(); ++g) {
    const ContactGroup& group = w_.machine.contact_groups()[g];
    const auto lightest = [&](const std::vector<ContactGroup::Sphere>& spheres) {
      double inverse = 0.0;
      for (const auto& sphere : spheres) {
        inverse = std::max(inverse, inverse_mass_of(w_.machine, sphere.node));
      }
      return inverse;
    };
    const Contact any =
        w_.machine.contact_of({static_cast<int>(g), 0, group.partners.size() > 1 ? 1 : 0});
    note(*any.compliance(), lightest(group.spheres) + lightest(group.partners));
  }
  return std::sqrt(square);
}

int Verlet::substeps_of(double h) const {
  if (w_.spec.substeps > 0) {
    return std::max(1, static_cast<int>(std::lround(w_.spec.substeps * h / w_.spec.step)));
  }
  return std::max(1, static_cast<int>(std::ceil(fastest_ * h / usual_angle)));
}

bool Verlet::visit_contact_problems(std::function<void(const ContactProblem&)> /*visit*/) {
  return false;
}

/// Bodies and springs as a state has them.
void Verlet::load(State& state) {
  w_.state = &state;
  for (std::size_t n = 1; n < bodies_.size(); ++n) {
    const NodeState& at = state.q[n];
    GrainForces::Place& place = grains_.places[n];
    place.x = at.x.x();
    place.y = at.x.y();
    place.z = at.x.z();
    const Vec6 v = of_node(state.v, static_cast<Eigen::Index>(n));
    const Vec3 spin = at.R * v.tail<3>();
    for (int i = 0; i < 3; ++i) {
      grains_.motions[n].v[i] = v[i];
      grains_.motions[n].w[i] = spin[i];
    }
    std::fill_n(bodies_[n].turn, 3, 0.0);
    bodies_[n].drag_loss = 0.0;
  }
  grains_.search(totals_);
  grains_.read(state);
  grains_.begin_sums();
  totals_.normal_loss = totals_.friction_loss = 0.0;
  std::fill(totals_.impulses.begin(), totals_.impulses.end(), 0.0);
  for (std::size_t c = 0; c < own_.size(); ++c) {
    Own& own = own_[c];
    const ContactState& of = state.contacts[c];
    own.was_closed = of.status != ContactStatus::open;
    own.xi.setZero();
    for (int i = 0; i < of.shear.size(); ++i) own.xi[i] = of.shear[i];
    own.impulse.setZero();
    own.normal_loss = own.friction_loss = 0.0;
  }
}

/// What acts from outside, at a time, with the bodies where the step begins.
void Verlet::find_loads(const State& state, double t) {
  w_.instant.turns = state.turns;
  w_.set_time(state, t);
  w_.machine.forces(state.q, state.v, w_.instant, w_.f);
  for (std::size_t n = 1; n < bodies_.size(); ++n) {
    const Vec6 f = of_node(w_.f, static_cast<Eigen::Index>(n));
    const Vec3 torque = state.q[n].R * f.tail<3>();
    for (int i = 0; i < 3; ++i) {
      bodies_[n].outside.force[i] = f[i];
      bodies_[n].outside.torque[i] = torque[i];
    }
    grains_.loads[n] = bodies_[n].outside;
  }
}

/// w_.q := where bodies are now.
void Verlet::place_bodies(const State& state) {
  for (std::size_t n = 1; n < bodies_.size(); ++n) {
    const GrainForces::Place& place = grains_.places[n];
    Vec6 way;
    way << Vec3(place.x, place.y, place.z) - state.q[n].x,
        state.q[n].R.transpose() * vec(bodies_[n].turn);
    retract(w_.machine.nodes()[n], state.q[n], way, w_.q[n]);
    w_.q[n].x = Vec3(place.x, place.y, place.z);
  }
}

void Verlet::evaluate_own(double dt) {
  if (own_.empty()) return;
  place_bodies(*w_.state);
  std::fill(of_own_.begin(), of_own_.end(), GrainForces::Load{});
  for (std::size_t c = 0; c < own_.size(); ++c) {
    Own& own = own_[c];
    const Contact& contact = w_.machine.own_contacts()[c];
    const CompliantLaw& law = *contact.compliance();
    const double K = law.normal_pair().stiffness, K_T = law.tangential_pair().stiffness;
    own.gap = contact.gap(w_.q, w_.state->turns);
    own.is_closed = own.gap < 0.0 && contact.over_face(w_.q);
    if (!own.is_closed) {
      own.friction_loss += 0.5 * K_T * own.xi.squaredNorm();
      own.xi.setZero();
      own.force.setZero();
      continue;
    }
    own.frame = contact.frame(w_.q, w_.state->contacts[c].tangent);
    const Vec3& n = own.frame.normal;
    const auto a = static_cast<std::size_t>(contact.a()), b = static_cast<std::size_t>(contact.b());
    const GrainForces::Motion &of_a = grains_.motions[a], &of_b = grains_.motions[b];
    own.rate = vec(of_b.v) + vec(of_b.w).cross(own.frame.arm_b) - vec(of_a.v) -
               vec(of_a.w).cross(own.frame.arm_a);
    const double v_N = n.dot(own.rate), spring = -K * own.gap;
    const double F_N = std::max(0.0, spring - own.damping * v_N);
    // Velocities are half a substep old: that of now, as this contact alone makes it.
    own.normal_loss += (spring - F_N) * (v_N + 0.5 * dt * F_N * own.inverse_mass) * dt;
    own.force = F_N * n;
    if (const FrictionBlock* sliding = contact.block(FrictionKind::sliding)) {
      const double before = own.xi.norm();
      own.xi += dt * (own.rate - v_N * n) - n.dot(own.xi) * n;
      const double size = own.xi.norm(), most = sliding->coefficient * F_N / K_T;
      own.slips = size > most;
      if (own.slips) {
        own.friction_loss += 0.5 * K_T * (before + most) * (size - most);
        own.xi *= most / size;
      }
      own.force -= K_T * own.xi;
    }
    own.impulse += dt * own.force;
    const Vec3 moment_a = own.frame.arm_a.cross(own.force),
               moment_b = own.frame.arm_b.cross(own.force);
    for (int i = 0; i < 3; ++i) {
      of_own_[a].force[i] -= own.force[i];
      of_own_[a].torque[i] -= moment_a[i];
      of_own_[b].force[i] += own.force[i];
      of_own_[b].torque[i] += moment_b[i];
    }
  }
  for (std::size_t n = 1; n < bodies_.size(); ++n) {
    for (int i = 0; i < 3; ++i) {
      grains_.loads[n].force[i] += of_own_[n].force[i];
      grains_.loads[n].torque[i] += of_own_[n].torque[i];
    }
  }
}

/// The exact velocity after a time `kick` of a constant force and a drag. Returns what the drag
/// took.
double Verlet::slow(double drag, double inverse_mass, double force, double kick, double& v) {
  if (inverse_mass == 0.0) return 0.0;
  const double s = kick * drag * inverse_mass, push = force * kick * inverse_mass, before = v;
  // phi_1 = (1 - exp(-s))/s and phi_2 = (1 - phi_1)/s, which stand for no drag as well.
  const double phi_1 = s > 0.0 ? -std::expm1(-s) / s : 1.0;
  const double phi_2 = s > 1e-3 ? (1.0 - phi_1) / s : 0.5 - s * (1.0 - s / 4.0) / 6.0;
  v += phi_1 * (push - s * v);
  const double way = kick * (before * phi_1 + push * phi_2);
  return force * way - 0.5 * (v - before) * (v + before) / inverse_mass;
}

double Verlet::advance(std::size_t node, double kick, double drift) {
  Body& body = bodies_[node];
  GrainForces::Motion& motion = grains_.motions[node];
  GrainForces::Place& place = grains_.places[node];
  GrainForces::Load& load = grains_.loads[node];
  if (body.drag > 0.0) {
    for (int i = 0; i < 3; ++i) {
      body.drag_loss +=
          slow(body.drag, body.inverse_mass[i], load.force[i], kick, motion.v[i]) +
          slow(body.spin_drag, body.inverse_inertia[i], load.torque[i], kick, motion.w[i]);
      body.turn[i] += drift * motion.w[i];
    }
  } else {
    for (int i = 0; i < 3; ++i) {
      motion.v[i] += kick * body.inverse_mass[i] * load.force[i];
      motion.w[i] += kick * body.inverse_inertia[i] * load.torque[i];
      body.turn[i] += drift * motion.w[i];
    }
  }
  load = body.outside;
  place.x += drift * motion.v[0];
  place.y += drift * motion.v[1];
  place.z += drift * motion.v[2];
  return grains_.moved_square(node);
}

/// All substeps of a step, by one of the crew.
void Verlet::move(int thread) {
  const int substeps = substeps_;
  const double dt = dt_;
  for (int k = 0; k <= substeps; ++k) {
    const double drawn = k == 0 ? 0.0 : dt;
    if (thread == 0) evaluate_own(drawn);
    if (crew_.count() == 1) {
      grains_.evaluate_and_add(drawn);
    } else {
      const Crew::Part pairs = crew_.part(thread, grains_.pairs());
      grains_.evaluate(pairs.begin, pairs.end, drawn);
      crew_.meet();
    }
    const Crew::Part nodes = crew_.part(thread, bodies_.size() - 1);
    const double kick = k == 0 || k == substeps ? 0.5 * dt : dt;
    double moved = 0.0;
    for (std::size_t n = nodes.begin + 1; n <= nodes.end; ++n) {
      if (crew_.count() > 1) grains_.gather(n, grains_.loads[n]);
      const double square = advance(n, kick, k < substeps ? dt : 0.0);
      if (!(square <= moved)) moved = square;
    }
    moved_[static_cast<std::size_t>(thread)] = moved;
    crew_.meet();
    double furthest = 0.0;
    for (const double each : moved_) {
      if (!(each <= furthest)) furthest = each;
    }
    const double span = 1e3 * (w_.span + w_.machine.length());
    if (!(furthest <= span * span)) {
      if (thread == 0) is_lost_ = true;
      return;  // all of them
    }
    if (k == substeps || furthest <= grains_.allowed_square()) continue;
    if (thread == 0) grains_.search(totals_);
    crew_.meet();
  }
}

void Verlet::find_contacts(State& state) {
  if (state.contacts.size() < own_.size()) state.contacts.resize(own_.size());
  for (std::size_t c = 0; c < own_.size(); ++c) {
    state.contacts[c].size_rows(w_.machine.own_contacts()[c].rows());
  }
  load(state);
  find_loads(state, state.time);
  evaluate_own(0.0);
  grains_.evaluate_and_add(0.0);
  write_contacts(state, 0.0);
}

bool Verlet::start(State& state) {
  find_contacts(state);
  for (std::size_t n = 1; n < bodies_.size(); ++n) {
    const Body& body = bodies_[n];
    const GrainForces::Load& load = grains_.loads[n];
    Vec3 a, turning;
    for (int i = 0; i < 3; ++i) {
      a[i] = body.inverse_mass[i] * load.force[i];
      turning[i] = body.inverse_inertia[i] * load.torque[i];
    }
    Vec6 all;
    all << a, state.q[n].R.transpose() * turning;
    set_node(state.acceleration, static_cast<Eigen::Index>(n), all);
  }
  state.algorithmic_acceleration = state.acceleration;
  return true;
}

bool Verlet::step(State& state, double h) {
  const Stopwatch stopwatch(times_.smooth);
  const double t = state.time;
  w_.counts = {};
  w_.h = h;
  w_.span = 0.0;
  for (const NodeState& node : state.q) w_.span = std::max(w_.span, node.x.norm());
  is_lost_ = false;
  load(state);
  find_loads(state, t + 0.5 * h);
  substeps_ = substeps_of(h);
  dt_ = h / substeps_;
  crew_.run(job_);
  if (is_lost_) {
    w_.failure = "bodies left the range of numbers: the substeps are too long for their contacts";
    return false;
  }
  write_motion(state);
  write_contacts(state, h);
  state.time = t + h;
  w_.set_time(state, state.time);
  return true;
}

void Verlet::write_motion(State& state) {
  place_bodies(state);
  for (std::size_t n = 1; n < bodies_.size(); ++n) {
    Vec6 force, way;
    force << vec(bodies_[n].outside.force), vec(bodies_[n].outside.torque);
    way << w_.q[n].x - state.q[n].x, vec(bodies_[n].turn);
    state.sums.ledger.load_work += work_of_loads(n, force, way);
    const auto index = static_cast<Eigen::Index>(n);
    const Vec3 spin = w_.q[n].R.transpose() * vec(grains_.motions[n].w);
    Vec6 v;
    v << vec(grains_.motions[n].v), spin;
    set_node(state.acceleration, index, (v - of_node(state.v, index)) / w_.h);
    set_node(state.v, index, v);
  }
  state.algorithmic_acceleration = state.acceleration;
  std::swap(state.q, w_.q);
}

void Verlet::write_contacts(State& state, double h) {
  grains_.write(state, h, totals_);
  write_own(state);
  EnergyLedger& ledger = state.sums.ledger;
  ledger.impact_loss += totals_.normal_loss;
  ledger.friction_loss += totals_.friction_loss;
  if (!w_.machine.immersions().empty()) {
    for (const Body& body : bodies_) ledger.drag_loss += body.drag_loss;
  }
  for (const Own& own : own_) {
    ledger.impact_loss += own.normal_loss;
    ledger.friction_loss += own.friction_loss;
  }
  for (std::size_t g = 0; g < totals_.impulses.size() && g < state.sums.group_impulses.size();
       ++g) {
    state.sums.group_impulses[g] += totals_.impulses[g];
  }
}

void Verlet::write_own(State& state) const {
  for (std::size_t c = 0; c < own_.size(); ++c) {
    const Own& own = own_[c];
    const Contact& contact = w_.machine.own_contacts()[c];
    ContactState& of = state.contacts[c];
    const int rows = contact.rows();
    of.size_rows(rows);
    of.status = !own.is_closed           ? ContactStatus::open
                : rows > 1 && !own.slips ? ContactStatus::stick
                                         : ContactStatus::slip;
    of.block_status.fill(of.status);
    of.persistent = own.was_closed && own.is_closed;
    of.gap = own.gap;
    of.armed = true;
    of.force.setZero();
    of.impulse.setZero();
    of.work.setZero();
    of.shear.setZero();
    of.elastic = 0.0;
    of.has_rate = own.is_closed;
    const CompliantLaw& law = *contact.compliance();
    const ContactFrame frame = own.is_closed ? own.frame : contact.frame(state.q, of.tangent);
    for (int i = 0; i < rows; ++i) {
      const Vec3& along = i == 0 ? frame.normal : frame.tangents[static_cast<std::size_t>(i - 1)];
      of.impulse[i] = along.dot(own.impulse);
      if (!own.is_closed) continue;
      of.force[i] = along.dot(own.force);
      of.rate[i] = along.dot(own.rate);
      if (rows > 1) of.shear[i] = own.xi[i];  // in space
    }
    of.tangent = frame.tangents[0];
    if (own.is_closed) {
      of.elastic = 0.5 * law.normal_pair().stiffness * own.gap * own.gap +
                   0.5 * law.tangential_pair().stiffness * own.xi.squaredNorm();
    }
  }
}

}  // namespace clatter
