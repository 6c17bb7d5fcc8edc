#include <cmath>

#include <clatter/elements/pair_slip.hpp>

namespace clatter {

struct PairSlip::Place {
  Vec3 e;         // direction of slip, space axes
  Vec3 e_a, e_b;  // the same in a and in b
  Vec3 r;         // from the point fixed in b to the shared one, space axes
  Vec3 p_a, p_b;  // the shared point in a and in b
  // Disc: n and c are the normal and the axle, u points from the rim's lowest point to its centre.
  Vec3 n, c, u;
  double sine = 1.0;  // of the angle between normal and axle
};

PairSlip PairSlip::of_point(int a, int b, const Vec3& point_b, const Vec3& direction_b) {
  PairSlip slip(Kind::point, a, b);
  slip.point_b_ = point_b;
  slip.direction_ = direction_b;
  return slip;
}

PairSlip PairSlip::of_sphere(int a, const Vec3& normal_a, const Vec3& direction_a, int b,
                             const Vec3& centre_b, double radius) {
  PairSlip slip(Kind::sphere, a, b);
  slip.normal_a_ = normal_a;
  slip.direction_ = direction_a;
  slip.point_b_ = centre_b;
  slip.radius_ = radius;
  return slip;
}

PairSlip PairSlip::of_disc(int a, const Vec3& normal_a, const Vec3& direction_a, int b,
                           const Vec3& centre_b, const Vec3& axle_b, double radius) {
  PairSlip slip = of_sphere(a, normal_a, direction_a, b, centre_b, radius);
  slip.kind_ = Kind::disc;
  slip.axle_b_ = axle_b;
  return slip;
}

PairSlip PairSlip::of_turn(int a, int b, const Vec3& direction, bool is_in_b) {
  PairSlip slip(is_in_b ? Kind::turn_in_b : Kind::turn_in_a, a, b);
  slip.direction_ = direction;
  return slip;
}

bool PairSlip::couples(int group, int other) const {
  // Nothing depends on where the bodies are but the lever in a, which is a rotation's entry.
  return group % 2 == 1 || other % 2 == 1;
}

PairSlip::Place PairSlip::place(const Configuration& q) const {
  const NodeState &A = q[a_], &B = q[b_];
  Place s;
  s.e = kind_ == Kind::point ? B.R * direction_ : A.R * direction_;
  s.e_a = kind_ == Kind::point ? Vec3(A.R.transpose() * s.e) : direction_;
  s.e_b = kind_ == Kind::point ? direction_ : Vec3(B.R.transpose() * s.e);
  s.n = A.R * normal_a_;
  s.c = B.R * axle_b_;
  s.u = s.n;
  if (kind_ == Kind::disc) {
    const Vec3 w = s.n - s.n.dot(s.c) * s.c;
    s.sine = w.norm();
    s.u = w / s.sine;
  }
  s.r = -radius_ * s.u;
  s.p_b = point_b_ + B.R.transpose() * s.r;
  s.p_a = A.R.transpose() * (B.x + B.R * point_b_ + s.r - A.x);
  return s;
}

// e . (v_b + R_b (Omega_b x p_b) - v_a - R_a (Omega_a x p_a))
void PairSlip::row(const Configuration& q, Vec12& g) const {
  if (is_turn()) {
    const Mat3 &A = q[a_].R, &B = q[b_].R;
    const bool in_b = kind_ == Kind::turn_in_b;
    g.setZero();
    g.segment<3>(TA) = in_b ? Vec3(-A.transpose() * (B * direction_)) : Vec3(-direction_);
    g.segment<3>(TB) = in_b ? direction_ : Vec3(B.transpose() * (A * direction_));
    return;
  }
  const Place s = place(q);
  g.segment<3>(XA) = -s.e;
  g.segment<3>(TA) = s.e_a.cross(s.p_a);
  g.segment<3>(XB) = s.e;
  g.segment<3>(TB) = s.p_b.cross(s.e_b);
}

void PairSlip::row_derivative(const Configuration& q, Mat12& H) const {
  if (is_turn()) {
    // Of R^T R' d, by the rotation of R and of R'.
    const bool in_b = kind_ == Kind::turn_in_b;
    const int own = in_b ? TA : TB, other = in_b ? TB : TA;
    const Mat3 &R = q[in_b ? a_ : b_].R, &fixed = q[in_b ? b_ : a_].R;
    const double sign = in_b ? -1.0 : 1.0;
    const Mat3 relative = R.transpose() * fixed;
    H.setZero();
    H.block<3, 3>(own, own) = sign * skew(relative * direction_);
    H.block<3, 3>(own, other) = -sign * relative * skew(direction_);
    return;
  }
  const NodeState &A = q[a_], &B = q[b_];
  const Place s = place(q);
  const Mat3 b_in_a = A.R.transpose() * B.R;

  // Derivatives of e, e_a, e_b and r by the rotations of a and b.
  Mat3 e_A = Mat3::Zero(), e_B = Mat3::Zero(), r_A = Mat3::Zero(), r_B = Mat3::Zero();
  Mat3 ea_A = Mat3::Zero(), ea_B = Mat3::Zero(), eb_A = Mat3::Zero(), eb_B = Mat3::Zero();
  const Mat3 turn = skew(direction_);
  if (kind_ == Kind::point) {
    e_B = -B.R * turn;
    ea_A = skew(s.e_a);
    ea_B = -b_in_a * turn;
  } else {
    e_A = -A.R * turn;
    eb_B = skew(s.e_b);
    eb_A = -b_in_a.transpose() * turn;
    r_A = radius_ * A.R * skew(normal_a_);  // of a sphere: r = -radius n
  }
  if (kind_ == Kind::disc) {
    // r = -radius u, u = w / |w|, w = n - (n.c) c
    const Mat3 P = (Mat3::Identity() - s.u * s.u.transpose()) / s.sine;
    const Mat3 w_c = -(s.c * s.n.transpose() + s.n.dot(s.c) * Mat3::Identity());
    r_A = (P * (Mat3::Identity() - s.c * s.c.transpose()) * r_A).eval();
    r_B = radius_ * P * w_c * B.R * skew(axle_b_);
  }
  const Mat3 lever_a = skew(s.e_a), lever_b = skew(s.p_b);
  const Mat3 pa_X = A.R.transpose();  // of p_a by x_b, and with the other sign by x_a
  const Mat3 pa_A = skew(s.p_a) + pa_X * r_A;
  const Mat3 pa_B = pa_X * (r_B - B.R * skew(point_b_));
  const Mat3 pb_A = B.R.transpose() * r_A;
  const Mat3 pb_B = skew(B.R.transpose() * s.r) + B.R.transpose() * r_B;

  H.setZero();
  H.block<3, 3>(XA, TA) = -e_A;
  H.block<3, 3>(XA, TB) = -e_B;
  H.block<3, 3>(XB, TA) = e_A;
  H.block<3, 3>(XB, TB) = e_B;
  H.block<3, 3>(TA, XA) = -lever_a * pa_X;
  H.block<3, 3>(TA, XB) = lever_a * pa_X;
  H.block<3, 3>(TA, TA) = lever_a * pa_A - skew(s.p_a) * ea_A;
  H.block<3, 3>(TA, TB) = lever_a * pa_B - skew(s.p_a) * ea_B;
  H.block<3, 3>(TB, TA) = lever_b * eb_A - skew(s.e_b) * pb_A;
  H.block<3, 3>(TB, TB) = lever_b * eb_B - skew(s.e_b) * pb_B;
}

}  // namespace clatter
