#include <clatter/io/schema.hpp>

#include "app/command.hpp"
#include "app/console.hpp"

namespace clatter {

Action add_schema_command(CLI::App& command) {
  command.footer(
      "For editors that complete and check TOML files, and for programs that write models.\n\n"
      "Example:\n"
      "  clatter schema > clatter.schema.json");
  return [] {
    say("{}\n", schema_json());
    return exit_fine;
  };
}

}  // namespace clatter
