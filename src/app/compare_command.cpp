#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>
#include <clatter/studies/convergence.hpp>

#include "app/command.hpp"
#include "app/console.hpp"

namespace clatter {

namespace {

struct CompareOptions {
  std::filesystem::path model;
  std::vector<std::string> integrators;  ///< none: all that have contacts of the model's kind
  std::string reference;                 ///< empty: the usual one of these
  int halvings = 3;
  std::vector<std::string> overrides;
  bool json = false;
};

/// What one integrator made of the model, at the model's own step.
struct Trial {
  IntegratorKind kind;
  std::string problem;  ///< why there is nothing else
  RunStatistics statistics;
  double energy_error = 0.0;  ///< [J] that neither forces nor losses explain
  double seconds = 0.0;
  std::optional<ConvergenceStudy> study;
};

IntegratorKind kind_of(const std::string& name) {
  const auto found = std::find(integrator_names.begin(), integrator_names.end(), name);
  return static_cast<IntegratorKind>(found - integrator_names.begin());
}

/// A contact that gives way becomes hard; its spring alone would have lost nothing.
template <class Spec>
void harden(Spec& spec, SurfaceLaw& law) {
  if (spec.compliance && spec.compliance->law == NormalLawKind::hooke) law.restitution = 1.0;
  spec.compliance.reset();
}

bool makes_hard(const Model& model, IntegratorKind kind) {
  return traits_of(model.integrator.kind).is_compliant && !traits_of(kind).is_compliant;
}

/// The model with another integrator, less what that one cannot do.
Model with_integrator(Model model, IntegratorKind kind) {
  if (makes_hard(model, kind)) {
    for (ContactSpec& contact : model.contacts) harden(contact, contact);
    for (ContactGroupSpec& group : model.contact_groups) harden(group.contact, group.contact);
    for (MaterialSpec& material : model.materials) harden(material, material.law);
    for (MaterialPairSpec& pair : model.material_pairs) harden(pair, pair.law);
  }
  model.integrator.kind = kind;
  const SchemeTraits& traits = traits_of(kind);
  if (!traits.locates_impacts) model.integrator.locate_impacts = false;
  if (!traits.passes_impacts) model.integrator.multi_impact = false;
  if (!traits.may_drift) {
    model.integrator.position_friction = model.integrator.position_rolling = true;
  }
  if (!traits.asks_solvers) model.integrator.contact_solver.reset();
  return model;
}

/// Abilities that the model asks for and the integrator does not have.
std::string what_is_left_out(const Model& model, IntegratorKind kind) {
  const IntegratorSpec &asked = model.integrator, has = with_integrator(model, kind).integrator;
  std::vector<std::string> left_out;
  if (makes_hard(model, kind)) {
    left_out.emplace_back("compliance (contacts are hard in it, with restitution 1 for \"hooke\")");
  }
  if (asked.multi_impact != has.multi_impact) {
    left_out.emplace_back("multi_impact (impacts in sequence are simultaneous in it)");
  }
  if (asked.locate_impacts != has.locate_impacts) left_out.emplace_back("locate_impacts");
  if (asked.position_friction != has.position_friction) {
    left_out.emplace_back("position_friction = false");
  }
  if (asked.position_rolling != has.position_rolling) {
    left_out.emplace_back("position_rolling = false");
  }
  return fmt::format("{}", fmt::join(left_out, ", "));
}

/// Fills in what was not asked for: integrators with hard contacts, or with compliant ones.
void choose_integrators(const Model& model, CompareOptions& options) {
  const bool is_compliant = traits_of(model.integrator.kind).is_compliant;
  if (options.reference.empty()) {
    options.reference = is_compliant ? "generalized_alpha" : "nsga_coupled";
  }
  if (!options.integrators.empty()) return;
  for (const SchemeTraits& traits : scheme_kinds) {
    if (traits.is_compliant == is_compliant) options.integrators.emplace_back(traits.name);
  }
}

/// Value of a channel with one component.
double value_of(const Simulation& simulation, std::string_view path) {
  std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
  simulation.sample(row);
  for (const Channel& channel : simulation.channels()) {
    if (channel.path == path) return row[static_cast<std::size_t>(channel.offset)];
  }
  return std::nan("");
}

void run_once(const Model& model, Trial& trial) {
  Simulation simulation(model);
  const auto start = std::chrono::steady_clock::now();
  while (!simulation.finished()) simulation.step();
  trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  trial.statistics = simulation.statistics();
  trial.energy_error = value_of(simulation, "energy/scheme_loss");
}

long updates(const RunStatistics& s) {
  return s.smooth.total + s.position.total + s.velocity.total;
}

void print_table(const std::vector<Trial>& trials) {
  std::vector<std::vector<std::string>> lines = {{"integrator", "order x", "order v", "error x",
                                                  "error v", "smallest gap", "joint error",
                                                  "energy error", "updates/step", "time [s]"}};
  for (const Trial& trial : trials) {
    if (!trial.problem.empty()) continue;
    const RunStatistics& s = trial.statistics;
    const auto of_study = [&](auto&& text) { return trial.study ? text(*trial.study) : "-"; };
    lines.push_back({std::string(to_string(trial.kind)),
                     of_study([](const ConvergenceStudy& c) { return order_text(c.positions); }),
                     of_study([](const ConvergenceStudy& c) { return order_text(c.velocities); }),
                     of_study([](const ConvergenceStudy& c) {
                       return fmt::format("{:.1e}", c.positions.errors.front());
                     }),
                     of_study([](const ConvergenceStudy& c) {
                       return fmt::format("{:.1e}", c.velocities.errors.front());
                     }),
                     std::isfinite(s.min_gap) ? fmt::format("{:.1e}", s.min_gap) : "-",
                     fmt::format("{:.1e}", s.max_joint_error),
                     fmt::format("{:.2e}", trial.energy_error),
                     fmt::format("{:.2f}", double(updates(s)) / double(std::max(1L, s.steps))),
                     fmt::format("{:.3f}", trial.seconds)});
  }
  print_text(align(lines));
  for (const Trial& trial : trials) {
    if (!trial.problem.empty()) say("{}: {}\n", to_string(trial.kind), trial.problem);
  }
}

nlohmann::ordered_json trial_json(const Trial& trial, const std::string& left_out) {
  nlohmann::ordered_json json = {{"integrator", to_string(trial.kind)}};
  if (!left_out.empty()) json["without"] = left_out;
  if (!trial.problem.empty()) {
    json["problem"] = trial.problem;
    return json;
  }
  const RunStatistics& s = trial.statistics;
  if (std::isfinite(s.min_gap)) json["min_gap"] = s.min_gap;
  json["max_joint_error"] = s.max_joint_error;
  json["energy_error"] = trial.energy_error;
  json["steps"] = s.steps;
  json["updates"] = updates(s);
  json["factorisations"] = s.factorisations;
  json["seconds"] = trial.seconds;
  if (!trial.study) return json;
  json["step_sizes"] = trial.study->steps;
  json["reference_step"] = trial.study->reference_step;
  for (const auto& [name, decay] : {std::pair{"positions", &trial.study->positions},
                                    std::pair{"velocities", &trial.study->velocities}}) {
    json[name] = {{"errors", decay->errors},
                  {"order", decay->order ? nlohmann::ordered_json(*decay->order) : "exact"}};
  }
  return json;
}

int compare(CompareOptions options) {
  const Model model = read_model(options.model, options.overrides);
  choose_integrators(model, options);
  const double step = model.integrator.step;
  std::vector<double> steps;
  for (int i = 0; i <= options.halvings; ++i) steps.push_back(std::ldexp(step, -i));
  const double reference_step = steps.back() / 8.0;
  const Model reference = with_integrator(model, kind_of(options.reference));

  std::vector<Trial> trials;
  for (const std::string& name : options.integrators) {
    Trial trial{kind_of(name), {}, {}, 0.0, 0.0, {}};
    const Model other = with_integrator(model, trial.kind);
    try {
      run_once(other, trial);
      if (options.halvings > 0) {
        trial.study = study_convergence(other, steps, reference_step, {}, &reference);
      }
    } catch (const Error& error) {
      trial.problem = error.what();
    }
    trials.push_back(std::move(trial));
  }
  if (options.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Trial& trial : trials) {
      json.push_back(trial_json(trial, what_is_left_out(model, trial.kind)));
    }
    say("{}\n", json.dump(2));
  } else {
    print_table(trials);
    if (options.halvings > 0) {
      say("\norders from steps {:g} s to {:g} s; errors at {:g} s, relative to {} with {:g} s\n",
          steps.front(), steps.back(), step, options.reference, reference_step);
    }
  }
  for (const Trial& trial : trials) {
    const std::string left_out = what_is_left_out(model, trial.kind);
    if (options.json || left_out.empty()) continue;
    say("note: {} does without {}: it solves another problem\n", to_string(trial.kind), left_out);
  }
  const bool all_ran = std::all_of(trials.begin(), trials.end(),
                                   [](const Trial& trial) { return trial.problem.empty(); });
  return all_ran ? exit_fine : exit_failed;
}

}  // namespace

Action add_compare_command(CLI::App& command) {
  const auto options = std::make_shared<CompareOptions>();
  command.add_option("MODEL", options->model, "Model file")->required()->type_name("");
  command
      .add_option(
          "--integrators", options->integrators,
          "Which [nsga,nsga_coupled,moreau; generalized_alpha,newmark for a model of one of these]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(
          CLI::IsMember(std::vector<std::string>(integrator_names.begin(), integrator_names.end())))
      ->type_name("NAME,...");
  command
      .add_option("--reference", options->reference,
                  "What all are measured against [nsga_coupled; generalized_alpha]")
      ->check(
          CLI::IsMember(std::vector<std::string>(integrator_names.begin(), integrator_names.end())))
      ->type_name("NAME");
  command
      .add_option("--halvings", options->halvings,
                  "How often the model's own step is halved to see the order; 0: not at all [3]")
      ->check(CLI::Range(0, 12))
      ->type_name("N");
  add_set_option(command, options->overrides);
  command.add_flag("--json", options->json, "Print JSON instead of a table");
  command.footer(
      "The model is run with each integrator, less the abilities that only nsga has\n"
      "(locate_impacts, multi_impact). Errors and orders are those of positions x and velocities "
      "v\n"
      "against the reference with an eighth of the smallest step, as in converge; the\n"
      "energy error is what the scheme itself took (negative: added). Of a model whose contacts\n"
      "give way, integrators with hard contacts run one without 'compliance'.\n\n"
      "Examples:\n"
      "  clatter compare block.toml\n"
      "  clatter compare block.toml --integrators nsga,moreau --halvings 4\n"
      "  clatter compare grains.toml --integrators energy_consistent,newmark,nsga");
  return [options] { return compare(*options); };
}

}  // namespace clatter
