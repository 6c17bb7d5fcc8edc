#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clatter/machine/model.hpp>
#include <clatter/model/error.hpp>
#include <clatter/simulation/channel.hpp>
#include <clatter/simulation/simulation.hpp>

namespace clatter {

/// A [[verify]] entry of a model file and what came out.
struct Verification {
  VerifySpec spec;
  std::string model_file;
  std::string quantity;  ///< what was measured, in words: "bodies/block/position/x at t=2"
  std::optional<double> measured;  ///< none when the run failed or never reached the threshold
  double oracle = 0.0;
  bool pass = false;
  std::string problem;  ///< why nothing was measured
};

/// Runs the models, each distinct set of overrides once, and measures all entries, in the order of
/// the models. Models with overrides are read again from their files. Throws Error when a model
/// cannot be read or an oracle is no formula; entries of a run that fails, or that has no such
/// quantity, do not pass and say why. `report`, if given, is called after each run, from several
/// threads but one at a time.
std::vector<Verification> verify(
    std::span<const Model> models,
    const std::function<void(std::size_t done, std::size_t total)>& report = {});

/// What is wrong with the model's entries: unknown quantities, formulas that are none.
std::vector<Mistake> verification_mistakes(const Model& model,
                                           const std::vector<Channel>& channels);

/// One number from samples of a quantity at the given times, and of that along the axis of a loop.
std::optional<double> measure(const VerifySpec& spec, std::span<const double> times,
                              std::span<const double> values, std::span<const double> over = {});

/// Whether a measured number agrees with the oracle.
bool agrees(const VerifySpec& spec, double measured, double oracle);

/// "bodies/block/position/x at t=2", for tables.
std::string describe(const VerifySpec& spec);

/// Objects with the keys source, example, quantity, measured, oracle, oracle_kind, tolerance, pass,
/// model, and where given printed_at, differs and note.
nlohmann::ordered_json verification_json(std::span<const Verification> verifications);

}  // namespace clatter
