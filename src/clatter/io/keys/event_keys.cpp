#include <clatter/io/keys/key_tables.hpp>

namespace clatter::keys {
namespace {

TableDescription crossing(std::string name, std::string heading, std::string default_name) {
  const EventSpec e;
  return {std::move(name),
          heading,
          "",
          "event",
          {
              {"name", {}, text, "", std::move(default_name), "A name of its own."},
              {"quantity",
               {},
               text,
               "",
               required,
               "What is watched, as `bodies/block/position/x`; any quantity of the results."},
              {"value",
               {},
               number,
               "as the quantity",
               literal(e.value),
               "Happens when the quantity crosses it."},
              {"way",
               {},
               word,
               "",
               "\"either\"",
               "Whether the quantity is to cross it upwards or downwards.",
               any,
               {"either", "rising", "falling"}},
              {"record", {}, texts, "", "[]", "Quantities to be told at that time."},
          }};
}

}  // namespace

TableDescription event() { return crossing("event", "[[event]]", "`event1`, `event2` ..."); }
TableDescription stop() { return crossing("stop", "[[stop]]", "`stop1`, `stop2` ..."); }

}  // namespace clatter::keys
