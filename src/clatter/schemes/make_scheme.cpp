#include <clatter/schemes/energy_consistent/energy_consistent.hpp>
#include <clatter/schemes/make_scheme.hpp>
#include <clatter/schemes/moreau/moreau.hpp>
#include <clatter/schemes/newmark/newmark.hpp>
#include <clatter/schemes/nsga/nsga.hpp>
#include <clatter/schemes/nsga_coupled/nsga_coupled.hpp>
#include <clatter/schemes/verlet/verlet.hpp>

namespace clatter {

std::unique_ptr<Scheme> make_scheme(const Machine& machine, const IntegratorSpec& spec) {
  switch (spec.kind) {
    case IntegratorKind::nsga_coupled:
      return std::make_unique<NsgaCoupled>(machine, spec);
    case IntegratorKind::moreau:
      return std::make_unique<Moreau>(machine, spec);
    case IntegratorKind::generalized_alpha:
      return std::make_unique<Newmark>(machine, spec,
                                       GeneralizedAlpha(spec.rho_inf, spec.coefficients));
    case IntegratorKind::newmark:
      return std::make_unique<Newmark>(machine, spec, GeneralizedAlpha(spec.gamma, spec.beta));
    case IntegratorKind::energy_consistent:
      return std::make_unique<EnergyConsistent>(machine, spec);
    case IntegratorKind::verlet:
      return std::make_unique<Verlet>(machine, spec);
    case IntegratorKind::nsga:
      break;
  }
  return std::make_unique<Nsga>(machine, spec);
}

std::unique_ptr<Scheme> make_stand_in(const Machine& machine, const IntegratorSpec& spec) {
  if (spec.kind != IntegratorKind::nsga_coupled) return nullptr;
  IntegratorSpec decoupled = spec;
  decoupled.kind = IntegratorKind::nsga;
  return std::make_unique<Nsga>(machine, decoupled);
}

}  // namespace clatter
