#include <algorithm>
#include <cmath>

#include <clatter/contact/shapes/outline_pair.hpp>

namespace clatter {
namespace {

using Element = Outline::Element;
using ElementKind = Outline::Element::Kind;
using OutlineInside = Outline::Inside;

/// Relative to the size of both: centres that are nearer have no direction between them.
constexpr double same_place = 1e-12;

}  // namespace

void OutlinePair::place(const Outline& a, const NodeState& at_a, const Outline& b,
                        const NodeState& at_b) {
  a_ = &a;
  b_ = &b;
  const Mat3 turn = at_a.R.transpose() * at_b.R;
  const Vec3 shift = at_a.R.transpose() * (at_b.x - at_a.x);
  axes_ = turn.topLeftCorner<2, 2>();
  shift_ = shift.head<2>();
  b_in_a_.clear();
  for (const Arc& arc : b.chain) b_in_a_.push_back(placed(arc, turn, shift));
  const double size_a = a.size(), size_b = b.size();
  at_a_ = at_a;
  at_b_ = at_b;
  size_ = size_a > 0.0 && size_b > 0.0 ? std::min(size_a, size_b) : size_a + size_b;
}

double OutlinePair::distance_of_chains(bool& cross_each_other) const {
  double least = infinity;
  for (const Arc& one : a_->chain) {
    for (const Arc& other : b_in_a_) {
      const double balls = (one.ball_centre - other.ball_centre).norm() - one.ball - other.ball;
      if (balls >= least) continue;
      const double apart = distance(one, other);
      if (apart == 0.0) cross_each_other = true;
      least = std::min(least, apart);
    }
  }
  return least;
}

/// Between where a piece crosses the other outline it is all inside or all outside.
double OutlinePair::deepest_point(const ArcChain& of, const ArcChain& chain, const Outline& in,
                                  bool in_axes_of_a) {
  double deepest = -infinity;
  if (in.inside == OutlineInside::nothing) return deepest;
  for (const Arc& piece : of) {
    shares_.assign({0.0, 1.0});
    for (const Arc& other : chain) {
      if ((piece.ball_centre - other.ball_centre).norm() > piece.ball + other.ball) continue;
      const Crossings found = crossings(piece, other);
      for (int k = 0; k < found.count; ++k) {
        shares_.push_back(found.of_a[static_cast<std::size_t>(k)]);
      }
    }
    std::sort(shares_.begin(), shares_.end());
    for (std::size_t k = 0; k + 1 < shares_.size(); ++k) {
      const Vec2 at = piece.at(0.5 * (shares_[k] + shares_[k + 1]));
      const Vec2 own = in_axes_of_a ? at : Vec2(axes_.transpose() * (at - shift_));
      if (!in.holds(own)) continue;
      deepest = std::max(deepest, distance(chain, at));
      if (shares_[k] == 0.0) deepest = std::max(deepest, distance(chain, piece.begin));
      if (shares_[k + 1] == 1.0) deepest = std::max(deepest, distance(chain, piece.end));
    }
  }
  return deepest;
}

double OutlinePair::height_over_half_space() const {
  const bool is_a = a_->inside == OutlineInside::half_space;
  const Outline& half_space = is_a ? *a_ : *b_;
  const Outline& other = is_a ? *b_ : *a_;
  const Vec2& at = half_space.chain.front().begin;
  const Vec2 &normal = half_space.normal,
             in_other = is_a ? Vec2(axes_.transpose() * normal) : Vec2(axes_ * normal);
  const Vec2 from = is_a ? shift_ : Vec2(-(axes_.transpose() * shift_));
  return normal.dot(from - at) - other.reach(-in_other) - half_space.radius;
}

double OutlinePair::gap() {
  if (a_->is_container() && b_->is_container()) return infinity;
  if (a_->inside == OutlineInside::half_space || b_->inside == OutlineInside::half_space) {
    return height_over_half_space();
  }
  if (a_->ellipse || b_->ellipse) return gap_of_ellipse();
  bool cross_each_other = false;
  const double apart = distance_of_chains(cross_each_other);
  const auto first_of_a = a_->chain.front().begin;
  const auto is_in_b = [&] { return b_->holds(axes_.transpose() * (first_of_a - shift_)); };
  const auto is_in_a = [&] { return a_->holds(b_in_a_.front().begin); };
  if (!cross_each_other && !is_in_b() && !is_in_a()) return apart - radii();
  const double deepest = std::max({deepest_point(b_in_a_, a_->chain, *a_, true),
                                   deepest_point(a_->chain, b_in_a_, *b_, false), 0.0});
  return -deepest - radii();
}

std::optional<OutlinePair::Meeting> OutlinePair::meeting_of(const Element& a, const Element& b,
                                                            double reach, double margin) const {
  if (a.patch.kind == Patch::Kind::ellipse || b.patch.kind == Patch::Kind::ellipse) {
    return meeting_of_ellipse(a, b, reach, margin);
  }
  const auto is_round = [](const Element& element) { return element.kind == ElementKind::round; };
  if (!is_round(a) && !is_round(b)) return std::nullopt;
  const auto leads_to_b = [&](const Vec2& direction, double flat_reach) {
    return b.leads_to(axes_.transpose() * direction, flat_reach, margin);
  };
  if (a.kind == ElementKind::flat || b.kind == ElementKind::flat) {
    const bool flat_a = a.kind == ElementKind::flat;
    const Element& flat = flat_a ? a : b;
    const Vec2 begin = flat_a ? a.begin : to_a(b.begin), end = flat_a ? a.end : to_a(b.end);
    const Vec2 centre = flat_a ? to_a(b.centre) : a.centre;
    const Vec2 along = (end - begin).normalized(), out = right_of(along);
    const double gap = out.dot(centre - begin) - a.patch.radius - b.patch.radius;
    if (gap > reach) return std::nullopt;
    const bool is_over = std::isinf(flat.ball) || (along.dot(centre - begin) >= -margin &&
                                                   along.dot(centre - end) <= margin);
    const Vec2 normal = flat_a ? out : Vec2(-out);
    const bool faces = flat_a ? leads_to_b(-normal, reach) : a.leads_to(normal, reach, margin);
    return is_over && faces ? std::optional(Meeting{normal, gap}) : std::nullopt;
  }
  const Vec2 between = to_a(b.centre) - a.centre;
  const double d = between.norm();
  const double own = a.patch.radius + b.patch.radius;  // a hollow has a negative one
  const bool inside = !is_round(a) || !is_round(b);
  const double gap = (inside ? -d : d) - own;
  if (gap > reach || d < same_place * size_ || own == 0.0) return std::nullopt;
  // What is wider than a hollow touches at its ends.
  if (inside && !(own < 0.0)) return std::nullopt;
  const Vec2 u = between / d;
  // From a hollow to what is in it, and from that on: both lie the same way.
  // Nothing lies flat on what is round.
  const bool meets = a.leads_to(is_round(a) && inside ? Vec2(-u) : u, 0.0, margin) &&
                     leads_to_b(is_round(b) && inside ? u : Vec2(-u), 0.0);
  if (!meets) return std::nullopt;
  return Meeting{inside ? Vec2(-u) : u, gap};
}

bool OutlinePair::is_known_corner(const Touch& touch, std::span<const Touch> touches,
                                  double margin) const {
  const Element &a = a_->elements[static_cast<std::size_t>(touch.a.index)],
                &b = b_->elements[static_cast<std::size_t>(touch.b.index)];
  if (a.kind != ElementKind::flat && b.kind != ElementKind::flat) return false;
  const bool flat_a = a.kind == ElementKind::flat;
  const Vec2 centre = flat_a ? to_a(b.centre) : a.centre;
  return std::any_of(touches.begin(), touches.end(), [&](const Touch& other) {
    const Element &of_a = a_->elements[static_cast<std::size_t>(other.a.index)],
                  &of_b = b_->elements[static_cast<std::size_t>(other.b.index)];
    if (flat_a ? of_b.kind != ElementKind::flat : of_a.kind != ElementKind::flat) return false;
    const Vec2 at = flat_a ? of_a.centre : to_a(of_b.centre);
    const Vec2 line = flat_a ? Vec2(a.end - a.begin) : Vec2(axes_ * (b.end - b.begin));
    return std::abs(line.normalized().dot(at - centre)) < 10.0 * margin &&
           (at - centre).norm() < radii() + a.patch.radius + b.patch.radius + 10.0 * margin;
  });
}

void OutlinePair::list_touches(double reach, double margin, std::vector<Touch>& touches) {
  for (std::size_t i = 0; i < a_->elements.size(); ++i) {
    const Element& a = a_->elements[i];
    for (std::size_t k = 0; k < b_->elements.size(); ++k) {
      const Element& b = b_->elements[k];
      const double far = a.ball + b.ball + reach + margin;
      if ((to_a(b.ball_centre) - a.ball_centre).squaredNorm() > far * far) continue;
      const std::optional<Meeting> found = meeting_of(a, b, reach, margin);
      if (!found) continue;
      const Touch touch{{Feature::Kind::element, static_cast<int>(i)},
                        {Feature::Kind::element, static_cast<int>(k)},
                        found->gap};
      if (!is_known_corner(touch, touches, edge_margin * size_)) touches.push_back(touch);
    }
  }
  // Elements on far sides of the solids lie behind each other as well: they are no touches.
  const auto is_deep = [&](const Touch& touch) { return touch.gap < -2.0 * reach; };
  if (std::none_of(touches.begin(), touches.end(), is_deep)) return;
  const double least = std::min(3.0 * gap(), -2.0 * reach);
  std::erase_if(touches, [&](const Touch& touch) { return touch.gap < least; });
}

void OutlinePair::find_touches(double reach, bool must_find, std::vector<Touch>& touches) {
  touches.clear();
  if (a_->is_container() && b_->is_container()) return;
  list_touches(reach, edge_margin * size_, touches);
  if (!touches.empty() || !must_find) return;
  // Sharp corners that meet: as if each reached a little further.
  list_touches(reach, 2.0 * reach, touches);
  if (touches.empty()) return;
  touches = {
      *std::max_element(touches.begin(), touches.end(),
                        [](const Touch& one, const Touch& other) { return one.gap < other.gap; })};
}

}  // namespace clatter
