#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/contact/geometry/plane_face.hpp>
#include <clatter/elements/force_elements.hpp>
#include <clatter/io/tessellation.hpp>
#include <clatter/model/beam_mesh.hpp>
#include <clatter/view/scene.hpp>

namespace clatter {
namespace {

using Json = nlohmann::json;

/// As many digits as single precision has.
double shortened(double value) { return std::stod(fmt::format("{:.7g}", value)); }

void put(Json& list, const Vec3& v) {
  for (const double each : v) list.push_back(shortened(each));
}

/// What of a polygon is on the side of a plane to which `inwards` points.
std::vector<Vec3> cut(const std::vector<Vec3>& polygon, const Vec3& point, const Vec3& inwards) {
  std::vector<Vec3> left;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double depth_a = inwards.dot(a - point), depth_b = inwards.dot(b - point);
    if (depth_a >= 0.0) left.push_back(a);
    if ((depth_a < 0.0) != (depth_b < 0.0))
      left.push_back(a + depth_a / (depth_a - depth_b) * (b - a));
  }
  return left;
}

/// A circle about z, to be seen in a plane.
Mesh circle(const Vec3& centre, double radius) {
  constexpr int around = 96;
  Mesh mesh;
  std::vector<int> line;
  for (int i = 0; i < around; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / around;
    mesh.points.emplace_back(centre + radius * Vec3(std::cos(angle), std::sin(angle), 0.0));
    line.push_back(i);
  }
  line.push_back(0);
  mesh.lines.push_back(std::move(line));
  return mesh;
}

/// A sphere, seen from inside.
Mesh hollow_sphere(const Vec3& centre, double radius) {
  constexpr int around = 32, high = 16;
  Mesh mesh;
  for (int k = 0; k <= high; ++k) {
    const double down = std::numbers::pi * k / high;
    for (int i = 0; i < around; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / around;
      mesh.points.emplace_back(centre + radius * Vec3(std::sin(down) * std::cos(angle),
                                                      std::sin(down) * std::sin(angle),
                                                      std::cos(down)));
    }
  }
  for (int k = 0; k < high; ++k) {
    for (int i = 0; i < around; ++i) {
      const int here = k * around, below = here + around, next = (i + 1) % around;
      mesh.polygons.push_back({here + i, here + next, below + next, below + i});
    }
  }
  return mesh;
}

class SceneBuilder {
 public:
  SceneBuilder(const Model& model, const Eigen::AlignedBox3d& motion)
      : model_(model), planar_(is_planar(model)), seen_(motion) {
    name_movers();
    find_walls(motion);
    find_spheres();
    find_holds();
    const double at_start = extent();
    size_ = at_start;
    if (!seen_.isEmpty()) {
      // With a margin for bodies about where their movers are.
      const double margin = reach() + 0.12 * std::max(seen_.diagonal().norm(), 2.0 * reach());
      seen_.min().array() -= margin;
      seen_.max().array() += margin;
      size_ = std::max(at_start, seen_.diagonal().norm());
    }
    scene_["planar"] = planar_;
    scene_["meshes"] = Json::array();
    scene_["bodies"] = Json::array();
    scene_["beams"] = Json::array();
    scene_["ground"] = Json::array();
    scene_["faces"] = Json::array();
    scene_["links"] = Json::array();
    scene_["contacts"] = Json::array();
    scene_["gravity"] = Json::array();
    put(scene_["gravity"], model.gravity);
  }

  Json build() {
    for (const BodySpec& body : model_.bodies) add_body(body);
    for (const BeamSpec& beam : model_.beams) add_beam(beam);
    for (const PlacedShape& shape : model_.ground) {
      scene_["ground"].push_back(part_of(shape, planar_));
    }
    for (const ContactSpec& contact : model_.contacts) {
      add_face(contact);
      scene_["contacts"].push_back({{"name", contact.name},
                                    {"a", movers_.at(contact.face.body)},
                                    {"b", movers_.at(contact.point.body)}});
    }
    for (const ContactGroupSpec& group : model_.contact_groups) add_face(group.contact);
    for (const JointSpec& joint : model_.joints) {
      // What rolls or skates is where it is, not where the plane has its origin.
      const bool moves_on = joint.kind == JointKind::rolling || joint.kind == JointKind::skate ||
                            joint.kind == JointKind::hold || joint.kind == JointKind::hold_turn;
      if (moves_on) {
        add_link("joint", joint.name, {joint.b});
      } else {
        add_link("joint", joint.name, {joint.a, joint.b});
      }
    }
    ForceKinds::for_each([this]<class Kind>() {
      for (const auto& spec : model_.*Kind::list) {
        add_link(std::string(Kind::word), spec.name, Kind::attachments(spec));
      }
    });
    for (const ContactSpec& contact : model_.contacts) {  // ropes are seen as cables are
      if (!contact.of_joints || contact.of_joints->through.empty()) continue;
      add_link("cable", contact.name, contact.of_joints->through);
    }
    return std::move(scene_);
  }

 private:
  void name_movers() {
    int count = 0;
    movers_[""] = -1;
    for (const BodySpec& body : model_.bodies) movers_[body.name] = count++;
    for (const BeamSpec& beam : model_.beams) {
      const auto nodes = static_cast<int>(mesh_of(beam).nodes.size());
      for (int n = 0; n < nodes; ++n) movers_[beam_node_name(beam, n)] = count++;
    }
  }

  /// A body without a shape is seen as the sphere with which it touches.
  void find_spheres() {
    for (const ContactSpec& contact : model_.contacts)
      if (contact.radius > 0.0) {
        spheres_.try_emplace(contact.point.body,
                             ContactGroupSpec::Sphere{contact.point, contact.radius});
      }
    for (const ContactSpec& contact : model_.contacts)
      if (contact.geometry.a.is_sphere && !contact.geometry.inside && contact.face_radius > 0.0) {
        spheres_.try_emplace(contact.face.body,
                             ContactGroupSpec::Sphere{contact.face, contact.face_radius});
      }
    for (const ContactGroupSpec& group : model_.contact_groups)
      for (const auto& sphere : group.spheres)
        if (sphere.radius > 0.0) spheres_.try_emplace(sphere.centre.body, sphere);
  }

  /// A body without any shape is seen as sticks to the points by which it is held or touches.
  void find_holds() {
    const auto hold = [this](const Attachment& at) {
      if (!at.body.empty() && at.point.norm() > 0.0) holds_[at.body].push_back(at.point);
    };
    for (const JointSpec& joint : model_.joints) {
      hold(joint.a);
      hold(joint.b);
    }
    ForceKinds::for_each([&]<class Kind>() {
      for (const auto& spec : model_.*Kind::list)
        for (const Attachment& at : Kind::attachments(spec)) hold(at);
    });
    for (const ContactSpec& contact : model_.contacts) {
      if (!contact.of_joints) {
        hold(contact.point);
      } else {
        for (const Attachment& at : contact.of_joints->through) hold(at);
      }
    }
  }

  /// How far from its mover a body is seen.
  double reach_of(const BodySpec& body) const {
    double reach = 0.0;
    for (const PlacedShape& shape : body.shapes)
      for (const Vec3& point : tessellate(shape, planar_, 0.0).points)
        reach = std::max(reach, point.norm());
    if (const auto sphere = spheres_.find(body.name); sphere != spheres_.end())
      reach = std::max(reach, sphere->second.centre.point.norm() + sphere->second.radius);
    return reach;
  }
  /// Or, if it is not, how far its points are.
  double reach_of(const std::string& name) const {
    const BodySpec* body = find_body(name);
    double reach = body == nullptr ? 0.0 : reach_of(*body);
    if (const auto holds = holds_.find(name); reach == 0.0 && holds != holds_.end())
      for (const Vec3& point : holds->second) reach = std::max(reach, point.norm());
    return reach;
  }
  /// Of any body.
  double reach() const {
    double reach = 0.0;
    const std::size_t step = std::max<std::size_t>(model_.bodies.size() / 1000, 1);
    for (std::size_t b = 0; b < model_.bodies.size(); b += step)
      reach = std::max(reach, reach_of(model_.bodies[b]));
    return reach;
  }

  /// To draw what has no edge.
  double extent() const {
    Eigen::AlignedBox3d box;
    for (const BodySpec& body : model_.bodies) box.extend(body.position);
    for (const BeamSpec& beam : model_.beams)
      for (const Vec3& point : beam.points) box.extend(point);
    for (const ContactSpec& contact : model_.contacts)
      if (contact.face.body.empty()) box.extend(contact.face.point);
    const std::size_t step = std::max<std::size_t>(model_.bodies.size() / 1000, 1);
    for (std::size_t b = 0; b < model_.bodies.size(); b += step) {
      const BodySpec& body = model_.bodies[b];
      for (const PlacedShape& shape : body.shapes)
        for (const Vec3& point : tessellate(shape, planar_, 0.0).points)
          box.extend(Vec3(body.position + point));
    }
    const double size = box.isEmpty() ? 0.0 : box.diagonal().norm();
    return size > 0.0 ? 1.2 * size : 1.0;
  }

  int number_of(Json mesh) {
    const auto [found, is_new] =
        meshes_.try_emplace(mesh.dump(), static_cast<int>(scene_["meshes"].size()));
    if (is_new) scene_["meshes"].push_back(std::move(mesh));
    return found->second;
  }

  static Json json_of(const Mesh& mesh) {
    Json points = Json::array();
    for (const Vec3& point : mesh.points) put(points, point);
    Json json{{"points", std::move(points)}, {"polygons", mesh.polygons}};
    if (!mesh.lines.empty()) json["lines"] = mesh.lines;
    return json;
  }

  Json part_of(const PlacedShape& placed, bool in_plane) {
    Json part = Json::array();
    const auto* sphere = std::get_if<SphereShape>(&placed.shape);
    if (sphere != nullptr && !placed.hollow) {
      part = {number_of({{"sphere", true}}), shortened(sphere->radius + placed.rounding)};
      put(part, placed.position);
      return part;
    }
    std::vector<Vec3> plane;
    if (!in_plane && is_half_space(placed) && !seen_.isEmpty()) {
      plane = seen_plane(placed.position, normal_of(placed));
    }
    const Mesh mesh = plane.empty()
                          ? tessellate(placed, in_plane, size_)
                          : tessellate_face(placed.position, normal_of(placed), plane, size_);
    part = {number_of(json_of(mesh)), 1, 0, 0, 0};
    return part;
  }

  void add_body(const BodySpec& body) {
    Json parts = Json::array();
    for (const PlacedShape& shape : body.shapes) {
      parts.push_back(part_of(shape, body.kind == BodyKind::planar));
    }
    if (const auto sphere = spheres_.find(body.name);
        body.shapes.empty() && sphere != spheres_.end()) {
      parts.push_back({number_of({{"sphere", true}}), shortened(sphere->second.radius)});
      put(parts.back(), sphere->second.centre.point);
    }
    scene_["bodies"].push_back(
        {{"name", body.name}, {"mover", movers_.at(body.name)}, {"parts", std::move(parts)}});
    Json& made = scene_["bodies"].back();
    if (const auto holds = holds_.find(body.name);
        made["parts"].empty() && holds != holds_.end() && holds->second.size() <= 64) {
      Json sticks = Json::array();
      for (const Vec3& point : holds->second) put(sticks, point);
      made["sticks"] = std::move(sticks);
    }
    made["mass"] = shortened(body.mass);
    if (!body.centre_of_mass.isZero(0.0)) put(made["centre"], body.centre_of_mass);
  }

  void add_beam(const BeamSpec& beam) {
    const BeamMesh mesh = mesh_of(beam);
    Json outline = Json::array(), frames = Json::array();
    for (const Vec3& point : tessellate(beam.section).points) {
      outline.push_back(shortened(point.y()));
      outline.push_back(shortened(point.z()));
    }
    const auto put_frame = [&](const Mat3& frame) {
      const Quaternion q(frame);
      for (const double each : {q.w(), q.x(), q.y(), q.z()}) frames.push_back(shortened(each));
    };
    for (const BeamMesh::Element& element : mesh.elements) {
      put_frame(element.frame_a);
      put_frame(element.frame_b);
    }
    scene_["beams"].push_back({{"name", beam.name},
                               {"first", movers_.at(beam_node_name(beam, 0))},
                               {"nodes", mesh.nodes.size()},
                               {"outline", std::move(outline)},
                               {"frames", std::move(frames)}});
  }

  void add_face(const ContactSpec& contact) {
    if (contact.of_joints) return;
    const SurfaceKind& kind = contact.geometry.a;
    if (kind.is_sphere && !contact.geometry.inside) {
      if (contact.face.body.empty()) add_ground_sphere(contact);
      return;
    }
    const Mesh mesh = kind.is_sphere ? hollow(contact) : seen_part(contact);
    if (mesh.points.empty()) return;
    const int number = number_of(json_of(mesh));
    const int mover = movers_.at(contact.face.body);
    if (!faces_.emplace(mover, number).second) return;
    scene_["faces"].push_back({mover, number});
  }

  /// Unless the ground has a shape, which then is this one.
  void add_ground_sphere(const ContactSpec& contact) {
    if (!model_.ground.empty()) return;
    PlacedShape sphere;
    sphere.shape = SphereShape{contact.face_radius};
    sphere.position = contact.face.point;
    Json part = part_of(sphere, planar_);
    for (const Json& other : scene_["ground"])
      if (other == part) return;
    scene_["ground"].push_back(std::move(part));
  }

  const BodySpec* find_body(const std::string& name) const {
    const auto found = std::find_if(model_.bodies.begin(), model_.bodies.end(),
                                    [&](const BodySpec& body) { return body.name == name; });
    return found == model_.bodies.end() ? nullptr : &*found;
  }

  Mesh hollow(const ContactSpec& contact) const {
    return planar_ ? circle(contact.face.point, contact.face_radius)
                   : hollow_sphere(contact.face.point, contact.face_radius);
  }

  /// Of what stands still and has no edge the part that bodies come near.
  Mesh seen_part(const ContactSpec& contact) const {
    const SurfaceKind& kind = contact.geometry.a;
    const bool has_edge = !contact.outline.empty() || !kind.has_direction() || kind.has_tube;
    if (has_edge || seen_.isEmpty()) return picture_of(contact, size_);
    const Vec3 along = contact.direction.normalized(), at = contact.face.point;
    const Vec3 middle = seen_.center(), half = 0.5 * seen_.diagonal();
    if (!kind.has_outline) {  // a round one, which may move
      Eigen::Isometry3d on = Eigen::Isometry3d::Identity();
      if (const BodySpec* body = find_body(contact.face.body)) {
        on.rotate(body->orientation).pretranslate(body->position);
      }
      const Vec3 axis = on.linear() * along;
      ContactSpec moved = contact;
      moved.face.point += axis.dot(middle - on * at) * along;
      return picture_of(moved, 2.0 * axis.cwiseAbs().dot(half));
    }
    if (!contact.face.body.empty()) {
      ContactSpec nearer = contact;
      nearer.face.point = along.dot(at) * along;
      const double reach = reach_of(contact.face.body);
      return reach > 0.0 ? picture_of(nearer, 2.2 * reach) : picture_of(contact, size_);
    }
    const std::vector<Vec3> polygon = seen_plane(at, along);
    return polygon.empty() ? picture_of(contact, size_)
                           : tessellate_face(at, along, polygon, size_);
  }

  /// A plane where nothing is seen to be cut off; none when it is far away.
  std::vector<Vec3> seen_plane(const Vec3& at, const Vec3& along) const {
    const Vec3 middle = seen_.center(), foot = middle - along.dot(middle - at) * along;
    const double away = (foot - middle).norm();
    if (away > 4.0 * size_) return {};
    Eigen::AlignedBox3d box = seen_;
    box.extend(foot);
    const Vec3 a = along.unitOrthogonal(), b = along.cross(a);
    const double far = 2.0 * (size_ + away);
    std::vector<Vec3> polygon{foot - far * (a + b), foot + far * (a - b), foot + far * (a + b),
                              foot - far * (a - b)};
    for (int i = 0; i < 3; ++i) {
      polygon = cut(polygon, box.min(), Vec3::Unit(i));
      polygon = cut(polygon, box.max(), -Vec3::Unit(i));
    }
    for (const Wall& wall : walls_) {
      if (std::abs(wall.inwards.dot(along)) < 0.99) polygon = cut(polygon, wall.at, wall.inwards);
    }
    if (polygon.size() < 3) polygon.clear();
    return polygon;
  }

  /// Planes of the ground that nothing goes beyond: there a floor ends.
  void find_walls(const Eigen::AlignedBox3d& motion) {
    if (motion.isEmpty()) return;
    const auto add = [&](const Vec3& at, const Vec3& inwards) {
      const Vec3 nearest =
          motion.center() - 0.5 * inwards.cwiseSign().cwiseProduct(motion.diagonal());
      if (inwards.dot(nearest - at) >= 0.0) walls_.push_back({at, inwards});
    };
    const auto add_of = [&](const ContactSpec& contact) {
      const SurfaceKind& kind = contact.geometry.a;
      const bool is_plane = kind.has_direction() && kind.has_outline && !kind.has_tube;
      if (is_plane && contact.outline.empty() && contact.face.body.empty() && !contact.of_joints)
        add(contact.face.point, contact.direction.normalized());
    };
    for (const ContactSpec& contact : model_.contacts) add_of(contact);
    for (const ContactGroupSpec& group : model_.contact_groups) add_of(group.contact);
    for (const PlacedShape& shape : model_.ground)
      if (is_half_space(shape)) add(shape.position, normal_of(shape));
  }

  static bool is_half_space(const PlacedShape& shape) {
    return std::holds_alternative<HalfSpaceShape>(shape.shape);
  }
  Vec3 normal_of(const PlacedShape& half_space) const {
    return half_space.orientation * (planar_ ? Vec3::UnitY() : Vec3::UnitZ());
  }

  void add_link(const std::string& kind, const std::string& name,
                const std::vector<Attachment>& through) {
    Json points = Json::array();
    for (const Attachment& at : through) {
      const auto mover = movers_.find(at.body);
      if (mover == movers_.end()) return;
      Json point = {mover->second};
      put(point, at.point);
      points.push_back(std::move(point));
    }
    scene_["links"].push_back({{"kind", kind}, {"name", name}, {"points", std::move(points)}});
  }

  const Model& model_;
  bool planar_;
  double size_ = 1.0;
  struct Wall {
    Vec3 at, inwards;
  };
  Eigen::AlignedBox3d seen_;
  std::vector<Wall> walls_;
  std::map<std::string, std::vector<Vec3>> holds_;  ///< by body
  std::map<std::string, int> movers_;
  std::map<std::string, ContactGroupSpec::Sphere> spheres_;  ///< by body
  std::map<std::string, int> meshes_;
  std::set<std::pair<int, int>> faces_;
  Json scene_;
};

}  // namespace

nlohmann::json scene_of(const Model& model, const Eigen::AlignedBox3d& motion) {
  return SceneBuilder(model, motion).build();
}

double place_quantum(const Eigen::AlignedBox3d& motion, double least, int exponent) {
  if (motion.isEmpty()) return std::exp2(exponent);
  const double size = std::max({motion.diagonal().norm(), least, 1e-9});
  const double far =
      std::max(motion.min().cwiseAbs().maxCoeff(), motion.max().cwiseAbs().maxCoeff());
  return std::max(std::exp2(exponent) * size, std::exp2(-36) * far);
}

std::size_t count_movers(const Model& model) {
  std::size_t count = model.bodies.size();
  for (const BeamSpec& beam : model.beams) count += mesh_of(beam).nodes.size();
  return count;
}

}  // namespace clatter
