#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <type_traits>

#include <fmt/format.h>

#include <clatter/model/similar_shape.hpp>
#include <clatter/simulation/crowd_measures.hpp>

namespace clatter {
namespace {

double thickness_of(const Shape& shape) {
  return std::visit(
      [](const auto& s) -> double {
        using Any = std::decay_t<decltype(s)>;
        if constexpr (requires { s.thickness; }) {
          return s.thickness;
        } else if constexpr (std::is_same_v<Any, BoxShape>) {
          return s.size.z();
        } else if constexpr (std::is_same_v<Any, CylinderShape>) {
          return s.length;
        } else {
          return 1.0;
        }
      },
      shape);
}

double solid_of(const PlacedShape& placed, bool in_plane) {
  if (placed.hollow) return 0.0;
  if (!in_plane) return volume(placed.shape);
  if (const auto* sphere = std::get_if<SphereShape>(&placed.shape)) {
    return std::numbers::pi * sphere->radius * sphere->radius;
  }
  return volume(placed.shape) / thickness_of(placed.shape);
}

/// Of NAME.number; nothing for other names.
std::string family_of(const std::string& name, std::size_t number) {
  const std::string end = fmt::format(".{}", number);
  return name.size() > end.size() && name.ends_with(end) ? name.substr(0, name.size() - end.size())
                                                         : std::string{};
}

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
      crowds.push_back({family, body.kind == BodyKind::planar, {}, {}, 0.0});
    }
    Crowd& crowd = crowds.back();
    crowd.nodes.push_back(static_cast<int>(b) + 1);
    for (const PlacedShape& shape : body.shapes) crowd.solid += solid_of(shape, crowd.is_planar);
    if (const auto radius = radius_around(body.shapes, crowd.is_planar)) {
      crowd.radii.push_back(*radius);
    }
  }
  if (!crowds.empty() && crowds.back().nodes.size() < 2) crowds.pop_back();
  for (Crowd& crowd : crowds) {
    if (crowd.radii.size() != crowd.nodes.size()) crowd.radii.clear();
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
