#include <cmath>

#include <clatter/machine/tangents.hpp>
#include <clatter/machine/ties.hpp>
#include <clatter/schemes/nsga/smooth_motion.hpp>

namespace clatter {

SmoothMotion::SmoothMotion(StepWork& work, const GeneralizedAlpha& coefficients)
    : w_(work),
      c_(coefficients),
      end_(work.machine),
      a_(end_.v),
      is_tied_(work.machine.nodes().size(), 0) {
  visit_ties(work.machine, [&](int a, int b) {
    is_tied_[static_cast<std::size_t>(a)] = is_tied_[static_cast<std::size_t>(b)] = 1;
  });
}

const NodalVector& SmoothMotion::algorithmic_acceleration() {
  const State& state = *w_.state;
  a_ = (c_.af * state.acceleration - c_.am * state.algorithmic_acceleration +
        (1.0 - c_.af) * w_.vd) /
       (1.0 - c_.am);
  return a_;
}

const NodalVector& SmoothMotion::accelerations_after_jump() {
  algorithmic_acceleration();
  for (std::size_t n = 1; n < is_tied_.size(); ++n) {
    const Node& node = w_.machine.nodes()[n];
    if (is_tied_[n] != 0 || !node.rotates_in_space) continue;
    const auto index = static_cast<Eigen::Index>(n);
    const Vec3 before = of_node(end_.v, index).tail<3>(), after = of_node(w_.v, index).tail<3>();
    const Vec3 change = before.cross(node.inertia * before) - after.cross(node.inertia * after);
    const Vec3 turned = node.inverse_inertia * change;
    for (NodalVector* of : {&a_, &w_.vd}) of_node(*of, index).tail<3>() += turned;
  }
  return a_;
}

void SmoothMotion::predict() {
  const State& state = *w_.state;
  const NodalVector& a_n = state.algorithmic_acceleration;
  const double h = w_.h;
  w_.vd = state.acceleration;
  algorithmic_acceleration();
  end_.increment = h * state.v + h * h * ((0.5 - c_.beta) * a_n + c_.beta * a_);
  end_.v = state.v + h * ((1.0 - c_.gamma) * a_n + c_.gamma * a_);
}

Residual SmoothMotion::evaluate() {
  const Machine& machine = w_.machine;
  retract(machine.nodes(), w_.state->q, end_.increment, w_.q);
  const ForceSizes sizes = machine.forces(w_.q, end_.v, w_.instant, end_.f);
  w_.smooth_numbers = sizes.numbers;
  machine.apply_mass(w_.vd, w_.momentum);
  w_.joints.evaluate(w_.q);
  end_.reaction.setZero();
  for (std::size_t j = 0; j < w_.joints.count(); ++j) {
    const Joint& joint = w_.joints.joint(j);
    const PairRows& G = w_.joints.rows(j);
    const Vec12 force = G.transpose() * w_.joint_forces.segment(joint.first_row, G.rows());
    add_to_pair(end_.reaction, joint.a(), joint.b(), force);
    end_.joint_terms[static_cast<Eigen::Index>(j)] =
        of_pair(machine.weights(), joint.a(), joint.b()).cwiseProduct(force).norm();
  }
  w_.residual = w_.momentum - end_.f - end_.reaction;
  w_.joints.evaluate_rates(end_.v, w_.instant);
  return w_.judge_islands([&](int i) { return measure(i, w_.sizes_of(i, sizes)); });
}

Residual SmoothMotion::measure(int island, const ForceSizes& sizes) const {
  const Islands& islands = w_.islands;
  const double momentum = w_.h * islands.weighted_norm(island, w_.residual);
  const double row = std::sqrt(islands.joint_squares(island, w_.joints.residual));
  const double speed = round_off * (islands.kinetic_norm(island, end_.v) + w_.h * sizes.numbers);
  const double all = w_.h * (sizes.terms + islands.sum_of_joints(island, end_.joint_terms) +
                             islands.weighted_norm(island, w_.momentum));
  const double driven = w_.joints.target_speed(islands.joints(island), w_.instant);
  Residual r;
  r.momentum = ratio(momentum, w_.spec.tolerance * all + speed);
  r.rows = ratio(row, w_.spec.tolerance * all + speed + round_off * driven);
  r.merit = std::hypot(momentum, row);
  return r;
}

void SmoothMotion::assemble(KktMatrix& K) {
  const double h = w_.h, move = h * c_.beta / c_.gamma;  // d(increment)/d(velocity)
  w_.find_tangents(end_.increment);
  w_.add_tangents(K, end_.v, {(1.0 - c_.am) / ((1.0 - c_.af) * c_.gamma), h, h * move});
  Mat12 H;
  for (std::size_t j = 0; j < w_.joints.count(); ++j) {
    const Joint& joint = w_.joints.joint(j);
    const PairRows& G = w_.joints.rows(j);
    const Vec12 pair = of_pair(end_.v, joint.a(), joint.b());
    PairRows rows = G, bend = G;
    Mat12 geometric = Mat12::Zero();
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      joint.rows()[static_cast<std::size_t>(i)].row_derivative(w_.q, H);
      geometric -= h * move * w_.joint_forces[joint.first_row + i] * H;
      bend.row(i) = move * pair.transpose() * H;
    }
    to_increments(geometric, w_.machine.nodes(), joint.a(), joint.b(), w_.T);
    to_increments(bend, w_.machine.nodes(), joint.a(), joint.b(), w_.T);
    const auto scale = w_.joints.scale().segment(joint.first_row, rows.rows()).asDiagonal();
    rows = -(scale * (rows + bend));
    const KktMatrix::Columns columns = -(scale * G).transpose();
    K.add_joint(static_cast<int>(j), geometric, rows, columns);
  }
}

void SmoothMotion::fill_right_side(const KktMatrix& K, VecX& x) const {
  K.gather(w_.residual, x);
  x.head(K.dofs()) *= -w_.h;
  x.segment(K.joint_multiplier(0), w_.joints.residual.size()) = -w_.joints.residual;
}

void SmoothMotion::move(const KktMatrix& K, const VecX& x, double factor) {
  K.scatter(x, factor, end_.v);
  K.scatter(x, factor * (1.0 - c_.am) / ((1.0 - c_.af) * c_.gamma * w_.h), w_.vd);
  K.scatter(x, factor * w_.h * c_.beta / c_.gamma, end_.increment);
  w_.joint_forces +=
      factor / w_.h *
      w_.joints.scale().cwiseProduct(x.segment(K.joint_multiplier(0), w_.joint_forces.size()));
}

}  // namespace clatter
