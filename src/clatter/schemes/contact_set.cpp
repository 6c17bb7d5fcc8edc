#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/schemes/contact_set.hpp>

namespace clatter {
namespace {

/// A point this far behind its face has gone through it [length of the model].
constexpr double behind = 1e-10;

/// Row 0 of Contact::rates.
Eigen::Matrix<double, 1, 12> normal_row(const ContactFrame& f, const Mat3& R_a, const Mat3& R_b) {
  Eigen::Matrix<double, 1, 12> row;
  row.segment<3>(0) = -f.normal.transpose();
  row.segment<3>(3).noalias() = -f.arm_a.cross(f.normal).transpose() * R_a;
  row.segment<3>(6) = f.normal.transpose();
  row.segment<3>(9).noalias() = f.arm_b.cross(f.normal).transpose() * R_b;
  return row;
}

}  // namespace

bool is_free(const Machine& machine) {
  // Ropes tie as joints do.
  return machine.joints().empty() && machine.force_element_count() == 0 &&
         machine.beams().empty() && !machine.has_wide_contacts();
}

ContactSet::ContactSet(const Machine& machine, const IntegratorSpec& spec)
    : machine_(machine),
      spec_(spec),
      list_(machine),
      sleepers_(machine, spec),
      mean_mass_(spec.characteristic_mass.value_or(machine.total_mass() /
                                                   std::max(1, machine.body_count()))),
      reach_(machine.nodes().size(), 0.0),
      moved_further_(reach_),
      island_(machine.nodes().size(), 0),
      hard_(machine.nodes().size(), 0),
      gains_(machine.nodes().size()) {
  connected_.reserve(machine.nodes().size());
  size_work();
}

void ContactSet::size_work() {
  residual.setZero(rows());
  near_.clear();
  near_.reserve(list().size());
  compliant_.clear();
  near_compliant_.clear();
  if (machine_.is_compliant()) {
    for (std::size_t c = 0; c < list().size(); ++c) compliant_.push_back(static_cast<int>(c));
    near_compliant_.reserve(list().size());
  }
  work.resize(list().size());
  for (std::size_t c = 0; c < work.size(); ++c) {
    const int rows = contact(c).rows();
    ContactWork& w = work[c];
    for (RowVector* x :
         {&w.scale, &w.ghat, &w.rate_at_start, &w.rate_before, &w.impulse, &w.done}) {
      x->setZero(rows);
    }
    w.G.setZero(rows, 12);
    w.start_rows = w.G;
  }
  if (!machine_.has_wide_contacts()) return;
  second.resize(list().size());
  for (std::size_t c = 0; c < second.size(); ++c) {
    second[c].G = second[c].start_rows = work[c].G;
  }
}

// ---- The list, and which of its contacts are near

void ContactSet::find_reach(const State& state, double h) {
  const double gravity = machine_.gravity().norm();
  const NodalVector &v = state.v, &a = state.algorithmic_acceleration;
  for (std::size_t n = 1; n < reach_.size(); ++n) {
    const auto index = static_cast<Eigen::Index>(n);
    const double extent = machine_.extent(n);
    const double speed =
        of_node(v, index).head<3>().norm() + extent * of_node(v, index).tail<3>().norm();
    const double acceleration =
        gravity + of_node(a, index).head<3>().norm() + extent * of_node(a, index).tail<3>().norm();
    reach_[n] = std::max(moved_further_[n], 2.0 * h * (speed + h * acceleration));
  }
}

bool ContactSet::show(const State& state) {
  if (!list_.show(state.search)) return false;
  size_work();
  return true;
}

const Configuration& ContactSet::predict(const State& state, double h) {
  next_ = state.q;
  if (h == 0.0) return next_;
  way_ = h * state.v;
  // That of Moreau's step contains the blows.
  if (spec_.kind != IntegratorKind::moreau) {
    way_ += 0.5 * h * h * state.algorithmic_acceleration;
  }
  sleepers_.lay_down(way_);
  retract(machine_.nodes(), state.q, way_, next_);
  return next_;
}

bool ContactSet::search(State& state, double h) {
  has_missed_ = false;  // what was missed is listed now: a step that fails has another reason
  sleepers_.begin(state);
  if (!machine_.finds_contacts()) return false;
  keys_before_ = state.search.keys;
  find_reach(state, h);
  if (!missed_.empty()) {
    list_.add(state.search, missed_);
    missed_.clear();
  } else {
    predict(state, h);
    if (!list_.update(state.search, state.q, next_, reach_, sleepers_.still())) return false;
  }
  state.solver.in_matrix.clear();
  states_before_.swap(state.contacts);
  const std::size_t own = list_.own();
  const std::vector<ContactKey>& keys = state.search.keys;
  state.contacts.assign(own + keys.size(), {});
  std::copy_n(states_before_.begin(), own, state.contacts.begin());
  std::size_t old = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) {  // both lists are sorted
    while (old < keys_before_.size() && keys_before_[old] < keys[k]) ++old;
    ContactState& of = state.contacts[own + k];
    if (old < keys_before_.size() && keys_before_[old] == keys[k]) {
      of = states_before_[own + old];
    } else {
      of.size_rows(contact(own + k).rows());
      if (machine_.has_solid_beams()) go_on(keys, k, of);
      of.gap = contact(own + k).gap(state.q, state.turns);
    }
  }
  size_work();
  return true;
}

/// What has come from one element of a beam to the next is no new contact.
void ContactSet::go_on(std::span<const ContactKey> keys, std::size_t k, ContactState& of) const {
  const std::size_t own = list_.own();
  for (std::size_t old = 0; old < keys_before_.size(); ++old) {
    const ContactState& before = states_before_[own + old];
    if (before.impulse.size() == of.impulse.size() &&
        machine_.goes_on(keys_before_[old], keys[k]) &&
        !std::binary_search(keys.begin(), keys.end(), keys_before_[old])) {
      of = before;
      return;
    }
  }
}

void ContactSet::find_near(State& state, double h) {
  find_reach(state, h);
  wake_who_is_near(state);
  near_.clear();
  near_compliant_.clear();
  std::vector<std::size_t>& near = machine_.is_compliant() ? near_compliant_ : near_;
  for (std::size_t c = 0; c < work.size(); ++c) {
    const ContactState& of = state.contacts[c];
    work[c].near =
        of.armed && (all_near_ || !(of.gap > reach_of(contact(c)))) && !sleepers_.holds(contact(c));
    work[c].is_placed = false;  // tangents may be others
    if (work[c].near) near.push_back(c);
  }
  choose_for_matrix(state);
}

void ContactSet::wake_who_is_near(const State& state) {
  for (bool is_done = !sleepers_.any(); !is_done;) {
    is_done = true;
    for (std::size_t c = 0; c < work.size(); ++c) {
      const ContactState& of = state.contacts[c];
      const bool is_near = of.armed && (all_near_ || !(of.gap > reach_of(contact(c))));
      if (!is_near || sleepers_.holds(contact(c))) continue;
      for (const int node : contact(c).nodes()) {
        if (!sleepers_.has(node)) continue;
        sleepers_.wake(node);
        is_done = false;
      }
    }
  }
}

bool ContactSet::show_asleep(const State& state) {
  const bool is_other = show(state);
  near_.clear();
  for (ContactWork& w : work) w.near = w.closed = false;
  return is_other;
}

/// A matrix of other contacts is another matrix, which has to be made and wants new pivots. So it
/// gets some contacts that may soon be near, and keeps those that were until they are too many.
void ContactSet::choose_for_matrix(State& state) {
  constexpr double soon = 8.0;  // in so many steps
  constexpr long steps_between_looks = 128;
  std::vector<int>& chosen = state.solver.in_matrix;
  if (machine_.is_compliant()) {
    if (chosen != compliant_) chosen = compliant_;
    return;
  }
  const bool all = work.size() <= few;
  if (all && chosen.size() == work.size()) return;
  std::size_t found = 0;
  for (const int c : chosen) found += work[static_cast<std::size_t>(c)].near ? 1 : 0;
  const bool suffices = !all && found == near_.size();
  if (suffices && state.steps % steps_between_looks != 0) return;
  wanted_.clear();
  for (std::size_t c = 0; c < work.size(); ++c) {
    const ContactState& of = state.contacts[c];
    const bool is_far = !of.armed || of.gap > soon * reach_of(contact(c));
    if (all || work[c].near || !is_far) wanted_.push_back(static_cast<int>(c));
  }
  if (suffices && chosen.size() <= 2 * wanted_.size() + few) return;
  if (chosen == wanted_) return;
  chosen = wanted_;
  state.solver.contact_pivots.reset();
}

bool ContactSet::far_ones_stay_open(const State& state, const Configuration& q,
                                    const NodalVector& moved, std::string& failure) {
  has_missed_ = false;
  if (!list_.holds_all_near(state.search, q, moved_further_)) {
    for (std::size_t n = 1; n < moved_further_.size(); ++n) {
      const auto by = of_node(moved, static_cast<Eigen::Index>(n));
      moved_further_[n] = 2.0 * (by.head<3>().norm() + machine_.extent(n) * by.tail<3>().norm());
    }
    has_missed_ = !all_near_;
    all_near_ = true;
    failure = "bodies went further than their speeds told";
    return false;
  }
  for (std::size_t c = 0; c < work.size(); ++c) {
    if (work[c].near || sleepers_.holds(contact(c))) continue;
    if (contact(c).gap(q, state.turns) >= 0.0) continue;
    if (!state.contacts[c].armed || !contact(c).over_face(q)) continue;
    has_missed_ = !all_near_;
    all_near_ = true;
    failure = fmt::format("contact '{}' closed from afar", contact(c).name());
    return false;
  }
  return solids_stay_apart(state, q, failure);
}

bool ContactSet::edges_stay_open(const State& state, const Configuration& q, std::string& failure) {
  for (const std::size_t c : near_) {
    if (work[c].candidate || !contact(c).has_outline() || !contact(c).over_face(q)) continue;
    if (contact(c).gap(q, state.turns) >= -behind * machine_.length()) continue;
    has_missed_ = true;
    closed_at_edge_.push_back(c);
    failure = fmt::format("contact '{}' closed at the edge of its face", contact(c).name());
  }
  return !has_missed_;
}

bool ContactSet::is_candidate(std::size_t c, const State& state, const Configuration& q) const {
  return contact(c).comes_through(state.q, q) ||
         std::find(closed_at_edge_.begin(), closed_at_edge_.end(), c) != closed_at_edge_.end();
}

bool ContactSet::solids_stay_apart(const State& state, const Configuration& q,
                                   std::string& failure) {
  const SolidSearch::Overlap overlap =
      list_.find_missed(state.search, state.q, q, sleepers_.still(), missed_);
  has_missed_ = !missed_.empty();
  // Solids that give way may overlap.
  const bool is_sound = overlap.depth == 0.0 || (machine_.is_compliant() && !overlap.on_way);
  if (!has_missed_ && is_sound) return true;
  failure = "bodies met elsewhere than it seemed";
  if (overlap.depth > 0.0) {
    const std::vector<Solid>& solids = machine_.solids();
    failure = fmt::format(
        "'{}' and '{}' {} {:.3g} m", solids[static_cast<std::size_t>(overlap.a)].name,
        solids[static_cast<std::size_t>(overlap.b)].name,
        overlap.on_way ? "went through each other, as deep as" : "overlap by", overlap.depth);
  }
  return false;
}

void ContactSet::reach_as_usual() {
  all_near_ = has_missed_ = false;
  closed_at_edge_.clear();
  missed_.clear();
  std::fill(moved_further_.begin(), moved_further_.end(), 0.0);
}

// ---- Rows, laws and reactions

void ContactSet::begin_step(State& state) {
  for (std::size_t c = 0; c < work.size(); ++c) {
    ContactWork& w = work[c];
    ContactState& of = state.contacts[c];
    w.candidate = w.closed = w.stuck = w.closing = w.held_off = w.parts = false;
    w.bounce = 1.0;
    w.status = w.equations.status = ContactStatus::open;
    w.block_status.fill(ContactStatus::open);
    w.impulse.setZero();
    w.done.setZero();
    w.hardest = w.met_at = 0.0;
    w.gap_at_start = of.gap;
    w.open_at_start = of.status == ContactStatus::open;
    if (!w.near) continue;
    w.start_rows = w.G;
    if (contact(c).has_chord()) second[c].start_rows = second[c].G;
    w.rate_at_start = rates(c, state.v);
    w.rate_before = w.rate_at_start;
    find_restitution(c);
    // A contact that stuck is held to where it began to stick, so that round-off does not add up.
    if (of.stuck) continue;
    for (int i = 1; i <= contact(c).slip_rows(); ++i) {
      of.anchor[i] = contact(c).slip_coordinate(i).value(state.q);
    }
  }
}

bool ContactSet::has_moved(const Contact& contact) const {
  const auto moved = [&](int node) { return has_moved_[static_cast<std::size_t>(node)] != 0; };
  return moved(contact.a()) || moved(contact.b()) ||
         (contact.has_chord() && (moved(contact.second_a()) || moved(contact.second_b())));
}

void ContactSet::place(const State& state, const Configuration& q) {
  placed_.resize(q.size());
  has_moved_.resize(q.size());
  const auto look_at = [&](std::size_t n) {
    has_moved_[n] = q[n].x == placed_[n].x && q[n].R == placed_[n].R ? 0 : 1;
  };
  const auto keep = [&](std::size_t n) {
    if (has_moved_[n] != 0) placed_[n] = q[n];
  };
  const auto for_nodes_of_contacts = [&](const auto& visit) {
    for (const std::vector<std::size_t>* near : {&near_, &near_compliant_}) {
      for (const std::size_t c : *near) {
        for (const int node : contact(c).nodes()) visit(static_cast<std::size_t>(node));
      }
    }
  };
  const bool few_of_all = 4 * (near_.size() + near_compliant_.size()) < q.size();
  if (few_of_all) {
    for_nodes_of_contacts(look_at);
    for_nodes_of_contacts(keep);
  } else {
    for (std::size_t n = 0; n < q.size(); ++n) look_at(n), keep(n);
  }
  for (const std::vector<std::size_t>* near : {&near_, &near_compliant_}) {
    for (const std::size_t c : *near) {
      ContactWork& w = work[c];
      if (w.is_placed && !has_moved(contact(c))) continue;
      w.gap = contact(c).place(q, state.turns, state.contacts[c].tangent, w.frame);
      w.is_placed = true;
      w.rows = ContactWork::Rows::none;
    }
  }
}

void ContactSet::evaluate_rows(const State& state, const Configuration& q) {
  place(state, q);
  for (const std::vector<std::size_t>* near : {&near_, &near_compliant_}) {
    for (const std::size_t c : *near) {
      ContactWork& w = work[c];
      if (w.rows == ContactWork::Rows::all) continue;
      find_rows(c, q, w.frame);
      w.rows = ContactWork::Rows::all;
    }
  }
}

void ContactSet::evaluate_rows_of(std::size_t c, const State& state, const Configuration& q) {
  find_rows(c, q, contact(c).frame(q, state.contacts[c].tangent));
  work[c].rows = ContactWork::Rows::none;
}

void ContactSet::find_rows(std::size_t c, const Configuration& q, const ContactFrame& frame) {
  if (contact(c).has_chord()) {
    contact(c).rates(q, frame, work[c].G, second[c].G);
  } else {
    contact(c).rates(q, frame, work[c].G);
  }
}

void ContactSet::evaluate_position_rows(const State& state, const Configuration& q) {
  place(state, q);
  for (const std::size_t c : near_) {
    ContactWork& w = work[c];
    const bool by_coordinates = contact(c).slides_by_coordinates();
    const int turning = contact(c).rows() - 1 - contact(c).slip_rows();
    const ContactWork::Rows wanted =
        by_coordinates && turning == 0 ? ContactWork::Rows::all : ContactWork::Rows::position;
    if (w.rows == wanted) continue;
    w.rows = wanted;
    if (by_coordinates) {
      find_rows(c, q, w.frame);
      w.G.bottomRows(turning) = w.start_rows.bottomRows(turning);
    } else if (contact(c).has_chord()) {
      find_rows(c, q, w.frame);
      const int slip = contact(c).rows() - 1;
      w.G.bottomRows(slip) = w.start_rows.bottomRows(slip);
      second[c].G.bottomRows(slip) = second[c].start_rows.bottomRows(slip);
    } else {
      w.G = w.start_rows;
      w.G.row(0) = normal_row(w.frame, q[static_cast<std::size_t>(contact(c).a())].R,
                              q[static_cast<std::size_t>(contact(c).b())].R);
    }
  }
}

void ContactSet::evaluate_rates(const NodalVector& v) {
  for (const std::size_t c : near_) {
    ContactWork& w = work[c];
    const RowVector rate = rates(c, v);
    const bool rebounds = contact(c).has_restitution() && !w.parts;
    for (int i = 0; i < contact(c).rows(); ++i) {
      const double e = rebounds ? restitution_of_row(c, i) : 0.0;
      w.ghat[i] = w.scale[i] * (rate[i] + e * w.rate_before[i]);
    }
    if (w.parts) w.ghat[0] = w.scale[0] * (rate[0] - w.parting);
    if (w.held_off) w.ghat[0] = w.scale[0] * (rate[0] - w.approach);
  }
}

void ContactSet::scale_rows(Scaling scaling, double penalty) {
  // Moreau's velocities carry bodies along: slip is none of its correction's business.
  const bool has_position_friction =
      spec_.position_friction && spec_.kind != IntegratorKind::moreau;
  for (const std::size_t c : near_) {
    ContactWork& w = work[c];
    const Contact& of = contact(c);
    const auto inverse_mass = [&](int row, bool is_velocity) {
      if (scaling == Scaling::characteristic_mass && is_velocity) return 1.0 / mean_mass_;
      double sum = machine_.delassus(w.G.row(row).transpose(), of.a(), of.b());
      if (of.has_chord()) {
        sum += machine_.delassus(second[c].G.row(row).transpose(), of.second_a(), of.second_b());
      }
      return sum;
    };
    const int first = of.is_pressed() ? 1 : 0;  // row 0 of what is pressed moves nothing
    const double of_normal = inverse_mass(first, true);
    w.scale[0] = of_normal > 0.0 ? 1.0 / std::sqrt(of_normal) : 1.0;
    w.law.penalty = penalty;
    w.law.is_pressed = of.is_pressed();
    w.law.ball_count = static_cast<int>(of.blocks().size());
    for (std::size_t k = 0; k < of.blocks().size(); ++k) {
      const FrictionBlock& block = of.blocks()[k];
      // One scale for all directions of a block keeps its ball round.
      double sum = 0.0;
      for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
        sum += inverse_mass(i, block.kind == FrictionKind::sliding);
      }
      // What cannot move along the rows needs no reaction there.
      const double scale = sum > 0.0 ? std::sqrt(block.rows / sum) : 0.0;
      w.scale.segment(block.first_row, block.rows).setConstant(scale);
      // An ellipse is a ball, too, in rows that are scaled by its axes.
      if (block.across != 1.0) w.scale[block.first_row + 1] *= block.across;
      w.law.balls[k] = {block.first_row, block.rows, 0.0};
    }
    set_coefficients(c);
    w.position_law = w.law;
    if (of.is_pressed()) scale_pressing(w);
    for (std::size_t k = 0; k < of.blocks().size(); ++k) {
      const bool rolls = of.blocks()[k].kind != FrictionKind::sliding;
      const bool resists = has_position_friction && (spec_.position_rolling || !rolls);
      if (!resists) w.position_law.balls[k].coefficient = 0.0;
    }
  }
}

void ContactSet::set_coefficients(std::size_t c) {
  ContactWork& w = work[c];
  for (std::size_t k = 0; k < static_cast<std::size_t>(w.law.ball_count); ++k) {
    FrictionBall& ball = w.law.balls[k];
    const double scale = w.scale[ball.first_row];
    ball.coefficient = scale > 0.0 ? w.coefficient[k] * w.scale[0] / scale : 0.0;
  }
}

void ContactSet::let_positions_slide() {
  for (const std::size_t c : near_) {
    for (FrictionBall& ball : work[c].position_law.balls) ball.coefficient = 0.0;
  }
}

void ContactSet::add_reaction(std::size_t c, const RowVector& p, NodalVector& reaction) const {
  const Contact& of = contact(c);
  add_forces_of(work[c].G, p, of.a(), of.b(), reaction);
  if (!of.has_chord()) return;
  add_forces_of(second[c].G, p, of.second_a(), of.second_b(), reaction);
}

void ContactSet::add_reactions(NodalVector& reaction) const {
  for (const std::size_t c : near_) {
    const ContactWork& w = work[c];
    if (w.equations.status == ContactStatus::open) continue;
    RowVector p(w.scale.size());
    for (Eigen::Index i = 0; i < p.size(); ++i) p[i] = w.scale[i] * w.equations.phi[i];
    add_reaction(c, p, reaction);
  }
}

// ---- Results

RowVector ContactSet::slip_of(std::size_t c, const State& state, const NodalVector& moved) const {
  const Contact& of = contact(c);
  RowVector slip = RowVector::Zero(of.rows());
  const FrictionBlock* sliding = of.block(FrictionKind::sliding);
  if (sliding == nullptr) return slip;
  const ContactWork& w = work[c];
  RowVector all = rates_of(w.start_rows, moved, of.a(), of.b());
  if (of.has_chord()) {
    all += rates_of(second[c].start_rows, moved, of.second_a(), of.second_b());
  }
  for (int i = sliding->first_row; i < sliding->first_row + sliding->rows; ++i) {
    slip[i] = i > of.slip_rows()
                  ? all[i]
                  : of.slip_coordinate(i).value(state.q) - state.contacts[c].anchor[i];
  }
  return slip;
}

void ContactSet::accept(State& state, const NodalVector& moved) {
  place(state, state.q);
  bool new_contact = false;
  for (std::size_t c = 0; c < work.size(); ++c) {
    const Contact& of = contact(c);
    if (sleepers_.holds(of)) continue;
    const ContactWork& w = work[c];
    ContactState& s = state.contacts[c];
    const bool was_closed = s.status != ContactStatus::open;
    s.status = w.status;
    s.block_status = w.block_status;
    s.persistent = was_closed && s.status != ContactStatus::open;
    new_contact = new_contact || (!was_closed && s.status != ContactStatus::open);
    s.stuck = w.stuck;
    s.gap = w.near ? w.gap : of.gap(state.q, state.turns);
    s.impulse = w.impulse;
    s.work = w.done;
    s.met_at = std::max(0.0, w.met_at);
    s.has_rate = w.near;
    if (w.near) {
      s.tangent = w.frame.tangents[0];
      s.rate = rates(c, state.v);
    }
    if (c < list_.own() && spec_.kind != IntegratorKind::energy_consistent) {
      if (s.status != ContactStatus::open) {
        s.shear = slip_of(c, state, moved);
      } else {
        s.shear.setZero();
      }
    }
    if (of.has_outline()) {
      // Behind the face and beside it: it must come out before it can touch again.
      const bool outside = s.gap >= -behind * machine_.length();
      if (outside) {
        s.armed = true;
      } else if (!of.over_face(state.q)) {
        s.armed = false;
      }
    }
  }
  mark_struck(state, new_contact);
}

double ContactSet::first_impact(double h, double shortest) const {
  double first = 2.0;
  for (std::size_t c = 0; c < work.size(); ++c) {
    const ContactWork& w = work[c];
    if (!w.closed || contact(c).restitution() == 0.0) continue;
    // gap + way s + bend s^2 = 0, a parabola through the start, its slope and the smooth end; the
    // root where it goes down, written without cancellation
    const double gap = std::max(0.0, w.gap_at_start), way = w.rate_at_start[0] * h;
    const double bend = w.smooth_gap - gap - way;
    const double root = std::sqrt(std::max(0.0, way * way - 4.0 * bend * gap));
    if (way < 0.0) {
      if (w.open_at_start) first = std::min(first, 2.0 * gap / (root - way));
    } else if (bend < 0.0) {
      const double flight = (way + root) / (-2.0 * bend);
      if (flight > shortest) first = std::min(first, flight);
    }
  }
  return first;
}

void ContactSet::publish(ContactProblem problem, std::span<const int> which) const {
  VecX unit =
      VecX::Zero(problem.b.size());  // of each row; none for rows that nothing can move along
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto c = static_cast<std::size_t>(which[k]);
    const RowVector& scale = work[c].scale;
    CondensedContact& condensed = problem.contacts[k];
    for (int i = 0; i < condensed.rows; ++i) {
      if (scale[i] > 0.0) unit[condensed.first_row + i] = 1.0 / scale[i];
    }
    const std::span<const FrictionBlock> blocks = contact(c).blocks();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      condensed.law.balls[b].coefficient = work[c].coefficient[b];
      // Rows of an ellipse are published as those of a ball.
      if (blocks[b].across != 1.0 && blocks[b].across > 0.0) {
        unit[condensed.first_row + blocks[b].first_row + 1] *= blocks[b].across;
      }
    }
  }
  problem.W = (unit.asDiagonal() * problem.W * unit.asDiagonal()).eval();
  problem.W.makeCompressed();
  problem.b = problem.b.cwiseProduct(unit).eval();
  on_problem(problem);
}

std::string ContactSet::worst() const {
  Eigen::Index worst = 0;
  if (residual.size() == 0 || residual.cwiseAbs().maxCoeff(&worst) == 0.0) return {};
  for (const Contact& of : list()) {
    if (worst < of.end_row()) {
      return fmt::format(" (largest residual at contact '{}')", of.name());
    }
  }
  return {};
}

}  // namespace clatter
