#include <clatter/contact/geometry/chord_pair.hpp>

namespace clatter {
namespace {

/// On a chord a line along z, whatever axes the side was given in.
Patch patch_on(const ChordPair::Side& side) {
  if (!side.is_chord()) return side.patch;
  Patch line;
  line.kind = Patch::Kind::line;
  line.radius = side.patch.radius;
  return line;
}

/// How the twelve variations of the two frames follow from the 24 of the nodes.
using FrameMap = Eigen::Matrix<double, 12, 24>;

/// `of_frame`: where the variations of the frame begin, and those of the first node; those of the
/// second begin twelve later.
void add_side(const NodeState& frame, const Vec3& way, bool is_chord, int of_frame, FrameMap& map) {
  if (!is_chord) {
    map.block<6, 6>(of_frame, of_frame).setIdentity();
    return;
  }
  // The middle is the mean of the ends. The frame turns with the chord: about it not at all, for
  // which a line does not care.
  const Mat3 turn = frame.R.transpose() * skew(way) / way.squaredNorm();
  for (const auto& [column, sign] : {std::pair(of_frame, -1.0), std::pair(of_frame + 12, 1.0)}) {
    map.block<3, 3>(of_frame, column) = 0.5 * Mat3::Identity();
    map.block<3, 3>(of_frame + 3, column) = sign * turn;
  }
}

/// Turns what the arm from the middle of a chord does into a share and an arm from the chord.
void take_share(const Vec3& way, const Vec3& arm_from_middle, int first, ChordDerivative::Of& arm,
                ChordDerivative::OfShare& share) {
  // share = 1/2 + arm . way / way . way
  const double square = way.squaredNorm(), along = arm_from_middle.dot(way) / square;
  ChordDerivative::Of of_way = ChordDerivative::Of::Zero();
  of_way.middleCols<3>(first) = -Mat3::Identity();
  of_way.middleCols<3>(first + 12) = Mat3::Identity();
  share =
      (way.transpose() * arm + (arm_from_middle - 2.0 * along * way).transpose() * of_way) / square;
  arm -= way * share + along * of_way;
}

}  // namespace

NodeState chord_frame(const Vec3& one, const Vec3& two, bool planar) {
  NodeState at;
  at.x = 0.5 * (one + two);
  const Vec3 along = (two - one).normalized();
  if (planar) {
    at.R << along, Vec3::UnitZ().cross(along), Vec3::UnitZ();
  } else {
    const Vec3 x = along.unitOrthogonal();
    at.R << x, along.cross(x), along;
  }
  return at;
}

// In the plane as well the patches are a line and a point, which are apart in the plane.
ChordPair::ChordPair(const Side& a, const Side& b, bool planar)
    : SurfacePair(a.node, b.node, planar, a.patch.origin, b.patch.origin),
      sides_{Chord{a.node, a.second, a.patch.radius}, Chord{b.node, b.second, b.patch.radius}},
      patches_(patch_on(a), patch_on(b), a.node, b.node, false) {}

NodeState ChordPair::place(const Chord& side, const Configuration& q) const {
  const auto node = static_cast<std::size_t>(side.node);
  if (side.second == ground) return q[node];
  return chord_frame(q[node].x, q[static_cast<std::size_t>(side.second)].x, false);
}

double ChordPair::gap(const Configuration& q) const {
  return patches_.gap(place(sides_[0], q), place(sides_[1], q));
}

ContactFrame ChordPair::frame(const Configuration& q, const Vec3& tangent) const {
  ContactFrame f = patches_.frame(place(sides_[0], q), place(sides_[1], q), tangent);
  if (planar_) carry_tangents(tangent, true, f);
  const auto take = [&](const Chord& side, double sign, Vec3& arm, double& share) {
    if (side.second == ground) return;
    const Vec3 way =
        q[static_cast<std::size_t>(side.second)].x - q[static_cast<std::size_t>(side.node)].x;
    share = 0.5 + arm.dot(way) / way.squaredNorm();
    arm = sign * side.radius * f.normal;
  };
  take(sides_[0], 1.0, f.arm_a, f.share_a);
  take(sides_[1], -1.0, f.arm_b, f.share_b);
  return f;
}

ChordDerivative ChordPair::derivative(const Configuration& q, const ContactFrame& f) const {
  const std::array<NodeState, 2> frames{place(sides_[0], q), place(sides_[1], q)};
  const FrameDerivative by_frames = patches_.derivative(frames[0], frames[1], f);
  std::array<Vec3, 2> ways{Vec3::Zero(), Vec3::Zero()};
  FrameMap map = FrameMap::Zero();
  for (std::size_t k = 0; k < 2; ++k) {
    const Chord& side = sides_[k];
    if (side.second != ground) {
      ways[k] =
          q[static_cast<std::size_t>(side.second)].x - q[static_cast<std::size_t>(side.node)].x;
    }
    add_side(frames[k], ways[k], side.second != ground, 6 * static_cast<int>(k), map);
  }
  ChordDerivative d;
  d.normal = by_frames.normal * map;
  carry_tangents(f, d);
  d.arm_a = by_frames.arm_a * map;
  d.arm_b = by_frames.arm_b * map;
  d.share_a.setZero();
  d.share_b.setZero();
  if (sides_[0].second != ground) {
    take_share(ways[0], (f.share_a - 0.5) * ways[0] + f.arm_a, XA, d.arm_a, d.share_a);
  }
  if (sides_[1].second != ground) {
    take_share(ways[1], (f.share_b - 0.5) * ways[1] + f.arm_b, XB, d.arm_b, d.share_b);
  }
  return d;
}

void ChordPair::gap_hessian(const Configuration& q, Mat24& H) const {
  const ContactFrame f = frame(q, Vec3::Zero());
  const ChordDerivative d = derivative(q, f);
  ChordWrench unit;
  unit.force = f.normal;
  unit.of_force = d.normal;
  wrench_derivative(q, {a_, b_, second_a(), second_b()}, f, d, unit, H);
}

void wrench_derivative(const Configuration& q, const std::array<int, 4>& nodes,
                       const ContactFrame& f, const ChordDerivative& d, const ChordWrench& wrench,
                       Mat24& derivative) {
  for (int k = 0; k < 4; ++k) {
    const bool is_a = k % 2 == 0, is_second = k >= 2;
    const Vec3& arm = is_a ? f.arm_a : f.arm_b;
    const ChordDerivative::Of& of_arm = is_a ? d.arm_a : d.arm_b;
    const double sign = is_a ? -1.0 : 1.0, share = is_a ? f.share_a : f.share_b;
    const double weight = sign * (is_second ? share : 1.0 - share);
    const ChordDerivative::OfShare of_weight =
        (is_second ? sign : -sign) * (is_a ? d.share_a : d.share_b);
    const Mat3& R = q[static_cast<std::size_t>(nodes[static_cast<std::size_t>(k)])].R;
    const Vec3 moment = R.transpose() * (arm.cross(wrench.force) + wrench.torque);
    auto rotations = derivative.middleRows<3>(6 * k + 3);
    derivative.middleRows<3>(6 * k) = weight * wrench.of_force + wrench.force * of_weight;
    rotations = weight * R.transpose() *
                (skew(arm) * wrench.of_force - skew(wrench.force) * of_arm + wrench.of_torque);
    rotations += moment * of_weight;
    rotations.middleCols<3>(6 * k + 3) += weight * skew(moment);
  }
}

}  // namespace clatter
