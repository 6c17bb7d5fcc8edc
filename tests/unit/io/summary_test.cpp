#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <clatter/io/summary.hpp>

#include "unit/io/temporary_directory.hpp"

namespace clatter {
namespace summary_test {

nlohmann::json written(const Summary& summary) {
  const TemporaryDirectory directory;
  write_summary(directory / "summary.json", summary);
  return nlohmann::json::parse(read_text(directory / "summary.json"));
}

TEST(summary, tells_origin_settings_work_and_energies) {
  Summary summary;
  summary.info.model_file = "block.toml";
  summary.info.overrides = {"integrator.step=0.25"};
  summary.info.integrator.emplace().step = 0.25;
  summary.status = RunStatus::finished;
  summary.time = 2.0;
  summary.statistics.steps = 8;
  summary.statistics.velocity = {12, 3};
  summary.statistics.min_gap = -1e-15;
  summary.energy = energy_ledger({{"energy/kinetic", {""}, "J", 1}, {"solver/x", {""}, "", 0}},
                                 std::vector<double>{7, 8});
  const nlohmann::json json = written(summary);
  EXPECT_EQ(json["status"], "finished");
  EXPECT_FALSE(json.contains("message"));
  EXPECT_EQ(json["model"]["file"], "block.toml");
  EXPECT_EQ(json["model"]["overrides"][0], "integrator.step=0.25");
  EXPECT_EQ(json["integrator"]["step"], 0.25);
  EXPECT_EQ(json["steps"], 8);
  EXPECT_EQ(json["iterations"]["velocity"]["mean"], 1.5);
  EXPECT_EQ(json["iterations"]["velocity"]["max"], 3);
  EXPECT_EQ(json["min_gap"], -1e-15);
  EXPECT_EQ(json["energy"], (nlohmann::json{{"kinetic", 8.0}}));
}

TEST(summary, failure_keeps_its_message_and_time) {
  Summary summary;
  summary.status = RunStatus::failed;
  summary.message = "contact 'floor' has no solution";
  summary.time = 0.75;
  const nlohmann::json json = written(summary);
  EXPECT_EQ(json["status"], "failed");
  EXPECT_EQ(json["message"], summary.message);
  EXPECT_EQ(json["time"], 0.75);
}

TEST(summary, is_valid_json_without_contacts_and_with_odd_file_names) {
  Summary summary;
  summary.statistics.min_gap = std::numeric_limits<double>::infinity();
  summary.info.model_file = "\xff.toml";
  EXPECT_TRUE(written(summary)["min_gap"].is_null());
}

}  // namespace summary_test
}  // namespace clatter
