#include <clatter/contact/geometry/contact.hpp>

// Rows of contacts with a chord, and their derivatives. Each of the four nodes bears a share of
// what its side does: see ChordPair. What joints oppose to motion has rows of its own.

namespace clatter {
namespace {

/// What a node has to do with the place of contact.
struct Bearer {
  double weight;  ///< share, negative for a
  ChordDerivative::OfShare of_weight;
  const Mat3* R;
  const Vec3* arm;
  const ChordDerivative::Of* of_arm;
  int column;
};

std::array<Bearer, 4> bearers(const Contact& contact, const Configuration& q, const ContactFrame& f,
                              const ChordDerivative& d) {
  std::array<Bearer, 4> all;
  for (std::size_t k = 0; k < 4; ++k) {
    const bool is_a = k % 2 == 0, is_second = k >= 2;
    const double sign = is_a ? -1.0 : 1.0, share = is_a ? f.share_a : f.share_b;
    all[k] = {sign * (is_second ? share : 1.0 - share),
              (is_second ? sign : -sign) * (is_a ? d.share_a : d.share_b),
              &q[static_cast<std::size_t>(contact.nodes()[k])].R,
              is_a ? &f.arm_a : &f.arm_b,
              is_a ? &d.arm_a : &d.arm_b,
              6 * static_cast<int>(k)};
  }
  return all;
}

}  // namespace

void Contact::rates(const Configuration& q, const ContactFrame& f, PairRows& rows,
                    PairRows& second_rows) const {
  if (const auto* of_joints = std::get_if<JointContact>(&pair_)) {
    Vec24 g;
    for (int i = 0; i < rows_; ++i) {
      of_joints->row(q, i, g);
      rows.row(i) = g.head<12>();
      second_rows.row(i) = g.tail<12>();
    }
    return;
  }
  const auto fill = [&](PairRows& into, int a, int b, double weight_a, double weight_b) {
    const Mat3 &R_a = q[static_cast<std::size_t>(a)].R, &R_b = q[static_cast<std::size_t>(b)].R;
    const std::array directions{&f.normal, &f.tangents[0], &f.tangents[1]};
    visit_rows(
        [&](int row, int i) {
          const Vec3& u = *directions[static_cast<std::size_t>(i)];
          into.row(row).segment<3>(0) = -weight_a * u;
          into.row(row).segment<3>(3).noalias() = -weight_a * f.arm_a.cross(u).transpose() * R_a;
          into.row(row).segment<3>(6) = weight_b * u;
          into.row(row).segment<3>(9).noalias() = weight_b * f.arm_b.cross(u).transpose() * R_b;
        },
        [&](int row, int i, double factor) {
          const Vec3& u = *directions[static_cast<std::size_t>(i)];
          into.row(row).setZero();
          into.row(row).segment<3>(3).noalias() = -weight_a * factor * u.transpose() * R_a;
          into.row(row).segment<3>(9).noalias() = weight_b * factor * u.transpose() * R_b;
        });
  };
  fill(rows, a_, b_, 1.0 - f.share_a, 1.0 - f.share_b);
  fill(second_rows, second_a_, second_b_, f.share_a, f.share_b);
}

void Contact::gap_hessian(const Configuration& q, Mat24& H) const {
  if (const auto* of_joints = std::get_if<JointContact>(&pair_)) return of_joints->hessian(q, 0, H);
  std::get<ChordPair>(pair_).gap_hessian(q, H);
}

ChordDerivative Contact::chord_derivative(const Configuration& q, const ContactFrame& f) const {
  if (is_placeless()) return {};
  return std::get<ChordPair>(pair_).derivative(q, f);
}

void Contact::rates_derivative(const Configuration& q, const ContactFrame& f,
                               const ChordDerivative& d, const Vec24& v,
                               TwoPairRows& derivative) const {
  if (const auto* of_joints = std::get_if<JointContact>(&pair_)) {
    Mat24 H;
    derivative.resize(rows_, 24);
    for (int i = 0; i < rows_; ++i) {
      of_joints->hessian(q, i, H);
      derivative.row(i).noalias() = v.transpose() * H;
    }
    return;
  }
  const std::array directions{&f.normal, &f.tangents[0], &f.tangents[1]};
  const std::array changes{&d.normal, &d.tangents[0], &d.tangents[1]};
  const std::array<Bearer, 4> nodes = bearers(*this, q, f, d);
  derivative.setZero(rows_, 24);
  visit_rows(
      [&](int row, int i) {
        const Vec3& u = *directions[static_cast<std::size_t>(i)];
        for (const Bearer& node : nodes) {
          const Vec3 turn = v.segment<3>(node.column + 3), spin = *node.R * turn;
          const Vec3 velocity = v.segment<3>(node.column) + spin.cross(*node.arm);
          derivative.row(row) += u.dot(velocity) * node.of_weight;
          derivative.row(row) +=
              node.weight * (velocity.transpose() * *changes[static_cast<std::size_t>(i)] +
                             u.cross(spin).transpose() * *node.of_arm);
          derivative.row(row).segment<3>(node.column + 3) -=
              node.weight * node.arm->cross(u).transpose() * *node.R * skew(turn);
        }
      },
      [&](int row, int i, double factor) {
        const Vec3& u = *directions[static_cast<std::size_t>(i)];
        for (const Bearer& node : nodes) {
          const Vec3 turn = v.segment<3>(node.column + 3), spin = *node.R * turn;
          derivative.row(row) += factor * u.dot(spin) * node.of_weight;
          derivative.row(row) +=
              factor * node.weight * spin.transpose() * *changes[static_cast<std::size_t>(i)];
          derivative.row(row).segment<3>(node.column + 3) -=
              factor * node.weight * u.transpose() * *node.R * skew(turn);
        }
      });
}

void Contact::rows_rate(const Configuration& q, const ContactFrame& f, const ChordDerivative& d,
                        const Vec24& v, TwoPairRows& rate) const {
  if (const auto* of_joints = std::get_if<JointContact>(&pair_)) {
    Mat24 H;
    rate.resize(rows_, 24);
    for (int i = 0; i < rows_; ++i) {
      of_joints->hessian(q, i, H);
      rate.row(i).noalias() = (H * v).transpose();
    }
    return;
  }
  const std::array directions{&f.normal, &f.tangents[0], &f.tangents[1]};
  const std::array<Vec3, 3> changes{d.normal * v, d.tangents[0] * v, d.tangents[1] * v};
  const std::array<Bearer, 4> nodes = bearers(*this, q, f, d);
  // (R^T y)' = R^T (y' - spin x y)
  rate.resize(rows_, 24);
  const auto fill = [&](int row, const Vec3& u, const Vec3& du, bool is_rotation, double factor) {
    for (const Bearer& node : nodes) {
      const double weight = factor * node.weight, change = factor * node.of_weight.dot(v);
      const Vec3 spin = *node.R * v.segment<3>(node.column + 3), of_arm = *node.of_arm * v;
      const Vec3 y = is_rotation ? u : Vec3(node.arm->cross(u));
      const Vec3 dy = is_rotation ? du : Vec3(of_arm.cross(u) + node.arm->cross(du));
      rate.row(row).segment<3>(node.column) =
          is_rotation ? Vec3(Vec3::Zero()) : Vec3(weight * du + change * u);
      rate.row(row).segment<3>(node.column + 3).noalias() =
          (weight * (dy - spin.cross(y)) + change * y).transpose() * *node.R;
    }
  };
  visit_rows(
      [&](int row, int i) {
        const auto k = static_cast<std::size_t>(i);
        fill(row, *directions[k], changes[k], false, 1.0);
      },
      [&](int row, int i, double factor) {
        const auto k = static_cast<std::size_t>(i);
        fill(row, *directions[k], changes[k], true, factor);
      });
}

void Contact::force_derivative(const Configuration& q, const ContactFrame& f,
                               const ChordDerivative& d, const RowVector& reaction,
                               Mat24& derivative) const {
  if (const auto* of_joints = std::get_if<JointContact>(&pair_)) {
    Mat24 H;
    derivative.setZero();
    for (int i = 0; i < rows_; ++i) {
      of_joints->hessian(q, i, H);
      derivative += reaction[i] * H;
    }
    return;
  }
  const std::array directions{&f.normal, &f.tangents[0], &f.tangents[1]};
  const std::array changes{&d.normal, &d.tangents[0], &d.tangents[1]};
  ChordWrench wrench;
  visit_rows(
      [&](int row, int i) {
        wrench.force += reaction[row] * *directions[static_cast<std::size_t>(i)];
        wrench.of_force += reaction[row] * *changes[static_cast<std::size_t>(i)];
      },
      [&](int row, int i, double factor) {
        wrench.torque += factor * reaction[row] * *directions[static_cast<std::size_t>(i)];
        wrench.of_torque += factor * reaction[row] * *changes[static_cast<std::size_t>(i)];
      });
  wrench_derivative(q, nodes(), f, d, wrench, derivative);
}

}  // namespace clatter
