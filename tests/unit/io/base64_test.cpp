#include <gtest/gtest.h>

#include <clatter/io/base64.hpp>

namespace clatter {
namespace base64_test {

std::string encode(const std::string& text) {
  std::string encoded;
  add_base64(encoded, text.data(), text.size());
  return encoded;
}

TEST(Base64, gives_the_examples_of_the_standard) {
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode("f"), "Zg==");
  EXPECT_EQ(encode("fo"), "Zm8=");
  EXPECT_EQ(encode("foo"), "Zm9v");
  EXPECT_EQ(encode("foob"), "Zm9vYg==");
  EXPECT_EQ(encode("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, is_read_back_byte_by_byte) {
  std::string bytes;
  for (int length = 0; length < 300; ++length) {
    EXPECT_EQ(from_base64(encode(bytes)), bytes);
    bytes += static_cast<char>(37 * length);
  }
}

TEST(Base64, encodes_bytes_with_the_highest_bit) { EXPECT_EQ(encode("\xff\xfe\xfd"), "//79"); }

}  // namespace base64_test
}  // namespace clatter
