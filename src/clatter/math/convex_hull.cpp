#include <algorithm>
#include <cstdio>
#include <utility>

#include <clatter/math/convex_hull.hpp>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace clatter {
namespace {

/// What libqhull knows of some points; all of it is given back at the end.
class Qhull {
 public:
  explicit Qhull(std::vector<double>& coordinates) {
    // What goes wrong is told by the exit code; the words would go to the terminal.
    silence_ = std::fopen("/dev/null", "w");
    qh_zero(&state_, silence_);
    char command[] = "qhull";
    const int count = static_cast<int>(coordinates.size() / 3);
    exit_code_ =
        qh_new_qhull(&state_, 3, count, coordinates.data(), False, command, nullptr, silence_);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;
  ~Qhull() {
    qh_freeqhull(&state_, !qh_ALL);
    int blocks = 0, bytes = 0;
    qh_memfreeshort(&state_, &blocks, &bytes);
    if (silence_ != nullptr) std::fclose(silence_);
  }

  bool succeeded() const { return exit_code_ == 0; }

  /// The faces by the numbers of their points.
  std::vector<std::vector<int>> faces() {
    std::vector<std::vector<int>> all;
    for (facetT* facet = state_.facet_list; facet != nullptr && facet->next != nullptr;
         facet = facet->next) {
      setT* corners = qh_facet3vertex(&state_, facet);
      std::vector<int>& face = all.emplace_back();
      for (int i = 0; i < qh_setsize(&state_, corners); ++i) {
        const auto* corner = static_cast<const vertexT*>(SETelem_(corners, i));
        face.push_back(qh_pointid(&state_, corner->point));
      }
      qh_settempfree(&state_, &corners);
    }
    return all;
  }

 private:
  qhT state_;
  std::FILE* silence_ = nullptr;
  int exit_code_ = 0;
};

// Six times the volume that the faces enclose.
double enclosed_by(const ConvexHull& hull) {
  double sum = 0.0;
  const Vec3& apex = hull.points.front();
  for (const std::vector<int>& face : hull.faces) {
    const Vec3 first = hull.points[static_cast<std::size_t>(face[0])] - apex;
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      const Vec3 second = hull.points[static_cast<std::size_t>(face[i])] - apex;
      const Vec3 third = hull.points[static_cast<std::size_t>(face[i + 1])] - apex;
      sum += first.cross(second).dot(third);
    }
  }
  return sum;
}

}  // namespace

std::optional<ConvexHull> convex_hull(const std::vector<Vec3>& points) {
  if (points.size() < 4) return std::nullopt;
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& point : points)
    coordinates.insert(coordinates.end(), point.begin(), point.end());
  Qhull qhull(coordinates);
  if (!qhull.succeeded()) return std::nullopt;

  ConvexHull hull;
  hull.faces = qhull.faces();
  std::vector<int> number(points.size(), -1);
  for (std::vector<int>& face : hull.faces) {
    for (int& corner : face) {
      int& to = number[static_cast<std::size_t>(corner)];
      if (to < 0) {
        to = static_cast<int>(hull.points.size());
        hull.points.push_back(points[static_cast<std::size_t>(corner)]);
      }
      corner = to;
    }
  }
  const double volume = enclosed_by(hull);
  if (volume < 0.0) {
    for (std::vector<int>& face : hull.faces) std::reverse(face.begin(), face.end());
  }
  return volume == 0.0 ? std::nullopt : std::optional(std::move(hull));
}

}  // namespace clatter
