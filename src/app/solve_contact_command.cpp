#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include <clatter/contact/solvers/contact_solver.hpp>
#include <clatter/io/contact_problem_file.hpp>
#include <clatter/model/error.hpp>

#include "app/command.hpp"
#include "app/console.hpp"

namespace clatter {

namespace {

namespace fs = std::filesystem;

struct SolveContactOptions {
  std::vector<std::string> files;
  std::string solver = "automatic";
  ContactSolverOptions settings;
  int repeats = 1;
  bool json = false, reactions = false;
};

struct SolvedProblem {
  fs::path file;
  std::size_t contacts = 0;
  ContactSolution solution;
  ContactError error;
  double time = 0.0;  ///< the shortest of the repeats [s]
  VecX r;
};

/// Files as they are given; of directories, those that end in .h5.
std::vector<fs::path> list_files(const std::vector<std::string>& names) {
  std::vector<fs::path> files;
  for (const fs::path name : names) {
    std::error_code reason;
    if (!fs::is_directory(name, reason)) {
      files.push_back(name);
      continue;
    }
    std::vector<fs::path> inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(name, reason))
      if (entry.path().extension() == ".h5") inside.push_back(entry.path());
    if (reason)
      throw Error(fmt::format("{}: cannot read this folder: {}", name.string(), reason.message()));
    if (inside.empty()) throw Error(fmt::format("{}: there are no .h5 files here", name.string()));
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

SolvedProblem solve_one(const fs::path& file, const SolveContactOptions& options) {
  using Clock = std::chrono::steady_clock;
  const ContactProblem problem = load_contact_problem(file);
  const double finest = options.settings.tolerance;
  SolvedProblem result{file, problem.contacts.size(), {}, {}, INFINITY, {}};
  ContactSolver solver;
  for (int k = 0; k < options.repeats; ++k) {
    result.r.setZero(problem.b.size());
    const Clock::time_point start = Clock::now();
    result.solution = solver.solve(problem, options.settings, result.r);
    result.time =
        std::min(result.time, std::chrono::duration<double>(Clock::now() - start).count());
  }
  result.error = contact_error(problem, result.r);
  // What solvers stop at depends on units, and so may stop them too early.
  ContactSolverOptions finer = options.settings;
  for (int k = 0; k < 3 && result.solution.solved && !(result.error.scaled <= finest); ++k) {
    finer.tolerance *= 0.01;
    const ContactSolution more = solver.solve(problem, finer, result.r);
    result.solution.iterations += more.iterations;
    result.error = contact_error(problem, result.r);
  }
  result.solution.solved = result.error.scaled <= finest;
  return result;
}

nlohmann::json to_json(const SolvedProblem& problem, bool with_reactions) {
  nlohmann::json entry = {{"file", problem.file.string()},
                          {"problem", problem.file.stem().string()},
                          {"contacts", problem.contacts},
                          {"rows", problem.r.size()},
                          {"islands", problem.solution.islands},
                          {"solver", to_string(problem.solution.solver)},
                          {"iterations", problem.solution.iterations},
                          {"error", problem.error.common},
                          {"scaled_error", problem.error.scaled},
                          {"time", problem.time},
                          {"solved", problem.solution.solved}};
  if (with_reactions)
    entry["reactions"] = std::vector<double>(problem.r.data(), problem.r.data() + problem.r.size());
  return entry;
}

void print_table(const std::vector<SolvedProblem>& problems) {
  std::vector<std::vector<std::string>> lines = {{"problem", "contacts", "rows", "solver",
                                                  "iterations", "error", "scaled error",
                                                  "time [ms]", "verdict"}};
  std::size_t solved = 0;
  for (const SolvedProblem& problem : problems) {
    lines.push_back(
        {problem.file.stem().string(), std::to_string(problem.contacts),
         std::to_string(problem.r.size()), std::string(to_string(problem.solution.solver)),
         std::to_string(problem.solution.iterations), fmt::format("{:.1e}", problem.error.common),
         fmt::format("{:.1e}", problem.error.scaled), format_number(1e3 * problem.time),
         problem.solution.solved ? "solved" : "NOT SOLVED"});
    solved += problem.solution.solved;
  }
  print_text(align(lines, {0, 3, 8}));
  say("\n{} of {} solved\n", solved, problems.size());
}

int solve_contacts(SolveContactOptions& options) {
  options.settings.solver = contact_solver_of(options.solver).value();
  std::vector<SolvedProblem> problems;
  std::vector<Mistake> mistakes;  // a damaged file does not keep the others from being solved
  for (const fs::path& file : list_files(options.files)) {
    try {
      problems.push_back(solve_one(file, options));
    } catch (const Error& error) {
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
    }
  }
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const SolvedProblem& problem : problems)
      list.push_back(to_json(problem, options.reactions));
    say("{}\n", list.dump(options.reactions ? -1 : 2));
  } else if (!problems.empty()) {
    print_table(problems);
  }
  if (!mistakes.empty()) throw Error(mistakes);
  return std::all_of(problems.begin(), problems.end(),
                     [](const SolvedProblem& problem) { return problem.solution.solved; })
             ? exit_fine
             : exit_failed;
}

}  // namespace

Action add_solve_contact_command(CLI::App& command) {
  const auto options = std::make_shared<SolveContactOptions>();
  command.add_option("FILE", options->files, "Contact problems (HDF5), or folders of them")
      ->required()
      ->type_name("");
  command.add_option("--solver", options->solver, "Contact solver [automatic]")
      ->check(CLI::IsMember({"automatic", "newton", "fixed-point", "gauss-seidel",
                             "regularised-newton", "alternating"}))
      ->type_name("NAME");
  command
      .add_option("--tolerance", options->settings.tolerance,
                  "Largest error of what counts as solved [1e-8]")
      ->check(CLI::PositiveNumber)
      ->type_name("NUMBER");
  command
      .add_option("--max-iterations", options->settings.max_iterations,
                  "Iterations of a solver on an island of contacts [what suits it]")
      ->check(CLI::Range(1, 1000000000))
      ->type_name("N");
  command
      .add_option("--repeat", options->repeats, "Solve so often, and tell the shortest time [1]")
      ->check(CLI::Range(1, 1000000000))
      ->type_name("N");
  command.add_flag("--json", options->json, "Print JSON instead of a table");
  command.add_flag("--reactions", options->reactions, "With --json: the reactions, too");
  command.footer(
      "Solves the contact problem of a single step: reactions r and velocities u = W r + q that "
      "obey\n"
      "Signorini and Coulomb. The error is |r - P(r - u^)| / |q|, with P the projection on the "
      "friction\n"
      "cones; the scaled error does not depend on units, and decides what is solved. Solvers: "
      "automatic, newton, fixed-point,\n"
      "gauss-seidel, regularised-newton, alternating. The exit status is 1 when one problem is not "
      "solved.\n\n"
      "Examples:\n"
      "  clatter solve-contact problem.h5\n"
      "  clatter solve-contact problems/ --solver newton --repeat 10 --json");
  return [options] { return solve_contacts(*options); };
}

}  // namespace clatter
