#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/machine/solid_search.hpp>

#include "support/dice.hpp"

namespace clatter::testing {

/// Two bodies of one shape each, and what the library says of them: nodes 1 and 2 of `q`. The first
/// may be the ground, node 0; then the other is node 1.
class SolidPair {
 public:
  enum class In { space, plane };
  enum class First { body, ground };

  /// Shapes are tables of a model file, whose material is 'stone'.
  SolidPair(const std::string& shape_a, const std::string& shape_b, In in = In::space,
            First first = First::body)
      : SolidPair(text_of(shape_a, shape_b, in, first), first == First::body ? 1 : 0,
                  first == First::body ? 2 : 1) {}
  /// Of a whole model: what moves is `b`.
  SolidPair(const std::string& model, std::size_t a, std::size_t b)
      : machine_(parse_model(model, "pair.toml")),
        search_(machine_),
        q(machine_.initial_configuration()),
        node_a(a),
        node_b(b) {
    for (const Solid& solid : machine_.solids()) {
      Ball ball{Vec3::Zero(), -1.0};
      const bool has_corners = !solid.shape.corners.empty() && !solid.is_element();
      for (const Vec3& corner : solid.shape.corners) {
        ball.centre += corner / static_cast<double>(solid.shape.corners.size());
      }
      for (const Vec3& corner : solid.shape.corners) {
        if (!has_corners) continue;
        ball.radius = std::max(ball.radius, (corner - ball.centre).norm() + solid.shape.radius);
      }
      const bool is_endless = solid.is_element() || is_container(solid.pieces) || solid.by_outline;
      if (!has_corners && !is_endless) ball = {Vec3::Zero(), solid.extent};
      balls_.push_back(ball);
    }
    const int count = static_cast<int>(balls_.size());
    for (int one = 0; one < count; ++one) {
      for (int two = one + 1; two < count; ++two) {
        if (machine_.may_touch(one, two)) parts_.push_back({one, two, -infinity});
      }
    }
  }

  /// The least of all convex parts.
  double gap() {
    for (Parts& parts : parts_) parts.surely = -infinity;
    return gap_on_way();
  }
  /// The same where b was shifted since the last time and nothing else has moved: who was further
  /// away than it has come needs no look.
  double gap_on_way() {
    const double moved = (at_b().x - last_b_).norm();
    last_b_ = at_b().x;
    for (Parts& parts : parts_) parts.surely -= moved;
    // From the nearest most others are seen to be further.
    if (!parts_.empty()) {
      std::iter_swap(parts_.begin(), std::min_element(parts_.begin(), parts_.end(),
                                                      [](const Parts& one, const Parts& two) {
                                                        return one.surely < two.surely;
                                                      }));
    }
    double least = infinity;
    for (Parts& parts : parts_) {
      if (parts.surely >= least || between_balls(parts) > least) continue;
      const double gap = search_.gap(parts.a, parts.b, q);
      parts.surely = gap - 1e-9;
      least = std::min(least, gap);
    }
    return least;
  }

  std::vector<Contact> contacts() {
    std::vector<ContactKey> keys;
    search_.find(q, q, keys);
    std::vector<Contact> all;
    for (const ContactKey& key : keys) all.push_back(machine_.contact_of(key));
    return all;
  }
  /// The contact whose gap is least, of some.
  const Contact& nearest_of(const std::vector<Contact>& contacts) const {
    return *std::min_element(
        contacts.begin(), contacts.end(),
        [&](const Contact& one, const Contact& two) { return one.gap(q) < two.gap(q); });
  }

  /// A contact as seen from the first body, in space.
  struct Points {
    double gap;
    Vec3 on_a, on_b, normal;
  };
  Points points_of(const Contact& contact) const {
    const ContactFrame frame = contact.frame(q, Vec3::UnitX());
    const double gap = contact.gap(q);
    const bool a_first = contact.a() == static_cast<int>(node_a);
    const Vec3 n = a_first ? frame.normal : Vec3(-frame.normal);
    Vec3 on_a = at_a().x + (a_first ? frame.arm_a : frame.arm_b),
         on_b = at_b().x + (a_first ? frame.arm_b : frame.arm_a);
    if (contact.has_face()) (a_first ? on_a : on_b) -= gap * frame.normal;  // its foot on the face
    return {gap, on_a, on_b, n};
  }

  /// Brings b nearer along `way` until the gap is between `least` and `most`, or near enough to be
  /// a touch; false: it passes by.
  bool approach(const Vec3& way, double least, double most) {
    double touching = infinity;
    for (const Solid& solid : machine_.solids()) touching = std::min(touching, 1e-3 * solid.size);
    most = std::min(most, 0.8 * touching);
    gap();
    return come_near(
        least, most, [&] { return gap_on_way(); }, [&](double by) { q[node_b].x += by * way; },
        [&] { return (at_b().x - at_a().x).norm() > 100.0; });
  }

  /// Shifts until the gap is between `least` and `most`, or `is_past`: no further at once than the
  /// gap tells, or, where they are near, than the last shift foretells. Of convex solids the gap
  /// falls ever slower, so that they do not get into each other; others are taken back from there.
  template <class Gap, class Shift, class Past>
  static bool come_near(double least, double most, const Gap& gap, const Shift& shift,
                        const Past& is_past) {
    constexpr double nearly = 0.02;
    const double aim = 0.5 * (least + most);
    double here = gap(), before = here, last = 0.0, trust = 1.0;
    // Who grazes something on the way takes many small ones.
    for (int i = 0; i < 10000 && here > most; ++i) {
      double by = here - aim;
      const bool foretells = last > 0.0 && last < nearly && before - here > 0.1 * last;
      if (foretells) by *= 1.0 + trust * (last / (before - here) - 1.0);
      shift(by);
      if (is_past()) return false;
      before = here;
      last = by;
      here = gap();
      if (here <= least && foretells) {
        shift(-by);
        here = before;
        last = 0.0;
        trust *= 0.5;
      }
    }
    return here > least && here <= most;
  }

  const NodeState& at_a() const { return q[node_a]; }
  const NodeState& at_b() const { return q[node_b]; }
  const Machine& machine() const { return machine_; }

  /// Whether rows and their derivatives are those of differences along a random motion of the
  /// nodes. Differences of eighth order with two spacings tell how far they may be off themselves;
  /// where they are no good, as where the place of contact jumps, `rough` is counted up.
  ::testing::AssertionResult has_derivatives(const Contact& contact, Dice& dice, int& rough) const {
    const std::vector<Node>& nodes = machine_.nodes();
    NodalVector way = NodalVector::Zero(6 * static_cast<Eigen::Index>(nodes.size()));
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      for (int i = 0; i < 6; ++i) {
        if (nodes[n].has(i)) way[static_cast<Eigen::Index>(6 * n) + i] = dice.number();
      }
    }
    way.normalize();
    const Vec3 tangent = contact.frame(q, Vec3::UnitX()).tangents[0];
    RowVector reaction(contact.rows());
    for (int i = 0; i < contact.rows(); ++i) reaction[i] = dice.number();
    const auto rows_at = [&](const Configuration& there) -> MatX {
      const ContactFrame frame = contact.frame(there, tangent);
      PairRows rows(contact.rows(), 12), second(contact.rows(), 12);
      MatX all = MatX::Zero(contact.rows(), 24);
      if (contact.has_chord()) {
        contact.rates(there, frame, rows, second);
        all.rightCols(12) = second;
      } else {
        contact.rates(there, frame, rows);
      }
      all.leftCols(12) = rows;
      return all;
    };
    // The gap, and the generalised forces of the reaction.
    const auto values_at = [&](double s) -> VecX {
      Configuration there = q;
      retract(nodes, q, s * way, there);
      VecX values(25);
      values << contact.gap(there), rows_at(there).transpose() * reaction;
      return values;
    };
    constexpr double spacing = 2e-5;
    std::array<VecX, 17> values;
    for (const int k : {1, 2, 3, 4, 6, 8}) {
      values[static_cast<std::size_t>(8 + k)] = values_at(k * spacing);
      values[static_cast<std::size_t>(8 - k)] = values_at(-k * spacing);
    }
    const auto derivative = [&](int wide) -> VecX {
      static constexpr std::array weight{4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
      VecX sum = VecX::Zero(25);
      for (int k = 1; k <= 4; ++k) {
        sum += weight[static_cast<std::size_t>(k - 1)] / (wide * spacing) *
               (values[static_cast<std::size_t>(8 + k * wide)] -
                values[static_cast<std::size_t>(8 - k * wide)]);
      }
      return sum;
    };
    const VecX numeric = derivative(1), wider = derivative(2);

    const MatX rows = rows_at(q);
    const ContactFrame frame = contact.frame(q, tangent);
    VecX analytic(25);
    Vec24 motion = Vec24::Zero();
    const std::array<int, 4> of = contact.nodes();
    for (std::size_t k = 0; k < 4; ++k) {
      if (k < 2 || of[k] != ground) {
        motion.segment<6>(static_cast<Eigen::Index>(6 * k)) = of_node(way, of[k]);
      }
    }
    analytic[0] = rows.row(0) * motion;
    if (contact.has_chord()) {
      Mat24 K;
      contact.force_derivative(q, frame, contact.chord_derivative(q, frame), reaction, K);
      analytic.tail(24) = K * motion;
    } else {
      Mat12 K;
      contact.force_derivative(q, frame, contact.derivative(q, frame), reaction, K);
      analytic.tail(24).setZero();
      analytic.segment(1, 12) = K * motion.head<12>();
    }
    const double scale = 1.0 + analytic.cwiseAbs().maxCoeff();
    const double spread = (numeric - wider).cwiseAbs().maxCoeff();
    if (spread > 1e-3 * scale) {
      ++rough;
      return ::testing::AssertionSuccess();
    }
    Eigen::Index worst = 0;
    const double off = (analytic - numeric).cwiseAbs().maxCoeff(&worst);
    if (off <= 1e-6 * scale + 10.0 * spread) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << (worst == 0 ? "gap" : fmt::format("force {}", worst - 1)) << " has the derivative "
           << numeric[worst] << ", not " << analytic[worst];
  }

 private:
  struct Ball {
    Vec3 centre;
    double radius;  ///< negative: unknown
  };
  struct Parts {
    int a, b;       ///< solids
    double surely;  ///< apart, where b was last
  };
  /// How far balls around two parts are apart.
  double between_balls(const Parts& parts) const {
    const auto one = static_cast<std::size_t>(parts.a), two = static_cast<std::size_t>(parts.b);
    if (balls_[one].radius < 0.0 || balls_[two].radius < 0.0) return -infinity;
    const auto centre = [&](std::size_t k) -> Vec3 {
      const NodeState& at = q[static_cast<std::size_t>(machine_.solids()[k].node)];
      return at.x + at.R * balls_[k].centre;
    };
    return (centre(two) - centre(one)).norm() - balls_[one].radius - balls_[two].radius;
  }
  static std::string text_of(const std::string& shape_a, const std::string& shape_b, In in,
                             First first) {
    const bool planar = in == In::plane;
    const auto body = [&](const char* name, const std::string& shape) {
      return fmt::format("[[body]]\nname = '{}'\nmass = 1\n{}shape = {}\n", name,
                         planar ? "kind = 'planar'\ninertia = 1\n" : "inertia = [1, 1, 1]\n",
                         shape);
    };
    return fmt::format(
        "[[material]]\nname = 'stone'\nfriction = 0.3\nrolling_friction = 0.01\n{}{}{}"
        "[integrator]\nstep = 1\nduration = 1\n",
        planar ? "" : "drilling_friction = 0.01\n",
        first == First::body ? body("a", shape_a) : "[ground]\nshape = " + shape_a + "\n",
        body("b", shape_b));
  }

  Machine machine_;
  SolidSearch search_;
  std::vector<Ball> balls_;
  std::vector<Parts> parts_;
  Vec3 last_b_ = Vec3::Zero();

 public:
  Configuration q;
  const std::size_t node_a, node_b;
};

}  // namespace clatter::testing
