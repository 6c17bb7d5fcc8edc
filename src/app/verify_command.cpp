#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

#include <clatter/io/model_reader.hpp>
#include <clatter/model/nearest_word.hpp>
#include <clatter/studies/verification.hpp>

#include "app/command.hpp"
#include "app/console.hpp"

namespace clatter {

namespace {

namespace fs = std::filesystem;

struct VerifyOptions {
  std::vector<std::string> names;
  fs::path examples;
  bool json = false, list = false;
};

/// The examples of an installation, or of the source tree that the program was built in.
fs::path find_examples() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  std::vector<fs::path> candidates = {program.parent_path().parent_path() /
                                      "share/clatter/examples"};
#ifdef CLATTER_EXAMPLES_DIR
  candidates.emplace_back(CLATTER_EXAMPLES_DIR);
#endif
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path())
    candidates.push_back(folder / "examples");
  for (const fs::path& candidate : candidates)
    if (fs::is_directory(candidate, ignored)) return candidate;
  throw Error("the folder of examples was not found; name it with --examples DIR");
}

struct Example {
  std::string name;  ///< path below the examples folder, without ".toml"
  fs::path file;
};

std::vector<Example> list_examples(const fs::path& folder) {
  std::error_code reason;
  std::vector<Example> examples;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, reason))
    if (entry.path().extension() == ".toml")
      examples.push_back(
          {fs::path(entry.path().lexically_relative(folder)).replace_extension().generic_string(),
           entry.path()});
  if (reason)
    throw Error(fmt::format("{}: cannot read this folder: {}", folder.string(), reason.message()));
  std::sort(examples.begin(), examples.end(),
            [](const Example& a, const Example& b) { return a.name < b.name; });
  return examples;
}

/// A name is a file on disk, an example, its last part, or a folder of examples.
bool matches(const Example& example, const std::string& name) {
  return example.name == name || fs::path(example.name).filename() == name ||
         example.name.starts_with(name + "/");
}

std::vector<Model> choose_models(const VerifyOptions& options) {
  const auto is_file = [](const std::string& name) {
    std::error_code ignored;
    return fs::is_regular_file(name, ignored);
  };
  std::vector<fs::path> files;
  std::vector<Example> examples;
  if (options.names.empty() || !std::all_of(options.names.begin(), options.names.end(), is_file))
    examples = list_examples(options.examples.empty() ? find_examples() : options.examples);
  if (options.names.empty())
    for (const Example& example : examples) files.push_back(example.file);
  for (const std::string& name : options.names) {
    if (is_file(name)) {
      files.emplace_back(name);
      continue;
    }
    const std::size_t before = files.size();
    std::vector<std::string> known;
    for (const Example& example : examples) {
      known.push_back(example.name);
      known.push_back(fs::path(example.name).filename().string());
      if (matches(example, name)) files.push_back(example.file);
    }
    if (files.size() == before)
      throw Error(
          fmt::format("there is no file and no example '{}'{}", name, did_you_mean(name, known)));
  }

  std::vector<Model> models;
  std::vector<fs::path> seen;
  for (const fs::path& file : files) {
    if (std::find(seen.begin(), seen.end(), file) != seen.end()) continue;
    seen.push_back(file);
    Model model = read_model(file);
    if (!model.verify.empty()) models.push_back(std::move(model));
  }
  if (models.empty()) throw Error("none of the model files has a [[verify]] entry");
  return models;
}

void print_list(const std::vector<Model>& models) {
  std::vector<std::vector<std::string>> lines = {{"source", "example", "figures", "file"}};
  for (const Model& model : models)
    lines.push_back({model.verify.front().source, model.verify.front().example,
                     std::to_string(model.verify.size()), model.file});
  print_text(align(lines, {0, 1, 3}));
}

const char* verdict_of(const Verification& entry) {
  if (!entry.pass) return entry.spec.differs.empty() || !entry.measured ? "FAIL" : "AGREES";
  return entry.spec.differs.empty() ? "pass" : "differs";
}

void print_table(const std::vector<Verification>& results) {
  std::vector<std::vector<std::string>> lines = {
      {"source", "example", "quantity", "measured", "oracle", "kind", "tolerance", "verdict"}};
  std::size_t passed = 0, differing = 0;
  std::map<std::string, std::size_t> passed_of_kind;
  for (const Verification& entry : results) {
    const std::string measured = entry.measured ? fmt::format("{:.8g}", *entry.measured) : "-";
    lines.push_back({entry.spec.source, entry.spec.example, entry.quantity, measured,
                     fmt::format("{:.8g}", entry.oracle), entry.spec.oracle_kind,
                     fmt::format("{:.2g}", entry.spec.tolerance), verdict_of(entry)});
    if (!entry.pass) continue;
    if (!entry.spec.differs.empty()) {
      ++differing;
      continue;
    }
    ++passed;
    ++passed_of_kind[entry.spec.oracle_kind];
  }
  print_text(align(lines, {0, 1, 2, 5, 7}));
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : passed_of_kind)
    kinds.push_back(fmt::format("{} {}", count, kind));
  say("\n{} of {} pass{}{}\n", passed, results.size() - differing, kinds.empty() ? "" : ": ",
      fmt::join(kinds, ", "));
  if (differing > 0) say("{} published figures are known to differ\n", differing);
}

int verify_models(const VerifyOptions& options) {
  const std::vector<Model> models = choose_models(options);
  if (options.list) {
    print_list(models);
    return exit_fine;
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const std::vector<Verification> results =
      verify(models, [&](std::size_t done, std::size_t total) {
        if (terminal) fmt::print(stderr, "\r\033[K{} of {} runs", done, total);
      });
  if (terminal) fmt::print(stderr, "\r\033[K");

  if (options.json)
    say("{}\n", verification_json(results).dump(2));
  else
    print_table(results);
  std::set<std::pair<std::string, std::string>> told;  // entries of one run share its failure
  for (const Verification& entry : results)
    if (!entry.problem.empty() && told.emplace(entry.model_file, entry.problem).second)
      fmt::print(stderr, "clatter: {}: {}: {}\n", entry.model_file, entry.quantity, entry.problem);
  return std::all_of(results.begin(), results.end(), [](const auto& entry) { return entry.pass; })
             ? exit_fine
             : exit_failed;
}

}  // namespace

Action add_verify_command(CLI::App& command) {
  const auto options = std::make_shared<VerifyOptions>();
  command
      .add_option("NAME", options->names,
                  "Examples, folders of examples or model files [all examples]")
      ->type_name("");
  command.add_flag("--json", options->json, "Print JSON instead of a table");
  command.add_flag("--list", options->list, "List the examples and run nothing");
  command.add_option("--examples", options->examples, "Folder of the examples")->type_name("DIR");
  command.footer(
      "Runs models that have [[verify]] entries and compares what comes out with known figures.\n"
      "The exit status is 1 when one of them does not agree.\n\n"
      "Examples:\n"
      "  clatter verify\n"
      "  clatter verify my_model.toml --json");
  return [options] { return verify_models(*options); };
}

}  // namespace clatter
