#include <algorithm>
#include <array>
#include <numeric>

#include <clatter/contact/solvers/free_contacts.hpp>

namespace clatter {
namespace {

// When Newton's method failed they find the active sets. An update costs as much as some ten of
// them, and one failure is seldom the last: so some are made at once, and more when all else
// failed.
constexpr int first_recovery_sweeps = 150, recovery_sweeps = 500;

// Bodies at rest drift apart by round-off, which a few sweeps over the reactions of the last step
// take back.
constexpr double at_rest = 1e-6;
constexpr int settling_sweeps = 5;
// Islands with more rows start from a guess, unless it leaves more than all of its motion.
constexpr int many_rows = 300;
constexpr double worth_a_start = 1.0;

// What pays in heaps. More memory does not: friction makes the sweeps far from linear. And once the
// change grows, they are better off without what is remembered.
constexpr int sweep_memory = 2;
constexpr double sweep_growth = 1.0;

// The change in a sweep is nearly the residual, as rows are scaled.
constexpr double promising_change = 2.0;
constexpr int sweeps_between_looks = 8;

}  // namespace

FreeContacts::FreeContacts() : gauss_seidel_(sweep_memory, sweep_growth, 0) {}

void FreeContacts::reserve(std::size_t nodes, std::size_t contacts, std::size_t rows) {
  contacts_.reserve(nodes, contacts, rows);
  touching_.reserve(nodes);
  between_spheres_.reserve(contacts);
  for (std::vector<int>* list : {&order_, &island_of_}) list->reserve(contacts);
  island_begin_.reserve(contacts + 1);
  balls_.resize(nodes);
  is_ball_.resize(nodes);
  index_.resize(nodes);
  spheres_.reserve(nodes, contacts);
  any_.reserve(rows);
  guess_.reserve(rows);
  second_guess_.reserve(rows);
  gauss_seidel_.reserve(rows);
  newton_.reserve(contacts,
                  std::min<Eigen::Index>(static_cast<Eigen::Index>(rows), max_newton_rows));
  redundant_.reserve(nodes, rows);
}

void FreeContacts::clear(std::size_t nodes) {
  contacts_.clear(nodes);
  between_spheres_.clear();
  second_guess_.clear();
  has_second_guess_ = false;
  balls_.resize(nodes);
  is_ball_.assign(nodes, 2);
  index_.resize(nodes);
}

void FreeContacts::add(int a, int b, const ContactLaw& law, const PairRows& changes,
                       const PairRows& forces, const RowVector& rates, const RowVector& noise,
                       const RowVector& p, const RowVector& second_guess) {
  contacts_.add(a, b, law, changes, forces, rates, noise, p);
  has_second_guess_ = second_guess.size() > 0;
  if (has_second_guess_) {
    second_guess_.insert(second_guess_.end(), second_guess.begin(), second_guess.end());
  }
  const bool between_spheres =
      is_ball(a) && is_ball(b) &&
      SphereIsland::admits(law, changes, forces, balls_[static_cast<std::size_t>(a)],
                           balls_[static_cast<std::size_t>(b)]);
  between_spheres_.push_back(static_cast<char>(between_spheres));
}

bool FreeContacts::is_ball(int node) {
  char& answer = is_ball_[static_cast<std::size_t>(node)];
  if (answer == 2) {
    const Compliance& own = compliance(node);
    const double translation = own.translation[0], rotation = own.rotation(0, 0);
    const bool same = !own.is_held && (own.translation.array() == translation).all() &&
                      (own.rotation - rotation * Mat3::Identity()).isZero(1e-14 * rotation);
    balls_[static_cast<std::size_t>(node)] = {{}, translation, rotation};
    answer = static_cast<char>(same);
  }
  return answer == 1;
}

RowVector FreeContacts::reaction(std::size_t contact) const {
  const BodyContacts::Contact& own = contacts_.list[contact];
  return Eigen::Map<const VecX>(contacts_.p_of(own), own.rows);
}

/// order_ := contacts sorted by islands, which begin at island_begin_.
void FreeContacts::find_islands() {
  touching_.separate(contacts_.compliances.size());
  for (const BodyContacts::Contact& contact : contacts_.list) {
    if (contacts_.moves(contact.a) && contacts_.moves(contact.b)) {
      touching_.join(contact.a, contact.b);
    }
  }
  for (const BodyContacts::Link& link : contacts_.links) touching_.join(link.from, link.to);
  const std::size_t count = contacts_.list.size();
  island_of_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const BodyContacts::Contact& contact = contacts_.list[k];
    island_of_[k] = touching_.root(contacts_.moves(contact.a) ? contact.a : contact.b);
  }
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  const auto island = [&](int k) { return island_of_[static_cast<std::size_t>(k)]; };
  if (!std::is_sorted(island_of_.begin(), island_of_.end())) {
    std::sort(order_.begin(), order_.end(),
              [&](int k, int l) { return island(k) != island(l) ? island(k) < island(l) : k < l; });
  }
  island_begin_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || island(order_[i]) != island(order_[i - 1])) {
      island_begin_.push_back(static_cast<int>(i));
    }
  }
  island_begin_.push_back(static_cast<int>(count));
}

FreeContacts::Result FreeContacts::solve(bool from_zero, const Precision& precision,
                                         const SweepLimits& limits) {
  const bool may_sweep = limits.most > 0;
  Result result;
  find_islands();
  for (const BodyContacts::Contact& contact : contacts_.list) {
    contacts_.add_motion(contact, contacts_.p_of(contact));
  }
  for (std::size_t i = 0; i + 1 < island_begin_.size(); ++i) {
    const std::span<const int> island(order_.data() + island_begin_[i],
                                      order_.data() + island_begin_[i + 1]);
    if (solve_exactly(island, from_zero, precision, may_sweep, result)) continue;
    if (!may_sweep) {
      result.solved = false;
      return result;
    }
    result.all_exact = false;
    sweep(island, limits, result);
  }
  return result;
}

FreeContacts::Kind FreeContacts::kind_of(std::span<const int> island, const Precision& asked) {
  Kind kind;
  for (const int k : island) kind.rows += contacts_[k].rows;
  kind.is_small = kind.rows <= max_newton_rows;
  // What is not redundant, and few, is better off in a matrix of all, which is not compliant.
  kind.is_among_few = !asked.is_all_there_is && contacts_.list.size() <= few_contacts;
  kind.is_free = redundant_.suits(contacts_, island);
  kind.by_motion =
      kind.is_free && (kind.rows > many_rows || (!kind.is_small && !kind.is_among_few) ||
                       redundant_.is_redundant(contacts_, island));
  kind.is_compliant = kind.is_free && (kind.by_motion || !kind.is_among_few);
  const BodyContacts::Contact& any = contacts_[island.front()];
  kind.of_redundant = asked.of_redundant.empty()
                          ? asked.usual
                          : asked.of_redundant[static_cast<std::size_t>(std::max(any.a, any.b))];
  kind.precision = kind.by_motion ? kind.of_redundant : asked.usual;
  return kind;
}

bool FreeContacts::solve_exactly(std::span<const int> island, bool from_zero,
                                 const Precision& asked, bool may_sweep, Result& result) {
  const Kind kind = kind_of(island, asked);
  if (!kind.is_small && (may_sweep || !kind.by_motion)) return false;
  result.redundant = result.redundant || kind.by_motion;
  if (kind.is_free && !contacts_.bends.empty() && solve_bent(island, kind, result)) return true;
  Start start = settle(island, asked.usual, kind.precision);
  if (kind.by_motion && start == Start::elsewhere && from_zero && has_second_guess_) {
    exchange_guesses(island);
    start = settle(island, asked.usual, kind.precision);
    if (start == Start::elsewhere) exchange_guesses(island);
  }
  if (start == Start::solution) return true;
  // In large islands most contacts go on as before, wherever something happens.
  const bool zero_first =
      from_zero && start == Start::elsewhere &&
      (kind.rows <= many_rows || newton_.misfit(contacts_, island) > worth_a_start);
  const auto comes_through = [&](bool zero, bool patiently) {
    return solve_by_newton(island, kind, zero, patiently, result);
  };
  // Sweeps from zero would not share the load evenly.
  if (kind.by_motion && !zero_first) {
    if (comes_through(false, false)) return true;
    find_active_sets(island, first_recovery_sweeps);
  }
  if (comes_through(zero_first, true)) return true;
  if ((from_zero || kind.is_compliant) && comes_through(!zero_first, true)) return true;
  if (!may_sweep && !kind.is_compliant) return false;
  ++result.recovered;
  find_active_sets(island, recovery_sweeps);
  if (comes_through(false, true)) return true;
  return kind.is_compliant && solve_written_out(island, kind.precision, result);
}

bool FreeContacts::solve_bent(std::span<const int> island, const Kind& kind, Result& result) {
  if (redundant_.solve_bent(contacts_, island, kind.of_redundant, result)) return true;
  find_active_sets(island, first_recovery_sweeps);
  return redundant_.solve_bent(contacts_, island, kind.of_redundant, result);
}

bool FreeContacts::solve_by_newton(std::span<const int> island, const Kind& kind, bool from_zero,
                                   bool patiently, Result& result) {
  const int updates = result.updates;
  if (!kind.by_motion && kind.is_small &&
      newton_.solve(contacts_, island, from_zero, kind.precision, result)) {
    return true;
  }
  if (!kind.is_compliant) return false;
  result.updates = updates;  // those that failed do not count
  const double left =
      redundant_.solve(contacts_, island, from_zero, patiently, kind.precision, result);
  if (left > (kind.is_small && kind.is_among_few ? 0.0 : RedundantNewton::fair)) return false;
  if (left > 0.0) result.all_exact = false;
  result.residual = std::max(result.residual, left);
  return true;
}

bool FreeContacts::solve_written_out(std::span<const int> island, double precision,
                                     Result& result) {
  const ContactProblem problem = contacts_.problem(island);
  VecX p(problem.b.size());
  contacts_.get_reactions(island, p.data());
  double energy = 0.0;
  Eigen::Index row = 0;
  for (const int k : island) {
    for (int i = 0; i < contacts_[k].rows; ++i) {
      energy += p[row++] * contacts_.rate_of_motion(contacts_[k], i);
    }
  }
  const double size = problem.b.norm(), motion = std::sqrt(std::max(0.0, energy));
  const double share = motion > 0.0 ? std::min(1.0, motion / size) : 1.0;
  written_out_.solve(problem, {ContactSolverKind::automatic, 0.1 * RedundantNewton::fair * share},
                     p);
  contacts_.set_reactions(island, p.data());
  double left = newton_.misfit(contacts_, island);
  if (left > RedundantNewton::fair) {
    const double after = redundant_.solve(contacts_, island, false, true, precision, result);
    if (after <= left) {
      left = after;
    } else {
      contacts_.set_reactions(island, p.data());
    }
  }
  if (left > RedundantNewton::poor) return false;
  if (left > RedundantNewton::fair) result.all_exact = false;
  result.residual = std::max(result.residual, left);
  return true;
}

/// Takes the second guesses of the contacts of an island for the first, and the reverse.
void FreeContacts::exchange_guesses(std::span<const int> island) {
  for (const int k : island) {
    const BodyContacts::Contact& contact = contacts_[k];
    Eigen::Map<VecX> second(second_guess_.data() + contact.first_row, contact.rows);
    const RowVector first = Eigen::Map<const VecX>(contacts_.p_of(contact), contact.rows);
    contacts_.set_reaction(contact, second);
    second = first;
  }
}

FreeContacts::Start FreeContacts::settle(std::span<const int> island, double usual,
                                         double precision) {
  // What did for the last step need not be better than that.
  const auto enough = [](double p) { return std::max(p, std::min(100.0 * p, 1e-8)); };
  double misfit = newton_.misfit(contacts_, island);
  if (misfit > at_rest) return Start::elsewhere;
  any_.attach(contacts_, island);
  for (int sweeps = 0; misfit > enough(usual) && sweeps < settling_sweeps; ++sweeps) {
    any_.sweep();
    misfit = newton_.misfit(contacts_, island);
  }
  return misfit <= enough(precision) ? Start::solution : Start::nearby;
}

void FreeContacts::sweep(std::span<const int> island, const SweepLimits& limits, Result& result) {
  double relative = 0.0;
  if (pack(island)) {
    relative = sweep_island(spheres_, limits, result);
    unpack(island);
  } else {
    any_.attach(contacts_, island);
    relative = sweep_island(any_, limits, result);
  }
  result.residual = std::max(result.residual, relative);
  if (!(relative <= limits.tolerance)) result.solved = false;
}

template <class Island>
double FreeContacts::sweep_island(Island& island, const SweepLimits& limits, Result& result) {
  const double guessed = island.residual().size;
  guess_.assign(island.reactions().begin(), island.reactions().end());
  island.release();
  const double without = island.residual().size;
  if (without == 0.0) return 0.0;  // nothing closes
  if (guessed < without) island.set_reactions(guess_);
  SweepStop stop(limits, promising_change, sweeps_between_looks);
  const int sweeps =
      gauss_seidel_.sweep(island, limits.most, [&](double change, int sweeps_so_far) {
        return stop.is_enough(island, change, sweeps_so_far);
      });
  result.sweeps = std::max(result.sweeps, sweeps);
  const SweepResidual left = sweeps == limits.most ? island.residual() : stop.residual();
  return left.size / left.motion;
}

void FreeContacts::find_active_sets(std::span<const int> island, int sweeps) {
  any_.attach(contacts_, island);
  gauss_seidel_.sweep(any_, sweeps, [&](double change, int /*sweeps*/) {
    const Eigen::Map<const VecX> p(any_.reactions().data(), static_cast<Eigen::Index>(any_.rows()));
    return change <= 1e-12 * p.norm();
  });
}

bool FreeContacts::pack(std::span<const int> island) {
  for (const int k : island) {
    if (between_spheres_[static_cast<std::size_t>(k)] == 0) return false;
  }
  spheres_.clear();
  for (const int k : island) {
    for (const int node : {contacts_[k].a, contacts_[k].b}) {
      index_[static_cast<std::size_t>(node)] = -1;
    }
  }
  const auto index_of = [&](int node) {
    int& index = index_[static_cast<std::size_t>(node)];
    if (index < 0) index = spheres_.add(balls_[static_cast<std::size_t>(node)]);
    return index;
  };
  for (const int k : island) {
    const BodyContacts::Contact& contact = contacts_[k];
    const int a = index_of(contact.a), b = index_of(contact.b);
    const std::array<double, 2> steps{contact.normal_step, contact.ball_steps[0]};
    spheres_.add(a, b, contact.law.balls[0].coefficient,
                 contacts_.changes.data() + 12 * contact.first_row,
                 contacts_.b.data() + contact.first_row, steps.data(), contacts_.p_of(contact));
  }
  guess_.assign(spheres_.reactions().begin(), spheres_.reactions().end());
  spheres_.set_reactions(guess_);
  return true;
}

void FreeContacts::unpack(std::span<const int> island) {
  const double* p = spheres_.reactions().data();
  for (const int k : island) {
    const BodyContacts::Contact& contact = contacts_[k];
    std::copy_n(p, 3, contacts_.p_of(contact));
    p += 3;
    for (const int node : {contact.a, contact.b}) {
      const double* x = spheres_.node(index_[static_cast<std::size_t>(node)]).x;
      std::copy_n(x, 6, contacts_.x.data() + 6 * node);
    }
  }
}

}  // namespace clatter
