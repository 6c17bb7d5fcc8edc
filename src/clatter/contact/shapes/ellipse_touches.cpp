#include <algorithm>
#include <cmath>
#include <numbers>

#include <clatter/contact/geometry/patch_pair.hpp>
#include <clatter/contact/shapes/outline_pair.hpp>

namespace clatter {
namespace {

using PartKind = Outline::Element::Kind;

/// The least value of a function on 0 to 1 that has few minima.
template <class Function>
double least_value(int samples, const Function& f) {
  constexpr double golden = 0.6180339887498949;
  constexpr int sections = 44;  // to 1e-9, where values are least to round-off
  double least = std::min(f(0.0), f(1.0));
  double before = infinity, here = f(0.0);
  for (int i = 0; i <= samples; ++i) {
    const double after = i < samples ? f(static_cast<double>(i + 1) / samples) : infinity;
    if (here <= before && here <= after) {
      double low = std::max(0.0, (i - 1.0) / samples), high = std::min(1.0, (i + 1.0) / samples);
      double left = high - golden * (high - low), right = low + golden * (high - low);
      double at_left = f(left), at_right = f(right);
      for (int k = 0; k < sections; ++k) {
        if (at_left < at_right) {
          high = right;
          right = left;
          at_right = at_left;
          left = high - golden * (high - low);
          at_left = f(left);
        } else {
          low = left;
          left = right;
          at_left = at_right;
          right = low + golden * (high - low);
          at_right = f(right);
        }
      }
      least = std::min({least, at_left, at_right});
    }
    before = here;
    here = after;
  }
  return least;
}

/// A foot lies on the part of an ellipse that a patch is, but for `margin`.
bool holds_foot(const Patch& patch, const Foot& foot, double margin) {
  const double angle = std::atan2(foot.y(), foot.x()) - patch.arc_middle;
  const double beside = margin / patch.size.head<2>().minCoeff();
  return std::abs(std::remainder(angle, 2.0 * std::numbers::pi)) <= patch.half_arc + beside;
}

}  // namespace

/// How far the points of the other outline are from the ellipse, at least.
double OutlinePair::gap_of_ellipse() const {
  const bool is_a = a_->ellipse.has_value();
  const Outline &own = is_a ? *a_ : *b_, &other = is_a ? *b_ : *a_;
  const Patch& ellipse = *own.ellipse;
  const double sign = own.is_hollow ? -1.0 : 1.0;
  const auto height = [&](const Vec2& in_other) {
    const Vec2 point = is_a ? to_a(in_other) : Vec2(axes_.transpose() * (in_other - shift_));
    return sign * signed_distance(ellipse, point);
  };
  double least = infinity;
  if (other.ellipse) {
    constexpr int looks = 48;
    const Patch& second = *other.ellipse;
    least = least_value(looks, [&](double share) {
      const double angle = 2.0 * std::numbers::pi * share;
      const Vec3 at = second.origin +
                      second.axes * core_position(second, {std::cos(angle), std::sin(angle), 0.0});
      return height(at.head<2>());
    });
  }
  const double widest = ellipse.size.maxCoeff(), narrowest = ellipse.size.head<2>().minCoeff();
  const Vec2 centre = ellipse.origin.head<2>();
  const Vec2 in_other = is_a ? Vec2(axes_.transpose() * (centre - shift_)) : to_a(centre);
  // What is over the circle around an ellipse, or in a hollow one within that in it.
  const auto surely = [&](const Arc& piece) {
    const double out = (piece.ball_centre - in_other).norm();
    return (own.is_hollow ? narrowest - out : out - widest) - piece.ball;
  };
  const auto look_at = [&](const Arc& piece) {
    if (surely(piece) >= least || height(piece.ball_centre) - piece.ball >= least) return;
    // Along a line the distance from what is convex has one minimum.
    const int looks = piece.is_straight() && !own.is_hollow
                          ? 1
                          : 4 + static_cast<int>(8.0 * std::abs(piece.turn) + piece.ball / widest);
    least =
        std::min(least, least_value(looks, [&](double share) { return height(piece.at(share)); }));
  };
  // From a piece that is near most others are seen to be further.
  const auto first =
      std::min_element(other.chain.begin(), other.chain.end(),
                       [&](const Arc& one, const Arc& two) { return surely(one) < surely(two); });
  if (first != other.chain.end()) look_at(*first);
  for (const Arc& piece : other.chain) look_at(piece);
  // All of the ellipse may be in the other.
  if (least > 0.0 && !own.is_hollow && other.holds(in_other)) least = -least;
  return least - radii();
}

std::optional<OutlinePair::Meeting> OutlinePair::meeting_of_ellipse(const Outline::Element& a,
                                                                    const Outline::Element& b,
                                                                    double reach,
                                                                    double margin) const {
  const auto is_whole = [](const Outline::Element& e) { return e.kind == PartKind::ellipse; };
  const auto is_part = [](const Outline::Element& e) { return e.kind == PartKind::ellipse_part; };
  // What is inside of something meets it with parts; all else with the whole.
  const auto is_wall = [&](const Outline::Element& e) {
    return e.kind == PartKind::hollow || (is_part(e) && e.patch.hollow);
  };
  const auto fits = [&](const Outline::Element& one, const Outline::Element& other) {
    if (is_whole(one)) return !is_wall(other) || (is_part(other) && other.patch.hollow);
    if (!is_part(one)) return true;
    if (one.patch.hollow) return is_whole(other) || other.kind == PartKind::round;
    return other.kind == PartKind::hollow;
  };
  if (!fits(a, b) || !fits(b, a)) return std::nullopt;
  const PatchPair pair(a.patch, b.patch, 0, 1, true);
  const PatchPair::Nearest at = pair.nearest(at_a_, at_b_);
  if (at.gap > reach) return std::nullopt;
  const auto meets = [&](const Outline::Element& e, const Foot& foot, const Vec3& out,
                         const Mat3& R) {
    if (is_whole(e)) return true;
    if (is_part(e)) return holds_foot(e.patch, foot, margin);
    const Vec2 own = (R.transpose() * out).head<2>();
    if (e.kind != PartKind::flat) {
      // Nothing lies flat on an ellipse.
      return e.leads_to(e.kind == PartKind::hollow ? Vec2(-own) : own, 0.0, margin);
    }
    if (std::isinf(e.ball)) return true;
    const Vec2 point = (e.patch.origin + e.patch.axes * foot).head<2>();
    const Vec2 along = (e.end - e.begin).normalized();
    return along.dot(point - e.begin) >= -margin && along.dot(point - e.end) <= margin;
  };
  if (!meets(a, at.foot_a, at.normal, at_a_.R) || !meets(b, at.foot_b, -at.normal, at_b_.R)) {
    return std::nullopt;
  }
  const Vec3 normal = at_a_.R.transpose() * at.normal;
  return Meeting{normal.head<2>(), at.gap};
}

}  // namespace clatter
