#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "clatter_version.hpp"

int main(int argc, char** argv) {
  CLI::App app{"clatter: nonsmooth multibody dynamics"};
  app.set_version_flag("--version", fmt::format("clatter {}", clatter::version));
  CLI11_PARSE(app, argc, argv);
  return 0;
}
