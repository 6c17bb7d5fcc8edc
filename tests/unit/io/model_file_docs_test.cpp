// docs/model-file.md and the description in io/keys must say the same, row by row.

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <clatter/io/model_keys.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/io/schema.hpp>

#include "support/source_folder.hpp"

namespace clatter {
namespace model_file_docs_test {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string documentation() {
  std::ifstream stream(source_folder() / "docs/model-file.md");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The heading of a section ends with the heading of the table: "## Bodies: [[body]]".
std::string table_heading(const std::string& line) {
  std::string heading = line.substr(line.find_first_not_of("# "));
  const std::size_t colon = heading.find(": ");
  return colon == std::string::npos ? heading : heading.substr(colon + 2);
}

std::map<std::string, std::vector<std::string>> documented_rows() {
  std::map<std::string, std::vector<std::string>> rows;
  std::string heading;
  for (const std::string& line : lines_of(documentation())) {
    if (line.starts_with("##")) heading = table_heading(line);
    if (line.starts_with("|")) rows[heading].push_back(line);
  }
  return rows;
}

TEST(ModelFileDocs, have_the_same_rows_as_the_description) {
  const auto documented = documented_rows();
  for (const TableDescription& table : model_tables()) {
    const auto found = documented.find(table.heading);
    ASSERT_NE(found, documented.end()) << "no section for " << table.heading;
    EXPECT_EQ(found->second, lines_of(schema_markdown(table)))
        << "docs/model-file.md should have under " << table.heading << ":\n"
        << schema_markdown(table);
  }
}

TEST(ModelFileDocs, have_no_table_of_keys_that_the_description_lacks) {
  std::set<std::string> known = {"Changing values from outside"};
  for (const TableDescription& table : model_tables()) known.insert(table.heading);
  for (const auto& [heading, rows] : documented_rows())
    EXPECT_TRUE(known.contains(heading)) << heading;
}

std::vector<std::string> examples() {
  const std::string text = documentation();
  const std::string open = "```toml\n", close = "```";
  std::vector<std::string> examples;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    examples.push_back(text.substr(at, text.find(close, at) - at));
  }
  return examples;
}

TEST(ModelFileDocs, start_with_a_model_of_at_most_twenty_lines_that_can_be_read) {
  ASSERT_FALSE(examples().empty());
  EXPECT_LE(lines_of(examples().front()).size(), 20u);
  const Model model = parse_model(examples().front(), "hello.toml");
  EXPECT_EQ(model.bodies.size(), 1u);
  EXPECT_EQ(model.contacts.size(), 1u);
}

TEST(ModelFileDocs, have_examples_that_are_a_model_when_put_together) {
  std::string text;
  for (const std::string& example : examples()) text += example + "\n";
  // The joint example turns a crank that no other example has.
  text += "[[body]]\nname = \"crank\"\nmass = 1\ninertia = [1, 1, 1]\n";
  EXPECT_NO_THROW(parse_model(text, "all.toml"));
}

TEST(Description, has_rows_that_never_claim_the_same_key_for_the_same_kind) {
  for (const TableDescription& table : model_tables()) {
    for (const std::string& kind : table.kinds()) {
      std::set<std::string> seen;
      for (const KeyDescription& key : table.keys) {
        if (!key.applies_to(kind)) continue;
        EXPECT_TRUE(seen.insert(key.name).second) << key.name;
      }
    }
    for (const KeyDescription& key : table.keys) {
      EXPECT_FALSE(key.meaning.empty()) << key.name;
      EXPECT_FALSE(key.default_text.empty()) << key.name;
      const bool has_table = key.type == ValueType::table || key.type == ValueType::table_one ||
                             key.type == ValueType::table_or_tables ||
                             key.type == ValueType::tables;
      EXPECT_EQ(has_table, !key.table.empty()) << key.name;
    }
  }
}

TEST(Description, names_only_kinds_that_exist) {
  for (const TableDescription& table : model_tables()) {
    const std::vector<std::string> kinds = table.kinds();
    for (const KeyDescription& key : table.keys) {
      for (const std::string& kind : key.kinds) {
        EXPECT_NE(std::find(kinds.begin(), kinds.end(), kind), kinds.end()) << key.name << kind;
      }
    }
  }
}

TEST(SchemaJson, is_json_and_knows_every_table_and_key) {
  const nlohmann::json schema = nlohmann::json::parse(schema_json());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  for (const TableDescription& table : model_tables()) {
    const nlohmann::json& part = table.name.empty() ? schema : schema["$defs"][table.name];
    std::size_t index = 0;
    for (const std::string& kind : table.kinds()) {
      const nlohmann::json& object = table.kind_key.empty() ? part : part["oneOf"][index++];
      EXPECT_EQ(object["additionalProperties"], false);
      for (const KeyDescription& key : table.keys) {
        EXPECT_EQ(object["properties"].contains(key.name), table.find(key.name, kind) != nullptr);
      }
    }
  }
}

TEST(SchemaJson, gives_units_ranges_and_defaults) {
  const nlohmann::json schema = nlohmann::json::parse(schema_json());
  const nlohmann::json& integrator = schema["$defs"]["integrator"];
  EXPECT_EQ(integrator["properties"]["step"]["x-unit"], "s");
  EXPECT_EQ(integrator["properties"]["step"]["exclusiveMinimum"], 0.0);
  EXPECT_EQ(integrator["properties"]["rho_inf"]["maximum"], 1.0);
  EXPECT_EQ(integrator["properties"]["rho_inf"]["default"], IntegratorSpec{}.rho_inf);
  EXPECT_EQ(integrator["required"], nlohmann::json({"step", "duration"}));
}

TEST(SchemaJson, needs_a_body_or_a_beam) {
  const nlohmann::json schema = nlohmann::json::parse(schema_json());
  EXPECT_FALSE(schema.contains("required"));
  EXPECT_EQ(schema["anyOf"],
            nlohmann::json::parse(R"([{"required": ["body"]}, {"required": ["beam"]}])"));
}

}  // namespace model_file_docs_test
}  // namespace clatter
