#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <clatter/contact/law/projection.hpp>
#include <clatter/contact/solvers/free_contacts.hpp>

namespace clatter {
namespace {

constexpr int recovery_sweeps = 500;  // when Newton's method failed: they find the active sets
constexpr int max_newton = 30;
constexpr int max_halvings = 8;
constexpr int local_iterations = 2;  // that sweeps spend on a contact
constexpr double regularisation = 1e-9;

// What pays in heaps. More memory does not: friction makes the sweeps far from linear. And once the
// change grows, they are better off without what is remembered.
constexpr int sweep_memory = 2;
constexpr double sweep_growth = 1.0;

}  // namespace

FreeContacts::FreeContacts() : accelerator_(sweep_memory, sweep_growth) {}

void FreeContacts::reserve(std::size_t nodes, std::size_t contacts, std::size_t rows) {
  compliances_.resize(nodes);
  x_.resize(6 * static_cast<Eigen::Index>(nodes));
  touching_.reserve(nodes);
  items_.reserve(contacts);
  for (std::vector<int>* list : {&order_, &row_of_item_}) list->reserve(contacts);
  island_begin_.reserve(contacts + 1);
  for (std::vector<double>* list : {&changes_, &motions_}) list->reserve(12 * rows);
  for (std::vector<double>* list : {&rates_, &p_}) list->reserve(rows);
  local_.reserve(rows * max_contact_rows);
  balls_.resize(nodes);
  is_ball_.resize(nodes);
  index_.resize(nodes);
  spheres_.reserve(nodes, contacts);
  for (std::vector<double>* list : {&before_, &after_}) list->reserve(rows);
  accelerator_.reserve(rows);
  size_dense(std::min<Eigen::Index>(static_cast<Eigen::Index>(rows), max_newton_rows));
}

void FreeContacts::size_dense(Eigen::Index n) {
  if (D_.rows() >= n) return;
  D_.resize(n, n);
  J_.resize(n, n);
  for (VecX* x : {&b_, &residual_, &trial_p_, &start_, &update_}) x->resize(n);
  lu_.reserve(n);
}

void FreeContacts::clear(std::size_t nodes) {
  compliances_.resize(nodes);
  balls_.resize(nodes);
  is_ball_.assign(nodes, 2);
  index_.resize(nodes);
  x_.setZero(6 * static_cast<Eigen::Index>(nodes));
  items_.clear();
  changes_.clear();
  motions_.clear();
  rates_.clear();
  p_.clear();
  local_.clear();
}

void FreeContacts::add(int a, int b, const ContactLaw& law, const PairRows& changes,
                       const PairRows& forces, const RowVector& rates, const RowVector& p) {
  const auto rows = static_cast<int>(rates.size());
  const auto first = static_cast<int>(p_.size());
  const Compliance &of_a = compliances_[static_cast<std::size_t>(a)],
                   &of_b = compliances_[static_cast<std::size_t>(b)];
  Lines motion(rows, 12);
  for (int i = 0; i < rows; ++i) {
    motion.row(i).segment<3>(0) =
        forces.row(i).segment<3>(0).cwiseProduct(of_a.translation.transpose());
    motion.row(i).segment<3>(3) = (of_a.rotation * forces.row(i).segment<3>(3).transpose());
    motion.row(i).segment<3>(6) =
        forces.row(i).segment<3>(6).cwiseProduct(of_b.translation.transpose());
    motion.row(i).segment<3>(9) = (of_b.rotation * forces.row(i).segment<3>(9).transpose());
  }
  const Lines change = changes;
  changes_.insert(changes_.end(), change.data(), change.data() + 12 * rows);
  motions_.insert(motions_.end(), motion.data(), motion.data() + 12 * rows);
  rates_.insert(rates_.end(), rates.data(), rates.data() + rows);
  p_.insert(p_.end(), p.data(), p.data() + rows);
  const RowMatrix local = change * motion.transpose();
  const bool between_spheres =
      is_ball(a) && is_ball(b) &&
      SphereIsland::admits(law, changes, forces, balls_[static_cast<std::size_t>(a)],
                           balls_[static_cast<std::size_t>(b)]);
  Item item{
      a, b, first, rows, static_cast<int>(local_.size()), between_spheres, law, 1.0 / local(0, 0),
      {}};
  for (int k = 0; k < law.ball_count; ++k) {
    // No rate of a ball grows faster than this with its reaction: Gershgorin, or the trace.
    const auto block = local.block(law.balls[k].first_row, law.balls[k].first_row,
                                   law.balls[k].rows, law.balls[k].rows);
    const double bound = std::min(block.trace(), block.cwiseAbs().rowwise().sum().maxCoeff());
    item.ball_steps[k] = bound > 0.0 ? 1.0 / bound : 0.0;
  }
  local_.insert(local_.end(), local.data(), local.data() + local.size());
  items_.push_back(item);
}

bool FreeContacts::is_ball(int node) {
  char& answer = is_ball_[static_cast<std::size_t>(node)];
  if (answer == 2) {
    const Compliance& own = compliances_[static_cast<std::size_t>(node)];
    const double translation = own.translation[0], rotation = own.rotation(0, 0);
    const bool same = (own.translation.array() == translation).all() &&
                      (own.rotation - rotation * Mat3::Identity()).isZero(1e-14 * rotation);
    balls_[static_cast<std::size_t>(node)] = {{}, translation, rotation};
    answer = static_cast<char>(same);
  }
  return answer == 1;
}

RowVector FreeContacts::reaction(std::size_t contact) const {
  const Item& item = items_[contact];
  return Eigen::Map<const VecX>(p_.data() + item.first_row, item.rows);
}

/// order_ := contacts sorted by islands, which begin at island_begin_.
void FreeContacts::find_islands() {
  touching_.separate(compliances_.size());
  for (const Item& item : items_) {
    if (moves(item.a) && moves(item.b)) touching_.join(item.a, item.b);
  }
  const auto island_of = [&](int k) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    return touching_.root(moves(item.a) ? item.a : item.b);
  };
  order_.resize(items_.size());
  std::iota(order_.begin(), order_.end(), 0);
  row_of_item_.resize(items_.size());
  for (std::size_t k = 0; k < items_.size(); ++k) {
    row_of_item_[k] = island_of(static_cast<int>(k));
  }
  std::sort(order_.begin(), order_.end(), [&](int k, int l) {
    const int one = row_of_item_[static_cast<std::size_t>(k)];
    const int two = row_of_item_[static_cast<std::size_t>(l)];
    return one != two ? one < two : k < l;
  });
  island_begin_.clear();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto island = [&](std::size_t at) {
      return row_of_item_[static_cast<std::size_t>(order_[at])];
    };
    if (i == 0 || island(i) != island(i - 1)) island_begin_.push_back(static_cast<int>(i));
  }
  island_begin_.push_back(static_cast<int>(order_.size()));
}

FreeContacts::Result FreeContacts::solve(bool from_zero, double precision,
                                         const SweepLimits& limits) {
  const bool may_sweep = limits.most > 0;
  Result result;
  find_islands();
  for (const Item& item : items_) {
    add_motion(item, p_.data() + item.first_row);
  }
  for (std::size_t i = 0; i + 1 < island_begin_.size(); ++i) {
    const std::span<const int> island(order_.data() + island_begin_[i],
                                      order_.data() + island_begin_[i + 1]);
    int rows = 0;
    for (const int k : island) rows += items_[static_cast<std::size_t>(k)].rows;
    const bool small = rows <= max_newton_rows;
    // Reactions that did for the last step, as they do at rest, need not be better than that.
    const double enough = std::max(precision, std::min(100.0 * precision, 1e-8));
    bool solved = (small || !may_sweep) && is_solved(island, enough);
    if (!solved && small) solved = newton(island, from_zero, precision, result);
    if (!solved && small && from_zero) solved = newton(island, false, precision, result);
    if (!solved && !may_sweep) {
      result.solved = false;
      return result;
    }
    if (!solved && small) {
      ++result.recovered;
      find_active_sets(island);
      solved = newton(island, false, precision, result);
    }
    if (!solved) {
      result.all_exact = false;
      sweep(island, limits, result);
    }
  }
  return result;
}

void FreeContacts::add_motion(const Item& item, const double* change) {
  const double* line = motions_.data() + 12 * item.first_row;
  double *x_a = x_.data() + 6 * item.a, *x_b = x_.data() + 6 * item.b;
  for (int i = 0; i < item.rows; ++i, line += 12) {
    for (int k = 0; k < 6; ++k) x_a[k] += change[i] * line[k];
    for (int k = 0; k < 6; ++k) x_b[k] += change[i] * line[k + 6];
  }
}

/// Makes one contact obey its law, the others given: by a few steps of projection, written out
/// because nearly all of the time of a large island is spent here. Rows, Balls: their numbers when
/// known beforehand, or zero.
template <int Rows, int Balls>
double FreeContacts::solve_one(const Item& item) {
  const int rows = Rows > 0 ? Rows : item.rows;
  const int balls = Rows > 0 ? Balls : item.law.ball_count;
  const double* D = local_.data() + item.local_begin;
  double* p = p_.data() + item.first_row;
  double *x_a = x_.data() + 6 * item.a, *x_b = x_.data() + 6 * item.b;
  const double* line = changes_.data() + 12 * item.first_row;
  std::array<double, max_contact_rows> g, now;
  const auto rate = [&](int i) {
    const double *c = line + 12 * i, *d = c + 6;  // four sums, for additions have to wait
    double s0 = c[0] * x_a[0], s1 = c[1] * x_a[1], s2 = d[0] * x_b[0], s3 = d[1] * x_b[1];
    s0 += c[2] * x_a[2], s1 += c[3] * x_a[3], s2 += d[2] * x_b[2], s3 += d[3] * x_b[3];
    s0 += c[4] * x_a[4], s1 += c[5] * x_a[5], s2 += d[4] * x_b[4], s3 += d[5] * x_b[5];
    return rates_[static_cast<std::size_t>(item.first_row + i)] + ((s0 + s1) + (s2 + s3));
  };
  g[0] = rate(0);
  if (p[0] == 0.0 && g[0] >= 0.0) return 0.0;  // open, and stays so
  for (int i = 1; i < rows; ++i) g[i] = rate(i);
  for (int i = 0; i < rows; ++i) now[i] = p[i];
  const auto change = [&](int row, double by) {
    now[row] += by;
    for (int i = 0; i < rows; ++i) g[i] += by * D[rows * row + i];
  };
  for (int k = 0; k < local_iterations; ++k) {
    change(0, project_normal(now[0] - g[0] * item.normal_step) - now[0]);
    for (int b = 0; b < balls; ++b) {
      const FrictionBall& ball = item.law.balls[b];
      const int first = Rows > 0 ? 1 : ball.first_row, count = Rows > 0 ? Rows - 1 : ball.rows;
      std::array<double, max_contact_rows> trial;
      for (int i = 0; i < count; ++i) {
        trial[i] = now[first + i] - item.ball_steps[b] * g[first + i];
      }
      project_on_ball<(Rows > 0 ? Rows - 1 : 0)>(ball.coefficient * now[0], count, trial.data());
      for (int i = 0; i < count; ++i) change(first + i, trial[i] - now[first + i]);
    }
  }
  const double* motion = motions_.data() + 12 * item.first_row;
  double square = 0.0;
  for (int i = 0; i < rows; ++i, motion += 12) {
    const double step = now[i] - p[i];
    square += step * step;
    for (int k = 0; k < 6; ++k) x_a[k] += step * motion[k];
    for (int k = 0; k < 6; ++k) x_b[k] += step * motion[k + 6];
    p[i] = now[i];
  }
  return square;
}

/// Any contacts, swept where they lie; see SphereIsland for what the members do.
class FreeContacts::AnyIsland {
 public:
  AnyIsland(FreeContacts& of, std::span<const int> island) : of_(of), island_(island) {
    for (const int k : island_) rows_ += of_.items_[static_cast<std::size_t>(k)].rows;
    gather();
  }

  std::size_t rows() const { return static_cast<std::size_t>(rows_); }
  std::span<const double> reactions() const { return of_.after_; }

  void set_reactions(std::span<const double> p) {
    const double* own = p.data();
    for (const int k : island_) {
      const Item& item = of_.items_[static_cast<std::size_t>(k)];
      RowVector target = Eigen::Map<const VecX>(own, item.rows);
      project(item.law, target.data());
      Eigen::Map<VecX> now(of_.p_.data() + item.first_row, item.rows);
      const RowVector change = target - now;
      of_.add_motion(item, change.data());
      now = target;
      own += item.rows;
    }
    gather();
  }

  void release() {
    for (const int k : island_) {
      const Item& item = of_.items_[static_cast<std::size_t>(k)];
      Eigen::Map<VecX> now(of_.p_.data() + item.first_row, item.rows);
      const RowVector change = -now;
      of_.add_motion(item, change.data());
      now.setZero();
    }
    gather();
  }

  double sweep() {
    double square = 0.0;
    for (const int k : island_) {
      const Item& item = of_.items_[static_cast<std::size_t>(k)];
      if (item.rows == 3 && item.law.ball_count == 1) {
        square += of_.solve_one<3, 1>(item);
      } else if (item.rows == 1) {
        square += of_.solve_one<1, 0>(item);
      } else {
        square += of_.solve_one<0, 0>(item);
      }
    }
    gather();
    return std::sqrt(square);
  }

  SweepResidual residual() const {
    double square = 0.0, energy = 0.0;
    for (const int k : island_) {
      const Item& item = of_.items_[static_cast<std::size_t>(k)];
      const Eigen::Map<const VecX> p(of_.p_.data() + item.first_row, item.rows);
      RowVector trial = p;
      for (int i = 0; i < item.rows; ++i) {
        const double* line = of_.changes_.data() + 12 * (item.first_row + i);
        const double rate = Eigen::Map<const Vec6>(line).dot(of_.x_.segment<6>(6 * item.a)) +
                            Eigen::Map<const Vec6>(line + 6).dot(of_.x_.segment<6>(6 * item.b));
        trial[i] -= of_.rates_[static_cast<std::size_t>(item.first_row + i)] + rate;
        energy += p[i] * rate;
      }
      project(item.law, trial.data());
      square += (p - trial).squaredNorm();
    }
    return {std::sqrt(square), std::sqrt(std::max(0.0, energy))};
  }

 private:
  void gather() {
    of_.after_.clear();
    for (const int k : island_) {
      const Item& item = of_.items_[static_cast<std::size_t>(k)];
      const double* p = of_.p_.data() + item.first_row;
      of_.after_.insert(of_.after_.end(), p, p + item.rows);
    }
  }

  FreeContacts& of_;
  std::span<const int> island_;
  int rows_ = 0;
};

namespace {

/// Sweeps until it is done, accelerated. Returns how often.
template <class Island, class IsDone>
int sweep_until(const IsDone& is_done, int max_sweeps, Island& island,
                FixedPointAccelerator& accelerator, std::vector<double>& before) {
  accelerator.restart(island.rows());
  before.assign(island.reactions().begin(), island.reactions().end());
  for (int sweeps = 1;; ++sweeps) {
    const double change = island.sweep();
    if (is_done(change, sweeps) || sweeps >= max_sweeps) return sweeps;
    if (accelerator.extrapolate(before, island.reactions())) {
      island.set_reactions(before);
      before.assign(island.reactions().begin(), island.reactions().end());
    }
  }
}

}  // namespace

void FreeContacts::sweep(std::span<const int> island, const SweepLimits& limits, Result& result) {
  const auto run = [&](auto& contacts) {
    const double guessed = contacts.residual().size;
    before_.assign(contacts.reactions().begin(), contacts.reactions().end());
    contacts.release();
    const double without = contacts.residual().size;
    if (without == 0.0) return 0.0;  // nothing closes
    if (guessed < without) contacts.set_reactions(before_);
    SweepResidual residual;
    const auto is_done = [&](double change, int sweeps) {
      const double rise = std::max(1.0, sweeps / limits.patience);
      const double tolerance = limits.tolerance * rise * rise;
      // The change in a sweep is nearly the residual, as rows are scaled, and comes for nothing.
      const bool may_do = change <= 2.0 * tolerance * residual.motion;
      if (!may_do && sweeps % 8 != 1) return false;
      residual = contacts.residual();
      return residual.size <= tolerance * residual.motion;
    };
    const int sweeps = sweep_until(is_done, limits.most, contacts, accelerator_, before_);
    result.sweeps = std::max(result.sweeps, sweeps);
    if (sweeps == limits.most) residual = contacts.residual();
    return residual.size / residual.motion;
  };
  double relative;
  if (pack(island)) {
    relative = run(spheres_);
    unpack(island);
  } else {
    AnyIsland any(*this, island);
    relative = run(any);
  }
  result.residual = std::max(result.residual, relative);
  if (!(relative <= limits.tolerance)) result.solved = false;
}

void FreeContacts::find_active_sets(std::span<const int> island) {
  AnyIsland any(*this, island);
  const auto is_done = [&](double change, int /*sweeps*/) {
    const Eigen::Map<const VecX> p(after_.data(), static_cast<Eigen::Index>(after_.size()));
    return change <= 1e-12 * p.norm();
  };
  sweep_until(is_done, recovery_sweeps, any, accelerator_, before_);
}

bool FreeContacts::pack(std::span<const int> island) {
  for (const int k : island) {
    if (!items_[static_cast<std::size_t>(k)].between_spheres) return false;
  }
  spheres_.clear();
  for (const int k : island) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    for (const int node : {item.a, item.b}) index_[static_cast<std::size_t>(node)] = -1;
  }
  const auto index_of = [&](int node) {
    int& index = index_[static_cast<std::size_t>(node)];
    if (index < 0) index = spheres_.add(balls_[static_cast<std::size_t>(node)]);
    return index;
  };
  for (const int k : island) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    const int a = index_of(item.a), b = index_of(item.b);
    const std::array<double, 2> steps{item.normal_step, item.ball_steps[0]};
    spheres_.add(a, b, item.law.balls[0].coefficient, changes_.data() + 12 * item.first_row,
                 rates_.data() + item.first_row, steps.data(), p_.data() + item.first_row);
  }
  before_.assign(spheres_.reactions().begin(), spheres_.reactions().end());
  spheres_.set_reactions(before_);
  return true;
}

void FreeContacts::unpack(std::span<const int> island) {
  const double* p = spheres_.reactions().data();
  for (const int k : island) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    std::copy_n(p, 3, p_.data() + item.first_row);
    p += 3;
    for (const int node : {item.a, item.b}) {
      const double* x = spheres_.node(index_[static_cast<std::size_t>(node)]).x;
      std::copy_n(x, 6, x_.data() + 6 * node);
    }
  }
}

void FreeContacts::fill_dense(std::span<const int> island, Eigen::Index n) {
  size_dense(n);
  D_.topLeftCorner(n, n).setZero();
  int row = 0;
  for (const int k : island) {
    row_of_item_[static_cast<std::size_t>(k)] = row;
    row += items_[static_cast<std::size_t>(k)].rows;
  }
  for (const int k : island) {
    const Item& one = items_[static_cast<std::size_t>(k)];
    const double* change = changes_.data() + 12 * one.first_row;
    for (const int l : island) {
      const Item& two = items_[static_cast<std::size_t>(l)];
      const double* motion = motions_.data() + 12 * two.first_row;
      for (const int side : {0, 1}) {
        for (const int other : {0, 1}) {
          const int node = side == 0 ? one.a : one.b;
          if (node != (other == 0 ? two.a : two.b) || !moves(node)) continue;
          for (int i = 0; i < one.rows; ++i) {
            for (int j = 0; j < two.rows; ++j) {
              D_(row_of_item_[static_cast<std::size_t>(k)] + i,
                 row_of_item_[static_cast<std::size_t>(l)] + j) +=
                  Eigen::Map<const Vec6>(change + 12 * i + 6 * side)
                      .dot(Eigen::Map<const Vec6>(motion + 12 * j + 6 * other));
            }
          }
        }
      }
    }
  }
}

/// residual_ := that of the contact laws at reactions p, and on request its derivative.
double FreeContacts::evaluate_island(std::span<const int> island, Eigen::Index n,
                                     bool with_derivative) {
  for (const int k : island) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    const Eigen::Index row = row_of_item_[static_cast<std::size_t>(k)], count = item.rows;
    const RowVector la = trial_p_.segment(row, count);
    RowVector g = b_.segment(row, count);
    for (Eigen::Index i = 0; i < count; ++i) g[i] += D_.row(row + i).head(n).dot(trial_p_.head(n));
    evaluate(item.law, true, g, la, with_derivative, equations_);
    residual_.segment(row, count) = equations_.residual;
    if (!with_derivative) continue;
    for (Eigen::Index i = 0; i < count; ++i) {
      auto line = J_.row(row + i).head(n);
      line.setZero();
      for (Eigen::Index j = 0; j < count; ++j) {
        const double factor = equations_.dresidual_dg(i, j);
        if (factor != 0.0) line += factor * D_.row(row + j).head(n);
      }
    }
    J_.block(row, row, count, count) += equations_.dresidual_dla;
  }
  return residual_.head(n).norm();
}

bool FreeContacts::is_solved(std::span<const int> island, double precision) {
  double worst = 0.0, size_b = 0.0, size_p = 0.0;
  for (const int k : island) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    const RowVector la = Eigen::Map<const VecX>(p_.data() + item.first_row, item.rows);
    RowVector g = Eigen::Map<const VecX>(rates_.data() + item.first_row, item.rows);
    size_b = std::max(size_b, g.cwiseAbs().maxCoeff());
    size_p = std::max(size_p, la.cwiseAbs().maxCoeff());
    for (int i = 0; i < item.rows; ++i) {
      const double* line = changes_.data() + 12 * (item.first_row + i);
      g[i] += Eigen::Map<const Vec6>(line).dot(x_.segment<6>(6 * Eigen::Index{item.a})) +
              Eigen::Map<const Vec6>(line + 6).dot(x_.segment<6>(6 * Eigen::Index{item.b}));
    }
    evaluate(item.law, true, g, la, false, equations_);
    worst = std::max(worst, equations_.residual.cwiseAbs().maxCoeff());
  }
  return worst <= std::max(precision, 1e-14) * (size_b + size_p);
}

ContactProblem FreeContacts::problem() const {
  ContactProblem problem;
  const auto rows = static_cast<Eigen::Index>(rates_.size());
  problem.b = Eigen::Map<const VecX>(rates_.data(), rows);
  std::vector<std::vector<std::pair<int, int>>> at_node(compliances_.size());  // item, side
  for (std::size_t k = 0; k < items_.size(); ++k) {
    const Item& item = items_[k];
    problem.contacts.push_back({item.first_row, item.rows, item.law});
    for (const int side : {0, 1}) {
      const int node = side == 0 ? item.a : item.b;
      if (moves(node)) at_node[static_cast<std::size_t>(node)].emplace_back(k, side);
    }
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& sides : at_node) {
    for (const auto& [k, side] : sides) {
      const Item& one = items_[static_cast<std::size_t>(k)];
      for (const auto& [l, other] : sides) {
        const Item& two = items_[static_cast<std::size_t>(l)];
        for (int i = 0; i < one.rows; ++i) {
          const double* change = changes_.data() + 12 * (one.first_row + i) + 6 * side;
          for (int j = 0; j < two.rows; ++j) {
            const double* motion = motions_.data() + 12 * (two.first_row + j) + 6 * other;
            entries.emplace_back(
                one.first_row + i, two.first_row + j,
                Eigen::Map<const Vec6>(change).dot(Eigen::Map<const Vec6>(motion)));
          }
        }
      }
    }
  }
  problem.W.resize(rows, rows);
  problem.W.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

bool FreeContacts::newton(std::span<const int> island, bool from_zero, double precision,
                          Result& result) {
  Eigen::Index n = 0;
  for (const int k : island) n += items_[static_cast<std::size_t>(k)].rows;
  fill_dense(island, n);
  for (const int k : island) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    const Eigen::Index row = row_of_item_[static_cast<std::size_t>(k)];
    b_.segment(row, item.rows) = Eigen::Map<const VecX>(rates_.data() + item.first_row, item.rows);
    start_.segment(row, item.rows) = Eigen::Map<const VecX>(p_.data() + item.first_row, item.rows);
  }
  if (from_zero) {
    trial_p_.head(n).setZero();
  } else {
    trial_p_.head(n) = start_.head(n);
  }
  double residual = evaluate_island(island, n, true);
  int updates = 0;
  VecX& p = trial_p_;
  const auto allowed = [&] {
    return std::max(precision, 1e-14) *
           (b_.head(n).cwiseAbs().maxCoeff() + p.head(n).cwiseAbs().maxCoeff());
  };
  bool singular = false;
  std::array<double, 3> recent;
  recent.fill(residual);
  for (; residual > allowed(); ++updates) {
    if (updates == max_newton || !std::isfinite(residual)) break;
    bool factorised = !singular && lu_.factorise(J_, n, 1e-13);
    if (!factorised) {
      if (!singular) evaluate_island(island, n, true);
      singular = true;
      J_.topLeftCorner(n, n).diagonal().array() -= regularisation;
      ++result.regularised;
      if (!lu_.factorise(J_, n, 1e-17)) break;
    }
    update_.head(n) = -residual_.head(n);
    lu_.solve(J_, n, update_);
    p.head(n) += update_.head(n);
    // Nonmonotone line search: the kinks of the contact laws may raise the residual for a while.
    const double bound = *std::max_element(recent.begin(), recent.end());
    double length = 1.0;
    residual = evaluate_island(island, n, false);
    for (int k = 0; k < max_halvings && !(residual <= bound); ++k) {
      length *= 0.5;
      p.head(n) -= length * update_.head(n);
      residual = evaluate_island(island, n, false);
    }
    if (!(residual <= bound)) p.head(n) += (1.0 - length) * update_.head(n);
    residual = evaluate_island(island, n, true);
    recent[static_cast<std::size_t>(updates) % recent.size()] = residual;
  }
  result.updates = std::max(result.updates, updates);
  // A little more than that is as good as round-off lets it be.
  if (!(residual <= std::max(allowed(), 1e-12 * p.head(n).cwiseAbs().maxCoeff()))) return false;
  for (const int k : island) {
    const Item& item = items_[static_cast<std::size_t>(k)];
    const Eigen::Index row = row_of_item_[static_cast<std::size_t>(k)];
    const RowVector change = p.segment(row, item.rows) - start_.segment(row, item.rows);
    add_motion(item, change.data());
    Eigen::Map<VecX>(p_.data() + item.first_row, item.rows) = p.segment(row, item.rows);
  }
  return true;
}

}  // namespace clatter
