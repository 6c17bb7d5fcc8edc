#include <cmath>

#include <clatter/machine/tangents.hpp>
#include <clatter/schemes/nsga/smooth_motion.hpp>

namespace clatter {

SmoothMotion::SmoothMotion(StepWork& work, const GeneralizedAlpha& coefficients)
    : w_(work), c_(coefficients), end_(work.machine), a_(end_.v) {}

const NodalVector& SmoothMotion::algorithmic_acceleration() {
  const State& state = *w_.state;
  a_ = (c_.af * state.acceleration - c_.am * state.algorithmic_acceleration +
        (1.0 - c_.af) * w_.vd) /
       (1.0 - c_.am);
  const Sleepers& sleepers = w_.contacts.sleepers();
  for (Eigen::Index n = 1; sleepers.any() && n < a_.size() / 6; ++n) {
    if (sleepers.has(static_cast<int>(n)))
      of_node(a_, n) = of_node(state.algorithmic_acceleration, n);
  }
  return a_;
}

const NodalVector& SmoothMotion::accelerations_after_jump() {
  algorithmic_acceleration();
  const std::vector<Node>& nodes = w_.machine.nodes();
  for (const int n : w_.far_turns.nodes()) {
    const Vec3 torque = of_node(end_.f, n).tail<3>();
    const Vec3 at_end = nodes[static_cast<std::size_t>(n)].inverse_inertia * torque;
    for (NodalVector* of : {&a_, &w_.vd}) of_node(*of, n).tail<3>() = at_end;
  }
  for (const int n : w_.far_turns.free_nodes()) {
    const Node& node = nodes[static_cast<std::size_t>(n)];
    const Vec3 before = of_node(end_.v, n).tail<3>(), after = of_node(w_.v, n).tail<3>();
    const Vec3 turned = node.inverse_inertia * (turning(node, before) - turning(node, after));
    for (NodalVector* of : {&a_, &w_.vd}) of_node(*of, n).tail<3>() += turned;
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
  for (const int n : w_.far_turns.nodes())
    of_node(end_.v, n).tail<3>() = of_node(state.v, n).tail<3>();
  w_.contacts.sleepers().lay_down(end_.increment);
  w_.contacts.sleepers().lay_down(end_.v);
  turn_at_mean_velocity();
}

void SmoothMotion::turn_at_mean_velocity() {
  for (const int n : w_.far_turns.nodes()) {
    const Vec3 start = of_node(w_.state->v, n).tail<3>(), end = of_node(end_.v, n).tail<3>();
    of_node(end_.increment, n).tail<3>() = 0.5 * w_.h * (start + end);
    of_node(w_.vd, n).tail<3>() = (end - start) / w_.h;
  }
}

Residual SmoothMotion::evaluate() {
  const Machine& machine = w_.machine;
  retract(machine.nodes(), w_.state->q, end_.increment, w_.q);
  const ForceSizes sizes = w_.forces(end_.v, end_.f);
  w_.smooth_numbers = sizes.numbers;
  machine.apply_mass(w_.vd, w_.momentum);
  w_.joints.evaluate(w_.q);
  end_.reaction.setZero();
  for (std::size_t j = 0; j < w_.joints.count(); ++j) {
    const Joint& joint = w_.joints.joint(j);
    const PairRows& G = w_.joints.rows(j);
    const Vec12 force =
        G.transpose().lazyProduct(w_.joint_forces.segment(joint.first_row, G.rows()));
    add_to_pair(end_.reaction, joint.a(), joint.b(), force);
    end_.joint_terms[static_cast<Eigen::Index>(j)] =
        of_pair(machine.weights(), joint.a(), joint.b()).cwiseProduct(force).norm();
  }
  w_.residual = w_.momentum - end_.f - end_.reaction;
  for (const int n : w_.far_turns.nodes()) {
    const Node& node = machine.nodes()[static_cast<std::size_t>(n)];
    const Vec3 end = of_node(end_.v, n).tail<3>();
    const Vec3 mean = 0.5 * (of_node(w_.state->v, n).tail<3>() + end);
    of_node(w_.residual, n).tail<3>() += turning(node, mean) - turning(node, end);
  }
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
      bend.row(i) = move * pair.transpose().lazyProduct(H);
    }
    to_increments(geometric, w_.machine.nodes(), joint.a(), joint.b(), w_.T);
    to_increments(bend, w_.machine.nodes(), joint.a(), joint.b(), w_.T);
    const auto scale = w_.joints.scale().segment(joint.first_row, rows.rows()).asDiagonal();
    rows = -(scale * (rows + bend));
    const KktMatrix::Columns columns = -(scale * G).transpose();
    K.add_joint(static_cast<int>(j), geometric, rows, columns);
  }
  add_far_turns(K);
}

/// Instead of what the others have.
void SmoothMotion::add_far_turns(KktMatrix& K) const {
  const double mass = (1.0 - c_.am) / ((1.0 - c_.af) * c_.gamma);
  Mat6 block = Mat6::Zero();
  for (const int n : w_.far_turns.nodes()) {
    const Node& node = w_.machine.nodes()[static_cast<std::size_t>(n)];
    const Vec3 end = of_node(end_.v, n).tail<3>();
    const Vec3 mean = 0.5 * (of_node(w_.state->v, n).tail<3>() + end);
    block.bottomRightCorner<3, 3>() =
        (1.0 - mass) * node.inertia +
        w_.h * (0.5 * turning_derivative(node, mean) - turning_derivative(node, end));
    K.add_node(n, block);
  }
  const double more = w_.h * w_.h * (0.5 - c_.beta / c_.gamma);
  for (std::size_t l = 0; l < w_.machine.loads().size(); ++l) {
    const Load& load = w_.machine.loads()[l];
    if (!w_.far_turns.has(load.node())) continue;
    const auto node = static_cast<std::size_t>(load.node());
    block = load.tangent(w_.instant.loads[l], w_.q[node]);
    block.leftCols<3>().setZero();
    block.rightCols<3>() = (more * block.rightCols<3>() * w_.T[node]).eval();
    K.add_load(static_cast<int>(l), block);
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
  turn_at_mean_velocity();
  w_.joint_forces +=
      factor / w_.h *
      w_.joints.scale().cwiseProduct(x.segment(K.joint_multiplier(0), w_.joint_forces.size()));
}

}  // namespace clatter
