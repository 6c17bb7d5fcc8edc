#include <fmt/core.h>
#include <gtest/gtest.h>

#include <clatter/version.hpp>

namespace version_test {

TEST(Version, text_agrees_with_the_numbers) {
  EXPECT_EQ(clatter::version, fmt::format("{}.{}.{}", clatter::version_major,
                                          clatter::version_minor, clatter::version_patch));
}

}  // namespace version_test
