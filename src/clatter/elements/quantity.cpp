#include <array>

#include <fmt/format.h>

#include <clatter/elements/joint.hpp>
#include <clatter/elements/quantity.hpp>
#include <clatter/elements/signal_table.hpp>

namespace clatter {
namespace {

/// "bodies/crank/position/x" is folder, name and what follows.
struct Path {
  std::string_view folder, name, rest;
};

Path split_path(std::string_view path) {
  const std::size_t first = path.find('/');
  const std::size_t second = path.find('/', first + 1);
  if (first == path.npos || second == path.npos) return {path, {}, {}};
  return {path.substr(0, first), path.substr(first + 1, second - first - 1),
          path.substr(second + 1)};
}

/// Of "position/y" after "position/"; nothing for other words.
std::optional<int> axis_after(std::string_view rest, std::string_view word) {
  if (!rest.starts_with(word) || rest.size() != word.size() + 1) return std::nullopt;
  const std::size_t axis = std::string_view("xyz").find(rest.back());
  if (axis == std::string_view::npos) return std::nullopt;
  return static_cast<int>(axis);
}

template <class Has>
void list_once(int node, std::vector<int>& nodes, const Has& has) {
  if (!has(node)) nodes.push_back(node);
}

}  // namespace

Quantity Quantity::of_pair(Kind kind, const PairCoordinate& coordinate) {
  Quantity quantity(kind);
  quantity.coordinate_ = coordinate;
  return quantity;
}

Quantity Quantity::of_node(Kind kind, int node, int component) {
  Quantity quantity(kind);
  quantity.node_ = node;
  quantity.component_ = component;
  return quantity;
}

std::optional<Quantity> Quantity::of_body(std::string_view path, const DriveSite& site) {
  const Path at = split_path(path);
  const auto found = site.site.node_by_name.find(at.name);
  if (at.folder != "bodies" || found == site.site.node_by_name.end()) return std::nullopt;
  const int n = found->second;
  const Node& node = site.site.nodes[static_cast<std::size_t>(n)];
  const bool planar = !node.rotates_in_space && node.has(5);
  if (planar && at.rest == "angle") return of_node(Kind::angle, n, 5);
  if (planar && at.rest == "angular_velocity") return of_node(Kind::spin, n, 5);
  if (const auto axis = axis_after(at.rest, "angular_velocity/"); axis && node.rotates_in_space) {
    return of_node(Kind::spin, n, 3 + *axis);
  }
  for (const auto& [word, kind] :
       {std::pair("position/", Kind::position), std::pair("velocity/", Kind::velocity)}) {
    const std::optional<int> axis = axis_after(at.rest, word);
    if (!axis || (planar && *axis == 2)) continue;
    const Vec3 origin = -site.site.centres[static_cast<std::size_t>(n)];
    return of_pair(kind, PairCoordinate::along(ground, Vec3::Zero(), Vec3::Unit(*axis), n, origin));
  }
  return std::nullopt;
}

std::optional<Quantity> Quantity::of_joint(std::string_view path, const DriveSite& site) {
  const Path at = split_path(path);
  if (at.folder != "joints") return std::nullopt;
  for (std::size_t j = 0; j < site.joints.size(); ++j) {
    const Joint& joint = site.joints[j];
    if (joint.name() != at.name || !joint.has_coordinate() || joint.rows().front().is_term()) {
      continue;
    }
    const bool is_rate = at.rest == "velocity";
    if (!is_rate && at.rest != "coordinate") return std::nullopt;
    Quantity quantity =
        of_pair(is_rate ? Kind::velocity : Kind::position, *joint.free_coordinate());
    quantity.counts_turns_ = joint.coordinate_is_angle();
    quantity.index_ = j;
    return quantity;
  }
  return std::nullopt;
}

Quantity Quantity::of(std::string_view path, const DriveSite& site) {
  if (auto quantity = of_body(path, site)) return *quantity;
  if (auto quantity = of_joint(path, site)) return *quantity;
  const Path at = split_path(path);
  Quantity quantity(Kind::signal);
  if (at.folder == "sensors" && at.rest == "value") {
    const auto output = site.signals.output_of_sensor(at.name);
    if (!output) {
      throw Error(site.place, fmt::format("there is no sensor '{}' that could be used here; a "
                                          "sensor may use those before it",
                                          at.name));
    }
    quantity.index_ = *output;
  } else if (at.folder == "controllers" && at.rest == "output") {
    quantity.controller_ = site.signals.controller(at.name);
    if (!quantity.controller_) {
      throw Error(site.place,
                  fmt::format("there is no controller '{}' that could be used here; a controller "
                              "may use those before it, a sensor none",
                              at.name));
    }
    quantity.kind_ = Kind::controller;
  } else {
    quantity.index_ = site.signals.hold(path, site.place);
  }
  return quantity;
}

void Quantity::list_nodes(std::vector<int>& nodes) const {
  const auto list = [&](int node) {
    list_once(node, nodes,
              [&](int n) { return std::find(nodes.begin(), nodes.end(), n) != nodes.end(); });
  };
  if (coordinate_) {
    list(coordinate_->a());
    list(coordinate_->b());
  } else if (kind_ == Kind::angle || kind_ == Kind::spin) {
    list(node_);
  } else if (controller_) {
    controller_->list_nodes(nodes);
  }
}

double Quantity::value(const Configuration& q, const NodalVector& v, const DriveInput& in) const {
  switch (kind_) {
    case Kind::position:
      return counts_turns_ ? coordinate_->value_near(q, in.joint_turns[index_])
                           : coordinate_->value(q);
    case Kind::velocity:
      return rate(q, v);
    case Kind::angle:
      return q[static_cast<std::size_t>(node_)].angle;
    case Kind::spin:
      return clatter::of_node(v, node_)[component_];
    case Kind::signal:
      return in.signals[index_];
    case Kind::controller:
      return controller_->output(q, v, in);
  }
  return 0.0;
}

double Quantity::rate(const Configuration& q, const NodalVector& v) const {
  if (!coordinate_) return clatter::of_node(v, node_)[component_];
  Vec12 g;
  coordinate_->gradient(q, g);
  return g.dot(clatter::of_pair(v, coordinate_->a(), coordinate_->b()));
}

void Quantity::add_gradient(const Configuration& q, const NodalVector& v, const DriveInput& in,
                            double weight, StateGradient& gradient) const {
  using Gradient = StateGradient;
  switch (kind_) {
    case Kind::position: {
      Vec12 g;
      coordinate_->gradient(q, g);
      Gradient::add(gradient.by_q, gradient.first_of(coordinate_->a()), weight, g.head<6>());
      Gradient::add(gradient.by_q, gradient.first_of(coordinate_->b()), weight, g.tail<6>());
      return;
    }
    case Kind::velocity:
      return add_rate_gradient(q, v, weight, gradient);
    case Kind::angle:
      gradient.by_q[gradient.first_of(node_) + component_] += weight;
      return;
    case Kind::spin:
      gradient.by_v[gradient.first_of(node_) + component_] += weight;
      return;
    case Kind::signal:
      return;
    case Kind::controller:
      return controller_->add_gradient(q, v, in, weight, gradient);
  }
}

void Quantity::add_rate_gradient(const Configuration& q, const NodalVector& v, double weight,
                                 StateGradient& gradient) const {
  using Gradient = StateGradient;
  if (!coordinate_) {
    gradient.by_v[gradient.first_of(node_) + component_] += weight;
    return;
  }
  const int a = coordinate_->a(), b = coordinate_->b();
  const Eigen::Index first_a = gradient.first_of(a), first_b = gradient.first_of(b);
  Vec12 g;
  Mat12 H;
  coordinate_->gradient(q, g);
  coordinate_->hessian(q, H);
  const Vec12 by_q = H.transpose() * clatter::of_pair(v, a, b);
  Gradient::add(gradient.by_v, first_a, weight, g.head<6>());
  Gradient::add(gradient.by_v, first_b, weight, g.tail<6>());
  Gradient::add(gradient.by_q, first_a, weight, by_q.head<6>());
  Gradient::add(gradient.by_q, first_b, weight, by_q.tail<6>());
}

DriveFormula::DriveFormula(const Formula& formula, const DriveSite& site) : formula_(formula) {
  for (const std::string& path : formula.quantities()) {
    quantities_.push_back(Quantity::of(path, site));
  }
}

void DriveFormula::list_nodes(std::vector<int>& nodes) const {
  for (const Quantity& quantity : quantities_) quantity.list_nodes(nodes);
}

std::span<const double> DriveFormula::values(const Configuration& q, const NodalVector& v,
                                             const DriveInput& in, Values& x) const {
  for (std::size_t i = 0; i < quantities_.size(); ++i) x[i] = quantities_[i].value(q, v, in);
  return {x.data(), quantities_.size()};
}

double DriveFormula::value(const Configuration& q, const NodalVector& v,
                           const DriveInput& in) const {
  Values x;
  return formula_.value(in.time, values(q, v, in, x));
}

void DriveFormula::add_gradient(const Configuration& q, const NodalVector& v, const DriveInput& in,
                                double weight, StateGradient& gradient) const {
  Values x;
  const std::span<const double> at = values(q, v, in, x);
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    if (quantities_[i].is_signal()) continue;
    const double slope = formula_.slope(in.time, at, i);
    if (slope != 0.0) quantities_[i].add_gradient(q, v, in, weight * slope, gradient);
  }
}

std::optional<std::string> DriveFormula::without_rate() const {
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    if (!quantities_[i].has_rate()) return formula_.quantities()[i];
  }
  return std::nullopt;
}

double DriveFormula::rate(const Configuration& q, const NodalVector& v,
                          const DriveInput& in) const {
  Values x;
  const std::span<const double> at = values(q, v, in, x);
  double sum = formula_.slope(in.time, at, Formula::by_time);
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    sum += formula_.slope(in.time, at, i) * quantities_[i].rate(q, v);
  }
  return sum;
}

void DriveFormula::add_rate_gradient(const Configuration& q, const NodalVector& v,
                                     const DriveInput& in, double weight,
                                     StateGradient& gradient) const {
  Values x;
  const std::span<const double> at = values(q, v, in, x);
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    const double slope = formula_.slope(in.time, at, i);
    quantities_[i].add_rate_gradient(q, v, weight * slope, gradient);
  }
}

}  // namespace clatter
