#pragma once

#include <clatter/contact/law/friction_law.hpp>

namespace clatter {

/// Natural map residual of one contact with so many rows: out := r - P(r - rho u^), which is zero
/// where the reaction r and the velocity u obey the law, for any rho > 0. With one ball u^ = u + mu
/// |u_T| e_N, and P is the projection on the cone K = {|r_T| <= mu r_N}. Contacts with several
/// balls are projected one ball after the other (projection.hpp), with u^ = u.
void natural_map(const ContactLaw& law, int rows, double rho, const double* r, const double* u,
                 double* out);

}  // namespace clatter
