#pragma once

#include <clatter/machine/state.hpp>
#include <clatter/schemes/scheme.hpp>

namespace clatter {

/// Energy of a state, and what the ledger has of it.
EnergyLedger ledger_of(const Machine& machine, const State& state);

/// Begins the running sums of a state that a scheme has started.
void begin_sums(const Machine& machine, const Scheme& scheme, State& state);
/// Adds what a scheme did in a step of size h that led to the state.
void add_step(const Machine& machine, const Scheme& scheme, double h, State& state);
/// Begins a new interval of output.
void start_interval(double time, RunningSums& sums);

}  // namespace clatter
