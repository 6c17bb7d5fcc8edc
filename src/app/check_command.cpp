#include <algorithm>
#include <filesystem>
#include <memory>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>
#include <clatter/studies/verification.hpp>

#include "app/command.hpp"
#include "app/console.hpp"

namespace clatter {

namespace {

struct CheckOptions {
  std::filesystem::path model;
  std::vector<std::string> overrides;
};

/// "1 body", "3 bodies".
std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

long degrees_of_freedom(const Model& model) {
  long sum = 0;
  for (const BodySpec& body : model.bodies) sum += body.kind == BodyKind::rigid ? 6 : 3;
  for (const BeamSpec& beam : model.beams) sum += (beam.elements + 1L) * (beam.planar ? 3 : 6);
  return sum;
}

int check_model(const CheckOptions& options) {
  const Model model = read_model(options.model, options.overrides, ModelUse::rest);
  // Building it finds what only the whole machine tells: penetration, joints that do not fit.
  const Simulation simulation(model);
  const std::vector<Mistake> mistakes = verification_mistakes(model, simulation.channels());
  if (!mistakes.empty()) throw Error(mistakes);

  for (const std::string& notice : simulation.notices()) say("note: {}\n", notice);
  if (model.integrator.place.file.empty())
    say("note: there is no [integrator]; clatter run needs one\n");
  std::string parts;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) parts += (parts.empty() ? "" : ", ") + counted(count, one, many);
  };
  std::size_t elements = 0;
  for (const BeamSpec& beam : model.beams) elements += static_cast<std::size_t>(beam.elements);
  add(model.bodies.size(), "body", "bodies");
  add(model.beams.size(), "beam", "beams");
  add(elements, "beam element", "beam elements");
  add(model.joints.size(), "joint", "joints");
  add(model.couplers.size(), "coupler", "couplers");
  ForceKinds::for_each(
      [&]<class Kind>() { add((model.*Kind::list).size(), Kind::word, Kind::plural); });
  add(model.loads.size(), "load", "loads");
  add(model.contacts.size(), "contact", "contacts");
  say("{} is fine: {}, {} degrees of freedom{}\n", options.model.string(), parts,
      degrees_of_freedom(model), model.joints.empty() ? "" : " before joints");
  return exit_fine;
}

}  // namespace

Action add_check_command(CLI::App& command) {
  const auto options = std::make_shared<CheckOptions>();
  command.add_option("MODEL", options->model, "Model file")->required()->type_name("");
  add_set_option(command, options->overrides);
  command.footer(
      "Prints every mistake as file:line:column: message, and builds the machine to find what "
      "does\n"
      "not fit together: bodies that penetrate each other, joints that are apart.\n\n"
      "Examples:\n"
      "  clatter check block.toml\n"
      "  clatter check block.toml --set integrator.step=0.01");
  return [options] { return check_model(*options); };
}

}  // namespace clatter
