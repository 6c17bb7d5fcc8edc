#include <algorithm>

#include <clatter/recovery/contact_forces.hpp>
#include <clatter/simulation/shared_forces.hpp>

namespace clatter {

namespace {

/// Of an impulse: less than this is no impact.
constexpr double least_impact = 1e-3;

/// The normal force of an own contact that is recovered. Where impulses are not apart it is the
/// mean of the last step, but for impacts. Of contacts that carry a body together one after the
/// other may do so, so that it is not asked whether they were closed before, but whether they
/// struck.
double normal_force(const Contact& contact, const State& state, std::size_t c,
                    bool separates_forces) {
  const ContactState& at = state.contacts[c];
  if (separates_forces) return std::max(0.0, at.force[0]);
  const double h = state.sums.last_step_size, impulse = at.impulse[0];
  if (!(h > 0.0 && impulse > 0.0)) return 0.0;
  const double impact = (1.0 + contact.restitution()) * state.sums.hardest[c].mass * at.met_at;
  return at.persistent || impact <= least_impact * impulse ? impulse / h : 0.0;
}

}  // namespace

SharedForces::SharedForces(const Model& model, const Machine& machine, bool separates_forces)
    : machine_(machine), separates_forces_(separates_forces) {
  std::vector<double> stiffness, exponents;
  const std::vector<ContactRecovery> recoveries = recoveries_of(model);
  const auto& own = machine.own_contacts();
  for (const ContactSpec& spec : model.contacts) {
    if (!spec.recovery || !spec.recovery->share) continue;
    const auto contact = std::find_if(
        own.begin(), own.end(), [&](const Contact& each) { return each.name() == spec.name; });
    const auto recovery =
        std::find_if(recoveries.begin(), recoveries.end(),
                     [&](const ContactRecovery& each) { return each.contact == spec.name; });
    contacts_.push_back(static_cast<std::size_t>(contact - own.begin()));
    stiffness.push_back(recovery->settings.law.stiffness);
    exponents.push_back(recovery->settings.law.exponent);
    for (const int node : {contact->a(), contact->b()}) {
      if (node == ground) continue;
      row_of_node_.resize(std::max(row_of_node_.size(), static_cast<std::size_t>(node) + 1), -1);
      int& row = row_of_node_[static_cast<std::size_t>(node)];
      if (row < 0) row = rows_, rows_ += 6;
    }
  }
  stiffness_ =
      Eigen::Map<const VecX>(stiffness.data(), static_cast<Eigen::Index>(stiffness.size()));
  exponents_ =
      Eigen::Map<const VecX>(exponents.data(), static_cast<Eigen::Index>(exponents.size()));
}

SharedLoad SharedForces::load(const State& state) const {
  const auto count = static_cast<Eigen::Index>(contacts_.size());
  SharedLoad load{MatX::Zero(rows_, count),
                  MatX::Zero(rows_, 2 * count),
                  VecX(count),
                  VecX(count),
                  stiffness_,
                  exponents_};
  double length = 0.0;  // of the longest arm, so that torques count as forces do
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::size_t c = contacts_[static_cast<std::size_t>(i)];
    const Contact& contact = machine_.own_contacts()[c];
    const ContactFrame frame = contact.frame(state.q, state.contacts[c].tangent);
    load.forces[i] = normal_force(contact, state, c, separates_forces_);
    load.gaps[i] = contact.gap(state.q, state.turns);
    const auto add = [&](int node, const Vec3& arm, double sign) {
      if (node == ground) return;
      const int row = row_of_node_[static_cast<std::size_t>(node)];
      const auto put = [&](MatX& to, Eigen::Index column, const Vec3& direction) {
        to.col(column).segment<3>(row) = sign * direction;
        to.col(column).segment<3>(row + 3) = sign * arm.cross(direction);
      };
      put(load.normals, i, frame.normal);
      put(load.tangents, 2 * i, frame.tangents[0]);
      put(load.tangents, 2 * i + 1, frame.tangents[1]);
      length = std::max(length, arm.norm());
    };
    add(contact.a(), frame.arm_a, -1.0);
    add(contact.b(), frame.arm_b, 1.0);
    // In the plane nothing acts out of it.
    if (Contact::is_planar(machine_.nodes()[static_cast<std::size_t>(contact.a())],
                           machine_.nodes()[static_cast<std::size_t>(contact.b())])) {
      load.tangents.col(2 * i + 1).setZero();
    }
  }
  for (int row = 3; row < rows_ && length > 0.0; row += 6) {
    load.normals.middleRows<3>(row) /= length;
    load.tangents.middleRows<3>(row) /= length;
  }
  return load;
}

}  // namespace clatter
