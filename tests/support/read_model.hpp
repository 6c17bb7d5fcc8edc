#pragma once

#include <string>

#include <clatter/io/model_reader.hpp>

#include "support/message_of.hpp"

namespace clatter::testing {

/// What every model file needs at its end and most tests of reading do not care about.
inline const std::string run_keys = "[integrator]\nstep = 1e-3\nduration = 1\n";

inline Model model_of(const std::string& text) {
  return parse_model(text + run_keys, "model.toml");
}

/// What the error says; nothing when the whole text is a good model.
inline std::string mistakes_of(const std::string& text) {
  return message_of([&] { parse_model(text, "model.toml"); });
}

inline const std::string rigid_pair = R"toml(
[[body]]
name = "one"
mass = 1
inertia = [1, 1, 1]
position = [1, 2, 3]
orientation = { axis = [1, 2, -1], angle = 0.7 }
[[body]]
name = "two"
mass = 1
inertia = [1, 1, 1]
position = [-1, 0, 1]
orientation = { rotation_vector = [0.3, -2, 1] }
)toml";

inline const std::string planar_pair = R"toml(
[[body]]
name = "one"
kind = "planar"
mass = 1
inertia = 1
position = [1, 2]
angle = 0.7
[[body]]
name = "two"
kind = "planar"
mass = 1
inertia = 1
position = [-1, 0]
angle_deg = 200
)toml";

}  // namespace clatter::testing
