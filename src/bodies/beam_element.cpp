#include "bodies/beam_element.hpp"

#include <algorithm>
#include <cmath>

namespace clatter {
namespace {

// Offsets of the column groups, as in PairCoordinate.
constexpr int XA = 0, TA = 3, XB = 6, TB = 9;

/// A(psi) = T(psi)^-T, which turns the chord of a helix into its tangent at the start:
///   A(psi) b = b - psi x b / 2 + c psi x (psi x b),
/// and its derivatives.
struct ChordMap {
  Vec3 psi;
  double th2;
  HalfCotangent c;
  Mat3 A;

  explicit ChordMap(const Vec3& rotation)
      : psi(rotation), th2(rotation.squaredNorm()), c(half_cotangent(th2)) {
    A = c.value * psi * psi.transpose() - 0.5 * skew(psi);
    A.diagonal().array() += 1.0 - c.value * th2;
  }

  /// d(A b)/dpsi
  Mat3 slope(const Vec3& b) const {
    const double along = psi.dot(b);
    const Vec3 left = c.slope * along * psi - (2.0 * c.value + c.slope * th2) * b;
    Mat3 s = 0.5 * skew(b) + c.value * psi * b.transpose() + left * psi.transpose();
    s.diagonal().array() += c.value * along;
    return s;
  }
  /// d(A^T b)/dpsi, since A(psi)^T = A(-psi)
  Mat3 transposed_slope(const Vec3& b) const { return slope(b) - skew(b); }
  /// d(n . A b)/dpsi
  Vec3 slope_along(const Vec3& n, const Vec3& b) const {
    return 0.5 * n.cross(b) + c.value * square_slope_along(n, b) + c.slope * n.dot(square(b)) * psi;
  }
  /// d^2(n . A b)/dpsi^2, symmetric
  Mat3 curvature(const Vec3& n, const Vec3& b) const {
    const double squared = n.dot(square(b));
    const Vec3 mixed = c.slope * square_slope_along(n, b) + 0.5 * c.bend * squared * psi;
    Mat3 half = c.value * b * n.transpose() + mixed * psi.transpose();
    half.diagonal().array() += 0.5 * c.slope * squared - c.value * n.dot(b);
    return half + half.transpose();
  }
  /// d(A b)/dt for dpsi/dt = w, as a matrix on b
  Mat3 rate(const Vec3& w) const {
    const Mat3 s = skew(psi), r = skew(w);
    return -0.5 * r + c.value * (r * s + s * r) + c.slope * psi.dot(w) * s * s;
  }
  /// d(slope(b) w)/dpsi
  Mat3 slope_rate(const Vec3& b, const Vec3& w) const {
    const double turn = psi.dot(w);
    const Mat3 square_slope =
        psi.dot(b) * Mat3::Identity() + psi * b.transpose() - 2.0 * b * psi.transpose();
    return c.value * (w * b.transpose() + b.dot(w) * Mat3::Identity() - 2.0 * b * w.transpose()) +
           c.slope * (square_slope * w * psi.transpose() + square(b) * w.transpose() +
                      turn * square_slope) +
           c.bend * turn * square(b) * psi.transpose();
  }

 private:
  /// psi x (psi x b), and the derivative of n . psi x (psi x b) with respect to psi
  Vec3 square(const Vec3& b) const { return psi * psi.dot(b) - th2 * b; }
  Vec3 square_slope_along(const Vec3& n, const Vec3& b) const {
    return b * psi.dot(n) + n * psi.dot(b) - 2.0 * n.dot(b) * psi;
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

double BeamElement::bend(const Configuration& q) const {
  const NodeState &A = q[static_cast<std::size_t>(a_)], &B = q[static_cast<std::size_t>(b_)];
  const double half_cosine = std::abs(offset_ ? (A.p * turn_a_).dot(B.p * turn_b_) : A.p.dot(B.p));
  return 2.0 * std::acos(std::min(1.0, half_cosine));
}

void BeamElement::force(const Configuration& q, const NodalVector& v, Vec12& f,
                        Vec12& magnitude) const {
  const Helix lies = helix(q);
  const SectionVector stress = resultant(lies, in_section_axes(v));
  const Vec3 N = stress.head<3>(), M = stress.tail<3>();
  // Virtual work N . du + M . dpsi = p . dchord + m . dpsi
  const Vec3 p = lies.map.A.transpose() * N;
  const Vec3 m = M + lies.map.slope_along(N, lies.chord);
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

// The energy is a function of chord and psi, with the gradient (p, m). Their variations are
//   dchord = Ra^T (dx_b - dx_a) + chord x dTheta_a,   dpsi = A^T dTheta_b - A dTheta_a,
// and those of the gradient, with du = A dchord + E dpsi and stiffnesses S, B per length,
//   dp = A^T S du + P dpsi,   dm = B dpsi + E^T S du + Q dpsi + P^T dchord.
// With stiffness damping u and psi in the stress are replaced by u + beta du/dt, psi + beta
// dpsi/dt.
void BeamElement::tangent(const Configuration& q, const NodalVector& v, Mat12& K, Mat12& C) const {
  const Helix lies = helix(q);
  const ChordMap& map = lies.map;
  const Mat3 &A = map.A, &Ra = lies.Ra;
  const Vec3& chord = lies.chord;
  const Vec12 ends = in_section_axes(v);
  const SectionVector stress = resultant(lies, ends);
  const Vec3 N = stress.head<3>();
  const Vec3 S = p_.stiffness.head<3>() / p_.length, B = p_.stiffness.tail<3>() / p_.length;
  const Mat3 E = map.slope(chord), P = map.transposed_slope(N);
  const Vec3 p = A.transpose() * N;
  const Vec3 m = stress.tail<3>() + E.transpose() * N;

  // Variations of the stress with chord, psi and directly with Theta_a.
  Mat3 N_chord = S.asDiagonal() * A, N_psi = S.asDiagonal() * E, M_psi = B.asDiagonal();
  Mat3 N_turn = Mat3::Zero();
  C.setZero();
  const double beta = p_.stiffness_damping;
  if (beta > 0.0) {
    add_damping(lies, N_chord, N_psi, M_psi, C);
    const Rates rates(lies, ends);
    const Vec3 spin_a = ends.segment<3>(TA), spin_b = ends.segment<3>(TB);
    const Vec3 apart = Ra.transpose() * (ends.segment<3>(XB) - ends.segment<3>(XA));
    const Mat3 psi_rate = map.transposed_slope(spin_b) - map.slope(spin_a);
    N_chord += beta * S.asDiagonal() * (map.rate(rates.psi) - A * skew(spin_a));
    N_psi += beta * S.asDiagonal() *
             (map.slope(rates.chord) + map.slope_rate(chord, rates.psi) + E * psi_rate);
    M_psi += beta * B.asDiagonal() * psi_rate;
    N_turn = beta * S.asDiagonal() * A * skew(apart);
  }
  const Mat3 p_chord = A.transpose() * N_chord, p_psi = A.transpose() * N_psi + P;
  const Mat3 m_chord = E.transpose() * N_chord + P.transpose();
  const Mat3 m_psi = M_psi + E.transpose() * N_psi + map.curvature(N, chord);

  // ... and of the gradient with x_b (= minus x_a), Theta_a and Theta_b.
  const Mat3 chord_skew = skew(chord), p_skew = skew(p);
  const Mat3 p_x = p_chord * Ra.transpose(), m_x = m_chord * Ra.transpose();
  Mat3 p_a = p_chord * chord_skew - p_psi * A, m_a = m_chord * chord_skew - m_psi * A;
  const Mat3 p_b = p_psi * A.transpose(), m_b = m_psi * A.transpose();
  if (beta > 0.0) {
    p_a += A.transpose() * N_turn;
    m_a += E.transpose() * N_turn;
  }
  const Mat3 m_slope = map.slope(m), m_transposed = m_slope - skew(m);
  const Mat3 K_xx = Ra * p_x, K_xa = Ra * (p_a - p_skew), K_xb = Ra * p_b;
  const Mat3 K_ax = p_skew * Ra.transpose() - chord_skew * p_x - A.transpose() * m_x;
  const Mat3 K_bx = A * m_x;
  K.block<3, 3>(XA, XA) = K_xx;
  K.block<3, 3>(XA, TA) = -K_xa;
  K.block<3, 3>(XA, XB) = -K_xx;
  K.block<3, 3>(XA, TB) = -K_xb;
  K.block<3, 3>(TA, XA) = -K_ax;
  K.block<3, 3>(TA, TA) =
      p_skew * chord_skew - chord_skew * p_a - A.transpose() * m_a + m_transposed * A;
  K.block<3, 3>(TA, XB) = K_ax;
  K.block<3, 3>(TA, TB) = -(chord_skew * p_b) - A.transpose() * m_b - m_transposed * A.transpose();
  K.block<3, 3>(XB, XA) = -K_xx;
  K.block<3, 3>(XB, TA) = K_xa;
  K.block<3, 3>(XB, XB) = K_xx;
  K.block<3, 3>(XB, TB) = K_xb;
  K.block<3, 3>(TB, XA) = -K_bx;
  K.block<3, 3>(TB, TA) = A * m_a - m_slope * A;
  K.block<3, 3>(TB, XB) = K_bx;
  K.block<3, 3>(TB, TB) = A * m_b + m_slope * A.transpose();
  if (offset_) {
    to_node_axes(K);
    if (beta > 0.0) to_node_axes(C);
  }

  if (!p_.lumped_mass) {
    const Vec12 pair = of_pair(v, a_, b_);
    Vec12 momentum;
    correct_momentum(v, momentum);
    for (const int row : {TA, TB}) {
      const Mat3 spin = skew(pair.segment<3>(row));
      for (const int column : {TA, TB}) {
        C.block<3, 3>(row, column) += spin * mass_correction_.block<3, 3>(row, column);
      }
      C.block<3, 3>(row, row) -= skew(momentum.segment<3>(row));
    }
  }
  if (p_.mass_damping > 0.0) C += p_.mass_damping * mass_;
}

/// C of stiffness damping is beta times the part of K that the stiffness of the section makes.
void BeamElement::add_damping(const Helix& lies, const Mat3& N_chord, const Mat3& N_psi,
                              const Mat3& M_psi, Mat12& C) const {
  const Mat3& A = lies.map.A;
  const Mat3 E = lies.map.slope(lies.chord);
  Eigen::Matrix<double, 3, 12> chord_rows = Eigen::Matrix<double, 3, 12>::Zero();
  Eigen::Matrix<double, 3, 12> psi_rows = chord_rows;
  chord_rows.middleCols<3>(XB) = lies.Ra.transpose();
  chord_rows.middleCols<3>(XA) = -chord_rows.middleCols<3>(XB);
  chord_rows.middleCols<3>(TA) = skew(lies.chord);
  psi_rows.middleCols<3>(TA) = -A;
  psi_rows.middleCols<3>(TB) = A.transpose();
  const Eigen::Matrix<double, 3, 12> u_rows = A * chord_rows + E * psi_rows;
  C.noalias() +=
      p_.stiffness_damping * u_rows.transpose() * (N_chord * chord_rows + N_psi * psi_rows);
  C.noalias() += p_.stiffness_damping * psi_rows.transpose() * (M_psi * psi_rows);
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
