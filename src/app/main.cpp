#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <clatter/model/error.hpp>
#include <clatter/model/nearest_word.hpp>
#include <clatter/version.hpp>

#include "app/command.hpp"
#include "app/console.hpp"

namespace clatter {

void add_set_option(CLI::App& command, std::vector<std::string>& overrides) {
  command
      .add_option("--set", overrides,
                  "Override a value of the model file; may be given several times")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

namespace {

struct Command {
  const char* name;
  const char* description;
  Action (*add)(CLI::App&);
  bool prints_result = true;  ///< on stdout, so that it matters whether that could be written
};

constexpr Command commands[] = {
    {"run", "Simulate a model and write the results", add_run_command, false},
    {"check", "Look for mistakes in a model file", add_check_command},
    {"static", "Find the static equilibrium under the loads", add_static_command},
    {"modes", "Find modes and frequencies of vibration", add_modes_command},
    {"converge", "Study how the error falls with the step", add_converge_command},
    {"compare", "Run a model with several integrators", add_compare_command},
    {"verify", "Compare runs with known figures", add_verify_command},
    {"solve-contact", "Solve contact problems of single steps", add_solve_contact_command},
    {"impact", "Integrate one impact under continuous force laws", add_impact_command},
    {"oscillator", "Find what integrators make of an oscillator", add_oscillator_command},
    {"recover", "Find forces and stresses of impacts of a stored run", add_recover_command},
    {"plot", "Draw channels of stored runs", add_plot_command},
    {"report", "Write a page with animation and plots of runs", add_report_command},
    {"view", "Show a run in the browser", add_view_command, false},
    {"schema", "Print the JSON schema of model files", add_schema_command},
};

/// Said here rather than by the parser, which would only complain about a superfluous argument.
bool complain_about_unknown_command(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  for (const std::string& name : names)
    if (word == name) return false;
  fmt::print(stderr,
             "clatter: there is no command '{}'{}\nThe commands are: {}. See clatter --help.\n",
             word, did_you_mean(word, names), fmt::join(names, ", "));
  return true;
}

int run_program(int argc, char** argv) {
  CLI::App app("clatter simulates machines whose parts collide, slide and flex.", "clatter");
  app.set_version_flag("--version", fmt::format("clatter {}", version));
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND ...");
  app.get_formatter()->label("Subcommands", "Commands");
  app.get_formatter()->label("REQUIRED", "");
  app.footer(
      "Examples:\n"
      "  clatter check block.toml\n"
      "  clatter run block.toml --set integrator.step=1e-4\n"
      "  clatter COMMAND --help");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("clatter: {}\n", error.what());
  });

  std::vector<Action> actions;
  for (const Command& command : commands) {
    actions.push_back(command.add(*app.add_subcommand(command.name, command.description)));
  }

  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return exit_usage;
  }
  if (argv[1][0] != '-' && complain_about_unknown_command(argv[1])) return exit_usage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_fine : exit_usage;
  }
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (!app.got_subcommand(commands[i].name)) continue;
    const int status = actions[i]();
    if (commands[i].prints_result && output_failed())
      throw Error("standard output cannot be written");
    return status;
  }
  return exit_usage;
}

}  // namespace

}  // namespace clatter

int main(int argc, char** argv) {
  try {
    return clatter::run_program(argc, argv);
  } catch (const clatter::Error& error) {
    // Mistakes in a file speak for themselves, one line each.
    for (const clatter::Mistake& mistake : error.mistakes())
      fmt::print(stderr, "{}{}\n", mistake.place.line > 0 ? "" : "clatter: ", to_string(mistake));
  } catch (const std::exception& error) {
    fmt::print(stderr, "clatter: {}\n", error.what());
  }
  return clatter::exit_failed;
}
