#include <array>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include <clatter/contact/geometry/patch_pair.hpp>
#include <clatter/contact/geometry/patch_start.hpp>

namespace clatter {
namespace {

// At most two parameters on either side, three components of n, and g.
constexpr int most_unknowns = 8;
using SystemMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_unknowns, most_unknowns>;
using SystemVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_unknowns, 1>;
using SystemColumns = Eigen::Matrix<double, Eigen::Dynamic, 12, 0, most_unknowns, 12>;

using Factors = Eigen::PartialPivLU<SystemMatrix>;

/// Whether there is a single place of contact.
bool is_regular(const Factors& factors) {
  const SystemVector pivots = factors.matrixLU().diagonal().cwiseAbs();
  return pivots.minCoeff() > 1e-12 * pivots.maxCoeff();
}

/// J^-1 times columns; where there is no single place, the smallest that fits best: least squares
/// with a little weight on the size, which each repetition takes back.
SystemColumns solved(const SystemMatrix& J, const SystemColumns& columns) {
  const Factors factors(J);
  if (is_regular(factors)) return factors.solve(columns);
  constexpr double weight = 1e-13;
  constexpr int repetitions = 4;
  SystemMatrix normal = J.transpose() * J;
  normal.diagonal().array() += weight * normal.trace();
  const Factors weighted(normal);
  SystemColumns x = SystemColumns::Zero(J.rows(), 12);
  for (int k = 0; k < repetitions; ++k) x += weighted.solve(J.transpose() * (columns - J * x));
  return x;
}

PlacedPatch placed(const Patch& patch, const Vec3& node, const Mat3& R) {
  return {patch, node + R * patch.origin, R * patch.axes};
}

/// In the plane the second direction of a plane leads out of it.
Patch prepared(Patch patch, bool planar) {
  if (!planar || patch.kind != Patch::Kind::plane) return patch;
  const Vec3 normal = patch.axes.col(2).normalized();
  patch.axes << Vec3::UnitZ().cross(normal), Vec3::UnitZ(), normal;
  return patch;
}

}  // namespace

/// Positions are relative to node a, so that how far both are from the origin costs no digits.
struct PatchPair::Solution {
  PlacedPatch a, b;
  Foot foot_a = Foot::Zero(), foot_b = Foot::Zero();
  Vec3 normal = Vec3::Zero();  ///< n
  double distance = 0.0;       ///< g
  bool in_half = true, is_exact = false;

  Vec3 between() const { return b.at(foot_b) - a.at(foot_a); }
};

/// The equations where a solution is sought. Unknowns: those of a, those of b, n, g; equations:
/// places, tangents of a, tangents of b, length of n.
struct PatchPair::System {
  System(const PatchPair& pair, const Solution& at)
      : count_a(pair.parameters_a_),
        count_b(pair.parameters_b_),
        size(count_a + count_b + 4),
        n_column(count_a + count_b),
        core_a(core_point(at.a.patch, at.foot_a)),
        core_b(core_point(at.b.patch, at.foot_b)) {
    for (std::size_t i = 0; i < 2; ++i) {
      tangents_a[i] = at.a.to_space(core_a.first[i]);
      tangents_b[i] = at.b.to_space(core_b.first[i]);
    }
  }

  SystemVector residual(const Solution& at) const {
    SystemVector r(size);
    r.head<3>() = at.between() - at.distance * at.normal;
    for (int i = 0; i < count_a; ++i) r[3 + i] = at.normal.dot(tangents_a[i]);
    for (int i = 0; i < count_b; ++i) r[3 + count_a + i] = at.normal.dot(tangents_b[i]);
    r[size - 1] = 0.5 * (at.normal.squaredNorm() - 1.0);
    return r;
  }

  SystemMatrix matrix(const Solution& at) const {
    SystemMatrix J = SystemMatrix::Zero(size, size);
    const Vec3 n_a = at.a.to_axes(at.normal), n_b = at.b.to_axes(at.normal);
    for (int i = 0; i < count_a; ++i) {
      J.block<3, 1>(0, i) = -tangents_a[i];
      for (int k = 0; k < count_a; ++k) J(3 + i, k) = n_a.dot(core_a.second[i + k]);
      J.block<1, 3>(3 + i, n_column) = tangents_a[i].transpose();
    }
    for (int i = 0; i < count_b; ++i) {
      const int row = 3 + count_a + i;
      J.block<3, 1>(0, count_a + i) = tangents_b[i];
      for (int k = 0; k < count_b; ++k) J(row, count_a + k) = n_b.dot(core_b.second[i + k]);
      J.block<1, 3>(row, n_column) = tangents_b[i].transpose();
    }
    J.block<3, 3>(0, n_column) = -at.distance * Mat3::Identity();
    J.block<3, 1>(0, size - 1) = -at.normal;
    J.block<1, 3>(size - 1, n_column) = at.normal.transpose();
    return J;
  }

  /// Residual without units: places over `length`, tangents as unit vectors.
  double merit(const Solution& at, double length) const {
    SystemVector r = residual(at);
    r.head<3>() /= length;
    for (int i = 0; i < count_a; ++i) r[3 + i] /= tangents_a[i].norm() + 1e-12 * length;
    for (int i = 0; i < count_b; ++i) {
      r[3 + count_a + i] /= tangents_b[i].norm() + 1e-12 * length;
    }
    return r.norm();
  }

  Solution moved(const Solution& from, const SystemVector& step) const {
    const auto part = [&](int first, int count) {
      return std::array{count > 0 ? step[first] : 0.0, count > 1 ? step[first + 1] : 0.0};
    };
    Solution to = from;
    to.foot_a = moved_foot(from.a.patch, from.foot_a, part(0, count_a));
    to.foot_b = moved_foot(from.b.patch, from.foot_b, part(count_a, count_b));
    to.normal += step.segment<3>(n_column);
    to.distance += step[size - 1];
    return to;
  }

  int count_a, count_b, size, n_column;
  CorePoint core_a, core_b;                    // in the axes of the patches
  std::array<Vec3, 2> tangents_a, tangents_b;  // in space axes
};

PatchPair::PatchPair(const Patch& patch_a, const Patch& patch_b, int a, int b, bool planar)
    : SurfacePair(a, b, planar, patch_a.origin, patch_b.origin),
      patch_a_(prepared(patch_a, planar)),
      patch_b_(prepared(patch_b, planar)),
      parameters_a_(patch_a_.parameters()),
      parameters_b_(patch_b_.parameters()) {
  // One direction out of the plane is enough to keep the normal in it; two would be the same.
  if (planar && patch_a_.is_surface() && patch_b_.is_surface()) parameters_b_ = 1;
}

double PatchPair::extent_a() const {
  switch (patch_a_.kind) {
    case Patch::Kind::point:
      return point_a_.norm();
    case Patch::Kind::circle:
      return point_a_.norm() + patch_a_.size.x();
    case Patch::Kind::ellipsoid:
      return point_a_.norm() + patch_a_.size.maxCoeff();
    case Patch::Kind::ellipse:
      if (planar_) return point_a_.norm() + patch_a_.size.head<2>().maxCoeff();
      [[fallthrough]];
    default:
      return std::numeric_limits<double>::infinity();
  }
}

PatchPair::Solution PatchPair::start(const NodeState& A, const NodeState& B) const {
  Solution now{.a = placed(patch_a_, Vec3::Zero(), A.R), .b = placed(patch_b_, B.x - A.x, B.R)};
  Crossing crossing;
  now.is_exact = find_crossing(patch_a_, A.R, patch_b_, B.x - A.x, B.R, crossing);
  if (now.is_exact) {
    now.foot_a = Foot(0.0, 0.0, crossing.a);
    now.foot_b = Foot(0.0, 0.0, crossing.b);
    now.normal = crossing.normal;
  } else {
    const PatchStart found = find_start(now.a, now.b, planar_);
    now.foot_a = found.a;
    now.foot_b = found.b;
    now.normal = found.normal;
    now.in_half = found.in_half;
  }
  now.distance = now.normal.dot(now.between());
  return now;
}

/// Newton's method: each step is halved until it helps, and at round-off none does. The start is
/// good to a thousandth; a distance that is further off belongs to another place. It may be found
/// where a circle has sunk as deep as the middle of what it touches, and nothing is nearest there;
/// near the end of an arc on which nothing is nearest it may find none; and a circle that hardly
/// crosses a line may have no place nearby at all, nor a normal of unit length then. In all cases
/// the start has to do.
PatchPair::Solution PatchPair::solve(const NodeState& A, const NodeState& B) const {
  const Solution first = start(A, B);
  if (first.is_exact) return first;
  Solution now = first;

  const double length = now.a.at(now.foot_a).norm() + now.b.at(now.foot_b).norm() +
                        std::numeric_limits<double>::min();
  constexpr double round_off = 4.0 * std::numeric_limits<double>::epsilon();
  System system(*this, now);
  double merit = system.merit(now, length);
  for (int i = 0; i < 50 && merit > round_off; ++i) {
    const Factors factors(system.matrix(now));
    if (!is_regular(factors)) break;
    const SystemVector step = -factors.solve(system.residual(now));
    const double least_share = merit < 1e-10 ? 1.0 : 1e-3;
    bool helped = false;
    for (double share = 1.0; share >= least_share && !helped; share *= 0.5) {
      const Solution next = system.moved(now, share * step);
      const System there(*this, next);
      const double merit_there = there.merit(next, length);
      helped = merit_there < merit;
      if (!helped) continue;
      now = next;
      system = there;
      merit = merit_there;
    }
    if (!helped) break;
  }
  const bool is_found = merit < 1e-9 && std::abs(now.distance - first.distance) < 0.01 * length;
  return is_found ? now : first;
}

std::optional<Eigen::Matrix2d> PatchPair::curvature(const NodeState& A, const NodeState& B,
                                                    const ContactFrame& frame) const {
  const Nearest at = nearest(A, B);
  const auto of = [&](const Patch& patch, const Foot& foot, const Mat3& R, double sign) {
    const Mat3 to_axes = (R * patch.axes).transpose();
    return curvature_of(patch, foot, sign * (to_axes * at.normal),
                        {to_axes * frame.tangents[0], to_axes * frame.tangents[1]});
  };
  const auto a = of(patch_a_, at.foot_a, A.R, 1.0), b = of(patch_b_, at.foot_b, B.R, -1.0);
  if (!a || !b) return std::nullopt;
  return Eigen::Matrix2d(*a + *b);
}

PatchPair::Nearest PatchPair::nearest(const NodeState& A, const NodeState& B) const {
  return nearest_at(solve(A, B));
}

PatchPair::Nearest PatchPair::roughly_nearest(const NodeState& A, const NodeState& B) const {
  return nearest_at(start(A, B));
}

PatchPair::Nearest PatchPair::nearest_at(const Solution& at) const {
  const Vec3 core_a = at.a.at(at.foot_a), core_b = at.b.at(at.foot_b);
  const double beside = (core_b - core_a - at.distance * at.normal).norm();
  return {at.foot_a,
          at.foot_b,
          core_a + patch_a_.radius * at.normal,
          core_b - patch_b_.radius * at.normal,
          at.normal,
          at.distance - patch_a_.radius - patch_b_.radius,
          at.in_half && beside <= 1e-6 * (core_a.norm() + core_b.norm())};
}

double PatchPair::gap_of(const Crossing& crossing) const {
  return crossing.normal.dot(crossing.point_b - crossing.point_a) - patch_a_.radius -
         patch_b_.radius;
}

double PatchPair::gap(const NodeState& A, const NodeState& B) const {
  Crossing crossing;  // of edges, which need no more
  if (find_crossing(patch_a_, A.R, patch_b_, B.x - A.x, B.R, crossing)) {
    return gap_of(crossing);
  }
  return solve(A, B).distance - patch_a_.radius - patch_b_.radius;
}

void PatchPair::gap_hessian(const Configuration& q, Mat12& H) const {
  const Solution at = solve(q[a_], q[b_]);
  const ContactFrame f = frame_at(at, q[b_].x - q[a_].x, Vec3::Zero());
  normal_row_derivative(q[a_], q[b_], f, derivative_at(at, q[a_].R, q[b_].R, f), H);
}

double PatchPair::place(const NodeState& A, const NodeState& B, const Vec3& tangent,
                        ContactFrame& f) const {
  const Vec3 shift = B.x - A.x;
  Crossing crossing;  // of edges, which need no more
  if (find_crossing(patch_a_, A.R, patch_b_, shift, B.R, crossing)) {
    f.normal = crossing.normal;
    carry_tangents(tangent, planar_, f);
    f.arm_a = crossing.point_a + patch_a_.radius * f.normal;
    f.arm_b = crossing.point_b - shift - patch_b_.radius * f.normal;
    return gap_of(crossing);
  }
  const Solution at = solve(A, B);
  f = frame_at(at, shift, tangent);
  return at.distance - patch_a_.radius - patch_b_.radius;
}

ContactFrame PatchPair::frame(const NodeState& A, const NodeState& B, const Vec3& tangent) const {
  ContactFrame f;
  place(A, B, tangent, f);
  return f;
}

FrameDerivative PatchPair::derivative(const NodeState& A, const NodeState& B,
                                      const ContactFrame& f) const {
  return derivative_at(solve(A, B), A.R, B.R, f);
}

ContactFrame PatchPair::frame_at(const Solution& at, const Vec3& shift, const Vec3& tangent) const {
  ContactFrame f;
  f.normal = at.normal;
  carry_tangents(tangent, planar_, f);
  f.arm_a = at.a.at(at.foot_a) + patch_a_.radius * f.normal;
  f.arm_b = at.b.at(at.foot_b) - shift - patch_b_.radius * f.normal;
  return f;
}

/// The equations hold for all q: J d(unknowns) + (what the nodes do to the equations) = 0.
FrameDerivative PatchPair::derivative_at(const Solution& at, const Mat3& R_a, const Mat3& R_b,
                                         const ContactFrame& f) const {
  const System system(*this, at);
  const auto in_node = [](const Patch& patch, const Vec3& v) -> Vec3 { return patch.axes * v; };
  const FrameDerivative::Of turn_a =
      turning(R_a, patch_a_.origin + in_node(patch_a_, system.core_a.position), TA);
  const FrameDerivative::Of turn_b =
      turning(R_b, patch_b_.origin + in_node(patch_b_, system.core_b.position), TB);

  SystemColumns by_nodes = SystemColumns::Zero(system.size, 12);
  FrameDerivative::Of between = turn_b - turn_a;
  add_displacement(between);
  by_nodes.topRows<3>() = between;
  for (int i = 0; i < system.count_a; ++i) {
    by_nodes.row(3 + i) =
        at.normal.transpose() * turning(R_a, in_node(patch_a_, system.core_a.first[i]), TA);
  }
  for (int i = 0; i < system.count_b; ++i) {
    by_nodes.row(3 + system.count_a + i) =
        at.normal.transpose() * turning(R_b, in_node(patch_b_, system.core_b.first[i]), TB);
  }
  const SystemColumns unknowns = solved(system.matrix(at), -by_nodes);

  FrameDerivative d;
  d.normal = unknowns.middleRows<3>(system.n_column);
  carry_tangents(f, d);
  d.arm_a = turn_a + patch_a_.radius * d.normal;
  for (int i = 0; i < system.count_a; ++i) d.arm_a += system.tangents_a[i] * unknowns.row(i);
  d.arm_b = turn_b - patch_b_.radius * d.normal;
  for (int i = 0; i < system.count_b; ++i) {
    d.arm_b += system.tangents_b[i] * unknowns.row(system.count_a + i);
  }
  return d;
}

}  // namespace clatter
