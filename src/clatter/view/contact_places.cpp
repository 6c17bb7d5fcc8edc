#include <algorithm>

#include <clatter/view/contact_places.hpp>

namespace clatter {

void find_contacts(const Machine& machine, const std::vector<double>& places,
                   const std::vector<double>& turns, ContactPlaces& found) {
  if (found.positions.empty()) return;
  Configuration q(machine.nodes().size());
  for (std::size_t n = 0; 3 * n < places.size() && n + 1 < q.size(); ++n) {
    const double* turn = &turns[4 * n];
    NodeState& node = q[n + 1];
    node.p = Quaternion(turn[0], turn[1], turn[2], turn[3]).normalized();
    node.R = node.p.toRotationMatrix();
    node.x = Vec3(&places[3 * n]) + node.R * machine.centre_of_mass(static_cast<int>(n) + 1);
  }
  const std::vector<Contact>& contacts = machine.own_contacts();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    double* tangent = &found.tangents[3 * c];
    const ContactFrame frame = contacts[c].frame(q, Vec3(tangent));
    const Vec3 at = contacts[c].position(q, frame);
    // Those of joints point nowhere: no arrow is drawn.
    const bool is_somewhere = !contacts[c].is_placeless();
    const Vec3 normal = is_somewhere ? frame.normal : Vec3(Vec3::Zero()),
               along = is_somewhere ? frame.tangents[0] : Vec3(Vec3::Zero());
    std::copy_n(at.data(), 3, &found.positions[3 * c]);
    std::copy_n(normal.data(), 3, &found.normals[3 * c]);
    std::copy_n(along.data(), 3, tangent);
  }
}

}  // namespace clatter
