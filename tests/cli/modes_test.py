"""clatter modes: the table, modes.h5 as h5py reads it, frames, and what is refused."""

import math
import os
import xml.etree.ElementTree

import h5py
import numpy

from program import CLAMP, CommandLineTest, MODEL, ROD, main

BEAM = 'title = "Rod in space"\n' + ROD

PENDULUM = """\
gravity = [0, 0, -9.81]

[[body]]
name = "bob"
kind = "point"
mass = 2
position = [0, 0, HEIGHT]

[[joint]]
name = "rod"
kind = "distance"
a = "ground"
b = "bob"
point_a = [0, 0, 0]
point_b = [0, 0, 0]
"""


class ModesTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("rod.toml", BEAM + CLAMP)

    def test_file_holds_frequencies_and_shapes_by_node(self):
        output, errors = self.run_program("modes", "rod.toml", "--count", "4")
        self.assertEqual(errors, "")
        self.assertEqual(len(output.split("\n\n")[0].splitlines()), 5)
        with h5py.File(self.directory / "rod.modes.clatter/modes.h5") as file:
            self.assertEqual(file.attrs["command"], "modes")
            self.assertEqual(file.attrs["model_text"], BEAM + CLAMP)
            numpy.testing.assert_array_equal(file["mode"], [1, 2, 3, 4])
            frequency = file["frequency"][:]
            self.assertEqual(file["frequency"].attrs["unit"], "Hz")
            numpy.testing.assert_allclose(
                file["square"], (2 * math.pi * frequency)**2, rtol=1e-12)
            numpy.testing.assert_array_equal(file["free"], 0)
            numpy.testing.assert_array_equal(file["damping_ratio"], 0)
            # Euler-Bernoulli; 20 elements are good for a hundredth.
            first = 1.8751**2 * math.sqrt(2.1e11 * 0.01**2 / 12 / 7850) / (2 * math.pi)
            numpy.testing.assert_allclose(frequency[:2], [first, 2 * first], rtol=1e-2)
            names = list(file["displacement"].attrs["components"])
            self.assertEqual(names[:4], ["rod.0/x", "rod.0/y", "rod.0/z", "rod.1/x"])
            shape = file["displacement"][:].reshape(4, 21, 3)
            rotation = file["rotation"][:].reshape(4, 21, 3)
            numpy.testing.assert_allclose(shape[:, 0], 0, atol=1e-9)
            numpy.testing.assert_allclose(rotation[:, 0], 0, atol=1e-9)
            # The first bends about y, and its tip turns by 1.3765 per unit of displacement.
            tip = rotation[0, -1] / abs(shape[0, -1, 2])
            self.assertAlmostEqual(abs(tip[1]), 1.3765, delta=0.02)
            numpy.testing.assert_allclose(tip[[0, 2]], 0, atol=1e-6)
            self.assertAlmostEqual(max(abs(shape[0]).max(), abs(rotation[0]).max()), 1)
        summary = self.summary("rod.modes.clatter")
        self.assertEqual(summary["command"], "modes")
        self.assertEqual(summary["status"], "finished")
        self.assertEqual([mode["frequency"] for mode in summary["modes"]], list(frequency))

    def test_a_frame_per_mode_with_its_number_as_time(self):
        self.run_program("modes", "rod.toml", "--count", "3")
        pvd = self.directory / "rod.modes.clatter/frames.pvd"
        frames = list(xml.etree.ElementTree.parse(pvd).iter("DataSet"))
        self.assertEqual([float(frame.get("timestep")) for frame in frames], [1, 2, 3])
        for frame in frames:
            xml.etree.ElementTree.parse(pvd.parent / frame.get("file"))
        self.run_program("modes", "rod.toml", "--set", "output.paraview=false")
        self.assertFalse(pvd.exists())

    def test_rod_in_space_moves_freely_in_six_ways(self):
        self.write("rod.toml", BEAM)
        for elements in ["20", "60", "200"]:  # dense, sparse, finer
            output, _ = self.run_program("modes", "rod.toml", "--count", "8",
                                         "--set", "beam.rod.elements=" + elements)
            self.assertEqual(output.count("free motion"), 6, output)
            self.assertRegex(output, r"\n   6 +0 +0 +free motion\n   7 +5[23]\.\d+ +33\d\.\d+ +0\n")

    def test_pendulum_swings_and_falls(self):
        self.write("bob.toml", PENDULUM.replace("HEIGHT", "-2"))
        output, _ = self.run_program("modes", "bob.toml")
        self.assertRegex(output, r"\n   1 +0\.35248\d* +2\.2147\d* +0\n")
        self.write("bob.toml", PENDULUM.replace("HEIGHT", "2"))
        output, _ = self.run_program("modes", "bob.toml")
        self.assertRegex(output, r"\n   1 +unstable: grows as exp\(2\.215 t/s\)\n")

    def test_start_out_of_equilibrium_is_told_unless_statics_find_it(self):
        self.write("rod.toml", "gravity = [0, 0, -9.81]\n" + BEAM + CLAMP)
        output, _ = self.run_program("modes", "rod.toml")
        self.assertIn("note: the machine is not in equilibrium", output)
        for arguments in [["--static"], ["--set", "equilibrium=true"]]:
            output, _ = self.run_program("modes", "rod.toml", *arguments)
            self.assertRegex(output, r"^note: static equilibrium found in ")
            self.assertNotIn("is not in equilibrium", output)

    def test_follower_load_is_told(self):
        self.write("rod.toml", BEAM + CLAMP + """
[[load]]
name = "jet"
body = "rod.20"
force = [-50, 5, 0]
axes = "body"
""")
        note = "note: the stiffness is not symmetric"
        output, _ = self.run_program("modes", "rod.toml", "--static")
        self.assertIn(note, output)
        # The same force along the axes of space has a potential: nothing to tell.
        self.write("rod.toml", (self.directory / "rod.toml").read_text().replace('axes = "body"', 'axes = "space"'))
        output, _ = self.run_program("modes", "rod.toml", "--static")
        self.assertNotIn(note, output)

    def test_velocities_are_ignored_and_that_is_told(self):
        self.write("model.toml", MODEL.replace(
            "position = [1, 0, 0]", "position = [0, 0, 0]\nvelocity = [3, 0, 0]"))
        output, _ = self.run_program("modes", "model.toml")
        self.assertIn("note: the initial velocities of the model are ignored\n", output)
        self.assertRegex(output, r"\n   3 +1\.59155 +10 +0\n")  # sqrt(100/1) rad/s

    def test_machine_without_freedom_has_no_modes(self):
        self.write("rod.toml", BEAM.replace("elements = 20", "elements = 1") + CLAMP +
                   CLAMP.replace("clamp", "end").replace("rod.0", "rod.1").replace("[0, 0, 0]", "[1, 0, 0]"))
        output, _ = self.run_program("modes", "rod.toml")
        self.assertIn("the machine has no modes", output)

    def test_nonsense_is_refused(self):
        self.run_program("modes", "rod.toml", "--count", "1", "--out", "good")  # the model is none
        before = sorted(os.listdir(self.directory))
        _, errors = self.run_program("modes", expect=2)
        self.assertEqual(errors, "clatter: MODEL is required\n")
        for count in ["0", "-1", "many", "1.5", "10001"]:
            _, errors = self.run_program("modes", "rod.toml", "--count", count, expect=2)
            self.assertEqual(errors, f"clatter: --count: Value {count} not in range 1 to 10000\n")
        _, errors = self.run_program("modes", "rod.toml", "--time", "1", expect=2)
        self.assertRegex(errors, r"^clatter: .* not expected: .*--time\n$")
        self.assertEqual(sorted(os.listdir(self.directory)), before)  # nothing was done
        _, errors = self.run_program("modes", "rod.toml", "--set", "beam.rd.elements=3", expect=1)
        self.assertIn("did you mean 'rod'", errors)
        _, errors = self.run_program("modes", "none.toml", expect=1)
        self.assertIn("none.toml", errors)

    def test_directory_that_cannot_be_written_is_one_clear_message(self):
        for out in ["rod.toml/results", "/proc/clatter-results"]:
            _, errors = self.run_program("modes", "rod.toml", "--out", out, expect=1)
            self.assertIn(out, errors)
            self.assertEqual(errors.count("\n"), 1, errors)
        (self.directory / "mine").mkdir()
        self.write("mine/thesis.tex", "precious")
        self.run_program("modes", "rod.toml", "--out", "mine", expect=1)
        self.assertEqual(os.listdir(self.directory / "mine"), ["thesis.tex"])


main()
