#pragma once

#include <memory>

#include <clatter/schemes/scheme.hpp>

namespace clatter {

/// The scheme that the settings name.
std::unique_ptr<Scheme> make_scheme(const Machine& machine, const IntegratorSpec& spec);

}  // namespace clatter
