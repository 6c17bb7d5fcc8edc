#pragma once

#include <string>
#include <string_view>

namespace clatter {

/// The page that shows results, without any: what npm builds in the folder viewer. Throws Error,
/// with what to do, when it is not built.
std::string read_page();

/// The page with something in the place for results. It must hold no markup of others.
std::string page_with(const std::string& page, std::string_view what);

/// The same with results of runs, as page_data() gives them.
std::string element_with_data(const std::string& data);

}  // namespace clatter
