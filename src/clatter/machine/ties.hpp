#pragma once

#include <algorithm>

#include <clatter/machine/machine.hpp>

namespace clatter {

/// Calls tie(a, b) for the nodes that joints, couplers of joints and beams tie together; one of
/// them may be the ground. Impulses go through these.
template <class Tie>
void visit_rigid_ties(const Machine& machine, const Tie& tie) {
  int before = ground;  // a node of the term before
  for (const Joint& joint : machine.joints()) {
    tie(joint.a(), joint.b());
    const int moving = std::max(joint.a(), joint.b());  // the ground is node 0
    if (!joint.rows().front().begins) tie(before, moving);
    before = moving;
  }
  for (const BeamElement& element : machine.beam_elements()) tie(element.a(), element.b());
}

/// The same for all that ties nodes together but contacts; couplers with play do even so.
template <class Tie>
void visit_ties(const Machine& machine, const Tie& tie) {
  visit_rigid_ties(machine, tie);
  for (const Contact& contact : machine.own_contacts()) {
    if (!contact.is_placeless()) continue;
    for (const int node : contact.nodes()) tie(contact.a(), node);
  }
  for_each_force_element(machine.force_elements(), [&](const auto& element, std::size_t) {
    const auto nodes = element.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t k = i + 1; k < nodes.size(); ++k) tie(nodes[i], nodes[k]);
    }
  });
}

}  // namespace clatter
