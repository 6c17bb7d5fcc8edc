#pragma once

#include <algorithm>
#include <array>

namespace clatter {

/// The merits of the last three iterates of Newton's method.
class RecentMerits {
 public:
  explicit RecentMerits(double merit) { merits_.fill(merit); }
  void remember(int update, double merit) {
    merits_[static_cast<std::size_t>(update) % merits_.size()] = merit;
  }
  double largest() const { return *std::max_element(merits_.begin(), merits_.end()); }
  double smallest() const { return *std::min_element(merits_.begin(), merits_.end()); }

 private:
  std::array<double, 3> merits_;
};

enum class NewtonVerdict { go_on, solved, given_up };
enum class NewtonEnd { solved, given_up, no_update };

/// Newton's method with a nonmonotone line search: a full update is taken if the merit does not
/// exceed the largest of the last three; else it is halved, up to `max_halvings` times, and if
/// nothing helps the full update is taken after all. For kinks may raise the merit for a while.
///
/// What is solved, how the unknowns are kept and when to stop is up to the problem, which stands
/// evaluated at its first guess and has
///
///   double merit() const;      size of the residual where it stands
///   NewtonVerdict judge(int updates, const RecentMerits&);       after so many updates
///   bool find_update();        linearises, factorises and solves; false: that cannot be done
///   void move(double from, double to);    goes from one share of the update to another one, the
///                                         first time from none, and evaluates there
///   bool accepts(double largest) const;   whether the line search may end here; mostly
///                                         merit() <= largest
///
/// `updates`: how many were made.
template <class Problem>
NewtonEnd solve_by_newton(Problem& problem, int max_halvings, int& updates) {
  RecentMerits recent(problem.merit());
  for (updates = 0;; ++updates) {
    const NewtonVerdict verdict = problem.judge(updates, recent);
    if (verdict == NewtonVerdict::solved) return NewtonEnd::solved;
    if (verdict == NewtonVerdict::given_up) return NewtonEnd::given_up;
    if (!problem.find_update()) return NewtonEnd::no_update;
    const double largest = recent.largest();
    double length = 1.0;
    problem.move(0.0, length);
    for (int k = 0; k < max_halvings && !problem.accepts(largest); ++k) {
      problem.move(length, 0.5 * length);
      length *= 0.5;
    }
    if (length < 1.0 && !problem.accepts(largest)) problem.move(length, 1.0);
    recent.remember(updates, problem.merit());
  }
}

}  // namespace clatter
