#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <clatter/io/mesh_builder.hpp>
#include <clatter/io/mesh_file.hpp>
#include <clatter/io/mesh_import.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

constexpr std::uintmax_t largest_mesh_file = std::uintmax_t{512} << 20;
// Of a binary STL file: a title, the number of triangles, and for each of them a normal, three
// corners and two bytes of no meaning.
constexpr std::size_t stl_title = 80, stl_head = 84, stl_triangle = 50;

using Complaint = std::optional<std::string>;

/// The words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view next() {
    constexpr std::string_view blanks = " \t\r\f\v";
    const std::size_t begin = std::min(rest_.find_first_not_of(blanks), rest_.size());
    const std::size_t end = std::min(rest_.find_first_of(blanks, begin), rest_.size());
    const std::string_view word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
  }

  std::optional<double> number() {
    std::string_view word = next();
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0.0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
    return value;
  }

  std::optional<Vec3> point() {
    Vec3 point;
    for (double& coordinate : point) {
      const std::optional<double> value = number();
      if (!value) return std::nullopt;
      coordinate = *value;
    }
    return point;
  }

 private:
  std::string_view rest_;
};

/// The lines of a file that say something.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// False at the end.
  bool next(std::string_view& line) {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!Words(line).next().empty()) return true;
    }
    return false;
  }
  int number() const { return number_; }

  std::string complaint(std::string_view expected, std::string_view found) const {
    return fmt::format("line {}: expected {}, found {}", number_, expected, in_quotes(found));
  }

 private:
  std::string_view rest_;
  int number_ = 0;
};

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

float float_at(std::string_view bytes, std::size_t at) {
  std::uint32_t bits = 0;  // the file has the lowest byte first
  for (std::size_t i = 4; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[at + i]);
  float value = 0.0f;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::uint32_t count_at(std::string_view bytes, std::size_t at) {
  std::uint32_t count = 0;
  for (std::size_t i = 4; i-- > 0;) count = count << 8 | static_cast<unsigned char>(bytes[at + i]);
  return count;
}

Complaint parse_binary_stl(std::string_view bytes, MeshShape& mesh) {
  MeshBuilder numbers(mesh);
  for (std::size_t at = stl_head; at < bytes.size(); at += stl_triangle) {
    std::array<int, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t corner = at + 12 * (k + 1);
      const Vec3 point(float_at(bytes, corner), float_at(bytes, corner + 4),
                       float_at(bytes, corner + 8));
      if (!point.allFinite()) {
        return fmt::format("triangle {}: its corners are not finite numbers",
                           mesh.triangles.size() + 1);
      }
      triangle[k] = numbers.number_of(point);
    }
    mesh.triangles.push_back(triangle);
  }
  return std::nullopt;
}

// One facet after its first line.
Complaint parse_facet(Lines& lines, MeshBuilder& numbers, MeshShape& mesh) {
  std::string_view line;
  const auto expect = [&](std::string_view first, std::string_view second) {
    line = "the end of the file";
    if (!lines.next(line)) return false;
    Words words(line);
    return lower_case(words.next()) == first &&
           (second.empty() || lower_case(words.next()) == second);
  };
  if (!expect("outer", "loop")) return lines.complaint("'outer loop'", line);
  std::array<int, 3> triangle{};
  for (int& corner : triangle) {
    if (!expect("vertex", "")) return lines.complaint("'vertex x y z'", line);
    Words words(line);
    words.next();
    const std::optional<Vec3> point = words.point();
    if (!point) return lines.complaint("'vertex x y z'", line);
    corner = numbers.number_of(*point);
  }
  if (!expect("endloop", "")) return lines.complaint("'endloop' after three corners", line);
  if (!expect("endfacet", "")) return lines.complaint("'endfacet'", line);
  mesh.triangles.push_back(triangle);
  return std::nullopt;
}

Complaint parse_text_stl(std::string_view text, MeshShape& mesh) {
  MeshBuilder numbers(mesh);
  Lines lines(text);
  bool inside = false;
  for (std::string_view line; lines.next(line);) {
    const std::string word = lower_case(Words(line).next());
    if (word == "facet" && inside) {
      if (Complaint wrong = parse_facet(lines, numbers, mesh)) return wrong;
    } else if (word == (inside ? "endsolid" : "solid")) {
      inside = !inside;
    } else {
      return lines.complaint(inside ? "'facet' or 'endsolid'" : "'solid'", line);
    }
  }
  if (inside) return "'endsolid' is missing: is the file cut off?";
  return std::nullopt;
}

// The corners of a face, as numbers of `v` lines from 0.
std::optional<std::vector<std::size_t>> parse_face(Words words, std::size_t points) {
  std::vector<std::size_t> corners;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    word = word.substr(0, word.find('/'));  // textures and normals follow
    long index = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, index);
    const long count = static_cast<long>(points);
    if (error != std::errc() || stop != end || index == 0 || std::abs(index) > count) {
      return std::nullopt;
    }
    corners.push_back(static_cast<std::size_t>(index > 0 ? index - 1 : count + index));
  }
  return corners.size() < 3 ? std::nullopt : std::optional(corners);
}

}  // namespace

Complaint parse_stl(std::string_view bytes, MeshShape& mesh) {
  if (bytes.size() >= stl_head) {
    const std::size_t count = count_at(bytes, stl_title);
    if (bytes.size() == stl_head + stl_triangle * count) return parse_binary_stl(bytes, mesh);
  }
  if (lower_case(bytes.substr(0, 5)) == "solid") return parse_text_stl(bytes, mesh);
  return "neither a text that begins with 'solid' nor a binary STL file of the size that it "
         "states; is it cut off?";
}

Complaint parse_obj(std::string_view bytes, MeshShape& mesh) {
  constexpr std::array ignored = {"vn", "vt", "o", "g", "s", "usemtl", "mtllib"};
  MeshBuilder numbers(mesh);
  std::vector<int> number_of_line;  // of each `v`
  Lines lines(bytes);
  for (std::string_view line; lines.next(line);) {
    Words words(line.substr(0, line.find('#')));
    const std::string_view word = words.next();
    if (word.empty() || std::find(ignored.begin(), ignored.end(), word) != ignored.end()) continue;
    if (word == "v") {
      const std::optional<Vec3> point = words.point();
      if (!point) return lines.complaint("'v x y z'", line);
      number_of_line.push_back(numbers.number_of(*point));
    } else if (word == "f") {
      const auto corners = parse_face(words, number_of_line.size());
      if (!corners) return lines.complaint("'f' with three or more numbers of points above", line);
      std::vector<int> face;
      for (const std::size_t corner : *corners) face.push_back(number_of_line[corner]);
      if (!numbers.add_face(face)) {
        return lines.complaint("a face whose sides do not cross each other", line);
      }
    } else {
      return lines.complaint("points 'v' and faces 'f'", line);
    }
  }
  return std::nullopt;
}

Complaint read_mesh_file(const std::filesystem::path& path, MeshShape& mesh) {
  const std::string extension = lower_case(path.extension().string());
  const bool imports = can_import(extension);
  if (extension != ".stl" && extension != ".obj" && !imports) {
    return "its name must end in '.stl', '.obj', '.ply', '.off', '.gltf', '.glb', '.dae' or "
           "'.3mf', whose formats can be read";
  }
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return "there is no such file; its path starts from the folder of the model file";
  }
  const bool is_file = std::filesystem::is_regular_file(path, error);
  const std::uintmax_t size = is_file ? std::filesystem::file_size(path, error) : 0;
  std::ifstream stream(path, std::ios::binary);
  if (!is_file || !stream) return "the file cannot be read";
  if (size > largest_mesh_file) return "the file is too large";
  const auto parse = [&] {
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    return extension == ".stl" ? parse_stl(bytes, mesh) : parse_obj(bytes, mesh);
  };
  Complaint wrong = imports ? import_mesh(path, extension, mesh) : parse();
  if (!wrong && mesh.triangles.empty()) wrong = "there are no triangles in it";
  return wrong;
}

}  // namespace clatter
