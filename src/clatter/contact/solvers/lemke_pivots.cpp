#include <algorithm>
#include <cmath>
#include <utility>

#include <clatter/contact/solvers/lemke_pivots.hpp>

namespace clatter {
namespace {

constexpr int most_pairs = 100;
constexpr int pivots_per_pair = 20;
constexpr double least_pivot = 1e-11;  // of the largest entry in its column
constexpr double shift = 1e-11;        // of the largest entry of b, scaled

bool resists(const FrictionBall& ball) { return ball.coefficient > 0.0; }

}  // namespace

bool LemkePivots::suits(const ContactSystem& system) {
  std::size_t pairs = system.contacts.size();
  for (const CondensedContact& contact : system.contacts) {
    for (const FrictionBall& ball : contact.law.all_balls()) {
      if (!resists(ball)) continue;
      if (ball.rows != 1) return false;
      pairs += 3;
    }
  }
  return pairs <= most_pairs;
}

/// Unknowns z and w = M z + q, both >= 0 and complementary, with rows scaled by the diagonal of W:
///
///   z   r_N    friction p forwards, n backwards    s, how fast it slips
///   w   u_N    u_B + s, -u_B + s                   c r_N - p - n
void LemkePivots::fill(const ContactSystem& system) {
  roots_.resize(static_cast<std::size_t>(system.rows));
  for (int i = 0; i < system.rows; ++i) {
    const double own = system.diagonal(i);
    roots_[static_cast<std::size_t>(i)] = own > 0.0 ? std::sqrt(own) : 1.0;
  }
  const auto root = [&](int row) { return roots_[static_cast<std::size_t>(row)]; };
  normals_.clear();
  balls_.clear();
  size_ = 0;
  // Of each row: the unknown that pushes forwards along it, or none.
  std::vector<int> forwards(static_cast<std::size_t>(system.rows), -1);
  std::vector<char> has_backwards(static_cast<std::size_t>(system.rows), 0);
  for (const CondensedContact& contact : system.contacts) {
    normals_.push_back(size_);
    forwards[static_cast<std::size_t>(contact.first_row)] = size_++;
    for (const FrictionBall& ball : contact.law.all_balls()) {
      if (!resists(ball)) continue;
      const int row = contact.first_row + ball.first_row;
      balls_.push_back({row, size_});
      forwards[static_cast<std::size_t>(row)] = size_;
      has_backwards[static_cast<std::size_t>(row)] = 1;
      size_ += 3;
    }
  }
  table_.setZero(size_, size_ + 1);
  shares_.setZero(size_);
  for (int i = 0; i < system.rows; ++i) {
    const int own = forwards[static_cast<std::size_t>(i)];
    if (own < 0) continue;
    const int signs = has_backwards[static_cast<std::size_t>(i)] != 0 ? 2 : 1;
    for (int s = 0; s < signs; ++s) {
      const double sign = s == 0 ? 1.0 : -1.0;
      shares_[own + s] = sign * system.b[i] / root(i);
      for (int k = system.starts[i]; k < system.starts[i + 1]; ++k) {
        const int j = system.columns[k], other = forwards[static_cast<std::size_t>(j)];
        if (other < 0) continue;
        const double entry = sign * system.values[k] / (root(i) * root(j));
        table_(own + s, other) += entry;
        if (has_backwards[static_cast<std::size_t>(j)] != 0) table_(own + s, other + 1) -= entry;
      }
    }
  }
  std::size_t b = 0;
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const CondensedContact& contact = system.contacts[c];
    for (const FrictionBall& ball : contact.law.all_balls()) {
      if (!resists(ball)) continue;
      const int first = balls_[b].first, row = balls_[b].row;
      table_(first, first + 2) = table_(first + 1, first + 2) = 1.0;
      table_(first + 2, normals_[c]) = ball.coefficient * root(row) / root(contact.first_row);
      table_(first + 2, first) = table_(first + 2, first + 1) = -1.0;
      ++b;
    }
  }
  table_.col(size_).setOnes();
  const double largest = size_ > 0 ? shares_.cwiseAbs().maxCoeff() : 0.0;
  for (int i = 0; i < size_; ++i) {
    // Any numbers without a pattern do.
    shares_[i] += shift * largest * (1.0 + std::fmod(0.6180339887498949 * (i + 1), 1.0));
  }
  basic_.resize(static_cast<std::size_t>(size_));
  others_.resize(static_cast<std::size_t>(size_) + 1);
  for (int i = 0; i < size_; ++i) {
    basic_[static_cast<std::size_t>(i)] = i;
    others_[static_cast<std::size_t>(i)] = size_ + i;
  }
  others_.back() = 2 * size_;
}

/// Exchanges a basic variable with another one.
void LemkePivots::pivot(int row, int column) {
  const double p = table_(row, column);
  table_.row(row) /= -p;
  table_(row, column) = 1.0 / p;
  shares_[row] /= -p;
  for (int i = 0; i < size_; ++i) {
    const double factor = table_(i, column);
    if (i == row || factor == 0.0) continue;
    table_(i, column) = 0.0;
    table_.row(i) += factor * table_.row(row);
    shares_[i] += factor * shares_[row];
  }
  std::swap(basic_[static_cast<std::size_t>(row)], others_[static_cast<std::size_t>(column)]);
}

/// The basic variable that vanishes first as the one of the column grows; none: -1.
int LemkePivots::leaving_row(int column) const {
  const double least = least_pivot * table_.col(column).cwiseAbs().maxCoeff();
  int leaving = -1;
  double first = 0.0;
  for (int i = 0; i < size_; ++i) {
    const double slope = -table_(i, column);
    if (!(slope > least)) continue;
    const double reached = std::max(shares_[i], 0.0) / slope;
    const bool is_artificial = basic_[static_cast<std::size_t>(i)] == 2 * size_;
    if (leaving < 0 || reached < first || (reached == first && is_artificial)) {
      leaving = i;
      first = reached;
    }
  }
  return leaving;
}

bool LemkePivots::solve(const ContactSystem& system, double* r) {
  fill(system);
  if (size_ == 0) return false;
  int entering = size_, row = 0;  // column, and row of the least share
  bool done = !(shares_.minCoeff(&row) < 0.0);
  for (int k = 0; !done; ++k) {
    if (row < 0 || k > pivots_per_pair * size_) return false;
    pivot(row, entering);
    const int left = others_[static_cast<std::size_t>(entering)];
    done = left == 2 * size_;
    if (done) break;
    const int complement = left < size_ ? left + size_ : left - size_;
    entering =
        static_cast<int>(std::find(others_.begin(), others_.end(), complement) - others_.begin());
    row = leaving_row(entering);
  }
  if (!shares_.allFinite()) return false;
  VecX z = VecX::Zero(size_);
  for (int i = 0; i < size_; ++i) {
    const int variable = basic_[static_cast<std::size_t>(i)];
    if (variable >= size_) z[variable - size_] = std::max(shares_[i], 0.0);
  }
  std::fill_n(r, system.rows, 0.0);
  for (std::size_t c = 0; c < system.contacts.size(); ++c) {
    const int normal = system.contacts[c].first_row;
    r[normal] = z[normals_[c]] / roots_[static_cast<std::size_t>(normal)];
  }
  for (const Ball& ball : balls_) {
    r[ball.row] = (z[ball.first] - z[ball.first + 1]) / roots_[static_cast<std::size_t>(ball.row)];
  }
  return true;
}

}  // namespace clatter
