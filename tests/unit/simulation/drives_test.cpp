#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {
namespace drives_test {

/// A rotor of inertia 2 on an axle.
Simulation rotor(const std::string& drives, const std::string& scheme = "nsga", double speed = 0.0,
                 double step = 0.01) {
  return Simulation(parse_model(fmt::format(R"(
[[body]]
name = "rotor"
kind = "planar"
mass = 1
inertia = 2
angular_velocity = {}
[[joint]]
name = "axle"
kind = "revolute"
a = "ground"
b = "rotor"
point = [0, 0]
{}
[integrator]
name = "{}"
step = {}
duration = 10
)",
                                            speed, drives, scheme, step),
                                "rotor.toml"));
}

void run(Simulation& simulation, int steps) {
  for (int i = 0; i < steps; ++i) simulation.step();
}

TEST(Sensor, knows_what_it_measured_a_delay_ago) {
  Simulation simulation = rotor(R"(
[[sensor]]
name = "now"
quantity = "joints/axle/coordinate"
[[sensor]]
name = "late"
quantity = "2*joints/axle/coordinate"
sampling_time = 0.03
delay = 0.05
)",
                                "nsga", 1.0);
  run(simulation, 1);
  EXPECT_EQ(simulation.value("sensors/late/value"), 0.0);
  run(simulation, 12);
  // The last step began at 0.12 s: then 0.07 s was the age of what had arrived, sampled at 0.06 s.
  EXPECT_NEAR(simulation.value("sensors/now/value"), 0.12, 1e-12);
  EXPECT_NEAR(simulation.value("sensors/late/value"), 2.0 * 0.06, 1e-12);
}

// With a torque that stands still from sample to sample the speed has no error but round-off.
TEST(Controller, that_is_sampled_is_the_recursion_that_it_says) {
  for (const char* scheme : {"nsga", "nsga_coupled", "moreau", "generalized_alpha"}) {
    Simulation simulation = rotor(R"(
[[controller]]
name = "pid"
input = "joints/axle/velocity"
setpoint = 1
proportional = 3
integral = 4
derivative = 0.2
derivative_filter = 0.05
sampling_time = 0.02
delay = 0.02
[[actuator]]
joint = "axle"
force = "controllers/pid/output"
)",
                                  scheme);
    double speed = 0.0, I = 0.0, D = 0.0, last = 0.0, out = 0.0, next = 0.0;
    constexpr double T = 0.02, F = 0.05;
    for (int k = 0; k < 40; ++k) {
      const double e = 1.0 - speed;
      I += 4.0 * T * e;
      if (k > 0) D = (F * D + 0.2 * (e - last)) / (F + T);
      last = e;
      out = next;
      next = 3.0 * e + I + D;
      speed += T * out / 2.0;
      run(simulation, 2);
      ASSERT_NEAR(simulation.value("joints/axle/velocity"), speed, 1e-9) << scheme << " " << k;
    }
  }
}

TEST(Controller, does_not_wind_up_beyond_its_limits) {
  Simulation simulation = rotor(R"(
[[controller]]
name = "pi"
input = "joints/axle/velocity"
setpoint = "t < 5 ? 100 : -1"
proportional = 1
integral = 1
upper = 2
lower = -2
sampling_time = 0.01
[[actuator]]
joint = "axle"
force = "controllers/pi/output"
)");
  run(simulation, 500);
  EXPECT_EQ(simulation.value("controllers/pi/output"), 2.0);
  run(simulation, 2);  // an integral of 500 would hold it up for minutes
  EXPECT_EQ(simulation.value("controllers/pi/output"), -2.0);
}

}  // namespace drives_test
}  // namespace clatter
