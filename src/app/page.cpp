#include "app/page.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include <clatter/io/base64.hpp>
#include <clatter/model/error.hpp>

namespace clatter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view place_for_results = "<!--results-->";

/// Beside an installed program, else in the source tree that it was built from.
fs::path page_file() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / "share/clatter/page.html";
  return fs::exists(installed, ignored) ? installed : fs::path(CLATTER_PAGE_FILE);
}

}  // namespace

std::string read_page() {
  const fs::path path = page_file();
  std::ifstream stream(path, std::ios::binary);
  std::string page{std::istreambuf_iterator<char>(stream), {}};
  if (page.find(place_for_results) == std::string::npos) {
    throw Error(
        fmt::format("{}: the page that shows results is not built; './clatter report' in the "
                    "source tree builds it, or 'npm ci && npm run build' in its folder viewer",
                    path.string()));
  }
  return page;
}

std::string page_with(const std::string& page, std::string_view what) {
  std::string result = page;
  return result.replace(result.find(place_for_results), place_for_results.size(), what);
}

std::string page_of(const std::vector<std::string>& directories, const PageLimits& limits,
                    const std::string& before) {
  const std::string page = read_page();
  std::string elements = before;
  for (const std::string& directory : directories) {
    const std::string data = page_data(directory, limits);
    elements += "<script type=\"text/plain\" class=\"run\">";
    add_base64(elements, data.data(), data.size());
    elements += "</script>\n";
  }
  return page_with(page, elements);
}

}  // namespace clatter
