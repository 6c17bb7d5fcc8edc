#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

#include <clatter/math/convex_hull.hpp>
#include <clatter/math/polygon.hpp>
#include <clatter/model/curves.hpp>
#include <clatter/model/mass_properties.hpp>

namespace clatter {
namespace {

using std::numbers::pi;

/// Volume, centre of volume, and inertia about it per mass, in the axes of a shape.
struct Bulk {
  double volume = 0.0;
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

Bulk about_origin(double volume, const Vec3& principal) {
  return {volume, Vec3::Zero(), principal.asDiagonal()};
}

Vec3 inertia_of_cylinder(double radius, double length) {
  const double across = radius * radius / 4.0 + length * length / 12.0;
  return {across, across, radius * radius / 2.0};
}

Vec3 inertia_of_block(const Vec3& squares) { return Vec3::Constant(squares.sum()) - squares; }

Bulk bulk_of(const SphereShape& s) {
  return about_origin(4.0 / 3.0 * pi * s.radius * s.radius * s.radius,
                      Vec3::Constant(0.4 * s.radius * s.radius));
}

Bulk bulk_of(const BoxShape& s) {
  return about_origin(s.size.prod(), inertia_of_block(s.size.cwiseAbs2()) / 12.0);
}

Bulk bulk_of(const CylinderShape& s) {
  return about_origin(pi * s.radius * s.radius * s.length, inertia_of_cylinder(s.radius, s.length));
}

Bulk bulk_of(const DiscShape& s) { return bulk_of(CylinderShape{s.radius, s.thickness}); }

Bulk bulk_of(const RodShape& s) {
  const double across = s.length * s.length / 12.0;
  return about_origin(pi * s.radius * s.radius * s.length,
                      {s.radius * s.radius / 2.0, across, across});
}

Bulk bulk_of(const HalfSpaceShape&) { return {}; }
Bulk bulk_of(const HeightFieldShape&) { return {}; }

// The cylinder, and the two ends that together are a sphere.
Bulk bulk_of(const CapsuleShape& s) {
  const double r = s.radius, l = s.length;
  const Bulk sphere = bulk_of(SphereShape{r}), cylinder = bulk_of(CylinderShape{r, l});
  const double volume = sphere.volume + cylinder.volume;
  const double further = l * l / 4.0 + 3.0 / 8.0 * r * l;  // than if the sphere were in the middle
  const Mat3 ends = sphere.inertia + Mat3(Vec3(further, further, 0.0).asDiagonal());
  return {volume, Vec3::Zero(),
          (sphere.volume * ends + cylinder.volume * cylinder.inertia) / volume};
}

Bulk bulk_of(const ConeShape& s) {
  const double square = s.radius * s.radius;
  const double across = 3.0 / 20.0 * square + 3.0 / 80.0 * s.length * s.length;
  return about_origin(pi / 3.0 * square * s.length, {across, across, 0.3 * square});
}

Bulk bulk_of(const EllipsoidShape& s) {
  return about_origin(4.0 / 3.0 * pi * s.semi_axes.prod(),
                      inertia_of_block(s.semi_axes.cwiseAbs2()) / 5.0);
}

Bulk bulk_of(const RingShape& s) {
  const double circle = s.radius * s.radius, tube = s.tube_radius * s.tube_radius;
  const double across = circle / 2.0 + 5.0 / 8.0 * tube;
  return about_origin(2.0 * pi * pi * s.radius * tube, {across, across, circle + 0.75 * tube});
}

/// Sums of volume and of its moments about a point near it, for round-off.
class Moments {
 public:
  explicit Moments(const Vec3& near) : near_(near) {}

  /// Of what lies between a triangle and the point; negative when it is seen from behind.
  void add_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 x = a - near_, y = b - near_, z = c - near_, sum = x + y + z;
    const double volume = x.cross(y).dot(z) / 6.0;
    volume_ += volume;
    first_ += volume / 4.0 * sum;
    second_ += volume / 20.0 *
               (x * x.transpose() + y * y.transpose() + z * z.transpose() + sum * sum.transpose());
  }

  /// Of a prism over a triangle in the plane of the point, half of it on either side.
  void add_prism(const Vec3& a, const Vec3& b, const Vec3& c, double height) {
    const Vec3 x = a - near_, y = b - near_, z = c - near_, sum = x + y + z;
    const double volume = (y - x).cross(z - x).z() / 2.0 * height;
    volume_ += volume;
    first_ += volume / 3.0 * sum;
    second_ += volume / 12.0 *
               (x * x.transpose() + y * y.transpose() + z * z.transpose() + sum * sum.transpose());
    second_(2, 2) += volume * height * height / 12.0;
  }

  Bulk bulk() const {
    if (volume_ == 0.0) return {};
    const Vec3 centre = first_ / volume_;
    const Mat3 second = second_ / volume_ - centre * centre.transpose();
    return {volume_, near_ + centre, second.trace() * Mat3::Identity() - second};
  }

 private:
  Vec3 near_;
  double volume_ = 0.0;
  Vec3 first_ = Vec3::Zero();
  Mat3 second_ = Mat3::Zero();
};

Vec3 middle_of(const std::vector<Vec3>& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& point : points) sum += point;
  return sum / std::max<double>(1.0, static_cast<double>(points.size()));
}

const Vec3& corner_at(const std::vector<Vec3>& points, int i) {
  return points[static_cast<std::size_t>(i)];
}

Bulk bulk_of(const HullShape& s) {
  const std::optional<ConvexHull> hull = convex_hull(s.points);
  if (!hull) return {};
  Moments moments(middle_of(hull->points));
  for (const std::vector<int>& face : hull->faces) {
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      moments.add_triangle(corner_at(hull->points, face[0]), corner_at(hull->points, face[i]),
                           corner_at(hull->points, face[i + 1]));
    }
  }
  return moments.bulk();
}

Bulk bulk_of(const PolygonShape& s) {
  const double sense = signed_area(s.points) < 0.0 ? -1.0 : 1.0;
  const Vec3 middle = middle_of(s.points);
  Moments moments(middle);
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    moments.add_prism(middle, s.points[i], s.points[(i + 1) % s.points.size()], s.thickness);
  }
  Bulk bulk = moments.bulk();
  bulk.volume *= sense;
  return bulk;
}

Bulk bulk_of(const EllipseShape& s) {
  const Vec3 squares(s.x * s.x / 4.0, s.y * s.y / 4.0, s.thickness * s.thickness / 12.0);
  return about_origin(pi * s.x * s.y * s.thickness, inertia_of_block(squares));
}

Bulk bulk_of_outline(const ArcChain& closed, const Vec3& near, double thickness) {
  const PlaneMoments moments = moments_of(closed, near.head<2>());
  if (moments.area == 0.0) return {};
  const Vec2 centre = moments.first / moments.area;
  Mat3 second = Mat3::Zero();
  second.topLeftCorner<2, 2>() = moments.second / moments.area - centre * centre.transpose();
  second(2, 2) = thickness * thickness / 12.0;
  return {std::abs(moments.area) * thickness, near + Vec3(centre.x(), centre.y(), 0.0),
          second.trace() * Mat3::Identity() - second};
}

Bulk bulk_of(const ProfileShape& s) {
  return bulk_of_outline(chain_of(s), middle_of(s.points), s.thickness);
}
Bulk bulk_of(const SplineShape& s) {
  return bulk_of_outline(chain_of(s), middle_of(s.points), s.thickness);
}
Bulk bulk_of(const WallShape&) { return {}; }

Bulk bulk_of(const MeshShape& s) {
  Moments moments(middle_of(s.points));
  for (const auto& [a, b, c] : s.triangles) {
    moments.add_triangle(corner_at(s.points, a), corner_at(s.points, b), corner_at(s.points, c));
  }
  return moments.bulk();
}

Bulk bulk_of_any(const Shape& shape) {
  return std::visit([](const auto& s) { return bulk_of(s); }, shape);
}

Bulk bulk_of(const PlacedShape& placed) {
  Bulk bulk = bulk_of_any(placed.shape);
  if (placed.hollow) bulk.volume = 0.0;
  return bulk;
}

MassProperties put_together(const std::vector<PlacedShape>& shapes, bool in_plane,
                            const std::vector<Bulk>& bulks, const std::vector<double>& masses) {
  MassProperties all;
  std::vector<Vec3> centres;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    centres.emplace_back(shapes[i].position + axes_of(shapes[i], in_plane) * bulks[i].centre);
    all.mass += masses[i];
    all.centre += masses[i] * centres[i];
  }
  if (!(all.mass > 0.0)) return all;
  all.centre /= all.mass;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Mat3 axes = axes_of(shapes[i], in_plane);
    const Vec3 off = centres[i] - all.centre;
    all.inertia += axes * (masses[i] * bulks[i].inertia) * axes.transpose() +
                   masses[i] * (off.squaredNorm() * Mat3::Identity() - off * off.transpose());
  }
  // Round-off of what was turned.
  all.inertia = (0.5 * (all.inertia + all.inertia.transpose())).eval();
  return all;
}

double thickness_of(const Shape& shape) {
  return std::visit(
      [](const auto& s) -> double {
        using Any = std::decay_t<decltype(s)>;
        if constexpr (requires { s.thickness; }) {
          return s.thickness;
        } else if constexpr (std::is_same_v<Any, BoxShape>) {
          return s.size.z();
        } else if constexpr (std::is_same_v<Any, CylinderShape>) {
          return s.length;
        } else {
          return 1.0;
        }
      },
      shape);
}

}  // namespace

double area_of(const Shape& shape) {
  if (const auto* sphere = std::get_if<SphereShape>(&shape))
    return pi * sphere->radius * sphere->radius;
  return volume(shape) / thickness_of(shape);
}

double volume(const Shape& shape) { return bulk_of_any(shape).volume; }

Mat3 inertia_of(const Shape& shape, double mass) { return mass * bulk_of_any(shape).inertia; }

Mat3 axes_of(const PlacedShape& shape, bool in_plane) {
  Mat3 axes = shape.orientation.normalized().toRotationMatrix();
  if (!in_plane) return axes;
  Mat3 own = Mat3::Identity();
  if (std::holds_alternative<CapsuleShape>(shape.shape)) {
    own << Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX();
  } else if (std::holds_alternative<HalfSpaceShape>(shape.shape)) {
    own << Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY();
  }
  return axes * own;
}

MassProperties properties_of_density(const std::vector<PlacedShape>& shapes, bool in_plane,
                                     double density) {
  std::vector<Bulk> bulks;
  std::vector<double> masses;
  for (const PlacedShape& shape : shapes) {
    bulks.push_back(bulk_of(shape));
    masses.push_back(shape.density.value_or(density) * bulks.back().volume);
  }
  return put_together(shapes, in_plane, bulks, masses);
}

MassProperties properties_of_mass(const std::vector<PlacedShape>& shapes, bool in_plane,
                                  double mass) {
  std::vector<Bulk> bulks;
  double volume = 0.0;
  for (const PlacedShape& shape : shapes) {
    bulks.push_back(bulk_of(shape));
    volume += bulks.back().volume;
  }
  std::vector<double> masses;
  masses.reserve(bulks.size());
  for (const Bulk& bulk : bulks) masses.push_back(mass * (bulk.volume / volume));
  MassProperties all = put_together(shapes, in_plane, bulks, masses);
  all.mass = mass;  // to the last digit
  return all;
}

void take_properties(const MassProperties& properties, BodySpec& body) {
  body.mass = properties.mass;
  if (body.kind == BodyKind::point) return;
  body.centre_of_mass = properties.centre;
  body.inertia.setZero();
  if (body.kind == BodyKind::planar) {
    body.inertia(2, 2) = properties.inertia(2, 2);
  } else {
    body.inertia = properties.inertia;
  }
}

}  // namespace clatter
