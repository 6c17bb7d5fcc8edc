#pragma once

#include <string_view>
#include <utility>
#include <variant>

#include <clatter/elements/gas_law.hpp>
#include <clatter/elements/linear_law.hpp>
#include <clatter/elements/one_sided_law.hpp>
#include <clatter/elements/table_law.hpp>
#include <clatter/model/model.hpp>

namespace clatter {

/// How the tension of a spring follows from its elongation. A law is a value with `tension`, its
/// derivative `slope` and its integral `energy`, zero at rest; a new one is a file of its own, a
/// word in the list below and a case in spring_law(). Two members are left out by most:
///   int side():            sign of the only tension it can have, together with its damper;
///   string_view failure(): what is wrong at an elongation, as the rest of a sentence.
class SpringLaw {
 public:
  using Kinds = std::variant<LinearLaw, OneSidedLaw, TableLaw, GasLaw>;
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

/// The law that a spring of a model has.
inline SpringLaw spring_law(const SpringSpec& spec) {
  switch (spec.law) {
    case SpringLawKind::linear:
      break;
    case SpringLawKind::one_sided:
      return {OneSidedLaw{spec.stiffness, spec.acts_in_tension ? 1 : -1}};
    case SpringLawKind::table:
      return {TableLaw(spec.table)};
    case SpringLawKind::gas:
      return {GasLaw{spec.force, spec.gas_length, spec.exponent}};
  }
  return {spec.stiffness};
}

}  // namespace clatter
