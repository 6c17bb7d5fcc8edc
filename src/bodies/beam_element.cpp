#include "bodies/beam_element.hpp"

namespace clatter {
namespace {

// Offsets of the column groups, as in PairCoordinate.
constexpr int XA = 0, TA = 3, XB = 6, TB = 9;

using Rows3 = Eigen::Matrix<double, 3, 12>;

/// A(psi) = T(psi)^-T, which turns the chord of a helix into its tangent at the start:
///   A(psi) b = b - psi x b / 2 + c psi x (psi x b),
/// and its derivatives.
struct ChordMap {
  Vec3 psi;
  HalfCotangent c;
  Mat3 A;

  explicit ChordMap(const Vec3& rotation)
      : psi(rotation), c(half_cotangent(rotation.squaredNorm())) {
    const Mat3 s = skew(psi);
    A = Mat3::Identity() - 0.5 * s + c.value * s * s;
  }

  /// psi x (psi x b) and its derivative with respect to psi.
  Vec3 square(const Vec3& b) const { return psi * psi.dot(b) - psi.squaredNorm() * b; }
  Mat3 square_slope(const Vec3& b) const {
    return psi.dot(b) * Mat3::Identity() + psi * b.transpose() - 2.0 * b * psi.transpose();
  }
  /// d(A b)/dpsi
  Mat3 slope(const Vec3& b) const {
    return 0.5 * skew(b) + c.value * square_slope(b) + c.slope * square(b) * psi.transpose();
  }
  /// d(A^T b)/dpsi, since A(psi)^T = A(-psi)
  Mat3 transposed_slope(const Vec3& b) const { return slope(b) - skew(b); }
  /// d^2(n . A b)/dpsi^2, symmetric
  Mat3 curvature(const Vec3& n, const Vec3& b) const {
    const Mat3 twist = b * n.transpose();
    const Vec3 slope_of_square = b * psi.dot(n) + n * psi.dot(b) - 2.0 * n.dot(b) * psi;
    const Mat3 mixed = slope_of_square * psi.transpose();
    const double squared = n.dot(square(b));
    return c.value * (twist + twist.transpose()) + c.slope * (mixed + mixed.transpose()) +
           (c.slope * squared - 2.0 * c.value * n.dot(b)) * Mat3::Identity() +
           c.bend * squared * psi * psi.transpose();
  }
  /// d(A b)/dt for dpsi/dt = w, as a matrix on b
  Mat3 rate(const Vec3& w) const {
    const Mat3 s = skew(psi), r = skew(w);
    return -0.5 * r + c.value * (r * s + s * r) + c.slope * psi.dot(w) * s * s;
  }
  /// d(slope(b) w)/dpsi
  Mat3 slope_rate(const Vec3& b, const Vec3& w) const {
    const double turn = psi.dot(w);
    const Mat3 twist = w * b.transpose();
    return c.value * (twist + b.dot(w) * Mat3::Identity() - 2.0 * b * w.transpose()) +
           c.slope * (square_slope(b) * w * psi.transpose() + square(b) * w.transpose() +
                      turn * square_slope(b)) +
           c.bend * turn * square(b) * psi.transpose();
  }
};

}  // namespace

/// The element as it lies: everything that forces and tangents are made from. Velocities and
/// variations of rotations are in section axes.
struct BeamElement::Helix {
  Mat3 Ra;     // section axes at a
  Vec3 chord;  // in these
  ChordMap map;
  Vec3 u;

  Helix(const Mat3& at_a, const Quaternion& from_a_to_b, const Vec3& chord_in_space)
      : Ra(at_a),
        chord(Ra.transpose() * chord_in_space),
        map(log_so3(from_a_to_b)),
        u(map.A * chord) {}

  /// Variations of chord, psi and u with the motions of both ends.
  Rows3 chord_rows() const {
    Rows3 rows = Rows3::Zero();
    rows.middleCols<3>(XB) = Ra.transpose();
    rows.middleCols<3>(XA) = -rows.middleCols<3>(XB);
    rows.middleCols<3>(TA) = skew(chord);
    return rows;
  }
  Rows3 psi_rows() const {
    Rows3 rows = Rows3::Zero();
    rows.middleCols<3>(TA) = -map.A;
    rows.middleCols<3>(TB) = map.A.transpose();
    return rows;
  }
};

/// Rates of chord, psi and u.
struct BeamElement::Rates {
  Vec3 chord, psi, u;
  Rates(const Helix& helix, const Vec12& v)
      : chord(helix.Ra.transpose() * (v.segment<3>(XB) - v.segment<3>(XA)) +
              helix.chord.cross(v.segment<3>(TA))),
        psi(helix.map.A.transpose() * v.segment<3>(TB) - helix.map.A * v.segment<3>(TA)),
        u(helix.map.A * chord + helix.map.slope(helix.chord) * psi) {}
};

BeamElement::BeamElement(int a, int b, const BeamProperties& properties)
    : a_(a),
      b_(b),
      p_(properties),
      offset_(!p_.frame_a.isIdentity(0.0) || !p_.frame_b.isIdentity(0.0)),
      turn_a_(p_.frame_a),
      turn_b_(p_.frame_b) {
  const double half = 0.5 * p_.length, sixth = p_.lumped_mass ? 0.0 : p_.length / 6.0;
  const Mat3 one = Mat3::Identity();
  const auto fill = [&](int at_a, int at_b, const Mat3& line, const Mat3& Fa, const Mat3& Fb) {
    mass_correction_.block<3, 3>(at_a, at_a) = -sixth * Fa * line * Fa.transpose();
    mass_correction_.block<3, 3>(at_a, at_b) = sixth * Fa * line * Fb.transpose();
    mass_correction_.block<3, 3>(at_b, at_a) = sixth * Fb * line * Fa.transpose();
    mass_correction_.block<3, 3>(at_b, at_b) = -sixth * Fb * line * Fb.transpose();
    mass_.block<3, 3>(at_a, at_a) = half * Fa * line * Fa.transpose();
    mass_.block<3, 3>(at_b, at_b) = half * Fb * line * Fb.transpose();
  };
  fill(XA, XB, p_.line_mass * one, one, one);
  fill(TA, TB, p_.line_inertia.asDiagonal(), p_.frame_a, p_.frame_b);
  mass_ += mass_correction_;
}

BeamElement::Helix BeamElement::helix(const Configuration& q) const {
  const NodeState &A = q[static_cast<std::size_t>(a_)], &B = q[static_cast<std::size_t>(b_)];
  if (!offset_) return {A.R, A.p.conjugate() * B.p, B.x - A.x};
  return {A.R * p_.frame_a, (A.p * turn_a_).conjugate() * (B.p * turn_b_), B.x - A.x};
}

Vec12 BeamElement::in_section_axes(const NodalVector& v) const {
  Vec12 pair = of_pair(v, a_, b_);
  if (offset_) {
    pair.segment<3>(TA) = (p_.frame_a.transpose() * pair.segment<3>(TA)).eval();
    pair.segment<3>(TB) = (p_.frame_b.transpose() * pair.segment<3>(TB)).eval();
  }
  return pair;
}

SectionVector BeamElement::strain(const Helix& helix) const {
  SectionVector strain;
  strain << helix.u / p_.length - Vec3::UnitX(),
      helix.map.psi / p_.length - p_.unstressed_curvature;
  return strain;
}

SectionVector BeamElement::resultant(const Helix& helix, const Vec12& v) const {
  SectionVector total = strain(helix);
  if (p_.stiffness_damping > 0.0) {
    const Rates rates(helix, v);
    total.head<3>() += p_.stiffness_damping / p_.length * rates.u;
    total.tail<3>() += p_.stiffness_damping / p_.length * rates.psi;
  }
  return p_.stiffness.cwiseProduct(total);
}

BeamElement::Section BeamElement::section(const Configuration& q, const NodalVector& v) const {
  const Helix lies = helix(q);
  return {strain(lies), resultant(lies, in_section_axes(v))};
}

double BeamElement::bend(const Configuration& q) const { return helix(q).map.psi.norm(); }

void BeamElement::force(const Configuration& q, const NodalVector& v, Vec12& f,
                        Vec12& magnitude) const {
  const Helix lies = helix(q);
  const SectionVector stress = resultant(lies, in_section_axes(v));
  const Vec3 N = stress.head<3>(), M = stress.tail<3>();
  // Virtual work N . du + M . dpsi = p . dchord + m . dpsi
  const Vec3 p = lies.map.A.transpose() * N;
  const Vec3 m = M + lies.map.slope(lies.chord).transpose() * N;
  f.segment<3>(XA) = lies.Ra * p;
  f.segment<3>(XB) = -f.segment<3>(XA);
  f.segment<3>(TA) = lies.chord.cross(p) + lies.map.A.transpose() * m;
  f.segment<3>(TB) = -lies.map.A * m;
  if (offset_) {
    f.segment<3>(TA) = (p_.frame_a * f.segment<3>(TA)).eval();
    f.segment<3>(TB) = (p_.frame_b * f.segment<3>(TB)).eval();
  }
  const Vec12 pair = of_pair(v, a_, b_);
  Vec12 momentum;
  correct_momentum(v, momentum);
  f.segment<3>(TA) -= pair.segment<3>(TA).cross(momentum.segment<3>(TA));
  f.segment<3>(TB) -= pair.segment<3>(TB).cross(momentum.segment<3>(TB));
  if (p_.mass_damping > 0.0) f.noalias() -= p_.mass_damping * mass_ * pair;

  // The chord is the difference of two positions, psi of two rotations, both to round-off.
  const double reach = q[static_cast<std::size_t>(a_)].x.norm() +
                       q[static_cast<std::size_t>(b_)].x.norm() + p_.length;
  const double pull = p_.stiffness.head<3>().maxCoeff() * reach / p_.length;
  const double turn = p_.stiffness.tail<3>().maxCoeff() / p_.length +
                      0.5 * p_.stiffness.segment<2>(1).maxCoeff() * reach;
  magnitude << Vec3::Constant(pull), Vec3::Constant(turn), Vec3::Constant(pull),
      Vec3::Constant(turn);
}

void BeamElement::tangent(const Configuration& q, const NodalVector& v, Mat12& K, Mat12& C) const {
  const Helix lies = helix(q);
  const ChordMap& map = lies.map;
  const Vec3& chord = lies.chord;
  const Vec12 ends = in_section_axes(v);
  const SectionVector stress = resultant(lies, ends);
  const Vec3 N = stress.head<3>();
  const Mat3 E = map.slope(chord), P = map.transposed_slope(N);
  const Vec3 p = map.A.transpose() * N;
  const Vec3 m = stress.tail<3>() + E.transpose() * N;

  const Rows3 dchord = lies.chord_rows(), dpsi = lies.psi_rows();
  const Rows3 du = map.A * dchord + E * dpsi;
  const SectionVector per_length = p_.stiffness / p_.length;
  const auto stretch = per_length.head<3>().asDiagonal();
  const auto bend = per_length.tail<3>().asDiagonal();
  Rows3 dN = stretch * du, dM = bend * dpsi;
  const double beta = p_.stiffness_damping;
  if (beta > 0.0) {
    // Stress also follows the rates of u and psi, which depend on the position, too.
    const Rates rates(lies, ends);
    const Vec3 spin_a = ends.segment<3>(TA), spin_b = ends.segment<3>(TB);
    const Rows3 dpsi_rate = (map.transposed_slope(spin_b) - map.slope(spin_a)) * dpsi;
    Rows3 dchord_rate = -skew(spin_a) * dchord;
    dchord_rate.middleCols<3>(TA) +=
        skew(lies.Ra.transpose() * (ends.segment<3>(XB) - ends.segment<3>(XA)));
    const Rows3 du_rate = map.A * dchord_rate + map.rate(rates.psi) * dchord + E * dpsi_rate +
                          (map.slope(rates.chord) + map.slope_rate(chord, rates.psi)) * dpsi;
    C.noalias() = du.transpose() * (beta * dN) + dpsi.transpose() * (beta * dM);
    dN += beta * (stretch * du_rate);
    dM += beta * (bend * dpsi_rate);
  } else {
    C.setZero();
  }
  const Rows3 dp = map.A.transpose() * dN + P * dpsi;
  const Rows3 dm =
      dM + E.transpose() * dN + map.curvature(N, chord) * dpsi + P.transpose() * dchord;

  Rows3 pull = dp;
  pull.middleCols<3>(TA) -= skew(p);
  K.middleRows<3>(XB).noalias() = lies.Ra * pull;
  K.middleRows<3>(XA) = -K.middleRows<3>(XB);
  K.middleRows<3>(TA).noalias() =
      skew(p) * dchord - skew(chord) * dp - map.A.transpose() * dm - map.transposed_slope(m) * dpsi;
  K.middleRows<3>(TB).noalias() = map.A * dm + map.slope(m) * dpsi;
  if (offset_) {
    to_node_axes(K);
    if (beta > 0.0) to_node_axes(C);
  }

  const Vec12 pair = of_pair(v, a_, b_);
  Vec12 momentum;
  correct_momentum(v, momentum);
  for (const int row : {TA, TB}) {
    C.middleRows<3>(row).noalias() +=
        skew(pair.segment<3>(row)) * mass_correction_.middleRows<3>(row);
    C.block<3, 3>(row, row) -= skew(momentum.segment<3>(row));
  }
  if (p_.mass_damping > 0.0) C += p_.mass_damping * mass_;
}

void BeamElement::to_node_axes(Mat12& matrix) const {
  for (const auto& [at, frame] : {std::pair(TA, &p_.frame_a), std::pair(TB, &p_.frame_b)}) {
    matrix.middleRows<3>(at) = (*frame * matrix.middleRows<3>(at)).eval();
    matrix.middleCols<3>(at) = (matrix.middleCols<3>(at) * frame->transpose()).eval();
  }
}

void BeamElement::correct_momentum(const NodalVector& v, Vec12& momentum) const {
  if (p_.lumped_mass) {
    momentum.setZero();
    return;
  }
  const Vec12 ends = in_section_axes(v);
  const double sixth = p_.length / 6.0;
  momentum.segment<3>(XA) = sixth * p_.line_mass * (ends.segment<3>(XB) - ends.segment<3>(XA));
  momentum.segment<3>(XB) = -momentum.segment<3>(XA);
  const Vec3 turn = sixth * p_.line_inertia.cwiseProduct(ends.segment<3>(TB) - ends.segment<3>(TA));
  momentum.segment<3>(TA) = offset_ ? Vec3(p_.frame_a * turn) : turn;
  momentum.segment<3>(TB) = offset_ ? Vec3(-(p_.frame_b * turn)) : -turn;
}

double BeamElement::energy(const Configuration& q) const {
  const SectionVector e = strain(helix(q));
  return 0.5 * p_.length * e.dot(p_.stiffness.cwiseProduct(e));
}

double BeamElement::dissipated_power(const Configuration& q, const NodalVector& v) const {
  double power = 0.0;
  if (p_.mass_damping > 0.0) {
    const Vec12 pair = of_pair(v, a_, b_);
    power += p_.mass_damping * pair.dot(mass_ * pair);
  }
  if (p_.stiffness_damping > 0.0) {
    const Rates rates(helix(q), in_section_axes(v));
    SectionVector rate;
    rate << rates.u, rates.psi;
    power += p_.stiffness_damping / p_.length * rate.dot(p_.stiffness.cwiseProduct(rate));
  }
  return power;
}

}  // namespace clatter
