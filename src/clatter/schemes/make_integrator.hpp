#pragma once

#include <memory>

#include <clatter/schemes/integrator.hpp>

namespace clatter {

/// The integrator that `spec` names.
std::unique_ptr<Integrator> make_integrator(System& system, const IntegratorSpec& spec);

}  // namespace clatter
