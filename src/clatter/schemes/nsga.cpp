#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/schemes/nsga.hpp>
#include <clatter/schemes/projections.hpp>
#include <clatter/schemes/smooth_motion.hpp>
#include <clatter/schemes/stopwatch.hpp>

namespace clatter {

Nsga::Nsga(System& system, const IntegratorSpec& spec)
    : Integrator(system, spec), c_(spec.rho_inf) {}

bool Nsga::try_step(double t, double h) {
  counts_ = {};
  system_.set_time(t + h, spec_.step / 16.0);  // also in substeps: differences need a width
  begin_step(h);
  predict();
  if (!move_smoothly() || !correct_positions() || !jump()) return false;
  a_n_ = a_ = (c_.af * vd_n_ - c_.am * a_n_ + (1.0 - c_.af) * vd_) / (1.0 - c_.am);
  accept();
  return true;
}

bool Nsga::move_smoothly() {
  const Stopwatch stopwatch(smooth_time);
  SmoothMotion smooth{*this, rhs_smooth_};
  if (!solve(smooth, smooth_K_, eps_smooth_, counts_.smooth, "smooth motion")) return false;
  choose_candidates();
  return true;
}

bool Nsga::correct_positions() {
  const Stopwatch stopwatch(position_time);
  PositionCorrection position{*this, rhs_contact_};
  if (!solve_contacts(position, eps_position_, counts_.position, "position")) return false;
  if (!far_contacts_stay_open()) return false;
  close_contacts();
  return true;
}

bool Nsga::jump() {
  const Stopwatch stopwatch(velocity_time);
  evaluate_contact_rows(q_);
  follow_normals();
  VelocityJump velocity{*this, rhs_contact_};
  return spec_.multi_impact ? jump_in_sequence(velocity) : jump_together(velocity);
}

/// First guess: the smooth acceleration stays as it was. 001 (4)
void Nsga::predict() {
  vd_ = vd_n_;
  a_ = (c_.af * vd_n_ - c_.am * a_n_ + (1.0 - c_.af) * vd_) / (1.0 - c_.am);
  delta_ = h_ * v_n_ + h_ * h_ * ((0.5 - c_.beta) * a_n_ + c_.beta * a_);
  vs_ = v_n_ + h_ * ((1.0 - c_.gamma) * a_n_ + c_.gamma * a_);
}

void Nsga::choose_candidates() {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const Contact& contact = system_.contacts()[c];
    ContactWork& work = contact_work_[c];
    work.candidate = work.near && armed_[c] != 0 && contact.over_face(q_);
    if (work.near) work.smooth_gap = contact.gap(q_);
  }
}

void Nsga::close_contacts() {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    ContactWork& work = contact_work_[c];
    work.closed = work.equations.status != ContactStatus::open;
    work.stuck = work.equations.status == ContactStatus::stick;
    if (work.closed) {
      contact_states_[c].push = work.scale.cwiseProduct(work.equations.phi);
    } else {
      contact_states_[c].push.setZero();
    }
  }
}

/// Between spheres the normal turns within the step of an impact, mostly so that they approach more
/// slowly along it. Restitution of the faster approach at the start would create energy. Contacts
/// that persist keep the rate 0 of the start.
void Nsga::follow_normals() {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    ContactWork& work = contact_work_[c];
    const Contact& contact = system_.contacts()[c];
    if (!work.closed || contact.has_face() || !(work.rate_before[0] < 0.0)) continue;
    const double turned = work.G.row(0).dot(of_pair(v_n_, contact.a(), contact.b()));
    work.rate_at_start[0] = work.rate_before[0] = std::clamp(turned, work.rate_before[0], 0.0);
  }
}

bool Nsga::jump_in_sequence(VelocityJump& velocity) {
  const double tolerance = spec_.impact_tolerance.value_or(slowest_impact());
  for (int impact = 0;; ++impact) {
    v_ = vs_ + W_;
    bool any = false;
    for (std::size_t c = 0; c < contact_work_.size(); ++c) {
      ContactWork& work = contact_work_[c];
      const Contact& contact = system_.contacts()[c];
      work.closing =
          work.closed && work.G.row(0).dot(of_pair(v_, contact.a(), contact.b())) < -tolerance;
      any = any || work.closing;
    }
    // Joints are to be met also when nothing hits.
    if (!any && (impact > 0 || system_.joint_rows() == 0) && !(impact == 0 && has_moved_)) {
      return true;
    }
    if (impact == spec_.max_impacts) {
      failure_ = fmt::format(
          "the sequence of impacts did not end after {} of them; see integrator.max_impacts and "
          "impact_tolerance (here {:.3g} m/s)",
          spec_.max_impacts, tolerance);
      return false;
    }
    la_contact_.setZero();
    int updates = 0;
    if (!solve_contacts(velocity, eps_velocity_, updates, "velocity")) return false;
    counts_.velocity = std::max(counts_.velocity, updates);
    if (!any) return true;
    ++counts_.impacts;
    if (!velocity.add_impulses()) return true;
  }
}

/// Between the speed that the forces give a resting contact within a step, which must count, and
/// what the solver leaves, which must not.
double Nsga::slowest_impact() const {
  double acceleration = 0.0, speed = 0.0;
  for (Eigen::Index n = 1; n < vs_.size() / 6; ++n) {
    acceleration = std::max(acceleration, of_node(vd_, n).head<3>().norm());
    speed = std::max(speed, of_node(vs_, n).head<3>().norm());
  }
  return std::max(1e-3 * h_ * acceleration, 1e-9 * speed);
}

}  // namespace clatter
