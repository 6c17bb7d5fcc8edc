#pragma once

#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <clatter/math/types.hpp>

namespace clatter::testing {

/// A closed surface of triangles.
struct Triangles {
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> corners;

  const Vec3& at(std::size_t triangle, int k) const {
    return points[static_cast<std::size_t>(corners[triangle][static_cast<std::size_t>(k)])];
  }
  void add_quad(int a, int b, int c, int d) {
    corners.push_back({a, b, c});
    corners.push_back({a, c, d});
  }
  /// As the text of an OBJ file, whose numbers are exact.
  void write(const std::string& path, double factor = 1.0) const {
    std::ofstream file(path);
    for (const Vec3& p : points) {
      file << fmt::format("v {} {} {}\n", factor * p.x(), factor * p.y(), factor * p.z());
    }
    for (const auto& [a, b, c] : corners) file << fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  }
  /// As the text of an STL file.
  void write_stl(const std::string& path) const {
    std::ofstream file(path);
    file << "solid written by a test\n";
    for (std::size_t t = 0; t < corners.size(); ++t) {
      file << "facet normal 0 0 0\nouter loop\n";
      for (int k = 0; k < 3; ++k) {
        file << fmt::format("vertex {} {} {}\n", at(t, k).x(), at(t, k).y(), at(t, k).z());
      }
      file << "endloop\nendfacet\n";
    }
    file << "endsolid\n";
  }
};

inline Triangles box_of_triangles(const Vec3& size) {
  Triangles box;
  for (int k = 0; k < 8; ++k) {
    box.points.emplace_back(0.5 *
                            size.cwiseProduct(Vec3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1,
                                                   (k & 4) != 0 ? 1 : -1)));
  }
  box.add_quad(0, 4, 6, 2);
  box.add_quad(1, 3, 7, 5);
  box.add_quad(0, 1, 5, 4);
  box.add_quad(2, 6, 7, 3);
  box.add_quad(0, 2, 3, 1);
  box.add_quad(4, 5, 7, 6);
  return box;
}

/// Two legs, each twice as long as thick, along x and z; `thickness` to either side along y.
inline Triangles l_of_triangles(double thickness) {
  Triangles l;
  const std::array<std::array<int, 2>, 6> outline{{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}};
  for (const double y : {-1.0, 1.0}) {
    for (const auto& [x, z] : outline) l.points.emplace_back(thickness * Vec3(x, y, z));
  }
  for (int k = 0; k < 6; ++k) l.add_quad(k, k + 6, (k + 1) % 6 + 6, (k + 1) % 6);
  for (const auto& [a, b, c] : {std::array{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}}) {
    l.corners.push_back({a, b, c});
    l.corners.push_back({c + 6, b + 6, a + 6});
  }
  return l;
}

/// A closed curve (radius, height), counter-clockwise seen with the radius to the right, turned
/// about z; where the radius is zero the surface is closed by one point.
inline Triangles turned_about_z(const std::vector<std::array<double, 2>>& outline, int sides) {
  Triangles result;
  const auto count = static_cast<int>(outline.size());
  std::vector<std::vector<int>> number(outline.size());
  for (int k = 0; k < count; ++k) {
    const auto [radius, height] = outline[static_cast<std::size_t>(k)];
    for (int i = 0; i < sides; ++i) {
      if (radius > 0.0 || i == 0) {
        const double angle = 2.0 * std::numbers::pi * i / sides;
        result.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), height);
      }
      number[static_cast<std::size_t>(k)].push_back(static_cast<int>(result.points.size()) - 1);
    }
  }
  for (int k = 0; k < count; ++k) {
    const auto& one = number[static_cast<std::size_t>(k)];
    const auto& two = number[static_cast<std::size_t>((k + 1) % count)];
    for (int i = 0; i < sides; ++i) {
      const auto here = static_cast<std::size_t>(i),
                 next = static_cast<std::size_t>((i + 1) % sides);
      if (one[here] != one[next]) result.corners.push_back({one[here], one[next], two[here]});
      if (two[here] != two[next]) result.corners.push_back({one[next], two[next], two[here]});
    }
  }
  return result;
}

/// Open above; the wall and the floor are as thick as said.
inline Triangles cup_of_triangles(double radius, double height, double wall, int sides) {
  return turned_about_z({{0.0, 0.0},
                         {radius, 0.0},
                         {radius, height},
                         {radius - wall, height},
                         {radius - wall, wall},
                         {0.0, wall}},
                        sides);
}

/// A ball whose points are moved in and out at random: full of hollows.
inline Triangles rough_ball(int rings, int sides, double roughness, unsigned seed) {
  std::vector<std::array<double, 2>> outline;
  for (int k = 0; k <= rings; ++k) {
    const double angle = std::numbers::pi * (static_cast<double>(k) / rings - 0.5);
    const bool is_pole = k == 0 || k == rings;
    outline.push_back({is_pole ? 0.0 : std::cos(angle), std::sin(angle)});
  }
  Triangles ball = turned_about_z(outline, sides);
  // From pole to pole there is nothing: the curve is as good as closed.
  std::mt19937 generator(seed);
  std::uniform_real_distribution<> any(-1.0, 1.0);
  for (Vec3& point : ball.points) point *= 1.0 + roughness * any(generator);
  return ball;
}

}  // namespace clatter::testing
