#pragma once

#include <vector>

#include <clatter/elements/spring.hpp>
#include <clatter/io/toml_table.hpp>
#include <clatter/model/body_keys.hpp>
#include <clatter/model/specs.hpp>

namespace clatter {

/// The parts that bearings are made of: balls are bodies, which touch the races of two others, and
/// springs keep neighbours apart. They are named after the bearing: body `b.ball3`, its contacts
/// `b.ball3.inner` and `b.ball3.outer`, and the spring `b.cage3` to the next ball. Rollers in space
/// have several of these, numbered from 1, and ribs: `b.roller3.outer.1`, `b.roller3.outer.rib1`.
struct BearingReading {
  std::vector<BodySpec> balls;
  std::vector<ContactSpec> contacts;
  std::vector<SpringSpec> springs;
  std::vector<BearingSpec> bearings;
};

/// As many bodies as the bearings have at most.
std::size_t count_balls(const std::vector<TomlTable>& tables);

BearingReading read_bearings(const std::vector<TomlTable>& tables, const NamedBodies& bodies);

}  // namespace clatter
