#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <clatter/simulation/simulation.hpp>

namespace clatter::testing {

/// The present value of a channel, "bodies/ball/position"; `component` counts within it.
inline double value(const Simulation& simulation, const std::string& path, int component = 0) {
  std::vector<double> row(static_cast<std::size_t>(simulation.row_size()));
  simulation.sample(row);
  for (const Channel& channel : simulation.channels()) {
    if (channel.path == path) return row[static_cast<std::size_t>(channel.offset + component)];
  }
  throw std::invalid_argument("no channel " + path);
}

inline Vec3 vector(const Simulation& simulation, const std::string& path) {
  return {value(simulation, path, 0), value(simulation, path, 1), value(simulation, path, 2)};
}

inline const Vec3 gravity(0.0, 0.0, -9.81);

inline Model timed(double step, double duration) {
  Model model;
  model.integrator.step = step;
  model.integrator.duration = duration;
  return model;
}

/// Order of convergence seen between two errors, the second with half the step.
inline double order(double coarse, double fine) { return std::log2(std::abs(coarse / fine)); }

inline void run(Simulation& simulation) {
  while (!simulation.finished()) simulation.step();
}

inline BodySpec point(std::string name, double mass, const Vec3& position,
                      const Vec3& velocity = Vec3::Zero()) {
  BodySpec body;
  body.name = std::move(name);
  body.kind = BodyKind::point;
  body.mass = mass;
  body.position = position;
  body.velocity = velocity;
  return body;
}

/// A solid box, in space or in the plane.
inline BodySpec box(std::string name, BodyKind kind, double mass, const Vec3& size,
                    const Vec3& position) {
  BodySpec body;
  body.name = std::move(name);
  body.kind = kind;
  body.mass = mass;
  body.inertia = inertia_of(BoxShape{size}, mass);
  body.position = position;
  return body;
}

}  // namespace clatter::testing
