#include <gtest/gtest.h>

#include <clatter/io/contact_problem_file.hpp>
#include <clatter/io/hdf5_file.hpp>

#include "support/contact_problems.hpp"
#include "support/message_of.hpp"
#include "unit/io/temporary_directory.hpp"

namespace clatter {
namespace contact_problem_file_test {

using testing::message_of;

TEST(ContactProblemFile, problems_come_back_as_they_were) {
  const TemporaryDirectory directory;
  for (const testing::NamedProblem& named : testing::contact_problems()) {
    const std::filesystem::path path = directory / (named.name + ".h5");
    save_contact_problem(path, named.problem);
    const ContactProblem back = load_contact_problem(path);
    EXPECT_EQ(MatX(back.W), MatX(named.problem.W)) << named.name;
    EXPECT_EQ(back.b, named.problem.b) << named.name;
    ASSERT_EQ(back.contacts.size(), named.problem.contacts.size()) << named.name;
    for (std::size_t k = 0; k < back.contacts.size(); ++k) {
      const CondensedContact &one = back.contacts[k], &two = named.problem.contacts[k];
      EXPECT_EQ(one.first_row, two.first_row);
      EXPECT_EQ(one.rows, two.rows);
      ASSERT_EQ(one.law.ball_count, two.law.ball_count);
      for (int b = 0; b < one.law.ball_count; ++b) {
        const auto at = static_cast<std::size_t>(b);
        EXPECT_EQ(one.law.balls[at].first_row, two.law.balls[at].first_row);
        EXPECT_EQ(one.law.balls[at].rows, two.law.balls[at].rows);
        EXPECT_EQ(one.law.balls[at].coefficient, two.law.balls[at].coefficient);
      }
    }
  }
}

TEST(ContactProblemFile, empty_problem_comes_back) {
  const TemporaryDirectory directory;
  save_contact_problem(directory / "empty.h5", {DelassusMatrix(0, 0), VecX(0), {}});
  EXPECT_TRUE(load_contact_problem(directory / "empty.h5").contacts.empty());
}

/// A file of one contact with each list given by hand.
struct RawFile {
  long dimension = 3;
  std::vector<int> starts = {0, 1, 2, 3}, columns = {0, 1, 2};
  std::vector<double> values = {1, 1, 1}, q = {-1, 0, 0}, mu = {0.3};

  void write(const std::filesystem::path& path) const {
    Hdf5File file(path);
    file.set_attribute("/", "dimension", dimension);
    file.write("W/indptr", std::span<const int>(starts));
    file.write("W/indices", std::span<const int>(columns));
    file.write("W/data", std::span<const double>(values));
    file.write("q", std::span<const double>(q));
    file.write("mu", std::span<const double>(mu));
    file.close();
  }
};

TEST(ContactProblemFile, columns_in_any_order_are_read) {
  const TemporaryDirectory directory;
  RawFile raw;
  raw.starts = {0, 3, 4, 5};
  raw.columns = {2, 0, 1, 1, 2};
  raw.values = {3, 1, 2, 5, 6};
  raw.write(directory / "p.h5");
  MatX expected(3, 3);
  expected << 1, 2, 3, 0, 5, 0, 0, 0, 6;
  EXPECT_EQ(MatX(load_contact_problem(directory / "p.h5").W), expected);
}

TEST(ContactProblemFile, mistakes_are_one_clear_message_with_the_file) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "p.h5";
  const struct {
    std::string expected;
    std::function<void(RawFile&)> spoil;
  } cases[] = {
      {"", [](RawFile&) {}},
      {"'dimension' is 9, not 1 to 6", [](RawFile& f) { f.dimension = 9; }},
      {"'q' has 2 entries, but the contacts have 3 rows", [](RawFile& f) { f.q.pop_back(); }},
      {"'q' has 3 entries, but the contacts have 6 rows",
       [](RawFile& f) {
         f.mu = {0.1, 0.2};
       }},
      {"'W/indptr' has 3 entries, but 3 rows need 4", [](RawFile& f) { f.starts.pop_back(); }},
      {"'W/indptr' does not rise",
       [](RawFile& f) {
         f.starts = {0, 2, 1, 3};
       }},
      {"'W/indptr' does not rise",
       [](RawFile& f) {
         f.starts = {0, 1, 2, 4};
       }},
      {"'W/indices' and 'W/data' differ in size", [](RawFile& f) { f.values.pop_back(); }},
      {"'W/indices' has 3, but W has 3 columns", [](RawFile& f) { f.columns[1] = 3; }},
      {"'W/indices' has -1, but W has 3 columns", [](RawFile& f) { f.columns[1] = -1; }},
      {"an entry of W is not a finite number", [](RawFile& f) { f.values[2] = NAN; }},
      {"a velocity is not a finite number", [](RawFile& f) { f.q[0] = INFINITY; }},
      {"contact 0 has the friction coefficient -0.3", [](RawFile& f) { f.mu[0] = -0.3; }},
      {"contact 0 has the friction coefficient nan", [](RawFile& f) { f.mu[0] = NAN; }},
      {"the dataset 'contacts/rows' is missing", [](RawFile& f) { f.dimension = 0; }},
  };
  for (const auto& [expected, spoil] : cases) {
    RawFile raw;
    spoil(raw);
    raw.write(path);
    const std::string message = message_of([&] { load_contact_problem(path); });
    if (expected.empty()) {
      EXPECT_EQ(message, "");
      continue;
    }
    EXPECT_NE(message.find(path.string() + ": "), std::string::npos) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(ContactProblemFile, files_that_are_cut_short_or_something_else_are_refused) {
  const TemporaryDirectory directory;
  save_contact_problem(directory / "whole.h5", testing::box_on_plane(10, 0.5, 0.0).problem());
  const std::string text = read_text(directory / "whole.h5");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{100}, text.size() / 2, text.size() - 8}) {
    write_text(directory / "cut.h5", text.substr(0, size));
    const std::string message = message_of([&] { load_contact_problem(directory / "cut.h5"); });
    EXPECT_NE(message.find("cut.h5: "), std::string::npos) << size << message;
  }
  write_text(directory / "model.h5", "[[body]]\n");
  EXPECT_NE(
      message_of([&] { load_contact_problem(directory / "model.h5"); }).find("not an HDF5 file"),
      std::string::npos);
  EXPECT_NE(message_of([&] { load_contact_problem(directory / "none.h5"); }).find("no such file"),
            std::string::npos);
  EXPECT_NE(message_of([&] { load_contact_problem(directory.path()); }).find("not a file"),
            std::string::npos);
}

}  // namespace contact_problem_file_test
}  // namespace clatter
