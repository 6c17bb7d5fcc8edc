#include <clatter/schemes/moreau.hpp>
#include <clatter/schemes/moreau_step.hpp>
#include <clatter/schemes/stopwatch.hpp>

namespace clatter {

Moreau::Moreau(System& system, const IntegratorSpec& spec)
    : Integrator(system, spec), f_start_(NodalVector::Zero(system.nodal_size())) {}

bool Moreau::try_step(double t, double h) {
  const Stopwatch stopwatch(velocity_time);
  counts_ = {};
  begin_step(h);
  system_.set_time(t, spec_.step / 16.0);
  system_.forces(q_n_, v_n_, f_start_);
  system_.set_time(t + h, spec_.step / 16.0);
  evaluate_middle();
  vs_ = v_n_;
  Step step(*this);
  if (!jump_together(step)) return false;
  if (!far_contacts_stay_open()) return false;
  vd_ = W_ / h;
  la_.setZero();  // the impulses are all of what joints do
  evaluate_joint_rows(q_);
  evaluate_contact_rows(q_);
  a_n_ = vd_;
  accept();
  return true;
}

/// Rows at the middle of the step, and which contacts touch there.
void Moreau::evaluate_middle() {
  total_ = 0.5 * h_ * v_n_;
  retract(system_.nodes(), q_n_, total_, q_);
  evaluate_joint_rows(q_);
  evaluate_contact_rows(q_);
  const double touching = 1e-12 * system_.length();  // what round-off makes of rest
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const Contact& contact = system_.contacts()[c];
    ContactWork& work = contact_work_[c];
    if (!work.near) continue;
    work.closed = armed_[c] != 0 && contact.gap(q_) <= touching && contact.over_face(q_);
    work.rate_at_start = work.G * of_pair(v_n_, contact.a(), contact.b());
    work.rate_before = work.rate_at_start;
  }
}

}  // namespace clatter
