#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <clatter/io/model_reader.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/model/error.hpp>
#include <clatter/model/scheme_kinds.hpp>
#include <clatter/simulation/simulation.hpp>
#include <clatter/studies/amplification.hpp>

namespace clatter {
namespace {

/// Of what is no motion, as columns of zeros leave it.
constexpr double no_root = 1e-7;
/// A pair this near to the axis is two real roots that round-off has parted.
constexpr double real = 1e-6;

bool needs_contact(const std::string& integrator) {
  const auto found = std::find_if(scheme_kinds.begin(), scheme_kinds.end(),
                                  [&](const auto& traits) { return traits.name == integrator; });
  return found != scheme_kinds.end() && found->needs_free_bodies;
}

/// Unit mass and unit step, so that the stiffness is the square of the angle.
Model oscillator(const std::string& integrator, double angle, double damping,
                 std::span<const std::string> settings) {
  const double stiffness = angle * angle;
  std::string text;
  if (needs_contact(integrator)) {
    if (damping != 0.0) {
      throw Error(fmt::format("--damping is not for \"{}\", whose springs are contacts without",
                              integrator));
    }
    // Ten times deeper than the motion is large.
    text = fmt::format(R"(gravity = [0, 0, {}]
[[body]]
name = "mass"
kind = "point"
mass = 1
position = [0, 0, -10]
[[contact]]
sphere = {{ body = "mass", radius = 1000 }}
face = {{ point = [0, 0, -1000], normal = [0, 0, 1] }}
compliance = {{ law = "hooke", stiffness = {} }}
)",
                       -10.0 * stiffness, stiffness);
  } else {
    text = fmt::format(R"([[body]]
name = "mass"
kind = "point"
mass = 1
[[spring]]
kind = "linear"
axis = [0, 0, 1]
b = {{ body = "mass" }}
stiffness = {}
damping = {}
)",
                       stiffness, 2.0 * damping * angle);
  }
  text += fmt::format("[integrator]\nname = \"{}\"\nstep = 1\nduration = 1000\n", integrator);
  std::vector<std::string> changes;
  for (const std::string& setting : settings) changes.push_back("integrator." + setting);
  return parse_model(text, "the oscillator", changes, ModelUse::run);
}

using Vector = Eigen::Vector4d;
constexpr Eigen::Index node = 1, along = 2;

Vector read(const State& state) {
  return {state.q[node].x[along], of_node(state.v, node)[along],
          of_node(state.algorithmic_acceleration, node)[along],
          of_node(state.acceleration, node)[along]};
}

}  // namespace

double Amplification::radius() const {
  return eigenvalues.empty() ? 0.0 : std::abs(eigenvalues.front());
}

namespace {

/// The pair that turns.
const std::complex<double>* motion_of(const Amplification& of) {
  for (const std::complex<double>& each : of.eigenvalues) {
    if (each.imag() > real * std::abs(each)) return &each;
  }
  return nullptr;
}

}  // namespace

std::optional<double> Amplification::damping() const {
  const std::complex<double>* root = motion_of(*this);
  if (root == nullptr) return {};
  return -std::log(std::abs(*root)) / std::arg(*root);
}

std::optional<double> Amplification::frequency() const {
  const std::complex<double>* root = motion_of(*this);
  if (root == nullptr) return {};
  return std::arg(*root) / angle;
}

Amplification amplification_of(const std::string& integrator, double angle, double damping,
                               std::span<const std::string> settings) {
  const Model model = oscillator(integrator, angle, damping, settings);
  if (model.integrator.kind == IntegratorKind::energy_consistent &&
      model.integrator.variant == ConservingKind::acem) {
    throw Error(
        "\"acem\" gives back within a step what springs take, so that none oscillates on them; "
        "variant=simo-tarnow does");
  }
  Simulation simulation(model);
  const State start = simulation.state();
  const auto step = [&](int disturbed) {
    State state = start;
    if (disturbed == 0) {
      state.q[node].x[along] += 1.0;
      for (ContactState& contact : state.contacts) contact.gap += 1.0;
    }
    if (disturbed == 1) of_node(state.v, node)[along] += 1.0;
    if (disturbed == 2) of_node(state.algorithmic_acceleration, node)[along] += 1.0;
    if (disturbed == 3) of_node(state.acceleration, node)[along] += 1.0;
    simulation.set_state(state);
    simulation.step();
    return read(simulation.state());
  };
  const Vector rest = step(-1);
  Eigen::Matrix4d A;
  for (int i = 0; i < 4; ++i) A.col(i) = step(i) - rest;
  Amplification result;
  result.angle = angle;
  const Eigen::Vector4cd roots = A.eigenvalues();
  for (const std::complex<double>& root : roots) {
    if (std::abs(root) > no_root) result.eigenvalues.push_back(root);
  }
  std::sort(result.eigenvalues.begin(), result.eigenvalues.end(),
            [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  return result;
}

}  // namespace clatter
