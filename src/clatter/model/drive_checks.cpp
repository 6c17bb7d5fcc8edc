#include <cmath>

#include <fmt/format.h>

#include <clatter/model/part_checks.hpp>

namespace clatter {
namespace {

/// That a time is a whole number of steps.
bool check_steps(const ObjectCheck& object, std::string_view key, double time, double step) {
  constexpr double slack = 1e-6;  // of a step: times are typed with few digits
  const double steps = time / step, whole = std::round(steps);
  if (std::abs(steps - whole) <= slack * std::fmax(1.0, steps * 1e-6) && steps < 1e9) return true;
  return object.refuse(
      key, fmt::format("'{}' must be a whole number of steps of {} s, but {} s is {:.6g} of them",
                       key, step, time, steps));
}

void check_sampling(const ObjectCheck& object, const std::optional<double>& sampling_time,
                    double delay, const IntegratorSpec& integrator) {
  constexpr double most_on_the_way = 1e6;
  const bool knows = object.number("sampling_time", sampling_time, ranges::positive) &&
                     object.number("delay", delay, ranges::not_negative);
  if (!knows || integrator.keys.is_doubtful("step") || !(integrator.step > 0.0)) return;
  const double step = integrator.step;
  if (sampling_time && !check_steps(object, "sampling_time", *sampling_time, step)) return;
  if (!check_steps(object, "delay", delay, step)) return;
  if (delay / sampling_time.value_or(step) > most_on_the_way) {
    object.refuse("delay", "'delay': more than a million values would be on the way");
  }
}

}  // namespace

void check_sensor(const SensorSpec& sensor, const IntegratorSpec& integrator,
                  std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("sensor '{}'", sensor.name), sensor.place, sensor.keys,
                           mistakes);
  check_sampling(object, sensor.sampling_time, sensor.delay, integrator);
}

void check_controller(const ControllerSpec& controller, const IntegratorSpec& integrator,
                      std::vector<Mistake>& mistakes) {
  const ObjectCheck object(fmt::format("controller '{}'", controller.name), controller.place,
                           controller.keys, mistakes);
  object.number("proportional", controller.proportional);
  object.number("integral", controller.integral);
  object.number("derivative", controller.derivative);
  object.number("derivative_filter", controller.derivative_filter, ranges::not_negative);
  object.number("lower", controller.lower, ranges::any);
  object.number("upper", controller.upper, ranges::any);
  if (controller.lower && controller.upper && *controller.lower > *controller.upper) {
    object.refuse("upper", "'upper' must be at least 'lower'");
  }
  check_sampling(object, controller.sampling_time, controller.delay, integrator);
  if (controller.delay > 0.0 && !controller.sampling_time) {
    object.refuse("delay",
                  "'delay' needs a 'sampling_time': a continuous controller remembers no "
                  "outputs; a sensor can delay what it measures");
  }
}

}  // namespace clatter
