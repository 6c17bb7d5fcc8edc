#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/elements/drive_input.hpp>
#include <clatter/elements/pair_coordinate.hpp>
#include <clatter/math/formula.hpp>
#include <clatter/model/error.hpp>

namespace clatter {

class Pid;
struct DriveSite;

/// Derivatives of a number by the positions and velocities of some nodes, six entries each.
struct StateGradient {
  /// Of all that one force by formula depends on.
  static constexpr int most_nodes = 12;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6 * most_nodes, 1>;

  std::span<const int> nodes;
  Vector by_q, by_v;

  void clear() {
    by_q.setZero(6 * static_cast<Eigen::Index>(nodes.size()));
    by_v = by_q;
  }
  Eigen::Index first_of(int node) const {
    return 6 * (std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
  }
  static void add(Vector& to, Eigen::Index first, double weight, const Vec6& gradient) {
    to.segment<6>(first) += weight * gradient;
  }
};

/// A number that formulas may depend on, with its derivatives where it has such: where a body or a
/// joint is and how fast. All others are signals, which stand still in a step.
class Quantity {
 public:
  static Quantity of(std::string_view path, const DriveSite& site);

  /// Nothing of it changes within a step.
  bool is_signal() const { return kind_ == Kind::signal; }
  void list_nodes(std::vector<int>& nodes) const;

  double value(const Configuration& q, const NodalVector& v, const DriveInput& in) const;
  void add_gradient(const Configuration& q, const NodalVector& v, const DriveInput& in,
                    double weight, StateGradient& gradient) const;
  /// Whether its rate is known from positions and velocities, as that of positions is.
  bool has_rate() const { return kind_ == Kind::position || kind_ == Kind::angle; }
  double rate(const Configuration& q, const NodalVector& v) const;
  void add_rate_gradient(const Configuration& q, const NodalVector& v, double weight,
                         StateGradient& gradient) const;

 private:
  enum class Kind { position, velocity, angle, spin, signal, controller };
  explicit Quantity(Kind kind) : kind_(kind) {}
  static Quantity of_pair(Kind kind, const PairCoordinate& coordinate);
  static Quantity of_node(Kind kind, int node, int component);
  static std::optional<Quantity> of_body(std::string_view path, const DriveSite& site);
  static std::optional<Quantity> of_joint(std::string_view path, const DriveSite& site);

  Kind kind_;
  std::optional<PairCoordinate> coordinate_;
  int node_ = 0, component_ = 0;
  std::size_t index_ = 0;  // of a joint whose turns count, or of a signal
  bool counts_turns_ = false;
  std::shared_ptr<const Pid> controller_;
};

/// A formula of quantities.
class DriveFormula {
 public:
  DriveFormula(const Formula& formula, const DriveSite& site);

  void list_nodes(std::vector<int>& nodes) const;
  double value(const Configuration& q, const NodalVector& v, const DriveInput& in) const;
  void add_gradient(const Configuration& q, const NodalVector& v, const DriveInput& in,
                    double weight, StateGradient& gradient) const;
  /// The first of its quantities whose rate is not known, or nothing.
  std::optional<std::string> without_rate() const;
  double rate(const Configuration& q, const NodalVector& v, const DriveInput& in) const;
  /// Of the rate; second derivatives of the formula, which most formulas lack, are left out.
  void add_rate_gradient(const Configuration& q, const NodalVector& v, const DriveInput& in,
                         double weight, StateGradient& gradient) const;

 private:
  using Values = std::array<double, Formula::most_quantities>;
  std::span<const double> values(const Configuration& q, const NodalVector& v, const DriveInput& in,
                                 Values& x) const;

  Formula formula_;
  std::vector<Quantity> quantities_;
};

}  // namespace clatter
