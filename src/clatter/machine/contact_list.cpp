#include <algorithm>
#include <iterator>
#include <limits>

#include <clatter/machine/contact_list.hpp>

namespace clatter {
namespace {

/// Each sphere of a group with the surface that all of them may touch; none when they have
/// partners.
std::vector<ContactPair> pairs_on_surface(const ContactGroup& group) {
  std::vector<ContactPair> pairs;
  if (!group.partners.empty()) return pairs;
  ContactSpec spec = group.contact;
  for (const ContactGroup::Sphere& sphere : group.spheres) {
    spec.point.point = sphere.centre;
    spec.radius = sphere.radius;
    pairs.push_back(make_contact_pair(spec, group.face_node, sphere.node, false));
  }
  return pairs;
}

}  // namespace

ContactList::ContactList(const Machine& machine)
    : machine_(machine),
      contacts_(machine.own_contacts()),
      smallest_radius_(std::numeric_limits<double>::infinity()),
      solids_(machine) {
  for (const ContactGroup& group : machine.contact_groups()) {
    for (const ContactGroup::Sphere& sphere : group.spheres) {
      smallest_radius_ = std::min(smallest_radius_, sphere.radius);
    }
    on_surface_.push_back(pairs_on_surface(group));
  }
}

bool ContactList::show(const ContactSearch& search) {
  if (search.keys == shown_) return false;
  const auto begin = contacts_.begin() + static_cast<std::ptrdiff_t>(own());
  contacts_before_.assign(std::move_iterator(begin), std::move_iterator(contacts_.end()));
  contacts_.erase(begin, contacts_.end());
  std::size_t old = 0;
  for (const ContactKey& key : search.keys) {  // both lists are sorted
    while (old < shown_.size() && shown_[old] < key) ++old;
    const bool is_known = old < shown_.size() && shown_[old] == key;
    const int row = rows();
    contacts_.push_back(is_known ? std::move(contacts_before_[old]) : machine_.contact_of(key));
    contacts_.back().first_row = row;
  }
  shown_ = search.keys;
  return true;
}

bool ContactList::holds_all_near(const ContactSearch& search, const Configuration& q,
                                 std::span<const double> reach) const {
  if (machine_.contact_groups().empty()) return true;
  for (std::size_t n = 1; n < q.size(); ++n) {
    const double extent = machine_.extent(n);
    const double turned = extent > 0.0 ? (q[n].R - search.searched[n].R).norm() : 0.0;
    const double moved = (q[n].x - search.searched[n].x).norm() + extent * turned;
    if (!(moved + reach[n] <= search.margins[n] + 0.5 * search.skin)) return false;
  }
  return true;
}

bool ContactList::update(ContactSearch& search, const Configuration& q, const Configuration& next,
                         std::span<const double> reach, std::span<const char> still) {
  const int solids = machine_.group_of_solids();
  if (!machine_.contact_groups().empty() &&
      !(search.skin >= 0.0 && holds_all_near(search, q, reach))) {
    search.skin = 0.2 * smallest_radius_;  // wide enough to last for a while
    search.margins.assign(reach.begin(), reach.end());
    for (double& margin : search.margins) margin *= 2.0;
    search.searched = q;
    find_near(search, q);
  } else {
    found_.clear();
    for (const ContactKey& key : search.keys) {
      if (key.group < solids) found_.push_back(key);
    }
  }
  for (const ContactKey& key : search.keys) {
    if (key.group == solids && solids_.are_still(key.sphere, key.partner, still)) {
      found_.push_back(key);
    }
  }
  solids_.find(q, next, found_, still);
  search.keys = found_;
  return show(search);
}

void ContactList::add(ContactSearch& search, std::span<const ContactKey> more) {
  found_.clear();
  std::merge(search.keys.begin(), search.keys.end(), more.begin(), more.end(),
             std::back_inserter(found_));
  search.keys = found_;
  show(search);
}

void ContactList::find_near(const ContactSearch& search, const Configuration& q) {
  found_.clear();
  for (std::size_t g = 0; g < machine_.contact_groups().size(); ++g) {
    const ContactGroup& group = machine_.contact_groups()[g];
    const auto index = static_cast<int>(g);
    if (group.partners.empty()) {
      find_near_surface(index, search, q);
      continue;
    }
    place(group.spheres, search, q, balls_);
    if (!group.among_themselves) place(group.partners, search, q, partners_);
    search_.find(balls_, group.among_themselves ? balls_ : partners_, group.among_themselves,
                 search.skin, pairs_);
    for (const auto& pair : pairs_) found_.push_back({index, pair.first, pair.second});
  }
}

void ContactList::find_near_surface(int index, const ContactSearch& search,
                                    const Configuration& q) {
  const ContactGroup& group = machine_.contact_groups()[static_cast<std::size_t>(index)];
  const std::vector<ContactPair>& pairs = on_surface_[static_cast<std::size_t>(index)];
  const double of_surface = search.margins[static_cast<std::size_t>(group.face_node)];
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double gap = std::visit([&](const auto& pair) { return pair.gap(q); }, pairs[i]);
    const double margin =
        search.margins[static_cast<std::size_t>(group.spheres[i].node)] + of_surface;
    if (gap < margin + search.skin) found_.push_back({index, static_cast<int>(i), 0});
  }
}

void ContactList::place(const std::vector<ContactGroup::Sphere>& spheres,
                        const ContactSearch& search, const Configuration& q,
                        std::vector<Ball>& balls) const {
  balls.clear();
  for (const ContactGroup::Sphere& sphere : spheres) {
    const auto node = static_cast<std::size_t>(sphere.node);
    balls.push_back({q[node].x + q[node].R * sphere.centre, sphere.radius + search.margins[node]});
  }
}

}  // namespace clatter
