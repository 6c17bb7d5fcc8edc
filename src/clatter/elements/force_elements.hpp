#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

#include <clatter/elements/bushing.hpp>
#include <clatter/elements/spring.hpp>

namespace clatter {

/// All that acts between two nodes and is made one by one, by kind. A new kind is a file of its own
/// and a word here; the machine, its matrices, energies and powers then have it. It gives
///
///   name(), a(), b(): the two nodes
///   generalised_force(q, v, reached, f), tangent(q, v, reached, K, C): f, -df/dq, -df/dv
///   energy(q, reached), dissipated_power(q, v, reached)
///   coordinate(q, reached), coordinate_at_start(): what it counts over steps, such as an angle
///     with its turns, or zero; `reached` is the value at the end of the last step
///   check(q, reached): throws Error where it has no meaning
///
/// Beams are no part of it: they are computed two at a time, and share what forces and tangents
/// need.
using ForceElements = std::tuple<std::vector<Spring>, std::vector<Bushing>>;

/// Calls visit(element, index) for all of them, with indices that go on from kind to kind.
template <class Visit>
void for_each_force_element(const ForceElements& elements, Visit&& visit) {
  std::size_t index = 0;
  std::apply(
      [&](const auto&... kinds) {
        const auto visit_kind = [&](const auto& kind) {
          for (const auto& element : kind) visit(element, index++);
        };
        (visit_kind(kinds), ...);
      },
      elements);
}

inline std::size_t count_of(const ForceElements& elements) {
  return std::apply([](const auto&... kinds) { return (kinds.size() + ...); }, elements);
}

}  // namespace clatter
