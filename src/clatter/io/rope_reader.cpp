#include <fmt/format.h>

#include <clatter/contact/geometry/joint_contact.hpp>
#include <clatter/io/rope_reader.hpp>

namespace clatter {
namespace {

void read_through(const TomlTable& table, const NamedBodies& bodies, ContactSpec& contact) {
  JointContactSpec& rope = *contact.of_joints;
  const std::vector<TomlTable> points = table.tables("through");
  std::vector<BodyChoice> choices;
  for (const TomlTable& point : points) choices.push_back(bodies.find(point, "body"));
  const Dimension dimension = dimension_of_all(choices);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const TomlTable& point = points[k];
    rope.through.push_back({choices[k].name(), read_point(point, "point", choices[k], dimension)});
    contact.keys.add_nested(fmt::format("through.{}", k + 1), point.key_places());
    const std::optional<double> friction = point.number("friction"), angle = point.angle("angle");
    if ((point.has("angle") || point.has("angle_deg")) && !point.has("friction")) {
      point.refuse_table("'angle' goes together with 'friction'");
    }
    if (!friction || *friction == 0.0) continue;
    if (k == 0 || k + 1 == points.size()) {
      point.refuse_key("friction", "'friction' is for points between the ends of a rope");
    } else if (rope.drum) {
      point.refuse_key("friction",
                       "a rope has friction at one of its points; divide it, with a "
                       "light body between two drums");
    } else {
      rope.drum = k;
      rope.drum_friction = *friction;
      rope.drum_angle = angle;
    }
  }
}

}  // namespace

std::vector<ContactSpec> read_ropes(const std::vector<TomlTable>& tables,
                                    const NamedBodies& bodies) {
  std::vector<ContactSpec> ropes;
  NameReader names("rope");
  for (const TomlTable& table : tables) {
    ContactSpec& contact = ropes.emplace_back();
    contact.place = table.place();
    contact.keys = table.key_places();
    contact.name = names.read(table);
    contact.geometry = JointContact::geometry;
    contact.of_joints.emplace();
    contact.of_joints->kind = JointContactSpec::Kind::rope;
    contact.of_joints->coupler.name = contact.name;
    contact.of_joints->rope_length = table.number("length");
    contact.restitution = table.number("restitution").value_or(0.0);
    read_through(table, bodies, contact);
  }
  return ropes;
}

}  // namespace clatter
