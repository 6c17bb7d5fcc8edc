#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <clatter/io/base64.hpp>
#include <clatter/io/frame_series.hpp>
#include <clatter/io/output_stream.hpp>
#include <clatter/model/error.hpp>

namespace clatter {
namespace {

constexpr std::string_view list_header =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n";
constexpr std::string_view list_footer = "</Collection>\n</VTKFile>\n";

constexpr std::string_view byte_order =
    std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";

/// The size of the numbers in bytes, then they, as base64.
template <typename T>
void add_array(std::string& text, const char* type, const char* name, const std::vector<T>& values,
               int components) {
  const std::uint64_t size = values.size() * sizeof(T);
  std::string bytes(sizeof(size) + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof(size));
  if (size > 0) std::memcpy(bytes.data() + sizeof(size), values.data(), size);
  fmt::format_to(
      std::back_inserter(text),
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">\n", type,
      name, components);
  add_base64(text, bytes.data(), bytes.size());
  text += "\n</DataArray>\n";
}

}  // namespace

void add_vtk_array(std::string& text, const char* name, const std::vector<float>& values,
                   int components) {
  add_array(text, "Float32", name, values, components);
}

void add_vtk_array(std::string& text, const char* name, const std::vector<std::int32_t>& values,
                   int components) {
  add_array(text, "Int32", name, values, components);
}

void add_vtk_cells(std::string& text, const char* element,
                   const std::vector<std::vector<int>>& list) {
  std::vector<std::int32_t> connectivity, offsets;
  for (const auto& cell : list) {
    connectivity.insert(connectivity.end(), cell.begin(), cell.end());
    offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
  }
  text += fmt::format("<{}>\n", element);
  add_vtk_array(text, "connectivity", connectivity);
  add_vtk_array(text, "offsets", offsets);
  text += fmt::format("</{}>\n", element);
}

std::string vtk_header(const VtkCounts& counts) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
      "<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
      byte_order, counts.points, counts.vertices, counts.lines, counts.polygons);
}

FrameSeries::FrameSeries(std::filesystem::path directory, std::string name, long frames)
    : directory_(std::move(directory)),
      name_(std::move(name)),
      list_end_(static_cast<long>(list_header.size())) {
  make_directory(directory_ / name_);
  if (frames > 0) {
    go_on_after(frames);
  } else {
    replace_file(list_path(), std::string(list_header) + std::string(list_footer));
  }
}

std::string FrameSeries::file_of(long frame) const {
  return fmt::format("{}/{:06}.vtp", name_, frame);
}

void FrameSeries::add(double time, std::string_view frame) {
  const std::string file = file_of(frames_);
  try {
    OutputStream stream(directory_ / file);
    stream.write(frame);
    stream.close();
    list(time, file);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(directory_ / file, ignored);
    throw;
  }
  ++frames_;
}

void FrameSeries::go_on_after(long frames) {
  const std::filesystem::path path = list_path();
  std::ifstream stream(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  std::size_t end = list_header.size();
  for (long k = 0; k < frames; ++k) {
    end = text.find('\n', end);
    if (end == std::string::npos) {
      throw Error(fmt::format("{}: this list of frames is shorter than it was", path.string()));
    }
    ++end;
  }
  text.resize(end);
  replace_file(path, text + std::string(list_footer));
  list_end_ = static_cast<long>(end);
  frames_ = frames;
  std::error_code ignored;
  for (long k = frames;; ++k) {
    if (!std::filesystem::remove(directory_ / file_of(k), ignored)) break;
  }
}

void FrameSeries::list(double time, const std::string& file) {
  // One write puts the entry in place of the closing tags and new ones after it, so that the list
  // is well formed whenever the run ends, at a cost that does not grow with the list.
  const std::filesystem::path path = list_path();
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
