#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace clatter {

/// Tension linear between the points of a table, and beyond its ends as in its first and last
/// interval. At a point the slope is that of the interval after it.
class TableLaw {
 public:
  static constexpr std::string_view word = "table";
  static constexpr std::array<std::string_view, 1> needs{"table"};
  static constexpr std::array<std::string_view, 0> takes{};
  template <class Spec, class Fields>
  static void describe(Spec& spec, const Fields& fields) {
    fields.curve("table", spec.table, "elongations");
  }
  template <class Spec>
  static TableLaw of(const Spec& spec) {
    return TableLaw(spec.table);
  }

  /// Pairs of elongation, ascending, and tension; two or more.
  explicit TableLaw(std::span<const Eigen::Vector2d> points) {
    assert(points.size() >= 2);
    double energy = 0.0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const Eigen::Vector2d step = points[i + 1] - points[i];
      pieces_.push_back({points[i].x(), points[i].y(), step.y() / step.x(), energy});
      energy += 0.5 * (points[i].y() + points[i + 1].y()) * step.x();
    }
    at_rest_ = integral(0.0);
  }

  double tension(double elongation) const {
    const Piece& piece = at(elongation);
    return piece.tension + piece.slope * (elongation - piece.start);
  }
  double slope(double elongation) const { return at(elongation).slope; }
  double energy(double elongation) const { return integral(elongation) - at_rest_; }

 private:
  struct Piece {
    double start, tension, slope, energy;  // the latter three at the start
  };
  const Piece& at(double elongation) const {
    const auto after =
        std::upper_bound(pieces_.begin() + 1, pieces_.end(), elongation,
                         [](double value, const Piece& piece) { return value < piece.start; });
    return *(after - 1);
  }
  double integral(double elongation) const {
    const Piece& piece = at(elongation);
    const double way = elongation - piece.start;
    return piece.energy + way * (piece.tension + 0.5 * piece.slope * way);
  }

  std::vector<Piece> pieces_;
  double at_rest_ = 0.0;
};

}  // namespace clatter
