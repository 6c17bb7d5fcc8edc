#include <algorithm>

#include <clatter/math/stopwatch.hpp>
#include <clatter/schemes/contact_stage_solve.hpp>
#include <clatter/schemes/newmark/newmark.hpp>

namespace clatter {

Newmark::Newmark(const Machine& machine, const IntegratorSpec& spec,
                 const GeneralizedAlpha& coefficients)
    : Scheme(machine, spec),
      smooth_(w_, coefficients),
      position_(w_, smooth_.end()),
      velocity_(w_, smooth_.end()),
      stage_(w_) {}

SchemeTimes Newmark::times() const {
  SchemeTimes times = Scheme::times();
  stage_.add_costs(times.linear_algebra, times.factorisations, times.solves);
  return times;
}

bool Newmark::visit_contact_problems(std::function<void(const ContactProblem&)> /*visit*/) {
  return false;
}

bool Newmark::try_step(double t, double h) {
  w_.set_time(*w_.state, t + h);
  w_.begin(*w_.state, h);
  smooth_.predict();
  if (!move_smoothly() || !hold_joints()) return false;
  if (!w_.contacts.far_ones_stay_open(*w_.state, w_.q, w_.total, w_.failure)) return false;
  w_.compliant.end(*w_.state, w_.q, w_.v, h);
  accept(smooth_.algorithmic_acceleration());
  return true;
}

bool Newmark::move_smoothly() {
  const Stopwatch stopwatch(times_.smooth);
  if (!solve_by_newton(smooth_, smooth_K_, smooth_rhs_, w_.state->solver.smooth, w_.counts.smooth,
                       w_, "smooth motion") &&
      !ease_into_friction()) {
    return false;
  }
  w_.total = smooth_.end().increment;
  w_.v = smooth_.end().v;
  return true;
}

bool Newmark::ease_into_friction() {
  constexpr double easiest = 1024.0, part = 0.25;
  const auto has_friction = [](const Contact& contact) { return !contact.blocks().empty(); };
  const std::span<const Contact> all = w_.contacts.list();
  if (!w_.machine.is_compliant() || std::none_of(all.begin(), all.end(), has_friction))
    return false;
  w_.joint_forces = w_.state->joint_forces;
  smooth_.predict();
  bool done = true;
  for (double times = easiest; done && times >= 1.0; times *= part) {
    w_.compliant.ease_friction(times);
    int updates = 0;
    done = solve_by_newton(smooth_, smooth_K_, smooth_rhs_, w_.state->solver.smooth, updates, w_,
                           "smooth motion");
    w_.counts.smooth += updates;
  }
  w_.compliant.ease_friction(1.0);
  return done;
}

bool Newmark::hold_joints() {
  if (w_.machine.joint_rows() == 0) return true;
  position_.begin();
  velocity_.begin();
  {
    const Stopwatch stopwatch(times_.position);
    if (!stage_.solve(position_, w_.state->solver.position, w_.counts.position, "position")) {
      return false;
    }
  }
  const Stopwatch stopwatch(times_.velocity);
  velocity_.set_moved(position_.has_moved());
  return stage_.jump_together(velocity_, w_.state->solver.velocity);
}

}  // namespace clatter
