#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <clatter/elements/signal_table.hpp>

namespace clatter {
namespace {

/// The part of its memory that something writes.
std::span<double> part_of(std::span<double> signals, std::size_t first, std::size_t count) {
  return signals.subspan(first, count);
}

}  // namespace

Sampling::Sampling(double sampling_time, double delay, double step)
    : every_(std::max(1L, std::lround(sampling_time / step))),
      delay_(std::lround(delay / step)),
      ring_(static_cast<std::size_t>(delay_ / every_) + 2),
      time_(sampling_time) {}

std::optional<double> Sampling::arrived(long step, std::span<const double> memory) const {
  if (step < delay_) return std::nullopt;
  return memory[static_cast<std::size_t>((step - delay_) / every_) % ring_];
}

Sensor::Sensor(const SensorSpec& spec, const DriveSite& site, double step, std::size_t first)
    : name_(spec.name),
      quantity_(spec.quantity, site),
      sampling_(spec.sampling_time.value_or(step), spec.delay, step),
      first_(first) {}

void Sensor::update(const Configuration& q, const NodalVector& v, const DriveInput& in, long step,
                    std::span<double> signals) const {
  const std::span<double> memory = part_of(signals, first_ + 1, sampling_.size());
  if (sampling_.is_due(step)) sampling_.remember(step, quantity_.value(q, v, in), memory);
  signals[first_] = sampling_.arrived(step, memory).value_or(Sampling::first(memory));
}

Pid::Pid(const ControllerSpec& spec, const DriveSite& site, double step, std::size_t first)
    : name_(spec.name),
      input_(spec.input, site),
      setpoint_(spec.setpoint, site),
      k_P_(spec.proportional),
      k_I_(spec.integral),
      k_D_(spec.derivative),
      T_(spec.derivative_filter),
      lower_(spec.lower),
      upper_(spec.upper),
      first_(first) {
  if (spec.sampling_time) sampling_.emplace(*spec.sampling_time, spec.delay, step);
  if (sampling_ || k_D_ == 0.0 || T_ > 0.0) return;
  for (const DriveFormula* formula : {&input_, &setpoint_}) {
    if (const auto path = formula->without_rate()) {
      throw Error(spec.place,
                  fmt::format("controller '{}': the rate of '{}' is not known, which 'derivative' "
                              "needs; give 'derivative_filter' or 'sampling_time'",
                              name_, *path));
    }
  }
}

void Pid::list_nodes(std::vector<int>& nodes) const {
  if (sampling_) return;
  input_.list_nodes(nodes);
  setpoint_.list_nodes(nodes);
}

double Pid::limited(double u) const {
  if (lower_) u = std::max(u, *lower_);
  if (upper_) u = std::min(u, *upper_);
  return u;
}

double Pid::error(const Configuration& q, const NodalVector& v, const DriveInput& in) const {
  return setpoint_.value(q, v, in) - input_.value(q, v, in);
}

double Pid::filtered_at(double e, double dt, std::span<const double> memory) const {
  const double a = 0.5 * dt / T_, x = memory[filtered];
  return (x + a * (memory[last_error] - x + e)) / (1.0 + a);
}

/// The integral goes on unless the output is beyond a limit and would go further.
double Pid::next_integral(double more, double without, double e, double now) const {
  const double u = without + k_I_ * (now + more);
  const bool is_beyond = limited(u) != u;
  return is_beyond && (u - limited(u)) * k_I_ * e > 0.0 ? now : now + more;
}

Pid::Law Pid::continuous(const Configuration& q, const NodalVector& v, const DriveInput& in) const {
  const std::span<const double> memory = in.signals.subspan(first_, memory_size);
  const double e = error(q, v, in), dt = in.time - memory[since];
  double without = k_P_ * e, by_error = k_P_, by_rate = 0.0;
  if (k_D_ != 0.0 && T_ > 0.0) {
    const double a = 0.5 * dt / T_;
    without += k_D_ * (e - filtered_at(e, dt, memory)) / T_;
    by_error += k_D_ * (1.0 - a / (1.0 + a)) / T_;
  } else if (k_D_ != 0.0) {
    without += k_D_ * (setpoint_.rate(q, v, in) - input_.rate(q, v, in));
    by_rate = k_D_;
  }
  const double now = memory[integral];
  const double then = next_integral(0.5 * dt * (memory[last_error] + e), without, e, now);
  if (then != now) by_error += 0.5 * k_I_ * dt;
  const double u = without + k_I_ * then;
  if (limited(u) != u) return {limited(u), 0.0, 0.0};
  return {u, by_error, by_rate};
}

double Pid::output(const Configuration& q, const NodalVector& v, const DriveInput& in) const {
  return sampling_ ? in.signals[first_ + out] : continuous(q, v, in).output;
}

void Pid::add_gradient(const Configuration& q, const NodalVector& v, const DriveInput& in,
                       double weight, StateGradient& gradient) const {
  if (sampling_) return;
  const Law law = continuous(q, v, in);
  if (law.by_error != 0.0) {
    setpoint_.add_gradient(q, v, in, weight * law.by_error, gradient);
    input_.add_gradient(q, v, in, -weight * law.by_error, gradient);
  }
  if (law.by_rate != 0.0) {
    setpoint_.add_rate_gradient(q, v, in, weight * law.by_rate, gradient);
    input_.add_rate_gradient(q, v, in, -weight * law.by_rate, gradient);
  }
}

/// u = k_P e + k_I I + D; I_k = I_(k-1) + T e_k, and D by the backward difference.
void Pid::sample(double e, double t, std::span<double> memory) const {
  const double T = sampling_->time();
  double D = 0.0;
  if (memory[updates] >= 0.0) {
    D = (T_ * memory[filtered] + k_D_ * (e - memory[last_error])) / (T_ + T);
  }
  const double without = k_P_ * e + D;
  memory[integral] = next_integral(T * e, without, e, memory[integral]);
  memory[filtered] = D;
  memory[last_error] = e;
  memory[since] = t;
  memory[out] = limited(without + k_I_ * memory[integral]);
}

void Pid::go_on(double e, double rate, double t, std::span<double> memory) const {
  const double dt = t - memory[since];
  if (memory[updates] < 0.0) {
    memory[filtered] = e;
  } else {
    double without = k_P_ * e;
    if (k_D_ != 0.0 && T_ > 0.0) {
      const double x = filtered_at(e, dt, memory);
      without += k_D_ * (e - x) / T_;
      memory[filtered] = x;
    } else {
      without += k_D_ * rate;
    }
    memory[integral] =
        next_integral(0.5 * dt * (memory[last_error] + e), without, e, memory[integral]);
  }
  memory[last_error] = e;
  memory[since] = t;
}

void Pid::update(const Configuration& q, const NodalVector& v, const DriveInput& in, long step,
                 std::span<double> signals) const {
  const std::span<double> memory = part_of(signals, first_, size());
  const std::span<double> values = memory.subspan(memory_size);
  const bool is_new = memory[updates] != static_cast<double>(step);
  if (!sampling_) {
    if (!is_new) return;
    const bool has_rate = k_D_ != 0.0 && T_ == 0.0;
    go_on(error(q, v, in), has_rate ? setpoint_.rate(q, v, in) - input_.rate(q, v, in) : 0.0,
          in.time, memory);
    memory[updates] = static_cast<double>(step);
    return;
  }
  if (is_new && sampling_->is_due(step)) {
    sample(error(q, v, in), in.time, memory);
    sampling_->remember(step, memory[out], values);
    memory[updates] = static_cast<double>(step);
  }
  memory[out] = sampling_->arrived(step, values).value_or(0.0);
}

void SignalTable::add(const SensorSpec& spec, const Site& site, const std::vector<Joint>& joints,
                      double step) {
  const DriveSite drive_site{site, joints, *this, spec.place};
  Sensor sensor(spec, drive_site, step, 0);  // what it holds comes before it
  sensors_.emplace_back(spec, drive_site, step, size_);
  size_ += sensor.size();
}

void SignalTable::add(const ControllerSpec& spec, const Site& site,
                      const std::vector<Joint>& joints, double step) {
  const DriveSite drive_site{site, joints, *this, spec.place};
  const Pid first(spec, drive_site, step, 0);
  controllers_.push_back(std::make_shared<const Pid>(spec, drive_site, step, size_));
  size_ += first.size();
}

std::size_t SignalTable::hold(std::string_view path, const Place& place) {
  const auto found =
      std::find_if(held_.begin(), held_.end(), [&](const Held& each) { return each.path == path; });
  if (found != held_.end()) return held_index_[static_cast<std::size_t>(found - held_.begin())];
  held_.push_back({std::string(path), place});
  held_index_.push_back(size_);
  return size_++;
}

std::optional<std::size_t> SignalTable::output_of_sensor(std::string_view name) const {
  for (const Sensor& sensor : sensors_) {
    if (sensor.name() == name) return sensor.output();
  }
  return std::nullopt;
}

std::shared_ptr<const Pid> SignalTable::controller(std::string_view name) const {
  for (const auto& controller : controllers_) {
    if (controller->name() == name) return controller;
  }
  return nullptr;
}

std::vector<double> SignalTable::at_start() const {
  std::vector<double> signals(size_, 0.0);
  for (const auto& controller : controllers_) signals[controller->first() + Pid::updates] = -1.0;
  return signals;
}

bool SignalTable::update(const Configuration& q, const NodalVector& v, const DriveInput& in,
                         long step, std::span<double> signals) const {
  bool has_changed = false;
  const auto watch = [&](std::size_t output, const auto& update) {
    const double before = signals[output];
    update();
    has_changed = has_changed || signals[output] != before;
  };
  for (const Sensor& sensor : sensors_) {
    watch(sensor.output(), [&] { sensor.update(q, v, in, step, signals); });
  }
  for (const auto& controller : controllers_) {
    watch(controller->first(), [&] { controller->update(q, v, in, step, signals); });
  }
  return has_changed;
}

}  // namespace clatter
