#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include <clatter/contact/solvers/least_reactions.hpp>

namespace clatter {
namespace {

// Directions in which contacts hold bodies by so little are round-off of their rows.
constexpr double least_hold = 1e-10;
// Of the wrench, that least squares may miss.
constexpr double accurate = 1e-8;
// Friction that is so near to its limit slips.
constexpr double at_limit = 1e-9;

/// The unknowns of HeldLoad: of each contact the normal reaction, together with friction at its
/// limit, and the rows of friction below it.
class Relief {
 public:
  explicit Relief(HeldLoad& load) : load_(load), x_(load.reactions) {
    for (std::size_t k = 0; k < load_.contacts.size(); ++k) {
      const CondensedContact& contact = load_.contacts[k];
      Held& held = held_.emplace_back();
      for (std::size_t b = 0; b < contact.law.all_balls().size(); ++b) {
        const FrictionBall& ball = contact.law.balls[b];
        const double radius = ball.coefficient * normal(contact);
        const bool may_slip = k >= load_.slips.size() || load_.slips[k][b];
        held.slips.push_back(may_slip && !(rows(contact, ball).norm() < (1.0 - at_limit) * radius));
      }
    }
  }

  bool run() {
    const std::size_t most = load_.contacts.size() * (1 + max_friction_blocks);
    for (std::size_t k = 0; k <= most; ++k) {
      if (!find_least()) return k > 0;
      if (go_there()) return true;
    }
    return true;
  }

 private:
  struct Held {
    bool pushes = true;
    std::vector<bool> slips;  ///< by balls
  };

  double& normal(const CondensedContact& contact) { return x_[contact.first_row]; }
  Eigen::VectorBlock<VecX> rows(const CondensedContact& contact, const FrictionBall& ball) {
    return x_.segment(contact.first_row + ball.first_row, ball.rows);
  }

  /// target_ := the reactions of least norm with the wrench, in the rows that are free.
  bool find_least() {
    // basis_ * unknowns = reactions
    basis_ = MatX::Zero(x_.size(), x_.size());
    Eigen::Index count = 0;
    for (std::size_t k = 0; k < load_.contacts.size(); ++k) {
      const CondensedContact& contact = load_.contacts[k];
      if (!held_[k].pushes) continue;
      auto push = basis_.col(count++);
      push[contact.first_row] = 1.0;
      for (std::size_t b = 0; b < held_[k].slips.size(); ++b) {
        const FrictionBall& ball = contact.law.balls[b];
        const Eigen::Index first = contact.first_row + ball.first_row;
        if (held_[k].slips[b]) {
          const double size = rows(contact, ball).norm();
          if (size > 0.0) {
            push.segment(first, ball.rows) = ball.coefficient / size * rows(contact, ball);
          }
        } else {
          for (int i = 0; i < ball.rows; ++i) basis_(first + i, count++) = 1.0;
        }
      }
    }
    const int first_of_joints = load_.contacts.back().first_row + load_.contacts.back().rows;
    for (Eigen::Index row = first_of_joints; row < x_.size(); ++row) basis_(row, count++) = 1.0;
    if (count == 0) return false;
    const MatX own = basis_.leftCols(count);
    VecX sizes = own.colwise().norm();
    const MatX unit = own * sizes.cwiseInverse().asDiagonal();
    const MatX wrenches = load_.wrenches * unit;
    Eigen::CompleteOrthogonalDecomposition<MatX> hold;
    hold.setThreshold(least_hold);
    hold.compute(wrenches);
    const VecX unknowns = hold.solve(load_.wrench);
    target_ = unit * unknowns;
    return (wrenches * unknowns - load_.wrench).norm() <= accurate * load_.wrench.norm();
  }

  /// Goes as far towards the target as contacts push and friction holds. True: all of the way.
  bool go_there() {
    const VecX way = target_ - x_;
    double part = 1.0;
    Held* first = nullptr;
    std::size_t ball_of_first = 0;
    bool lets_go = false;
    for (std::size_t k = 0; k < load_.contacts.size(); ++k) {
      const CondensedContact& contact = load_.contacts[k];
      if (!held_[k].pushes) continue;
      const double N = normal(contact), dN = way[contact.first_row];
      if (N + part * dN < 0.0) {
        part = N / -dN;
        first = &held_[k];
        lets_go = true;
      }
      for (std::size_t b = 0; b < held_[k].slips.size(); ++b) {
        if (held_[k].slips[b]) continue;
        const FrictionBall& ball = contact.law.balls[b];
        const double limit = way_to_limit(
            rows(contact, ball), way.segment(contact.first_row + ball.first_row, ball.rows),
            ball.coefficient * N, ball.coefficient * dN);
        if (!(limit < part)) continue;
        part = limit;
        first = &held_[k];
        ball_of_first = b;
        lets_go = false;
      }
    }
    if (first == nullptr) {
      x_ = target_;
      return true;
    }
    x_ += part * way;
    if (!lets_go) {
      first->slips[ball_of_first] = true;
      return false;
    }
    first->pushes = false;
    const CondensedContact& contact =
        load_.contacts[static_cast<std::size_t>(first - held_.data())];
    x_.segment(contact.first_row, contact.rows).setZero();
    return false;
  }

  /// The part of the way after which |T + s dT| = R + s dR, where it is less at the start; one if
  /// all of it can be gone. By bisection: at the tip of the cone roots of the square are lost in
  /// round-off.
  template <class Rows, class Way>
  static double way_to_limit(const Rows& T, const Way& dT, double R, double dR) {
    const auto is_inside = [&](double s) { return (T + s * dT).norm() <= R + s * dR; };
    if (is_inside(1.0)) return 1.0;
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (is_inside(middle) ? low : high) = middle;
    }
    return low;
  }

  HeldLoad& load_;
  VecX& x_;
  VecX target_;
  MatX basis_;
  std::vector<Held> held_;
};

}  // namespace

bool relieve(HeldLoad& load) { return Relief(load).run(); }

}  // namespace clatter
