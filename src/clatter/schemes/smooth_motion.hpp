#pragma once

// The smooth motion of a step of Nsga, as Newton's method sees it. Internal to Nsga.

#include <clatter/schemes/integrator_newton.hpp>
#include <clatter/schemes/nsga.hpp>

namespace clatter {

/// Smooth motion, without contacts: 001 (3). Unknowns: velocities, forces of the joints.
struct Nsga::SmoothMotion {
  static constexpr bool is_predicted = true;
  Nsga& s;
  VecX& rhs;

  Residual evaluate() {
    System& system = s.system_;
    retract(system.nodes(), s.q_n_, s.delta_, s.q_);
    const ForceSizes sizes = system.forces(s.q_, s.vs_, s.f_smooth_);
    s.smooth_numbers_ = sizes.numbers;
    system.apply_mass(s.vd_, s.momentum_);
    s.evaluate_joint_rows(s.q_);
    s.reaction_smooth_.setZero();
    s.joint_terms_ = 0.0;
    for (std::size_t j = 0; j < s.joint_G_.size(); ++j) {
      const Joint& joint = system.joints()[j];
      const Vec12 force =
          s.joint_G_[j].transpose() * s.la_.segment(joint.first_row, s.joint_G_[j].rows());
      add_to_pair(s.reaction_smooth_, joint.a(), joint.b(), force);
      s.joint_terms_ += of_pair(system.weights(), joint.a(), joint.b()).cwiseProduct(force).norm();
    }
    s.residual_ = s.momentum_ - s.f_smooth_ - s.reaction_smooth_;
    Residual r;
    const double momentum = s.h_ * system.weighted_norm(s.residual_);
    const double row = std::sqrt(s.evaluate_joint_rates(s.vs_));
    const double speed = round_off * (system.kinetic_norm(s.vs_) + s.h_ * sizes.numbers);
    const double all = s.h_ * (sizes.terms + s.joint_terms_ + system.weighted_norm(s.momentum_));
    r.momentum = ratio(momentum, s.spec_.tolerance * all + speed);
    r.rows = ratio(row, s.spec_.tolerance * all + speed + round_off * s.target_speed());
    r.merit = std::hypot(momentum, row);
    return r;
  }

  void assemble(KktMatrix& K) {
    const GeneralizedAlpha& c = s.c_;
    const double h = s.h_, move = h * c.beta / c.gamma;  // d(increment)/d(velocity)
    s.evaluate_tangents(s.delta_);
    s.add_tangents(K, s.q_, s.vs_, {(1.0 - c.am) / ((1.0 - c.af) * c.gamma), h, h * move});
    Mat12 H;
    for (std::size_t j = 0; j < s.joint_G_.size(); ++j) {
      const Joint& joint = s.system_.joints()[j];
      const Vec12 pair = of_pair(s.vs_, joint.a(), joint.b());
      KktMatrix::Rows rows = s.joint_G_[j], bend = s.joint_G_[j];
      Mat12 geometric = Mat12::Zero();
      for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        const auto row = joint.first_row + i;
        joint.rows()[static_cast<std::size_t>(i)].row_derivative(s.q_, H);
        geometric -= h * move * s.la_[row] * H;
        bend.row(i) = move * pair.transpose() * H;
      }
      s.to_increments(geometric, joint.a(), joint.b());
      s.to_increments(bend, joint.a(), joint.b());
      const auto scale = s.joint_scale_.segment(joint.first_row, rows.rows()).asDiagonal();
      rows = -(scale * (rows + bend));
      const KktMatrix::Columns columns = -(scale * s.joint_G_[j]).transpose();
      K.add_joint(static_cast<int>(j), geometric, rows, columns);
    }
  }

  void fill_right_side(KktMatrix& K, VecX& x) {
    K.gather(s.residual_, x);
    x.head(s.system_.dofs()) *= -s.h_;
    x.segment(K.joint_multiplier(0), s.joint_residual_.size()) = -s.joint_residual_;
  }

  void move(KktMatrix& K, const VecX& x, double factor) {
    const GeneralizedAlpha& c = s.c_;
    K.scatter(x, factor, s.vs_);
    K.scatter(x, factor * (1.0 - c.am) / ((1.0 - c.af) * c.gamma * s.h_), s.vd_);
    K.scatter(x, factor * s.h_ * c.beta / c.gamma, s.delta_);
    s.la_ +=
        factor / s.h_ * s.joint_scale_.cwiseProduct(x.segment(K.joint_multiplier(0), s.la_.size()));
  }

  std::string culprit() const { return s.worst_joint(); }
};

}  // namespace clatter
