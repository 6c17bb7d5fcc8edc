#include <algorithm>
#include <cmath>
#include <type_traits>

#include <clatter/model/similar_shape.hpp>

namespace clatter {
namespace {

double farthest(const std::vector<Vec3>& points) {
  double far = 0.0;
  for (const Vec3& point : points) far = std::max(far, point.norm());
  return far;
}

struct RadiusAround {
  bool in_plane;
  template <class Any>
  std::optional<double> operator()(const Any& s) const {
    if constexpr (std::is_same_v<Any, SphereShape>) {
      return s.radius;
    } else if constexpr (std::is_same_v<Any, BoxShape>) {
      return 0.5 * (in_plane ? s.size.template head<2>().norm() : s.size.norm());
    } else if constexpr (std::is_same_v<Any, CylinderShape>) {
      return in_plane ? s.radius : std::hypot(s.radius, 0.5 * s.length);
    } else if constexpr (std::is_same_v<Any, RodShape>) {
      return std::hypot(s.radius, 0.5 * s.length);
    } else if constexpr (std::is_same_v<Any, DiscShape>) {
      return in_plane ? s.radius : std::hypot(s.radius, 0.5 * s.thickness);
    } else if constexpr (std::is_same_v<Any, CapsuleShape>) {
      return s.radius + 0.5 * s.length;
    } else if constexpr (std::is_same_v<Any, ConeShape>) {
      return std::max(0.75 * s.length, std::hypot(s.radius, 0.25 * s.length));
    } else if constexpr (std::is_same_v<Any, EllipsoidShape>) {
      return s.semi_axes.maxCoeff();
    } else if constexpr (std::is_same_v<Any, RingShape>) {
      return s.radius + s.tube_radius;
    } else if constexpr (std::is_same_v<Any, EllipseShape>) {
      return std::max(s.x, s.y);
    } else if constexpr (std::is_same_v<Any, HullShape> || std::is_same_v<Any, PolygonShape>) {
      return farthest(s.points);
    } else {
      return std::nullopt;
    }
  }
};

struct Enlarge {
  double factor;
  bool in_plane;
  double thickness(double is) const { return in_plane ? is : factor * is; }
  template <class Any>
  void operator()(Any& s) const {
    if constexpr (std::is_same_v<Any, SphereShape>) {
      s.radius *= factor;
    } else if constexpr (std::is_same_v<Any, BoxShape>) {
      s.size = Vec3(factor * s.size.x(), factor * s.size.y(), thickness(s.size.z()));
    } else if constexpr (std::is_same_v<Any, CylinderShape>) {
      s.radius *= factor;
      s.length = thickness(s.length);
    } else if constexpr (std::is_same_v<Any, DiscShape>) {
      s.radius *= factor;
      s.thickness = thickness(s.thickness);
    } else if constexpr (std::is_same_v<Any, RodShape> || std::is_same_v<Any, CapsuleShape> ||
                         std::is_same_v<Any, ConeShape>) {
      s.radius *= factor;
      s.length *= factor;
    } else if constexpr (std::is_same_v<Any, EllipsoidShape>) {
      s.semi_axes *= factor;
    } else if constexpr (std::is_same_v<Any, RingShape>) {
      s.radius *= factor;
      s.tube_radius *= factor;
    } else if constexpr (std::is_same_v<Any, EllipseShape>) {
      s.x *= factor;
      s.y *= factor;
    } else if constexpr (std::is_same_v<Any, HullShape> || std::is_same_v<Any, PolygonShape>) {
      for (Vec3& point : s.points) point *= factor;
    }
  }
};

}  // namespace

std::optional<double> radius_around(const std::vector<PlacedShape>& shapes, bool in_plane) {
  double far = 0.0;
  for (const PlacedShape& placed : shapes) {
    const std::optional<double> own = std::visit(RadiusAround{in_plane}, placed.shape);
    if (!own) return std::nullopt;
    far = std::max(far, placed.position.norm() + *own + placed.rounding);
  }
  if (!(far > 0.0)) return std::nullopt;
  return far;
}

void enlarge(BodySpec& body, double factor) {
  const bool in_plane = body.kind == BodyKind::planar;
  for (PlacedShape& placed : body.shapes) {
    std::visit(Enlarge{factor, in_plane}, placed.shape);
    placed.position *= factor;
    placed.rounding *= factor;
  }
  const double by_mass = std::pow(factor, in_plane ? 2 : 3);
  body.mass *= by_mass;
  body.inertia *= by_mass * factor * factor;
  body.centre_of_mass *= factor;
}

}  // namespace clatter
