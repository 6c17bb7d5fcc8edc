#include <clatter/math/stopwatch.hpp>
#include <clatter/schemes/contact_stage_solve.hpp>
#include <clatter/schemes/moreau/moreau.hpp>

namespace clatter {

MoreauStep::MoreauStep(StepWork& work, const SmoothEnd& start)
    : VelocityJump(work, start), f_start_(V_) {}

void MoreauStep::evaluate_start() {
  w_.machine.forces(w_.state->q, w_.state->v, w_.instant, f_start_);
}

Residual MoreauStep::evaluate() {
  const Machine& machine = w_.machine;
  const double h = w_.h, theta = w_.spec.theta;
  apply();
  w_.total = h * ((1.0 - theta) * smooth_.v + theta * w_.v);
  retract(machine.nodes(), w_.state->q, w_.total, w_.q);
  const ForceSizes sizes = machine.forces(w_.q, w_.v, w_.instant, w_.f);
  w_.f = (1.0 - theta) * f_start_ + theta * w_.f;

  w_.joints.evaluate_rates(w_.v, w_.instant);
  w_.contacts.evaluate_rates(w_.v);
  w_.contacts.evaluate_laws(*this, la_contact_);

  w_.joint_total = w_.joints.scale().cwiseProduct(w_.joint_impulses);
  w_.reaction.setZero();
  w_.joints.add_reactions(w_.joint_total, w_.reaction);
  w_.contacts.add_reactions(w_.reaction);
  balance();
  return w_.judge_islands([&](int i) {
    const ForceSizes own = w_.sizes_of(i, sizes);
    return measure(i, own.terms + own.numbers);
  });
}

void MoreauStep::assemble(KktMatrix& K) {
  assemble_without_contacts(K);
  w_.contacts.add_tangents(K);
}

void MoreauStep::assemble_free(KktMatrix& K) {
  assemble_without_contacts(K);
  w_.contacts.add_open(K);
}

void MoreauStep::assemble_without_contacts(KktMatrix& K) {
  const double weight = w_.spec.theta * w_.h;
  w_.find_tangents(w_.total);
  w_.add_tangents(K, w_.v, {1.0, weight, weight * weight});
  w_.joints.add_tangents(K);
}

Moreau::Moreau(const Machine& machine, const IntegratorSpec& spec)
    : Scheme(machine, spec), start_(machine), step_(w_, start_), stage_(w_) {}

SchemeTimes Moreau::times() const {
  SchemeTimes times = Scheme::times();
  stage_.add_costs(times.linear_algebra, times.factorisations, times.solves);
  return times;
}

bool Moreau::try_step(double t, double h) {
  const Stopwatch stopwatch(times_.velocity);
  w_.begin(*w_.state, h);
  step_.begin();
  w_.set_time(*w_.state, t);
  step_.evaluate_start();
  w_.set_time(*w_.state, t + h);
  evaluate_middle();
  start_.v = w_.state->v;
  if (!stage_.jump_together(step_, w_.state->solver.velocity)) return false;
  if (!w_.contacts.far_ones_stay_open(*w_.state, w_.q, w_.total, w_.failure)) return false;
  w_.vd = step_.change() / h;
  w_.joint_forces.setZero();  // the impulses are all of what joints do
  w_.joints.evaluate(w_.q);
  w_.contacts.evaluate_rows(*w_.state, w_.q);
  accept(w_.vd);
  return true;
}

/// Rows at the middle of the step, and which contacts touch there.
void Moreau::evaluate_middle() {
  const State& state = *w_.state;
  w_.total = 0.5 * w_.h * state.v;
  retract(w_.machine.nodes(), state.q, w_.total, w_.q);
  w_.joints.evaluate(w_.q);
  w_.contacts.evaluate_rows(state, w_.q);
  // What a resting contact may have come away: velocities are solved to this part of themselves,
  // and nothing holds positions.
  const double touching = w_.spec.tolerance * w_.span;
  for (const std::size_t c : w_.contacts.near()) {
    const Contact& contact = w_.contacts.contact(c);
    ContactWork& work = w_.contacts.work[c];
    work.closed = contact.gap(w_.q) <= touching && contact.over_face(w_.q);
    work.rate_at_start = work.G * of_pair(state.v, contact.a(), contact.b());
    work.rate_before = work.rate_at_start;
  }
}

}  // namespace clatter
