#include <fstream>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include <clatter/io/run_info.hpp>
#include <clatter/io/sha256.hpp>
#include <clatter/model/integrator_fields.hpp>

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

namespace {

/// Writes the settings that have a meaning for the scheme.
class FieldWriter {
 public:
  FieldWriter(IntegratorKind kind, nlohmann::ordered_json& json) : kind_(kind), json_(json) {}

  void number(std::string_view key, double value, const Range& /*range*/) const { put(key, value); }
  void number(std::string_view key, const std::optional<double>& value,
              const Range& /*range*/) const {
    if (value) put(key, *value);
  }
  void whole_number(std::string_view key, int value, const Range& /*range*/) const {
    put(key, value);
  }
  void flag(std::string_view key, bool value) const { put(key, value); }

 private:
  template <class Value>
  void put(std::string_view key, Value value) const {
    for (const SchemeTraits& traits : scheme_kinds) {
      if (traits.has_own(key) && !traits_of(kind_).has_own(key)) return;
    }
    json_[std::string(key)] = value;
  }

  IntegratorKind kind_;
  nlohmann::ordered_json& json_;
};

}  // namespace

nlohmann::ordered_json settings_json(const IntegratorSpec& integrator) {
  nlohmann::ordered_json json = {{"name", to_string(integrator.kind)}};
  describe_integrator(integrator, FieldWriter(integrator.kind, json));
  json["scaling"] = integrator.scaling == Scaling::delassus ? "delassus" : "characteristic_mass";
  if (traits_of(integrator.kind).has_own("variant"))
    json["variant"] = to_string(integrator.variant);
  if (integrator.impact_law != ImpactLaw::newton) {
    json["impact_law"] = to_string(integrator.impact_law);
  }
  if (integrator.coefficients != AlphaKind::chung_hulbert) {
    json["coefficients"] = alpha_names[static_cast<std::size_t>(integrator.coefficients)];
  }
  if (integrator.contact_solver) json["contact_solver"] = to_string(*integrator.contact_solver);
  return json;
}

}  // namespace clatter
