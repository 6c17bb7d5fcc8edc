"""clatter static: equilibria, what is written and printed, and what is refused."""

import os

import h5py
import numpy

from program import CLAMP, CommandLineTest, ROD, main

# A steel cantilever with a load that grows; there is no integrator, for nothing moves.
CANTILEVER = 'title = "Cantilever"\n' + ROD.replace("elements = 20", "elements = 16") + CLAMP + """
[[load]]
name = "tip"
body = "rod.16"
force = [0, 0, "-2*t"]
"""


class StaticTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("rod.toml", CANTILEVER)

    def test_prints_and_writes_the_equilibrium(self):
        output, errors = self.run_program("static", "rod.toml", "--time", "1")
        self.assertEqual(errors, "")
        self.assertRegex(output, r"^static equilibrium found in 1 load step and \d iterations; "
                                 r"largest displacement 0\.0019\d+ m \('rod\.16'\)")
        self.assertRegex(output, r"\n  clamp +0 +0 +2 +0 +-2 +0\n")
        self.assertRegex(output, r"\n  rod +\S+ +16 +1\.93\d +1\n")
        self.assertRegex(output, r"\nstable: the lowest mode vibrates at 8\.3\d+ Hz\n")
        summary = self.summary("rod.static.clatter")
        self.assertEqual(summary["command"], "static")
        self.assertEqual(summary["status"], "finished")
        self.assertEqual(summary["time"], 1)
        self.assertEqual((summary["samples"], summary["frames"]), (1, 1))
        self.assertEqual(summary["equilibrium"]["displaced_node"], "rod.16")
        self.assertNotIn("integrator", summary)
        with h5py.File(self.directory / "rod.static.clatter/results.h5") as file:
            self.assertEqual(file.attrs["command"], "static")
            numpy.testing.assert_array_equal(file["time"], [1])
            position = file["beams/rod/position"][0].reshape(-1, 3)
            # P L^3 / (3 E I) = 0.0019 m; shear and elements change the third digit.
            self.assertAlmostEqual(position[-1, 2], -2 / (3 * 2.1e11 * 0.02 * 0.01**3 / 12),
                                   delta=2e-5)
            numpy.testing.assert_allclose(file["joints/clamp/force"][0], [0, 0, 2], atol=1e-8)
            numpy.testing.assert_array_equal(file["beams/rod/velocity"], 0)

    def test_loads_are_those_of_the_start_unless_a_time_is_given(self):
        self.run_program("static", "rod.toml")
        self.assertEqual(self.summary("rod.static.clatter")["equilibrium"]["displacement"], 0)

    def test_reaction_is_that_on_the_machine_whichever_end_the_ground_is(self):
        self.write("rod.toml", CANTILEVER.replace('a = "ground"\nb = "rod.0"', 'a = "rod.0"\nb = "ground"'))
        output, _ = self.run_program("static", "rod.toml", "--time", "1")
        self.assertRegex(output, r"\n  clamp +0 +0 +2 +0 +-2 +0\n")

    def test_column_beyond_its_critical_load_is_unstable(self):
        self.write("rod.toml", CANTILEVER.replace('[0, 0, "-2*t"]', "[-1000, 0, 0]"))
        output, _ = self.run_program("static", "rod.toml")
        self.assertRegex(output, r"\nunstable: the smallest push grows as exp\(\S+ t/s\)\n")

    def test_motor_stands_at_its_angle_of_that_time(self):
        motor = CANTILEVER.replace('kind = "fixed"', 'kind = "revolute"\naxis = [0, 1, 0]\n'
                                   'motor = "0.1*t"')
        self.write("rod.toml", motor)
        _, errors = self.run_program("static", "rod.toml", "--time", "2", expect=1)
        self.assertRegex(errors, r"^rod\.toml:\d+:1: joint 'clamp' does not fit at the start: it is off "
                                 r"by 0 m and 0\.2 rad")
        output, _ = self.run_program("static", "rod.toml", "--time", "2", "--set", "assemble=true")
        self.assertIn("static equilibrium found", output)
        with h5py.File(self.directory / "rod.static.clatter/results.h5") as file:
            self.assertAlmostEqual(file["joints/clamp/coordinate"][0], 0.2, delta=1e-12)
            numpy.testing.assert_array_equal(file["beams/rod/velocity"], 0)

    def test_velocities_are_ignored_and_that_is_told(self):
        # The mass on a spring of the other tests: its rest length is 0, and nothing holds y and z.
        self.write("model.toml", (self.directory / "model.toml").read_text().replace(
            "position = [1, 0, 0]", "position = [1, 0, 0]\nvelocity = [3, 0, 0]"))
        output, _ = self.run_program("static", "model.toml")
        self.assertIn("note: the initial velocities of the model are ignored\n", output)
        self.assertIn("indifferent: nothing resists 2 of its motions", output)
        with h5py.File(self.directory / "model.static.clatter/results.h5") as file:
            numpy.testing.assert_allclose(file["bodies/ball/position"][0], [0, 0, 0], atol=1e-9)
            numpy.testing.assert_array_equal(file["bodies/ball/velocity"], 0)

    def test_csv_and_quiet(self):
        self.assertEqual(self.run_program("static", "rod.toml", "--csv", "--quiet", "--out", "here"),
                         ("", ""))
        lines = (self.directory / "here/results.csv").read_text().splitlines()
        self.assertEqual(len(lines), 2)

    def test_does_not_touch_the_results_of_a_run(self):
        self.run_program("run", "model.toml")
        self.run_program("static", "model.toml")
        self.assertEqual(self.summary()["command"], "run")

    def test_machine_that_nothing_holds_is_refused_before_anything_is_written(self):
        self.write("rod.toml", "gravity = [0, 0, -9.81]\n" + CANTILEVER[:CANTILEVER.index("[[joint]]")])
        _, errors = self.run_program("static", "rod.toml", expect=1)
        self.assertRegex(errors, r"^clatter: rod\.toml: no static equilibrium was found")
        self.assertFalse((self.directory / "rod.static.clatter").exists())

    def test_closed_contact_is_refused(self):
        self.write("rod.toml", CANTILEVER + """
[[contact]]
name = "stop"
point = { body = "rod.16" }
face = { body = "ground", point = [1, 0, -0.001], normal = [0, 0, 1] }
""")
        self.run_program("static", "rod.toml", "--time", "0.2")
        _, errors = self.run_program("static", "rod.toml", "--time", "1", expect=1)
        self.assertRegex(errors, r"^rod\.toml:\d+:1: contact 'stop': in the static equilibrium the point on "
                                 r"'rod\.16' is 0\.0009\d+ m inside the face on 'ground'; statics with "
                                 r"closed contacts is not supported")

    def test_formula_without_a_value_at_that_time_is_refused(self):
        self.write("rod.toml", CANTILEVER.replace('"-2*t"', '"sqrt(1-t)"'))
        _, errors = self.run_program("static", "rod.toml", "--time", "2", expect=1)
        self.assertRegex(errors, r"^rod\.toml:\d+:1: load 'tip': 'sqrt\(1-t\)' has no finite value")

    def test_nonsense_is_refused(self):
        self.run_program("static", "rod.toml", "--time", "0", "--out", "good")  # the model is none
        before = sorted(os.listdir(self.directory))
        _, errors = self.run_program("static", expect=2)
        self.assertEqual(errors, "clatter: MODEL is required\n")
        for time in ["soon", "nan", "inf"]:
            _, errors = self.run_program("static", "rod.toml", "--time", time, expect=2)
            self.assertRegex(errors, r"^clatter: --time: .*expected a number of seconds\n$")
        _, errors = self.run_program("static", "rod.toml", "--steps", "3", expect=2)
        self.assertRegex(errors, r"^clatter: .* not expected: .*--steps\n$")
        self.assertEqual(sorted(os.listdir(self.directory)), before)  # nothing was done
        _, errors = self.run_program("static", "rod.toml", "--set", "beam.rod.elments=3", expect=1)
        self.assertIn("did you mean 'elements'", errors)
        self.write("rod.toml", CANTILEVER.replace("density", "densty"))
        _, errors = self.run_program("static", "rod.toml", expect=1)
        self.assertRegex(errors, r"rod\.toml:\d+:1: unknown key 'densty'")

    def test_directory_that_cannot_be_written_is_one_clear_message(self):
        for out in ["rod.toml/results", "/proc/clatter-results"]:
            _, errors = self.run_program("static", "rod.toml", "--out", out, expect=1)
            self.assertIn(out, errors)
            self.assertEqual(errors.count("\n"), 1, errors)
        (self.directory / "mine").mkdir()
        self.write("mine/thesis.tex", "precious")
        self.run_program("static", "rod.toml", "--out", "mine", expect=1)
        self.assertEqual(os.listdir(self.directory / "mine"), ["thesis.tex"])

    def test_run_asks_for_an_integrator_and_check_tells(self):
        _, errors = self.run_program("run", "rod.toml", expect=1)
        self.assertEqual(errors, "rod.toml:1:1: a model needs [integrator] to be run\n")
        output, _ = self.run_program("check", "rod.toml")
        self.assertEqual(output, "note: there is no [integrator]; clatter run needs one\n"
                         "rod.toml is fine: 1 beam, 16 beam elements, 1 joint, 1 load, 102 degrees of "
                         "freedom before joints\n")


main()
