#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include <clatter/machine/coupled_matrix.hpp>
#include <clatter/machine/tangents.hpp>

namespace clatter {
namespace {

/// Writes only what differs from zero: the diagonal, and the block between rotations.
void fill_node_block(const Node& node, const Vec3& spin, const TangentFactors& factors,
                     Mat6& block) {
  Mat3 rotations = factors.mass * node.inertia;
  if (node.rotates_in_space && factors.damping != 0.0) {
    rotations += factors.damping * (skew(spin) * node.inertia - skew(node.inertia * spin));
  }
  block.diagonal().head<3>().setConstant(factors.mass * node.mass);
  block.bottomRightCorner<3, 3>() = rotations;
}

/// Two at a time, and these while the next two are computed: their entries were stored one by one,
/// and loading them in pairs at once would wait for that.
template <class Matrix>
void add_beam_tangents(const Machine& machine, const NodalVector& v, const Instant& instant,
                       const TangentFactors& factors, std::span<const Mat3> T, Matrix& matrix) {
  const std::size_t count = machine.beam_elements().size();
  std::array<std::array<Mat12, 2>, 2> blocks;
  const auto compute = [&](std::size_t e, std::array<Mat12, 2>& pair) {
    const std::size_t next = std::min(e + 1, count - 1);  // the last may be alone
    const auto turns = [&](std::size_t i) {
      return machine.nodes()[machine.beam_elements()[i].a()].rotates_in_space;
    };
    const bool has_T = !T.empty() && (turns(e) || turns(next));  // T = 1 in the plane
    const auto place = [&](std::size_t i, Mat12& block) {
      const BeamElement& element = machine.beam_elements()[i];
      const auto tangent_of = [&](int node) { return has_T ? &T[node] : nullptr; };
      return BeamElement::Place{element, instant.helices[i], tangent_of(element.a()),
                                tangent_of(element.b()), block};
    };
    BeamElement::tangents(place(e, pair[0]), place(next, pair[1]), v, factors);
  };
  const auto add = [&](std::size_t e, const std::array<Mat12, 2>& pair) {
    matrix.add_beam_element(static_cast<int>(e), pair[0]);
    if (e + 1 < count) matrix.add_beam_element(static_cast<int>(e + 1), pair[1]);
  };
  for (std::size_t e = 0; e < count; e += 2) {
    compute(e, blocks[e / 2 % 2]);
    if (e > 0) add(e - 2, blocks[(e / 2 + 1) % 2]);
  }
  if (count > 0) add((count - 1) / 2 * 2, blocks[(count - 1) / 2 % 2]);
}

}  // namespace

template <class Matrix>
void add_tangents(const Machine& machine, const Configuration& q, const NodalVector& v,
                  const Instant& instant, const TangentFactors& factors, std::span<const Mat3> T,
                  Matrix& matrix) {
  const double damping = factors.damping, stiffness = factors.stiffness;
  const bool symmetric = factors.symmetric;
  Mat6 node_block = Mat6::Zero();
  for (std::size_t n = 1; n < machine.nodes().size(); ++n) {
    if (!matrix.has_node(n)) continue;
    const auto i = static_cast<int>(n);
    fill_node_block(machine.nodes()[n], of_node(v, i).tail<3>(), factors, node_block);
    if (!machine.immersions().empty() && instant.has_drag) {
      const Immersion& in = machine.immersions()[n];
      node_block.diagonal().head<3>().array() += factors.damping * in.drag;
      node_block.diagonal().tail<3>().array() += factors.damping * in.spin_drag;
    }
    matrix.add_node(i, node_block);
  }
  add_beam_tangents(machine, v, instant, factors, T, matrix);
  for_each_force_element(machine.force_elements(), [&](const auto& element, std::size_t e) {
    using Kind = std::decay_t<decltype(element)>;
    using Block = typename Kind::Matrix;
    Block K, C;
    if constexpr (is_driven<Kind>) {
      element.tangent(q, v, machine.drive_input(instant), K, C);
    } else {
      element.tangent(q, v, instant.turns[e], K, C);
    }
    if (!T.empty()) to_increments(K, machine.nodes(), element.nodes(), T);
    if (symmetric) K = (0.5 * (K + K.transpose())).eval();
    const Block sum = stiffness * K + damping * C;
    matrix.add_force_element(static_cast<int>(e), sum);
  });
  if (stiffness == 0.0) return;
  for (std::size_t l = 0; l < machine.loads().size(); ++l) {
    const Load& load = machine.loads()[l];
    const auto node = static_cast<std::size_t>(load.node());
    Mat6 block = load.tangent(instant.loads[l], q[node]);
    if (!T.empty()) block.rightCols<3>() = (block.rightCols<3>() * T[node]).eval();
    if (symmetric) block = (0.5 * (block + block.transpose())).eval();
    matrix.add_load(static_cast<int>(l), stiffness * block);
  }
}

template void add_tangents(const Machine&, const Configuration&, const NodalVector&, const Instant&,
                           const TangentFactors&, std::span<const Mat3>, KktMatrix&);
template void add_tangents(const Machine&, const Configuration&, const NodalVector&, const Instant&,
                           const TangentFactors&, std::span<const Mat3>, CoupledMatrix::Part&);

void add_joint_tangents(const Machine& machine, const Configuration& q, const VecX& forces,
                        const TangentFactors& factors, KktMatrix& matrix) {
  Mat12 H;
  Vec12 g;
  const VecX delassus = machine.joint_delassus(q);
  for (std::size_t j = 0; j < machine.joints().size(); ++j) {
    const Joint& joint = machine.joints()[j];
    Mat12 geometric = Mat12::Zero();
    KktMatrix::Rows G(static_cast<Eigen::Index>(joint.rows().size()), 12);
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      joint.rows()[i].row(q, g);
      joint.rows()[i].row_derivative(q, H);
      G.row(row) = -g.transpose() / std::sqrt(delassus[joint.first_row + row]);
      geometric -= factors.stiffness * forces[joint.first_row + row] * H;
    }
    if (factors.symmetric) geometric = (0.5 * (geometric + geometric.transpose())).eval();
    matrix.add_joint(static_cast<int>(j), geometric, G, G.transpose());
  }
}

double size_of_stiffness(const Machine& machine, const Configuration& q, const Instant& instant,
                         KktMatrix& scratch) {
  scratch.set_zero();
  add_tangents(machine, q, NodalVector::Zero(machine.nodal_size()), instant, {0.0, 0.0, 1.0}, {},
               scratch);
  VecX weights(scratch.size());
  scratch.gather(machine.weights(), weights);
  const VecX relative = scratch.matrix().diagonal().cwiseAbs().cwiseProduct(weights.cwiseAbs2());
  return machine.dofs() > 0 ? relative.head(machine.dofs()).maxCoeff() : 0.0;
}

}  // namespace clatter
