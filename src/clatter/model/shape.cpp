#include <numbers>

#include <clatter/model/specs.hpp>

namespace clatter {
namespace {

using std::numbers::pi;

double volume_of(const SphereShape& s) { return 4.0 / 3.0 * pi * s.radius * s.radius * s.radius; }
double volume_of(const BoxShape& s) { return s.size.prod(); }
double volume_of(const CylinderShape& s) { return pi * s.radius * s.radius * s.length; }
double volume_of(const RodShape& s) { return pi * s.radius * s.radius * s.length; }
double volume_of(const DiscShape& s) { return pi * s.radius * s.radius * s.thickness; }

Vec3 principal(const SphereShape& s) { return Vec3::Constant(0.4 * s.radius * s.radius); }
Vec3 principal(const BoxShape& s) {
  const Vec3 squares = s.size.cwiseAbs2();
  return (Vec3::Constant(squares.sum()) - squares) / 12.0;
}
Vec3 solid_cylinder(double radius, double length) {
  const double across = radius * radius / 4.0 + length * length / 12.0;
  return {across, across, radius * radius / 2.0};
}
Vec3 principal(const CylinderShape& s) { return solid_cylinder(s.radius, s.length); }
Vec3 principal(const DiscShape& s) { return solid_cylinder(s.radius, s.thickness); }
Vec3 principal(const RodShape& s) {
  const double across = s.length * s.length / 12.0;
  return {s.radius * s.radius / 2.0, across, across};
}

}  // namespace

double volume(const Shape& shape) {
  return std::visit([](const auto& s) { return volume_of(s); }, shape);
}

Mat3 inertia_of(const Shape& shape, double mass) {
  const Vec3 per_mass = std::visit([](const auto& s) { return principal(s); }, shape);
  return (mass * per_mass).asDiagonal();
}

}  // namespace clatter
