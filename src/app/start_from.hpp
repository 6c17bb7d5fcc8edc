#pragma once

#include <string>
#include <vector>

#include <clatter/simulation/simulation.hpp>

namespace clatter {

/// The motion of all bodies and nodes of beams in the results of a run, "DIRECTORY" at its end or
/// "DIRECTORY@TIME" at the sample nearest to a time [s]. Throws Error.
std::vector<NodeMotion> motions_of(const std::string& directory_and_time);

}  // namespace clatter
