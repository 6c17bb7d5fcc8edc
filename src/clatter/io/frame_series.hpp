#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace clatter {

/// Adds a VTK DataArray of the numbers in binary.
void add_vtk_array(std::string& text, const char* name, const std::vector<float>& values,
                   int components = 1);
void add_vtk_array(std::string& text, const char* name, const std::vector<std::int32_t>& values,
                   int components = 1);
void add_vtk_cells(std::string& text, const char* element,
                   const std::vector<std::vector<int>>& list);

/// How many there are of what a frame holds.
struct VtkCounts {
  std::size_t points = 0, vertices = 0, lines = 0, polygons = 0;
};
/// With what a PolyData file begins and ends.
std::string vtk_header(const VtkCounts& counts);
inline constexpr std::string_view vtk_footer = "</Piece>\n</PolyData>\n</VTKFile>\n";

/// Pictures of a run: `NAME.pvd` lists the times, `NAME/NNNNNN.vtp` hold what is to be seen then.
/// ParaView opens the .pvd.
class FrameSeries {
 public:
  /// `frames`: goes on after so many of an earlier series, whose later ones are forgotten.
  FrameSeries(std::filesystem::path directory, std::string name, long frames = 0);

  /// Writes a frame, complete and listed when this returns.
  void add(double time, std::string_view frame);

 private:
  std::filesystem::path list_path() const { return directory_ / (name_ + ".pvd"); }
  std::string file_of(long frame) const;
  /// Cuts the list after so many.
  void go_on_after(long frames);
  void list(double time, const std::string& file);

  std::filesystem::path directory_;
  std::string name_;
  long frames_ = 0;
  long list_end_;  // where the next entry of the list goes: before its closing tags
};

}  // namespace clatter
