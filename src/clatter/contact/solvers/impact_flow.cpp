#include <algorithm>
#include <cmath>

#include <clatter/contact/law/projection.hpp>
#include <clatter/contact/solvers/impact_flow.hpp>

namespace clatter {
namespace {

/// How closely a flow is followed: that of one contact, which is solved exactly, and those of
/// several, which are swept.
struct Care {
  double least_increment;  // of a phase: where slip stops or turns round
  double turn;             // of ImpactFlow::most_turn
  double still;            // of the speeds before: slower is no slip
};
constexpr Care care_of_one{1e-9, 1.0, 1e-12}, care_of_several{1e-4, 6.0, 1e-6};
Care care(std::size_t members) { return members == 1 ? care_of_one : care_of_several; }

constexpr int most_increments = 10'000, most_sweeps = 300;
constexpr double longest_restitution = 100.0;  // in impulses of compression
constexpr double settled = 1e-12;              // change of an impulse in a sweep
constexpr double nearly_settled = 1e-8;        // at the end of many
constexpr double done = 1e-12;                 // of what is to be reached

}  // namespace

bool ImpactFlow::run() {
  after = before;
  impulses = work = VecX::Zero(before.size());
  increments_ = 0;
  still_ = care(members.size()).still * before.cwiseAbs().maxCoeff();
  step_ = VecX::Zero(before.size());
  progress_.assign(members.size(), {});
  for (std::size_t k = 0; k < members.size(); ++k) {
    const CondensedContact& contact = members[k].contact;
    OneContact& one = progress_[k].one;
    for (int i = 0; i < contact.rows; ++i) {
      for (int j = 0; j < contact.rows; ++j) {
        one.W[static_cast<std::size_t>(i * contact.rows + j)] =
            W(contact.first_row + i, contact.first_row + j);
      }
    }
    prepare(contact, one);
  }
  return compress() && restore();
}

bool ImpactFlow::compress() {
  const double least_increment = care(members.size()).least_increment;
  double passed = 0.0, increment = 1.0;
  while (passed < 1.0) {
    increment = std::min(increment, 1.0 - passed);
    const double left = passed + increment >= 1.0 ? 0.0 : 1.0 - passed - increment;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (members[k].is_struck) {
        progress_[k].target = left * before[members[k].contact.first_row];
      }
    }
    if (!solve_increment()) return false;
    if (!is_followed() && increment > least_increment) {
      const double shorter = std::max(0.25 * increment, least_increment);
      step_ *= shorter / increment;  // a guess
      increment = shorter;
      continue;
    }
    take_increment(false);
    if (increments_ > most_increments) return false;
    passed += increment;
    increment *= 2.0;
    step_ *= 2.0;
  }
  return true;
}

bool ImpactFlow::restore() {
  const double least_increment = care(members.size()).least_increment;
  for (std::size_t k = 0; k < members.size(); ++k) {
    Progress& of = progress_[k];
    of.target = 0.0;
    of.pushes = members[k].is_struck && members[k].restitution > 0.0 && of.squeezed > 0.0;
    if (members[k].law == ImpactLaw::energetic) of.pushes = of.pushes && of.taken < 0.0;
  }
  double passed = 0.0, increment = 1.0;
  while (passed < longest_restitution) {
    bool any = false;
    for (std::size_t k = 0; k < members.size(); ++k) {
      Progress& of = progress_[k];
      of.pushes = of.pushes && left_of(k) > done;
      of.push = of.pushes ? increment * of.squeezed : 0.0;
      any = any || of.pushes;
    }
    if (!any) return true;
    if (!solve_increment()) return false;
    if (!is_followed() && increment > least_increment) {
      const double shorter = std::max(0.25 * increment, least_increment);
      step_ *= shorter / increment;  // a guess
      increment = shorter;
      continue;
    }
    double part = 1.0;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (progress_[k].pushes) part = std::min(part, part_to_end(k));
    }
    if (part < 1.0 - done) {
      increment *= part;
      step_ *= part;
      continue;
    }
    take_increment(true);
    if (increments_ > most_increments) return false;
    passed += increment;
    increment *= 2.0;
    step_ *= 2.0;
  }
  return true;
}

bool ImpactFlow::solve_increment() {
  next_ = after + W * step_;
  std::array<double, max_contact_rows> f, r;
  double largest = 0.0;
  for (int sweep = 1; sweep <= most_sweeps; ++sweep) {
    double change = 0.0;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const CondensedContact& contact = members[k].contact;
      const int rows = contact.rows, first = contact.first_row;
      for (int i = 0; i < rows; ++i) {
        r[i] = step_[first + i];
        f[i] = next_[first + i];
      }
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) {
          f[i] -= progress_[k].one.W[static_cast<std::size_t>(i * rows + j)] * r[j];
        }
      }
      solve_member(k, f.data(), r.data());
      for (int i = 0; i < rows; ++i) {
        const double by = r[i] - step_[first + i];
        if (by == 0.0) continue;
        next_ += by * W.col(first + i);
        step_[first + i] = r[i];
        change = std::max(change, std::abs(by));
        largest = std::max(largest, std::abs(r[i]));
      }
    }
    const double enough = sweep < most_sweeps ? settled : nearly_settled;
    if (change <= enough * largest || members.size() == 1) {
      next_ = after + W * step_;  // without the round-off of the sweeps
      return true;
    }
  }
  return false;
}

void ImpactFlow::solve_member(std::size_t k, const double* f, double* r) const {
  const Progress& of = progress_[k];
  const CondensedContact& contact = members[k].contact;
  if (of.push > 0.0) {
    push_member(k, f, r);
    double rate = f[0];
    for (int j = 0; j < contact.rows; ++j) rate += of.one.W[static_cast<std::size_t>(j)] * r[j];
    if (rate >= of.target) return;
  }
  std::array<double, max_contact_rows> held;
  std::copy(f, f + contact.rows, held.begin());
  held[0] -= of.target;
  solve_one_contact(contact, of.one, held.data(), r);
}

/// A given normal impulse, and friction that it limits: a convex problem, projected.
void ImpactFlow::push_member(std::size_t k, const double* f, double* r) const {
  const CondensedContact& contact = members[k].contact;
  const auto& W_kk = progress_[k].one.W;
  const int rows = contact.rows;
  r[0] = progress_[k].push;
  constexpr int most_projections = 500;
  for (int iteration = 0; iteration < most_projections; ++iteration) {
    double change = 0.0;
    for (const FrictionBall& ball : contact.law.all_balls()) {
      double trace = 0.0;
      std::array<double, max_contact_rows> trial = {};
      for (int i = 0; i < ball.rows; ++i) {
        const int row = ball.first_row + i;
        trace += W_kk[static_cast<std::size_t>(row * rows + row)];
        trial[i] = f[row];
        for (int j = 0; j < rows; ++j) {
          trial[i] += W_kk[static_cast<std::size_t>(row * rows + j)] * r[j];
        }
      }
      if (!(trace > 0.0)) continue;
      for (int i = 0; i < ball.rows; ++i) trial[i] = r[ball.first_row + i] - trial[i] / trace;
      project_on_ball<0>(ball.coefficient * r[0], ball.rows, trial.data());
      for (int i = 0; i < ball.rows; ++i) {
        change = std::max(change, std::abs(trial[i] - r[ball.first_row + i]));
        r[ball.first_row + i] = trial[i];
      }
    }
    if (change <= settled * r[0]) return;
  }
}

bool ImpactFlow::is_followed() const {
  const double least_cosine = std::cos(care(members.size()).turn * most_turn);
  for (const Member& member : members) {
    const CondensedContact& contact = member.contact;
    if (!(step_[contact.first_row] > 0.0)) continue;
    for (const FrictionBall& ball : contact.law.all_balls()) {
      const auto from = after.segment(contact.first_row + ball.first_row, ball.rows);
      const auto to = next_.segment(contact.first_row + ball.first_row, ball.rows);
      const double slip = from.norm(), slip_after = to.norm();
      if (slip <= still_) continue;
      if (slip_after <= still_ || from.dot(to) < least_cosine * slip * slip_after) return false;
    }
  }
  return true;
}

double ImpactFlow::left_of(std::size_t k) const {
  const Progress& of = progress_[k];
  const double e = members[k].restitution;
  const double approach = -before[members[k].contact.first_row];
  switch (members[k].law) {
    case ImpactLaw::newton:
      return e - after[members[k].contact.first_row] / approach;
    case ImpactLaw::poisson:
      return e - of.pushed / of.squeezed;
    case ImpactLaw::energetic:
      return e * e + of.given / of.taken;
  }
  return 0.0;
}

double ImpactFlow::part_to_end(std::size_t k) const {
  const int row = members[k].contact.first_row;
  const Progress& of = progress_[k];
  const double left = left_of(k), p = step_[row], u = after[row], change = next_[row] - u;
  constexpr double more = 2.0;
  if (members[k].law == ImpactLaw::poisson) return left * of.squeezed / p;
  if (members[k].law == ImpactLaw::newton) {
    return change > 0.0 ? -left * before[row] / change : more;
  }
  // p s (u + change s/2) = missing
  const double missing = -left * of.taken;
  const double square = u * u + 2.0 * change * missing / p;
  if (!(square >= 0.0)) return more;  // it slows down before
  const double sum = u + std::sqrt(square);
  return sum > 0.0 ? 2.0 * (missing / p) / sum : more;
}

void ImpactFlow::take_increment(bool restores) {
  for (std::size_t k = 0; k < members.size(); ++k) {
    const int row = members[k].contact.first_row;
    Progress& of = progress_[k];
    (restores ? of.given : of.taken) += 0.5 * step_[row] * (after[row] + next_[row]);
    (restores ? of.pushed : of.squeezed) += step_[row];
  }
  work += 0.5 * step_.cwiseProduct(after + next_);
  impulses += step_;
  after = next_;
  ++increments_;
}

}  // namespace clatter
