#include <filesystem>
#include <memory>
#include <spawn.h>
#include <unistd.h>

#include <clatter/model/error.hpp>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/interruption.hpp"
#include "app/page.hpp"
#include "app/page_server.hpp"
#include "app/result_directory.hpp"

namespace clatter {
namespace {

struct ViewOptions {
  std::filesystem::path results;
  int port = 0;
  bool no_browser = false;
};

/// Whether it opens or not, the address has been said.
void open_browser(std::string address) {
  std::string program = "xdg-open";
  char* arguments[] = {program.data(), address.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", 1, 0);
  pid_t child = 0;
  posix_spawnp(&child, program.c_str(), &quiet, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&quiet);
}

int view_results(const ViewOptions& options) {
  const ResultDirectory directory{options.results};
  if (!std::filesystem::exists(directory.summary())) {
    throw Error(fmt::format("{}: there are no results of a run here", directory.path.string()));
  }
  catch_interruptions();
  PageServer server(directory.path,
                    page_with(read_page(), "<meta name=\"results\" content=\"run\">"),
                    options.port);
  say("{} shows {}; Ctrl-C ends\n", server.address(), directory.path.string());
  std::fflush(stdout);
  if (!options.no_browser) open_browser(server.address());
  while (!is_interrupted()) server.serve(200);
  return exit_fine;
}

}  // namespace

Action add_view_command(CLI::App& command) {
  const auto options = std::make_shared<ViewOptions>();
  command.add_option("RESULT", options->results, "Result directory of a run, or of modes")
      ->required()
      ->type_name("");
  command.add_option("--port", options->port, "Of 127.0.0.1 [any that is free]")
      ->check(CLI::Range(1, 65535))
      ->type_name("N");
  command.add_flag("--no-browser", options->no_browser, "Only say the address");
  command.footer(
      "Shows animation, plots and summary in the browser, also of a run in progress, which the "
      "page\n"
      "then follows. Only this machine can see them, and only while the command runs.\n\n"
      "Examples:\n"
      "  clatter view block.clatter\n"
      "  clatter run long.toml & clatter view long.clatter");
  return [options] { return view_results(*options); };
}

}  // namespace clatter
