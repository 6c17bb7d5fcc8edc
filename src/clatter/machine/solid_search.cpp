#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/search/first_meeting.hpp>
#include <clatter/machine/solid_search.hpp>

namespace clatter {
namespace {

// Relative to the size of the smaller solid: features that are nearer are touches, and solids that
// are nearer have met.
constexpr double touching = 1e-3, meeting = 1e-4;
/// Relative to the size of the model: less is no overlap.
constexpr double overlap_tolerance = 1e-10;
/// Relative to the size of the smaller solid: who is deeper in another on the way goes through it.
constexpr double deepest_graze = 0.1;

double size_of(const Solid& a, const Solid& b) { return std::min(a.extent, b.extent); }

void extend_by(const Outline& outline, const NodeState& at, Box& box) {
  for (int axis = 0; axis < 2; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      const Vec3 out = sign * at.R.row(axis).transpose();
      const double reach = outline.reach(out.head<2>());
      Vec3 corner = at.x;
      corner[axis] += sign * reach;
      box.extend(corner);
    }
  }
}

}  // namespace

struct SolidSearch::Way {
  NodeState from_a, from_b, to_a, to_b;
  Vec3 turn_a, turn_b;  // rotation vectors, body axes
  double longest;       // how far a point of one can go, seen from the other

  static NodeState between(const NodeState& from, const NodeState& to, const Vec3& turn, double t) {
    if (t <= 0.0) return from;
    if (t >= 1.0) return to;
    NodeState at;
    at.x = from.x + t * (to.x - from.x);
    at.R = from.R * exp_so3(t * turn).toRotationMatrix();
    return at;
  }
  NodeState a(double t) const { return between(from_a, to_a, turn_a, t); }
  NodeState b(double t) const { return between(from_b, to_b, turn_b, t); }
};

SolidSearch::SolidSearch(const Machine& machine)
    : machine_(machine), boxes_(machine.solids().size()) {}

SolidSearch::Way SolidSearch::way_of(int a, int b, const Configuration& q,
                                     const Configuration& next) const {
  const Solid &one = machine_.solids()[static_cast<std::size_t>(a)],
              &two = machine_.solids()[static_cast<std::size_t>(b)];
  const auto node_a = static_cast<std::size_t>(one.node),
             node_b = static_cast<std::size_t>(two.node);
  Way way{q[node_a], q[node_b], next[node_a], next[node_b], {}, {}, 0.0};
  way.turn_a = log_so3(way.from_a.p.conjugate() * way.to_a.p);
  way.turn_b = log_so3(way.from_b.p.conjugate() * way.to_b.p);
  const auto swept = [](const Vec3& turn, double extent) {
    const double angle = turn.norm();
    return angle > 0.0 ? angle * extent : 0.0;  // a half-space that does not turn
  };
  way.longest = (way.to_a.x - way.from_a.x - way.to_b.x + way.from_b.x).norm() +
                swept(way.turn_a, one.extent) + swept(way.turn_b, two.extent);
  return way;
}

/// Pairs whose ways come near each other.
void SolidSearch::find_pairs(const Configuration& q, const Configuration& next) {
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const Solid& solid = machine_.solids()[i];
    const auto node = static_cast<std::size_t>(solid.node);
    Box& box = boxes_[i];
    box.setEmpty();
    const bool is_endless =
        solid.by_outline ? solid.outline.is_hollow : is_container(solid.pieces);
    if (is_endless) {
      box.extend(Vec3::Constant(infinity)).extend(Vec3::Constant(-infinity));
      continue;
    }
    for (const NodeState& at : {q[node], next[node]}) {
      for (const Vec3& corner : solid.shape.corners) box.extend(Vec3(at.x + at.R * corner));
      if (solid.by_outline) {
        extend_by(solid.outline, at, box);
        continue;
      }
      for (int axis = 0; solid.by_pieces && axis < 3; ++axis) {
        for (const double sign : {-1.0, 1.0}) {
          const Vec3 out = sign * at.R.row(axis).transpose();
          box.extend(Vec3(at.x + at.R * furthest_point(solid.pieces, out)));
        }
      }
    }
    // On its way a point bulges from the straight line by at most extent * angle^2 / 8.
    const double turn = (next[node].R - q[node].R).norm();
    const double margin = solid.shape.radius + touching * solid.extent + solid.extent * turn;
    box.min().array() -= margin;
    box.max().array() += margin;
  }
  tree_.find(boxes_, pairs_);
  std::erase_if(pairs_, [&](const std::pair<int, int>& pair) {
    return !machine_.may_touch(pair.first, pair.second);
  });
}

double SolidSearch::gap_between(int a, int b, const NodeState& at_a, const NodeState& at_b) {
  const Solid &one = machine_.solids()[static_cast<std::size_t>(a)],
              &two = machine_.solids()[static_cast<std::size_t>(b)];
  if (one.by_outline || two.by_outline) {
    outlines_.place(one.outline, at_a, two.outline, at_b);
    return outlines_.gap();
  }
  if (one.by_pieces || two.by_pieces) {
    pieces_.place(one.pieces, at_a, two.pieces, at_b, one.planar && two.planar);
    return pieces_.gap();
  }
  polytopes_.place(one.shape, at_a, two.shape, at_b);
  return polytopes_.gap();
}

double SolidSearch::gap(int a, int b, const Configuration& q) {
  const auto at = [&](int solid) -> const NodeState& {
    return q[static_cast<std::size_t>(machine_.solids()[static_cast<std::size_t>(solid)].node)];
  };
  return gap_between(a, b, at(a), at(b));
}

void SolidSearch::add_touches(int a, int b, const NodeState& at_a, const NodeState& at_b,
                              bool must_find, bool closely, std::vector<ContactKey>& keys) {
  const Solid &one = machine_.solids()[static_cast<std::size_t>(a)],
              &two = machine_.solids()[static_cast<std::size_t>(b)];
  const double reach = touching * size_of(one, two);
  if (one.by_outline || two.by_outline) {
    outlines_.place(one.outline, at_a, two.outline, at_b);
    outlines_.find_touches(reach, must_find, touches_);
  } else if (one.by_pieces || two.by_pieces) {
    pieces_.place(one.pieces, at_a, two.pieces, at_b, one.planar && two.planar);
    pieces_.find_touches(reach, must_find, closely, touches_);
  } else {
    polytopes_.place(one.shape, at_a, two.shape, at_b);
    polytopes_.find_touches(reach, must_find, touches_);
  }
  for (const Touch& touch : touches_) {
    keys.push_back({machine_.group_of_solids(), a, b, touch.a.code(), touch.b.code()});
  }
}

double SolidSearch::first_meeting_of(int a, int b, const Way& way) {
  const auto& solids = machine_.solids();
  const double near =
      meeting * size_of(solids[static_cast<std::size_t>(a)], solids[static_cast<std::size_t>(b)]);
  return first_meeting([&](double t) { return gap_between(a, b, way.a(t), way.b(t)); }, way.longest,
                       near);
}

double SolidSearch::last_time_apart(int a, int b, const Way& way, double depth) {
  double apart = 0.0, inside = 1.0;
  if (gap_between(a, b, way.a(0.0), way.b(0.0)) < -depth) return 0.0;
  for (int halving = 0; halving < 40 && inside - apart > 1e-9; ++halving) {
    const double middle = 0.5 * (apart + inside);
    (gap_between(a, b, way.a(middle), way.b(middle)) < -depth ? inside : apart) = middle;
  }
  return apart;
}

double SolidSearch::deepest_on_way(int a, int b, const Way& way) {
  const auto& solids = machine_.solids();
  const double graze = deepest_graze * size_of(solids[static_cast<std::size_t>(a)],
                                               solids[static_cast<std::size_t>(b)]);
  constexpr int most_looks = 64;
  if (!(way.longest > 2.0 * graze)) return 0.0;  // cannot have got in and out
  const int looks = static_cast<int>(std::min<double>(most_looks, std::ceil(way.longest / graze)));
  double deepest = 0.0;
  for (int k = 1; k < looks; ++k) {
    const double t = static_cast<double>(k) / looks;
    deepest = std::max(deepest, -gap_between(a, b, way.a(t), way.b(t)));
  }
  return deepest > graze ? deepest : 0.0;
}

void SolidSearch::find(const Configuration& q, const Configuration& next,
                       std::vector<ContactKey>& keys) {
  if (machine_.solids().empty()) return;
  find_pairs(q, next);
  for (const auto& [a, b] : pairs_) {
    const Way way = way_of(a, b, q, next);
    const std::size_t before = keys.size();
    add_touches(a, b, way.from_a, way.from_b, false, false, keys);
    if (keys.size() > before || way.longest == 0.0) continue;
    const double t = first_meeting_of(a, b, way);
    if (t <= 1.0) add_touches(a, b, way.a(t), way.b(t), true, false, keys);
  }
  std::sort(keys.begin(), keys.end());
}

SolidSearch::Overlap SolidSearch::find_missed(const Configuration& q, const Configuration& next,
                                              std::span<const ContactKey> known,
                                              std::vector<ContactKey>& missed) {
  missed.clear();
  Overlap deepest;
  if (machine_.solids().empty()) return deepest;
  const double allowed = overlap_tolerance * machine_.length();
  find_pairs(q, next);
  for (const auto& pair : pairs_) {
    const int a = pair.first, b = pair.second;
    const ContactKey first{machine_.group_of_solids(), a, b, 0, 0};
    const auto found = std::lower_bound(known.begin(), known.end(), first);
    const bool is_known = found != known.end() && found->sphere == a && found->partner == b;
    const Way way = way_of(a, b, q, next);
    const std::size_t before = missed.size();
    const auto look_at = [&](double t) {
      add_touches(a, b, way.a(t), way.b(t), !is_known, is_known, missed);
      const auto is_listed = [&](const ContactKey& key) {
        return std::binary_search(known.begin(), known.end(), key);
      };
      missed.erase(std::remove_if(missed.begin() + static_cast<std::ptrdiff_t>(before),
                                  missed.end(), is_listed),
                   missed.end());
    };
    const double depth = -gap_between(a, b, way.to_a, way.to_b);
    const bool overlaps = depth > allowed;
    if (overlaps && depth > deepest.depth) deepest = {depth, a, b};
    // Where two that touched all the way overlap a little, what is missing is seen best at the end.
    if (overlaps && is_known) look_at(1.0);
    if (missed.size() > before) continue;
    if (!overlaps && is_known) {
      const double through = deepest_on_way(a, b, way);
      if (through > deepest.depth) deepest = {through, a, b, true};
    }
    double t = overlaps ? last_time_apart(a, b, way, allowed) : no_meeting;
    if (!is_known && way.longest > 0.0) t = std::min(t, first_meeting_of(a, b, way));
    if (t <= 1.0) look_at(t);
    // On the way between two places a corner that bounced may bulge into the other and hide what
    // comes deeper.
    if (overlaps && missed.size() == before) {
      const double size = size_of(machine_.solids()[static_cast<std::size_t>(a)],
                                  machine_.solids()[static_cast<std::size_t>(b)]);
      look_at(last_time_apart(a, b, way, std::min(0.5 * depth, touching * size)));
    }
  }
  std::sort(missed.begin(), missed.end());
  return deepest;
}

SolidSearch::Overlap SolidSearch::deepest_overlap(const Configuration& q) {
  Overlap deepest;
  if (machine_.solids().empty()) return deepest;
  find_pairs(q, q);
  for (const auto& [a, b] : pairs_) {
    const auto node_a =
        static_cast<std::size_t>(machine_.solids()[static_cast<std::size_t>(a)].node);
    const auto node_b =
        static_cast<std::size_t>(machine_.solids()[static_cast<std::size_t>(b)].node);
    const double depth = -gap_between(a, b, q[node_a], q[node_b]);
    if (depth > deepest.depth) deepest = {depth, a, b};
  }
  return deepest;
}

}  // namespace clatter
