#include <algorithm>
#include <cmath>
#include <limits>

#include <clatter/contact/geometry/chord_pair.hpp>
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

double size_of(const Solid& a, const Solid& b) { return std::min(a.size, b.size); }

/// Of the chord of an element of a beam, at the start.
double length_of(const Solid& element) {
  return (element.shape.corners[1] - element.shape.corners[0]).norm();
}

/// Makes an element of a beam longer.
void stretch(double by, Polytope& shape) {
  for (Vec3& corner : shape.corners) corner *= by;
  shape.complete();
  for (std::vector<Vec3>& ways : shape.ways) {
    for (Vec3& way : ways) way *= by;
  }
}
void stretch(double by, double radius, Pieces& pieces) {
  for (Piece& piece : pieces) {
    piece.patch.origin *= by;
    piece.centre *= by;
    piece.begin *= by;
    piece.end *= by;
    piece.extent = radius + by * (piece.extent - radius);
    for (Vec3& corner : piece.outline) corner *= by;
  }
}

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

struct SolidSearch::Track {
  NodeState from, to;
  Vec3 turn = Vec3::Zero();  // rotation vector, body axes
  double swept = 0.0;        // how far a point can go beside the node
  // The ends of an element of a beam go straight.
  bool is_element = false, planar = false;
  double length = 0.0;  // at the start of all
  std::array<Vec3, 2> ends_from = {}, ends_to = {};

  Spot at(double t) const {
    if (is_element) return element_at(std::clamp(t, 0.0, 1.0));
    if (t <= 0.0) return {from};
    if (t >= 1.0) return {to};
    NodeState between;
    between.x = from.x + t * (to.x - from.x);
    between.R = from.R * exp_so3(t * turn).toRotationMatrix();
    return {between};
  }

 private:
  Spot element_at(double t) const {
    std::array<Vec3, 2> ends;
    for (std::size_t k = 0; k < 2; ++k) ends[k] = ends_from[k] + t * (ends_to[k] - ends_from[k]);
    return {chord_frame(ends[0], ends[1], planar), (ends[1] - ends[0]).norm() / length};
  }
};

struct SolidSearch::Way {
  Track track_a, track_b;
  double longest;  // how far a point of one can go, seen from the other

  Spot a(double t) const { return track_a.at(t); }
  Spot b(double t) const { return track_b.at(t); }
  /// By how much both turn, seen from each other, at most [rad].
  double turn() const { return track_a.turn.norm() + track_b.turn.norm(); }
};

SolidSearch::SolidSearch(const Machine& machine)
    : machine_(machine), boxes_(machine.solids().size()) {}

SolidSearch::Spot SolidSearch::spot_of(int solid, const Configuration& q) const {
  const Solid& of = machine_.solids()[static_cast<std::size_t>(solid)];
  const NodeState& node = q[static_cast<std::size_t>(of.node)];
  if (!of.is_element()) return {node};
  const NodeState& second = q[static_cast<std::size_t>(of.second)];
  return {chord_frame(node.x, second.x, of.planar), (second.x - node.x).norm() / length_of(of)};
}

SolidSearch::Track SolidSearch::track_of(int solid, const Configuration& q,
                                         const Configuration& next) const {
  const Solid& of = machine_.solids()[static_cast<std::size_t>(solid)];
  const auto node = static_cast<std::size_t>(of.node);
  Track track;
  track.from = q[node];
  track.to = next[node];
  if (of.is_element()) {
    const auto second = static_cast<std::size_t>(of.second);
    track.is_element = true;
    track.planar = of.planar;
    track.length = length_of(of);
    track.ends_from = {q[node].x, q[second].x};
    track.ends_to = {next[node].x, next[second].x};
    // Of the middle, beside which the ends go by half of what they go apart.
    track.from.x = 0.5 * (q[node].x + q[second].x);
    track.to.x = 0.5 * (next[node].x + next[second].x);
    track.swept = 0.5 * (next[second].x - q[second].x - next[node].x + q[node].x).norm();
    return track;
  }
  track.turn = log_so3(track.from.p.conjugate() * track.to.p);
  const double angle = track.turn.norm();
  track.swept = angle > 0.0 ? angle * of.extent : 0.0;  // a half-space that does not turn
  return track;
}

SolidSearch::Way SolidSearch::way_of(int a, int b, const Configuration& q,
                                     const Configuration& next) const {
  Way way{track_of(a, q, next), track_of(b, q, next), 0.0};
  const Track &one = way.track_a, &two = way.track_b;
  way.longest = (one.to.x - one.from.x - two.to.x + two.from.x).norm() + one.swept + two.swept;
  return way;
}

/// Pairs whose ways come near each other.
void SolidSearch::find_pairs(const Configuration& q, const Configuration& next,
                             std::span<const char> still) {
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const Solid& solid = machine_.solids()[i];
    const auto node = static_cast<std::size_t>(solid.node);
    Box& box = boxes_[i];
    box.setEmpty();
    const bool is_endless = solid.by_outline ? solid.outline.is_hollow : is_container(solid.pieces);
    if (is_endless) {
      box.extend(Vec3::Constant(infinity)).extend(Vec3::Constant(-infinity));
      continue;
    }
    if (solid.is_element()) {
      const auto second = static_cast<std::size_t>(solid.second);
      for (const Configuration* at : {&q, &next}) box.extend((*at)[node].x).extend((*at)[second].x);
      const double margin = solid.shape.radius + touching * solid.size;
      box.min().array() -= margin;
      box.max().array() += margin;
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
    return are_still(pair.first, pair.second, still) ||
           !machine_.may_touch(pair.first, pair.second);
  });
}

bool SolidSearch::are_still(int a, int b, std::span<const char> still) const {
  const auto is_still = [&](int solid) {
    const Solid& of = machine_.solids()[static_cast<std::size_t>(solid)];
    return still[static_cast<std::size_t>(of.node)] != 0 &&
           still[static_cast<std::size_t>(of.second)] != 0;
  };
  return !still.empty() && is_still(a) && is_still(b);
}

SolidSearch::By SolidSearch::place(int a, int b, const Spot& at_a, const Spot& at_b) {
  const Solid &one = machine_.solids()[static_cast<std::size_t>(a)],
              &two = machine_.solids()[static_cast<std::size_t>(b)];
  if (one.by_outline || two.by_outline) {
    outlines_.place(one.outline, at_a.at, two.outline, at_b.at);
    return By::outlines;
  }
  if (one.by_pieces || two.by_pieces) {
    const auto pieces_at = [&](const Solid& solid, const Spot& at,
                               std::size_t side) -> const Pieces& {
      if (!solid.is_element()) return solid.pieces;
      shape_pieces_[side] = solid.pieces;
      stretch(at.stretch, solid.shape.radius, shape_pieces_[side]);
      return shape_pieces_[side];
    };
    pieces_.place(pieces_at(one, at_a, 0), at_a.at, pieces_at(two, at_b, 1), at_b.at,
                  one.planar && two.planar);
    return By::pieces;
  }
  const auto shape_at = [&](const Solid& solid, const Spot& at,
                            std::size_t side) -> const Polytope& {
    if (!solid.is_element()) return solid.shape;
    shapes_[side] = solid.shape;
    stretch(at.stretch, shapes_[side]);
    return shapes_[side];
  };
  polytopes_.place(shape_at(one, at_a, 0), at_a.at, shape_at(two, at_b, 1), at_b.at);
  return By::polytopes;
}

double SolidSearch::gap_between(int a, int b, const Spot& at_a, const Spot& at_b) {
  switch (place(a, b, at_a, at_b)) {
    case By::outlines:
      return outlines_.gap();
    case By::pieces:
      return pieces_.gap();
    case By::polytopes:
      break;
  }
  return polytopes_.gap();
}

double SolidSearch::gap(int a, int b, const Configuration& q) {
  return gap_between(a, b, spot_of(a, q), spot_of(b, q));
}

void SolidSearch::name_ball(int& solid, Feature& feature) const {
  const Solid& of = machine_.solids()[static_cast<std::size_t>(solid)];
  if (!of.is_element() || of.begin == 0.0 || of.node_of(feature) != of.node) return;
  --solid;  // the element before
  feature.index = 1;
}

void SolidSearch::add_touches(int a, int b, const Way& way, double t, bool must_find, bool closely,
                              std::vector<ContactKey>& keys) {
  const Solid &one = machine_.solids()[static_cast<std::size_t>(a)],
              &two = machine_.solids()[static_cast<std::size_t>(b)];
  const double reach = touching * size_of(one, two);
  switch (place(a, b, way.a(t), way.b(t))) {
    case By::outlines:
      outlines_.find_touches(reach, must_find, touches_);
      break;
    case By::pieces:
      pieces_.find_touches({reach, must_find, closely, way.turn()}, touches_);
      break;
    case By::polytopes:
      polytopes_.find_touches(reach, must_find, touches_);
      break;
  }
  for (const Touch& touch : touches_) keys.push_back(key_of(a, b, touch));
}

ContactKey SolidSearch::key_of(int a, int b, const Touch& touch) const {
  Feature of_a = touch.a, of_b = touch.b;
  name_ball(a, of_a);
  name_ball(b, of_b);
  return {machine_.group_of_solids(), a, b, of_a.code(), of_b.code()};
}

void SolidSearch::add_coming_touches(int a, int b, const Way& way, std::vector<ContactKey>& keys) {
  constexpr double little = 0.1;  // of what is near
  const double reach = touching * size_of(machine_.solids()[static_cast<std::size_t>(a)],
                                          machine_.solids()[static_cast<std::size_t>(b)]);
  if (!(way.longest > little * reach)) return;
  if (place(a, b, way.a(1.0), way.b(1.0)) != By::polytopes) return;
  polytopes_.find_touches(reach, false, coming_);
  if (coming_.empty()) return;
  place(a, b, way.a(0.0), way.b(0.0));
  polytopes_.find_touches(reach + way.longest, false, touches_);
  for (const Touch& touch : touches_) {
    const bool comes = std::any_of(coming_.begin(), coming_.end(), [&](const Touch& other) {
      return other.a == touch.a && other.b == touch.b;
    });
    if (comes) keys.push_back(key_of(a, b, touch));
  }
}

bool SolidSearch::is_over_element(const ContactKey& key, std::span<const ContactKey> keys) const {
  const std::vector<Solid>& solids = machine_.solids();
  const auto is_beside_element = [&](int solid, int code, bool is_first) {
    const Solid& of = solids[static_cast<std::size_t>(solid)];
    const Feature feature = Feature::of(code);
    if (!of.is_element() || of.node_of(feature) < 0) return false;
    const bool is_piece = feature.kind == Feature::Kind::piece;
    const Feature::Kind line = of.planar ? Feature::Kind::face : Feature::Kind::edge;
    // Elements at the node: that which has the ball, and the next one after its end.
    for (const int element : {solid, solid + 1}) {
      if (element != solid &&
          (feature.index == 0 || static_cast<std::size_t>(element) >= solids.size() ||
           solids[static_cast<std::size_t>(element)].node != of.second ||
           !solids[static_cast<std::size_t>(element)].is_element())) {
        continue;
      }
      for (const int index : {0, 1}) {  // in the plane there are two sides
        const Feature side = is_piece ? Feature{Feature::Kind::piece, 2} : Feature{line, index};
        ContactKey other = key;
        (is_first ? other.sphere : other.partner) = element;
        (is_first ? other.feature : other.partner_feature) = side.code();
        if (std::binary_search(keys.begin(), keys.end(), other)) return true;
      }
    }
    return false;
  };
  const auto is_point = [&](int solid, int code) {
    const Feature feature = Feature::of(code);
    if (feature.kind != Feature::Kind::piece) return feature.kind == Feature::Kind::corner;
    const Patch::Kind kind = solids[static_cast<std::size_t>(solid)]
                                 .pieces[static_cast<std::size_t>(feature.index)]
                                 .patch.kind;
    return kind == Patch::Kind::point || kind == Patch::Kind::ellipsoid;
  };
  return (is_point(key.partner, key.partner_feature) &&
          is_beside_element(key.sphere, key.feature, true)) ||
         (is_point(key.sphere, key.feature) &&
          is_beside_element(key.partner, key.partner_feature, false));
}

void SolidSearch::leave_out_balls(std::span<const ContactKey> known, bool unless_all,
                                  std::vector<ContactKey>& keys) {
  balls_over_.clear();
  for (const ContactKey& key : keys) {
    if (key.group != machine_.group_of_solids()) continue;
    if (is_over_element(key, known) || is_over_element(key, keys)) balls_over_.push_back(key);
  }
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  balls_over_.erase(std::unique(balls_over_.begin(), balls_over_.end()), balls_over_.end());
  if (unless_all && balls_over_.size() == keys.size()) return;
  std::erase_if(keys, [&](const ContactKey& key) {
    return std::binary_search(balls_over_.begin(), balls_over_.end(), key);
  });
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
                       std::vector<ContactKey>& keys, std::span<const char> still) {
  looked_at_.clear();
  if (machine_.solids().empty()) return;
  find_pairs(q, next, still);
  for (const auto& [a, b] : pairs_) {
    const Way way = way_of(a, b, q, next);
    const std::size_t before = keys.size();
    add_touches(a, b, way, 0.0, false, false, keys);
    if (keys.size() == before && way.longest > 0.0) {
      const double t = first_meeting_of(a, b, way);
      if (t <= 1.0) add_touches(a, b, way, t, true, false, keys);
    }
    if (keys.size() > before) add_coming_touches(a, b, way, keys);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  if (machine_.has_solid_beams()) leave_out_balls(keys, false, keys);
}

/// Whether both end where they did in the last find_missed().
bool SolidSearch::stay(int a, int b, const Configuration& next) const {
  if (looked_at_.empty()) return false;
  for (const int solid : {a, b}) {
    const Solid& of = machine_.solids()[static_cast<std::size_t>(solid)];
    for (const int node : {of.node, of.is_element() ? of.second : of.node}) {
      const auto n = static_cast<std::size_t>(node);
      if (next[n].x != looked_at_[n].x || next[n].R != looked_at_[n].R) return false;
    }
  }
  return true;
}

SolidSearch::Overlap SolidSearch::find_missed(const Configuration& q, const Configuration& next,
                                              std::span<const ContactKey> known,
                                              std::vector<ContactKey>& missed,
                                              std::span<const char> still) {
  missed.clear();
  Overlap deepest;
  if (machine_.solids().empty()) return deepest;
  const double allowed = overlap_tolerance * machine_.length();
  find_pairs(q, next, still);
  news_before_.swap(with_news_);
  with_news_.clear();
  for (const auto& pair : pairs_) {
    const int a = pair.first, b = pair.second;
    if (stay(a, b, next) && !std::binary_search(news_before_.begin(), news_before_.end(), pair)) {
      continue;
    }
    const ContactKey first{machine_.group_of_solids(), a, b, 0, 0};
    const auto found = std::lower_bound(known.begin(), known.end(), first);
    const bool is_known = found != known.end() && found->sphere == a && found->partner == b;
    const Way way = way_of(a, b, q, next);
    const std::size_t before = missed.size();
    const auto look_at = [&](double t, bool closely) {
      add_touches(a, b, way, t, !is_known, closely, missed);
      const auto is_listed = [&](const ContactKey& key) {
        return std::binary_search(known.begin(), known.end(), key);
      };
      missed.erase(std::remove_if(missed.begin() + static_cast<std::ptrdiff_t>(before),
                                  missed.end(), is_listed),
                   missed.end());
    };
    const double depth = -gap_between(a, b, way.a(1.0), way.b(1.0));
    const bool overlaps = depth > allowed;
    if (overlaps && depth > deepest.depth) deepest = {depth, a, b};
    // Where two that touched all the way overlap a little, what is missing is seen best at the end.
    if (overlaps && is_known) look_at(1.0, false);
    if (overlaps && is_known && missed.size() == before) look_at(1.0, true);
    if (missed.size() > before) {
      with_news_.push_back(pair);
      continue;
    }
    double t = overlaps ? last_time_apart(a, b, way, allowed) : no_meeting;
    if (!is_known && way.longest > 0.0) t = std::min(t, first_meeting_of(a, b, way));
    if (t <= 1.0) look_at(t, is_known);
    if (!overlaps && (is_known || t <= 1.0)) {
      const double through = deepest_on_way(a, b, way);
      if (through > deepest.depth) deepest = {through, a, b, true};
      if (through > 0.0) with_news_.push_back(pair);
    }
    // On the way between two places a corner that bounced may bulge into the other and hide what
    // comes deeper.
    if (overlaps && missed.size() == before) {
      const double size = size_of(machine_.solids()[static_cast<std::size_t>(a)],
                                  machine_.solids()[static_cast<std::size_t>(b)]);
      look_at(last_time_apart(a, b, way, std::min(0.5 * depth, touching * size)), is_known);
    }
    if (overlaps || missed.size() > before) with_news_.push_back(pair);
  }
  looked_at_ = next;
  std::sort(missed.begin(), missed.end());
  if (machine_.has_solid_beams()) leave_out_balls(known, deepest.depth > 0.0, missed);
  return deepest;
}

SolidSearch::Overlap SolidSearch::deepest_overlap(const Configuration& q) {
  Overlap deepest;
  if (machine_.solids().empty()) return deepest;
  find_pairs(q, q);
  for (const auto& [a, b] : pairs_) {
    const double depth = -gap(a, b, q);
    if (depth > deepest.depth) deepest = {depth, a, b};
  }
  return deepest;
}

}  // namespace clatter
