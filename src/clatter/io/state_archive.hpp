#pragma once

#include <string>
#include <string_view>

#include <clatter/machine/state.hpp>
#include <clatter/simulation/run_statistics.hpp>

namespace clatter {

// States as bytes, exact to the last bit, for files of this machine's kind (byte order, sizes).

std::string pack(const State& state);
std::string pack(const RunStatistics& statistics);

/// Throw Error when the bytes are not what pack() gave.
State unpack_state(std::string_view bytes);
RunStatistics unpack_statistics(std::string_view bytes);

}  // namespace clatter
