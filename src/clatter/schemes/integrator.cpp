#include <algorithm>
#include <cmath>

#include <clatter/schemes/integrator.hpp>
#include <clatter/schemes/projections.hpp>

namespace clatter {
namespace {

/// Nothing but contacts connects the bodies.
bool is_free(const System& system) {
  return system.joints().empty() && system.springs().empty() && system.beams().empty();
}

}  // namespace

Integrator::Integrator(System& system, const IntegratorSpec& spec)
    : system_(system),
      spec_(spec),
      smooth_K_(system, false),
      contact_K_(system, !is_free(system) || system.contact_groups().empty()),
      mbar_(spec.characteristic_mass.value_or(system.total_mass() /
                                              std::max(1, system.body_count()))),
      free_bodies_(is_free(system)) {
  if (spec.contact_solver && !system.contact_groups().empty()) {
    throw Error(spec.place,
                "'contact_solver' is not for groups of spheres: many contacts are swept, island by "
                "island");
  }
  const Eigen::Index size = system.nodal_size();
  for (NodalVector* v :
       {&v_n_, &a_n_, &vd_n_, &delta_, &vs_, &vd_, &U_, &W_, &v_, &f_, &f_smooth_,
        &reaction_smooth_, &residual_, &momentum_, &total_, &a_, &reaction_, &passed_on_}) {
    *v = NodalVector::Zero(size);
  }
  for (VecX* x : {&la_, &nu_, &joint_impulse_hat_, &joint_impulse_, &joint_scale_, &joint_total_,
                  &joint_residual_, &allowed_joint_}) {
    *x = VecX::Zero(system.joint_rows());
  }
  q_n_ = q_ = system.initial_configuration();
  T_.assign(system.nodes().size(), Mat3::Identity());
  for (const Joint& joint : system.joints()) {
    joint_G_.emplace_back(static_cast<Eigen::Index>(joint.rows().size()), 12);
  }
  for (const Node& node : system.nodes()) {
    const auto has = [&](int i) { return node.has(i) ? 1.0 : 0.0; };
    moving_.emplace_back(has(0), has(1), has(2));
    const Mat3 other = node.inertia - node.inertia(0, 0) * Mat3::Identity();
    is_sphere_.push_back(static_cast<char>(other.isZero(1e-14 * node.inertia(0, 0))));
  }
  armed_.assign(system.contacts().size(), 1);
  size_contacts();
  island_.assign(system.nodes().size(), 0);
  connected_.reserve(system.nodes().size());
  reach_.assign(system.nodes().size(), 0.0);
  went_ = reach_;
  struck_.assign(system.nodes().size(), 0);
  hard_.assign(system.nodes().size(), 0);
  rhs_smooth_ = VecX::Zero(smooth_K_.size());
  rhs_contact_ = VecX::Zero(contact_K_.size());
}

/// Room for the contacts of the system; those without a state get that of an open one.
void Integrator::size_contacts() {
  const std::vector<Contact>& contacts = system_.contacts();
  for (VecX* x : {&nu_contact_, &la_contact_, &contact_residual_, &allowed_contact_}) {
    x->setZero(system_.contact_rows());
  }
  contact_states_.resize(contacts.size());
  contact_work_.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const int rows = contacts[c].rows();
    ContactState& state = contact_states_[c];
    for (RowVector* x : {&state.impulse, &state.work, &state.rate, &state.push, &state.anchor,
                         &state.force, &state.mean_force, &state.percussion}) {
      if (x->size() != rows) x->setZero(rows);
    }
    ContactWork& work = contact_work_[c];
    for (RowVector* x : {&work.scale, &work.ghat, &work.rate_at_start, &work.rate_before,
                         &work.impulse, &work.done}) {
      x->setZero(rows);
    }
    work.G.setZero(rows, 12);
    work.start_rows = work.G;
  }
  active_.reserve(contacts.size());
  if (free_bodies_) {
    free_contacts_.reserve(system_.nodes().size(), contacts.size(),
                           static_cast<std::size_t>(system_.contact_rows()));
  }
  if (free_bodies_ || system_.contact_groups().empty()) return;
  KktMatrix K(system_, true);
  K.matrix().count_on_from(contact_K_.matrix());
  contact_K_ = std::move(K);
  rhs_contact_ = VecX::Zero(contact_K_.size());
}

void Integrator::find_reach(double h) {
  const double gravity = system_.gravity().norm();
  for (std::size_t n = 1; n < reach_.size(); ++n) {
    const auto index = static_cast<Eigen::Index>(n);
    const double extent = system_.extent(n);
    const double speed =
        of_node(v_n_, index).head<3>().norm() + extent * of_node(v_n_, index).tail<3>().norm();
    const double acceleration = gravity + of_node(a_n_, index).head<3>().norm() +
                                extent * of_node(a_n_, index).tail<3>().norm();
    reach_[n] = std::max(went_[n], 2.0 * h * (speed + h * acceleration));
  }
}

void Integrator::update_contacts(double h) {
  if (system_.contact_groups().empty()) return;
  keys_before_ = system_.contact_keys();
  find_reach(h);
  if (!system_.update_contacts(q_n_, reach_)) return;
  states_before_.swap(contact_states_);
  armed_before_.swap(armed_);
  const auto own = static_cast<std::size_t>(system_.own_contacts());
  const std::vector<ContactKey>& keys = system_.contact_keys();
  contact_states_.assign(own + keys.size(), {});
  armed_.assign(own + keys.size(), 1);
  std::copy_n(states_before_.begin(), own, contact_states_.begin());
  std::copy_n(armed_before_.begin(), own, armed_.begin());
  std::size_t old = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) {  // both lists are sorted
    while (old < keys_before_.size() && keys_before_[old] < keys[k]) ++old;
    if (old < keys_before_.size() && keys_before_[old] == keys[k]) {
      contact_states_[own + k] = states_before_[own + old];
      armed_[own + k] = armed_before_[own + old];
    } else {
      contact_states_[own + k].gap = system_.contacts()[own + k].gap(q_n_);
    }
  }
  size_contacts();
  size_scheme();
}

double Integrator::linear_algebra_time() const {
  return smooth_K_.matrix().time + contact_K_.matrix().time;
}
long Integrator::factorisations() const {
  return smooth_K_.matrix().factorisations + contact_K_.matrix().factorisations;
}
long Integrator::solves() const { return smooth_K_.matrix().solves + contact_K_.matrix().solves; }

bool Integrator::advance(double t, double h) {
  la_n_ = la_;
  all_near_ = false;
  std::fill(went_.begin(), went_.end(), 0.0);
  update_contacts(h);
  bool done = try_step(t, h);
  if (!done) {
    la_ = la_n_;
    if (all_near_) {  // a far contact had met
      update_contacts(h);
      done = try_step(t, h);
    }
    if (!done) la_ = la_n_;
  }
  return done;
}

void Integrator::begin_step(double h) {
  h_ = h;
  span_ = system_.length();
  for (const NodeState& state : q_n_) span_ = std::max(span_, state.x.norm());
  mass_root_ = std::sqrt(system_.total_mass());

  // Scaling by the inverse Delassus diagonal (2.3 of 000): rows of one size, whatever masses and
  // units.
  evaluate_joint_rows(q_n_);
  for (std::size_t j = 0; j < joint_G_.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    for (Eigen::Index i = 0; i < joint_G_[j].rows(); ++i) {
      const Vec12 g = joint_G_[j].row(i);
      joint_scale_[joint.first_row + i] =
          1.0 / std::sqrt(system_.delassus(g, joint.a(), joint.b()));
    }
  }
  find_near_contacts();
  evaluate_contact_rows(q_n_);
  scale_contacts(spec_.scaling, spec_.penalty);
  passed_on_.setZero();
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    ContactWork& work = contact_work_[c];
    const Contact& contact = system_.contacts()[c];
    ContactState& state = contact_states_[c];
    work.candidate = work.closed = work.stuck = work.closing = false;
    work.bounce = 1.0;
    work.status = work.equations.status = ContactStatus::open;
    work.block_status.fill(ContactStatus::open);
    work.impulse.setZero();
    work.done.setZero();
    work.gap_at_start = state.gap;
    work.open_at_start = state.status == ContactStatus::open;
    if (!work.near) continue;
    work.start_rows = work.G;
    work.rate_at_start = work.G * of_pair(v_n_, contact.a(), contact.b());
    work.rate_before = work.rate_at_start;
    // A contact that stuck is held to where it began to stick, so that round-off does not add up.
    if (state.stuck) continue;
    for (int i = 1; i <= contact.slip_rows(); ++i) {
      state.anchor[i] = contact.slip_coordinate(i).value(q_n_);
    }
  }
  has_moved_ = false;
  U_.setZero();
  W_.setZero();
  nu_.setZero();
  joint_impulse_hat_.setZero();
  nu_contact_.setZero();
  la_contact_.setZero();
}

void Integrator::find_near_contacts() {
  find_reach(h_);
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const Contact& contact = system_.contacts()[c];
    const double reach = reach_[static_cast<std::size_t>(contact.a())] +
                         reach_[static_cast<std::size_t>(contact.b())];
    contact_work_[c].near = all_near_ || !(contact_states_[c].gap > reach);
  }
}

bool Integrator::far_contacts_stay_open() {
  if (!system_.lists_all_near(q_, went_)) {
    for (std::size_t n = 1; n < went_.size(); ++n) {
      const auto moved = of_node(total_, static_cast<Eigen::Index>(n));
      went_[n] = 2.0 * (moved.head<3>().norm() + system_.extent(n) * moved.tail<3>().norm());
    }
    all_near_ = true;
    failure_ = "bodies went further than their speeds told";
    return false;
  }
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const Contact& contact = system_.contacts()[c];
    if (contact_work_[c].near || contact.gap(q_) >= 0.0) continue;
    if (armed_[c] == 0 || !contact.over_face(q_)) continue;
    all_near_ = true;
    failure_ = fmt::format("contact '{}' closed from afar", contact.name());
    return false;
  }
  return true;
}

void Integrator::complete_contacts() {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    if (contact_work_[c].near) continue;
    const Contact& contact = system_.contacts()[c];
    ContactState& state = contact_states_[c];
    contact.rates(q_n_, contact.frame(q_n_, state.tangent), contact_work_[c].G);
    state.rate = contact_work_[c].G * of_pair(v_n_, contact.a(), contact.b());
  }
}

void Integrator::scale_contacts(Scaling scaling, double penalty) {
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    ContactWork& work = contact_work_[c];
    const Contact& contact = system_.contacts()[c];
    if (!work.near) continue;
    const auto inverse_mass = [&](int row, bool is_velocity) {
      if (scaling == Scaling::characteristic_mass && is_velocity) return 1.0 / mbar_;
      return system_.delassus(work.G.row(row).transpose(), contact.a(), contact.b());
    };
    work.scale[0] = 1.0 / std::sqrt(inverse_mass(0, true));
    work.law.penalty = penalty;
    work.law.ball_count = static_cast<int>(contact.blocks().size());
    for (std::size_t k = 0; k < contact.blocks().size(); ++k) {
      const FrictionBlock& block = contact.blocks()[k];
      // One scale for all directions of a block keeps its ball round.
      double sum = 0.0;
      for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
        sum += inverse_mass(i, block.kind == FrictionKind::sliding);
      }
      // What cannot move along the rows needs no reaction there.
      const double scale = sum > 0.0 ? std::sqrt(block.rows / sum) : 0.0;
      work.scale.segment(block.first_row, block.rows).setConstant(scale);
      work.law.balls[k] = {block.first_row, block.rows,
                           scale > 0.0 ? block.coefficient * work.scale[0] / scale : 0.0};
    }
    work.position_law = work.law;
    for (std::size_t k = 0; k < contact.blocks().size(); ++k) {
      if (contact.blocks()[k].kind != FrictionKind::sliding || !spec_.position_friction) {
        work.position_law.balls[k].coefficient = 0.0;
      }
    }
  }
}

void Integrator::accept() {
  vd_n_ = vd_;
  v_n_ = v_;
  std::swap(q_n_, q_);
  joint_impulse_ = joint_scale_.cwiseProduct(joint_impulse_hat_);
  joint_error_ = joint_velocity_error_ = 0.0;
  for (const Joint& joint : system_.joints()) {
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const auto row = joint.first_row + static_cast<Eigen::Index>(i);
      const JointRow& condition = joint.rows()[i];
      const double unit = condition.is_length() ? system_.length() : 1.0;
      joint_error_ = std::max(joint_error_, std::abs(joint.misfit(condition, q_n_)) / unit);
      joint_velocity_error_ = std::max(joint_velocity_error_,
                                       std::abs(joint_residual_[row]) / joint_scale_[row] / unit);
    }
  }
  bool new_contact = false;
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const Contact& contact = system_.contacts()[c];
    const ContactWork& work = contact_work_[c];
    ContactState& state = contact_states_[c];
    const bool was_closed = state.status != ContactStatus::open;
    state.status = work.status;
    state.block_status = work.block_status;
    state.persistent = was_closed && state.status != ContactStatus::open;
    new_contact = new_contact || (!was_closed && state.status != ContactStatus::open);
    state.stuck = work.stuck;
    state.gap = contact.gap(q_n_);
    state.impulse = work.impulse;
    state.work = work.done;
    if (work.near) {
      state.tangent = contact.frame(q_n_, state.tangent).tangents[0];
      state.rate = work.G * of_pair(v_n_, contact.a(), contact.b());
    }
    if (contact.has_outline()) {
      // Behind the face and beside it: it must come out before it can touch again.
      const bool outside = state.gap >= -1e-10 * system_.length();
      if (outside) {
        armed_[c] = 1;
      } else if (!contact.over_face(q_n_)) {
        armed_[c] = 0;
      }
    }
  }
  mark_struck(new_contact);
  system_.remember(q_n_);
}

void Integrator::publish(ContactProblem problem, std::span<const int> which) const {
  VecX unit =
      VecX::Zero(problem.b.size());  // of each row; none for rows that nothing can move along
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto c = static_cast<std::size_t>(which[k]);
    const RowVector& scale = contact_work_[c].scale;
    CondensedContact& contact = problem.contacts[k];
    for (int i = 0; i < contact.rows; ++i) {
      if (scale[i] > 0.0) unit[contact.first_row + i] = 1.0 / scale[i];
    }
    const std::span<const FrictionBlock> blocks = system_.contacts()[c].blocks();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      contact.law.balls[b].coefficient = blocks[b].coefficient;
    }
  }
  problem.W = (unit.asDiagonal() * problem.W * unit.asDiagonal()).eval();
  problem.W.makeCompressed();
  problem.b = problem.b.cwiseProduct(unit).eval();
  on_contact_problem(problem);
}

void Integrator::find_islands() {
  connected_.separate(island_.size());
  const auto connect = [&](int a, int b) {
    if (a != ground && b != ground) connected_.join(a, b);
  };
  for (const Joint& joint : system_.joints()) connect(joint.a(), joint.b());
  for (const BeamElement& element : system_.beam_elements()) connect(element.a(), element.b());
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    if (contact_work_[c].closed || contact_work_[c].equations.status != ContactStatus::open)
      connect(system_.contacts()[c].a(), system_.contacts()[c].b());
  }
  for (std::size_t n = 0; n < island_.size(); ++n) {
    island_[n] = connected_.root(static_cast<int>(n));
  }
}

void Integrator::mark_struck(bool new_contact) {
  std::fill(struck_.begin(), struck_.end(), 0);
  if (!new_contact) return;
  find_islands();
  for (std::size_t c = 0; c < contact_states_.size(); ++c) {
    const ContactState& state = contact_states_[c];
    if (state.status == ContactStatus::open || state.persistent) continue;
    const Contact& contact = system_.contacts()[c];
    struck_[static_cast<std::size_t>(island_of(contact))] = 1;
  }
  for (std::size_t n = 1; n < struck_.size(); ++n) {
    struck_[n] = struck_[static_cast<std::size_t>(island_[n])];
  }
}

int Integrator::island_of(const Contact& contact) const {
  return island_[std::max(contact.a(), contact.b())];  // the ground is node 0
}

void Integrator::mark_hard_islands() {
  find_islands();
  std::fill(hard_.begin(), hard_.end(), 0);
  const double worst = contact_residual_.size() > 0 ? contact_residual_.cwiseAbs().maxCoeff() : 0.0;
  for (const Contact& contact : system_.contacts()) {
    const double residual =
        contact_residual_.segment(contact.first_row, contact.rows()).cwiseAbs().maxCoeff();
    if (!(residual < 1e-6 * worst)) hard_[static_cast<std::size_t>(island_of(contact))] = 1;
  }
}

bool Integrator::is_hard(const Contact& contact) const {
  return hard_[static_cast<std::size_t>(island_of(contact))] != 0;
}

bool Integrator::is_struck(int joint) const {
  const Joint& j = system_.joints()[static_cast<std::size_t>(joint)];
  return struck_[static_cast<std::size_t>(j.a())] != 0 ||
         struck_[static_cast<std::size_t>(j.b())] != 0;
}

void Integrator::forbid_rebound(bool everywhere) {
  find_islands();
  int jammed = -1;
  double worst = -1.0;
  for (const Contact& contact : system_.contacts()) {
    const double residual =
        contact_residual_.segment(contact.first_row, contact.rows()).cwiseAbs().maxCoeff();
    if (residual > worst) {
      worst = residual;
      jammed = island_of(contact);
    }
  }
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    if (everywhere || island_of(system_.contacts()[c]) == jammed) contact_work_[c].bounce = 0.0;
  }
}

double Integrator::first_impact(double h, double shortest) const {
  double first = 2.0;
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    if (!contact_work_[c].closed || system_.contacts()[c].restitution() == 0.0) continue;
    // gap + way s + bend s^2 = 0, a parabola through the start, its slope and the smooth end; the
    // root where it goes down, written without cancellation
    const double gap = std::max(0.0, contact_work_[c].gap_at_start),
                 way = contact_work_[c].rate_at_start[0] * h;
    const double bend = contact_work_[c].smooth_gap - gap - way;
    const double root = std::sqrt(std::max(0.0, way * way - 4.0 * bend * gap));
    if (way < 0.0) {
      if (contact_work_[c].open_at_start) first = std::min(first, 2.0 * gap / (root - way));
    } else if (bend < 0.0) {
      const double flight = (way + root) / (-2.0 * bend);
      if (flight > shortest) first = std::min(first, flight);
    }
  }
  return first;
}

void Integrator::save(Snapshot& s) const {
  s.q = q_n_;
  s.v = v_n_;
  s.a = a_n_;
  s.vd = vd_n_;
  s.la = la_;
  s.joint_impulse = joint_impulse_;
  s.contacts = contact_states_;
  s.armed = armed_;
  s.contact_keys = system_.contact_keys();
}

void Integrator::restore(const Snapshot& s) {
  q_n_ = s.q;
  v_n_ = s.v;
  a_n_ = s.a;
  vd_n_ = s.vd;
  la_ = s.la;
  joint_impulse_ = s.joint_impulse;
  contact_states_ = s.contacts;
  armed_ = s.armed;
  if (s.contact_keys != system_.contact_keys()) {
    system_.set_contacts(s.contact_keys);
    size_contacts();
    size_scheme();
  }
  evaluate_joint_rows(q_n_);
  system_.remember(q_n_);
}

}  // namespace clatter
