#include <algorithm>
#include <cmath>
#include <numbers>

#include <clatter/contact/geometry/contact.hpp>

namespace clatter {
namespace {

bool moves_out_of_plane(const Node& node) { return node.has(2) || node.has(3) || node.has(4); }

/// The part of `tangent` across the normal; when there is none, any.
Vec3 across(const Vec3& tangent, const Vec3& normal) {
  const Vec3 part = tangent - normal.dot(tangent) * normal;
  const double length = part.norm();
  if (length > 1e-3) return part / length;
  int smallest = 0;
  normal.cwiseAbs().minCoeff(&smallest);
  const Vec3 axis = Vec3::Unit(smallest);
  return (axis - normal.dot(axis) * normal).normalized();
}

PairCoordinate gap_coordinate(const ContactSpec& spec, int a, int b) {
  if (spec.geometry == ContactGeometry::sphere_on_sphere ||
      spec.geometry == ContactGeometry::sphere_in_sphere) {
    return PairCoordinate::distance(a, spec.face.point, b, spec.point.point);
  }
  return PairCoordinate::along(a, spec.face.point, spec.normal.normalized(), b, spec.point.point);
}

}  // namespace

Contact::Contact(const ContactSpec& spec, int a, int b, const std::vector<Node>& nodes)
    : name_(spec.name),
      place_(spec.place),
      geometry_(spec.geometry),
      a_(a),
      b_(b),
      planar_(!moves_out_of_plane(nodes[a]) && !moves_out_of_plane(nodes[b])),
      point_a_(spec.face.point),
      point_b_(spec.point.point),
      normal_(spec.normal.normalized()),
      radius_a_(spec.face_radius),
      radius_b_(spec.radius),
      restitution_(spec.restitution),
      outline_(spec.outline),
      coordinate_(gap_coordinate(spec, a, b)) {
  if (geometry_ == ContactGeometry::sphere_in_sphere) {
    sign_ = -1.0;
    radius_a_ = -radius_a_;
    offset_ = -radius_a_ - radius_b_;
  } else {
    offset_ = -(radius_a_ + radius_b_);
  }
  // In the plane T_1 = N turned by -90 degrees, so that (T_1, N) is right-handed about z.
  const bool line = outline_.size() == 2;  // the face of a planar body
  if (planar_ || line) {
    tangents_ = {normal_.cross(Vec3::UnitZ()).normalized(), Vec3::UnitZ()};
  } else {
    tangents_[0] = across(Vec3::Zero(), normal_);
    tangents_[1] = normal_.cross(tangents_[0]);
  }
  if (spec.friction > 0.0) {
    patch_ = 3.0 * std::numbers::pi / 16.0 * spec.patch_radius;
    const int directions = planar_ ? 1 : 2;
    add_block(FrictionKind::sliding, directions + (patch_ > 0.0 ? 1 : 0), spec.friction,
              spec.tangential_restitution);
    for (int i = 0; slides_by_coordinates() && i < directions; ++i) {
      slip_coordinates_.push_back(PairCoordinate::along(a_, point_a_, tangents_[i], b_, point_b_));
    }
  }
  if (spec.rolling_friction > 0.0) {
    add_block(FrictionKind::rolling, planar_ ? 1 : 2, spec.rolling_friction, 0.0);
  }
  if (spec.drilling_friction > 0.0) {
    add_block(FrictionKind::drilling, 1, spec.drilling_friction, 0.0);
  }
}

void Contact::add_block(FrictionKind kind, int rows, double coefficient, double restitution) {
  blocks_[block_count_++] = {kind, rows_, rows, coefficient, restitution};
  rows_ += rows;
}

const FrictionBlock* Contact::block(FrictionKind kind) const {
  const auto found = std::find_if(blocks().begin(), blocks().end(),
                                  [&](const FrictionBlock& each) { return each.kind == kind; });
  return found == blocks().end() ? nullptr : &*found;
}

double Contact::restitution_of_row(int row) const {
  if (row == 0) return restitution_;
  for (const FrictionBlock& each : blocks()) {
    if (row < each.first_row + each.rows) return each.restitution;
  }
  return 0.0;
}

bool Contact::has_restitution() const {
  return restitution_ != 0.0 ||
         std::any_of(blocks().begin(), blocks().end(),
                     [](const FrictionBlock& each) { return each.restitution != 0.0; });
}

bool Contact::has_face() const {
  return geometry_ == ContactGeometry::point_on_face ||
         geometry_ == ContactGeometry::sphere_on_face;
}

void Contact::gap_hessian(const Configuration& q, Mat12& H) const {
  coordinate_.hessian(q, H);
  if (sign_ < 0.0) H = -H;
}

ContactFrame Contact::frame(const Configuration& q, const Vec3& tangent) const {
  const NodeState &A = q[a_], &B = q[b_];
  const Vec3 lever_b = B.R * point_b_;
  const Vec3 centre_b = B.x + lever_b;
  ContactFrame f;
  if (has_face()) {
    f.normal = A.R * normal_;
    f.tangents = {A.R * tangents_[0], A.R * tangents_[1]};
    f.arm_b = lever_b - radius_b_ * f.normal;
    f.arm_a = B.x + f.arm_b - A.x;
    return f;
  }
  const Vec3 lever_a = A.R * point_a_;
  const Vec3 between = centre_b - A.x - lever_a;
  const double distance = between.norm();
  // Concentric: inside a hollow sphere all directions are the same, and the gap is wide open.
  f.normal = distance > 0.0 ? Vec3(sign_ / distance * between) : Vec3::UnitX();
  if (planar_) {
    f.tangents = {f.normal.cross(Vec3::UnitZ()).normalized(), Vec3::UnitZ()};
  } else {
    f.tangents[0] = across(tangent, f.normal);
    f.tangents[1] = f.normal.cross(f.tangents[0]);
  }
  f.arm_a = lever_a + radius_a_ * f.normal;
  f.arm_b = lever_b - radius_b_ * f.normal;
  return f;
}

template <class Translation, class Rotation>
void Contact::visit_rows(const Translation& translation, const Rotation& rotation) const {
  translation(0, 0);
  for (const FrictionBlock& block : blocks()) {
    switch (block.kind) {
      case FrictionKind::sliding: {
        const int directions = block.rows - (patch_ > 0.0 ? 1 : 0);
        for (int i = 0; i < directions; ++i) translation(block.first_row + i, 1 + i);
        if (patch_ > 0.0) rotation(block.first_row + directions, 0, patch_);
        break;
      }
      case FrictionKind::rolling:
        if (planar_) {
          rotation(block.first_row, 2, 1.0);
        } else {
          for (int i = 0; i < 2; ++i) rotation(block.first_row + i, 1 + i, 1.0);
        }
        break;
      case FrictionKind::drilling:
        rotation(block.first_row, 0, 1.0);
        break;
    }
  }
}

void Contact::rates(const Configuration& q, const ContactFrame& f, PairRows& rows) const {
  const Mat3 &R_a = q[a_].R, &R_b = q[b_].R;
  const std::array directions{&f.normal, &f.tangents[0], &f.tangents[1]};
  visit_rows(
      [&](int row, int i) {
        const Vec3& u = *directions[i];
        rows.row(row).segment<3>(0) = -u;
        rows.row(row).segment<3>(3).noalias() = -f.arm_a.cross(u).transpose() * R_a;
        rows.row(row).segment<3>(6) = u;
        rows.row(row).segment<3>(9).noalias() = f.arm_b.cross(u).transpose() * R_b;
      },
      [&](int row, int i, double factor) {
        const Vec3& u = *directions[i];
        rows.row(row).segment<3>(0).setZero();
        rows.row(row).segment<3>(3).noalias() = -factor * u.transpose() * R_a;
        rows.row(row).segment<3>(6).setZero();
        rows.row(row).segment<3>(9).noalias() = factor * u.transpose() * R_b;
      });
}

FrameDerivative Contact::derivative(const Configuration& q, const ContactFrame& f) const {
  const NodeState &A = q[a_], &B = q[b_];
  FrameDerivative d;
  FrameDerivative::Of centre_b = FrameDerivative::Of::Zero();  // relative to the node
  centre_b.middleCols<3>(9) = -B.R * skew(point_b_);
  if (has_face()) {
    const auto with_face = [&](const Vec3& direction, FrameDerivative::Of& of) {
      of.setZero();
      of.middleCols<3>(3) = -A.R * skew(direction);
    };
    with_face(normal_, d.normal);
    for (int i = 0; i < 2; ++i) with_face(tangents_[i], d.tangents[i]);
    d.arm_b = centre_b - radius_b_ * d.normal;
    d.arm_a = d.arm_b;
    d.arm_a.middleCols<3>(0) -= Mat3::Identity();
    d.arm_a.middleCols<3>(6) += Mat3::Identity();
    return d;
  }
  FrameDerivative::Of centre_a = FrameDerivative::Of::Zero();
  centre_a.middleCols<3>(3) = -A.R * skew(point_a_);
  FrameDerivative::Of between = centre_b - centre_a;
  between.middleCols<3>(0) -= Mat3::Identity();
  between.middleCols<3>(6) += Mat3::Identity();
  const double distance = coordinate_.value(q);
  if (distance > 0.0) {
    d.normal = sign_ / distance * (Mat3::Identity() - f.normal * f.normal.transpose()) * between;
  } else {
    d.normal.setZero();
  }
  for (int i = 0; i < 2; ++i) d.tangents[i] = -f.normal * (f.tangents[i].transpose() * d.normal);
  d.arm_a = centre_a + radius_a_ * d.normal;
  d.arm_b = centre_b - radius_b_ * d.normal;
  return d;
}

void Contact::rates_derivative(const Configuration& q, const ContactFrame& f,
                               const FrameDerivative& d, const Vec12& v,
                               PairRows& derivative) const {
  const Mat3 &R_a = q[a_].R, &R_b = q[b_].R;
  const Vec3 spin_a = R_a * v.segment<3>(3), spin_b = R_b * v.segment<3>(9);
  const Vec3 slip =
      v.segment<3>(6) + spin_b.cross(f.arm_b) - v.segment<3>(0) - spin_a.cross(f.arm_a);
  const std::array directions{&f.normal, &f.tangents[0], &f.tangents[1]};
  const std::array changes{&d.normal, &d.tangents[0], &d.tangents[1]};
  const Mat3 turn_a = -R_a * skew(v.segment<3>(3)), turn_b = -R_b * skew(v.segment<3>(9));
  derivative.resize(rows_, 12);
  visit_rows(
      [&](int row, int i) {
        const Vec3& u = *directions[i];
        derivative.row(row).noalias() = slip.transpose() * *changes[i];
        derivative.row(row).noalias() += u.cross(spin_b).transpose() * d.arm_b;
        derivative.row(row).noalias() -= u.cross(spin_a).transpose() * d.arm_a;
        derivative.row(row).segment<3>(3).noalias() -= f.arm_a.cross(u).transpose() * turn_a;
        derivative.row(row).segment<3>(9).noalias() += f.arm_b.cross(u).transpose() * turn_b;
      },
      [&](int row, int i, double factor) {
        const Vec3& u = *directions[i];
        derivative.row(row).noalias() = factor * (spin_b - spin_a).transpose() * *changes[i];
        derivative.row(row).segment<3>(3).noalias() -= factor * u.transpose() * turn_a;
        derivative.row(row).segment<3>(9).noalias() += factor * u.transpose() * turn_b;
      });
}

void Contact::rows_rate(const Configuration& q, const ContactFrame& f, const FrameDerivative& d,
                        const Vec12& v, PairRows& rate) const {
  const Mat3 &R_a = q[a_].R, &R_b = q[b_].R;
  const Vec3 spin_a = R_a * v.segment<3>(3), spin_b = R_b * v.segment<3>(9);
  const Vec3 arm_a = d.arm_a * v, arm_b = d.arm_b * v;
  const std::array directions{&f.normal, &f.tangents[0], &f.tangents[1]};
  const std::array<Vec3, 3> changes{d.normal * v, d.tangents[0] * v, d.tangents[1] * v};
  // (R^T y)' = R^T (y' - spin x y)
  rate.resize(rows_, 12);
  visit_rows(
      [&](int row, int i) {
        const Vec3 &u = *directions[i], &du = changes[i];
        const Vec3 at_a = f.arm_a.cross(u), at_b = f.arm_b.cross(u);
        rate.row(row).segment<3>(0) = -du;
        rate.row(row).segment<3>(3).noalias() =
            -(arm_a.cross(u) + f.arm_a.cross(du) - spin_a.cross(at_a)).transpose() * R_a;
        rate.row(row).segment<3>(6) = du;
        rate.row(row).segment<3>(9).noalias() =
            (arm_b.cross(u) + f.arm_b.cross(du) - spin_b.cross(at_b)).transpose() * R_b;
      },
      [&](int row, int i, double factor) {
        const Vec3 &u = *directions[i], &du = changes[i];
        rate.row(row).segment<3>(0).setZero();
        rate.row(row).segment<3>(3).noalias() = -factor * (du - spin_a.cross(u)).transpose() * R_a;
        rate.row(row).segment<3>(6).setZero();
        rate.row(row).segment<3>(9).noalias() = factor * (du - spin_b.cross(u)).transpose() * R_b;
      });
}

void Contact::force_derivative(const Configuration& q, const ContactFrame& f,
                               const FrameDerivative& d, const RowVector& reaction,
                               Mat12& derivative) const {
  const Mat3 &R_a = q[a_].R, &R_b = q[b_].R;
  const std::array directions{&f.normal, &f.tangents[0], &f.tangents[1]};
  const std::array changes{&d.normal, &d.tangents[0], &d.tangents[1]};
  // Force at the point of contact and torque, on b.
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  FrameDerivative::Of of_force = FrameDerivative::Of::Zero(), of_torque = of_force;
  visit_rows(
      [&](int row, int i) {
        force += reaction[row] * *directions[i];
        of_force += reaction[row] * *changes[i];
      },
      [&](int row, int i, double factor) {
        torque += factor * reaction[row] * *directions[i];
        of_torque += factor * reaction[row] * *changes[i];
      });
  const auto about = [&](const Mat3& R, const Vec3& arm, const FrameDerivative::Of& of_arm,
                         int first, auto&& rows) {
    const Vec3 moment = arm.cross(force) + torque;
    rows.noalias() = R.transpose() * (skew(arm) * of_force - skew(force) * of_arm + of_torque);
    rows.template middleCols<3>(first) += skew(R.transpose() * moment);
  };
  derivative.middleRows<3>(0) = -of_force;
  about(R_a, f.arm_a, d.arm_a, 3, derivative.middleRows<3>(3));
  derivative.middleRows<3>(3) = -derivative.middleRows<3>(3).eval();
  derivative.middleRows<3>(6) = of_force;
  about(R_b, f.arm_b, d.arm_b, 9, derivative.middleRows<3>(9));
}

bool Contact::over_face(const Configuration& q) const {
  if (outline_.empty()) return true;
  const NodeState &A = q[a_], &B = q[b_];
  const Vec3 d = A.R.transpose() * (B.x + B.R * point_b_ - A.x);
  const double u = tangents_[0].dot(d), w = tangents_[1].dot(d);
  // The edge belongs to the face, also after round-off.
  const double edge = 1e-9 * (outline_[1] - outline_[0]).norm();
  if (outline_.size() == 2) {  // a planar face is a line between two ends
    const double first = tangents_[0].dot(outline_[0]), second = tangents_[0].dot(outline_[1]);
    return (u - first) * (u - second) <= edge * std::abs(second - first);
  }
  // Ray casting in the plane of the face, for any simple polygon.
  bool inside = false;
  for (std::size_t i = 0, j = outline_.size() - 1; i < outline_.size(); j = i++) {
    const double ui = tangents_[0].dot(outline_[i]), wi = tangents_[1].dot(outline_[i]);
    const double uj = tangents_[0].dot(outline_[j]), wj = tangents_[1].dot(outline_[j]);
    const Eigen::Vector2d side(uj - ui, wj - wi), away(u - ui, w - wi);
    const double along = std::clamp(away.dot(side) / side.squaredNorm(), 0.0, 1.0);
    if ((away - along * side).norm() <= edge) return true;
    if ((wi > w) != (wj > w) && u < (uj - ui) * (w - wi) / (wj - wi) + ui) inside = !inside;
  }
  return inside;
}

}  // namespace clatter
