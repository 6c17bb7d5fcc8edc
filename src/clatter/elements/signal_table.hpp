#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/elements/quantity.hpp>
#include <clatter/elements/site.hpp>
#include <clatter/model/drive_specs.hpp>

namespace clatter {

class Joint;
class SignalTable;

/// Where formulas of quantities are built.
struct DriveSite {
  const Site& site;
  const std::vector<Joint>& joints;
  SignalTable& signals;
  const Place& place;  ///< of what the formula belongs to
};

/// When something is sampled, and how long its value is on the way: counts of nominal steps.
class Sampling {
 public:
  /// [s], of steps of that size; both are whole numbers of steps.
  Sampling(double sampling_time, double delay, double step);

  bool is_due(long step) const { return step % every_ == 0; }
  /// Numbers that it remembers.
  std::size_t size() const { return ring_; }
  void remember(long step, double value, std::span<double> memory) const {
    memory[static_cast<std::size_t>(step / every_) % ring_] = value;
  }
  /// Nothing while the first value is on the way.
  std::optional<double> arrived(long step, std::span<const double> memory) const;
  /// The very first value, while it is on the way.
  static double first(std::span<const double> memory) { return memory[0]; }
  double time() const { return time_; }

 private:
  long every_, delay_;
  std::size_t ring_;
  double time_;
};

/// Measures a quantity at times of its own.
class Sensor {
 public:
  Sensor(const SensorSpec& spec, const DriveSite& site, double step, std::size_t first);

  const std::string& name() const { return name_; }
  std::size_t output() const { return first_; }
  std::size_t size() const { return 1 + sampling_.size(); }
  void update(const Configuration& q, const NodalVector& v, const DriveInput& in, long step,
              std::span<double> signals) const;

 private:
  std::string name_;
  DriveFormula quantity_;
  Sampling sampling_;
  std::size_t first_;
};

/// A controller with a proportional, an integral and a derivative part of setpoint less input. With
/// a sampling time its output stands still in between. Without it is continuous:
///
///   u = k_P e + k_I I + k_D (e - x)/T,   dI/dt = e,   dx/dt = (e - x)/T,   or k_D de/dt for T = 0
///
/// by the trapezoidal rule from the start of the step, so that u is a function of positions and
/// velocities now, with derivatives for Newton's method.
class Pid {
 public:
  Pid(const ControllerSpec& spec, const DriveSite& site, double step, std::size_t first);

  const std::string& name() const { return name_; }
  bool is_sampled() const { return sampling_.has_value(); }
  std::size_t first() const { return first_; }
  std::size_t size() const { return memory_size + (sampling_ ? sampling_->size() : 0); }
  void list_nodes(std::vector<int>& nodes) const;

  double error(const Configuration& q, const NodalVector& v, const DriveInput& in) const;
  double output(const Configuration& q, const NodalVector& v, const DriveInput& in) const;
  void add_gradient(const Configuration& q, const NodalVector& v, const DriveInput& in,
                    double weight, StateGradient& gradient) const;
  /// At the start of each nominal step.
  void update(const Configuration& q, const NodalVector& v, const DriveInput& in, long step,
              std::span<double> signals) const;

 public:
  /// Of its numbers; `updates` is the step of the last update, -1 before the first.
  enum Memory { out, last_error, integral, filtered, since, updates, memory_size };

 private:
  struct Law {
    double output, by_error, by_rate;  // with derivatives, zero where it is limited
  };
  Law continuous(const Configuration& q, const NodalVector& v, const DriveInput& in) const;
  double limited(double u) const;
  double next_integral(double more, double without, double e, double integral) const;
  void sample(double e, double t, std::span<double> memory) const;
  void go_on(double e, double rate, double t, std::span<double> memory) const;
  double filtered_at(double e, double dt, std::span<const double> memory) const;

  std::string name_;
  DriveFormula input_, setpoint_;
  double k_P_, k_I_, k_D_, T_;
  std::optional<double> lower_, upper_;
  std::optional<Sampling> sampling_;
  std::size_t first_;
};

/// All numbers that drives remember from step to step, and who writes them: quantities that are
/// read at the start of each step, then sensors, then controllers.
class SignalTable {
 public:
  struct Held {
    std::string path;
    Place place;
  };

  void add(const SensorSpec& spec, const Site& site, const std::vector<Joint>& joints, double step);
  void add(const ControllerSpec& spec, const Site& site, const std::vector<Joint>& joints,
           double step);

  /// The number that a quantity has, which whoever lists all quantities writes; see `held`.
  std::size_t hold(std::string_view path, const Place& place);
  std::optional<std::size_t> output_of_sensor(std::string_view name) const;
  std::shared_ptr<const Pid> controller(std::string_view name) const;

  bool empty() const { return size_ == 0; }
  const std::vector<Held>& held() const { return held_; }
  /// Where the number of a held quantity is.
  std::size_t index_of(std::size_t held) const { return held_index_[held]; }
  const std::vector<Sensor>& sensors() const { return sensors_; }
  const std::vector<std::shared_ptr<const Pid>>& controllers() const { return controllers_; }

  std::vector<double> at_start() const;
  /// At the start of nominal step number `step`. Returns whether what is sampled has changed.
  bool update(const Configuration& q, const NodalVector& v, const DriveInput& in, long step,
              std::span<double> signals) const;

 private:
  std::size_t size_ = 0;
  std::vector<Held> held_;
  std::vector<std::size_t> held_index_;
  std::vector<Sensor> sensors_;
  std::vector<std::shared_ptr<const Pid>> controllers_;
};

}  // namespace clatter
