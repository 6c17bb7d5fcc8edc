#include <algorithm>
#include <cassert>
#include <cmath>

#include <clatter/math/tabulated.hpp>

namespace clatter {
namespace {

/// Solves the tridiagonal system of the second derivatives: lower d[i-1], diagonal 2 (d[i-1] +
/// d[i]), upper d[i].
std::vector<double> solve_tridiagonal(std::span<const double> lower, std::vector<double> diagonal,
                                      std::span<const double> upper, std::vector<double> right) {
  const std::size_t n = diagonal.size();
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = lower[i - 1] / diagonal[i - 1];
    diagonal[i] -= factor * upper[i - 1];
    right[i] -= factor * right[i - 1];
  }
  for (std::size_t i = n; i-- > 0;) {
    if (i + 1 < n) right[i] -= upper[i] * right[i + 1];
    right[i] /= diagonal[i];
  }
  return right;
}

/// Second derivatives at the points; widths and slopes of the n pieces between n + 1 points.
std::vector<double> natural(std::span<const double> width, std::span<const double> slope) {
  const std::size_t n = width.size();
  std::vector<double> second(n + 1, 0.0);
  if (n < 2) return second;
  std::vector<double> diagonal, right;
  for (std::size_t i = 1; i < n; ++i) {
    diagonal.push_back(2.0 * (width[i - 1] + width[i]));
    right.push_back(6.0 * (slope[i] - slope[i - 1]));
  }
  const auto inner = width.subspan(1, n - 2);
  const std::vector<double> found = solve_tridiagonal(inner, diagonal, inner, right);
  std::copy(found.begin(), found.end(), second.begin() + 1);
  return second;
}

/// Of a closed curve: the corner entries of the matrix are seen to by Sherman and Morrison.
std::vector<double> periodic(std::span<const double> width, std::span<const double> slope) {
  const std::size_t n = width.size();
  if (n < 3) return natural(width, slope);
  std::vector<double> diagonal(n), right(n), corner(n, 0.0), upper(n - 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = (i + n - 1) % n;
    diagonal[i] = 2.0 * (width[before] + width[i]);
    right[i] = 6.0 * (slope[i] - slope[before]);
    if (i + 1 < n) upper[i] = width[i];
  }
  const double c = width[n - 1], gamma = -diagonal[0];
  diagonal[0] -= gamma;
  diagonal[n - 1] -= c * c / gamma;
  corner[0] = gamma;
  corner[n - 1] = c;
  std::vector<double> second = solve_tridiagonal(upper, diagonal, upper, right);
  const std::vector<double> z = solve_tridiagonal(upper, diagonal, upper, corner);
  const double factor =
      (second[0] + c * second[n - 1] / gamma) / (1.0 + z[0] + c * z[n - 1] / gamma);
  for (std::size_t i = 0; i < n; ++i) second[i] -= factor * z[i];
  second.push_back(second[0]);
  return second;
}

}  // namespace

Tabulated::Tabulated(std::span<const Eigen::Vector2d> points, Between between, Beyond beyond)
    : end_(points.back().x()), last_(points.back().y()), beyond_(beyond) {
  assert(points.size() >= 2);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Eigen::Vector2d step = points[i + 1] - points[i];
    pieces_.push_back({points[i].x(), points[i].y(), step.y() / step.x(), 0.0, 0.0});
  }
  if (between == Between::spline) bend();
}

void Tabulated::bend() {
  const std::size_t n = pieces_.size();
  std::vector<double> width(n), slope(n);
  for (std::size_t i = 0; i < n; ++i) {
    width[i] = (i + 1 < n ? pieces_[i + 1].start : end_) - pieces_[i].start;
    slope[i] = pieces_[i].slope;
  }
  const std::vector<double> second =
      beyond_ == Beyond::repeat ? periodic(width, slope) : natural(width, slope);
  for (std::size_t i = 0; i < n; ++i) {
    Piece& piece = pieces_[i];
    piece.slope -= width[i] * (2.0 * second[i] + second[i + 1]) / 6.0;
    piece.second = 0.5 * second[i];
    piece.third = (second[i + 1] - second[i]) / (6.0 * width[i]);
  }
}

Tabulated::Place Tabulated::at(double x) const {
  const double start = pieces_.front().start;
  if (std::isnan(x)) return {x, x};
  if (beyond_ == Beyond::repeat) {
    const double period = end_ - start;
    x -= period * std::floor((x - start) / period);
    x = std::clamp(x, start, end_);
  } else if (x < start || x > end_) {
    const double held = x < start ? pieces_.front().value : last_;
    return {beyond_ == Beyond::hold ? held : 0.0, 0.0};
  }
  const auto after =
      std::upper_bound(pieces_.begin() + 1, pieces_.end(), x,
                       [](double value, const Piece& piece) { return value < piece.start; });
  const Piece& p = *(after - 1);
  const double s = x - p.start;
  return {p.value + s * (p.slope + s * (p.second + s * p.third)),
          p.slope + s * (2.0 * p.second + 3.0 * s * p.third)};
}

}  // namespace clatter
