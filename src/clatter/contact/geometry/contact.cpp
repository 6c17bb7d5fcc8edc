#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include <clatter/contact/geometry/contact.hpp>

namespace clatter {
namespace {

bool moves_out_of_plane(const Node& node) { return node.has(2) || node.has(3) || node.has(4); }

}  // namespace

bool Contact::is_planar(const Node& a, const Node& b) {
  return !moves_out_of_plane(a) && !moves_out_of_plane(b);
}

Contact::Contact(const ContactSpec& spec, int a, int b, const std::vector<Node>& nodes)
    : Contact(spec, make_contact_pair(spec, a, b, is_planar(nodes[a], nodes[b])), a, b, nodes) {}

Contact::Contact(const ContactSpec& spec, ContactPair pair, int a, int b,
                 const std::vector<Node>& nodes)
    : name_(spec.name),
      place_(spec.place),
      a_(a),
      b_(b),
      planar_(is_planar(nodes[a], nodes[b])),
      pair_(std::move(pair)),
      restitution_(spec.restitution),
      rebound_(spec.rebound),
      impact_law_(spec.impact_law),
      is_recovered_(spec.recovery.has_value()) {
  if (spec.friction > 0.0 || spec.sliding) {
    patch_ = 3.0 * std::numbers::pi / 16.0 * spec.patch_radius;
    FrictionBlock& block =
        add_block(FrictionKind::sliding, (planar_ ? 1 : 2) + (patch_ > 0.0 ? 1 : 0), spec.friction,
                  spec.sliding);
    block.restitution = spec.tangential_restitution;
    if (spec.across_friction) block.across = *spec.across_friction / spec.friction;
  }
  if (spec.rolling_friction > 0.0 || spec.rolling) {
    add_block(FrictionKind::rolling, planar_ ? 1 : 2, spec.rolling_friction, spec.rolling);
  }
  if (spec.drilling_friction > 0.0 || spec.drilling) {
    add_block(FrictionKind::drilling, 1, spec.drilling_friction, spec.drilling);
  }
  if (spec.compliance) {
    const ComplianceSpec& c = *spec.compliance;
    const double K = c.stiffness.value();
    compliance_.emplace(law_of(c, K, restitution_), c.slow_speed,
                        SpringAndDashpot{K, c.damping_ratio},
                        SpringAndDashpot{c.tangential_stiffness.value_or(K),
                                         c.tangential_damping_ratio.value_or(c.damping_ratio)});
  }
  std::visit([&](const auto& each) { take_from(each); }, pair_);
}

template <class Pair>
void Contact::take_from(const Pair& pair) {
  has_face_ = Pair::is_flat;
  has_outline_ = pair.has_outline();
  slides_by_coordinates_ = Pair::has_slip_coordinates && patch_ == 0.0;
  has_chord_ = Pair::has_chord;
  if constexpr (Pair::has_chord) {
    second_a_ = pair.second_a();
    second_b_ = pair.second_b();
  }
  if constexpr (requires { pair.blocks(); }) {
    for (const auto& each : pair.blocks()) {
      add_block(each.kind, static_cast<int>(each.rows.size()), each.coefficient, {});
    }
  }
  if constexpr (Pair::has_slip_coordinates) {
    const FrictionBlock* sliding = block(FrictionKind::sliding);
    for (int i = 0; sliding != nullptr && slides_by_coordinates_ && i < sliding->rows; ++i) {
      slip_coordinates_.push_back(pair.slip_coordinate(i));
    }
  }
}

FrictionBlock& Contact::add_block(FrictionKind kind, int rows, double coefficient,
                                  const OfSpeed& of_speed) {
  FrictionBlock& block = blocks_[block_count_++];
  block = {kind, rows_, rows, coefficient, 0.0, of_speed};
  rows_ += rows;
  has_friction_of_speed_ = has_friction_of_speed_ || of_speed;
  return block;
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
  return restitution_ != 0.0 || rebound_ != nullptr ||
         std::any_of(blocks().begin(), blocks().end(),
                     [](const FrictionBlock& each) { return each.restitution != 0.0; });
}

const ContactGeometry& Contact::geometry() const {
  return std::visit([](const auto& pair) -> const ContactGeometry& { return pair.geometry; },
                    pair_);
}

void Contact::gap_hessian(const Configuration& q, Mat12& H) const {
  assert(!has_chord());
  std::visit(
      [&]<class Pair>(const Pair& pair) {
        if constexpr (!Pair::has_chord) pair.gap_hessian(q, H);
      },
      pair_);
}

bool Contact::over_face(const Configuration& q) const {
  return !has_outline_ || std::visit([&](const auto& pair) { return pair.over_face(q); }, pair_);
}

bool Contact::comes_through(const Configuration& from, const Configuration& to) const {
  return !has_outline_ ||
         std::visit([&](const auto& pair) { return pair.comes_through(from, to); }, pair_);
}

double Contact::extent_a() const {
  return std::visit([](const auto& pair) { return pair.extent_a(); }, pair_);
}

ContactFrame Contact::frame(const Configuration& q, const Vec3& tangent) const {
  return std::visit([&](const auto& pair) { return pair.frame(q, tangent); }, pair_);
}

double Contact::place(const Configuration& q, std::span<const double> turns, const Vec3& tangent,
                      ContactFrame& frame) const {
  return std::visit(
      [&](const auto& pair) {
        if constexpr (requires { pair.place(q, tangent, frame); }) {
          return pair.place(q, tangent, frame);
        } else {
          frame = pair.frame(q, tangent);
          return gap(q, turns);
        }
      },
      pair_);
}

FrameDerivative Contact::derivative(const Configuration& q, const ContactFrame& f) const {
  assert(!has_chord());
  return std::visit(
      [&]<class Pair>(const Pair& pair) -> FrameDerivative {
        if constexpr (Pair::has_chord) {
          return {};
        } else {
          return pair.derivative(q, f);
        }
      },
      pair_);
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
  const std::array directions{&f.normal, &f.tangents[0], &f.tangents[1]};
  const std::array changes{&d.normal, &d.tangents[0], &d.tangents[1]};
  Wrench wrench;
  visit_rows(
      [&](int row, int i) {
        wrench.force += reaction[row] * *directions[i];
        wrench.of_force += reaction[row] * *changes[i];
      },
      [&](int row, int i, double factor) {
        wrench.torque += factor * reaction[row] * *directions[i];
        wrench.of_torque += factor * reaction[row] * *changes[i];
      });
  wrench_derivative(q[a_], q[b_], f, d, wrench, derivative);
}

}  // namespace clatter
