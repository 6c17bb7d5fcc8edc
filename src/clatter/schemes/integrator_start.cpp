#include <clatter/schemes/projections.hpp>

// How integrators start: bodies moved onto their joints, and accelerations that go with the motion.

namespace clatter {

bool Integrator::assemble(Configuration& q, NodalVector& v) {
  counts_ = {};
  q_n_ = q_ = q;
  v_n_ = vs_ = v;
  delta_.setZero();
  la_.setZero();
  reaction_smooth_.setZero();
  f_smooth_.setZero();
  begin_step(0.0);
  int iterations = 0;
  PositionCorrection position{*this, rhs_contact_};
  if (!solve_contacts(position, eps_position_, iterations, "assembly")) return false;
  VelocityJump velocity{*this, rhs_contact_};
  if (!solve_contacts(velocity, eps_velocity_, iterations, "assembly of velocities")) return false;
  q = q_;
  v = v_;
  return true;
}

void Integrator::place(const Configuration& q, const NodalVector& v) {
  q_n_ = q_ = q;
  v_n_ = v;
  update_contacts(0.0);
}

bool Integrator::start(const Configuration& q, const NodalVector& v, double t) {
  q_n_ = q_ = q;
  v_n_ = v;
  begin_step(0.0);
  // [M -G^T; -G 0] [vd; la] = [f; v.Hv - target''], scaled as everywhere.
  smooth_K_.set_zero();
  add_tangents(smooth_K_, q, v, {1.0, 0.0, 0.0});
  evaluate_joint_rows(q);
  add_joint_tangents(smooth_K_, nullptr);
  if (eps_smooth_ > 0.0) smooth_K_.regularise(eps_smooth_);
  bool factorised = smooth_K_.factorise(eps_smooth_ > 0.0);
  if (!factorised && eps_smooth_ == 0.0) {
    eps_smooth_ = regularisation;
    smooth_K_.regularise(eps_smooth_);
    factorised = smooth_K_.factorise(true);
  }
  if (!factorised) {
    failure_ = "the initial accelerations are not defined";
    return false;
  }
  system_.forces(q, v, f_);
  smooth_K_.gather(f_, rhs_smooth_);
  Mat12 H;
  for (const Joint& joint : system_.joints()) {
    const Vec12 pair = of_pair(v, joint.a(), joint.b());
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const auto row = joint.first_row + static_cast<Eigen::Index>(i);
      const JointRow& condition = joint.rows()[i];
      condition.row_derivative(q, H);
      const double wanted = joint.target_acceleration(condition, t, spec_.step / 16.0);
      rhs_smooth_[smooth_K_.joint_multiplier(static_cast<int>(row))] =
          joint_scale_[row] * (pair.dot(H * pair) - wanted);
    }
  }
  smooth_K_.solve(rhs_smooth_);
  vd_n_.setZero();
  smooth_K_.scatter(rhs_smooth_, 1.0, vd_n_);
  a_n_ = vd_n_;
  la_ = joint_scale_.cwiseProduct(
      rhs_smooth_.segment(smooth_K_.joint_multiplier(0), system_.joint_rows()));
  evaluate_contact_rows(q);
  for (std::size_t c = 0; c < contact_work_.size(); ++c) {
    const Contact& contact = system_.contacts()[c];
    ContactState& state = contact_states_[c];
    state.gap = contact.gap(q);
    state.tangent = contact.frame(q, state.tangent).tangents[0];
    state.rate = contact_work_[c].G * of_pair(v, contact.a(), contact.b());
    armed_[c] = static_cast<char>(state.gap >= -1e-10 * system_.length());
  }
  return true;
}

}  // namespace clatter
