#include "io/contact_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clatter {
namespace {

// How far corners may be off the plane of the face, relative to the size of the outline.
constexpr double flatness = 1e-6;
// A beam makes many contacts of one line of the file; more than these would fill the memory before
// anything could be said about them.
constexpr std::size_t most_beam_contacts = 200'000;

double extent(const std::vector<Vec3>& corners) {
  double largest = 0.0;
  for (const Vec3& corner : corners) {
    largest = std::max(largest, (corner - corners.front()).cwiseAbs().maxCoeff());
  }
  return largest;
}

void read_outline(const TomlTable& face, Dimension dimension, ContactSpec& contact) {
  const std::optional<std::vector<Vec3>> corners = face.points("outline", dimension);
  if (!corners) return;
  const bool planar = dimension == Dimension::two;
  if (planar && corners->size() != 2) {
    face.refuse("outline", fmt::format("'outline': a face in the plane has two corners, found {}",
                                       corners->size()));
    return;
  }
  if (dimension == Dimension::three && corners->size() < 3) {
    face.refuse("outline", fmt::format("'outline': expected at least three corners, found {}",
                                       corners->size()));
    return;
  }
  const double size = extent(*corners);
  Vec3 twice_area = Vec3::Zero();  // relative to the square of the size
  for (std::size_t i = 0; size > 0.0 && i + 1 < corners->size(); ++i) {
    const Vec3 one = ((*corners)[i] - corners->front()) / size;
    const Vec3 other = ((*corners)[i + 1] - corners->front()) / size;
    twice_area += one.cross(other);
  }
  if (size == 0.0 || (dimension == Dimension::three && twice_area.norm() < flatness)) {
    face.refuse("outline", "'outline': the corners lie on one line and enclose nothing");
    return;
  }
  if (!face.has_usable("normal")) return;
  for (std::size_t i = 0; i < corners->size(); ++i) {
    const double off = (((*corners)[i] - contact.face.point) / size).dot(contact.normal) * size;
    if (std::abs(off) <= flatness * size) continue;
    const Place place = face.entry_place("outline", i);
    face.refuse_at(place,
                   fmt::format("'outline': this corner is {} m off the plane of the face", off));
    return;
  }
  contact.outline = *corners;
}

void read_face(const TomlTable& face, const BodyChoice& body, Dimension pair,
               ContactSpec& contact) {
  if (body.is(BodyKind::point)) {
    face.refuse("body", fmt::format("point body '{}' has no face; it can only be the point of a "
                                    "contact",
                                    body.name()));
    return;
  }
  const Dimension dimension = dimension_on(body, pair);
  contact.face = {body.name(), read_point(face, "point", body, pair)};
  if (const std::optional<Vec3> normal = face.direction("normal", dimension)) {
    contact.normal = *normal;
    read_outline(face, dimension, contact);
  }
}

// The points on one body, whose contacts are named `name.1`, `name.2` ... when they are several.
void add_points(const TomlTable& point, const BodyChoice& body, const std::vector<Vec3>& at,
                ContactSpec contact, std::vector<ContactSpec>& contacts) {
  const std::string prefix = contact.name;
  contact.point.body = body.name();
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (body.is(BodyKind::point) && !at[i].isZero(0.0)) {
      point.refuse("at", fmt::format("'at': point body '{}' has no other point than its origin",
                                     body.name()));
      return;
    }
    contact.point.point = at[i];
    if (!point.is_single_point("at")) contact.name = fmt::format("{}.{}", prefix, i + 1);
    contacts.push_back(contact);
  }
}

// One spec per point; their names are still without that of the table. `others` have been read
// before.
std::vector<ContactSpec> read_contact(const TomlTable& table, const BodyLookup& bodies,
                                      std::size_t others) {
  ContactSpec contact;
  contact.place = table.place();
  contact.friction = table.number("friction").value_or(contact.friction);
  contact.restitution = table.number("restitution").value_or(contact.restitution);
  contact.tangential_restitution =
      table.number("tangential_restitution").value_or(contact.tangential_restitution);
  if (contact.tangential_restitution != 0.0 && contact.friction == 0.0) {
    table.refuse("tangential_restitution",
                 "'tangential_restitution' has no meaning without 'friction', which limits it");
  }

  const std::optional<TomlTable> point = table.table("point");
  const std::optional<TomlTable> face = table.table("face");
  std::vector<BodyChoice> point_bodies = {BodyChoice::unknown()};
  if (point) point_bodies = bodies.find_all(*point, "body");
  const BodyChoice face_body = face ? bodies.find(*face, "body") : BodyChoice::unknown();
  for (const BodyChoice& point_body : point_bodies) {
    if (!point_body.same_as(face_body)) continue;
    table.refuse_table(point_body.is_ground()
                           ? "a contact needs a body: point and face are both on the ground"
                           : fmt::format("point and face of the contact are on the same body '{}'",
                                         point_body.name()));
  }
  // All nodes of a beam are alike in this.
  const Dimension pair = dimension_of_pair(point_bodies.front(), face_body);
  if (face) read_face(*face, face_body, pair, contact);

  if (!point) return {contact};
  const std::vector<Vec3> at = point->points("at", dimension_on(point_bodies.front(), pair))
                                   .value_or(std::vector<Vec3>{Vec3::Zero()});
  std::vector<ContactSpec> contacts;
  const bool whole_beam = point_bodies.size() > 1;
  if (whole_beam && others + point_bodies.size() * at.size() > most_beam_contacts) {
    point->refuse("body", fmt::format("'body': a model whose contacts come from whole beams can "
                                      "have {} of them, not more",
                                      most_beam_contacts));
    return contacts;
  }
  for (std::size_t node = 0; node < point_bodies.size(); ++node) {
    if (whole_beam) contact.name = fmt::format(".{}", node);
    add_points(*point, point_bodies[node], at, contact, contacts);
  }
  return contacts;
}

}  // namespace

std::vector<ContactSpec> read_contacts(const std::vector<TomlTable>& tables,
                                       const BodyLookup& bodies) {
  std::vector<ContactSpec> contacts;
  NameReader names("contact");
  for (const TomlTable& table : tables) {
    const std::string name = names.read(table);
    bool is_new = true;
    for (ContactSpec& contact : read_contact(table, bodies, contacts.size())) {
      contact.name = name + contact.name;
      is_new = is_new && names.claim(table, contact.name);
      contacts.push_back(std::move(contact));
    }
  }
  return contacts;
}

}  // namespace clatter
