#pragma once

namespace clatter {

/// From now on Ctrl-C, a request to terminate and a closed terminal only set a mark, so that files
/// can be closed in order; a second Ctrl-C ends the process as usual.
void catch_interruptions();
bool is_interrupted();

}  // namespace clatter
