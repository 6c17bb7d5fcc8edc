#pragma once

#include <clatter/contact/law/hertz.hpp>
#include <clatter/machine/model.hpp>

namespace clatter {

/// Of a material with a modulus.
Elasticity elasticity_of(const MaterialSpec& material);
/// Of the materials that a law names; nothing of one that names none.
std::array<Elasticity, 2> elasticities_of(const Model& model, const ForceLawSpec& law);

/// Half the sums of curvatures where a sphere touches what its contact names.
RelativeCurvature curvature_of(const ContactSpec& contact);

/// Where cylinders with parallel axes touch along a line.
LineContact line_of(double length, const std::array<Elasticity, 2>& materials,
                    const ContactSpec& contact);

/// Gives a law that has no stiffness that of its materials: Hertz's, of lines Palmgren's.
void complete(ForceLawSpec& law, const std::array<Elasticity, 2>& materials,
              const ContactSpec& contact);

}  // namespace clatter
