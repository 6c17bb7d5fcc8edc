#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <clatter/model/immersion.hpp>
#include <clatter/model/mass_properties.hpp>
#include <clatter/model/similar_shape.hpp>
#include <clatter/simulation/crowd_measures.hpp>

namespace clatter {
namespace {

double solid_of(const PlacedShape& placed, bool in_plane) {
  if (placed.hollow) return 0.0;
  return in_plane ? area_of(placed.shape) : volume(placed.shape);
}

/// Of NAME.number; nothing for other names.
std::string family_of(const std::string& name, std::size_t number) {
  const std::string end = fmt::format(".{}", number);
  return name.size() > end.size() && name.ends_with(end) ? name.substr(0, name.size() - end.size())
                                                         : std::string{};
}

/// Nothing where no size follows from a velocity.
std::optional<Sinking> sinking_of(const Model& model, const BodySpec& body) {
  if (!model.fluid || !is_in(*model.fluid, body) || !(model.fluid->viscosity > 0.0)) return {};
  const bool in_plane = body.kind == BodyKind::planar;
  if (in_plane && !is_sphere(body.shapes)) return {};  // its mass does not go with r^3
  const double radius = stokes_radius(body.shapes, in_plane);
  const double displaced = displaced_by(body.shapes, in_plane, model.fluid->density).mass;
  const double speed = (body.mass - displaced) * model.gravity.norm() /
                       (6.0 * std::numbers::pi * model.fluid->viscosity * radius);
  if (speed == 0.0) return {};
  return Sinking{radius, body.mass, speed / (radius * radius)};
}

/// Ascends by radius; part of the mass that is below each.
void sort_sizes(std::vector<std::pair<double, double>>& sizes) {
  std::sort(sizes.begin(), sizes.end());
  double all = 0.0, below = 0.0;
  for (const auto& [radius, mass] : sizes) all += mass;
  for (auto& [radius, mass] : sizes) {
    below += mass;
    mass = below / all;
  }
}

/// Part of the mass in grains of this radius or less.
double passing(const std::vector<std::pair<double, double>>& sizes, double radius) {
  const auto above = std::upper_bound(
      sizes.begin(), sizes.end(), radius,
      [](double value, const std::pair<double, double>& size) { return value < size.first; });
  return above == sizes.begin() ? 0.0 : std::prev(above)->second;
}

std::array<double, 5> percentiles(const std::vector<std::pair<double, double>>& sizes) {
  constexpr std::array parts{0.1, 0.3, 0.5, 0.6, 0.9};
  std::array<double, 5> radii{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto found = std::lower_bound(
        sizes.begin(), sizes.end(), parts[i] * (1.0 - 1e-12),
        [](const std::pair<double, double>& size, double part) { return size.second < part; });
    radii[i] = found == sizes.end() ? sizes.back().first : found->first;
  }
  return radii;
}

/// Of the change of a velocity in the time in which drag makes it, relative: it stays.
constexpr double staying = 1e-4;
/// Curves of sizes are compared this far, relative, beside their steps.
constexpr double beside = 1e-3;

}  // namespace

std::vector<Crowd> crowds_of(const Model& model) {
  std::vector<Crowd> crowds;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodySpec& body = model.bodies[b];
    const bool goes_on = !crowds.empty() && crowds.back().nodes.back() == static_cast<int>(b) &&
                         family_of(body.name, crowds.back().nodes.size()) == crowds.back().name;
    if (!goes_on) {
      // One alone is no crowd.
      if (!crowds.empty() && crowds.back().nodes.size() < 2) crowds.pop_back();
      const std::string family = family_of(body.name, 0);
      if (family.empty()) continue;
      crowds.push_back({family, body.kind == BodyKind::planar, {}, {}, 0.0, {}});
    }
    Crowd& crowd = crowds.back();
    crowd.nodes.push_back(static_cast<int>(b) + 1);
    if (const auto sinking = sinking_of(model, body)) crowd.sinking.push_back(*sinking);
    for (const PlacedShape& shape : body.shapes) crowd.solid += solid_of(shape, crowd.is_planar);
    if (const auto radius = radius_around(body.shapes, crowd.is_planar)) {
      crowd.radii.push_back(*radius);
    }
  }
  if (!crowds.empty() && crowds.back().nodes.size() < 2) crowds.pop_back();
  for (Crowd& crowd : crowds) {
    if (crowd.radii.size() != crowd.nodes.size()) crowd.radii.clear();
    if (crowd.sinking.size() != crowd.nodes.size()) crowd.sinking.clear();
  }
  return crowds;
}

CrowdMeasures::CrowdMeasures(std::vector<Crowd> crowds, const Machine& machine,
                             bool separates_forces)
    : crowds_(std::move(crowds)),
      machine_(machine),
      separates_forces_(separates_forces),
      crowd_of_(machine.nodes().size(), -1),
      measures_(crowds_.size()),
      contacts_of_(machine.nodes().size(), 0),
      chain_of_(machine.nodes().size(), 0),
      chain_size_(machine.nodes().size(), 0) {
  for (std::size_t k = 0; k < crowds_.size(); ++k) {
    for (const int n : crowds_[k].nodes) {
      crowd_of_[static_cast<std::size_t>(n)] = static_cast<int>(k);
    }
  }
}

const std::vector<CrowdMeasure>& CrowdMeasures::read(const State& state) {
  find_contact_points(machine_, state, separates_forces_, points_);
  for (std::size_t k = 0; k < crowds_.size(); ++k) measure(state, static_cast<int>(k));
  return measures_;
}

void CrowdMeasures::measure(const State& state, int k) {
  const Crowd& crowd = crowds_[static_cast<std::size_t>(k)];
  CrowdMeasure& m = measures_[static_cast<std::size_t>(k)];
  m = {};
  for (const int n : crowd.nodes) contacts_of_[static_cast<std::size_t>(n)] = 0;
  int inside = 0;
  double sum = 0.0;
  for (const ContactPoint& point : points_) {
    // The force on each of the crowd times the way from where it acts to the centre.
    const auto add = [&](int node, double sign) {
      if (!is_of(node, k)) return false;
      const auto n = static_cast<std::size_t>(node);
      ++contacts_of_[n];
      m.stress += sign * point.force * (state.q[n].x - point.position).transpose();
      return true;
    };
    const bool has_a = add(point.a, -1.0), has_b = add(point.b, 1.0);
    if (!has_a || !has_b) continue;
    ++inside;
    sum += point.force.dot(point.normal);
    m.fabric += point.normal * point.normal.transpose();
  }
  if (inside > 0) {
    m.mean_force = sum / inside;
    m.fabric /= inside;
  }
  long all = 0, ones = 0, nones = 0;
  for (const int n : crowd.nodes) {
    const int own = contacts_of_[static_cast<std::size_t>(n)];
    all += own;
    ones += own == 1 ? 1 : 0;
    nones += own == 0 ? 1 : 0;
  }
  const auto bodies = static_cast<long>(crowd.nodes.size());
  m.coordination = static_cast<double>(all) / static_cast<double>(bodies);
  if (bodies > ones + nones) {
    m.bearing_coordination =
        static_cast<double>(all - ones) / static_cast<double>(bodies - ones - nones);
  }
  double mass = 0.0;
  for (const int n : crowd.nodes) {
    const double own = machine_.nodes()[static_cast<std::size_t>(n)].mass;
    mass += own;
    m.centre += own * state.q[static_cast<std::size_t>(n)].x;
  }
  m.centre /= mass;
  for (const int n : crowd.nodes) {
    const double own = machine_.nodes()[static_cast<std::size_t>(n)].mass;
    m.spread += own * (state.q[static_cast<std::size_t>(n)].x - m.centre).cwiseAbs2();
  }
  m.spread = (m.spread / mass).cwiseSqrt();
  if (!crowd.radii.empty()) {
    Vec3 low = state.q[static_cast<std::size_t>(crowd.nodes[0])].x, high = low;
    for (std::size_t i = 0; i < crowd.nodes.size(); ++i) {
      const NodeState& at = state.q[static_cast<std::size_t>(crowd.nodes[i])];
      const Vec3 centre = at.x - at.R * machine_.centre_of_mass(crowd.nodes[i]);
      const Vec3 radius = Vec3::Constant(crowd.radii[i]);
      low = low.cwiseMin(centre - radius);
      high = high.cwiseMax(centre + radius);
    }
    m.low = low;
    m.high = high;
    const Vec3 size = high - low;
    const double box = crowd.is_planar ? size.x() * size.y() : size.prod();
    m.solid_fraction = crowd.solid / box;
    m.stress = (0.5 / box * (m.stress + m.stress.transpose())).eval();
  }
  find_chains(k, m);
  if (crowd.sinks()) find_sizes(state, crowd, m);
}

void CrowdMeasures::find_sizes(const State& state, const Crowd& crowd, CrowdMeasure& m) {
  const Vec3 down = machine_.gravity().normalized();
  sizes_.clear();
  settling_sizes_.clear();
  int settled = 0;
  for (std::size_t i = 0; i < crowd.nodes.size(); ++i) {
    const auto n = static_cast<Eigen::Index>(crowd.nodes[i]);
    const Sinking& own = crowd.sinking[i];
    const Immersion& in = machine_.immersions()[static_cast<std::size_t>(n)];
    const Vec3 v = of_node(state.v, n).head<3>(), a = of_node(state.acceleration, n).head<3>();
    const double found = std::sqrt(std::max(0.0, v.dot(down) / own.pace));
    sizes_.emplace_back(own.radius, own.mass);
    settling_sizes_.emplace_back(found, own.mass);
    if (a.norm() * own.mass <= staying * in.drag * v.norm()) ++settled;
  }
  m.settled = static_cast<double>(settled) / static_cast<double>(crowd.nodes.size());
  sort_sizes(sizes_);
  m.radius = percentiles(sizes_);
  sort_sizes(settling_sizes_);
  m.settling_radius = percentiles(settling_sizes_);
  m.settling_error = 0.0;
  for (const auto* sizes : {&sizes_, &settling_sizes_}) {
    for (const auto& [radius, below] : *sizes) {
      // Of two curves with steps: as near as the one comes within a thousandth of the radius.
      const double own = passing(sizes_, radius);
      const double low = passing(settling_sizes_, (1.0 - beside) * radius),
                   high = passing(settling_sizes_, (1.0 + beside) * radius);
      m.settling_error = std::max({m.settling_error, low - own, own - high});
    }
  }
}

void CrowdMeasures::find_chains(int k, CrowdMeasure& m) {
  const std::vector<int>& nodes = crowds_[static_cast<std::size_t>(k)].nodes;
  for (const int n : nodes) {
    chain_of_[static_cast<std::size_t>(n)] = n;
    chain_size_[static_cast<std::size_t>(n)] = 0;
  }
  const auto root = [&](int n) {
    while (chain_of_[static_cast<std::size_t>(n)] != n) {
      int& above = chain_of_[static_cast<std::size_t>(n)];
      above = chain_of_[static_cast<std::size_t>(above)];
      n = above;
    }
    return n;
  };
  double strong = 0.0, sum = 0.0;
  for (const ContactPoint& point : points_) {
    if (!is_of(point.a, k) || !is_of(point.b, k)) continue;
    const double force = point.force.dot(point.normal);
    sum += force;
    if (!(force > m.mean_force)) continue;
    strong += force;
    const int a = root(point.a), b = root(point.b);
    chain_of_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  if (sum > 0.0) m.strong_share = strong / sum;
  for (const int n : nodes) ++chain_size_[static_cast<std::size_t>(root(n))];
  for (const int n : nodes) {
    const int size = chain_size_[static_cast<std::size_t>(n)];
    if (size < 3) continue;
    m.chains += 1.0;
    m.longest_chain = std::max(m.longest_chain, static_cast<double>(size));
  }
}

}  // namespace clatter
