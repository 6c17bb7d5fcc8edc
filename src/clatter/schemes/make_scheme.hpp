#pragma once

#include <memory>

#include <clatter/schemes/scheme.hpp>

namespace clatter {

/// The scheme that the settings name.
std::unique_ptr<Scheme> make_scheme(const Machine& machine, const IntegratorSpec& spec);

/// One that takes the steps for which the problem of the named one has no solution; null when that
/// has all means of its own.
std::unique_ptr<Scheme> make_stand_in(const Machine& machine, const IntegratorSpec& spec);

}  // namespace clatter
