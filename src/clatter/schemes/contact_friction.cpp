#include <algorithm>
#include <cmath>

#include <clatter/schemes/contact_set.hpp>

// Coefficients that depend on the speed. A step is solved with constant ones, by whatever solves
// it; then those of what slips are those of its speeds, and it is solved again until they agree.

namespace clatter {
namespace {

double coefficient_at(const FrictionBlock& block, double speed) {
  if (block.of_speed == nullptr || speed == 0.0) return block.coefficient;
  return std::max(0.0, (*block.of_speed)(speed));
}

}  // namespace

void ContactSet::find_restitution(std::size_t c) {
  ContactWork& w = work[c];
  const Formula* rebound = contact(c).rebound();
  w.restitution = contact(c).restitution();
  if (rebound == nullptr) return;
  w.restitution = std::clamp((*rebound)(std::max(0.0, -w.rate_before[0])), 0.0, 1.0);
}

void ContactSet::begin_friction(const State& state) {
  for (const std::size_t c : near_) {
    ContactWork& w = work[c];
    const std::span<const FrictionBlock> blocks = contact(c).blocks();
    for (std::size_t k = 0; k < blocks.size(); ++k) w.coefficient[k] = blocks[k].coefficient;
    if (!contact(c).has_friction_of_speed()) continue;
    w.came_to_rest.fill(0);
    const RowVector rate = rates(c, state.v);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      if (state.contacts[c].block_status[k] == ContactStatus::stick) continue;
      const double speed = rate.segment(blocks[k].first_row, blocks[k].rows).norm();
      w.coefficient[k] = coefficient_at(blocks[k], speed);
    }
  }
}

bool ContactSet::renew_friction(const NodalVector& v) {
  constexpr double settled = 1e-9;
  bool any = false;
  for (const std::size_t c : near_) {
    ContactWork& w = work[c];
    const Contact& of = contact(c);
    if (!of.has_friction_of_speed() || w.equations.status == ContactStatus::open) continue;
    const RowVector rate = rates(c, v);
    bool is_other = false;
    for (std::size_t k = 0; k < of.blocks().size(); ++k) {
      const FrictionBlock& block = of.blocks()[k];
      if (block.of_speed == nullptr) continue;
      const auto of_block = [&](const RowVector& x) {
        return x.segment(block.first_row, block.rows);
      };
      double& now = w.coefficient[k];
      double next = now;
      if (w.equations.block_status[k] == ContactStatus::stick) {
        // It is held by as much as what rests can bear, or else it slips.
        const double bears = block.coefficient * w.law.balls[k].coefficient * w.equations.phi[0];
        if (now * of_block(w.equations.phi).norm() > bears) {
          next = std::min(now, block.coefficient);
        }
      } else {
        const double speed = of_block(rate).norm();
        const bool turned = of_block(rate).dot(of_block(w.rate_at_start)) < 0.0;
        if (turned && w.came_to_rest[k] == 0 && now < block.coefficient) {
          w.came_to_rest[k] = 1;
          next = block.coefficient;
        } else {
          // Newton's method for the coefficient alone, with the mass that the row has by itself.
          const double wanted = coefficient_at(block, speed);
          const double slope =
              speed > 0.0 ? block.of_speed->slope(speed, {}, Formula::by_time) : 0.0;
          const double scale = w.scale[block.first_row];
          const double mobility =
              scale > 0.0 ? w.scale[0] * w.equations.phi[0] / (scale * scale) : 0.0;
          const double stiffness =
              std::max(1.0 + (std::isfinite(slope) ? slope : 0.0) * mobility, 0.5);
          next = now + (wanted - now) / stiffness;
          if (std::abs(wanted - now) <= settled * std::max(now, block.coefficient)) next = now;
        }
      }
      is_other = is_other || next != now;
      now = next;
    }
    if (is_other) set_coefficients(c);
    any = any || is_other;
  }
  return any;
}

}  // namespace clatter
