#include <cmath>
#include <numbers>

#include <clatter/elements/pair_coordinate.hpp>

namespace clatter {
namespace {

bool is_rotation(int group) { return group % 2 == 1; }

double height(const NodeState& A, const Vec3& point_a, const Vec3& direction_a, const NodeState& B,
              const Vec3& point_b) {
  return direction_a.dot(A.R.transpose() * (B.x + B.R * point_b - A.x) - point_a);
}

// 001 (46): [-n, N x d, n, l x R_b^T n]
void height_gradient(const NodeState& A, const Vec3& direction_a, const NodeState& B,
                     const Vec3& point_b, Vec12& g) {
  const Vec3 n = A.R * direction_a;
  const Vec3 d = A.R.transpose() * (B.x + B.R * point_b - A.x);
  g.segment<3>(XA) = -n;
  g.segment<3>(TA) = direction_a.cross(d);
  g.segment<3>(XB) = n;
  g.segment<3>(TB) = point_b.cross(B.R.transpose() * n);
}

// 001 (56) with a point that is fixed in b at an offset.
void height_hessian(const NodeState& A, const Vec3& direction_a, const NodeState& B,
                    const Vec3& point_b, Mat12& H) {
  H.setZero();
  const Vec3 d = A.R.transpose() * (B.x + B.R * point_b - A.x);
  const Mat3 w = skew(direction_a), l = skew(point_b);
  const Mat3 Rw = A.R * w;
  H.block<3, 3>(XA, TA) = Rw;
  H.block<3, 3>(XB, TA) = -Rw;
  H.block<3, 3>(TA, XA) = Rw.transpose();
  H.block<3, 3>(TA, XB) = -Rw.transpose();
  H.block<3, 3>(TA, TA) = w * skew(d);
  if (point_b.isZero(0.0)) return;
  H.block<3, 3>(TB, TA) = -l * B.R.transpose() * Rw;
  H.block<3, 3>(TA, TB) = H.block<3, 3>(TB, TA).transpose();
  H.block<3, 3>(TB, TB) = l * skew(B.R.transpose() * (A.R * direction_a));
}

void cosine_gradient(const NodeState& A, const Vec3& alpha, const NodeState& B, const Vec3& beta,
                     Vec12& g) {
  g.segment<3>(XA).setZero();
  g.segment<3>(TA) = alpha.cross(A.R.transpose() * (B.R * beta));
  g.segment<3>(XB).setZero();
  g.segment<3>(TB) = beta.cross(B.R.transpose() * (A.R * alpha));
}

void cosine_hessian(const NodeState& A, const Vec3& alpha, const NodeState& B, const Vec3& beta,
                    Mat12& H) {
  H.setZero();
  const Mat3 alpha_skew = skew(alpha), beta_skew = skew(beta);
  const Mat3 relative = A.R.transpose() * B.R;
  H.block<3, 3>(TA, TA) = alpha_skew * skew(relative * beta);
  H.block<3, 3>(TA, TB) = -alpha_skew * relative * beta_skew;
  H.block<3, 3>(TB, TA) = H.block<3, 3>(TA, TB).transpose();
  H.block<3, 3>(TB, TB) = beta_skew * skew(relative.transpose() * alpha);
}

}  // namespace

PairCoordinate PairCoordinate::along(int a, const Vec3& point_a, const Vec3& direction_a, int b,
                                     const Vec3& point_b) {
  PairCoordinate c(Kind::along, a, b);
  c.point_a_ = point_a;
  c.point_b_ = point_b;
  c.direction_a_ = direction_a;
  return c;
}

PairCoordinate PairCoordinate::cosine(int a, const Vec3& direction_a, int b,
                                      const Vec3& direction_b) {
  PairCoordinate c(Kind::cosine, a, b);
  c.direction_a_ = direction_a;
  c.direction_b_ = direction_b;
  return c;
}

PairCoordinate PairCoordinate::distance(int a, const Vec3& point_a, int b, const Vec3& point_b) {
  PairCoordinate c(Kind::distance, a, b);
  c.point_a_ = point_a;
  c.point_b_ = point_b;
  return c;
}

PairCoordinate PairCoordinate::angle(int a, const Vec3& x_a, const Vec3& y_a, int b,
                                     const Vec3& x_b) {
  PairCoordinate c(Kind::angle, a, b);
  c.direction_a_ = x_a;
  c.second_a_ = y_a;
  c.direction_b_ = x_b;
  return c;
}

PairCoordinate PairCoordinate::rim(int a, const Vec3& point_a, const Vec3& normal_a, int b,
                                   const Vec3& centre_b, const Vec3& axle_b, double radius) {
  PairCoordinate c = along(a, point_a, normal_a, b, centre_b);
  c.kind_ = Kind::rim;
  c.direction_b_ = axle_b;
  c.radius_ = radius;
  return c;
}

bool PairCoordinate::acts_on(int group) const { return is_length() || is_rotation(group); }

bool PairCoordinate::couples(int group, int other) const {
  switch (kind_) {
    case Kind::along:
    case Kind::rim:
      return group == TA / 3 || other == TA / 3 || (group == TB / 3 && other == TB / 3);
    case Kind::cosine:
    case Kind::angle:
      return is_rotation(group) && is_rotation(other);
    case Kind::distance:
      break;
  }
  return true;
}

double PairCoordinate::value(const Configuration& q) const {
  const NodeState &A = q[a_], &B = q[b_];
  switch (kind_) {
    case Kind::along:
      return height(A, point_a_, direction_a_, B, point_b_);
    case Kind::cosine:
      return (A.R * direction_a_).dot(B.R * direction_b_);
    case Kind::distance:
      return (B.x + B.R * point_b_ - A.x - A.R * point_a_).norm();
    case Kind::angle: {
      const Vec3 b_in_a = A.R.transpose() * (B.R * direction_b_);
      return std::atan2(second_a_.dot(b_in_a), direction_a_.dot(b_in_a));
    }
    case Kind::rim: {
      const double sine = (A.R * direction_a_).cross(B.R * direction_b_).norm();
      return height(A, point_a_, direction_a_, B, point_b_) - radius_ * sine;
    }
  }
  return 0.0;
}

double PairCoordinate::value_near(const Configuration& q, double reached) const {
  constexpr double turn = 2.0 * std::numbers::pi;
  const double own = value(q);
  return is_angle() ? own + turn * std::round((reached - own) / turn) : own;
}

void PairCoordinate::gradient(const Configuration& q, Vec12& g) const {
  const NodeState &A = q[a_], &B = q[b_];
  switch (kind_) {
    case Kind::along:
      height_gradient(A, direction_a_, B, point_b_, g);
      return;
    case Kind::cosine:
      cosine_gradient(A, direction_a_, B, direction_b_, g);
      return;
    case Kind::distance: {
      const Vec3 n = (B.x + B.R * point_b_ - A.x - A.R * point_a_).normalized();
      g.segment<3>(XA) = -n;
      g.segment<3>(TA) = -point_a_.cross(A.R.transpose() * n);
      g.segment<3>(XB) = n;
      g.segment<3>(TB) = point_b_.cross(B.R.transpose() * n);
      return;
    }
    case Kind::angle: {
      const Vec3 b_in_a = A.R.transpose() * (B.R * direction_b_);
      const double s = second_a_.dot(b_in_a), c = direction_a_.dot(b_in_a);
      const Vec3 across = (c * second_a_ - s * direction_a_) / (s * s + c * c);
      cosine_gradient(A, across, B, direction_b_, g);
      return;
    }
    case Kind::rim: {
      // With k = n.c the sine is sqrt(1 - k^2), and its derivative by k is -k / sine.
      const Vec3 n = A.R * direction_a_, c = B.R * direction_b_;
      Vec12 gk;
      height_gradient(A, direction_a_, B, point_b_, g);
      cosine_gradient(A, direction_a_, B, direction_b_, gk);
      g += radius_ * n.dot(c) / n.cross(c).norm() * gk;
      return;
    }
  }
}

void PairCoordinate::hessian(const Configuration& q, Mat12& H) const {
  const NodeState &A = q[a_], &B = q[b_];
  switch (kind_) {
    case Kind::along:
      height_hessian(A, direction_a_, B, point_b_, H);
      return;
    case Kind::cosine:
      cosine_hessian(A, direction_a_, B, direction_b_, H);
      return;
    case Kind::distance: {
      const Vec3 between = B.x + B.R * point_b_ - A.x - A.R * point_a_;
      const double r = between.norm();
      const Vec3 n = between / r;
      const Mat3 P = (Mat3::Identity() - n * n.transpose()) / r;  // dn = P d(between)
      const Mat3 la = skew(point_a_), lb = skew(point_b_);
      // d(between) = J dq, and the gradient is J^T n.
      Eigen::Matrix<double, 3, 12> J;
      J << -Mat3::Identity(), A.R * la, Mat3::Identity(), -B.R * lb;
      H.noalias() = J.transpose() * P * J;
      H.block<3, 3>(TA, TA) -= la * skew(A.R.transpose() * n);
      H.block<3, 3>(TB, TB) += lb * skew(B.R.transpose() * n);
      return;
    }
    case Kind::angle: {
      const Vec3 b_in_a = A.R.transpose() * (B.R * direction_b_);
      const double s = second_a_.dot(b_in_a), c = direction_a_.dot(b_in_a);
      // b_in_a is its own share along (c, s), and what it turns to is across that:
      // d atan2(s, c) = (c ds - s dc)/r^2, and cosines are linear in their directions.
      const double square = s * s + c * c;
      const Vec3 across = (c * second_a_ - s * direction_a_) / square;
      const Vec3 along = (s * second_a_ + c * direction_a_) / square;
      Vec12 g_across, g_along;
      cosine_gradient(A, across, B, direction_b_, g_across);
      cosine_gradient(A, along, B, direction_b_, g_along);
      cosine_hessian(A, across, B, direction_b_, H);
      for (const int i : {TA, TB}) {
        for (const int j : {TA, TB}) {
          H.block<3, 3>(i, j) -= g_across.segment<3>(i) * g_along.segment<3>(j).transpose() +
                                 g_along.segment<3>(i) * g_across.segment<3>(j).transpose();
        }
      }
      return;
    }
    case Kind::rim: {
      const Vec3 n = A.R * direction_a_, c = B.R * direction_b_;
      const double sine = n.cross(c).norm();
      Vec12 gk;
      Mat12 Hk;
      cosine_gradient(A, direction_a_, B, direction_b_, gk);
      height_hessian(A, direction_a_, B, point_b_, H);
      cosine_hessian(A, direction_a_, B, direction_b_, Hk);
      H += radius_ / sine * (n.dot(c) * Hk + gk * gk.transpose() / (sine * sine));
      return;
    }
  }
}

}  // namespace clatter
