#include <algorithm>
#include <cmath>
#include <utility>

#include <clatter/schemes/newton.hpp>
#include <clatter/schemes/scheme.hpp>

namespace clatter {
namespace {

/// Of a step that missed contacts.
constexpr int most_repeats = 10;

}  // namespace

Scheme::Scheme(const Machine& machine, const IntegratorSpec& spec)
    : w_(machine, spec),
      smooth_K_(machine, w_.contacts.compliant_scope()),
      smooth_rhs_(VecX::Zero(smooth_K_.size())) {}

SchemeTimes Scheme::times() const {
  SchemeTimes times = times_;
  times.linear_algebra += smooth_K_.matrix().time;
  times.factorisations += smooth_K_.matrix().factorisations;
  times.solves += smooth_K_.matrix().solves;
  return times;
}

bool Scheme::visit_contact_problems(std::function<void(const ContactProblem&)> visit) {
  w_.contacts.on_problem = std::move(visit);
  return true;
}

double Scheme::work_of_loads(std::size_t node, const Vec6& force, const Vec6& way) const {
  const Machine& machine = w_.machine;
  double weighing = machine.nodes()[node].mass;
  if (!machine.immersions().empty()) weighing -= machine.immersions()[node].displaced;
  return force.dot(way) - weighing * machine.gravity().dot(way.head<3>());
}

void Scheme::list_contacts(State& state, double h) {
  const bool shown = w_.contacts.show(state);
  const bool found = w_.contacts.search(state, h);
  if (shown || found) {
    size_contacts();
    if (needs_smooth_matrix()) renew_smooth_matrix();
  }
  if (!found) return;
  state.solver.contact_pivots.reset();  // another matrix
  if (needs_smooth_matrix()) state.solver.smooth_pivots.reset();
}

void Scheme::renew_smooth_matrix() {
  KktMatrix other(w_.machine, w_.contacts.compliant_scope());
  other.matrix().count_on_from(smooth_K_.matrix());
  smooth_K_ = std::move(other);
}

void Scheme::find_contacts(State& state) {
  w_.contacts.reach_as_usual();
  list_contacts(state, 0.0);
}

bool Scheme::step(State& state, double h) {
  const double t = state.time;
  w_.contacts.reach_as_usual();
  if (sleep_through(state, h)) return true;
  list_contacts(state, h);
  w_.state = &state;
  smooth_K_.matrix().use_pivots(state.solver.smooth_pivots);
  begin_solving(state.solver);
  w_.is_repeat = false;
  bool done = try_step(t, h);
  w_.is_repeat = true;
  for (int repeat = 0; !done && repeat < most_repeats && w_.contacts.has_missed(); ++repeat) {
    list_contacts(state, h);
    begin_solving(state.solver);
    done = try_step(t, h);
  }
  if (!done) return false;
  state.time = t + h;
  state.solver.smooth_pivots = smooth_K_.matrix().pivots();
  end_solving(state.solver);
  return true;
}

bool Scheme::sleep_through(State& state, double h) {
  w_.contacts.begin_sleep(state);
  if (!w_.contacts.sleepers().all()) return false;
  if (w_.contacts.show_asleep(state)) size_contacts();
  w_.set_time(state, state.time + h);
  w_.counts = {};
  w_.contacts.sleepers().keep_forces(contacts(), h, state);
  state.time += h;
  return true;
}

bool Scheme::factorise_masses(State& state) {
  return factorise_or_regularise(smooth_K_, state.solver.smooth, [&] {
    w_.add_tangents(smooth_K_, state.v, {1.0, 0.0, 0.0});
    w_.joints.add_tangents(smooth_K_);
  });
}

void Scheme::renew_accelerations(State& state) {
  if (!has_joint_forces()) return;
  const auto is_pressed = [](const ContactState& c) { return c.status != ContactStatus::open; };
  const bool any = std::any_of(state.contacts.begin(), state.contacts.end(), is_pressed);
  if (any && separates_forces()) return;  // accelerations include what contacts do
  find_accelerations(state);
}

bool Scheme::find_accelerations(State& state) {
  w_.set_time(state, state.time);
  w_.begin(state, 0.0);
  w_.q = state.q;
  w_.forces(state.v, w_.f);
  // [M -G^T; -G 0] [vd; la] = [f; v.Hv - target''], scaled as everywhere.
  smooth_K_.matrix().use_pivots(state.solver.smooth_pivots);
  if (!factorise_masses(state)) {
    w_.failure = "the initial accelerations are not defined";
    return false;
  }
  smooth_K_.gather(w_.f, smooth_rhs_);
  Mat12 H;
  for (const Joint& joint : w_.machine.joints()) {
    const Vec12 pair = of_pair(state.v, joint.a(), joint.b());
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const auto row = joint.first_row + static_cast<Eigen::Index>(i);
      const JointRow& condition = joint.rows()[i];
      condition.row_derivative(state.q, H);
      double& right = smooth_rhs_[smooth_K_.joint_multiplier(static_cast<int>(row))];
      const double own =
          w_.joints.scale()[row] * (pair.dot(H * pair) - w_.target_acceleration(joint, condition));
      right = condition.begins ? own : right + own;
    }
  }
  smooth_K_.solve(smooth_rhs_);
  state.acceleration.setZero();
  smooth_K_.scatter(smooth_rhs_, 1.0, state.acceleration);
  state.algorithmic_acceleration = state.acceleration;
  state.solver.smooth_pivots = smooth_K_.matrix().pivots();
  state.joint_forces = w_.joints.scale().cwiseProduct(
      smooth_rhs_.segment(smooth_K_.joint_multiplier(0), w_.machine.joint_rows()));
  return true;
}

bool Scheme::start(State& state) {
  find_contacts(state);
  if (!find_accelerations(state)) return false;
  w_.compliant.end(state, state.q, state.v, 0.0);
  for (std::size_t c = 0; c < w_.contacts.count(); ++c) {
    const Contact& contact = w_.contacts.contact(c);
    ContactState& of = state.contacts[c];
    of.gap = contact.gap(state.q, state.turns);
    of.tangent = contact.frame(state.q, of.tangent).tangents[0];
    // Surfaces that give way may start pressed.
    of.armed = contact.compliance() != nullptr || of.gap >= -1e-10 * w_.machine.length();
    of.has_rate = false;
  }
  return true;
}

void Scheme::accept(const NodalVector& algorithmic_acceleration) {
  State& state = *w_.state;
  w_.contacts.sleepers().lay_down(w_.v);
  for (std::size_t n = 1; w_.contacts.sleepers().any() && n < w_.q.size(); ++n) {
    if (!w_.contacts.sleepers().is_still(static_cast<int>(n))) continue;
    w_.q[n] = state.q[n];
    of_node(w_.vd, static_cast<Eigen::Index>(n)) =
        of_node(state.acceleration, static_cast<Eigen::Index>(n));
  }
  state.algorithmic_acceleration = algorithmic_acceleration;
  state.acceleration = w_.vd;
  state.v = w_.v;
  std::swap(state.q, w_.q);
  state.joint_forces = w_.joint_forces;
  state.joint_impulses = w_.joints.scale().cwiseProduct(w_.joint_impulses);
  find_joint_errors(state.q);
  w_.contacts.accept(state, w_.total);
  w_.machine.count_turns(state.q, state.turns);
}

void Scheme::find_joint_errors(const Configuration& q) {
  const VecX& scale = w_.joints.scale();
  joint_error_ = joint_velocity_error_ = 0.0;
  double misfit = 0.0;
  for (std::size_t j = 0; j < w_.joints.count(); ++j) {
    const Joint& joint = w_.joints.joint(j);
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const auto row = joint.first_row + static_cast<Eigen::Index>(i);
      const JointRow& condition = joint.rows()[i];
      const double unit = condition.is_length() ? w_.machine.length() : 1.0;
      const double reached = w_.machine.turns_of_joint(j, w_.instant.turns);
      if (condition.begins) misfit = 0.0;
      misfit += joint.misfit(condition, w_.instant.drives[j], q, reached);
      if (!condition.ends) continue;
      if (std::abs(misfit) / unit > joint_error_) {
        joint_error_ = std::abs(misfit) / unit;
        worst_joint_ = j;
      }
      joint_velocity_error_ =
          std::max(joint_velocity_error_, std::abs(w_.joints.residual[row]) / scale[row] / unit);
    }
  }
}

}  // namespace clatter
