#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <clatter/view/page_data.hpp>

namespace clatter {

/// The page that shows results, without any: what npm builds in the folder viewer. Throws Error,
/// with what to do, when it is not built.
std::string read_page();

/// The page with something in the place for results. It must hold no markup of others.
std::string page_with(const std::string& page, std::string_view what);

/// The page with the results of directories in it. `before`: elements that stand before them.
std::string page_of(const std::vector<std::string>& directories, const PageLimits& limits,
                    const std::string& before = "");

}  // namespace clatter
