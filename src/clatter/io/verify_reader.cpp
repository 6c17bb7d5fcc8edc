#include <fmt/format.h>

#include <clatter/io/overrides.hpp>
#include <clatter/io/verify_reader.hpp>
#include <clatter/model/nearest_word.hpp>

namespace clatter {
namespace {

void check_set(const TomlTable& table, const VerifySpec& verify, const toml::table& model) {
  for (std::size_t i = 0; i < verify.set.size(); ++i) {
    if (const std::optional<std::string> wrong = check_override(model, verify.set[i])) {
      table.refuse_at(table.entry_place("set", i),
                      fmt::format("'set': {}: {}", in_quotes(verify.set[i]), *wrong));
    }
  }
}

/// A figure computed by other means is worth what the program is that computes it.
void check_script(const TomlTable& table, const VerifySpec& verify) {
  const bool computed = verify.oracle_kind == "independent computation";
  if (computed && verify.script.empty()) {
    table.refuse("oracle_kind",
                 "'oracle_kind': an \"independent computation\" needs 'script', the program that "
                 "computes it");
  }
  if (!computed && !verify.script.empty()) {
    table.refuse("script", "'script' is for the oracle_kind \"independent computation\" only");
  }
}

void check_band(const TomlTable& table, const VerifySpec& verify) {
  if (verify.band.size() == 2 && verify.band[0] < verify.band[1]) return;
  table.refuse("band", "'band' is two frequencies, the lower one first: band = [10, 200]");
}

VerifySpec read_one(const TomlTable& table, const toml::table& model) {
  VerifySpec v;
  v.place = table.place();
  v.keys = table.key_places();
  v.source = table.text("source").value_or("");
  v.example = table.text("example").value_or("");
  v.quantity = table.text("quantity").value_or("");
  if (table.kind_is_known()) v.measure = table.kind();
  v.over = table.text("over").value_or("");
  v.at = table.number("at");
  v.from = table.number("from");
  v.to = table.number("to");
  v.threshold = table.number("threshold");
  v.below = table.flag("below").value_or(v.below);
  v.band = table.numbers("band").value_or(std::vector<double>{});
  v.oracle = table.formula_text("oracle").value_or("");
  v.oracle_kind = table.text("oracle_kind").value_or("");
  v.script = table.text("script").value_or("");
  v.compare = table.text("compare").value_or(v.compare);
  v.tolerance = table.number("tolerance").value_or(v.tolerance);
  v.steps = table.numbers("steps").value_or(std::vector<double>{});
  v.reference_step = table.number("reference_step");
  v.set = table.texts("set").value_or(std::vector<std::string>{});
  v.note = table.text("note").value_or("");
  v.printed_at = table.text("printed_at").value_or("");
  v.differs = table.text("differs").value_or("");

  if (table.has_usable("oracle_kind")) check_script(table, v);
  for (const char* key : {"printed_at", "differs"}) {
    if (table.has(key) && table.has_usable("oracle_kind") && v.oracle_kind != "published") {
      table.refuse(key, fmt::format("'{}' is for the oracle_kind \"published\" only", key));
    }
  }
  if (table.has_usable("band")) check_band(table, v);
  check_set(table, v, model);
  return v;
}

}  // namespace

std::vector<VerifySpec> read_verify(const std::vector<TomlTable>& tables,
                                    const toml::table& model) {
  std::vector<VerifySpec> verify;
  verify.reserve(tables.size());
  for (const TomlTable& table : tables) verify.push_back(read_one(table, model));
  return verify;
}

}  // namespace clatter
