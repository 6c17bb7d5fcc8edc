#include <array>
#include <system_error>
#include <utility>

#include <clatter/io/contact_point_files.hpp>
#include <clatter/io/hdf5_reader.hpp>

namespace clatter {
namespace {

struct ColumnKind {
  const char* name;
  hsize_t width;  // 0: one number
  const char* unit;
};
constexpr std::array<ColumnKind, 8> kinds{{{"/time", 0, "s"},
                                           {"/end", 0, ""},
                                           {"/bodies", 2, ""},
                                           {"/position", 3, "m"},
                                           {"/normal", 3, ""},
                                           {"/gap", 0, "m"},
                                           {"/force", 3, "N"},
                                           {"/status", 0, ""}}};
constexpr std::size_t of_samples = 2;  // the columns with a row for each sample
constexpr hsize_t chunk_rows = 1024;
/// Numbers that wait at most.
constexpr std::size_t buffer_size = std::size_t{1} << 17;
/// Upper bound [bytes] of what HDF5 stores besides the numbers, for all columns together.
constexpr std::size_t overhead = 131072;

std::size_t width_of(std::size_t column) { return std::max<std::size_t>(kinds[column].width, 1); }

void put(std::vector<double>& out, const Vec3& v) { out.insert(out.end(), v.begin(), v.end()); }

void put(std::vector<float>& out, const Vec3& v) {
  for (const double each : v) out.push_back(static_cast<float>(each));
}

}  // namespace

ContactPointFile::ContactPointFile(const std::filesystem::path& path,
                                   const std::vector<std::string>& parts)
    : file_(path) {
  create_tables(parts);
  file_.flush();
  file_.let_read();
}

ContactPointFile::ContactPointFile(const std::filesystem::path& path,
                                   const std::vector<std::string>& parts, long samples)
    : file_(std::filesystem::path(path) += ".new") {
  const std::filesystem::path unfinished = file_.path();
  try {
    create_tables(parts);
    const Hdf5Reader from(path);
    std::size_t points = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::vector<double> values = from.table(kinds[c].name);
      const std::size_t size =
          (c < of_samples ? static_cast<std::size_t>(samples) : points) * width_of(c);
      if (values.size() < size) from.fail("has fewer rows than the checkpoint tells");
      values.resize(size);
      if (c == end && size > 0) points = static_cast<std::size_t>(values.back());
      columns_[c].waiting = std::move(values);
    }
    points_ = static_cast<double>(points);
    write_waiting();
    file_.let_read();
    file_.move_to(path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
}

void ContactPointFile::create_tables(const std::vector<std::string>& parts) {
  std::size_t bytes = overhead;
  for (const std::string& part : parts) bytes += part.size() + 48;
  file_.reserve(bytes);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].table = file_.create_table(kinds[c].name, kinds[c].width, chunk_rows);
    file_.set_attribute(kinds[c].name, "unit", kinds[c].unit);
  }
  file_.set_attribute(kinds[bodies].name, "names", std::span<const std::string>(parts));
}

void ContactPointFile::append(double at, std::span<const ContactPoint> points) {
  points_ += static_cast<double>(points.size());
  columns_[time].waiting.push_back(at);
  columns_[end].waiting.push_back(points_);
  for (const ContactPoint& point : points) {
    for (const int part : {point.a, point.b}) columns_[bodies].waiting.push_back(part);
    put(columns_[position].waiting, point.position);
    put(columns_[normal].waiting, point.normal);
    columns_[gap].waiting.push_back(point.gap);
    put(columns_[force].waiting, point.force);
    columns_[status].waiting.push_back(static_cast<double>(point.status));
  }
  if (columns_[position].waiting.size() + columns_[time].waiting.size() > buffer_size) flush();
}

void ContactPointFile::flush() {
  if (!columns_[time].waiting.empty()) write_waiting();
}

void ContactPointFile::write_waiting() {
  std::size_t bytes = overhead;
  for (const Column& column : columns_) {
    // A chunk that was begun before is written again as a whole.
    const std::size_t chunk = chunk_rows * std::max<std::size_t>(column.table.columns, 1);
    bytes += (column.waiting.size() + chunk) * sizeof(double);
  }
  try {
    file_.reserve(bytes);
  } catch (...) {  // what cannot be written must not be tried again when closing
    for (Column& column : columns_) column.waiting.clear();
    throw;
  }
  for (Column& column : columns_) {
    if (!column.waiting.empty()) file_.append(column.table, column.waiting);
    column.waiting.clear();
  }
  file_.flush();
}

void ContactPointFile::close() {
  const auto close_all = [this] {
    for (Column& column : columns_) column.table.dataset.close();
    file_.close();
  };
  try {
    flush();
  } catch (...) {
    close_all();
    throw;
  }
  close_all();
}

void ContactPointFrames::append(double time, std::span<const ContactPoint> points) {
  std::vector<float> positions, normals, forces, gaps;
  std::vector<std::int32_t> bodies, statuses;
  std::vector<std::vector<int>> vertices;
  for (const ContactPoint& point : points) {
    vertices.push_back({static_cast<int>(vertices.size())});
    put(positions, point.position);
    put(normals, point.normal);
    put(forces, point.force);
    gaps.push_back(static_cast<float>(point.gap));
    bodies.insert(bodies.end(), {point.a, point.b});
    statuses.push_back(static_cast<std::int32_t>(point.status));
  }
  std::string frame = vtk_header({points.size(), points.size()});
  add_vtk_cells(frame, "Verts", vertices);
  frame += "<PointData Scalars=\"gap\" Vectors=\"force\">\n";
  add_vtk_array(frame, "bodies", bodies, 2);
  add_vtk_array(frame, "normal", normals, 3);
  add_vtk_array(frame, "force", forces, 3);
  add_vtk_array(frame, "gap", gaps);
  add_vtk_array(frame, "status", statuses);
  frame += "</PointData>\n<Points>\n";
  add_vtk_array(frame, "Points", positions, 3);
  frame += "</Points>\n";
  frame += vtk_footer;
  frames_.add(time, frame);
}

}  // namespace clatter
