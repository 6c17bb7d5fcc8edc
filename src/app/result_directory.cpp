#include "app/result_directory.hpp"

#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>

#include <clatter/io/csv_file.hpp>
#include <clatter/io/output_stream.hpp>
#include <clatter/io/result_tables.hpp>
#include <clatter/io/tessellation.hpp>
#include <clatter/model/beam_mesh.hpp>

namespace clatter {

namespace fs = std::filesystem;

bool ResultDirectory::is_ours() const {
  std::ifstream stream(summary());
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  return json.is_object() && json.contains("clatter_version");
}

void ResultDirectory::prepare() const {
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    if (!fs::is_directory(path, ignored))
      throw Error(
          fmt::format("{}: cannot write results here: it is not a directory", path.string()));
    if (!fs::is_empty(path, ignored) && !is_ours())
      throw Error(
          fmt::format("{}: this directory holds other files than clatter's results; choose "
                      "another with --out",
                      path.string()));
  }
  make_directory(path);
  // A program that still reads the old results keeps them; the new ones are another file.
  for (const fs::path& file :
       {results(), table(), modes(), frame_list(), checkpoint(), impacts(), newton(), recovery(),
        contact_points(), contact_list(), crowd_list()})
    fs::remove(file, ignored);
  fs::remove_all(frames(), ignored);
  fs::remove_all(contact_frames(), ignored);
  fs::remove_all(crowd_frames(), ignored);
  fs::remove_all(contact_problems(), ignored);
}

double expected_bytes(const Model& model, int row_size, double samples, double frames) {
  constexpr double of_number = 6.5;  // 8, less what compression usually gains
  const double of_samples = samples * row_size * of_number;
  if (!model.output.paraview) return of_samples;
  constexpr double base64 = 4.0 / 3.0, of_point = 40.0, of_corner = 4.0, of_instance = 64.0;
  double of_frame = 0.0;
  const auto add = [&](const Mesh& mesh, double times) {
    double corners = 0.0;
    for (const auto& polygon : mesh.polygons) corners += 1.0 + static_cast<double>(polygon.size());
    of_frame += times * (of_point * static_cast<double>(mesh.points.size()) + of_corner * corners);
  };
  if (model.bodies.size() >= crowd_of_bodies) {
    of_frame += of_instance * static_cast<double>(model.bodies.size());
  } else {
    for (const BodySpec& body : model.bodies)
      for (const PlacedShape& shape : body.shapes)
        add(tessellate(shape, body.kind == BodyKind::planar, 0.0), 1.0);
  }
  for (const BeamSpec& beam : model.beams) {
    const auto elements = static_cast<double>(mesh_of(beam).elements.size());
    add(tessellate(beam.section), 3.0 * elements);  // two outlines, and the quadrangles between
  }
  for (const PlacedShape& shape : model.ground) add(tessellate(shape, is_planar(model), 1.0), 1.0);
  return of_samples + base64 * frames * of_frame;
}

DirectoryLock::DirectoryLock(const fs::path& directory) {
  make_directory(directory);
  descriptor_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) return;  // the files will tell what is wrong
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const bool taken = errno == EWOULDBLOCK;
  ::close(std::exchange(descriptor_, -1));
  if (taken) {
    throw Error(
        fmt::format("{}: another run is writing its results here; wait for it, or choose "
                    "another directory with --out",
                    directory.string()));
  }
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

ResultDirectory result_directory(const fs::path& given, const fs::path& model, const char* ending) {
  return {!given.empty() ? given : fs::path(model.stem().string() + ending)};
}

ResultWriter::ResultWriter(const ResultDirectory& directory, const Model& model,
                           const Simulation& simulation, const RunInfo& info, bool csv)
    : simulation_(simulation) {
  const std::vector<Channel>& channels = simulation.channels();
  auto results = std::make_unique<ResultFile>(directory.results(), channels, info);
  results_ = results.get();
  files_.push_back(std::move(results));
  if (csv) {
    table_ = directory.table();
    files_.push_back(std::make_unique<CsvFile>(table_, channels));
  }
  if (model.output.paraview)
    frames_ = std::make_unique<ParaviewSeries>(directory.path, model, channels);
  if (!model.output.contact_points) return;
  points_ = std::make_unique<ContactPointFile>(directory.contact_points(), simulation.part_names());
  if (frames_) point_frames_ = std::make_unique<ContactPointFrames>(directory.path);
}

ResultWriter::ResultWriter(const ResultDirectory& directory, const Model& model,
                           const Simulation& simulation, const RunInfo& info,
                           const Checkpoint& from)
    : simulation_(simulation), frames_drawn_(from.frames) {
  const std::vector<Channel>& channels = simulation.channels();
  auto results = std::make_unique<ResultFile>(directory.results(), channels, info, from.samples);
  results_ = results.get();
  files_.push_back(std::move(results));
  if (from.table_bytes > 0) {
    table_ = directory.table();
    files_.push_back(std::make_unique<CsvFile>(table_, channels, from.table_bytes));
  }
  if (from.draws) {
    frames_ = std::make_unique<ParaviewSeries>(directory.path, model, channels, from.frames);
  }
  if (!model.output.contact_points) return;
  points_ = std::make_unique<ContactPointFile>(directory.contact_points(), simulation.part_names(),
                                               from.samples);
  if (frames_) point_frames_ = std::make_unique<ContactPointFrames>(directory.path, from.frames);
}

long ResultWriter::table_bytes() const {
  return table_.empty() ? 0 : static_cast<long>(fs::file_size(table_));
}

void ResultWriter::flush() {
  for (const auto& file : files_) file->flush();
  if (points_) points_->flush();
}

void ResultWriter::store(double time, std::span<const double> row) {
  for (const auto& file : files_) file->append(time, row);
  if (points_) points_->append(time, simulation_.contact_points());
}

void ResultWriter::draw(double time, std::span<const double> row) {
  frames_->append(time, row);
  if (point_frames_) point_frames_->append(time, simulation_.contact_points());
  ++frames_drawn_;
}

void ResultWriter::flush_if_due() {
  bool is_due = false;
  for (const auto& file : files_) is_due = file->flush_if_due() || is_due;
  if (is_due && points_) points_->flush();
}

void ResultWriter::close() {
  std::exception_ptr first;
  const auto close_one = [&](auto& file) {
    try {
      file.close();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  };
  for (const auto& file : files_) close_one(*file);
  if (points_) close_one(*points_);
  if (first) std::rethrow_exception(first);
}

}  // namespace clatter
