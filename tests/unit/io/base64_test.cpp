#include <gtest/gtest.h>

#include <clatter/io/base64.hpp>

namespace clatter {
namespace {

std::string encode(const std::string& text) { return base64(text.data(), text.size()); }

TEST(base64, gives_the_examples_of_the_standard) {
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode("f"), "Zg==");
  EXPECT_EQ(encode("fo"), "Zm8=");
  EXPECT_EQ(encode("foo"), "Zm9v");
  EXPECT_EQ(encode("foob"), "Zm9vYg==");
  EXPECT_EQ(encode("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encode("foobar"), "Zm9vYmFy");
}

TEST(base64, encodes_bytes_with_the_highest_bit) { EXPECT_EQ(encode("\xff\xfe\xfd"), "//79"); }

}  // namespace
}  // namespace clatter
