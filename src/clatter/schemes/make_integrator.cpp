#include <clatter/schemes/make_integrator.hpp>
#include <clatter/schemes/moreau.hpp>
#include <clatter/schemes/nsga.hpp>
#include <clatter/schemes/nsga_coupled.hpp>

namespace clatter {

std::unique_ptr<Integrator> make_integrator(System& system, const IntegratorSpec& spec) {
  switch (spec.kind) {
    case IntegratorKind::nsga_coupled:
      return std::make_unique<NsgaCoupled>(system, spec);
    case IntegratorKind::moreau:
      return std::make_unique<Moreau>(system, spec);
    case IntegratorKind::nsga:
      break;
  }
  return std::make_unique<Nsga>(system, spec);
}

}  // namespace clatter
