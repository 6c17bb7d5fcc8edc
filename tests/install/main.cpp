// Drops a ball on the ground, pushes it sideways at every step, and goes back to an earlier state.
#include <iostream>

#include <clatter/clatter.hpp>

int main() {
  using namespace clatter;
  Model model;
  model.gravity = {0.0, 0.0, -9.81};
  model.bodies = {{.name = "ball", .kind = BodyKind::point, .mass = 1.0, .position = {0, 0, 1}}};
  model.loads = {{.name = "push", .at = {"ball"}}};
  model.contacts = {{.name = "floor", .point = {"ball"}}};

  Simulation simulation(model);
  const State start = simulation.state();
  while (!simulation.finished()) {
    simulation.set_load("push", {0.1 * simulation.value("bodies/ball/position/z"), 0.0, 0.0});
    simulation.step();
  }
  const double height = simulation.value("bodies/ball/position/z");
  simulation.set_state(start);
  std::cout << "clatter " << version
            << ": the ball fell from z = " << simulation.value("bodies/ball/position/z") << " to "
            << height << '\n';
  return height * height < 1e-24 ? 0 : 1;
}
