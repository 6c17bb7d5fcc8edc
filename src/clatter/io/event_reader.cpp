#include <clatter/io/event_reader.hpp>
#include <clatter/model/body_keys.hpp>

namespace clatter {
namespace {

EventSpec::Way way_of(const std::string& word) {
  if (word == "rising") return EventSpec::Way::rising;
  return word == "falling" ? EventSpec::Way::falling : EventSpec::Way::either;
}

}  // namespace

std::vector<EventSpec> read_events(const std::vector<TomlTable>& events,
                                   const std::vector<TomlTable>& stops) {
  std::vector<EventSpec> specs;
  const auto read = [&](const std::vector<TomlTable>& tables, bool ends_run) {
    NameReader names{ends_run ? "stop" : "event"};
    for (const TomlTable& table : tables) {
      EventSpec& spec = specs.emplace_back();
      spec.place = table.place();
      spec.keys = table.key_places();
      spec.name = names.read(table);
      spec.quantity = table.text("quantity").value_or("");
      spec.value = table.number("value").value_or(spec.value);
      spec.way = way_of(table.text("way").value_or(""));
      spec.record = table.texts("record").value_or(spec.record);
      spec.ends_run = ends_run;
    }
  };
  read(events, false);
  read(stops, true);
  return specs;
}

}  // namespace clatter
