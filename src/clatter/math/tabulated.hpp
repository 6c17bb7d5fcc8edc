#pragma once

#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace clatter {

/// A function of one argument after a table of measured or designed values. A value type.
class Tabulated {
 public:
  enum class Between { linear, spline };
  /// What it is before the first argument and after the last.
  enum class Beyond { hold, zero, repeat };

  /// Pairs of argument, ascending, and value; two or more. The spline has continuous second
  /// derivatives, none at its ends; one that repeats goes on smoothly from its end to its start,
  /// where it must have the same value.
  explicit Tabulated(std::span<const Eigen::Vector2d> points, Between between = Between::linear,
                     Beyond beyond = Beyond::hold);

  double operator()(double x) const { return at(x).value; }
  /// At a point of a linear table that of the piece after it.
  double slope(double x) const { return at(x).slope; }

 private:
  struct Piece {
    double start, value, slope, second, third;  // coefficients of powers from the start
  };
  struct Place {
    double value, slope;
  };
  Place at(double x) const;
  void bend();

  std::vector<Piece> pieces_;
  double end_ = 0.0, last_ = 0.0;
  Beyond beyond_;
};

}  // namespace clatter
