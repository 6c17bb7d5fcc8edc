#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <clatter/contact/geometry/contact_pair.hpp>
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

class SceneBuilder {
 public:
  SceneBuilder(const Model& model, double least) : model_(model), planar_(is_planar(model)) {
    name_movers();
    find_spheres();
    size_ = std::max(extent(), least);
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
    for (const JointSpec& joint : model_.joints) add_link("joint", joint.name, {joint.a, joint.b});
    ForceKinds::for_each([this]<class Kind>() {
      for (const auto& spec : model_.*Kind::list) {
        add_link(std::string(Kind::word), spec.name, Kind::attachments(spec));
      }
    });
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
    for (const ContactGroupSpec& group : model_.contact_groups)
      for (const auto& sphere : group.spheres)
        if (sphere.radius > 0.0) spheres_.try_emplace(sphere.centre.body, sphere);
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
    part = {number_of(json_of(tessellate(placed, in_plane, size_))), 1, 0, 0, 0};
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
    const Mesh mesh = picture_of(contact, size_);
    if (mesh.points.empty()) return;
    const int number = number_of(json_of(mesh));
    const int mover = movers_.at(contact.face.body);
    if (!faces_.emplace(std::pair{mover, number}, true).second) return;
    scene_["faces"].push_back({mover, number});
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
  std::map<std::string, int> movers_;
  std::map<std::string, ContactGroupSpec::Sphere> spheres_;  ///< by body
  std::map<std::string, int> meshes_;
  std::map<std::pair<int, int>, bool> faces_;
  Json scene_;
};

}  // namespace

nlohmann::json scene_of(const Model& model, double extent) {
  return SceneBuilder(model, 2.0 * extent).build();
}

std::size_t count_movers(const Model& model) {
  std::size_t count = model.bodies.size();
  for (const BeamSpec& beam : model.beams) count += mesh_of(beam).nodes.size();
  return count;
}

}  // namespace clatter
