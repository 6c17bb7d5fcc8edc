#pragma once

#include <span>
#include <string>
#include <vector>

#include <clatter/io/summary.hpp>
#include <clatter/simulation/channel.hpp>

namespace clatter {

/// What speaks against a run that ended well: energy that only its scheme has added or taken, and
/// contacts that have let bodies through. With where it happened, and what to do about it.
class Verdict {
 public:
  Verdict(const Model& model, const std::vector<Channel>& channels);

  /// To be called with every sample.
  void look_at(double time, std::span<const double> row);
  /// One sentence each; none: nothing speaks against it.
  std::vector<std::string> findings(const Summary& summary) const;

 private:
  /// By how much the scheme has changed the energy between two samples, at most.
  struct Burst {
    double energy = 0.0, from = 0.0, to = 0.0;
  };
  struct Depth {
    std::string contact;
    int offset = 0;
    double gap = 0.0, time = 0.0;
  };

  int scheme_loss_ = -1;
  double loss_ = 0.0, time_ = 0.0;
  bool has_looked_ = false;
  Burst gain_, loss_burst_;
  std::vector<Depth> depths_;
};

}  // namespace clatter
