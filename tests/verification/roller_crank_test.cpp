#include "verification/roller_crank.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clatter/io/csv_file.hpp>
#include <clatter/io/model_reader.hpp>
#include <clatter/simulation/simulation.hpp>

#include "support/finite_difference.hpp"
#include "support/runge_kutta.hpp"
#include "support/source_folder.hpp"

// Clatter (redundant coordinates, joint forces, generalized-alpha) against the same mechanisms in
// minimal coordinates, integrated by a Runge-Kutta method.

namespace clatter::roller_crank {
namespace roller_crank_test {

// ---- What is compared
// -----------------------------------------------------------------------------

/// Something that both programs know: its name in the results of clatter, and what it is.
struct Quantity {
  std::string name;
  double (*of)(const Instant&);
};

double crank_angle(const Instant& i) { return i.crank_angle; }
double roller_x(const Instant& i) { return i.rod_end[0]; }
double roller_y(const Instant& i) { return i.rod_end[1]; }
double roller_angle(const Instant& i) { return i.roller_angle; }
double start_rotation(const Instant& i) { return i.rod_start_rotation; }
double end_rotation(const Instant& i) { return i.rod_end_rotation; }

const std::vector<Quantity> rigid_quantities{
    {"bodies/crank/angle", crank_angle},
    {"bodies/rod/angle", end_rotation},
    {"bodies/rod/position/x", [](const Instant& i) { return i.rod_middle[0]; }},
    {"bodies/rod/position/y", [](const Instant& i) { return i.rod_middle[1]; }},
    {"bodies/roller/position/x", roller_x},
    {"bodies/roller/position/y", roller_y},
    {"bodies/roller/angle", roller_angle}};

const std::vector<Quantity> flexible_quantities{
    {"bodies/crank/angle", crank_angle},
    {"beams/rod/angle/0", start_rotation},
    {"beams/rod/angle/8", end_rotation},
    {"beams/rod/position/0/x", [](const Instant& i) { return i.rod_start[0]; }},
    {"beams/rod/position/0/y", [](const Instant& i) { return i.rod_start[1]; }},
    {"beams/rod/position/4/x", [](const Instant& i) { return i.rod_middle[0]; }},
    {"beams/rod/position/4/y", [](const Instant& i) { return i.rod_middle[1]; }},
    {"beams/rod/position/8/x", roller_x},
    {"beams/rod/position/8/y", roller_y},
    {"bodies/roller/position/x", roller_x},
    {"bodies/roller/position/y", roller_y},
    {"bodies/roller/angle", roller_angle},
    {"energy/elastic", [](const Instant& i) { return i.elastic_energy; }}};

/// Rows are instants, the multiples of an interval; columns are quantities.
using Table = MatX;

// ---- Solutions
// ------------------------------------------------------------------------------------

struct Solution {
  std::vector<Instant> instants;
  double energy_error = 0.0;  ///< largest change of the energy, over the largest kinetic energy
};

/// The motion in minimal coordinates; the start is not among the instants.
template <class Motion>
Solution solve(const Motion& motion, double duration, double interval, double step) {
  using State = typename Motion::State;
  const auto rate = [&](double time, const State& y) { return motion.rate(time, y); };
  State state = motion.start();
  const double energy = motion.energy(state);
  double change = 0.0, kinetic = 0.0;
  Solution solution;
  for (long i = 0; i < std::lround(duration / interval); ++i) {
    const double from = static_cast<double>(i) * interval;
    testing::integrate(state, rate, from, from + interval, step);
    change = std::max(change, std::abs(motion.energy(state) - energy));
    kinetic = std::max(kinetic, motion.kinetic_energy(state));
    solution.instants.push_back(motion.instant(state));
  }
  solution.energy_error = change / kinetic;
  return solution;
}

Table table(const Solution& solution, const std::vector<Quantity>& quantities) {
  Table values(solution.instants.size(), quantities.size());
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    for (Eigen::Index k = 0; k < values.cols(); ++k) {
      values(i, k) = quantities[static_cast<std::size_t>(k)].of(
          solution.instants[static_cast<std::size_t>(i)]);
    }
  }
  return values;
}

std::size_t entry_of(const Simulation& simulation, const std::string& name) {
  for (const Channel& channel : simulation.channels()) {
    for (std::size_t i = 0; i < channel.components.size(); ++i) {
      if (component_name(channel, i) == name) return static_cast<std::size_t>(channel.offset) + i;
    }
  }
  throw std::invalid_argument("no quantity " + name);
}

/// The same from a run of clatter.
Table table(Model model, double step, const std::vector<Quantity>& quantities, double interval) {
  model.integrator.step = step;
  Simulation simulation(model);
  std::vector<std::size_t> entries;
  for (const Quantity& quantity : quantities) {
    entries.push_back(entry_of(simulation, quantity.name));
  }
  const long steps = std::lround(interval / step);
  Table values(simulation.steps_total() / steps, quantities.size());
  std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    for (long n = 0; n < steps; ++n) simulation.step();
    simulation.sample(row);
    for (Eigen::Index k = 0; k < values.cols(); ++k) {
      values(i, k) = row[entries[static_cast<std::size_t>(k)]];
    }
  }
  return values;
}

/// The solver is held to a tolerance whose sum over a run does not show beside what is measured.
Model example(const std::string& name) {
  Model model = read_model(source_folder() / "examples/beams" / name);
  model.integrator.tolerance = 1e-12;
  return model;
}

/// The start made soft: everything is at rest, and weight, now a load, comes gradually.
Model softly_started(Model model, double onset) {
  const auto weight = [&](double mass) {
    return Expression(
        fmt::format("{:.17g}*(1-exp(-(t/{:.17g})^4))", model.gravity.y() * mass, onset));
  };
  for (BodySpec& body : model.bodies) {
    body.velocity.setZero();
    body.angular_velocity.setZero();
    LoadSpec load;
    load.name = body.name;
    load.at.body = body.name;
    load.force[1] = weight(body.mass);
    model.loads.push_back(load);
  }
  for (BeamSpec& beam : model.beams) {
    beam.velocity.setZero();
    beam.line_force[1] = weight(beam.density * beam.section.area);
  }
  model.gravity.setZero();
  return model;
}

// ---- How they must agree
// --------------------------------------------------------------------------

/// Errors of generalized-alpha are c h^2 + d h^3 + ... Runs with steps h, h/2, h/4 then are wrong
/// by 16 : 4 : 1, and extrapolations (4 fine - coarse)/3 of neighbours by 8 : 1. Hence the
/// difference of the extrapolations tells how far the better one is from the truth, without knowing
/// it: one seventh of it, a sixth with some slack for the terms left out. The ratios have the slack
/// of the h^3 terms, which are a hundredth of the others for the steps used here. `floor`: what the
/// truth may be wrong by.
void expect_second_order(const Model& model, const std::vector<Quantity>& quantities,
                         const Table& truth, double interval, double step, double floor) {
  const std::array<Table, 3> runs{table(model, step, quantities, interval),
                                  table(model, step / 2.0, quantities, interval),
                                  table(model, step / 4.0, quantities, interval)};
  const Table worse = (4.0 * runs[1] - runs[0]) / 3.0, better = (4.0 * runs[2] - runs[1]) / 3.0;
  for (Eigen::Index k = 0; k < truth.cols(); ++k) {
    SCOPED_TRACE(quantities[static_cast<std::size_t>(k)].name);
    std::array<double, 3> error{};
    for (std::size_t i = 0; i < 3; ++i) error[i] = (runs[i] - truth).col(k).norm();
    if (error[0] > floor) {  // the roller turns uniformly, which has no error
      EXPECT_NEAR(error[0] / error[1], 4.0, 0.1);
      EXPECT_NEAR(error[1] / error[2], 4.0, 0.1);
    }
    EXPECT_LT((better - truth).col(k).norm(), (better - worse).col(k).norm() / 6.0 + floor);
  }
}

// ---- The independent solution itself
// --------------------------------------------------------------

TEST(RollerCrankOracle, helix_of_the_strains_joins_the_ends_of_an_element) {
  // Simpson's rule in 100 intervals on R(s psi) (1 + g1, g2): error below (psi/100)^4/180.
  const double length = 0.7;
  for (const double turn : {-2.5, -0.3, -1e-3, 0.0, 1e-9, 0.15, 1.0}) {
    const std::array<double, 6> ends{0.1, -0.2, 0.4, 0.5, 0.3, 0.4 + turn};
    const auto [g1, g2, curvature] = helix_strain(ends, length);
    EXPECT_NEAR(curvature, turn / length, 1e-15);
    Vec2 end(ends[0], ends[1]);
    const int intervals = 100;
    for (int i = 0; i <= intervals; ++i) {
      const double angle = ends[2] + turn * i / intervals;
      const double weight = (i == 0 || i == intervals ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) / 3.0;
      end += weight * length / intervals * (Eigen::Rotation2Dd(angle) * Vec2(1.0 + g1, g2));
    }
    EXPECT_NEAR(end[0], ends[3], 3e-9);
    EXPECT_NEAR(end[1], ends[4], 3e-9);
  }
}

TEST(RollerCrankOracle, duals_differentiate_the_strains) {
  using Dual6 = testing::Dual<6>;
  for (const double turn : {-1.0, -1e-3, 0.0, 0.1, 0.6}) {
    const std::array<double, 6> ends{0.1, -0.2, 0.4, 0.5, 0.3, 0.4 + turn};
    std::array<Dual6, 6> dual_ends;
    for (int i = 0; i < 6; ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      dual_ends[at] = Dual6::variable(ends[at], i);
    }
    const std::array<Dual6, 3> strain = helix_strain(dual_ends, 0.7);
    MatX gradient(3, 6);
    for (int i = 0; i < 3; ++i) gradient.row(i) = strain[static_cast<std::size_t>(i)].gradient;
    const auto moved = [&](const VecX& d) {
      std::array<double, 6> at = ends;
      for (std::size_t i = 0; i < 6; ++i) at[i] += d[static_cast<Eigen::Index>(i)];
      const std::array<double, 3> g = helix_strain(at, 0.7);
      return VecX(Vec3(g[0], g[1], g[2]));
    };
    EXPECT_TRUE(testing::agrees(gradient, testing::differences(moved, 6)));
  }
}

// ---- Comparisons
// ----------------------------------------------------------------------------------

TEST(RollerCrank, rigid_rod_moves_as_lagrange_says) {
  const Model model = example("roller-crank-rigid.toml");
  const double interval = 0.02;
  const Solution solution =
      solve(RigidRod({}, 0.3, 0.002), model.integrator.duration, interval, 2e-5);
  EXPECT_LT(solution.energy_error, 1e-12);
  // 25 000 steps of Runge-Kutta leave 1e-12 of round-off per instant.
  expect_second_order(model, rigid_quantities, table(solution, rigid_quantities), interval, 1e-3,
                      1e-11);
}

TEST(RollerCrank, flexible_rod_that_starts_softly_moves_as_lagrange_says) {
  // A rod that is loaded all at once rings in all its modes, up to 134 000 rad/s, and no step in
  // reach would resolve them. Weight that comes within 0.05 s, in a way that is three times
  // differentiable at the start, leaves vibrations of less than 1e-10 m but in the first mode (295
  // rad/s), and the bending by the motion itself: the end rotations differ by up to 0.01 rad.
  const double onset = 0.05, interval = 0.02;
  Data data;
  data.crank_rate = data.roller_rate = 0.0;
  data.onset = onset;
  const Model model = softly_started(example("roller-crank-flexible.toml"), onset);
  const Solution solution = solve(FlexibleRod(data, {}), model.integrator.duration, interval, 5e-6);
  // With twice the Runge-Kutta step the truth moves by 2e-9 at an instant (the first node), so that
  // 1e-10 is left here, times the root of 25 instants.
  expect_second_order(model, flexible_quantities, table(solution, flexible_quantities), interval,
                      1e-4, 1e-9);
}

TEST(RollerCrank, flexible_rod_that_starts_suddenly_tends_to_the_independent_solution) {
  // Bending mode n rings at w ~ n^2 with an amplitude ~ n^-5 (n^-4 in rotation), and is wrong by
  // that amplitude times the lesser of 1 and the phase error w^3 h^2 t/12; stretching mode n at
  // w ~ n with an amplitude ~ n^-3. The sums are of order h^4/3 in positions and h in rotations
  // until h resolves the last mode, then h^2. So an eighth of the step brings at most an eighth of
  // the error, which is at most a seventh of the change; and that is known without the truth. The
  // window is short, lest many phases are lost.
  Model model = example("roller-crank-flexible.toml");
  model.integrator.duration = 0.05;
  const double interval = 1e-3;
  const Solution solution = solve(FlexibleRod({}, {}), model.integrator.duration, interval, 4e-6);
  EXPECT_LT(solution.energy_error, 1e-9);
  const Table truth = table(solution, flexible_quantities);
  const Table coarse = table(model, 4e-5, flexible_quantities, interval);
  const Table fine = table(model, 5e-6, flexible_quantities, interval);
  for (Eigen::Index k = 0; k < truth.cols(); ++k) {
    SCOPED_TRACE(flexible_quantities[static_cast<std::size_t>(k)].name);
    const double error = (fine - truth).col(k).norm();
    if (error < 1e-11) continue;  // the roller's angle
    EXPECT_LT(error, (coarse - truth).col(k).norm() / 8.0);
    EXPECT_LT(error, (coarse - fine).col(k).norm() / 7.0);
  }
}

// ---- Stiff rods
// -----------------------------------------------------------------------------------

/// A rigid rod with the mass of the elastic one. Straight, the latter's velocities are linear along
/// it, so that its consistent mass is exact.
RigidRod rigid_counterpart(const ElasticRod& rod) {
  const double length = Data().rod_length, mass = rod.density * rod.area * length;
  return RigidRod({}, mass,
                  mass * length * length / 12.0 + rod.density * rod.second_moment * length);
}

TEST(RollerCrank, rod_a_thousand_times_as_stiff_moves_like_a_rigid_one) {
  // What elasticity does is proportional to the compliance, but for the phases of vibrations, which
  // can double it. Besides there is the error of the step: (23 h)^2 rad at rates of 23 rad/s, and
  // 0.3 m times that.
  const double interval = 0.01, step = 5e-5;
  const std::vector<Quantity> quantities{{"bodies/crank/angle", crank_angle},
                                         {"beams/rod/angle/0", start_rotation},
                                         {"beams/rod/angle/8", end_rotation},
                                         {"bodies/roller/position/x", roller_x},
                                         {"bodies/roller/position/y", roller_y}};
  Model model = example("roller-crank-flexible.toml");
  const Table rigid =
      table(solve(rigid_counterpart({}), model.integrator.duration, interval, 2e-5), quantities);
  const Table soft = table(model, step, quantities, interval);
  model.beams[0].youngs_modulus *= 1e3;
  model.beams[0].shear_modulus *= 1e3;
  const Table stiff = table(model, step, quantities, interval);
  for (Eigen::Index k = 0; k < rigid.cols(); ++k) {
    SCOPED_TRACE(quantities[static_cast<std::size_t>(k)].name);
    const double scheme = std::pow(23.0 * step, 2) * (k < 3 ? 1.0 : Data().rod_length);
    const double deviation = (soft - rigid).col(k).cwiseAbs().maxCoeff();
    EXPECT_GT(deviation, 50.0 * scheme);  // else there would be nothing to see
    EXPECT_LT((stiff - rigid).col(k).cwiseAbs().maxCoeff(), 2e-3 * deviation + scheme);
  }
}

// ---- Figures in the models
// ------------------------------------------------------------------------

/// Compares every independent computation in a model with the solution that `solution_of` gives for
/// the changes of its run. Returns how many there were.
int check_references(const std::string& file, const std::vector<Quantity>& quantities,
                     const std::function<const Solution&(const VerifySpec&)>& solution_of,
                     double interval, double tolerance) {
  const Model model = example(file);
  int count = 0;
  for (const VerifySpec& figure : model.verify) {
    if (figure.oracle_kind != "independent computation") continue;
    SCOPED_TRACE(figure.quantity + " = " + figure.oracle);
    const auto quantity =
        std::find_if(quantities.begin(), quantities.end(),
                     [&](const Quantity& q) { return q.name == figure.quantity; });
    const double row = figure.at.value_or(model.integrator.duration) / interval;
    EXPECT_TRUE(quantity != quantities.end());
    EXPECT_NEAR(row, std::round(row), 1e-9);
    if (quantity == quantities.end()) continue;
    const Solution& solution = solution_of(figure);
    const auto instant = static_cast<std::size_t>(std::lround(row)) - 1;
    EXPECT_NEAR(Expression(figure.oracle)(0.0), quantity->of(solution.instants.at(instant)),
                tolerance);
    ++count;
  }
  return count;
}

TEST(RollerCrank, figures_of_the_rigid_model_are_those_of_the_independent_solution) {
  const Solution solution = solve(RigidRod({}, 0.3, 0.002), 0.5, 0.05, 2e-5);
  EXPECT_GT(check_references(
                "roller-crank-rigid.toml", rigid_quantities,
                [&](const VerifySpec&) -> const Solution& { return solution; }, 0.05, 1e-10),
            0);
}

TEST(RollerCrank, figures_of_the_flexible_model_are_those_of_the_independent_solution) {
  const Solution flexible = solve(FlexibleRod({}, {}), 0.5, 0.05, 4e-6);
  const Solution rigid = solve(rigid_counterpart({}), 0.5, 0.05, 2e-5);
  EXPECT_LT(flexible.energy_error, 1e-9);
  const auto solution_of = [&](const VerifySpec& figure) -> const Solution& {
    const bool stiff = std::any_of(
        figure.set.begin(), figure.set.end(),
        [](const std::string& change) { return change == "beam.rod.youngs_modulus=4.14e12"; });
    return stiff ? rigid : flexible;
  };
  // Rotations tremble by 1e-8 rad at 134 000 rad/s, which the Runge-Kutta step does not resolve.
  EXPECT_GT(
      check_references("roller-crank-flexible.toml", flexible_quantities, solution_of, 0.05, 2e-8),
      0);
}

}  // namespace roller_crank_test
}  // namespace clatter::roller_crank
