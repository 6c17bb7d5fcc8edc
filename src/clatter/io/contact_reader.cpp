#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/io/contact_reader.hpp>
#include <clatter/io/material_reader.hpp>

namespace clatter {
namespace {

// Beams and lists of spheres make many contacts of one line of the file; more than these would fill
// the memory before anything could be said about them.
constexpr std::size_t most_contacts = 200'000;
// More pairs of spheres than these are not contacts of their own, with results of their own, but a
// group whose pairs are found as they come near.
constexpr std::size_t most_listed_pairs = 60;

// The surface that is touched, of one body.
void read_surface(const TomlTable& table, const BodyChoice& body, Dimension pair,
                  ContactSpec& contact) {
  const SurfaceKind& surface = contact.geometry.a;
  const Dimension dimension = notation(dimension_on(body, pair));
  contact.face = {body.name(), read_point(table, "point", body, pair)};
  if (surface.has_radius) {
    contact.face_radius = table.number("radius").value_or(contact.face_radius);
  }
  if (surface.has_tube) {
    contact.tube_radius = table.number("tube_radius").value_or(contact.tube_radius);
  }
  if (surface.has_direction()) {
    contact.direction = table.direction(surface.direction, dimension).value_or(contact.direction);
  }
  if (surface.key == face_surface.key) {
    contact.along = table.direction("along", dimension).value_or(contact.along);
  }
  if (surface.has_outline) {
    contact.outline = table.points("outline", dimension).value_or(contact.outline);
  }
}

// Where the keys of the surfaces stand: those of the specs are named for points and faces.
void add_keys_of_point(const TomlTable& point, KeyPlaces& keys) {
  keys.add_nested("point", point.key_places());
  keys.set_written("point.point", "point.at");
}

void add_keys_of_surface(const TomlTable& table, ContactSpec& contact) {
  const SurfaceKind& surface = contact.geometry.a;
  const std::string as(surface.key);
  KeyPlaces& keys = contact.keys;
  keys.add_nested(as, table.key_places());
  keys.set_written("face", as);
  keys.set_written("face.body", as + ".body");
  keys.set_written("face.point", as + ".point");
  keys.set_written("face_radius", as + ".radius");
  keys.set_written("tube_radius", as + ".tube_radius");
  keys.set_written(surface.direction, fmt::format("{}.{}", as, surface.direction));
  keys.set_written("outline", as + ".outline");
  keys.set_written("along", as + ".along");
}

void add_keys_of_spheres(const TomlTable& spheres, const std::string& as, const std::string& part,
                         const char* radius, KeyPlaces& keys) {
  keys.add_nested(as, spheres.key_places());
  keys.set_written(part, as);
  keys.set_written(part + ".body", as + (spheres.has("bodies") ? ".bodies" : ".body"));
  keys.set_written(part + ".point", as + ".at");
  keys.set_written(radius, as + ".radius");
}

// The points on one body, whose contacts are named `name.1`, `name.2` ... when they are several.
void add_points(const TomlTable& point, const BodyChoice& body, const std::vector<Vec3>& at,
                ContactSpec contact, std::vector<ContactSpec>& contacts) {
  const std::string prefix = contact.name;
  contact.point.body = body.name();
  for (std::size_t i = 0; i < at.size(); ++i) {
    contact.point.point = at[i];
    if (!point.is_single_point("at")) contact.name = fmt::format("{}.{}", prefix, i + 1);
    contacts.push_back(contact);
  }
}

// A sphere of each of some bodies.
struct Spheres {
  std::vector<BodyChoice> bodies;
  std::vector<double> radii;
};

// Radius of a body whose first shape is round: in space all around, in the plane about z.
std::optional<double> radius_of(const BodyChoice& body) {
  if (body.spec() == nullptr || body.spec()->shapes.empty()) return std::nullopt;
  const Shape& shape = body.spec()->shapes.front().shape;
  if (const auto* sphere = std::get_if<SphereShape>(&shape)) return sphere->radius;
  if (!body.is(BodyKind::planar)) return std::nullopt;
  if (const auto* disc = std::get_if<DiscShape>(&shape)) return disc->radius;
  if (const auto* cylinder = std::get_if<CylinderShape>(&shape)) return cylinder->radius;
  return std::nullopt;
}

Spheres find_spheres(const TomlTable& table, const NamedBodies& bodies) {
  table.refuse_together("bodies", "body");
  Spheres spheres;
  spheres.bodies =
      table.has("bodies") ? bodies.find_list(table, "bodies") : bodies.find_all(table, "body");
  if (table.has_usable("bodies") && spheres.bodies.empty()) {
    table.refuse("bodies", "'bodies' is empty");
  }
  std::set<std::string, std::less<>> names;
  for (const BodyChoice& body : spheres.bodies) {
    if (!body.is_known() || names.insert(body.name()).second) continue;
    table.refuse("bodies",
                 fmt::format("'bodies' has '{}' twice", body.is_ground() ? "ground" : body.name()));
    spheres.bodies.clear();
    return spheres;
  }
  const std::optional<double> given = table.number("radius");
  for (const BodyChoice& body : spheres.bodies) {
    const std::optional<double> radius = given ? given : radius_of(body);
    if (!radius && body.is_known() && !table.has("radius")) {
      table.refuse_table(fmt::format("'radius' is missing: the shape of {} gives none",
                                     body.is_ground() ? "the ground" : "'" + body.name() + "'"));
      spheres.bodies.clear();
      break;
    }
    // Not a number: of what is wrong with it all has been or will be said.
    spheres.radii.push_back(radius.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return spheres;
}

// Radii that are not known for want of a body are not to be checked.
void doubt_radii(const Spheres& spheres, const char* key, ContactSpec& contact) {
  const bool all = std::all_of(spheres.radii.begin(), spheres.radii.end(),
                               [](double radius) { return std::isfinite(radius); });
  if (!all) contact.keys.doubt(key);
}

std::string suffix_of(const BodyChoice& body) {
  return "." + (body.is_ground() ? std::string("ground") : body.name());
}

// A contact for each point; names are still without that of the table. `others` have been read
// before.
std::vector<ContactSpec> read_point_contacts(const TomlTable& point,
                                             const std::optional<TomlTable>& surface,
                                             const NamedBodies& bodies, std::size_t others,
                                             ContactSpec contact) {
  const std::vector<BodyChoice> point_bodies = bodies.find_all(point, "body");
  const BodyChoice other = surface ? bodies.find(*surface, "body") : BodyChoice::unknown();
  add_keys_of_point(point, contact.keys);
  if (surface) add_keys_of_surface(*surface, contact);
  // All nodes of a beam are alike in this.
  const Dimension pair = dimension_of_pair(point_bodies.front(), other);
  if (surface) read_surface(*surface, other, pair, contact);
  const std::vector<Vec3> at =
      point.points("at", notation(dimension_on(point_bodies.front(), pair)))
          .value_or(std::vector<Vec3>{Vec3::Zero()});
  std::vector<ContactSpec> contacts;
  const bool whole_beam = point_bodies.size() > 1;
  if (whole_beam && others + point_bodies.size() * at.size() > most_contacts) {
    point.refuse("body", fmt::format("'body': a model whose contacts come from whole beams can "
                                     "have {} of them, not more",
                                     most_contacts));
    return contacts;
  }
  for (std::size_t node = 0; node < point_bodies.size(); ++node) {
    if (whole_beam) contact.name = fmt::format(".{}", node);
    add_points(point, point_bodies[node], at, contact, contacts);
  }
  return contacts;
}

void read_spheres_on_surface(const TomlTable& table, const TomlTable& sphere,
                             const TomlTable& surface, const NamedBodies& bodies,
                             ContactSpec contact, ContactReading& reading) {
  const Spheres spheres = find_spheres(sphere, bodies);
  const BodyChoice other = bodies.find(surface, "body");
  add_keys_of_spheres(sphere, "sphere", "point", "radius", contact.keys);
  add_keys_of_surface(surface, contact);
  doubt_radii(spheres, "radius", contact);
  const bool many = spheres.bodies.size() > most_listed_pairs;
  ContactGroupSpec group;
  for (std::size_t i = 0; i < spheres.bodies.size(); ++i) {
    const BodyChoice& body = spheres.bodies[i];
    const Dimension pair = dimension_of_pair(body, other);
    if (i == 0) read_surface(surface, other, pair, contact);
    contact.point = {body.name(), read_point(sphere, "at", body, pair)};
    contact.radius = spheres.radii[i];
    if (many) {
      group.spheres.push_back({contact.point, contact.radius});
    } else {
      contact.name = spheres.bodies.size() > 1 ? suffix_of(body) : "";
      reading.contacts.push_back(contact);
    }
  }
  if (!many) return;
  if (!contact.outline.empty()) {
    table.refuse_table(
        fmt::format("an 'outline' with more than {} spheres is not supported", most_listed_pairs));
    return;
  }
  group.contact = contact;
  reading.groups.push_back(std::move(group));
}

// Many spheres against each other: both lists are the same, or have none in common.
void read_sphere_group(const TomlTable& table, const TomlTable& sphere, const TomlTable& other,
                       const Spheres& ones, const Spheres& twos, ContactSpec contact,
                       ContactReading& reading) {
  if (const ContactGeometry& geometry = contact.geometry; geometry.inside) {
    table.refuse_key(geometry.a.key, fmt::format("more than {} pairs with {}s are not supported",
                                                 most_listed_pairs, geometry.a.noun));
    return;
  }
  ContactGroupSpec group;
  std::set<std::string, std::less<>> first;
  for (const BodyChoice& body : ones.bodies) first.insert(body.name());
  const auto common = static_cast<std::size_t>(
      std::count_if(twos.bodies.begin(), twos.bodies.end(),
                    [&](const BodyChoice& body) { return first.contains(body.name()); }));
  group.among_themselves = common == ones.bodies.size() && common == twos.bodies.size();
  if (common > 0 && !group.among_themselves) {
    table.refuse_table(
        fmt::format("with more than {} pairs, 'sphere' and 'other' must name the "
                    "same bodies, or have none in common",
                    most_listed_pairs));
    return;
  }
  const BodyChoice &a = ones.bodies.front(), &b = twos.bodies.back();
  const auto add = [&](const TomlTable& from, const Spheres& spheres, const BodyChoice& partner,
                       std::vector<ContactGroupSpec::Sphere>& to) {
    for (std::size_t i = 0; i < spheres.bodies.size(); ++i) {
      const BodyChoice& body = spheres.bodies[i];
      const Vec3 centre = read_point(from, "at", body, dimension_of_pair(body, partner));
      to.push_back({{body.name(), centre}, spheres.radii[i]});
    }
  };
  add(sphere, ones, b, group.spheres);
  // Lists of the same bodies may have their radii and centres twice, in any order.
  add(other, twos, a, group.partners);
  if (group.among_themselves) {
    const auto by_name = [](const auto& x, const auto& y) { return x.centre.body < y.centre.body; };
    auto one = group.spheres, two = group.partners;
    std::sort(one.begin(), one.end(), by_name);
    std::sort(two.begin(), two.end(), by_name);
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i].radius == two[i].radius && one[i].centre.point == two[i].centre.point) continue;
      table.refuse_table("'sphere' and 'other' name the same bodies with different spheres");
      return;
    }
    group.partners = group.spheres;
  }
  group.contact = contact;
  reading.groups.push_back(std::move(group));
}

void read_spheres(const TomlTable& table, const TomlTable& sphere, const TomlTable& other,
                  const NamedBodies& bodies, ContactSpec contact, ContactReading& reading) {
  const Spheres ones = find_spheres(sphere, bodies), twos = find_spheres(other, bodies);
  add_keys_of_spheres(sphere, "sphere", "point", "radius", contact.keys);
  add_keys_of_spheres(other, std::string(contact.geometry.a.key), "face", "face_radius",
                      contact.keys);
  doubt_radii(ones, "radius", contact);
  doubt_radii(twos, "face_radius", contact);
  const bool several = ones.bodies.size() > 1 || twos.bodies.size() > 1;
  const auto is_in_ones = [&](const BodyChoice& body) {
    return std::any_of(ones.bodies.begin(), ones.bodies.end(),
                       [&](const BodyChoice& each) { return each.same_as(body); });
  };
  const bool alike = ones.bodies.size() == twos.bodies.size() && !ones.bodies.empty() &&
                     is_in_ones(twos.bodies.front()) && is_in_ones(twos.bodies.back());
  const std::size_t combinations = ones.bodies.size() * twos.bodies.size();
  if ((alike ? (combinations - ones.bodies.size()) / 2 : combinations) > most_listed_pairs) {
    read_sphere_group(table, sphere, other, ones, twos, contact, reading);
    return;
  }
  // Of two in both lists one pair is enough, whatever their order in the second.
  const auto places_in = [](const Spheres& list, const Spheres& of) {
    std::vector<std::size_t> places;
    for (const BodyChoice& body : of.bodies) {
      const auto found = std::find_if(list.bodies.begin(), list.bodies.end(),
                                      [&](const BodyChoice& each) { return each.same_as(body); });
      places.push_back(static_cast<std::size_t>(found - list.bodies.begin()));
    }
    return places;
  };
  const std::vector<std::size_t> in_ones = places_in(ones, twos), in_twos = places_in(twos, ones);
  for (std::size_t i = 0; i < ones.bodies.size(); ++i) {
    for (std::size_t j = 0; j < twos.bodies.size(); ++j) {
      const BodyChoice &body = ones.bodies[i], &second = twos.bodies[j];
      if (several && body.same_as(second)) continue;
      const bool was_paired = in_ones[j] < i && in_twos[i] < twos.bodies.size();
      if (several && was_paired) continue;
      const Dimension pair = dimension_of_pair(body, second);
      contact.name = several ? suffix_of(body) + suffix_of(second) : "";
      contact.point = {body.name(), read_point(sphere, "at", body, pair)};
      contact.radius = ones.radii[i];
      contact.face = {second.name(), read_point(other, "at", second, pair)};
      contact.face_radius = twos.radii[j];
      reading.contacts.push_back(contact);
    }
  }
}

// The keys of either surface, of all pairs.
std::vector<std::string> keys_of(const SurfaceKind ContactGeometry::*surface) {
  std::vector<std::string> keys;
  for (const ContactGeometry& geometry : contact_geometries()) {
    const std::string key((geometry.*surface).key);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

// The one of them that the table has.
std::optional<std::string> find_one(const TomlTable& table, const std::vector<std::string>& keys) {
  const auto has = [&](const std::string& key) { return table.has(key); };
  if (std::count_if(keys.begin(), keys.end(), has) == 1) {
    return *std::find_if(keys.begin(), keys.end(), has);
  }
  const std::vector<std::string> first(keys.begin(), keys.end() - 1);
  table.refuse_table(keys.size() == 2
                         ? fmt::format("a contact has either '{}' or '{}'", keys[0], keys[1])
                         : fmt::format("a contact has one of '{}' and '{}'",
                                       fmt::join(first, "', '"), keys.back()));
  return std::nullopt;
}

// The pair whose surfaces the table names.
const ContactGeometry* find_geometry(const TomlTable& table) {
  const auto b = find_one(table, keys_of(&ContactGeometry::b));
  if (!b) return nullptr;
  const auto a = find_one(table, keys_of(&ContactGeometry::a));
  if (!a) return nullptr;
  const ContactGeometry *of_a = nullptr, *of_b = nullptr;  // the first that has each
  for (const ContactGeometry& geometry : contact_geometries()) {
    if (geometry.a.key == *a && geometry.b.key == *b) return &geometry;
    if (geometry.a.key == *a && of_a == nullptr) of_a = &geometry;
    if (geometry.b.key == *b && of_b == nullptr) of_b = &geometry;
  }
  table.refuse_key(*b, fmt::format("a {} touches a '{}'; for {}s give '{}'", of_b->b.noun,
                                   of_b->a.key, of_a->b.noun, of_a->b.key));
  return nullptr;
}

ContactReading read_contact(const TomlTable& table, const NamedBodies& bodies, std::size_t others) {
  ContactReading reading;
  ContactSpec contact;
  contact.place = table.place();
  contact.keys = table.key_places();
  read_surface_law(table, contact);
  read_force_laws(table, contact);
  const ContactGeometry* geometry = find_geometry(table);
  if (geometry == nullptr) return reading;
  contact.geometry = *geometry;
  const std::optional<TomlTable> one = table.table(geometry->b.key);
  const std::optional<TomlTable> other = table.table(geometry->a.key);
  if (!one) return reading;
  if (!geometry->b.is_sphere) {
    reading.contacts = read_point_contacts(*one, other, bodies, others, contact);
  } else if (other && geometry->a.is_sphere) {
    read_spheres(table, *one, *other, bodies, contact, reading);
  } else if (other) {
    read_spheres_on_surface(table, *one, *other, bodies, contact, reading);
  }
  return reading;
}

}  // namespace

void read_force_laws(const TomlTable& table, ContactSpec& contact) {
  contact.recovery = read_recovery(table, contact.keys);
  contact.compliance = read_compliance(table, contact.keys);
}

ContactReading read_contacts(const std::vector<TomlTable>& tables, const NamedBodies& bodies) {
  ContactReading all;
  NameReader names("contact");
  for (const TomlTable& table : tables) {
    const std::string name = names.read(table);
    ContactReading reading = read_contact(table, bodies, all.contacts.size());
    for (ContactSpec& contact : reading.contacts) {
      contact.name = name + contact.name;
      all.contacts.push_back(std::move(contact));
    }
    for (ContactGroupSpec& group : reading.groups) {
      group.contact.name = name;
      all.groups.push_back(std::move(group));
    }
  }
  return all;
}

}  // namespace clatter
