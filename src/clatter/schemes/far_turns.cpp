#include <clatter/machine/ties.hpp>
#include <clatter/schemes/far_turns.hpp>

namespace clatter {
namespace {

/// [rad] in a step.
constexpr double far = 0.5;

}  // namespace

FarTurns::FarTurns(const Machine& machine) : is_far_(machine.nodes().size(), 0) {
  std::vector<char> is_tied(machine.nodes().size(), 0);
  visit_ties(machine, [&](int a, int b) {
    is_tied[static_cast<std::size_t>(a)] = is_tied[static_cast<std::size_t>(b)] = 1;
  });
  for (std::size_t n = 1; n < is_tied.size(); ++n) {
    if (is_tied[n] == 0 && machine.nodes()[n].rotates_in_space) {
      free_nodes_.push_back(static_cast<int>(n));
    }
  }
  nodes_.reserve(free_nodes_.size());
}

void FarTurns::find(const NodalVector& v, double h) {
  nodes_.clear();
  for (const int n : free_nodes_) {
    const bool is_far = h * of_node(v, n).tail<3>().norm() > far;
    is_far_[static_cast<std::size_t>(n)] = static_cast<char>(is_far);
    if (is_far) nodes_.push_back(n);
  }
}

}  // namespace clatter
