#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <clatter/io/checkpoint.hpp>
#include <clatter/io/output_stream.hpp>
#include <clatter/io/sha256.hpp>
#include <clatter/io/state_archive.hpp>
#include <clatter/version.hpp>

namespace clatter {
namespace {

// A line of JSON with the lengths of what follows it, then the bytes.
constexpr std::string_view format_name = "clatter checkpoint";

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  const std::string state = pack(checkpoint.state), statistics = pack(checkpoint.statistics);
  const nlohmann::ordered_json head = {{"format", format_name},
                                       {"clatter_version", version},
                                       {"time", checkpoint.state.time},
                                       {"steps", checkpoint.state.steps},
                                       {"model_file", checkpoint.model_file},
                                       {"model_bytes", checkpoint.model_text.size()},
                                       {"overrides", checkpoint.overrides},
                                       {"wall_time", checkpoint.wall_time},
                                       {"samples", checkpoint.samples},
                                       {"table_bytes", checkpoint.table_bytes},
                                       {"frames", checkpoint.frames},
                                       {"draws", checkpoint.draws},
                                       {"state_bytes", state.size()},
                                       {"statistics_bytes", statistics.size()},
                                       {"sha256", sha256(state + statistics)}};
  replace_file(path, head.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) +
                         "\n" + checkpoint.model_text + state + statistics);
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const auto fail = [&](const char* what) -> Error {
    return Error(fmt::format("{}: {}", path.string(), what));
  };
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw fail("there is no checkpoint to go on from");
  std::string line;
  std::getline(stream, line);
  const std::string rest(std::istreambuf_iterator<char>(stream), {});
  const nlohmann::json head = nlohmann::json::parse(line, nullptr, false);
  if (!head.is_object() || head.value("format", "") != format_name) {
    throw fail("this is no checkpoint");
  }
  if (head.value("clatter_version", "") != version) {
    throw fail("this checkpoint is of another version of clatter, which alone can go on from it");
  }
  const std::size_t model = head.at("model_bytes"), state = head.at("state_bytes"),
                    statistics = head.at("statistics_bytes");
  if (rest.size() != model + state + statistics ||
      sha256(rest.substr(model)) != head.at("sha256").get<std::string>()) {
    throw fail("this checkpoint is damaged");
  }
  Checkpoint checkpoint;
  checkpoint.model_file = head.at("model_file");
  checkpoint.model_text = rest.substr(0, model);
  checkpoint.overrides = head.at("overrides").get<std::vector<std::string>>();
  checkpoint.wall_time = head.at("wall_time");
  checkpoint.samples = head.at("samples");
  checkpoint.table_bytes = head.at("table_bytes");
  checkpoint.frames = head.at("frames");
  checkpoint.draws = head.at("draws");
  checkpoint.state = unpack_state(std::string_view(rest).substr(model, state));
  checkpoint.statistics = unpack_statistics(std::string_view(rest).substr(model + state));
  return checkpoint;
}

}  // namespace clatter
