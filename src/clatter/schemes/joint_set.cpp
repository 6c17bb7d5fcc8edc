#include <cmath>

#include <fmt/format.h>

#include <clatter/machine/tangents.hpp>
#include <clatter/schemes/joint_set.hpp>

namespace clatter {

JointSet::JointSet(const Machine& machine)
    : residual(VecX::Zero(machine.joint_rows())), machine_(machine), scale_(residual) {
  for (const Joint& joint : machine.joints()) {
    rows_.emplace_back(static_cast<Eigen::Index>(joint.rows().size()), 12);
  }
}

void JointSet::evaluate(const Configuration& q) {
  Vec12 g;
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    for (std::size_t i = 0; i < joint(j).rows().size(); ++i) {
      joint(j).rows()[i].row(q, g);
      rows_[j].row(static_cast<Eigen::Index>(i)) = g.transpose();
    }
  }
}

void JointSet::find_scale() {
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    for (Eigen::Index i = 0; i < rows_[j].rows(); ++i) {
      const Vec12 g = rows_[j].row(i);
      double& sum = scale_[joint(j).first_row + i];
      if (condition(j, i).begins) sum = 0.0;
      sum += machine_.delassus(g, joint(j).a(), joint(j).b());
    }
  }
  for (double& each : scale_) each = 1.0 / std::sqrt(each);
}

void JointSet::evaluate_rates(const NodalVector& v, const Instant& instant) {
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const Vec12 pair = of_pair(v, joint(j).a(), joint(j).b());
    for (Eigen::Index i = 0; i < rows_[j].rows(); ++i) {
      const double rate =
          rows_[j].row(i).dot(pair) - Joint::target_rate(condition(j, i), instant.drives[j]);
      double& row = residual[joint(j).first_row + i];
      const double scaled = -scale_[joint(j).first_row + i] * rate;
      row = condition(j, i).begins ? scaled : row + scaled;
    }
  }
}

double JointSet::target_speed(std::span<const int> joints, const Instant& instant) const {
  double sum = 0.0;
  for (const int each : joints) {
    const auto j = static_cast<std::size_t>(each);
    for (std::size_t i = 0; i < joint(j).rows().size(); ++i) {
      sum += scale_[joint(j).first_row + static_cast<Eigen::Index>(i)] *
             std::abs(Joint::target_rate(joint(j).rows()[i], instant.drives[j]));
    }
  }
  return sum;
}

void JointSet::add_reactions(const VecX& force, NodalVector& reaction) const {
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const Vec12 pair =
        rows_[j].transpose().lazyProduct(force.segment(joint(j).first_row, rows_[j].rows()));
    of_node(reaction, joint(j).a()) += pair.head<6>();
    of_node(reaction, joint(j).b()) += pair.tail<6>();
  }
}

void JointSet::add_tangents(KktMatrix& K) const {
  const Mat12 none = Mat12::Zero();
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const auto scale = scale_.segment(joint(j).first_row, rows_[j].rows()).asDiagonal();
    const PairRows rows = -(scale * rows_[j]);
    K.add_joint(static_cast<int>(j), none, rows, rows.transpose());
  }
}

void JointSet::add_position_tangents(KktMatrix& K, const Configuration& q, const VecX& force,
                                     std::span<const Mat3> T) const {
  Mat12 H;
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    Mat12 geometric = Mat12::Zero();
    const auto scale = scale_.segment(joint(j).first_row, rows_[j].rows()).asDiagonal();
    PairRows rows = -(scale * rows_[j]);
    const KktMatrix::Columns columns = rows.transpose();
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      condition(j, i).row_derivative(q, H);
      geometric -= force[joint(j).first_row + i] * H;
      if (condition(j, i).holds_position()) continue;
      rows.row(i).setZero();
      K.leave_out(joint(j).first_row + static_cast<int>(i));
    }
    to_increments(geometric, machine_.nodes(), joint(j).a(), joint(j).b(), T);
    to_increments(rows, machine_.nodes(), joint(j).a(), joint(j).b(), T);
    K.add_joint(static_cast<int>(j), geometric, rows, columns);
  }
}

std::string JointSet::worst() const {
  Eigen::Index worst = 0;
  if (residual.size() == 0 || residual.cwiseAbs().maxCoeff(&worst) == 0.0) return {};
  for (const Joint& joint : machine_.joints()) {
    if (worst < joint.first_row + static_cast<Eigen::Index>(joint.rows().size())) {
      return fmt::format(" (largest residual at {} '{}')", joint.noun(), joint.name());
    }
  }
  return {};
}

}  // namespace clatter
