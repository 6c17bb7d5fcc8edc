#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <clatter/math/stopwatch.hpp>
#include <clatter/schemes/contact_stage_solve.hpp>
#include <clatter/schemes/nsga/nsga.hpp>

namespace clatter {

Nsga::Nsga(const Machine& machine, const IntegratorSpec& spec)
    : Scheme(machine, spec),
      smooth_(w_, GeneralizedAlpha(spec.rho_inf)),
      position_(w_, smooth_.end()),
      velocity_(w_, smooth_.end()),
      before_(NodalVector::Zero(machine.nodal_size())),
      stage_(w_),
      impacts_(w_) {}

SchemeTimes Nsga::times() const {
  SchemeTimes times = Scheme::times();
  stage_.add_costs(times.linear_algebra, times.factorisations, times.solves);
  return times;
}

bool Nsga::try_step(double t, double h) {
  w_.set_time(*w_.state, t + h);
  w_.begin(*w_.state, h);
  w_.far_turns.find(w_.state->v, h);
  smooth_.predict();
  if (w_.is_repeat && is_free(w_.machine)) {
    position_.go_on();
  } else {
    position_.begin();
  }
  velocity_.begin();
  if (!move_smoothly() || !correct_positions() || !jump()) return false;
  accept(smooth_.accelerations_after_jump());
  w_.contacts.sleepers().end(w_, smooth_.end(), *w_.state);
  return true;
}

bool Nsga::move_smoothly() {
  const Stopwatch stopwatch(times_.smooth);
  if (!solve_by_newton(smooth_, smooth_K_, smooth_rhs_, w_.state->solver.smooth, w_.counts.smooth,
                       w_, "smooth motion")) {
    return false;
  }
  choose_candidates();
  return true;
}

bool Nsga::correct_positions() {
  const Stopwatch stopwatch(times_.position);
  if (!stage_.solve(position_, w_.state->solver.position, w_.counts.position, "position")) {
    return false;
  }
  close_contacts();  // also what a step that missed contacts begins with when it is repeated
  return w_.contacts.far_ones_stay_open(*w_.state, w_.q, w_.total, w_.failure) &&
         w_.contacts.edges_stay_open(*w_.state, w_.q, w_.failure);
}

bool Nsga::jump() {
  const Stopwatch stopwatch(times_.velocity);
  w_.contacts.evaluate_rows(*w_.state, w_.q);
  follow_normals();
  velocity_.set_moved(position_.has_moved());
  if (w_.spec.multi_impact) return jump_in_sequence();
  const auto touches = [](const ContactWork& work) { return work.closed; };
  return impacts_.run(w_.state->v, touches, false) &&
         stage_.jump_together(velocity_, w_.state->solver.velocity);
}

void Nsga::choose_candidates() {
  w_.contacts.place(*w_.state, w_.q);
  for (const std::size_t c : w_.contacts.near()) {
    ContactWork& work = w_.contacts.work[c];
    work.candidate = w_.contacts.is_candidate(c, *w_.state, w_.q);
    work.smooth_gap = work.gap;
  }
}

void Nsga::close_contacts() {
  for (std::size_t c = 0; c < w_.contacts.count(); ++c) {
    if (w_.contacts.sleepers().holds(w_.contacts.contact(c))) continue;
    ContactWork& work = w_.contacts.work[c];
    RowVector& push = w_.state->contacts[c].push;
    work.closed = work.equations.status != ContactStatus::open;
    work.stuck = work.equations.status == ContactStatus::stick;
    if (work.closed) {
      push = work.scale.cwiseProduct(position_.contact_multipliers().segment(
          w_.contacts.contact(c).first_row, w_.contacts.contact(c).rows()));
    } else {
      push.setZero();
    }
  }
}

/// Between spheres the normal turns within the step of an impact, mostly so that they approach more
/// slowly along it. Restitution of the faster approach at the start would create energy. Contacts
/// that persist keep the rate 0 of the start.
void Nsga::follow_normals() {
  for (const std::size_t c : w_.contacts.near()) {
    ContactWork& work = w_.contacts.work[c];
    const Contact& contact = w_.contacts.contact(c);
    if (!work.closed || contact.has_face() || !(work.rate_before[0] < 0.0)) continue;
    const double turned = w_.contacts.normal_rate(c, w_.state->v);
    work.rate_at_start[0] = work.rate_before[0] = std::clamp(turned, work.rate_before[0], 0.0);
  }
}

bool Nsga::jump_in_sequence() {
  const double tolerance = w_.spec.impact_tolerance.value_or(slowest_impact());
  for (int impact = 0;; ++impact) {
    velocity_.apply();
    bool any = false;
    for (std::size_t c = 0; c < w_.contacts.count(); ++c) {
      ContactWork& work = w_.contacts.work[c];
      work.closing = work.closed && w_.contacts.normal_rate(c, w_.v) < -tolerance;
      any = any || work.closing;
      if (!work.closing) continue;
      work.bounce = 1.0;
      w_.contacts.find_restitution(c);
    }
    // Joints are to be met also when nothing hits.
    if (!any && (impact > 0 || w_.machine.joint_rows() == 0) &&
        !(impact == 0 && position_.has_moved())) {
      return true;
    }
    if (impact == w_.spec.max_impacts) {
      w_.failure = fmt::format(
          "the sequence of impacts did not end after {} of them; see integrator.max_impacts and "
          "impact_tolerance (here {:.3g} m/s)",
          w_.spec.max_impacts, tolerance);
      return false;
    }
    velocity_.contact_multipliers().setZero();
    before_ = w_.state->v + velocity_.correction();
    const auto closes = [](const ContactWork& work) { return work.closing; };
    if (!impacts_.run(before_, closes, true)) return false;
    const int most_updates = std::exchange(w_.counts.velocity, 0);
    if (!stage_.solve_jump(velocity_, w_.state->solver.velocity, before_)) return false;
    w_.counts.velocity = std::max(w_.counts.velocity, most_updates);
    if (!any) return true;
    ++w_.counts.impacts;
    if (!velocity_.add_impulses() && !impacts_.has_happened()) return true;
  }
}

/// Between the speed that the forces give a resting contact within a step, which must count, and
/// what the solver leaves, which must not.
double Nsga::slowest_impact() const {
  double acceleration = 0.0, speed = 0.0;
  const NodalVector& v = smooth_.end().v;
  for (Eigen::Index n = 1; n < v.size() / 6; ++n) {
    acceleration = std::max(acceleration, of_node(w_.vd, n).head<3>().norm());
    speed = std::max(speed, of_node(v, n).head<3>().norm());
  }
  return std::max(1e-3 * w_.h * acceleration, 1e-9 * speed);
}

}  // namespace clatter
