#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

// Stiffnesses and masses beyond these leave the range of double when they are multiplied.
constexpr double largest_product = 1e100;
constexpr double smallest_product = 1e-100;
// Legs shorter than this lose digits when they are squared.
constexpr double shortest_leg = 1e-100;

ObjectCheck check_of(const BeamSpec& beam, std::vector<Mistake>& mistakes) {
  return {fmt::format("beam '{}'", beam.name), beam.place, beam.keys, mistakes};
}

// ---- Section and material

struct SectionCheck {
  const ObjectCheck& object;

  bool operator()(const CircleSection& s) const { return size("section.radius", s.radius); }
  bool operator()(const TubeSection& s) const {
    if (!size("section.radius", s.radius) || !size("section.thickness", s.thickness)) return false;
    return s.thickness < s.radius ||
           object.refuse("section.thickness",
                         "'thickness' of a tube must be less than its 'radius'; use a circle");
  }
  bool operator()(const RectangleSection& s) const {
    const bool good = size("section.width", s.width);
    return size("section.height", s.height) && good;
  }
  bool operator()(const ISection& s) const {
    bool good = size("section.width", s.width);
    good = size("section.height", s.height) && good;
    good = size("section.flange", s.flange) && good;
    good = size("section.web", s.web) && good;
    if (!good) return false;
    if (2.0 * s.flange >= s.height) {
      return object.refuse("section.flange",
                           "'flange': two flanges must be thinner than the 'height' of the I");
    }
    return s.web <= s.width ||
           object.refuse("section.web", "'web' must not be thicker than the 'width' of the I");
  }

 private:
  bool size(const char* key, double value) const {
    return object.number(key, value, ranges::positive);
  }
};

bool check_section(const ObjectCheck& object, const BeamSpec& beam) {
  if (!object.knows("section")) return false;
  const BeamSection& s = beam.section;
  bool good = true;
  const auto check = [&](const char* key, double value) {
    good = object.number(key, value, ranges::positive) && good;
  };
  check("section.shear_y", s.shear_y);
  if (!beam.planar) check("section.shear_z", s.shear_z);
  if (s.shape) return std::visit(SectionCheck{object}, *s.shape) && good;
  check("section.area", s.area);
  check("section.I_z", s.I_z);
  if (beam.planar) return good;
  check("section.I_y", s.I_y);
  check("section.J", s.J);
  return good;
}

// Whether stiffnesses and masses per length are numbers that can be computed with.
bool is_computable(const BeamSpec& beam) {
  const BeamSection& s = beam.section;
  const double E = beam.youngs_modulus, G = beam.shear_modulus, rho = beam.density;
  std::vector<double> products = {E * s.area, G * s.area * s.shear_y, E * s.I_z, rho * s.area,
                                  rho * s.I_z};
  if (!beam.planar) {
    products.insert(products.end(), {G * s.area * s.shear_z, E * s.I_y, G * s.J, rho * s.I_y});
  }
  return std::all_of(products.begin(), products.end(), [](double product) {
    return product >= smallest_product && product <= largest_product;
  });
}

void check_material(const ObjectCheck& object, const BeamSpec& beam) {
  bool good = object.number("youngs_modulus", beam.youngs_modulus, ranges::positive);
  good = object.number("shear_modulus", beam.shear_modulus, ranges::positive) && good;
  good = object.number("density", beam.density, ranges::positive) && good;
  object.number("mass_damping", beam.mass_damping, ranges::not_negative);
  object.number("stiffness_damping", beam.stiffness_damping, ranges::not_negative);
  if (!check_section(object, beam) || !good || is_computable(beam)) return;
  object.refuse("section",
                "'section' gives a stiffness or mass that is too large or too small to compute "
                "with");
}

// ---- Centre line

bool check_corners(const ObjectCheck& object, const BeamSpec& beam) {
  if (!object.knows("points")) return false;
  if (beam.points.size() < 2) {
    return object.refuse("points", fmt::format("'points': expected at least two corners, found {}",
                                               beam.points.size()));
  }
  if (!object.points("points", beam.points, beam.planar)) return false;
  for (std::size_t i = 1; i < beam.points.size(); ++i) {
    if ((beam.points[i] - beam.points[i - 1]).cwiseAbs().maxCoeff() > shortest_leg) continue;
    return object.refuse_entry("points", i, "'points': this corner is where the one before is");
  }
  return true;
}

bool check_curvature(const ObjectCheck& object, const BeamSpec& beam) {
  bool good = true;
  const auto check = [&](const char* key, const Vec3& curvature) {
    good = object.vector(key, curvature) && good;
    if (!good) return;
    if (beam.planar && !curvature.head<2>().isZero(0.0)) {
      good = object.refuse(key, fmt::format("'{}': a planar beam bends about z, so the x and y "
                                            "components must be 0",
                                            key));
    }
    if (beam.points.size() > 2 && !curvature.isZero(0.0)) {
      good = object.refuse_key(key, fmt::format("'{}': a beam with corners cannot have one", key));
    }
  };
  check("curvature", beam.curvature);
  if (beam.unstressed_curvature) check("unstressed_curvature", *beam.unstressed_curvature);
  return good;
}

bool check_elements(const ObjectCheck& object, const BeamSpec& beam, int elements_left) {
  if (!object.whole_number("elements", beam.elements, ranges::elements)) return false;
  const auto legs = static_cast<int>(beam.points.size()) - 1;
  if (beam.elements < legs) {
    return object.refuse(
        "elements", fmt::format("'elements': {} legs need at least {} elements, found {}", legs,
                                legs, beam.elements));
  }
  const Vec3 unstressed = beam.unstressed_curvature.value_or(beam.curvature);
  const double turn =
      std::max(beam.curvature.stableNorm(), unstressed.stableNorm()) * length_of(beam);
  if (turn > largest_element_turn * beam.elements) {
    return object.refuse(
        "elements",
        fmt::format("'elements': the curvature turns the sections by {:.4g} rad in all; "
                    "take at least {:.0f} elements, so that none turns by more than "
                    "120 degrees",
                    turn, std::ceil(turn / largest_element_turn)));
  }
  if (beam.elements <= elements_left) return true;
  return object.refuse("elements", fmt::format("'elements': the beams of a model can have {} "
                                               "elements together, not more",
                                               most_beam_elements));
}

// The mesh, when there can be one.
std::optional<BeamMesh> check_centre_line(const ObjectCheck& object, const BeamSpec& beam,
                                          int elements_left) {
  if (!object.knows("kind")) return std::nullopt;
  bool good = check_corners(object, beam);
  good = check_curvature(object, beam) && good;
  if (good) {
    good = check_elements(object, beam, elements_left);
  } else {
    object.whole_number("elements", beam.elements, ranges::elements);
  }
  if (beam.y_axis) {
    if (beam.planar) {
      good = object.refuse_key("y_axis", "'y_axis' has no meaning for a planar beam");
    } else {
      good = object.direction("y_axis", *beam.y_axis) && good;
    }
  } else {
    good = object.knows("y_axis") && good;
  }
  if (!good) return std::nullopt;
  try {
    return mesh_of(beam);
  } catch (const Error&) {  // the rest has been checked
    object.refuse("y_axis", "'y_axis' must not lie along the beam");
    return std::nullopt;
  }
}

// ---- Loads and motion

void check_loads(const ObjectCheck& object, const BeamSpec& beam) {
  if (beam.planar) {
    object.formulas_in_plane("line_force", beam.line_force);
    object.formulas_about_z("line_torque", beam.line_torque);
  } else {
    object.formulas("line_force", beam.line_force);
    object.formulas("line_torque", beam.line_torque);
  }
}

// ---- Surface

void check_surface(const ObjectCheck& object, const BeamSpec& beam) {
  if (beam.contact_radius) {
    object.number("contact_radius", *beam.contact_radius, ranges::positive);
  }
  if (beam.material.empty()) {
    if (!object.knows("material")) return;
    if (beam.contact_radius) {
      object.refuse_key("contact_radius", "'contact_radius' has no meaning without 'material'");
    }
    if (beam.touch_itself) {
      object.refuse_key("touch_itself", "'touch_itself' has no meaning without 'material'");
    }
    return;
  }
  if (!object.knows("section") || !object.knows("contact_radius") || contact_radius_of(beam))
    return;
  object.refuse("material",
                "'material': this section is not round, so that the beam does not know how thick "
                "it is where it touches; give 'contact_radius'");
}

void check_motion(const ObjectCheck& object, const BeamSpec& beam) {
  if (!beam.planar) {
    object.vector("velocity", beam.velocity);
    object.vector("angular_velocity", beam.angular_velocity);
    return;
  }
  object.vector_in_plane("velocity", beam.velocity);
  if (object.vector("angular_velocity", beam.angular_velocity) &&
      !beam.angular_velocity.head<2>().isZero(0.0)) {
    object.refuse("angular_velocity",
                  "'angular_velocity': planar beams turn about z, so the x and y components must "
                  "be 0");
  }
}

}  // namespace

std::optional<BeamMesh> mesh_if_possible(const BeamSpec& beam, int elements_left) {
  std::vector<Mistake> ignored;
  return check_centre_line(check_of(beam, ignored), beam, elements_left);
}

void check_beam(const BeamSpec& beam, int elements_left, std::vector<Mistake>& mistakes) {
  const ObjectCheck object = check_of(beam, mistakes);
  if (!object.knows("kind")) return;
  check_material(object, beam);
  check_centre_line(object, beam, elements_left);
  check_loads(object, beam);
  check_motion(object, beam);
  check_surface(object, beam);
}

}  // namespace clatter
