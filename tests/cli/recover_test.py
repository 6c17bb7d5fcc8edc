"""Forces of impacts, as a run writes them and as `recover` finds them for stored results."""

import csv
import json
import math

import h5py
import numpy as np

from program import CommandLineTest, main

G = 9.8
MODEL = """\
title = "A ball that bounces"
gravity = [0, 0, -9.8]

[[material]]
name = "rubber"
youngs_modulus = 6.043e8
strength = 1e7

[[body]]
name = "ball"
mass = 1
shape = { kind = "sphere", radius = 0.1 }
position = [0, 0, 1.1]

[[contact]]
name = "floor"
sphere = { body = "ball" }
face = { normal = [0, 0, 1] }
restitution = 0.6
recover = { law = "flores", materials = ["rubber", "rubber"] }

[integrator]
step = 1e-3
duration = 3
"""


class RecoverTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("model.toml", MODEL)

    def table(self, name="model.clatter/impacts.csv"):
        with open(self.directory / name, newline="") as file:
            return list(csv.DictReader(file))

    def recover(self, *options):
        output, _ = self.run_program("recover", "model.clatter", "--json", *options)
        return json.loads(output)[0]

    def test_run_writes_impacts_and_forces(self):
        output, _ = self.run_program("run", "model.toml")
        self.assertIn("impacts recovered, in impacts.csv and recovery.h5", output)
        impacts = self.table()
        first = impacts[0]
        speed = math.sqrt(2 * G)
        # The speed at the start of the step is off by up to g h.
        self.assertEqual((first["contact"], first["impact"]), ("floor", "1"))
        self.assertAlmostEqual(float(first["time [s]"]), math.sqrt(2 / G), delta=2e-6)
        self.assertAlmostEqual(float(first["approach_speed [m/s]"]), speed, delta=G * 1e-3)
        self.assertAlmostEqual(float(first["energy_lost [J]"]), 0.5 * speed**2 * (1 - 0.36), delta=0.05)
        self.assertGreater(float(first["of_strength"]), 1)
        # Later ones come after flights of 2 e^k v/g.
        self.assertAlmostEqual(float(impacts[1]["time [s]"]) - float(first["time [s]"]), 2 * 0.6 * speed / G, delta=2e-3)
        with h5py.File(self.directory / "model.clatter/recovery.h5") as file, \
                h5py.File(self.directory / "model.clatter/results.h5") as results:
            force = file["contacts/floor/recovered_force"][:]
            self.assertEqual(len(force), len(results["time"]))
            self.assertEqual(file["impacts/floor/peak"].attrs["unit"], "N")
            self.assertEqual(file["impacts/floor/peak"][0], float(first["peak [N]"]))
            self.assertAlmostEqual(force.max() / float(first["peak [N]"]), 1, delta=1e-12)
            self.assertAlmostEqual(force[-1], G, delta=1e-6)  # at rest: its weight
            total = results["contacts/floor/normal_impulse"][:].sum()
        entry = self.recover()
        self.assertAlmostEqual((entry["impulse_of_forces"] + entry["impulse_of_impacts"]) / total, 1, delta=1e-12)
        self.assertEqual([each["peak"] for each in entry["impacts"]], [float(each["peak [N]"]) for each in impacts])

    def test_stored_run_is_recovered_with_another_law_and_its_curves(self):
        self.run_program("run", "model.toml", "--quiet")
        as_run = self.table()
        entry = self.recover("--set", "contact.floor.recover.law=hertz", "--set",
                             "contact.floor.recover.stiffness=2e8", "--curves", "curves.csv")
        self.assertEqual((entry["law"], entry["stiffness"], entry["profile"]), ("hertz", 2e8, "law"))
        first = entry["impacts"][0]
        mass = first["impulse"] / (1.6 * first["approach_speed"])
        # Hertz's elastic impact: m v^2/2 = 2/5 K depth^(5/2).
        depth = (1.25 * mass * first["approach_speed"]**2 / 2e8)**0.4
        self.assertAlmostEqual(first["depth"] / depth, 1, delta=1e-6)
        self.assertAlmostEqual(first["peak"] / (2e8 * depth**1.5), 1, delta=1e-6)
        self.assertAlmostEqual(first["duration"] / (2.9432751 * depth / first["approach_speed"]), 1, delta=1e-6)
        self.assertNotEqual(first["peak"], float(as_run[0]["peak [N]"]))
        self.assertEqual(float(self.table()[0]["peak [N]"]), first["peak"])
        curve = np.array([[float(row[key]) for key in ("time [s]", "depth [m]", "rate [m/s]", "force [N]")]
                          for row in self.table("curves.csv") if row["impact"] == "1"])
        time, depths, _, force = curve.T
        self.assertAlmostEqual(time[0], first["time"], delta=1e-12)
        self.assertAlmostEqual(time[-1] - time[0], first["duration"], delta=1e-12)
        self.assertAlmostEqual(depths.max() / first["depth"], 1, delta=1e-3)
        # The rule of trapezoids on a few hundred points.
        integral = ((time[1:] - time[:-1]) * (force[1:] + force[:-1]) / 2).sum()
        self.assertAlmostEqual(integral / first["impulse"], 1, delta=1e-3)

    def test_loops_of_an_impact_enclose_what_it_loses(self):
        self.run_program("run", "model.toml", "--quiet", "--set", "contact.floor.recover.law=exact")
        entry = self.recover("--contact", "floor", "--impact", "2", "--curves", "loop.csv")
        second = entry["impacts"][1]
        rows = self.table("loop.csv")
        self.assertEqual({row["impact"] for row in rows}, {"2"})
        depth, rate, force = (np.array([float(row[key]) for row in rows])
                              for key in ("depth [m]", "rate [m/s]", "force [N]"))
        # The law returns just the restitution of the run. Trapezoids on a few hundred points, whose error goes with
        # the square of their distance.
        area = ((depth[1:] - depth[:-1]) * (force[1:] + force[:-1]) / 2).sum()
        self.assertAlmostEqual(area / second["energy_lost"], 1, delta=1e-3)
        self.assertAlmostEqual(rate[0] / second["approach_speed"], 1, delta=1e-12)
        self.assertAlmostEqual(-rate[-1] / rate[0], 0.6, delta=1e-6)
        self.assertAlmostEqual(depth.max() / second["depth"], 1, delta=1e-3)
        self.recover("--impact", "2", "--curves", "loop.svg")
        drawing = (self.directory / "loop.svg").read_text()
        for word in ("<svg", "floor, impact 2", "depth [m]", "force [N]", "rate [m/s]"):
            self.assertIn(word, drawing)
        for options, wrong in ((["--contact", "flor"], "no contact 'flor' of this model has 'recover'"),
                               (["--impact", "999"], "there is no impact 999")):
            _, errors = self.run_program("recover", "model.clatter", "--curves", "loop.csv", *options, expect=1)
            self.assertIn(wrong, errors)

    def test_force_is_a_channel_of_the_run(self):
        self.run_program("run", "model.toml", "--quiet", "--set", "integrator.name=nsga_coupled")
        with h5py.File(self.directory / "model.clatter/recovery.h5") as file, \
                h5py.File(self.directory / "model.clatter/results.h5") as results:
            for name in ("recovered_force", "recovered_pressure", "recovered_von_mises"):
                after, online = file[f"contacts/floor/{name}"][:], results[f"contacts/floor/{name}"][:]
                self.assertGreater(after.max(), 0)
                self.assertLess(abs(after - online).max(), 1e-9 * after.max())

    def test_solids_are_recovered_with_their_materials(self):
        solids = MODEL[:MODEL.index("[[contact]]")].replace(
            "radius = 0.1 }", 'radius = 0.1, material = "rubber" }').replace(
            "strength = 1e7", 'strength = 1e7\nrestitution = 0.6\nrecover = { law = "flores" }')
        solids += '[ground]\nshape = { kind = "half_space", material = "rubber" }\n'
        solids += '[[watch]]\nbodies = ["ball", "ground"]\n'
        self.write("solid.toml", solids + MODEL[MODEL.index("[integrator]"):])
        output, _ = self.run_program("run", "solid.toml")
        self.assertIn("impacts recovered", output)
        self.run_program("run", "model.toml", "--quiet")
        first, listed = self.table("solid.clatter/impacts.csv")[0], self.table()[0]
        self.assertEqual(first["contact"], "ball/ground")
        for key in ("peak [N]", "duration [s]", "depth [m]", "pressure [Pa]", "of_strength"):
            self.assertAlmostEqual(float(first[key]) / float(listed[key]), 1, delta=1e-6)
        self.run_program("recover", "solid.clatter", "--set", "material.rubber.recover.law=hertz")
        self.assertNotEqual(self.table("solid.clatter/impacts.csv")[0]["peak [N]"], first["peak [N]"])
        with h5py.File(self.directory / "solid.clatter/recovery.h5") as file:
            self.assertEqual(len(file["impacts/ball/ground/peak"]), len(self.table("solid.clatter/impacts.csv")))

    def test_table_is_printed_and_yielding_told(self):
        self.run_program("run", "model.toml", "--quiet")
        output, _ = self.run_program("recover", "model.clatter")
        self.assertIn("floor", output)
        self.assertIn("yields", output)

    def test_what_cannot_be_recovered_is_refused(self):
        self.write("plain.toml", MODEL.replace("recover =", "# recover ="))
        self.run_program("run", "plain.toml", "--quiet")
        _, errors = self.run_program("recover", "plain.clatter", expect=1)
        self.assertIn("no contact and no material of this model has 'recover'", errors)
        _, errors = self.run_program("recover", "plain.clatter", "--set", "contact.floor.recover.stiffness=1e8",
                                     expect=1)
        self.assertIn("has not stored 'approach_speed' of 'floor'", errors)
        _, errors = self.run_program("recover", "plain.clatter", "--set", "body.ball.mass=2", expect=1)
        self.assertIn("only keys of 'recover' of a contact and of materials", errors)
        _, errors = self.run_program("recover", "nowhere", expect=1)
        self.assertIn("there is no such file", errors)

    def test_samples_that_are_apart_are_told(self):
        output, _ = self.run_program("run", "model.toml", "--set", "output.interval=0.01")
        self.assertIn("impacts of a contact within an output interval are told as one", output)
        self.assertAlmostEqual(float(self.table()[0]["approach_speed [m/s]"]), math.sqrt(2 * G), delta=G * 1e-3)

    def test_run_that_goes_on_tells_all_impacts(self):
        self.run_program("run", "model.toml", "--quiet", "--out", "whole")
        self.run_program("run", "model.toml", "--quiet", "--set", "integrator.duration=1")
        self.run_program("run", "--resume", "model.clatter", "--quiet", "--set", "integrator.duration=3")
        self.assertEqual(self.table(), self.table("whole/impacts.csv"))


if __name__ == "__main__":
    main()
