#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <clatter/studies/parallel_runs.hpp>

namespace clatter {
namespace parallel_runs_test {

TEST(run_in_parallel, does_every_task_once) {
  std::vector<int> done(100, 0);
  run_in_parallel(done.size(), [&](std::size_t i) { ++done[i]; });
  EXPECT_EQ(done, std::vector<int>(100, 1));
  run_in_parallel(0, [](std::size_t) { FAIL(); });
}

TEST(run_in_parallel, throws_the_first_exception_in_order) {
  try {
    run_in_parallel(50, [](std::size_t i) {
      if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
    });
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
}

}  // namespace parallel_runs_test
}  // namespace clatter
