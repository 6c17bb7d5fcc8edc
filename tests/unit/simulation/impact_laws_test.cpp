#include <array>
#include <cmath>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

// Impact laws by name, under each scheme with hard contacts, at once and in sequence.

namespace clatter {
namespace impact_laws_test {

constexpr std::array schemes{"nsga", "nsga_coupled", "moreau"};
constexpr std::array laws{"newton", "poisson", "energetic"};

std::string with(const std::string& text, const char* scheme, const char* law, double step,
                 double duration, const char* more = "") {
  return fmt::format(
      "{}\n[integrator]\nname = \"{}\"\nimpact_law = \"{}\"\nstep = {}\nduration = {}\n{}", text,
      scheme, law, step, duration, more);
}

void run(Simulation& simulation) {
  while (!simulation.finished()) simulation.step();
}

/// A rod strikes the ground with its end, obliquely (Kane): Newton's law with friction would give
/// it a quarter more energy. It begins above the ground by what it falls in half of a step.
std::string kanes_rod(double e, double mu, double step) {
  return fmt::format(R"(
[[body]]
name = "rod"
kind = "planar"
mass = 1
inertia = 0.08333333333333333
position = [0, {:.17g}]
angle = -0.8
velocity = [0, -1]
angular_velocity = -4
[[contact]]
name = "tip"
point = {{ body = "rod", at = [0.5, 0] }}
face = {{ normal = [0, 1] }}
friction = {}
restitution = {}
)",
                     0.5 * std::sin(0.8) + 0.5 * step * (1.0 + 4.0 * 0.5 * std::cos(0.8)), mu, e);
}

/// Velocities run along lines over the normal impulse: slip is resisted until it stops, within the
/// compression, and then turns round, for to hold it would take more friction than there is. By
/// hand for this rod: W and velocities of its end, the work of the normal impulse as area of
/// trapezoids.
double energy_after_kane(const std::string& law, double e, double mu) {
  const double x = 0.5 * std::cos(0.8), y = -0.5 * std::sin(0.8);
  const double nn = 1.0 + 12.0 * x * x, nt = -12.0 * x * y, tt = 1.0 + 12.0 * y * y;
  const double n = -1.0 - 4.0 * x, t = 4.0 * y;  // t < 0: friction pushes forward
  const double slow = nn + mu * nt, turn = nt + mu * tt;
  const bool slips_all_along = -t / turn > -n / slow * (1.0 + e);
  EXPECT_FALSE(slips_all_along);
  const double stop = -t / turn, n_stop = n + slow * stop;
  EXPECT_LT(n_stop, 0.0);
  EXPECT_GT(nt / tt, mu);
  const double back = nn - mu * nt;  // dn/dp from there on
  const double compressed = stop - n_stop / back;
  const double taken = 0.5 * stop * (n + n_stop) - 0.5 * n_stop * n_stop / back;
  double n_after = -e * n;
  if (law == "poisson") n_after = back * e * compressed;
  if (law == "energetic") n_after = std::sqrt(-2.0 * back * e * e * taken);
  const double p = compressed + n_after / back;
  const double p_t = mu * stop - mu * (p - stop);
  const double t_after = (nt - mu * tt) * (p - stop);
  return 0.5 * (1.0 + 16.0 / 12.0) + 0.5 * (p * (n + n_after) + p_t * (t + t_after));
}

TEST(ImpactLaws, of_kanes_rod_are_those_of_the_closed_forms) {
  const double e = 0.9, mu = 0.4;
  for (const char* scheme : schemes) {
    for (const char* law : {"poisson", "energetic"}) {
      std::array<double, 2> error{};
      for (std::size_t i = 0; i < 2; ++i) {
        const double step = i == 0 ? 4e-5 : 1e-5;
        Simulation simulation(
            parse_model(with(kanes_rod(e, mu, step), scheme, law, step, 2e-4), "kane.toml"));
        run(simulation);
        const double after = energy_after_kane(law, e, mu);
        error[i] = std::abs(simulation.value("energy/kinetic") - after);
        EXPECT_LT(after, 0.5 * (1.0 + 16.0 / 12.0));
        EXPECT_LT(error[i], 100.0 * step) << scheme << ' ' << law;
        EXPECT_EQ(simulation.statistics().lessened, 0);
      }
      EXPECT_LT(error[1], 0.5 * error[0] + 1e-9) << scheme << ' ' << law;  // first order
    }
    const Simulation before(
        parse_model(with(kanes_rod(e, mu, 1e-5), scheme, "newton", 1e-5, 2e-4), "kane.toml"));
    Simulation newton(
        parse_model(with(kanes_rod(e, mu, 1e-5), scheme, "newton", 1e-5, 2e-4), "kane.toml"));
    run(newton);
    EXPECT_LE(newton.value("energy/kinetic"), before.value("energy/kinetic") * (1.0 + 1e-9));
    EXPECT_GT(newton.statistics().lessened, 0);
  }
}

/// Balls of 1 kg in a row that touch; the first strikes with 1 m/s.
std::string row_of_balls(int count, double e, const char* contact = "") {
  std::string text;
  for (int k = 0; k < count; ++k) {
    text += fmt::format(R"(
[[body]]
name = "b{0}"
mass = 1
shape = {{ kind = "sphere", radius = 0.5 }}
position = [{1:.17g}, 0, 0]
velocity = [{2}, 0, 0]
)",
                        k, k == 0 ? -4e-4 : double(k), k == 0 ? 1 : 0);
    if (k == 0) continue;
    text += fmt::format(R"(
[[contact]]
name = "c{0}"
sphere = {{ body = "b{1}" }}
other = {{ body = "b{0}" }}
restitution = {2}
{3}
)",
                        k, k - 1, e, contact);
  }
  return text;
}

TEST(ImpactLaws, of_balls_in_a_row_at_once) {
  for (const char* scheme : schemes) {
    for (const char* law : laws) {
      Simulation simulation(
          parse_model(with(row_of_balls(3, 1.0), scheme, law, 1e-3, 3e-3), "row.toml"));
      run(simulation);
      EXPECT_NEAR(simulation.values("bodies/b0/velocity")[0], -1.0 / 3.0, 1e-9) << scheme << law;
      EXPECT_NEAR(simulation.values("bodies/b1/velocity")[0], 2.0 / 3.0, 1e-9) << scheme << law;
      EXPECT_NEAR(simulation.values("bodies/b2/velocity")[0], 2.0 / 3.0, 1e-9) << scheme << law;
    }
  }
}

TEST(ImpactLaws, of_balls_in_a_row_in_sequence_pass_the_impact_on) {
  for (const char* law : laws) {
    Simulation simulation(parse_model(
        with(row_of_balls(4, 1.0), "nsga", law, 1e-3, 3e-3, "multi_impact = true"), "row.toml"));
    run(simulation);
    for (int k = 0; k < 4; ++k) {
      EXPECT_NEAR(simulation.values(fmt::format("bodies/b{}/velocity", k))[0], k == 3 ? 1.0 : 0.0,
                  1e-9)
          << law;
    }
  }
}

/// The central impact of two balls is the same for all laws, e by the speed of approach.
TEST(ImpactLaws, take_restitution_by_the_speed_of_approach) {
  for (const char* scheme : schemes) {
    for (const char* law : laws) {
      std::string text = row_of_balls(2, 0.0);
      text.replace(text.find("restitution = 0"), 15, "restitution = \"0.9 - 0.2*v\"");
      Simulation simulation(parse_model(with(text, scheme, law, 1e-3, 3e-3), "row.toml"));
      run(simulation);
      EXPECT_NEAR(simulation.values("bodies/b0/velocity")[0], 0.5 * (1.0 - 0.7), 1e-9);
      EXPECT_NEAR(simulation.values("bodies/b1/velocity")[0], 0.5 * (1.0 + 0.7), 1e-9);
    }
  }
}

/// In sequence Newton's law with friction added energy as well; now it does not.
TEST(ImpactLaws, in_sequence_add_no_energy) {
  for (const char* law : laws) {
    Simulation simulation(
        parse_model(with(kanes_rod(0.9, 0.4, 1e-5), "nsga", law, 1e-5, 2e-4, "multi_impact = true"),
                    "kane.toml"));
    const double before = simulation.value("energy/kinetic");
    run(simulation);
    EXPECT_LE(simulation.value("energy/kinetic"), before * (1.0 + 1e-9)) << law;
    EXPECT_GT(simulation.values("bodies/rod/velocity")[1], 0.0) << law;  // it has rebounded
  }
}

/// A pendulum on a hinge whose end strikes a wall: the inverse mass of its end along the normal is
/// that about the hinge, and what friction does there is borne by the hinge.
TEST(ImpactLaws, hold_beside_joints) {
  for (const char* scheme : schemes) {
    for (const char* law : laws) {
      Simulation simulation(parse_model(with(R"(
[[body]]
name = "rod"
kind = "planar"
mass = 2
inertia = 0.1
position = [0, -0.5]
velocity = [0.5, 0]
angular_velocity = 1
[[joint]]
kind = "revolute"
a = "ground"
b = "rod"
point = [0, 0]
[[contact]]
name = "stop"
point = { body = "rod", at = [0, -0.5] }
face = { point = [5e-4, 0], normal = [-1, 0] }
friction = 0.5
restitution = 0.6
)",
                                             scheme, law, 1e-4, 2e-3),
                                        "pendulum.toml"));
      run(simulation);
      // The end moves along the normal but for 5e-4 rad.
      EXPECT_NEAR(simulation.value("bodies/rod/angular_velocity"), -0.6, 1e-3) << scheme << law;
    }
  }
}

/// A ball that bounces comes to rest under each law, and no law adds energy on the way.
TEST(ImpactLaws, let_a_ball_come_to_rest) {
  for (const char* scheme : schemes) {
    for (const char* law : laws) {
      Simulation simulation(parse_model(with(R"(
gravity = [0, 0, -10]
[[body]]
name = "ball"
mass = 1
shape = { kind = "sphere", radius = 0.1 }
position = [0, 0, 0.3]
velocity = [0.4, 0, 0]
angular_velocity = [0, 30, 0]
[[contact]]
name = "floor"
sphere = { body = "ball" }
face = { normal = [0, 0, 1] }
friction = 0.3
restitution = 0.5
)",
                                             scheme, law, 1e-3, 1.0),
                                        "ball.toml"));
      double energy = simulation.value("energy/total");
      while (!simulation.finished()) {
        simulation.step();
        const double now = simulation.value("energy/total");
        EXPECT_LE(now, energy + 0.02) << scheme << law;  // m g v h of the step of an impact
        energy = std::min(energy, now);
      }
      const bool holds_positions = std::string(scheme) != "moreau";
      EXPECT_NEAR(simulation.values("bodies/ball/position")[2], 0.1, holds_positions ? 1e-9 : 2e-3)
          << scheme << law;
      // Slip is gone: it rolls.
      EXPECT_NEAR(simulation.values("bodies/ball/velocity")[0],
                  0.1 * simulation.values("bodies/ball/angular_velocity")[1], 1e-9)
          << scheme << law;
    }
  }
}

}  // namespace impact_laws_test
}  // namespace clatter
