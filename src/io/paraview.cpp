#include "io/paraview.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "io/base64.hpp"
#include "io/output_stream.hpp"
#include "model/error.hpp"

namespace clatter {

namespace {

constexpr const char* list_name = "frames.pvd";
constexpr const char* frame_folder = "frames";
constexpr std::string_view list_header =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n";
constexpr std::string_view list_footer = "</Collection>\n</VTKFile>\n";

constexpr std::string_view byte_order =
    std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";

/// A VTK DataArray of the numbers in binary: their size in bytes, then they, as base64.
template <typename T>
std::string data_array(const std::string& name, const std::vector<T>& values, int components = 1) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::int32_t>);
  const std::uint64_t size = values.size() * sizeof(T);
  std::string bytes(sizeof(size) + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof(size));
  if (size > 0) std::memcpy(bytes.data() + sizeof(size), values.data(), size);
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">\n{}\n"
      "</DataArray>\n",
      std::is_same_v<T, float> ? "Float32" : "Int32", name, components,
      base64(bytes.data(), bytes.size()));
}

std::string cells(const char* element, const std::vector<std::vector<int>>& list) {
  std::vector<std::int32_t> connectivity, offsets;
  for (const auto& cell : list) {
    connectivity.insert(connectivity.end(), cell.begin(), cell.end());
    offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
  }
  return fmt::format("<{0}>\n{1}{2}</{0}>\n", element, data_array("connectivity", connectivity),
                     data_array("offsets", offsets));
}

/// The size of the model at the start [m], to draw faces without an edge.
double extent_of(const Model& model) {
  Eigen::AlignedBox3d box;
  for (const BodySpec& body : model.bodies) {
    box.extend(body.position);
    if (!body.shape) continue;
    for (const Vec3& point : tessellate(*body.shape).points)
      box.extend(Vec3(body.position + point));
  }
  for (const ContactSpec& contact : model.contacts)
    if (contact.face.body.empty()) box.extend(contact.face.point);
  return box.isEmpty() || box.diagonal().norm() == 0.0 ? 1.0 : box.diagonal().norm();
}

}  // namespace

ParaviewSeries::ParaviewSeries(std::filesystem::path directory, const Model& model,
                               const std::vector<Channel>& channels)
    : directory_(std::move(directory)), list_end_(static_cast<long>(list_header.size())) {
  std::map<std::string, const Channel*> by_path;
  for (const Channel& channel : channels) by_path[channel.path] = &channel;
  const auto offset = [&](const std::string& path) {
    const auto found = by_path.find(path);
    return found == by_path.end() ? -1 : found->second->offset;
  };

  std::map<std::string, int> body_index = {{"", -1}};
  for (const BodySpec& body : model.bodies) {
    const std::string path = "bodies/" + body.name;
    body_index[body.name] = static_cast<int>(motions_.size());
    Motion motion;
    motion.planar = body.kind == BodyKind::planar;
    motion.dimensions = motion.planar ? 2 : 3;
    motion.position = offset(path + "/position");
    motion.orientation = offset(path + "/orientation");
    motion.angle = offset(path + "/angle");
    motion.velocity = offset(path + "/velocity");
    motion.angular_velocity = offset(path + "/angular_velocity");
    motions_.push_back(motion);
    Mesh point;
    point.points = {Vec3::Zero()};
    point.vertices = {{0}};
    add_part(body.shape ? tessellate(*body.shape) : point, body_index[body.name], body_surface);
  }

  const double size = extent_of(model);
  std::set<std::pair<std::string, std::vector<double>>> drawn;  // points often share a face
  for (const ContactSpec& contact : model.contacts) {
    std::vector<double> face;
    for (const Vec3& v : {contact.face.point, contact.normal})
      face.insert(face.end(), v.begin(), v.end());
    for (const Vec3& v : contact.outline) face.insert(face.end(), v.begin(), v.end());
    if (drawn.emplace(contact.face.body, face).second) {
      add_part(tessellate_face(contact.face.point, contact.normal, contact.outline, size),
               body_index.at(contact.face.body), contact_face);
    }
    Mesh point;
    point.points = {contact.point.point};
    point.vertices = {{0}};
    add_part(point, body_index.at(contact.point.body), contact_point);
    parts_.back().gap = offset("contacts/" + contact.name + "/gap");
    parts_.back().normal_force = offset("contacts/" + contact.name + "/normal_force");
  }

  topology_ =
      cells("Verts", mesh_.vertices) + cells("Lines", mesh_.lines) + cells("Polys", mesh_.polygons);
  points_.resize(3 * mesh_.points.size());
  velocities_.resize(points_.size());
  gaps_.resize(mesh_.points.size());
  normal_forces_.resize(mesh_.points.size());

  make_directory(directory_ / frame_folder);
  replace_file(directory_ / list_name, std::string(list_header) + std::string(list_footer));
}

void ParaviewSeries::add_part(const Mesh& mesh, int body, Kind kind) {
  const int begin = static_cast<int>(mesh_.points.size());
  mesh_.append(mesh);
  parts_.push_back({begin, static_cast<int>(mesh_.points.size()), body, kind});
}

void ParaviewSeries::place(std::span<const double> row) {
  for (const Part& part : parts_) {
    Vec3 position = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();
    Mat3 rotation = Mat3::Identity();
    if (part.body >= 0) {
      const Motion& motion = motions_[part.body];
      for (int i = 0; i < motion.dimensions; ++i) {
        if (motion.position >= 0) position[i] = row[motion.position + i];
        if (motion.velocity >= 0) velocity[i] = row[motion.velocity + i];
      }
      if (motion.angle >= 0)
        rotation = Eigen::AngleAxisd(row[motion.angle], Vec3::UnitZ()).toRotationMatrix();
      if (const int q = motion.orientation; q >= 0)
        rotation = Quaternion(row[q], row[q + 1], row[q + 2], row[q + 3]).toRotationMatrix();
      if (const int w = motion.angular_velocity; w >= 0)
        spin = motion.planar ? Vec3(0, 0, row[w]) : Vec3(row[w], row[w + 1], row[w + 2]);
    }
    for (int i = part.begin; i < part.end; ++i) {
      const Vec3& local = mesh_.points[i];
      const Vec3 at = position + rotation * local;
      const Vec3 moves = velocity + rotation * spin.cross(local);  // spin in body axes
      for (int k = 0; k < 3; ++k) {
        points_[3 * i + k] = static_cast<float>(at[k]);
        velocities_[3 * i + k] = static_cast<float>(moves[k]);
      }
      gaps_[i] = part.gap < 0 ? 0.0f : static_cast<float>(row[part.gap]);
      normal_forces_[i] = part.normal_force < 0 ? 0.0f : static_cast<float>(row[part.normal_force]);
    }
  }
}

std::string ParaviewSeries::frame_text() const {
  std::vector<std::int32_t> bodies(mesh_.points.size()), kinds(mesh_.points.size());
  for (const Part& part : parts_) {
    std::fill(bodies.begin() + part.begin, bodies.begin() + part.end, part.body);
    std::fill(kinds.begin() + part.begin, kinds.begin() + part.end, static_cast<int>(part.kind));
  }
  return fmt::format(
             "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
             "byte_order=\"{}\" "
             "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"{}\" "
             "NumberOfVerts=\"{}\" "
             "NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
             byte_order, mesh_.points.size(), mesh_.vertices.size(), mesh_.lines.size(),
             mesh_.polygons.size()) +
         "<PointData Scalars=\"body\" Vectors=\"velocity\">\n" + data_array("body", bodies) +
         data_array("kind", kinds) + data_array("velocity", velocities_, 3) +
         data_array("gap", gaps_) + data_array("normal_force", normal_forces_) + "</PointData>\n" +
         "<Points>\n" + data_array("Points", points_, 3) + "</Points>\n" + topology_ +
         "</Piece>\n</PolyData>\n</VTKFile>\n";
}

void ParaviewSeries::append(double time, std::span<const double> row) {
  place(row);
  const std::string file = fmt::format("{}/{:06}.vtp", frame_folder, frames_);
  try {
    OutputStream stream(directory_ / file);
    stream.write(frame_text());
    stream.close();
    list_frame(time, file);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(directory_ / file, ignored);
    throw;
  }
  ++frames_;
}

void ParaviewSeries::list_frame(double time, const std::string& file) {
  // One write puts the entry in place of the closing tags and new ones after it, so that the list
  // is well formed whenever the run ends, at a cost that does not grow with the list.
  const std::filesystem::path path = directory_ / list_name;
  const std::string entry =
      fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", time, file);
  const std::string text = entry + std::string(list_footer);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const auto written =
      descriptor < 0 ? -1 : ::pwrite(descriptor, text.data(), text.size(), list_end_);
  const int reason = errno;
  if (written >= 0 && written < static_cast<ssize_t>(text.size())) {
    // Back to the list as it was; its own space is still there.
    static_cast<void>(::ftruncate(descriptor, list_end_));
    static_cast<void>(::pwrite(descriptor, list_footer.data(), list_footer.size(), list_end_));
  }
  if (descriptor >= 0) ::close(descriptor);
  if (written != static_cast<ssize_t>(text.size()))
    throw Error(fmt::format("{}: cannot write this file: {}", path.string(),
                            std::strerror(written < 0 ? reason : ENOSPC)));
  list_end_ += static_cast<long>(entry.size());
}

}  // namespace clatter
