#include <cmath>

#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/solid_search.hpp>

namespace clatter {
namespace solid_search_test {

constexpr double edge = 0.1, angle = 0.01;

/// A cube on a floor, on one of its edges or flat, turned about y.
Configuration turned(const Machine& machine, double by) {
  Configuration q = machine.initial_configuration();
  q[1].p = Quaternion(Eigen::AngleAxisd(by, Vec3::UnitY()));
  q[1].R = q[1].p.toRotationMatrix();
  q[1].x.z() = 0.5 * edge * (std::cos(by) + std::abs(std::sin(by)));
  return q;
}

class CubeOnFloor : public ::testing::Test {
 protected:
  std::vector<ContactKey> find(const Configuration& q, const Configuration& next,
                               std::span<const char> still = {}) {
    std::vector<ContactKey> keys;
    search.find(q, next, keys, still);
    return keys;
  }

  Machine machine{parse_model(R"(
[[material]]
name = "stone"
[ground]
shape = { kind = "half_space", material = "stone" }
[[body]]
name = "cube"
mass = 1
shape = { kind = "box", size = [0.1, 0.1, 0.1], material = "stone" }
position = [0, 0, 0.05]
[integrator]
step = 1e-3
duration = 1
)",
                              "cube.toml")};
  SolidSearch search{machine};
};

TEST_F(CubeOnFloor, touches_with_the_corners_that_are_near_now_or_will_be) {
  const Configuration on_edge = turned(machine, angle), flat = turned(machine, 0.0);
  // The other edge is as high as the angle lifts it, ten times what is near.
  EXPECT_EQ(find(on_edge, on_edge).size(), 2u);
  EXPECT_EQ(find(on_edge, turned(machine, 2.0 * angle)).size(), 2u);
  EXPECT_EQ(find(flat, flat).size(), 4u);
  const std::vector<ContactKey> keys = find(on_edge, flat);
  EXPECT_EQ(keys.size(), 4u);
  EXPECT_EQ(keys, find(flat, flat));
  // So that nothing is missed when it gets there.
  std::vector<ContactKey> missed;
  EXPECT_EQ(search.find_missed(on_edge, flat, keys, missed).depth, 0.0);
  EXPECT_TRUE(missed.empty());
}

TEST_F(CubeOnFloor, is_not_looked_at_when_both_are_still) {
  const Configuration flat = turned(machine, 0.0);
  const std::vector<char> still{1, 1}, moving{1, 0};
  EXPECT_TRUE(find(flat, flat, still).empty());
  EXPECT_EQ(find(flat, flat, moving).size(), 4u);
  EXPECT_TRUE(search.are_still(0, 1, still));
  EXPECT_FALSE(search.are_still(0, 1, moving));
}

}  // namespace solid_search_test
}  // namespace clatter
