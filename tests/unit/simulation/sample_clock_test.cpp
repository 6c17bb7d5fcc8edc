#include <vector>

#include <gtest/gtest.h>

#include <clatter/simulation/sample_clock.hpp>

namespace clatter {
namespace sample_clock_test {

std::vector<long> due_steps(double interval, double step, long count) {
  const SampleClock clock(interval, step);
  std::vector<long> result;
  for (long n = 0; n <= count; ++n)
    if (clock.is_due(n)) result.push_back(n);
  return result;
}

TEST(sample_clock, every_step_when_the_interval_is_short) {
  EXPECT_EQ(due_steps(1e-3, 1e-3, 3), (std::vector<long>{0, 1, 2, 3}));
  EXPECT_EQ(due_steps(1e-9, 1e-3, 3), (std::vector<long>{0, 1, 2, 3}));
}

TEST(sample_clock, multiples_of_the_interval_whatever_the_rounding) {
  const std::vector<long> due = due_steps(0.3, 0.1, 3000000);
  ASSERT_EQ(due.size(), 1000001u);
  for (std::size_t i = 0; i < due.size(); ++i) ASSERT_EQ(due[i], 3 * static_cast<long>(i));
}

TEST(sample_clock, first_step_after_each_multiple_when_steps_do_not_divide_it) {
  EXPECT_EQ(due_steps(0.25, 0.1, 10), (std::vector<long>{0, 3, 5, 8, 10}));
}

}  // namespace sample_clock_test
}  // namespace clatter
