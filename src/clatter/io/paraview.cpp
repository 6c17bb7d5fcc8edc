#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <clatter/contact/geometry/contact_pair.hpp>
#include <clatter/io/paraview.hpp>
#include <clatter/io/result_tables.hpp>
#include <clatter/model/beam_mesh.hpp>

namespace clatter {

namespace {

/// Channels of a beam's elements, three for each of the arrays.
constexpr std::array section_channels = {"axial_force",  "shear_force_y",    "shear_force_z",
                                         "torque",       "bending_moment_y", "bending_moment_z",
                                         "axial_strain", "shear_strain_y",   "shear_strain_z",
                                         "twist",        "curvature_y",      "curvature_z"};
constexpr std::array section_arrays = {"section_force", "section_moment", "strain", "curvature"};

int offset_of(const std::map<std::string, int>& offsets, const std::string& path) {
  const auto found = offsets.find(path);
  return found == offsets.end() ? -1 : found->second;
}

/// The size of the model at the start [m], to draw faces without an edge.
double extent_of(const Model& model) {
  Eigen::AlignedBox3d box;
  for (const BodySpec& body : model.bodies) {
    box.extend(body.position);
    for (const PlacedShape& shape : body.shapes)
      for (const Vec3& point : tessellate(shape, body.kind == BodyKind::planar, 0.0).points)
        box.extend(Vec3(body.position + point));
  }
  for (const BeamSpec& beam : model.beams)
    for (const BeamMesh::Node& node : mesh_of(beam).nodes) box.extend(node.position);
  for (const ContactSpec& contact : model.contacts)
    if (contact.face.body.empty() && !contact.of_joints) box.extend(contact.face.point);
  for (const PlacedShape& shape : model.ground)
    for (const Vec3& point : tessellate(shape, is_planar(model), 0.0).points) box.extend(point);
  return box.isEmpty() || box.diagonal().norm() == 0.0 ? 1.0 : box.diagonal().norm();
}

}  // namespace

ParaviewSeries::ParaviewSeries(const std::filesystem::path& directory, const Model& model,
                               const std::vector<Channel>& channels, long frames)
    : frames_(directory, "frames", frames) {
  Offsets offsets;
  for (const Channel& channel : channels) offsets[channel.path] = channel.offset;

  carriers_[""] = {};
  if (model.bodies.size() >= crowd_of_bodies) {
    crowd_.emplace(directory, model.bodies, frames);
  }
  for (const BodySpec& body : model.bodies) add_body(body, offsets);
  for (const BeamSpec& beam : model.beams) add_beam(beam, offsets);
  add_contacts(model, offsets);
  add_ground(model);

  write_constant_parts();
  points_.resize(3 * mesh_.points.size());
  velocities_.resize(points_.size());
  gaps_.resize(mesh_.points.size());
  normal_forces_.resize(mesh_.points.size());
  if (!model.beams.empty())
    for (std::vector<float>& data : section_data_) data.resize(points_.size());
}

ParaviewSeries::Motion ParaviewSeries::find_motion(const Offsets& offsets, const std::string& path,
                                                   bool planar, int node) {
  const auto entry = [&](const char* name, int width) {
    const int offset = offset_of(offsets, path + "/" + name);
    return offset < 0 ? -1 : offset + node * width;
  };
  Motion motion;
  motion.planar = planar;
  motion.dimensions = planar ? 2 : 3;
  motion.position = entry("position", motion.dimensions);
  motion.orientation = entry("orientation", 4);
  motion.angle = entry("angle", 1);
  motion.velocity = entry("velocity", motion.dimensions);
  motion.angular_velocity = entry("angular_velocity", planar ? 1 : 3);
  return motion;
}

void ParaviewSeries::add_body(const BodySpec& body, const Offsets& offsets) {
  const Carrier carrier{bodies_++, static_cast<int>(motions_.size())};
  carriers_[body.name] = carrier;
  motions_.push_back(find_motion(offsets, "bodies/" + body.name, body.kind == BodyKind::planar, 0));
  if (crowd_) {
    crowd_motions_.push_back(carrier.motion);
    return;
  }
  Mesh mesh;
  for (const PlacedShape& shape : body.shapes) {
    mesh.append(tessellate(shape, body.kind == BodyKind::planar, 0.0));
  }
  if (body.shapes.empty()) {
    mesh.points = {Vec3::Zero()};
    mesh.vertices = {{0}};
  }
  add_part(mesh, carrier, body_surface);
}

void ParaviewSeries::add_beam(const BeamSpec& beam, const Offsets& offsets) {
  const std::string path = "beams/" + beam.name;
  const BeamMesh mesh = mesh_of(beam);
  const int body = bodies_++;
  std::vector<Carrier> nodes;
  for (int n = 0; n < static_cast<int>(mesh.nodes.size()); ++n) {
    nodes.push_back({body, static_cast<int>(motions_.size())});
    carriers_[beam_node_name(beam, n)] = nodes.back();
    motions_.push_back(find_motion(offsets, path, beam.planar, n));
  }

  const int first_section = static_cast<int>(sections_.size());
  Section entries;
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i] = offset_of(offsets, path + "/" + section_channels[i]);
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    sections_.push_back(entries);
    for (int& entry : entries)
      if (entry >= 0) ++entry;  // elements follow each other in the row
  }
  sweep_section(beam.section, mesh, nodes, first_section);
  add_centre_line(mesh, nodes, first_section);
}

void ParaviewSeries::sweep_section(const BeamSection& section, const BeamMesh& mesh,
                                   const std::vector<Carrier>& nodes, int first_section) {
  const Mesh outline = tessellate(section);
  const int around = static_cast<int>(outline.points.size());
  const auto add_ring = [&](const Carrier& node, const Mat3& frame, int element) {
    Mesh ring;
    for (const Vec3& point : outline.points) ring.points.emplace_back(frame * point);
    add_part(ring, node, beam_section);
    parts_.back().first_section = first_section + element;
    parts_.back().last_section = first_section + element + 1;
    return parts_.back().begin;
  };
  const auto add_cap = [&](int ring, bool at_end) {
    for (std::vector<int> polygon : outline.polygons) {
      for (int& point : polygon) point += ring;
      if (!at_end) std::reverse(polygon.begin(), polygon.end());
      mesh_.polygons.push_back(std::move(polygon));
    }
  };
  const int elements = static_cast<int>(mesh.elements.size());
  for (int e = 0; e < elements; ++e) {
    const int a = add_ring(nodes[e], mesh.elements[e].frame_a, e);
    const int b = add_ring(nodes[e + 1], mesh.elements[e].frame_b, e);
    for (int i = 0; i < around; ++i) {
      const int next = (i + 1) % around;
      mesh_.polygons.push_back({a + i, a + next, b + next, b + i});
    }
    if (e == 0) add_cap(a, false);
    if (e == elements - 1) add_cap(b, true);
  }
}

void ParaviewSeries::add_centre_line(const BeamMesh& mesh, const std::vector<Carrier>& nodes,
                                     int first_section) {
  const int elements = static_cast<int>(mesh.elements.size());
  Mesh point;
  point.points = {Vec3::Zero()};
  std::vector<int> line;
  for (int n = 0; n <= elements; ++n) {
    add_part(point, nodes[n], beam_section);
    Part& part = parts_.back();
    line.push_back(part.begin);
    // A node has the section axes of the element that ends there; the next one may have others.
    const bool next = n == 0 || (n < elements && mesh.elements[n].frame_a.isIdentity(0.0));
    part.first_section = first_section + std::max(n - 1, 0);
    part.last_section = first_section + n + (next ? 1 : 0);
  }
  mesh_.lines.push_back(std::move(line));
}

void ParaviewSeries::add_contacts(const Model& model, const Offsets& offsets) {
  const double size = extent_of(model);
  std::set<std::pair<std::string, std::vector<double>>> drawn;  // points often share a face
  const auto draw_surface = [&](const ContactSpec& contact) {
    const Mesh mesh = picture_of(contact, size);
    std::vector<double> seen;
    for (const Vec3& point : mesh.points) seen.insert(seen.end(), point.begin(), point.end());
    if (!seen.empty() && drawn.emplace(contact.face.body, seen).second) {
      add_part(mesh, carriers_.at(contact.face.body), contact_face);
    }
  };
  for (const ContactSpec& contact : model.contacts) {
    if (contact.of_joints) continue;  // of a coupler: it has no place
    draw_surface(contact);
    Mesh point;  // of a sphere its centre, which carries the data of the contact
    point.points = {contact.point.point};
    point.vertices = {{0}};
    add_part(point, carriers_.at(contact.point.body), contact_point);
    parts_.back().gap = offset_of(offsets, "contacts/" + contact.name + "/gap");
    parts_.back().normal_force = offset_of(offsets, "contacts/" + contact.name + "/normal_force");
  }
  for (const ContactGroupSpec& group : model.contact_groups) draw_surface(group.contact);
}

void ParaviewSeries::add_ground(const Model& model) {
  if (model.ground.empty()) return;
  const double size = extent_of(model);
  Mesh mesh;
  for (const PlacedShape& shape : model.ground) {
    mesh.append(tessellate(shape, is_planar(model), size));
  }
  add_part(mesh, carriers_.at(""), contact_face);
}

void ParaviewSeries::add_part(const Mesh& mesh, const Carrier& carrier, Kind kind) {
  const int begin = static_cast<int>(mesh_.points.size());
  mesh_.append(mesh);
  parts_.push_back({begin, static_cast<int>(mesh_.points.size()), carrier, kind});
}

ParaviewSeries::Pose ParaviewSeries::pose_of(const Motion& motion, std::span<const double> row) {
  Pose pose;
  for (int i = 0; i < motion.dimensions; ++i) {
    if (motion.position >= 0) pose.position[i] = row[motion.position + i];
    if (motion.velocity >= 0) pose.velocity[i] = row[motion.velocity + i];
  }
  if (motion.angle >= 0) pose.orientation = Eigen::AngleAxisd(row[motion.angle], Vec3::UnitZ());
  if (const int q = motion.orientation; q >= 0)
    pose.orientation = Quaternion(row[q], row[q + 1], row[q + 2], row[q + 3]);
  if (const int w = motion.angular_velocity; w >= 0)
    pose.spin = motion.planar ? Vec3(0, 0, row[w]) : Vec3(row[w], row[w + 1], row[w + 2]);
  return pose;
}

void ParaviewSeries::place_crowd(std::span<const double> row) {
  for (std::size_t b = 0; b < crowd_motions_.size(); ++b) {
    const Pose pose = pose_of(motions_[crowd_motions_[b]], row);
    crowd_->place(b, pose.position, pose.orientation, pose.velocity);
  }
}

void ParaviewSeries::place(std::span<const double> row) {
  for (const Part& part : parts_) {
    const Pose pose =
        part.carrier.motion < 0 ? Pose() : pose_of(motions_[part.carrier.motion], row);
    const Mat3 rotation = pose.orientation.toRotationMatrix();
    for (int i = part.begin; i < part.end; ++i) {
      const Vec3& local = mesh_.points[i];
      const Vec3 at = pose.position + rotation * local;
      const Vec3 moves = pose.velocity + rotation * pose.spin.cross(local);
      for (int k = 0; k < 3; ++k) {
        points_[3 * i + k] = static_cast<float>(at[k]);
        velocities_[3 * i + k] = static_cast<float>(moves[k]);
      }
      gaps_[i] = part.gap < 0 ? 0.0f : static_cast<float>(row[part.gap]);
      normal_forces_[i] = part.normal_force < 0 ? 0.0f : static_cast<float>(row[part.normal_force]);
    }
    show_sections(part, row);
  }
}

void ParaviewSeries::show_sections(const Part& part, std::span<const double> row) {
  const int count = part.last_section - part.first_section;
  if (count == 0) return;
  std::array<double, 12> sum{};
  for (int e = part.first_section; e < part.last_section; ++e)
    for (std::size_t i = 0; i < sum.size(); ++i)
      if (const int entry = sections_[e][i]; entry >= 0) sum[i] += row[entry];
  for (std::size_t k = 0; k < sum.size(); ++k)
    for (int i = part.begin; i < part.end; ++i)
      section_data_[k / 3][3 * std::size_t(i) + k % 3] = static_cast<float>(sum[k] / count);
}

void ParaviewSeries::write_constant_parts() {
  std::vector<std::int32_t> bodies(mesh_.points.size()), kinds(mesh_.points.size());
  for (const Part& part : parts_) {
    std::fill(bodies.begin() + part.begin, bodies.begin() + part.end, part.carrier.body);
    std::fill(kinds.begin() + part.begin, kinds.begin() + part.end, static_cast<int>(part.kind));
  }
  head_ = vtk_header(
      {mesh_.points.size(), mesh_.vertices.size(), mesh_.lines.size(), mesh_.polygons.size()});
  add_vtk_cells(head_, "Verts", mesh_.vertices);
  add_vtk_cells(head_, "Lines", mesh_.lines);
  add_vtk_cells(head_, "Polys", mesh_.polygons);
  head_ += "<PointData Scalars=\"body\" Vectors=\"velocity\">\n";
  add_vtk_array(head_, "body", bodies);
  add_vtk_array(head_, "kind", kinds);
}

void ParaviewSeries::write_frame() {
  frame_ = head_;
  add_vtk_array(frame_, "velocity", velocities_, 3);
  add_vtk_array(frame_, "gap", gaps_);
  add_vtk_array(frame_, "normal_force", normal_forces_);
  for (std::size_t i = 0; i < section_data_.size(); ++i)
    if (!section_data_[i].empty()) add_vtk_array(frame_, section_arrays[i], section_data_[i], 3);
  frame_ += "</PointData>\n<Points>\n";
  add_vtk_array(frame_, "Points", points_, 3);
  frame_ += "</Points>\n";
  frame_ += vtk_footer;
}

void ParaviewSeries::append(double time, std::span<const double> row) {
  place(row);
  write_frame();
  frames_.add(time, frame_);
  if (!crowd_) return;
  place_crowd(row);
  crowd_->append(time);
}

}  // namespace clatter
