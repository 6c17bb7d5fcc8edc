#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/analysis/statics.hpp>
#include <clatter/machine/kkt_matrix.hpp>
#include <clatter/machine/tangents.hpp>
#include <clatter/math/newton.hpp>

namespace clatter {
namespace {

// A node may turn by this much in a load step [rad], so that an equilibrium near the path is found;
// what turns less, as a flat arch that snaps through, can still leave it. And by this much in an
// update of Newton's method.
constexpr double max_turn_of_load_step = 1.0;
constexpr double max_turn_of_update = 0.5;
constexpr double smallest_load_step = 1e-6;
constexpr int easy = 6;  // updates; fewer let the next load step grow
// The round-off of positions grows with them; a machine that falls forever must not come to count
// as balanced for that. So many times that of the start is allowed.
constexpr double most_growth_of_numbers = 100.0;

class LoadPath {
 public:
  LoadPath(const Machine& machine, const Instant& instant, const Configuration& start,
           const StaticsSettings& settings)
      : machine_(machine),
        instant_(instant),
        settings_(settings),
        K_(machine),
        at_rest_(NodalVector::Zero(machine.nodal_size())),
        f_(at_rest_),
        held_(at_rest_),
        residual_(at_rest_),
        increment_(at_rest_),
        scale_(VecX::Zero(machine.joint_rows())),
        misfit_(scale_),
        x_(VecX::Zero(K_.size())) {
    result_.q = start;
    result_.joint_forces = VecX::Zero(machine.joint_rows());
  }

  Equilibrium follow() {
    Machine::set_load_factor(instant_, 0.0);
    most_numbers_ =
        most_growth_of_numbers * machine_.forces(result_.q, at_rest_, instant_, held_).numbers;
    double done = 0.0, step = 1.0;
    while (done < 1.0) {
      if (++result_.load_steps > settings_.max_load_steps) give_up(done, "too many load steps");
      const Configuration before = result_.q;
      const VecX forces_before = result_.joint_forces;
      const double next = done + step > 1.0 - 1e-12 ? 1.0 : done + step;
      const int updates = balance(next);
      if (updates < 0 || largest_turn(before) > max_turn_of_load_step) {
        if (updates >= 0) why_ = "the nodes turn ever further";
        result_.q = before;
        result_.joint_forces = forces_before;
        step *= 0.5;
        if (step < smallest_load_step) give_up(done, why_);
        continue;
      }
      done = next;
      if (updates <= easy) step *= 2.0;
    }
    result_.turns = instant_.turns;
    return result_;
  }

 private:
  /// Newton's method at a load factor. Returns the number of updates, or -1 when it fails.
  int balance(double factor) {
    Machine::set_load_factor(instant_, factor);
    evaluate_rows();
    Balance balance{*this, factor, is_balanced(factor)};
    int updates = 0;
    const NewtonEnd end = solve_by_newton(balance, 0, updates);
    // Balanced, but a last update is impossible: then it is good enough.
    const bool settled = end == NewtonEnd::no_update && balance.balanced;
    return end == NewtonEnd::solved || settled ? updates : -1;
  }

  /// As solve_by_newton sees it. There is no line search: what an update may turn is limited.
  struct Balance {
    LoadPath& s;
    double factor;
    bool balanced;
    // At the end of the path once more: stiff models balance before they settle.
    bool polished = factor < 1.0;
    double shift = 0.0;

    double merit() const { return s.machine_.weighted_norm(s.residual_); }
    bool accepts(double /*largest*/) const { return true; }
    NewtonVerdict judge(int updates, const RecentMerits& /*recent*/) {
      if (balanced) {
        if (polished || merit() == 0.0) return NewtonVerdict::solved;
        polished = true;
      }
      if (updates < s.settings_.max_iterations) return NewtonVerdict::go_on;
      s.why_ = fmt::format("Newton's method did not converge in {} iterations", updates);
      return NewtonVerdict::given_up;
    }
    bool find_update() {
      ++s.result_.iterations;
      if (!s.solve(shift)) return false;
      if (s.limit_update()) return true;
      s.why_ = "Newton's method left the range of numbers";
      balanced = false;
      return false;
    }
    void move(double /*from*/, double /*to*/) {
      s.take_update();
      s.evaluate_rows();
      balanced = s.is_balanced(factor);
    }
  };

  /// Shortens the update that has been solved for. False: it is not a number.
  bool limit_update() {
    double turn = 0.0, way = 0.0;
    for (Eigen::Index n = 0; n < increment_.size() / 6; ++n) {
      way = std::max(way, increment_.segment<3>(6 * n).norm());
      turn = std::max(turn, increment_.segment<3>(6 * n + 3).norm());
    }
    if (!std::isfinite(turn + way)) return false;
    part_ = std::min({1.0, max_turn_of_update / turn, machine_.length() / way});
    increment_ *= part_;
    return true;
  }
  void take_update() {
    const Configuration from = result_.q;
    retract(machine_.nodes(), from, increment_, result_.q);
    result_.joint_forces += part_ * size_ * scale_.cwiseProduct(x_.tail(scale_.size()));
    machine_.count_turns(result_.q, instant_.turns);
  }

  void evaluate_rows() {
    rows_.resize(machine_.joints().size());
    Vec12 g;
    scale_ = machine_.joint_delassus(result_.q).cwiseSqrt().cwiseInverse();
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const Joint& joint = machine_.joints()[j];
      rows_[j].resize(static_cast<Eigen::Index>(joint.rows().size()), 12);
      for (std::size_t i = 0; i < joint.rows().size(); ++i) {
        const auto row = joint.first_row + static_cast<Eigen::Index>(i);
        joint.rows()[i].row(result_.q, g);
        rows_[j].row(static_cast<Eigen::Index>(i)) = g.transpose();
        const double misfit = joint.misfit(joint.rows()[i], instant_.drives[j], result_.q,
                                           machine_.turns_of_joint(j, instant_.turns));
        misfit_[row] = joint.rows()[i].begins ? misfit : misfit_[row] + misfit;
      }
    }
  }

  /// The numbers that a coupler is a sum of, from its last term.
  double size_of_coupler(std::size_t last) const {
    double size = 0.0;
    for (std::size_t j = last;; --j) {
      const JointRow& term = machine_.joints()[j].rows().front();
      const double reached = machine_.turns_of_joint(j, instant_.turns);
      size += std::abs(term.factor) *
              ((term.is_length() ? machine_.length() : 1.0) + std::abs(reached));
      if (term.begins) return size;
    }
  }

  bool is_balanced(double factor) {
    const ForceSizes sizes = machine_.forces(result_.q, at_rest_, instant_, f_);
    residual_ = f_ - (1.0 - factor) * held_;
    double terms = sizes.terms + (1.0 - factor) * machine_.weighted_norm(held_);
    bool fits = true;
    double span = machine_.length();
    for (const NodeState& state : result_.q) span = std::max(span, state.x.norm());
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const Joint& joint = machine_.joints()[j];
      const Vec12 pair =
          rows_[j].transpose() * result_.joint_forces.segment(joint.first_row, rows_[j].rows());
      of_node(residual_, joint.a()) += pair.head<6>();
      of_node(residual_, joint.b()) += pair.tail<6>();
      terms += of_pair(machine_.weights(), joint.a(), joint.b()).cwiseProduct(pair).norm();
      for (std::size_t i = 0; i < joint.rows().size(); ++i) {
        if (!joint.rows()[i].ends) continue;
        double size = joint.rows()[i].is_length() ? span : 1.0;
        if (joint.rows()[i].is_term()) size = size_of_coupler(j);
        const double off = misfit_[joint.first_row + static_cast<Eigen::Index>(i)];
        fits = fits && std::abs(off) <= 10.0 * round_off * size;
      }
    }
    return fits &&
           machine_.weighted_norm(residual_) <=
               settings_.tolerance * terms + round_off * std::min(sizes.numbers, most_numbers_);
  }

  /// One linear system; a mechanism that nothing holds yet is held by a multiple of its mass.
  bool solve(double& shift) {
    if (size_ == 0.0) find_size();
    for (int attempt = 0; attempt < 12; ++attempt) {
      K_.set_zero();
      const TangentFactors factors{shift / size_, 0.0, 1.0 / size_};
      add_tangents(machine_, result_.q, at_rest_, instant_, factors, {}, K_);
      add_joint_tangents(machine_, result_.q, result_.joint_forces, factors, K_);
      if (eps_ > 0.0) K_.regularise(eps_);
      if (K_.factorise(eps_ > 0.0)) {
        K_.gather(residual_, x_);
        x_ /= size_;
        x_.tail(scale_.size()) = scale_.cwiseProduct(misfit_);
        K_.solve(x_);
        increment_.setZero();
        K_.scatter(x_, 1.0, increment_);
        shift *= 0.1;
        return true;
      }
      if (eps_ == 0.0 && scale_.size() > 0) {
        eps_ = regularisation;
      } else {
        shift = shift > 0.0 ? 10.0 * shift : smallest_shift();
      }
    }
    why_ = "the model can move without any resistance";
    return false;
  }

  /// Of the stiffness; of what gravity gives a pendulum when nothing is elastic.
  void find_size() {
    size_ = size_of_stiffness(machine_, result_.q, instant_, K_);
    if (size_ == 0.0) size_ = 1e3 * smallest_shift();
    if (size_ == 0.0) size_ = 1.0;
  }

  /// Accelerations that the unbalanced forces give a free model, over its size: 1/s^2.
  double smallest_shift() const {
    const double mass = std::sqrt(machine_.total_mass());
    return 1e-3 * machine_.weighted_norm(residual_) / (mass * machine_.length());
  }

  double largest_turn(const Configuration& before) const {
    double largest = 0.0;
    for (std::size_t n = 1; n < before.size(); ++n) {
      largest = std::max(largest, log_so3(before[n].p.conjugate() * result_.q[n].p).norm());
    }
    return largest;
  }

  [[noreturn]] void give_up(double done, const std::string& why) const {
    Eigen::Index worst = 0;
    machine_.weights().cwiseProduct(residual_).cwiseAbs().maxCoeff(&worst);
    throw Error(
        fmt::format("no static equilibrium was found beyond {:.4g} of the loads: {} (largest "
                    "unbalanced force at "
                    "'{}'). A body that nothing holds has none",
                    done, why, machine_.nodes()[static_cast<std::size_t>(worst / 6)].name));
  }

  const Machine& machine_;
  Instant instant_;
  StaticsSettings settings_;
  KktMatrix K_;
  NodalVector at_rest_, f_, held_, residual_, increment_;
  VecX scale_, misfit_, x_;
  std::vector<KktMatrix::Rows> rows_;
  double eps_ = 0.0;
  double most_numbers_ = 0.0;
  double part_ = 1.0;  // of the update that is taken
  double size_ = 0.0;  // of the stiffness, which all equations are divided by [1/s²]
  Equilibrium result_;
  std::string why_;
};

}  // namespace

Equilibrium find_equilibrium(const Machine& machine, const Instant& instant,
                             const Configuration& start, const StaticsSettings& settings) {
  return LoadPath(machine, instant, start, settings).follow();
}

}  // namespace clatter
