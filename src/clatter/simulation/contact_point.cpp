#include <algorithm>

#include <clatter/simulation/contact_point.hpp>

namespace clatter {
namespace {

/// Force or impulse on b of the rows along the normal and against sliding.
Vec3 along_frame(const Contact& contact, const ContactFrame& frame, const RowVector& rows) {
  Vec3 sum = rows[0] * frame.normal;
  if (const FrictionBlock* sliding = contact.block(FrictionKind::sliding)) {
    const int directions = std::min(sliding->rows, 2);  // a third row is a moment
    for (int i = 0; i < directions; ++i) {
      sum += rows[sliding->first_row + i] * frame.tangents[static_cast<std::size_t>(i)];
    }
  }
  return sum;
}

}  // namespace

ContactPoint contact_point(const Contact& contact, const ContactState& did, const State& state,
                           bool separates_forces) {
  const ContactFrame frame = contact.frame(state.q, did.tangent);
  ContactPoint point{contact.a(), contact.b()};
  point.position = contact.position(state.q, frame);
  point.normal = frame.normal;
  point.gap = did.gap;
  point.status = did.status;
  point.impulse = along_frame(contact, frame, did.impulse);
  if (separates_forces) {
    point.force = along_frame(contact, frame, did.force);
  } else if (did.persistent && state.sums.last_step_size > 0.0) {
    point.force = point.impulse / state.sums.last_step_size;
  }
  return point;
}

void find_contact_points(const Machine& machine, const State& state, bool separates_forces,
                         std::vector<ContactPoint>& points) {
  points.clear();
  const std::size_t own = machine.own_contacts().size();
  for (std::size_t c = 0; c < state.contacts.size(); ++c) {
    if (state.contacts[c].status == ContactStatus::open) continue;
    const ContactState& did = state.contacts[c];
    if (c < own) {
      if (machine.own_contacts()[c].is_placeless()) continue;
      points.push_back(contact_point(machine.own_contacts()[c], did, state, separates_forces));
    } else {
      const Contact contact = machine.contact_of(state.search.keys[c - own]);
      points.push_back(contact_point(contact, did, state, separates_forces));
    }
  }
}

}  // namespace clatter
