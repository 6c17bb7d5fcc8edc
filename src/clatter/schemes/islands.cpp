#include <cmath>

#include <clatter/machine/ties.hpp>
#include <clatter/schemes/contact_set.hpp>
#include <clatter/schemes/islands.hpp>

namespace clatter {

Islands::Islands(const Machine& machine) : machine_(machine) {
  const std::size_t count = machine.nodes().size();
  connected_.separate(count);
  visit_ties(machine, [&](int a, int b) {
    if (a != ground && b != ground) connected_.join(a, b);
  });
  for (std::size_t n = 0; n < count; ++n) {
    tied_.push_back(connected_.root(static_cast<int>(n)));
  }
  of_node_.resize(count);
  number();
  has_joined_ = false;
}

void Islands::find(const ContactSet& contacts) {
  bool joins = false;
  for (std::size_t c = 0; c < contacts.count() && !joins; ++c) {
    const Contact& contact = contacts.contact(c);
    if (!contacts.work[c].near || contact.a() == ground || contact.b() == ground) continue;
    joins = tied_[static_cast<std::size_t>(contact.a())] !=
            tied_[static_cast<std::size_t>(contact.b())];
  }
  if (joins || has_joined_) {
    connected_.separate(tied_.size());
    for (std::size_t n = 0; n < tied_.size(); ++n) connected_.join(static_cast<int>(n), tied_[n]);
    for (std::size_t c = 0; c < contacts.count(); ++c) {
      const Contact& contact = contacts.contact(c);
      if (!contacts.work[c].near || contact.a() == ground || contact.b() == ground) continue;
      connected_.join(contact.a(), contact.b());
    }
    number();
    has_joined_ = joins;
  }
  if (count_ == 1) return;
  sort(
      contacts.count(),
      [&](std::size_t c) {
        const Contact& contact = contacts.contact(c);
        return contacts.work[c].near ? of_pair(contact.a(), contact.b()) : -1;
      },
      contacts_);
}

/// Numbers the islands that are connected, and lists who is in them.
void Islands::number() {
  count_ = 0;
  of_node_[ground] = -1;
  for (std::size_t n = 1; n < of_node_.size(); ++n) {
    const int root = connected_.root(static_cast<int>(n));  // the smallest of its island
    of_node_[n] = root == static_cast<int>(n) ? count_++ : of_node(root);
  }
  list_members();
}

void Islands::list_members() {
  const auto node_count = of_node_.size();
  sort(
      node_count, [&](std::size_t n) { return of_node_[n]; }, nodes_);
  const std::vector<Joint>& joints = machine_.joints();
  sort(
      joints.size(), [&](std::size_t j) { return of_pair(joints[j].a(), joints[j].b()); }, joints_);
  sort(
      0, [](std::size_t) { return -1; }, contacts_);
  has_beam_.assign(static_cast<std::size_t>(count_), 0);
  for (const BeamElement& element : machine_.beam_elements()) {
    has_beam_[static_cast<std::size_t>(of_pair(element.a(), element.b()))] = 1;
  }
  mass_roots_.assign(static_cast<std::size_t>(count_), 0.0);
  for (std::size_t n = 1; n < node_count; ++n) {
    mass_roots_[static_cast<std::size_t>(of_node_[n])] += machine_.nodes()[n].mass;
  }
  for (double& mass : mass_roots_) mass = std::sqrt(mass);
}

/// Members in the order of their islands; negative: of none.
template <class IslandOf>
void Islands::sort(std::size_t members, const IslandOf& island_of, Members& sorted) {
  sorted.begins.assign(static_cast<std::size_t>(count_) + 1, 0);
  for (std::size_t m = 0; m < members; ++m) {
    if (const int island = island_of(m); island >= 0)
      ++sorted.begins[static_cast<std::size_t>(island) + 1];
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
    sorted.begins[i + 1] += sorted.begins[i];
  }
  sorted.list.resize(static_cast<std::size_t>(sorted.begins.back()));
  next_.assign(sorted.begins.begin(), sorted.begins.end() - 1);
  for (std::size_t m = 0; m < members; ++m) {
    const int island = island_of(m);
    if (island < 0) continue;
    sorted.list[static_cast<std::size_t>(next_[static_cast<std::size_t>(island)]++)] =
        static_cast<int>(m);
  }
}

double Islands::weighted_norm(int island, const NodalVector& f) const {
  if (count_ == 1) return machine_.weighted_norm(f);
  double squares = 0.0;
  for (const int n : nodes(island)) {
    squares +=
        clatter::of_node(machine_.weights(), n).cwiseProduct(clatter::of_node(f, n)).squaredNorm();
  }
  return std::sqrt(squares);
}

double Islands::kinetic_norm(int island, const NodalVector& v) const {
  if (count_ == 1) return machine_.kinetic_norm(v);
  double squares = 0.0;
  for (const int n : nodes(island)) squares += machine_.kinetic_square(n, v);
  return std::sqrt(squares);
}

double Islands::sum_of_nodes(int island, const VecX& by_node) const {
  double sum = 0.0;
  for (const int n : nodes(island)) sum += by_node[n];
  return sum;
}

double Islands::sum_of_joints(int island, const VecX& by_joint) const {
  double sum = 0.0;
  for (const int j : joints(island)) sum += by_joint[j];
  return sum;
}

double Islands::joint_squares(int island, const VecX& by_row) const {
  double sum = 0.0;
  for (const int j : joints(island)) {
    const Joint& joint = machine_.joints()[static_cast<std::size_t>(j)];
    for (std::size_t i = 0; i < joint.rows().size(); ++i) {
      const double row = by_row[joint.first_row + static_cast<Eigen::Index>(i)];
      if (joint.rows()[i].ends) sum += row * row;
    }
  }
  return sum;
}

double Islands::contact_squares(int island, const ContactSet& set, const VecX& by_row) const {
  if (count_ == 1) return by_row.squaredNorm();
  double sum = 0.0;
  for (const int c : contacts(island)) {
    const Contact& contact = set.contact(static_cast<std::size_t>(c));
    sum += by_row.segment(contact.first_row, contact.rows()).squaredNorm();
  }
  return sum;
}

}  // namespace clatter
