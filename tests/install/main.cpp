// A program outside clatter: drops a point on the ground through the installed library.

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

#include <clatter/simulation/simulation.hpp>
#include <clatter/version.hpp>

int main() {
  clatter::Model model;
  model.gravity = {0.0, 0.0, -9.81};
  clatter::BodySpec ball;
  ball.name = "ball";
  ball.kind = clatter::BodyKind::point;
  ball.mass = 1.0;
  ball.position = {0.0, 0.0, 1.0};
  model.bodies.push_back(ball);
  clatter::ContactSpec floor;
  floor.name = "floor";
  floor.point.body = "ball";
  model.contacts.push_back(floor);
  model.integrator.duration = 1.0;

  clatter::Simulation simulation(model);
  while (!simulation.finished()) simulation.step();
  std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
  simulation.sample(row);
  const double height = row[2];  // bodies/ball/position/z is the third number
  std::cout << "built against clatter " << clatter::version << "; the ball rests at z = " << height
            << '\n';
  return std::abs(height) < 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
