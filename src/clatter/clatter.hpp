#pragma once

// All that a program needs to build models, run them and look at them.

#include <clatter/io/model_reader.hpp>
#include <clatter/io/state_archive.hpp>
#include <clatter/machine/machine.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/model/mass_properties.hpp>
#include <clatter/simulation/contact_point.hpp>
#include <clatter/simulation/simulation.hpp>
#include <clatter/version.hpp>
