#include <algorithm>

#include <clatter/schemes/impact_process.hpp>
#include <clatter/schemes/newton.hpp>

namespace clatter {
namespace {

/// Rows of an ellipse of friction are those of a ball times this.
RowVector axes_of(const Contact& contact) {
  RowVector axes = RowVector::Ones(contact.rows());
  for (const FrictionBlock& block : contact.blocks()) {
    if (block.across != 1.0) axes[block.first_row + 1] = block.across;
  }
  return axes;
}

}  // namespace

bool ImpactProcess::run_islands(const NodalVector& before) {
  if (!prepare_masses()) {
    w_.failure = "the machine without its contacts is singular";
    return false;
  }
  std::stable_sort(taking_.begin(), taking_.end(),
                   [](const Taking& a, const Taking& b) { return a.island < b.island; });
  for (auto first = taking_.begin(); first != taking_.end();) {
    const auto end = std::find_if(first, taking_.end(),
                                  [&](const Taking& each) { return each.island != first->island; });
    island_.assign(first, end);
    first = end;
    const bool has_law = std::any_of(island_.begin(), island_.end(), [&](const Taking& each) {
      return each.is_struck && law_of(each.contact) != ImpactLaw::newton;
    });
    if (has_law) run_island(before);
  }
  return true;
}

bool ImpactProcess::prepare_masses() {
  if (is_free(w_.machine)) return true;
  if (!masses_) masses_.emplace(w_.machine);
  double eps = 0.0;
  return factorise_or_regularise(*masses_, eps, [&] {
    w_.add_tangents(*masses_, w_.state->v, {1.0, 0.0, 0.0});
    w_.joints.add_tangents(*masses_);
  });
}

void ImpactProcess::move(const NodalVector& momentum) {
  motion_.setZero(momentum.size());
  if (masses_) {
    rhs_.setZero(masses_->size());
    masses_->gather(momentum, rhs_);
    rhs_.tail(rhs_.size() - masses_->dofs()).setZero();
    masses_->solve(rhs_);
    masses_->scatter(rhs_, 1.0, motion_);
    return;
  }
  for (const Taking& each : island_) {
    const Contact& contact = w_.contacts.contact(each.contact);
    for (const int n : contact.nodes()) {
      if (n == ground) continue;
      const Node& node = w_.machine.nodes()[static_cast<std::size_t>(n)];
      const auto push = of_node(momentum, n);
      of_node(motion_, n).head<3>() =
          node.inverse_mass * node.translations().cwiseProduct(Vec3(push.head<3>()));
      of_node(motion_, n).tail<3>() = node.inverse_inertia * push.tail<3>();
    }
  }
}

void ImpactProcess::set_up(const NodalVector& before) {
  flow_.members.clear();
  int rows = 0;
  for (const Taking& each : island_) {
    const Contact& contact = w_.contacts.contact(each.contact);
    const ContactWork& work = w_.contacts.work[each.contact];
    ImpactFlow::Member member;
    member.contact.first_row = rows;
    member.contact.rows = contact.rows();
    member.contact.law.ball_count = static_cast<int>(contact.blocks().size());
    for (std::size_t k = 0; k < contact.blocks().size(); ++k) {
      const FrictionBlock& block = contact.blocks()[k];
      member.contact.law.balls[k] = {block.first_row, block.rows, work.coefficient[k]};
    }
    member.law = law_of(each.contact);
    member.restitution = w_.contacts.restitution_of_row(each.contact, 0);
    member.is_struck = each.is_struck;
    flow_.members.push_back(member);
    rows += contact.rows();
  }
  flow_.W.resize(rows, rows);
  flow_.before.resize(rows);
  momentum_.setZero(before.size());
  for (std::size_t k = 0; k < island_.size(); ++k) {
    const Contact& contact = w_.contacts.contact(island_[k].contact);
    const RowVector axes = axes_of(contact);
    const int first = flow_.members[k].contact.first_row;
    flow_.before.segment(first, contact.rows()) =
        axes.cwiseProduct(w_.contacts.rates(island_[k].contact, before));
    for (int i = 0; i < contact.rows(); ++i) {
      const RowVector unit = axes[i] * RowVector::Unit(contact.rows(), i);
      w_.contacts.add_reaction(island_[k].contact, unit, momentum_);
      move(momentum_);
      w_.contacts.add_reaction(island_[k].contact, -unit, momentum_);
      for (const int n : contact.nodes()) of_node(momentum_, n).setZero();
      for (std::size_t j = 0; j < island_.size(); ++j) {
        const CondensedContact& other = flow_.members[j].contact;
        const std::size_t c = island_[j].contact;
        flow_.W.col(first + i).segment(other.first_row, other.rows) =
            axes_of(w_.contacts.contact(c)).cwiseProduct(w_.contacts.rates(c, motion_));
      }
    }
  }
}

void ImpactProcess::run_island(const NodalVector& before) {
  set_up(before);
  // Of the energy that impulses alone would make: what the flow leaves of its equations.
  constexpr double round_off_of_flow = 1e-9;
  for (;;) {
    if (!flow_.run()) return give_up();
    const double made =
        flow_.impulses.cwiseAbs().dot(flow_.before.cwiseAbs() + flow_.after.cwiseAbs());
    if (flow_.gain() <= round_off_of_flow * made) break;
    lessen();
  }
  pass_on();
}

void ImpactProcess::give_up() {
  w_.counts.plastic = 1;
  for (const Taking& each : island_) w_.contacts.work[each.contact].bounce = 0.0;
}

void ImpactProcess::lessen() {
  w_.counts.lessened = 1;
  for (ImpactFlow::Member& member : flow_.members) {
    member.restitution = member.restitution > 0.05 ? 0.5 * member.restitution : 0.0;
  }
}

void ImpactProcess::pass_on() {
  has_happened_ = true;
  for (std::size_t k = 0; k < island_.size(); ++k) {
    const std::size_t c = island_[k].contact;
    const CondensedContact& of = flow_.members[k].contact;
    const RowVector axes = axes_of(w_.contacts.contact(c));
    ContactWork& work = w_.contacts.work[c];
    const RowVector impulse = flow_.impulses.segment(of.first_row, of.rows);
    const RowVector after = flow_.after.segment(of.first_row, of.rows);
    const RowVector from = flow_.before.segment(of.first_row, of.rows);
    work.parts = true;
    work.parting = impulse[0] > 0.0 ? std::max(0.0, after[0]) : 0.0;
    work.passed = axes.cwiseProduct(impulse);
    work.impulse += work.passed;
    work.done += flow_.work.segment(of.first_row, of.rows);
    work.rate_before = after.cwiseProduct(axes.cwiseInverse());
    w_.contacts.add_reaction(c, work.passed, w_.passed_on);
    if (!(impulse[0] > 0.0)) continue;
    work.status = ContactStatus::slip;
    for (std::size_t b = 0; b < of.law.all_balls().size(); ++b) {
      const FrictionBall& ball = of.law.balls[b];
      const bool holds = after.segment(ball.first_row, ball.rows).norm() <= 1e-12 * from.norm();
      work.block_status[b] = holds ? ContactStatus::stick : ContactStatus::slip;
      if (b == 0) work.status = work.block_status[b];
    }
    if (impulse[0] > work.hardest) {
      work.hardest = impulse[0];
      work.met_at = -from[0];
    }
  }
}

}  // namespace clatter
