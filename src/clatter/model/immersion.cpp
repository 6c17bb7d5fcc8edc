#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <clatter/model/immersion.hpp>
#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

/// Part of a body's size by which what it displaces may be off its centre of mass.
constexpr double centred = 1e-9;

bool has_volume(const PlacedShape& placed) {
  return !placed.hollow && !std::holds_alternative<WallShape>(placed.shape) &&
         !std::holds_alternative<HalfSpaceShape>(placed.shape);
}

}  // namespace

bool is_sphere(const std::vector<PlacedShape>& shapes) {
  return shapes.size() == 1 && std::holds_alternative<SphereShape>(shapes[0].shape);
}

bool is_in(const FluidSpec& fluid, const BodySpec& body) {
  return fluid.bodies.empty() ||
         std::find(fluid.bodies.begin(), fluid.bodies.end(), body.name) != fluid.bodies.end();
}

MassProperties displaced_by(const std::vector<PlacedShape>& shapes, bool in_plane, double density) {
  std::vector<PlacedShape> full = shapes;
  for (PlacedShape& shape : full) shape.density.reset();
  return properties_of_density(full, in_plane, density);
}

double stokes_radius(const std::vector<PlacedShape>& shapes, bool in_plane) {
  if (is_sphere(shapes)) return std::get<SphereShape>(shapes[0].shape).radius;
  const double volume = displaced_by(shapes, in_plane, 1.0).mass;
  if (!in_plane) return std::cbrt(0.75 * volume / std::numbers::pi);
  double area = 0.0;
  for (const PlacedShape& shape : shapes) area += area_of(shape.shape);
  return std::sqrt(area / std::numbers::pi);
}

void check_fluid(const FluidSpec& fluid, const std::vector<BodySpec>& bodies, bool has_beams,
                 BodyLookup& lookup, std::vector<Mistake>& mistakes) {
  const ObjectCheck object("the fluid", fluid.place, fluid.keys, mistakes);
  object.number("density", fluid.density, ranges::not_negative);
  object.number("viscosity", fluid.viscosity, ranges::not_negative);
  for (const std::string& name : fluid.bodies) find_body(object, "bodies", name, lookup);
  if (has_beams && fluid.bodies.empty() && object.knows("bodies")) {
    object.refuse_object(
        "[fluid] acts on bodies, not on beams: name those that are in it, bodies = [\"ball\"]");
  }
  const BodySpec* last = nullptr;
  for (const BodySpec& body : bodies) {
    if (!is_in(fluid, body) || body.keys.is_doubtful("shape")) continue;
    // One copy stands for all.
    if (last != nullptr && body.place.line > 0 && body.place.line == last->place.line) continue;
    last = &body;
    if (body.shapes.empty() || !std::all_of(body.shapes.begin(), body.shapes.end(), has_volume)) {
      object.refuse_object(fmt::format(
          "body '{}' is in the fluid and has no shape with a volume, which buoyancy and drag need; "
          "give it a 'shape', or name those that are in the fluid in 'bodies'",
          body.name));
      continue;
    }
    const bool in_plane = body.kind == BodyKind::planar;
    const MassProperties displaced = displaced_by(body.shapes, in_plane, 1.0);
    const double size = stokes_radius(body.shapes, in_plane);
    if ((displaced.centre - body.centre_of_mass).norm() > centred * size) {
      object.refuse_object(
          fmt::format("body '{}': what it displaces has its centre elsewhere than its mass, so "
                      "that buoyancy would turn it, which [fluid] does not do",
                      body.name));
    }
  }
}

}  // namespace clatter
