#include <fstream>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include <clatter/io/run_info.hpp>
#include <clatter/io/sha256.hpp>

namespace clatter {

RunInfo make_run_info(const Model& model, std::vector<std::string> overrides, std::string command) {
  RunInfo info;
  info.command = std::move(command);
  info.title = model.title;
  info.model_file = model.file;
  if (!model.file.empty()) {
    std::ifstream stream(model.file, std::ios::binary);
    info.model_text.assign(std::istreambuf_iterator<char>(stream), {});
  }
  info.model_hash = sha256(info.model_text);
  info.overrides = std::move(overrides);
  if (info.command == "run") info.integrator = model.integrator;
  return info;
}

nlohmann::ordered_json settings_json(const IntegratorSpec& integrator) {
  nlohmann::ordered_json json = {
      {"name", to_string(integrator.kind)},
      {"step", integrator.step},
      {"duration", integrator.duration},
      {"tolerance", integrator.tolerance},
      {"max_iterations", integrator.max_iterations},
      {"max_halvings", integrator.max_halvings},
      {"locate_impacts", integrator.locate_impacts},
      {"multi_impact", integrator.multi_impact},
      {"max_impacts", integrator.max_impacts},
      {"position_friction", integrator.position_friction},
      {"scaling", integrator.scaling == Scaling::delassus ? "delassus" : "characteristic_mass"},
      {"penalty", integrator.penalty},
  };
  if (integrator.kind == IntegratorKind::moreau) {
    json["theta"] = integrator.theta;
  } else {
    json["rho_inf"] = integrator.rho_inf;
  }
  if (integrator.contact_solver) json["contact_solver"] = to_string(*integrator.contact_solver);
  if (integrator.impact_tolerance) json["impact_tolerance"] = *integrator.impact_tolerance;
  if (integrator.characteristic_mass) json["characteristic_mass"] = *integrator.characteristic_mass;
  return json;
}

}  // namespace clatter
