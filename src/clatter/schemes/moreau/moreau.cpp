#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <clatter/contact/search/first_meeting.hpp>
#include <clatter/math/stopwatch.hpp>
#include <clatter/schemes/contact_stage_solve.hpp>
#include <clatter/schemes/moreau/moreau.hpp>

namespace clatter {
namespace {

/// Of a step in which solids meet that were not seen to.
constexpr int most_trials = 8;

}  // namespace

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
  turn_at_mean_velocity();

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

void MoreauStep::turn_at_mean_velocity() {
  const double theta = w_.spec.theta;
  for (std::size_t n = 1; n < w_.machine.nodes().size(); ++n) {
    const Node& node = w_.machine.nodes()[n];
    if (!node.rotates_in_space) continue;
    const auto index = static_cast<Eigen::Index>(n);
    const Vec3 change = of_node(V_, index).tail<3>();
    of_node(w_.f, index).tail<3>() += theta * (1.0 - theta) * turning(node, change);
  }
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
  Mat6 block = Mat6::Zero();
  for (std::size_t n = 1; n < w_.machine.nodes().size(); ++n) {
    const Node& node = w_.machine.nodes()[n];
    if (!node.rotates_in_space || !K.has_node(n)) continue;
    const auto index = static_cast<int>(n);
    const Vec3 change = of_node(V_, index).tail<3>();
    block.bottomRightCorner<3, 3>() =
        (w_.spec.theta - 1.0) * weight * turning_derivative(node, change);
    K.add_node(index, block);
  }
  w_.joints.add_tangents(K);
}

Moreau::Moreau(const Machine& machine, const IntegratorSpec& spec)
    : Scheme(machine, spec),
      start_(machine),
      end_(machine),
      step_(w_, start_),
      position_(w_, end_),
      stage_(w_),
      way_(start_.v) {}

SchemeTimes Moreau::times() const {
  SchemeTimes times = Scheme::times();
  stage_.add_costs(times.linear_algebra, times.factorisations, times.solves);
  return times;
}

bool Moreau::try_step(double t, double h) {
  held_.assign(w_.contacts.count(), 0);
  for (int trial = 1;; ++trial) {
    if (!jump(t, h) || !separate_solids()) return false;
    if (trial == most_trials || !finds_more_to_hold()) break;
  }
  if (!w_.contacts.far_ones_stay_open(*w_.state, w_.q, w_.total, w_.failure)) return false;
  if (loses_what_is_inside() || loses_joints()) return false;
  w_.vd = step_.change() / h;
  w_.joint_forces.setZero();  // the impulses are all of what joints do
  w_.joints.evaluate(w_.q);
  w_.contacts.evaluate_rows(*w_.state, w_.q);
  accept(w_.vd);
  return true;
}

bool Moreau::jump(double t, double h) {
  const Stopwatch stopwatch(times_.velocity);
  w_.begin(*w_.state, h);
  step_.begin();
  w_.set_time(*w_.state, t);
  step_.evaluate_start();
  w_.set_time(*w_.state, t + h);
  evaluate_middle();
  start_.v = w_.state->v;
  return stage_.jump_together(step_, w_.state->solver.velocity);
}

/// Whether something has gone through the wall around it, farther than it is large. Nothing would
/// bring it back.
bool Moreau::loses_what_is_inside() {
  w_.contacts.place(*w_.state, w_.q);
  for (const std::size_t c : w_.contacts.near()) {
    const Contact& contact = w_.contacts.contact(c);
    if (is_of_solids(contact) || contact.is_placeless() || contact.has_chord()) continue;
    if (!contact.geometry().inside || contact.b() == ground) continue;
    const double gap = w_.contacts.work[c].gap, size = w_.contacts.work[c].frame.arm_b.norm();
    if (!(gap < -2.0 * size)) continue;
    w_.failure = fmt::format(
        "contact '{}' was lost: it is {:.3g} m beyond the wall, for moreau holds no positions; "
        "take "
        "nsga",
        contact.name(), -gap);
    return true;
  }
  return false;
}

/// Whether joints are as far apart as no drift of short steps brings them. A motor that jumps does.
bool Moreau::loses_joints() {
  constexpr double far = 0.05;
  find_joint_errors(w_.q);
  if (!(joint_error() > far)) return false;
  const Joint& joint = w_.joints.joint(worst_joint());
  w_.failure = fmt::format(
      "joint '{}' was lost: it is off by {:.3g} of the size of the model, for moreau holds no "
      "positions and cannot follow motors that jump; take nsga",
      joint.name(), joint_error());
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
    work.closed = work.gap <= touching && contact.over_face(w_.q);
    if (is_of_solids(contact)) look_at_solids(c, touching);
    work.rate_at_start = w_.contacts.rates(c, state.v);
    work.rate_before = work.rate_at_start;
    if (!work.held_off) continue;
    const double theta = w_.spec.theta, rate = work.rate_at_start[0];
    const double to_touch =
        -(std::max(0.0, work.gap_at_start) / w_.h + (1.0 - theta) * rate) / theta;
    work.approach = std::min(rate, to_touch);
  }
}

// ---- Solids

void Moreau::look_at_solids(std::size_t c, double touching) {
  const State& state = *w_.state;
  const Contact& contact = w_.contacts.contact(c);
  ContactWork& work = w_.contacts.work[c];
  if (place_.size() != state.q.size()) place_ = state.q;
  double length = 0.0, size = std::numeric_limits<double>::infinity();
  Vec3 apart = Vec3::Zero();
  const std::array<int, 4> nodes = contact.nodes();
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const int node = nodes[k];
    const double sign = k % 2 == 0 ? -1.0 : 1.0;
    if (node == ground) continue;
    const double extent = w_.machine.extent(static_cast<std::size_t>(node));
    Vec6 way = w_.h * of_node(state.v, node);
    way.head<3>() += 0.5 * w_.h * w_.h *
                     w_.machine.gravity().cwiseProduct(
                         w_.machine.nodes()[static_cast<std::size_t>(node)].translations());
    set_node(way_, node, way);
    if (k < 2) {
      apart += sign * way.head<3>();
    } else {  // how far the other end of a chord goes beside it
      length += (way.head<3>() - of_node(way_, nodes[k - 2]).head<3>()).norm();
    }
    length += extent * way.tail<3>().norm();
    size = std::min(size, extent);
  }
  length += apart.norm();
  const double meeting = meeting_of(contact, length, touching);
  if (!contact.has_face()) {
    // Where round bodies are deep in each other nothing tells any more from where they came.
    const double latest = meeting + 0.05 * size / length;
    if (latest < 0.5) {
      place_pair(contact, latest);
      w_.contacts.evaluate_rows_of(c, state, place_);
      const bool approaches = w_.contacts.normal_rate(c, state.v) < 0.0;
      work.closed = work.closed || approaches;
    }
  }
  if (!work.closed && (meeting <= 1.0 || held_[c] != 0)) work.closed = work.held_off = true;
}

void Moreau::place_pair(const Contact& contact, double part) {
  const std::vector<Node>& nodes = w_.machine.nodes();
  for (const int node : contact.nodes()) {
    if (node == ground) continue;
    const auto n = static_cast<std::size_t>(node);
    retract(nodes[n], w_.state->q[n], part * of_node(way_, node), place_[n]);
  }
}

double Moreau::meeting_of(const Contact& contact, double longest, double touching) {
  const auto gap_at = [&](double part) {
    place_pair(contact, part);
    return contact.gap(place_, w_.state->turns);
  };
  if (contact.has_face()) return gap_at(1.0) <= touching ? 1.0 : no_meeting;
  return first_meeting(gap_at, longest, std::max(touching, 1e-3 * longest));
}

bool Moreau::separate_solids() {
  is_separated_ = false;
  // Well above round-off, which no correction would mend, and well below what counts as overlap.
  const double overlap = 500.0 * round_off * w_.span;
  bool any = false;
  w_.contacts.place(*w_.state, w_.q);
  for (const std::size_t c : w_.contacts.near()) {
    ContactWork& work = w_.contacts.work[c];
    work.candidate = is_of_solids(w_.contacts.contact(c));
    any = any || (work.candidate && work.gap < -overlap);
  }
  if (!any) return true;
  const Stopwatch stopwatch(times_.position);
  end_.increment = w_.total;
  end_.v = w_.v;
  w_.smooth_numbers = w_.machine.forces(w_.q, w_.v, w_.instant, end_.f).numbers;
  joint_rates_ = w_.joints.residual;
  w_.joint_forces.setZero();
  w_.joints.evaluate(w_.q);
  position_.begin();
  press_together();
  if (!stage_.solve(position_, w_.state->solver.position, w_.counts.position, "position")) {
    return false;
  }
  w_.joints.residual = joint_rates_;
  is_separated_ = true;
  return true;
}

/// Contacts that bear push bodies apart in the jump; where bodies still touch after it, the
/// correction begins with them pressed together as much, up to what weights do within a step, also
/// in a wedge. So it lifts none off what bears it: impacts that are slower than weights make them
/// would not have paid for that. What hits a body off one contact bears nothing of it there, yet
/// its weight would hold it there: so bodies are also drawn down, several times as far as any is to
/// be lifted, up to what gravity does in a step.
void Moreau::press_together() {
  const double touching = w_.spec.tolerance * w_.span;
  constexpr double in_wedge = 10.0;
  const double gravity = w_.machine.gravity().norm();
  const double weight = w_.machine.total_mass() * gravity;
  w_.contacts.evaluate_rows(*w_.state, w_.q);
  deepest_.assign(static_cast<std::size_t>(w_.islands.count()), 0.0);
  const auto depth = [&](const Contact& contact) -> double& {
    return deepest_[static_cast<std::size_t>(w_.islands.of_pair(contact.a(), contact.b()))];
  };
  for (const std::size_t c : w_.contacts.near()) {
    const ContactWork& work = w_.contacts.work[c];
    double& deepest = depth(w_.contacts.contact(c));
    if (work.candidate) deepest = std::max(deepest, -work.gap);
  }
  is_drawn_.assign(w_.machine.nodes().size(), 0);
  for (const std::size_t c : w_.contacts.near()) {
    const ContactWork& work = w_.contacts.work[c];
    if (!work.candidate || work.gap > touching) continue;
    RowVector push = RowVector::Zero(work.impulse.size());
    push[0] = -w_.h * std::min(work.impulse[0], in_wedge * w_.h * weight);
    w_.contacts.add_reaction(c, push, position_.load());
    if (!(work.impulse[0] > 0.0) || gravity == 0.0) continue;
    const Contact& contact = w_.contacts.contact(c);
    const double way = std::min(w_.h * w_.h, in_wedge * depth(contact) / gravity);
    for (const int node : contact.nodes()) {
      const auto n = static_cast<std::size_t>(node);
      if (node == ground || is_drawn_[n] != 0) continue;
      is_drawn_[n] = 1;
      of_node(position_.load(), node).head<3>() +=
          way * w_.machine.nodes()[n].mass * w_.machine.gravity();
    }
  }
}

bool Moreau::finds_more_to_hold() {
  if (!is_separated_) return false;
  bool any = false;
  for (const std::size_t c : w_.contacts.near()) {
    const ContactWork& work = w_.contacts.work[c];
    if (!work.candidate || work.closed || work.equations.status == ContactStatus::open) continue;
    if (!(position_.contact_multipliers()[w_.contacts.contact(c).first_row] > 0.0)) continue;
    any = any || held_[c] == 0;
    held_[c] = 1;
  }
  return any;
}

}  // namespace clatter
