#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clatter/io/output_stream.hpp>

#include "support/message_of.hpp"
#include "unit/io/temporary_directory.hpp"

namespace clatter {
namespace output_stream_test {

using ::testing::HasSubstr;
using testing::message_of;

TEST(output_stream, full_disk_is_an_error_that_names_the_file) {
  const std::string message = message_of([] {
    OutputStream stream("/dev/full");
    stream.write("text");
    stream.flush();
  });
  EXPECT_THAT(message, HasSubstr("/dev/full"));
  EXPECT_THAT(message, HasSubstr("No space left on device"));
}

TEST(output_stream, missing_directory_is_an_error_that_names_the_file) {
  const TemporaryDirectory directory;
  const std::string path = (directory / "none/file").string();
  const std::string message = message_of([&] { OutputStream stream(path); });
  EXPECT_THAT(message, HasSubstr(path));
  EXPECT_THAT(message, HasSubstr("No such file or directory"));
}

TEST(replace_file, changes_the_whole_file_and_leaves_nothing_beside_it) {
  const TemporaryDirectory directory;
  replace_file(directory / "file", "a long first text");
  replace_file(directory / "file", "second");
  EXPECT_EQ(read_text(directory / "file"), "second");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(replace_file, leaves_the_old_text_when_it_fails) {
  const TemporaryDirectory directory;
  write_text(directory / "file", "old");
  std::filesystem::create_directory(directory / "file.new");  // in the way of the new text
  EXPECT_THROW(replace_file(directory / "file", "new"), Error);
  EXPECT_EQ(read_text(directory / "file"), "old");
}

TEST(make_directory, reports_a_file_in_the_way) {
  const TemporaryDirectory directory;
  write_text(directory / "file", "");
  const std::string path = (directory / "file/results").string();
  EXPECT_THAT(message_of([&] { make_directory(path); }), HasSubstr(path));
}

}  // namespace output_stream_test
}  // namespace clatter
