#include "dynamics/make_integrator.hpp"

#include "dynamics/nsga.hpp"

namespace clatter {

std::unique_ptr<Integrator> make_integrator(System& system, const IntegratorSpec& spec) {
  return std::make_unique<Nsga>(system, spec);
}

}  // namespace clatter
