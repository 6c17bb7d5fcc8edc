#include <clatter/io/keys/key_tables.hpp>

namespace clatter::keys {

TableDescription actuator() {
  const std::vector<std::string> ends = {"axial", "linear", "torsional"};
  return {
      "actuator",
      "[[actuator]]",
      "kind",
      "actuator",
      {
          {"name",
           {},
           text,
           "",
           "`actuator1`, `actuator2` ...",
           "Unique among the actuators; without `/`."},
          {"kind",
           {},
           word,
           "",
           "\"joint\"",
           "Drives the coordinate of a `joint`, pushes along the line between its ends (`axial`), "
           "only along `axis` (`linear`), or turns about `axis` (`torsional`).",
           any,
           {"joint", "axial", "linear", "torsional"}},
          {"joint",
           {"joint"},
           text,
           "",
           required,
           "Name of a joint with a coordinate and without a motor."},
          {"a", ends, table, "", "origin of the ground", "One end.", any, {}, "end"},
          {"b", ends, table, "", "origin of the ground", "The other end.", any, {}, "end"},
          {"axis",
           {"linear", "torsional"},
           direction,
           "",
           "z for a torsional actuator in the plane",
           "In the frame of `a`; needed except for torsional actuators between planar bodies."},
          {"force",
           {},
           drive,
           "N, N m",
           required,
           "Force or torque that makes the coordinate grow: on `b` along the axis, away from `a`; "
           "on `a` the opposite."},
          {"lower", {}, number, "N, N m", "none", "The force is never less."},
          {"upper", {}, number, "N, N m", "none", "The force is never more."},
      }};
}

TableDescription sensor() {
  return {"sensor",
          "[[sensor]]",
          "",
          "sensor",
          {
              {"name",
               {},
               text,
               "",
               "`sensor1`, `sensor2` ...",
               "Formulas have its value as `sensors/NAME/value`."},
              {"quantity",
               {},
               drive,
               "",
               required,
               "What it measures: a quantity such as `bodies/cart/position/x`, or a formula of "
               "some, also of sensors before it."},
              {"sampling_time",
               {},
               number,
               "s",
               "the step",
               "From one measurement to the next, the first at the start; a whole number of "
               "steps. In between the value stands still.",
               positive},
              {"delay",
               {},
               number,
               "s",
               literal(SensorSpec{}.delay),
               "Until a measurement is known; a whole number of steps. Before the first one is, "
               "its value is.",
               not_negative},
          }};
}

TableDescription controller() {
  const ControllerSpec c;
  return {
      "controller",
      "[[controller]]",
      "",
      "controller",
      {
          {"name",
           {},
           text,
           "",
           "`controller1`, `controller2` ...",
           "Formulas have its output as `controllers/NAME/output`."},
          {"input",
           {},
           drive,
           "",
           required,
           "What is controlled: a quantity such as `sensors/angle/value` or "
           "`joints/axle/coordinate`, or a formula of some."},
          {"setpoint", {}, drive, "as `input`", "`0`", "What it should be."},
          {"proportional",
           {},
           number,
           "",
           literal(c.proportional),
           "Output per error, which is `setpoint` less `input`."},
          {"integral",
           {},
           number,
           "1/s",
           literal(c.integral),
           "Output per time integral of the error."},
          {"derivative", {}, number, "s", literal(c.derivative), "Output per rate of the error."},
          {"derivative_filter",
           {},
           number,
           "s",
           literal(c.derivative_filter),
           "Time constant with which the rate is smoothed. Without it and without "
           "`sampling_time` the error must be one of positions, angles or coordinates of joints.",
           not_negative},
          {"lower",
           {},
           number,
           "",
           "none",
           "The output is never less; the integral waits while it would be."},
          {"upper", {}, number, "", "none", "The output is never more."},
          {"sampling_time",
           {},
           number,
           "s",
           "none: continuous",
           "The output is computed at the start and after each of these, and stands still in "
           "between; a whole number of steps.",
           positive},
          {"delay",
           {},
           number,
           "s",
           literal(c.delay),
           "Until an output takes effect; a whole number of steps, only with `sampling_time`. "
           "Before the first one does, it is 0.",
           not_negative},
      }};
}

TableDescription formula_table() {
  return {
      "table",
      "[[table]]",
      "",
      "table",
      {
          {"name",
           {},
           text,
           "",
           required,
           "Formulas call it by this name, as a function of one argument: `quake(t)`. Letters, "
           "digits and `_`."},
          {"points", {}, pairs, "", "none", "Argument, ascending, and value."},
          {"file",
           {},
           text,
           "",
           "none",
           "Instead of `points`: a CSV file with a line for each; the path starts from the "
           "folder of the model file. Lines before the first number, empty ones and those "
           "that begin with `#` are skipped."},
          {"columns",
           {},
           numbers,
           "",
           "[1, 2]",
           "Which columns of the file are argument and value, counted from 1.",
           positive},
          {"scale", {}, numbers, "", "[1, 1]", "Factors on arguments and values."},
          {"between",
           {},
           word,
           "",
           "\"linear\"",
           "What the function is between the points: straight lines, or a cubic `spline` with "
           "continuous second derivatives.",
           any,
           {"linear", "spline"}},
          {"beyond",
           {},
           word,
           "",
           "\"hold\"",
           "Before the first point and after the last: their values, `zero`, or all of it again "
           "and again (`repeat`), for which the first and the last value must be the same.",
           any,
           {"hold", "zero", "repeat"}},
      }};
}

}  // namespace clatter::keys
