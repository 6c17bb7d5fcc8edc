#include "dynamics/tangents.hpp"

#include <array>
#include <cmath>

namespace clatter {
namespace {

Mat6 node_block(const Node& node, const Vec3& spin, const TangentFactors& factors) {
  Mat6 block = Mat6::Zero();
  block.topLeftCorner<3, 3>().diagonal().setConstant(factors.mass * node.mass);
  block.bottomRightCorner<3, 3>() = factors.mass * node.inertia;
  if (node.rotates_in_space && factors.damping != 0.0) {
    block.bottomRightCorner<3, 3>() +=
        factors.damping * (skew(spin) * node.inertia - skew(node.inertia * spin));
  }
  return block;
}

}  // namespace

void add_tangents(const System& system, const Configuration& q, const NodalVector& v,
                  const TangentFactors& factors, std::span<const Mat3> T, KktMatrix& matrix) {
  const double mass = factors.mass, damping = factors.damping, stiffness = factors.stiffness;
  const bool symmetric = factors.symmetric;
  for (std::size_t n = 1; n < system.nodes().size(); ++n) {
    const auto i = static_cast<int>(n);
    matrix.add_node(i, node_block(system.nodes()[n], of_node(v, i).tail<3>(), factors));
  }
  const auto finish = [&](Mat12& K, int a, int b) {
    if (!T.empty()) to_increments(K, system.nodes(), a, b, T);
    if (symmetric) K = (0.5 * (K + K.transpose())).eval();
  };
  const auto add_beam_element = [&](std::size_t e, Mat12& K, const Mat12& C) {
    const BeamElement& element = system.beam_elements()[e];
    if (stiffness != 0.0) {
      finish(K, element.a(), element.b());
    } else {
      K.setZero();
    }
    if (damping != 0.0 && element.is_damped()) {
      K += damping * C;
    } else if (damping != 0.0 && element.is_gyroscopic()) {
      for (const int row : {3, 9}) {
        for (const int column : {3, 9}) {
          K.block<3, 3>(row, column) += damping * C.block<3, 3>(row, column);
        }
      }
    }
    element.add_mass_correction(mass, K);
    matrix.add_beam_element(static_cast<int>(e), K);
  };
  // An element is added while the next one is computed: its entries were stored one by one, and
  // loading them in pairs at once would wait for that.
  const std::size_t elements = system.beam_elements().size();
  std::array<Mat12, 2> beam_K, beam_C;
  for (std::size_t e = 0; e < elements; ++e) {
    const BeamElement& element = system.beam_elements()[e];
    const bool resists = element.is_damped() || element.is_gyroscopic();
    if (stiffness != 0.0 || (damping != 0.0 && resists)) {
      element.tangent(system.helix(e), v, stiffness, beam_K[e % 2], beam_C[e % 2]);
    }
    if (e > 0) add_beam_element(e - 1, beam_K[(e - 1) % 2], beam_C[(e - 1) % 2]);
  }
  if (elements > 0) {
    add_beam_element(elements - 1, beam_K[(elements - 1) % 2], beam_C[(elements - 1) % 2]);
  }
  Mat12 K, C;
  for (std::size_t s = 0; s < system.springs().size(); ++s) {
    const Spring& spring = system.springs()[s];
    spring.tangent(q, v, K, C);
    finish(K, spring.a(), spring.b());
    matrix.add_spring(static_cast<int>(s), stiffness * K + damping * C);
  }
  if (stiffness == 0.0) return;
  for (std::size_t l = 0; l < system.loads().size(); ++l) {
    const Load& load = system.loads()[l];
    const auto node = static_cast<std::size_t>(load.node());
    Mat6 block = load.tangent(q[node]);
    if (!T.empty()) block.rightCols<3>() = (block.rightCols<3>() * T[node]).eval();
    if (symmetric) block = (0.5 * (block + block.transpose())).eval();
    matrix.add_load(static_cast<int>(l), stiffness * block);
  }
}

void add_joint_tangents(const System& system, const Configuration& q, const VecX& forces,
                        const TangentFactors& factors, KktMatrix& matrix) {
  Mat12 H;
  Vec12 g;
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    const Joint& joint = system.joints()[j];
    Mat12 geometric = Mat12::Zero();
    KktMatrix::Rows G(static_cast<Eigen::Index>(joint.rows().size()), 12);
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      joint.rows()[i].coordinate.gradient(q, g);
      joint.rows()[i].coordinate.hessian(q, H);
      G.row(row) = -g.transpose() / std::sqrt(system.delassus(g, joint.a(), joint.b()));
      geometric -= factors.stiffness * forces[joint.first_row + row] * H;
    }
    if (factors.symmetric) geometric = (0.5 * (geometric + geometric.transpose())).eval();
    matrix.add_joint(static_cast<int>(j), geometric, G, G.transpose());
  }
}

double size_of_stiffness(const System& system, const Configuration& q, KktMatrix& scratch) {
  scratch.set_zero();
  add_tangents(system, q, NodalVector::Zero(system.nodal_size()), {0.0, 0.0, 1.0}, {}, scratch);
  VecX weights(scratch.size());
  scratch.gather(system.weights(), weights);
  const VecX relative = scratch.matrix().diagonal().cwiseAbs().cwiseProduct(weights.cwiseAbs2());
  return system.dofs() > 0 ? relative.head(system.dofs()).maxCoeff() : 0.0;
}

}  // namespace clatter
