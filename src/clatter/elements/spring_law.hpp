#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include <clatter/elements/gas_law.hpp>
#include <clatter/elements/linear_law.hpp>
#include <clatter/elements/one_sided_law.hpp>
#include <clatter/elements/table_law.hpp>

namespace clatter {

/// How the tension of a spring follows from its elongation. A law is a value with `tension`, its
/// derivative `slope` and its integral `energy`, zero at rest; `of(spec)` makes one. A new law is a
/// file of its own, a word in the list below, its word in SpringLawKind and its values in
/// SpringSpec. For files: `word`, and the keys that it `needs` or `takes` and other laws may not
/// have. What most leave out:
///   describe(spec, fields): its values, see fields.hpp; all springs have stiffness and damping;
///   not_torsional:          why it cannot turn anything;
///   int side():             sign of the only tension it can have, together with its damper;
///   string_view failure():  what is wrong at an elongation, as the rest of a sentence.
class SpringLaw {
 public:
  /// In the order of SpringLawKind.
  using Kinds = std::variant<LinearLaw, OneSidedLaw, TableLaw, GasLaw>;
  /// Calls visit.operator()<Law>(index) for all of them.
  template <class Visit>
  static void for_each_kind(Visit&& visit) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (visit.template operator()<std::variant_alternative_t<i, Kinds>>(i), ...);
    }
    (std::make_index_sequence<std::variant_size_v<Kinds>>{});
  }

  SpringLaw(Kinds law) : law_(std::move(law)) {}               // NOLINT: a law is one
  SpringLaw(double stiffness) : law_(LinearLaw{stiffness}) {}  // NOLINT: and so is a stiffness

  double tension(double elongation) const {
    return std::visit([&](const auto& law) { return law.tension(elongation); }, law_);
  }
  double slope(double elongation) const {
    return std::visit([&](const auto& law) { return law.slope(elongation); }, law_);
  }
  double energy(double elongation) const {
    return std::visit([&](const auto& law) { return law.energy(elongation); }, law_);
  }
  int side() const {
    return std::visit(
        [](const auto& law) {
          if constexpr (requires { law.side(); }) return law.side();
          return 0;
        },
        law_);
  }
  std::string_view failure(double elongation) const {
    return std::visit(
        [&](const auto& law) -> std::string_view {
          if constexpr (requires { law.failure(elongation); }) return law.failure(elongation);
          return {};
        },
        law_);
  }

 private:
  Kinds law_;
};

}  // namespace clatter
