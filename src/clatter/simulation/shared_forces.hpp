#pragma once

#include <vector>

#include <clatter/machine/machine.hpp>
#include <clatter/machine/model.hpp>
#include <clatter/machine/state.hpp>
#include <clatter/recovery/load_sharing.hpp>

namespace clatter {

/// The forces of contacts that stay closed, shared out by stiffness among all that ask for it: what
/// rigid bodies leave open where more contacts carry them than they need. The motion knows nothing
/// of it.
class SharedForces {
 public:
  /// The machine must outlive it. `separates_forces`: as for ChannelList.
  SharedForces(const Model& model, const Machine& machine, bool separates_forces);

  /// Of the own contacts of the machine, those that share.
  const std::vector<std::size_t>& contacts() const { return contacts_; }
  /// The problem that a state poses, and its solution: in the order of contacts().
  SharedLoad load(const State& state) const;
  LoadShares read(const State& state) const { return share_load(load(state)); }

 private:
  const Machine& machine_;
  bool separates_forces_;
  std::vector<std::size_t> contacts_;
  std::vector<int> row_of_node_;  ///< first one in wrenches; none: -1
  int rows_ = 0;
  VecX stiffness_, exponents_;
};

}  // namespace clatter
