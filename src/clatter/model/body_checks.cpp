#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// Slack for inertias that were computed elsewhere and written with finitely many digits.
constexpr double inertia_slack = 1e-6;
// Those of a thin disc are 1 : 1 : 2, and typed with five digits they may miss that.
constexpr double digits_of_moments = 1e-4;
// How far the orientation of a planar body may be off its angle [rad]: round-off.
constexpr double angle_slack = 1e-6;

// What is wrong with a matrix of inertia, or nothing.
std::optional<std::string> unphysical(const Mat3& inertia) {
  if (!inertia.allFinite()) return "must be finite numbers";
  const double size = inertia.cwiseAbs().maxCoeff();
  if (size == 0.0) return "must be positive";
  const Mat3 scaled = inertia / size;
  if (!scaled.isApprox(scaled.transpose(), inertia_slack)) return "must be symmetric";
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(scaled, Eigen::EigenvaluesOnly);
  const Vec3& moments = solver.eigenvalues();
  if (!(moments[0] > 0.0)) {
    return fmt::format("must be positive definite, but has a principal moment of {} kg m²",
                       moments[0] * size);
  }
  if (moments[0] + moments[1] < moments[2] * (1.0 - digits_of_moments)) {
    return fmt::format(
        "belongs to no body: of the principal moments {}, {} and {} kg m² the largest exceeds the "
        "sum of the others",
        moments[0] * size, moments[1] * size, moments[2] * size);
  }
  return std::nullopt;
}

void check_inertia(const ObjectCheck& object, const BodySpec& body) {
  if (body.kind == BodyKind::planar) {
    object.number("inertia", body.inertia(2, 2), ranges::positive);
  } else if (body.kind == BodyKind::rigid) {
    if (const auto wrong = unphysical(body.inertia)) {
      object.refuse("inertia", fmt::format("'inertia' {}", *wrong));
    }
  }
}

void check_point_motion(const ObjectCheck& object, const BodySpec& body) {
  object.vector("position", body.position);
  object.vector("velocity", body.velocity);
  const auto refuse = [&](std::string_view key) {
    object.refuse(key, fmt::format("'{}' has no meaning for a point body", key));
  };
  if (!body.centre_of_mass.isZero(0.0)) refuse("centre_of_mass");
  if (!body.orientation.coeffs().isApprox(Quaternion::Identity().coeffs())) refuse("orientation");
  if (!body.angular_velocity.isZero(0.0)) refuse("angular_velocity");
}

void check_planar_motion(const ObjectCheck& object, const BodySpec& body) {
  object.vector_in_plane("position", body.position);
  object.vector_in_plane("velocity", body.velocity);
  object.vector_in_plane("centre_of_mass", body.centre_of_mass);
  if (object.vector("angular_velocity", body.angular_velocity) &&
      !body.angular_velocity.head<2>().isZero(0.0)) {
    object.refuse("angular_velocity",
                  "'angular_velocity': planar bodies turn about z, so the x and y components must "
                  "be 0");
  }
  if (!object.number("angle", body.angle)) return;
  const Quaternion turned(Eigen::AngleAxisd(body.angle, Vec3::UnitZ()));
  const Quaternion& given = body.orientation;
  const bool is_left_out = given.coeffs() == Quaternion::Identity().coeffs();
  if (is_left_out || given.angularDistance(turned) <= angle_slack) return;
  object.refuse("orientation",
                "'orientation' has no meaning for a planar body, whose 'angle' says how it is "
                "turned");
}

void check_rigid_motion(const ObjectCheck& object, const BodySpec& body) {
  object.vector("position", body.position);
  object.vector("velocity", body.velocity);
  object.vector("centre_of_mass", body.centre_of_mass);
  object.vector("angular_velocity", body.angular_velocity);
  const double size = body.orientation.coeffs().norm();
  if (!(size > 0.0) || !std::isfinite(size)) {
    object.refuse("orientation", "'orientation' must be finite numbers that are not all zero");
  }
}

}  // namespace

void check_body(const BodySpec& body, bool shapes_are_sound, std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("body '{}'", body.name), body.place, body.keys, mistakes);
  if (!object.knows("kind")) return;
  object.number("mass", body.mass, ranges::positive);
  // What is wrong with shapes and the inertia that comes from them is said of the shapes.
  if (shapes_are_sound) check_inertia(object, body);
  switch (body.kind) {
    case BodyKind::point:
      return check_point_motion(object, body);
    case BodyKind::planar:
      return check_planar_motion(object, body);
    case BodyKind::rigid:
      return check_rigid_motion(object, body);
  }
}

}  // namespace clatter
