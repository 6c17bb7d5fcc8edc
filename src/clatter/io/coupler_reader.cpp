#include <clatter/io/coupler_reader.hpp>
#include <clatter/model/body_keys.hpp>

namespace clatter {
namespace {

CouplerSpec read_coupler(const TomlTable& table) {
  CouplerSpec coupler;
  coupler.place = table.place();
  coupler.keys = table.key_places();
  coupler.offset = table.number("offset");
  coupler.joints = table.texts("joints").value_or(coupler.joints);
  coupler.ratios = table.numbers("ratios").value_or(coupler.ratios);
  return coupler;
}

}  // namespace

std::vector<CouplerSpec> read_couplers(const std::vector<TomlTable>& tables) {
  std::vector<CouplerSpec> couplers;
  NameReader names("coupler");
  for (const TomlTable& table : tables) {
    couplers.push_back(read_coupler(table));
    couplers.back().name = names.read(table);
  }
  return couplers;
}

}  // namespace clatter
