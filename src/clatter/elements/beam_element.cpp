#include <cmath>

#include <clatter/elements/beam_element.hpp>
#include <clatter/math/two.hpp>

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

using TwoVec3 = Eigen::Matrix<Two, 3, 1>;
using TwoMat3 = Eigen::Matrix<Two, 3, 3>;

/// X Y, X^T Y and X Y^T: with sanitizers, expressions of Eigen would be written out everywhere.
TwoMat3 product(const TwoMat3& X, const TwoMat3& Y) { return X * Y; }
TwoMat3 transposed_product(const TwoMat3& X, const TwoMat3& Y) { return X.transpose() * Y; }
TwoMat3 product_transposed(const TwoMat3& X, const TwoMat3& Y) { return X * Y.transpose(); }
/// skew(a) X and X skew(a)
TwoMat3 skew_times(const TwoVec3& a, const TwoMat3& X) {
  TwoMat3 product;
  for (int i = 0; i < 3; ++i) product.col(i) = a.cross(X.col(i));
  return product;
}
TwoMat3 times_skew(const TwoMat3& X, const TwoVec3& a) {
  TwoMat3 product;
  product.col(0) = a.z() * X.col(1) - a.y() * X.col(2);
  product.col(1) = a.x() * X.col(2) - a.z() * X.col(0);
  product.col(2) = a.y() * X.col(0) - a.x() * X.col(1);
  return product;
}

/// Angular velocities of a node and another.
TwoVec3 spins(const NodalVector& v, Eigen::Index one, Eigen::Index other) {
  const double *first = v.data() + 6 * one + 3, *second = v.data() + 6 * other + 3;
  return {Two(first[0], second[0]), Two(first[1], second[1]), Two(first[2], second[2])};
}

/// The blocks of a tangent but for those that balance of forces gives: x is where b is from a,
/// and a, b are their rotations.
struct Blocks {
  TwoMat3 xx, xa, xb, ax, aa, ab, bx, ba, bb;

  void set_zero() {
    for (TwoMat3* block : {&xx, &xa, &xb, &ax, &aa, &ab, &bx, &ba, &bb}) block->setZero();
  }
  void symmetrise() {
    const auto average = [](TwoMat3& block, TwoMat3& mirrored) {
      block = (0.5 * (block + mirrored.transpose())).eval();
      mirrored = block.transpose();
    };
    average(xa, ax);
    average(xb, bx);
    average(ab, ba);
    for (TwoMat3* block : {&xx, &aa, &bb}) *block = (0.5 * (*block + block->transpose())).eval();
  }
};

/// Blocks of mass M + damping C without damping of the beam: between positions a multiple of the
/// identity.
struct MassBlocks {
  Two xx;
  TwoMat3 aa, ab, ba, bb;
};

void write(const TwoMat3& block, int row, int column, Mat12& first, Mat12& second) {
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      const Two entry = block(i, j);
      first(row + i, column + j) = entry.lanes[0];
      second(row + i, column + j) = entry.lanes[1];
    }
  }
}

}  // namespace

/// Rates of chord, psi and u.
struct BeamElement::Rates {
  Vec3 chord, psi, u;
  [[gnu::noinline]] Rates(const Helix& helix, const Vec12& v)
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

/// The same in the plane, where few of these numbers are not zero: u = [g h; -h g] chord with
/// h = psi/2 and g = h cot h, and what varies is x = (chord, psi), of three entries.
struct BeamElement::InPlane {
  const BeamProperties& p;
  double cosine, sine;  ///< of the section axes at a
  double x, y;          ///< chord
  double g, h, dg, ddg;
  Mat3 J;  ///< d(u, psi)/dx

  InPlane(const BeamProperties& properties, const Helix& lies)
      : p(properties),
        cosine(lies.Ra(0, 0)),
        sine(lies.Ra(1, 0)),
        x(lies.chord.x()),
        y(lies.chord.y()) {
    const double psi = lies.map.psi.z(), th2 = lies.map.th2;
    const HalfCotangent& c = lies.map.c;
    g = 1.0 - c.value * th2;
    h = 0.5 * psi;
    dg = -psi * (2.0 * c.value + c.slope * th2);
    ddg = -2.0 * c.value - th2 * (5.0 * c.slope + c.bend * th2);
    J << g, h, dg * x + 0.5 * y, -h, g, dg * y - 0.5 * x, 0.0, 0.0, 1.0;
  }
  Vec3 stiffness() const { return {p.stiffness[0], p.stiffness[1], p.stiffness[5]}; }
  /// Velocity of b less that of a, in section axes.
  Eigen::Vector2d apart(const double* at_a, const double* at_b) const {
    const double dx = at_b[0] - at_a[0], dy = at_b[1] - at_a[1];
    return {cosine * dx + sine * dy, cosine * dy - sine * dx};
  }
  /// dx/dt
  Vec3 rate(const double* at_a, const double* at_b) const {
    const Eigen::Vector2d d = apart(at_a, at_b);
    return {d.x() + at_a[5] * y, d.y() - at_a[5] * x, at_b[5] - at_a[5]};
  }
  Vec3 stress(const Helix& lies, const double* at_a, const double* at_b) const {
    Vec3 strain(lies.u.x() / p.length - 1.0, lies.u.y() / p.length,
                lies.map.psi.z() / p.length - p.unstressed_curvature.z());
    if (p.stiffness_damping > 0.0) {
      strain += p.stiffness_damping / p.length * (J * rate(at_a, at_b));
    }
    return stiffness().cwiseProduct(strain);
  }
  double half_mass() const { return 0.5 * p.length * p.line_mass; }
  double half_inertia() const { return 0.5 * p.length * p.line_inertia.z(); }

  void force(const Vec3& stress, Vec12& f) const;
  void tangent(const Vec3& stress, const double* at_a, const double* at_b, double sixth_mass,
               double sixth_inertia, const TangentFactors& factors, Mat12& tangent) const;
};

void BeamElement::InPlane::force(const Vec3& stress, Vec12& f) const {
  const Vec3 P = J.transpose() * stress;
  const double fx = cosine * P.x() - sine * P.y(), fy = sine * P.x() + cosine * P.y();
  const double torque = x * P.y() - y * P.x();
  f << fx, fy, 0.0, 0.0, 0.0, torque + P.z(), -fx, -fy, 0.0, 0.0, 0.0, -P.z();
}

// The energy has the gradient P = J^T stress in x, and
//   dx = B (d, dTheta_a, dTheta_b),   d = Ra^T (dx_b - dx_a),   B = [1 0 y 0; 0 1 -x 0; 0 0 -1 1]
// so that minus the forces are B^T P, on d and the two rotations.
void BeamElement::InPlane::tangent(const Vec3& stress, const double* at_a, const double* at_b,
                                   double sixth_mass, double sixth_inertia,
                                   const TangentFactors& factors, Mat12& tangent) const {
  const Vec3 per_length = stiffness() / p.length;
  Mat3 H = Mat3::Zero();       // dP/dx, and dP/d(dx/dt) with the factor of damping
  Vec3 turned = Vec3::Zero();  // dP/dTheta_a with x held
  const Mat3 elastic = J.transpose() * per_length.asDiagonal() * J;
  const double beta = p.stiffness_damping;
  const Vec3 P = J.transpose() * stress;
  if (factors.stiffness != 0.0) {
    H = elastic;
    // of J with x, times stress
    const double xz = dg * stress.x() - 0.5 * stress.y(), yz = 0.5 * stress.x() + dg * stress.y();
    H(0, 2) += xz;
    H(2, 0) += xz;
    H(1, 2) += yz;
    H(2, 1) += yz;
    H(2, 2) += ddg * (x * stress.x() + y * stress.y());
    if (beta > 0.0) {
      const Vec3 w = rate(at_a, at_b);
      Mat3 V;  // d(J w)/dx, and of w with x
      V << dg * w.z(), 0.5 * w.z(), dg * w.x() + 0.5 * w.y() + ddg * x * w.z(),  //
          -0.5 * w.z(), dg * w.z(), dg * w.y() - 0.5 * w.x() + ddg * y * w.z(),  //
          0.0, 0.0, 0.0;
      V.col(0) -= at_a[5] * J.col(1);
      V.col(1) += at_a[5] * J.col(0);
      const Mat3 weighed = beta * J.transpose() * per_length.asDiagonal();
      H += weighed * V;
      const Eigen::Vector2d d = apart(at_a, at_b);
      turned = factors.stiffness * (weighed * (J.col(0) * d.y() - J.col(1) * d.x()));
    }
    H *= factors.stiffness;
  }
  if (beta > 0.0) H += factors.damping * beta * elastic;
  const auto column_a = [&](int i) { return y * H(i, 0) - x * H(i, 1) - H(i, 2) + turned[i]; };
  const auto row_a = [&](double d0, double d1, double d2) { return y * d0 - x * d1 - d2; };
  const Vec3 a(column_a(0), column_a(1), column_a(2));
  const Vec3 p_s = factors.stiffness * P;
  Eigen::Matrix4d K;                                // of d, Theta_a, Theta_b
  K << H(0, 0), H(0, 1), a.x() - p_s.y(), H(0, 2),  //
      H(1, 0), H(1, 1), a.y() + p_s.x(), H(1, 2),   //
      row_a(H(0, 0), H(1, 0), H(2, 0)) - p_s.y(), row_a(H(0, 1), H(1, 1), H(2, 1)) + p_s.x(),
      row_a(a.x(), a.y(), a.z()) - x * p_s.x() - y * p_s.y(), row_a(H(0, 2), H(1, 2), H(2, 2)),  //
      H(2, 0), H(2, 1), a.z(), H(2, 2);
  if (factors.symmetric) K = (0.5 * (K + K.transpose())).eval();

  Eigen::Matrix2d R;
  R << cosine, -sine, sine, cosine;
  const Eigen::Matrix2d xx = R * K.topLeftCorner<2, 2>() * R.transpose();
  const Eigen::Matrix2d xt = R * K.topRightCorner<2, 2>();
  const Eigen::Matrix2d tx = K.bottomLeftCorner<2, 2>() * R.transpose();
  const double alpha = factors.damping * p.mass_damping;
  const double mass = (factors.mass + alpha) * sixth_mass, lumped = alpha * half_mass();
  const double inertia = (factors.mass + alpha) * sixth_inertia;
  tangent.setZero();
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const double own = i == j ? lumped - mass : 0.0, other = i == j ? mass : 0.0;
      tangent(XA + i, XA + j) = tangent(XB + i, XB + j) = xx(i, j) + own;
      tangent(XA + i, XB + j) = tangent(XB + i, XA + j) = other - xx(i, j);
      const int at_i = i == 0 ? TA + 2 : TB + 2, at_j = j == 0 ? TA + 2 : TB + 2;
      tangent(XA + i, at_j) = -xt(i, j);
      tangent(XB + i, at_j) = xt(i, j);
      tangent(at_i, XA + j) = -tx(i, j);
      tangent(at_i, XB + j) = tx(i, j);
      tangent(at_i, at_j) = K(2 + i, 2 + j) + (i == j ? alpha * half_inertia() - inertia : inertia);
    }
  }
}

void BeamElement::find_helix_in_plane(const Configuration& q, Helix& lies) const {
  const NodeState &A = q[static_cast<std::size_t>(a_)], &B = q[static_cast<std::size_t>(b_)];
  double cosine = A.R(0, 0), sine = A.R(1, 0);
  double wa = A.p.w(), za = A.p.z(), wb = B.p.w(), zb = B.p.z();
  if (offset_) {
    const Mat3& F = p_.frame_a;
    const double turned = cosine * F(0, 0) - sine * F(1, 0);
    sine = sine * F(0, 0) + cosine * F(1, 0);
    cosine = turned;
    const auto turn = [](double& w, double& z, const Quaternion& by) {
      const double turned_w = w * by.w() - z * by.z();
      z = w * by.z() + z * by.w();
      w = turned_w;
    };
    turn(wa, za, turn_a_);
    turn(wb, zb, turn_b_);
  }
  const double dx = B.x.x() - A.x.x(), dy = B.x.y() - A.x.y();
  lies.Ra << cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0;
  lies.chord = {cosine * dx + sine * dy, cosine * dy - sine * dx, 0.0};
  lies.map.psi = log_so3({wa * wb + za * zb, 0.0, 0.0, wa * zb - za * wb});
  const double psi = lies.map.psi.z();
  lies.map.th2 = psi * psi;
  // Elements bend little: the terms that are left out are below round-off in all three sums.
  constexpr double little = 1e-4;
  lies.map.c = lies.map.th2 < little ? so3_detail::half_cotangent_series<5>(lies.map.th2)
                                     : half_cotangent(lies.map.th2);
  const double g = 1.0 - lies.map.c.value * lies.map.th2, h = 0.5 * psi;
  lies.u = {g * lies.chord.x() + h * lies.chord.y(), g * lies.chord.y() - h * lies.chord.x(), 0.0};
}

void BeamElement::find_helix(const Configuration& q, Helix& lies) const {
  if (p_.planar) {
    find_helix_in_plane(q, lies);
    return;
  }
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

[[gnu::noinline]] Vec12 BeamElement::in_section_axes(const NodalVector& v) const {
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

SectionVector BeamElement::resultant(const Helix& helix, const NodalVector& v) const {
  if (p_.planar) {
    const Vec3 stress =
        InPlane(p_, helix).stress(helix, of_node(v, a_).data(), of_node(v, b_).data());
    SectionVector all;
    all << stress.x(), stress.y(), 0.0, 0.0, 0.0, stress.z();
    return all;
  }
  SectionVector total = strain(helix);
  if (p_.stiffness_damping > 0.0) {
    const Rates rates(helix, in_section_axes(v));
    total.head<3>() += p_.stiffness_damping / p_.length * rates.u;
    total.tail<3>() += p_.stiffness_damping / p_.length * rates.psi;
  }
  return p_.stiffness.cwiseProduct(total);
}

BeamElement::Section BeamElement::section(const Configuration& q, const NodalVector& v) const {
  const Helix lies = helix(q);
  return {strain(lies), resultant(lies, v)};
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
  if (p_.planar) {
    const double *at_a = of_node(v, a_).data(), *at_b = of_node(v, b_).data();
    const InPlane plane(p_, lies);
    plane.force(plane.stress(lies, at_a, at_b), f);
    if (p_.mass_damping == 0.0) return;
    const auto damp = [&](int i, double half, double sixth) {
      const double shared = sixth * (at_b[i] - at_a[i]);
      f[i] -= p_.mass_damping * (half * at_a[i] + shared);
      f[6 + i] -= p_.mass_damping * (half * at_b[i] - shared);
    };
    for (int i = 0; i < 2; ++i) damp(i, plane.half_mass(), sixth_mass_[0]);
    damp(5, plane.half_inertia(), sixth_mass_[5]);
    return;
  }
  const SectionVector stress = resultant(lies, v);
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

/// Two elements and how they move, for their tangents: all that is needed of both, side by side.
struct BeamElement::Both {
  const Place &first, &second;
  const NodalVector& v;
  const TangentFactors& factors;
  const BeamElement &one = first.element, &other = second.element;
  bool offset = one.offset_ || other.offset_;
  TwoMat3 Fa = both(one.p_.frame_a, other.p_.frame_a);
  TwoMat3 Fb = both(one.p_.frame_b, other.p_.frame_b);
  TwoVec3 spin_a = spins(v, one.a_, other.a_), spin_b = spins(v, one.b_, other.b_);

  /// Variations of the stress with chord, psi and directly with Theta_a.
  struct Stress {
    TwoMat3 N_chord, N_psi, N_turn, M_psi;
  };

  void turn_spins() {
    if (!offset) return;
    spin_a = (Fa.transpose() * spin_a).eval();
    spin_b = (Fb.transpose() * spin_b).eval();
  }
  bool is_damped() const {
    return one.p_.stiffness_damping > 0.0 || other.p_.stiffness_damping > 0.0;
  }
  ChordMapOf<Two> map() const;
  void add_damping(const ChordMapOf<Two>& map, const TwoVec3& chord, const TwoMat3& Ra,
                   const TwoMat3& E, const Eigen::Matrix<Two, 6, 1>& per_length,
                   Stress& stress) const;
  void find_stiffness(Blocks& K) const;
  void find_inertia(MassBlocks& M) const;
  void turn_to_nodes(Blocks& K, MassBlocks& M) const;
  void write(Blocks& K, const MassBlocks& M) const;
};

inline ChordMapOf<Two> BeamElement::Both::map() const {
  ChordMapOf<Two> map;
  const ChordMap &one_map = first.lies.map, &other_map = second.lies.map;
  map.psi = both(one_map.psi, other_map.psi);
  map.th2 = Two(one_map.th2, other_map.th2);
  map.c.value = Two(one_map.c.value, other_map.c.value);
  map.c.slope = Two(one_map.c.slope, other_map.c.slope);
  map.c.bend = Two(one_map.c.bend, other_map.c.bend);
  map.A = both(one_map.A, other_map.A);
  return map;
}

/// With stiffness damping u and psi in the stress are replaced by u + beta du/dt, psi + beta
/// dpsi/dt.
inline void BeamElement::Both::add_damping(const ChordMapOf<Two>& map, const TwoVec3& chord,
                                           const TwoMat3& Ra, const TwoMat3& E,
                                           const Eigen::Matrix<Two, 6, 1>& per_length,
                                           Stress& stress) const {
  const Two beta(one.p_.stiffness_damping, other.p_.stiffness_damping);
  const Vec12 one_ends = one.in_section_axes(v), other_ends = other.in_section_axes(v);
  const Rates one_rates(first.lies, one_ends), other_rates(second.lies, other_ends);
  const auto of_ends = [&](int at) {
    return both<3, 1>(one_ends.segment<3>(at), other_ends.segment<3>(at));
  };
  const TwoVec3 chord_rate = both(one_rates.chord, other_rates.chord);
  const TwoVec3 psi_rate = both(one_rates.psi, other_rates.psi);
  const TwoVec3 apart = Ra.transpose() * (of_ends(XB) - of_ends(XA));
  const TwoMat3 psi_rate_psi = map.transposed_slope(spin_b) - map.slope(spin_a);
  const TwoVec3 S = per_length.head<3>(), B = per_length.tail<3>();
  const TwoVec3 S_beta = beta * S, B_beta = beta * B;
  stress.N_chord += S_beta.asDiagonal() * (map.rate(psi_rate) - times_skew(map.A, spin_a));
  stress.N_psi += S_beta.asDiagonal() *
                  (map.slope(chord_rate) + map.slope_rate(chord, psi_rate) + E * psi_rate_psi);
  stress.M_psi += B_beta.asDiagonal() * psi_rate_psi;
  stress.N_turn = S_beta.asDiagonal() * times_skew(map.A, apart);
}

// The energy is a function of chord and psi, with the gradient (p, m). Their variations are
//   dchord = Ra^T (dx_b - dx_a) + chord x dTheta_a,   dpsi = A^T dTheta_b - A dTheta_a,
// and those of the gradient, with du = A dchord + E dpsi and stiffnesses S, B per length,
//   dp = A^T S du + P dpsi,   dm = B dpsi + E^T S du + Q dpsi + P^T dchord.
inline void BeamElement::Both::find_stiffness(Blocks& K) const {
  const ChordMapOf<Two> chord_map = map();
  const TwoMat3 &A = chord_map.A, Ra = both(first.lies.Ra, second.lies.Ra);
  const TwoVec3 chord = both(first.lies.chord, second.lies.chord);
  const Eigen::Matrix<Two, 6, 1> stress =
      factors.stiffness * both(one.resultant(first.lies, v), other.resultant(second.lies, v));
  const Eigen::Matrix<Two, 6, 1> per_length =
      Two(factors.stiffness / one.p_.length, factors.stiffness / other.p_.length) *
      both(one.p_.stiffness, other.p_.stiffness);
  const TwoVec3 N = stress.head<3>(), S = per_length.head<3>(), B = per_length.tail<3>();
  const TwoMat3 E = chord_map.slope(chord), P = chord_map.transposed_slope(N);
  const TwoVec3 p = A.transpose() * N;
  const TwoVec3 m = stress.tail<3>() + E.transpose() * N;
  Stress vary{S.asDiagonal() * A, S.asDiagonal() * E, {}, B.asDiagonal()};
  const bool damped = is_damped();
  if (damped) add_damping(chord_map, chord, Ra, E, per_length, vary);
  const TwoMat3 p_chord = transposed_product(A, vary.N_chord);
  const TwoMat3 p_psi = transposed_product(A, vary.N_psi) + P;
  const TwoMat3 m_psi =
      vary.M_psi + transposed_product(E, vary.N_psi) + chord_map.curvature(N, chord);

  // Of the gradient with x_b (= minus x_a), Theta_a and Theta_b.
  const TwoMat3 p_x = product_transposed(p_chord, Ra);
  const TwoMat3 p_b = product_transposed(p_psi, A);
  TwoMat3 p_a = times_skew(p_chord, chord) - product(p_psi, A);
  if (damped) p_a += transposed_product(A, vary.N_turn);

  // Torques balance: that on a is chord x p - turn A m, where turn A = A^T.
  const TwoMat3 m_slope = chord_map.slope(m), turn = chord_map.rotation();
  const TwoVec3 torque_b = -A * m;
  K.xx = product(Ra, p_x);
  K.xa = product(Ra, p_a - skew(p));
  K.xb = product(Ra, p_b);
  K.bb = product_transposed(product(A, m_psi) + m_slope, A);
  K.ab = -skew_times(chord, p_b) - product(turn, K.bb + skew(torque_b));
  if (damped) {
    const TwoMat3 m_chord = transposed_product(E, vary.N_chord) + P.transpose();
    const TwoMat3 m_a =
        times_skew(m_chord, chord) - product(m_psi, A) + transposed_product(E, vary.N_turn);
    K.bx = product(A, product_transposed(m_chord, Ra));
    K.ax = skew_times(p, Ra.transpose()) - skew_times(chord, p_x) - product(turn, K.bx);
    K.ba = product(A, m_a) - product(m_slope, A);
  } else {
    // Derivatives of an energy in different directions commute unless both turn the same node.
    K.bx = K.xb.transpose();
    K.ax = K.xa.transpose();
    K.ba = K.ab.transpose();
  }
  K.aa =
      chord * p.transpose() - skew_times(chord, p_a) + skew(turn * torque_b) - product(turn, K.ba);
  K.aa.diagonal().array() -= chord.dot(p);
}

/// Inertia and gyroscopic torques of the mass correction.
inline void BeamElement::Both::find_inertia(MassBlocks& M) const {
  const auto sixth = both(one.sixth_mass_, other.sixth_mass_);
  const TwoVec3 inertia = sixth.tail<3>(), part = factors.mass * inertia;
  const TwoVec3 momentum = factors.damping * inertia.cwiseProduct(spin_b - spin_a);
  M.xx = factors.mass * sixth[0];
  M.ab = skew(factors.damping * spin_a) * inertia.asDiagonal();
  M.ba = skew(factors.damping * spin_b) * inertia.asDiagonal();
  M.ab.diagonal() += part;
  M.ba.diagonal() += part;
  M.aa = -M.ab - skew(momentum);
  M.bb = -M.ba + skew(momentum);
}

/// From section axes to those of the nodes, and for K to increments.
inline void BeamElement::Both::turn_to_nodes(Blocks& K, MassBlocks& M) const {
  if (offset) {
    for (TwoMat3* block : {&K.ax, &K.aa, &K.ab, &M.aa, &M.ab}) *block = product(Fa, *block);
    for (TwoMat3* block : {&K.bx, &K.ba, &K.bb, &M.ba, &M.bb}) *block = product(Fb, *block);
    for (TwoMat3* block : {&K.xa, &K.aa, &K.ba, &M.aa, &M.ba}) {
      *block = product_transposed(*block, Fa);
    }
    for (TwoMat3* block : {&K.xb, &K.ab, &K.bb, &M.ab, &M.bb}) {
      *block = product_transposed(*block, Fb);
    }
  }
  if (first.T_a == nullptr) return;
  const TwoMat3 Ta = both(*first.T_a, *second.T_a), Tb = both(*first.T_b, *second.T_b);
  for (TwoMat3* block : {&K.xa, &K.aa, &K.ba}) *block = product(*block, Ta);
  for (TwoMat3* block : {&K.xb, &K.ab, &K.bb}) *block = product(*block, Tb);
}

inline void BeamElement::Both::write(Blocks& K, const MassBlocks& M) const {
  const auto put = [&](int row, int column, const TwoMat3& block) {
    clatter::write(block, row, column, first.tangent, second.tangent);
  };
  K.xx.diagonal().array() -= M.xx;
  put(XA, XA, K.xx);
  put(XB, XB, K.xx);
  K.xx = -K.xx;
  put(XA, XB, K.xx);
  put(XB, XA, K.xx);
  put(XA, TA, -K.xa);
  put(XB, TA, K.xa);
  put(XA, TB, -K.xb);
  put(XB, TB, K.xb);
  put(TA, XA, -K.ax);
  put(TA, XB, K.ax);
  put(TB, XA, -K.bx);
  put(TB, XB, K.bx);
  put(TA, TA, K.aa + M.aa);
  put(TA, TB, K.ab + M.ab);
  put(TB, TA, K.ba + M.ba);
  put(TB, TB, K.bb + M.bb);
}

CLATTER_WITHOUT_CALLS void BeamElement::tangents(const Place& first, const Place& second,
                                                 const NodalVector& v,
                                                 const TangentFactors& factors) {
  if (first.element.p_.planar || second.element.p_.planar) {
    for (const Place* place : {&first, &second}) {
      const BeamElement& element = place->element;
      if (element.p_.planar) {
        const double *at_a = of_node(v, element.a_).data(), *at_b = of_node(v, element.b_).data();
        const InPlane plane(element.p_, place->lies);
        plane.tangent(plane.stress(place->lies, at_a, at_b), at_a, at_b, element.sixth_mass_[0],
                      element.sixth_mass_[5], factors, place->tangent);
      } else {
        Mat12 same;
        tangents(*place, {element, place->lies, place->T_a, place->T_b, same}, v, factors);
      }
    }
    return;
  }
  Both two{first, second, v, factors};
  two.turn_spins();
  Blocks K;
  if (factors.stiffness != 0.0) {
    two.find_stiffness(K);
  } else {
    K.set_zero();
  }
  MassBlocks M;
  two.find_inertia(M);
  two.turn_to_nodes(K, M);
  if (factors.symmetric) K.symmetrise();
  two.write(K, M);
  if (factors.damping == 0.0) return;
  for (const Place* place : {&first, &second}) {
    if (place->element.is_damped()) {
      place->element.add_damping(place->lies, factors.damping, place->tangent);
    }
  }
}

[[gnu::noinline]] void BeamElement::add_damping(const Helix& lies, double factor,
                                                Mat12& matrix) const {
  matrix += factor * p_.mass_damping * mass_;
  if (p_.stiffness_damping == 0.0) return;
  const Mat3& A = lies.map.A;
  Eigen::Matrix<double, 3, 12> chord_rows = Eigen::Matrix<double, 3, 12>::Zero();
  Eigen::Matrix<double, 6, 12> rows = Eigen::Matrix<double, 6, 12>::Zero();  // of u and psi
  chord_rows.middleCols<3>(XB) = lies.Ra.transpose();
  chord_rows.middleCols<3>(XA) = -chord_rows.middleCols<3>(XB);
  chord_rows.middleCols<3>(TA) = skew(lies.chord);
  rows.block<3, 3>(3, TA) = -A;
  rows.block<3, 3>(3, TB) = A.transpose();
  rows.topRows<3>() = A * chord_rows + lies.map.slope(lies.chord) * rows.bottomRows<3>();
  if (offset_) {
    rows.middleCols<3>(TA) = (rows.middleCols<3>(TA) * p_.frame_a.transpose()).eval();
    rows.middleCols<3>(TB) = (rows.middleCols<3>(TB) * p_.frame_b.transpose()).eval();
  }
  const SectionVector damping = factor * p_.stiffness_damping / p_.length * p_.stiffness;
  matrix.noalias() += rows.transpose() * damping.asDiagonal() * rows;
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
  if (p_.stiffness_damping > 0.0 && p_.planar) {
    const InPlane plane(p_, helix(q));
    const Vec3 rate = plane.J * plane.rate(of_node(v, a_).data(), of_node(v, b_).data());
    power += p_.stiffness_damping / p_.length * rate.dot(plane.stiffness().cwiseProduct(rate));
  } else if (p_.stiffness_damping > 0.0) {
    const Rates rates(helix(q), in_section_axes(v));
    SectionVector rate;
    rate << rates.u, rates.psi;
    power += p_.stiffness_damping / p_.length * rate.dot(p_.stiffness.cwiseProduct(rate));
  }
  return power;
}

}  // namespace clatter
