#include <filesystem>
#include <memory>

#include <clatter/io/output_stream.hpp>
#include <clatter/model/error.hpp>
#include <clatter/view/page_data.hpp>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/page.hpp"

namespace clatter {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> results;
  fs::path out;
  PageLimits limits;
};

int report_results(const ReportOptions& options) {
  const std::string page = read_page();
  std::string elements;
  for (const std::string& result : options.results) {
    elements += element_with_data(page_data(result, options.limits));
  }
  const fs::path out = !options.out.empty()
                           ? options.out
                           : fs::path(fs::path(options.results[0]).stem().string() + ".html");
  const std::string text = page_with(page, elements);
  replace_file(out, text);
  say("{}: {:.1f} MB, opens in a browser without network\n", out.string(),
      1e-6 * static_cast<double>(text.size()));
  return exit_fine;
}

}  // namespace

Action add_report_command(CLI::App& command) {
  const auto options = std::make_shared<ReportOptions>();
  command.add_option("RESULT", options->results, "Result directories of runs")
      ->required()
      ->type_name("");
  command.add_option("-o,--out", options->out, "The page [<result>.html]")->type_name("FILE");
  command.add_option("--frames", options->limits.frames, "At most so many in the animation [600]")
      ->check(CLI::Range(1, 100000))
      ->type_name("N");
  command.add_option("--samples", options->limits.samples, "At most so many in plots [4000]")
      ->check(CLI::Range(2, 10000000))
      ->type_name("N");
  command.footer(
      "Writes one file with animation, plots and summary, to be opened in any browser or sent by\n"
      "mail; it needs no network. Several runs are shown over each other.\n\n"
      "Examples:\n"
      "  clatter report block.clatter\n"
      "  clatter report coarse.clatter fine.clatter -o both.html");
  return [options] { return report_results(*options); };
}

}  // namespace clatter
