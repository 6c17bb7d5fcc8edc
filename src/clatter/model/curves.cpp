#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/math/polygon.hpp>
#include <clatter/math/smooth_curve.hpp>
#include <clatter/model/curves.hpp>

namespace clatter {
namespace {

/// Relative to the distance of its ends: a larger radius is that of a straight line.
constexpr double largest_radius = 1e6;
/// Relative to the extent: points that are nearer are the same.
constexpr double same_point = 1e-9;
/// Relative to half the distance of its ends: a radius may be less by round-off.
constexpr double radius_slack = 1e-6;
/// Area over the square of the extent below which an outline encloses nothing.
constexpr double no_area = 1e-12;

Vec2 planar_point(const Vec3& point) { return point.head<2>(); }

double extent_of(const std::vector<Vec3>& points) {
  double extent = 0.0;
  for (const Vec3& point : points) {
    extent = std::max(extent, (point - points.front()).head<2>().norm());
  }
  return extent;
}

/// How far a piece turns to the left; `sense` is -1 where positive radii turn to the right.
double turn_of(const PieceBends& bends, std::size_t piece, double chord, double sense) {
  if (!bends.bulges.empty()) return sense * 4.0 * std::atan(bends.bulges[piece]);
  if (bends.radii.empty() || bends.radii[piece] == 0.0) return 0.0;
  const double radius = bends.radii[piece];
  const double sine = std::min(1.0, 0.5 * chord / std::abs(radius));
  return sense * std::copysign(2.0 * std::asin(sine), radius);
}

ArcChain chain_through(const std::vector<Vec3>& points, const PieceBends& bends, bool closed,
                       double sense) {
  ArcChain chain;
  for (std::size_t k = 0; k + (closed ? 0 : 1) < points.size(); ++k) {
    const Vec2 begin = planar_point(points[k]), end = planar_point(points[(k + 1) % points.size()]);
    chain.push_back(make_arc(begin, end, turn_of(bends, k, (end - begin).norm(), sense)));
  }
  return chain;
}

/// Positive radii bulge out of a profile, whichever way around its points are listed.
double sense_of(const ProfileShape& profile) {
  return signed_area(profile.points) < 0.0 ? -1.0 : 1.0;
}

double tolerance_of(const SplineShape& spline) {
  return spline.tolerance.value_or(1e-6 * extent_of(spline.points));
}

std::optional<CurveComplaint> complaint_about_points(const std::vector<Vec3>& points, bool closed,
                                                     std::size_t least, const char* what) {
  if (points.size() < least) {
    return CurveComplaint{
        "points", std::nullopt,
        fmt::format("'points': {} has at least {} points, found {}", what, least, points.size())};
  }
  const double near = same_point * extent_of(points);
  for (std::size_t k = 0; k + (closed ? 0 : 1) < points.size(); ++k) {
    const std::size_t next = (k + 1) % points.size();
    if ((points[next] - points[k]).norm() > near) continue;
    return CurveComplaint{
        "points", std::max(k, next),
        next == 0 ? fmt::format("'points': the last point is the first again: {} closes by itself; "
                                "leave it out",
                                what)
                  : fmt::format("'points': points {} and {} are the same; leave one out", k + 1,
                                next + 1)};
  }
  return std::nullopt;
}

std::optional<CurveComplaint> complaint_about_bends(const std::vector<Vec3>& points,
                                                    const PieceBends& bends, std::size_t pieces) {
  const bool by_radii = !bends.radii.empty();
  const char* key = by_radii ? "radii" : "bulges";
  const std::vector<double>& values = by_radii ? bends.radii : bends.bulges;
  if (values.empty()) return std::nullopt;
  if (by_radii && !bends.bulges.empty()) {
    return CurveComplaint{"bulges", std::nullopt, "give either 'radii' or 'bulges', not both"};
  }
  if (values.size() != pieces) {
    return CurveComplaint{key, std::nullopt,
                          fmt::format("'{}' has one number for each piece from a point to the "
                                      "next: {}, found {}",
                                      key, pieces, values.size())};
  }
  for (std::size_t k = 0; k < pieces; ++k) {
    if (!std::isfinite(values[k])) {
      return CurveComplaint{key, k, fmt::format("'{}' must be finite numbers", key)};
    }
    const double chord = (points[(k + 1) % points.size()] - points[k]).norm();
    const double size = std::abs(values[k]);
    if (size == 0.0) continue;
    if (by_radii && size < 0.5 * chord * (1.0 - radius_slack)) {
      return CurveComplaint{
          key, k,
          fmt::format("'radii': no circle of radius {:.6g} goes through points {} and {}, which "
                      "are {:.6g} apart: it must be at least half of that",
                      size, k + 1, (k + 1) % points.size() + 1, chord)};
    }
    if (by_radii ? size > largest_radius * chord : size < 0.25 / largest_radius) {
      return CurveComplaint{
          key, k, fmt::format("'{}': the piece from point {} is straight; give 0", key, k + 1)};
    }
    if (!by_radii && size > 1e3) {
      return CurveComplaint{
          key, k,
          fmt::format("'bulges': the piece from point {} goes around a whole circle; make it two",
                      k + 1)};
    }
  }
  return std::nullopt;
}

/// Of a closed chain; `name` tells what a piece is called.
std::optional<CurveComplaint> complaint_about_outline(const ArcChain& chain, const char* advice) {
  const double extent = extent_of(chain);
  if (!first_meeting_of(chain, true).empty()) {
    const Meeting meeting = first_meeting_of(chain, true).front();
    const Vec2 &one = chain[meeting.first].begin, &other = chain[meeting.second].begin;
    return CurveComplaint{
        "points", meeting.second,
        fmt::format("'points': the piece that begins at ({:.6g}, {:.6g}) crosses or touches that "
                    "which begins at ({:.6g}, {:.6g}); {}",
                    other.x(), other.y(), one.x(), one.y(), advice)};
  }
  const double area = moments_of(chain, chain.front().begin).area;
  if (!(std::abs(area) > no_area * extent * extent)) {
    return CurveComplaint{"points", std::nullopt, "'points': the outline encloses nothing"};
  }
  return std::nullopt;
}

}  // namespace

ArcChain chain_of(const Shape& shape) {
  if (const auto* profile = std::get_if<ProfileShape>(&shape)) {
    return chain_through(profile->points, profile->bends, true, sense_of(*profile));
  }
  if (const auto* spline = std::get_if<SplineShape>(&shape)) {
    std::vector<Vec2> points;
    for (const Vec3& point : spline->points) points.push_back(planar_point(point));
    return smooth_curve_through(points, tolerance_of(*spline));
  }
  if (const auto* wall = std::get_if<WallShape>(&shape)) {
    return chain_through(wall->points, wall->bends, false, 1.0);
  }
  return {};
}

std::optional<CurveComplaint> complaint_about(const ProfileShape& profile) {
  if (auto wrong = complaint_about_points(profile.points, true, 2, "a profile")) return wrong;
  if (auto wrong = complaint_about_bends(profile.points, profile.bends, profile.points.size())) {
    return wrong;
  }
  const ArcChain chain = chain_of(profile);
  auto wrong = complaint_about_outline(chain, "list the points in order around the outline");
  if (wrong) return wrong;
  if (sense_of(profile) * moments_of(chain, chain.front().begin).area < 0.0) {
    return CurveComplaint{profile.bends.radii.empty() ? "bulges" : "radii", std::nullopt,
                          "the arcs turn the outline inside out; give them the other sign"};
  }
  return std::nullopt;
}

std::optional<CurveComplaint> complaint_about(const SplineShape& spline) {
  if (auto wrong = complaint_about_points(spline.points, true, 3, "a spline")) return wrong;
  const double extent = extent_of(spline.points);
  if (spline.tolerance && !(*spline.tolerance >= 1e-9 * extent)) {
    return CurveComplaint{
        "tolerance", std::nullopt,
        fmt::format("'tolerance' must be at least a billionth of the extent, {:.3g}",
                    1e-9 * extent)};
  }
  return complaint_about_outline(chain_of(spline),
                                 "list the points in order around the outline, or more of them");
}

std::optional<CurveComplaint> complaint_about(const WallShape& wall) {
  if (auto wrong = complaint_about_points(wall.points, false, 2, "a wall")) return wrong;
  return complaint_about_bends(wall.points, wall.bends, wall.points.size() - 1);
}

}  // namespace clatter
