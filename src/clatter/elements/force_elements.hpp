#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

#include <clatter/elements/actuator.hpp>
#include <clatter/elements/bushing.hpp>
#include <clatter/elements/cable.hpp>
#include <clatter/elements/membrane.hpp>
#include <clatter/elements/spring.hpp>

namespace clatter {

/// Kinds of parts, each with a list of specs in a model and of elements in a machine.
template <class... Kinds>
struct KindList {
  struct Specs : Kinds::Specs... {};
  using Elements = std::tuple<std::vector<Kinds>...>;
  /// Calls visit.operator()<Kind>() for all of them.
  template <class Visit>
  static void for_each(Visit&& visit) {
    (visit.template operator()<Kinds>(), ...);
  }
};

/// All that acts between nodes and is made one by one. A new kind is a file of its own and a word
/// here: models, their files and checks, machines with matrices, energies and powers, and results
/// then have it. Such a file has, for the model,
///
///   Spec: what a model says of one, with `name`, `place` and `keys`
///   Specs: a struct with the list of them, `springs`; `list`: the pointer to that member
///   word, plural: "spring", "springs", as files, messages and paths of results have them
///   read(table, bodies, spec): fills the spec from a table of a file, but for the three
///   check(spec, object, bodies): says what makes no sense, in a file or in code
///   attachments(spec): the points that it acts at
///   build(spec, site): the element; or build_all(spec, site, elements) where one is made of
///   several
///
/// and for each element
///
///   nodes(): a fixed array, or a span when elements of the kind differ in their number
///   Vector, Matrix: six entries for each node; of bounded size, since steps allocate nothing
///   generalised_force(q, v, reached, f), tangent(q, v, reached, K, C): f, -df/dq, -df/dv
///   energy(q, reached), dissipated_power(q, v, reached)
///   coordinate(q, reached), coordinate_at_start(): what it counts over steps, such as an angle
///     with its turns, or zero; `reached` is the value at the end of the last step
///   check(q, reached): throws Error where it has no meaning
///   channels(): what can be recorded; the element must outlive them
///
/// An Actuator `is_driven`: it is built on a DriveSite, has a DriveInput instead of `reached`, a
/// power(), and force() as its one channel.
///
/// Beams are no part of it: they are computed two at a time, and share what forces and tangents
/// need.
using ForceKinds = KindList<Spring, Bushing, Cable, Membrane, Actuator>;
using ForceElements = ForceKinds::Elements;

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

/// Whether an entry of a model is as many elements.
template <class Kind>
constexpr bool is_made_of_pieces = requires {
  &Kind::build_all;
};

/// Whether it holds no energy and has a power(q, v) instead, like a load.
template <class Kind>
constexpr bool is_load = requires {
  Kind::is_load;
};

/// Whether elements of a kind are driven.
template <class Kind>
constexpr bool is_driven = requires {
  Kind::is_driven;
};

inline std::size_t count_of(const ForceElements& elements) {
  return std::apply([](const auto&... kinds) { return (kinds.size() + ...); }, elements);
}

}  // namespace clatter
