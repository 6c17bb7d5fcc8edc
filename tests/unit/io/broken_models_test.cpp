// Every file in tests/broken-models starts with one comment per mistake,
//   # expect: 12:8: unknown key ...
// which is line, column and message as the reader must give them, in that order and no others.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>

#include "support/source_folder.hpp"

namespace clatter {
namespace broken_models_test {

namespace fs = std::filesystem;

std::vector<fs::path> broken_models() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(source_folder() / "tests/broken-models")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> expectations(const fs::path& file) {
  const std::string mark = "# expect: ";
  std::ifstream stream(file);
  std::vector<std::string> expected;
  for (std::string line; std::getline(stream, line) && line.starts_with(mark);) {
    expected.push_back(line.substr(mark.size()));
  }
  return expected;
}

class BrokenModel : public ::testing::TestWithParam<fs::path> {};

TEST_P(BrokenModel, is_refused_with_every_mistake_at_its_place) {
  const std::vector<std::string> expected = expectations(GetParam());
  ASSERT_FALSE(expected.empty()) << "the file does not say what is wrong with it";
  try {
    read_model(GetParam());
    FAIL() << "the model was accepted";
  } catch (const Error& error) {
    ASSERT_EQ(error.mistakes().size(), expected.size()) << error.what();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Mistake& mistake = error.mistakes()[i];
      EXPECT_EQ(to_string(mistake), GetParam().string() + ":" + expected[i]);
      EXPECT_GE(mistake.place.line, 1);
      EXPECT_GE(mistake.place.column, 1);
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(broken_models, BrokenModel, ::testing::ValuesIn(broken_models()), name_of);

TEST(BrokenModels, are_many) { EXPECT_GE(broken_models().size(), 45u); }

}  // namespace broken_models_test
}  // namespace clatter
