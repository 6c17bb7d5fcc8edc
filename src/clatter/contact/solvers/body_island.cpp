#include <algorithm>
#include <array>
#include <cmath>

#include <clatter/contact/law/projection.hpp>
#include <clatter/contact/solvers/body_island.hpp>

namespace clatter {
namespace {

constexpr int local_iterations = 2;  // that sweeps spend on a contact

}  // namespace

void BodyIsland::attach(BodyContacts& contacts, std::span<const int> island) {
  contacts_ = &contacts;
  island_ = island;
  gather();
}

/// reactions_ := those of the contacts, one after the other.
void BodyIsland::gather() {
  reactions_.clear();
  for (const int k : island_) {
    const BodyContacts::Contact& contact = (*contacts_)[k];
    const double* p = contacts_->p_of(contact);
    reactions_.insert(reactions_.end(), p, p + contact.rows);
  }
}

void BodyIsland::set_reactions(std::span<const double> p) {
  const double* given = p.data();
  std::array<double, max_contact_rows> change;
  for (const int k : island_) {
    const BodyContacts::Contact& contact = (*contacts_)[k];
    double* now = contacts_->p_of(contact);
    if (contact.rows == 2 && contact.planar) {  // most often, in the plane
      change = {now[0], now[1]};
      now[0] = project_normal(given[0]);
      now[1] = given[1];
      project_on_ball<1>(contact.law.balls[0].coefficient * now[0], 1, now + 1);
    } else {
      std::copy_n(now, contact.rows, change.begin());
      std::copy_n(given, contact.rows, now);
      project(contact.law, now);
    }
    for (int i = 0; i < contact.rows; ++i) change[i] = now[i] - change[i];
    if (contact.rows != 2 || change[0] != 0.0 || change[1] != 0.0) {
      contacts_->add_motion(contact, change.data());
    }
    given += contact.rows;
  }
  gather();
}

void BodyIsland::release() {
  for (const int k : island_) {
    const BodyContacts::Contact& contact = (*contacts_)[k];
    contacts_->set_reaction(contact, RowVector::Zero(contact.rows));
  }
  gather();
}

/// Makes one contact obey its law, the others given: by a few steps of projection, written out
/// because nearly all of the time of a large island is spent here. Rows, Balls: their numbers when
/// known beforehand, or zero. Planar: see BodyContacts. Returns the square of the change.
template <int Rows, int Balls, bool Planar>
double BodyIsland::visit(const BodyContacts::Contact& contact) {
  const int rows = Rows > 0 ? Rows : contact.rows;
  const int balls = Rows > 0 ? Balls : contact.law.ball_count;
  const double* W = contacts_->own_blocks.data() + contact.own_block;
  double* p = contacts_->p_of(contact);
  double* const x = contacts_->x.data();
  double *x_a = x + 6 * contact.a, *x_b = x + 6 * contact.b;
  const double* line = contacts_->changes.data() + 12 * contact.first_row;
  const double* b = contacts_->b.data() + contact.first_row;
  std::array<double, max_contact_rows> g, now;
  const auto rate = [&](int i) {
    return b[i] + BodyContacts::rate_of<Planar>(line + 12 * i, x_a, x_b);
  };
  g[0] = rate(0);
  if (p[0] == 0.0 && g[0] >= 0.0) return 0.0;  // open, and stays so
  for (int i = 1; i < rows; ++i) g[i] = rate(i);
  for (int i = 0; i < rows; ++i) now[i] = p[i];
  const auto change = [&](int row, double by) {
    now[row] += by;
    for (int i = 0; i < rows; ++i) g[i] += by * W[rows * row + i];
  };
  for (int k = 0; k < local_iterations; ++k) {
    change(0, project_normal(now[0] - g[0] * contact.normal_step) - now[0]);
    for (int j = 0; j < balls; ++j) {
      const FrictionBall& ball = contact.law.balls[j];
      const int first = Rows > 0 ? 1 : ball.first_row, count = Rows > 0 ? Rows - 1 : ball.rows;
      std::array<double, max_contact_rows> trial;
      for (int i = 0; i < count; ++i) {
        trial[i] = now[first + i] - contact.ball_steps[j] * g[first + i];
      }
      project_on_ball<(Rows > 0 ? Rows - 1 : 0)>(ball.coefficient * now[0], count, trial.data());
      for (int i = 0; i < count; ++i) change(first + i, trial[i] - now[first + i]);
    }
  }
  const double* motion = contacts_->motions.data() + 12 * contact.first_row;
  double square = 0.0;
  for (int i = 0; i < rows; ++i, motion += 12) {
    const double step = now[i] - p[i];
    square += step * step;
    BodyContacts::move<Planar>(motion, step, x_a, x_b);
    p[i] = now[i];
    g[i] = step;
  }
  if (contact.moved > 0) contacts_->move_others(contact, g.data());
  return square;
}

double BodyIsland::sweep() {
  double square = 0.0;
  for (const int k : island_) {
    const BodyContacts::Contact& contact = (*contacts_)[k];
    if (contact.rows == 3 && contact.law.ball_count == 1) {
      square += visit<3, 1>(contact);
    } else if (contact.rows == 2 && contact.planar) {
      square += visit<2, 1, true>(contact);
    } else if (contact.rows == 1) {
      square += visit<1, 0>(contact);
    } else {
      square += visit<0, 0>(contact);
    }
  }
  gather();
  return std::sqrt(square);
}

SweepResidual BodyIsland::residual() const {
  double square = 0.0, energy = 0.0;
  for (const int k : island_) {
    const BodyContacts::Contact& contact = (*contacts_)[k];
    const Eigen::Map<const VecX> p(contacts_->p_of(contact), contact.rows);
    RowVector trial = p;
    for (int i = 0; i < contact.rows; ++i) {
      const double rate = contacts_->rate_of_motion(contact, i);
      trial[i] -= contacts_->b[static_cast<std::size_t>(contact.first_row + i)] + rate;
      energy += p[i] * rate;
    }
    project(contact.law, trial.data());
    square += (p - trial).squaredNorm();
  }
  return {std::sqrt(square), std::sqrt(std::max(0.0, energy))};
}

}  // namespace clatter
