#include "app/verdict.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace clatter {
namespace {

/// Of all energies: no round-off, and no error of a single impact.
constexpr double much_energy = 0.1;
/// Of the size of the model: what passes for closed surfaces, and no drift within a step.
constexpr double much_depth = 1e-2;

}  // namespace

Verdict::Verdict(const Model& model, const std::vector<Channel>& channels) {
  // Points may pass beside a face with an edge, and surfaces that give way overlap.
  const auto is_closed = [&](const std::string& name) {
    return std::any_of(model.contacts.begin(), model.contacts.end(), [&](const ContactSpec& each) {
      return each.name == name && each.outline.empty() && !each.compliance;
    });
  };
  constexpr std::string_view folder = "contacts/", quantity = "/gap";
  for (const Channel& channel : channels) {
    if (channel.path == "energy/scheme_loss") scheme_loss_ = channel.offset;
    if (!channel.path.starts_with(folder) || !channel.path.ends_with(quantity)) continue;
    const std::string name =
        channel.path.substr(folder.size(), channel.path.size() - folder.size() - quantity.size());
    if (is_closed(name)) depths_.push_back({name, channel.offset});
  }
}

void Verdict::look_at(double time, std::span<const double> row) {
  for (Depth& depth : depths_) {
    const double gap = row[static_cast<std::size_t>(depth.offset)];
    if (gap < depth.gap) depth.gap = gap, depth.time = time;
  }
  if (scheme_loss_ < 0) return;
  const double loss = row[static_cast<std::size_t>(scheme_loss_)];
  if (has_looked_ && loss_ - loss > gain_.energy) gain_ = {loss_ - loss, time_, time};
  if (has_looked_ && loss - loss_ > loss_burst_.energy) loss_burst_ = {loss - loss_, time_, time};
  has_looked_ = true;
  loss_ = loss;
  time_ = time;
}

std::vector<std::string> Verdict::findings(const Summary& summary) const {
  std::vector<std::string> found;
  double taken = 0.0, others = 0.0;
  for (const auto& [name, value] : summary.energy) {
    if (name == "scheme_loss") {
      taken = value;
    } else if (name != "total") {
      others += std::abs(value);
    }
  }
  if (std::abs(taken) > much_energy * others) {
    const Burst& most = taken < 0.0 ? gain_ : loss_burst_;
    found.push_back(fmt::format(
        "the scheme has {} energy, {:.3g} J beside {:.3g} J of all others, most of it between t = "
        "{:g} and {:g} s: take a shorter step, or {}",
        taken < 0.0 ? "added" : "taken", std::abs(taken), others, most.from, most.to,
        taken < 0.0 ? "a smaller rho_inf" : "rho_inf nearer to 1"));
  }
  const auto deepest = std::min_element(
      depths_.begin(), depths_.end(), [](const Depth& a, const Depth& b) { return a.gap < b.gap; });
  if (deepest != depths_.end() && deepest->gap < -much_depth * summary.statistics.length) {
    found.push_back(fmt::format(
        "contact '{}' has let a body through: its gap is {:.3g} m at t = {:g} s; take a shorter "
        "step{}",
        deepest->contact, deepest->gap, deepest->time,
        summary.info.integrator && summary.info.integrator->kind == IntegratorKind::moreau
            ? ", or nsga, which holds positions"
            : ""));
  }
  return found;
}

}  // namespace clatter
