#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace clatter {

// Each command adds its options to the program and tells what to do once they are parsed. The
// result is the exit status: 0 fine, 1 a mistake in the input or a failed run, 2 a wrong command
// line.

using Action = std::function<int()>;

Action add_run_command(CLI::App& command);
Action add_check_command(CLI::App& command);
Action add_static_command(CLI::App& command);
Action add_modes_command(CLI::App& command);
Action add_converge_command(CLI::App& command);
Action add_compare_command(CLI::App& command);
Action add_verify_command(CLI::App& command);
Action add_solve_contact_command(CLI::App& command);
Action add_impact_command(CLI::App& command);
Action add_oscillator_command(CLI::App& command);
Action add_recover_command(CLI::App& command);
Action add_plot_command(CLI::App& command);
Action add_report_command(CLI::App& command);
Action add_view_command(CLI::App& command);
Action add_schema_command(CLI::App& command);

inline constexpr int exit_fine = 0, exit_failed = 1, exit_usage = 2, exit_interrupted = 130;

/// The option --set KEY=VALUE, once per override.
void add_set_option(CLI::App& command, std::vector<std::string>& overrides);

}  // namespace clatter
