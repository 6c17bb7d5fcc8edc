#include "bodies/beam_element.hpp"

#include <cmath>

// Many products of small matrices: much faster when none of them is a call. Not with sanitizers,
// whose checks would grow beyond what a compiler can take, and to no avail without optimisation.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLATTER_SANITIZED
#endif
#endif
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(CLATTER_SANITIZED)
#define CLATTER_WITHOUT_CALLS [[gnu::flatten]]
#else
#define CLATTER_WITHOUT_CALLS
#endif

namespace clatter {
namespace {

// Offsets of the column groups, as in PairCoordinate.
constexpr int XA = 0, TA = 3, XB = 6, TB = 9;

/// skew(a) X and X skew(a)
Mat3 skew_times(const Vec3& a, const Mat3& X) {
  Mat3 product;
  for (int i = 0; i < 3; ++i) product.col(i) = a.cross(X.col(i));
  return product;
}
Mat3 times_skew(const Mat3& X, const Vec3& a) {
  Mat3 product;
  product.col(0) = a.z() * X.col(1) - a.y() * X.col(2);
  product.col(1) = a.x() * X.col(2) - a.z() * X.col(0);
  product.col(2) = a.y() * X.col(0) - a.x() * X.col(1);
  return product;
}

}  // namespace

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
  sixth_mass_ << Vec3::Constant(sixth * p_.line_mass), sixth * p_.line_inertia;
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

void BeamElement::lay(const Configuration& q, Helix& lies) const {
  const NodeState &A = q[static_cast<std::size_t>(a_)], &B = q[static_cast<std::size_t>(b_)];
  Quaternion turn;
  if (offset_) {
    lies.Ra = A.R * p_.frame_a;
    turn = (A.p * turn_a_).conjugate() * (B.p * turn_b_);
  } else {
    lies.Ra = A.R;
    turn = A.p.conjugate() * B.p;
  }
  lies.chord = lies.Ra.transpose() * (B.x - A.x);
  lies.map = ChordMap(log_so3(turn));
  lies.u = lies.map.A * lies.chord;
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

double BeamElement::cosine_of_half_bend(const Configuration& q) const {
  const NodeState &A = q[static_cast<std::size_t>(a_)], &B = q[static_cast<std::size_t>(b_)];
  return std::abs(offset_ ? (A.p * turn_a_).dot(B.p * turn_b_) : A.p.dot(B.p));
}

Vec6 BeamElement::stiffest_force() const {
  const double pull = p_.stiffness.head<3>().maxCoeff() / p_.length;
  const double turn = p_.stiffness.tail<3>().maxCoeff() / (p_.length * p_.length) +
                      0.5 * p_.stiffness.segment<2>(1).maxCoeff();
  Vec6 force;
  force << Vec3::Constant(pull), Vec3::Constant(turn);
  return force;
}

CLATTER_WITHOUT_CALLS void BeamElement::force(const Helix& lies, const NodalVector& v,
                                              Vec12& f) const {
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
}

// The energy is a function of chord and psi, with the gradient (p, m). Their variations are
//   dchord = Ra^T (dx_b - dx_a) + chord x dTheta_a,   dpsi = A^T dTheta_b - A dTheta_a,
// and those of the gradient, with du = A dchord + E dpsi and stiffnesses S, B per length,
//   dp = A^T S du + P dpsi,   dm = B dpsi + E^T S du + Q dpsi + P^T dchord.
// With stiffness damping u and psi in the stress are replaced by u + beta du/dt, psi + beta
// dpsi/dt.
CLATTER_WITHOUT_CALLS void BeamElement::tangent(const Helix& lies, const NodalVector& v,
                                                double factor, Mat12& K, Mat12& C) const {
  const ChordMap& map = lies.map;
  const Mat3 &A = map.A, &Ra = lies.Ra;
  const Vec3& chord = lies.chord;
  const Vec12 ends = in_section_axes(v);
  const SectionVector stress = factor * resultant(lies, ends);
  const Vec3 N = stress.head<3>();
  const SectionVector per_length = factor / p_.length * p_.stiffness;
  const Vec3 S = per_length.head<3>(), B = per_length.tail<3>();
  const Mat3 E = map.slope(chord), P = map.transposed_slope(N);
  const Vec3 p = A.transpose() * N;
  const Vec3 m = stress.tail<3>() + E.transpose() * N;

  // Variations of the stress with chord, psi and directly with Theta_a.
  Mat3 N_chord = S.asDiagonal() * A, N_psi = S.asDiagonal() * E, M_psi = B.asDiagonal();
  Mat3 N_turn = Mat3::Zero();
  const double beta = p_.stiffness_damping;
  if (is_damped()) C.setZero();
  if (beta > 0.0) {
    add_damping(lies, C);
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
  const Mat3 m_chord =
      beta > 0.0 ? Mat3(E.transpose() * N_chord + P.transpose()) : Mat3(p_psi.transpose());
  const Mat3 m_psi = M_psi + E.transpose() * N_psi + map.curvature(N, chord);

  // ... and of the gradient with x_b (= minus x_a), Theta_a and Theta_b.
  const Mat3 p_x = p_chord * Ra.transpose();
  Mat3 p_a = times_skew(p_chord, chord) - p_psi * A, m_a = times_skew(m_chord, chord) - m_psi * A;
  const Mat3 p_b = p_psi * A.transpose(), m_b = m_psi * A.transpose();
  if (beta > 0.0) {
    p_a += A.transpose() * N_turn;
    m_a += E.transpose() * N_turn;
  }
  const Mat3 m_slope = map.slope(m), m_transposed = m_slope - skew(m);
  const Mat3 K_xx = Ra * p_x, K_xa = Ra * (p_a - skew(p)), K_xb = Ra * p_b;
  const Mat3 K_ab = -skew_times(chord, p_b) - A.transpose() * m_b - m_transposed * A.transpose();
  // Derivatives of an energy in different directions commute unless both turn the same node.
  Mat3 K_ax = K_xa.transpose(), K_bx = K_xb.transpose(), K_ba = K_ab.transpose();
  if (beta > 0.0) {
    const Mat3 m_x = m_chord * Ra.transpose();
    K_ax = skew_times(p, Ra.transpose()) - skew_times(chord, p_x) - A.transpose() * m_x;
    K_bx = A * m_x;
    K_ba = A * m_a - m_slope * A;
  }
  K.block<3, 3>(XA, XA) = K_xx;
  K.block<3, 3>(XA, TA) = -K_xa;
  K.block<3, 3>(XA, XB) = -K_xx;
  K.block<3, 3>(XA, TB) = -K_xb;
  K.block<3, 3>(TA, XA) = -K_ax;
  K.block<3, 3>(TA, TA) =
      times_skew(skew(p), chord) - skew_times(chord, p_a) - A.transpose() * m_a + m_transposed * A;
  K.block<3, 3>(TA, XB) = K_ax;
  K.block<3, 3>(TA, TB) = K_ab;
  K.block<3, 3>(XB, XA) = -K_xx;
  K.block<3, 3>(XB, TA) = K_xa;
  K.block<3, 3>(XB, XB) = K_xx;
  K.block<3, 3>(XB, TB) = K_xb;
  K.block<3, 3>(TB, XA) = -K_bx;
  K.block<3, 3>(TB, TA) = K_ba;
  K.block<3, 3>(TB, XB) = K_bx;
  K.block<3, 3>(TB, TB) = A * m_b + m_slope * A.transpose();
  if (offset_) {
    to_node_axes(K);
    if (beta > 0.0) to_node_axes(C);
  }

  // Gyroscopic torques of the mass correction.
  const Vec12 pair = of_pair(v, a_, b_);
  Vec12 momentum;
  correct_momentum(v, momentum);
  for (const int row : {TA, TB}) {
    const Mat3 spin = skew(pair.segment<3>(row));
    for (const int column : {TA, TB}) {
      Mat3 block;
      if (offset_) {
        block = spin * mass_correction_.block<3, 3>(row, column);
      } else {
        block = (row == column ? -spin : spin) * sixth_mass_.tail<3>().asDiagonal();
      }
      if (row == column) block -= skew(momentum.segment<3>(row));
      if (is_damped()) block += C.block<3, 3>(row, column);
      C.block<3, 3>(row, column) = block;
    }
  }
  if (p_.mass_damping > 0.0) C += p_.mass_damping * mass_;
}

void BeamElement::add_damping(const Helix& lies, Mat12& C) const {
  const Mat3& A = lies.map.A;
  Eigen::Matrix<double, 3, 12> chord_rows = Eigen::Matrix<double, 3, 12>::Zero();
  Eigen::Matrix<double, 6, 12> rows = Eigen::Matrix<double, 6, 12>::Zero();  // of u and psi
  chord_rows.middleCols<3>(XB) = lies.Ra.transpose();
  chord_rows.middleCols<3>(XA) = -chord_rows.middleCols<3>(XB);
  chord_rows.middleCols<3>(TA) = skew(lies.chord);
  rows.block<3, 3>(3, TA) = -A;
  rows.block<3, 3>(3, TB) = A.transpose();
  rows.topRows<3>() = A * chord_rows + lies.map.slope(lies.chord) * rows.bottomRows<3>();
  const SectionVector damping = p_.stiffness_damping / p_.length * p_.stiffness;
  C.noalias() += rows.transpose() * damping.asDiagonal() * rows;
}

void BeamElement::to_node_axes(Mat12& matrix) const {
  for (const auto& [at, frame] : {std::pair(TA, &p_.frame_a), std::pair(TB, &p_.frame_b)}) {
    matrix.middleRows<3>(at) = (*frame * matrix.middleRows<3>(at)).eval();
    matrix.middleCols<3>(at) = (matrix.middleCols<3>(at) * frame->transpose()).eval();
  }
}

void BeamElement::add_mass_correction(double factor, Mat12& matrix) const {
  if (p_.lumped_mass) return;
  if (offset_) {
    matrix += factor * mass_correction_;
    return;
  }
  const Vec6 part = factor * sixth_mass_;
  matrix.diagonal().head<6>() -= part;
  matrix.diagonal().tail<6>() -= part;
  matrix.topRightCorner<6, 6>().diagonal() += part;
  matrix.bottomLeftCorner<6, 6>().diagonal() += part;
}

double BeamElement::energy(const Helix& lies) const {
  const SectionVector e = strain(lies);
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
