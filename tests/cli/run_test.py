"""clatter run: results, options, and what happens when things go wrong."""

import hashlib
import math
import os
import resource
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

import h5py
import numpy

from program import CommandLineTest, ENDLESS, MODEL, PROGRAM, SOURCE_DIR, main


def limit_files(size):
    """To be called in the child: to it, larger files look like a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class RunTest(CommandLineTest):
    def assert_readable(self, directory, killed=False):
        """Every dataset has a finite row per time; returns the times. A process that is killed while it
        flushes may leave some datasets longer than others; the rows that all have are whole."""
        with h5py.File(self.directory / directory / "results.h5", swmr=killed) as file:
            datasets = {}
            file.visititems(lambda name, item: datasets.__setitem__(name, item)
                            if isinstance(item, h5py.Dataset) else None)
            rows = min(map(len, datasets.values())) if killed else len(file["time"])
            times = file["time"][:rows]
            for name, dataset in datasets.items():
                if not killed:
                    self.assertEqual(len(dataset), rows, name)
                self.assertTrue(numpy.isfinite(dataset[:rows]).all(), name)
            numpy.testing.assert_allclose(
                file["bodies/ball/position"][:rows, 0], numpy.cos(10 * times),
                atol=1e-2 * (1 + times[-1]))
        pvd = self.directory / directory / "frames.pvd"
        for frame in xml.etree.ElementTree.parse(pvd).iter("DataSet"):
            xml.etree.ElementTree.parse(pvd.parent / frame.get("file"))
        return times

    def wait_for_rows(self, directory):
        """Until the endless run has flushed several times; once takes less than 200 kB."""
        path = self.directory / directory / "results.h5"
        for _ in range(600):
            if path.exists() and path.stat().st_size > 600000:
                return
            time.sleep(0.05)
        self.fail("the run writes nothing")

    def test_writes_results_that_h5py_reads(self):
        output, errors = self.run_program("run", "model.toml")
        self.assertIn("finished", output)
        self.assertEqual(errors, "")
        times = self.assert_readable("model.clatter")
        numpy.testing.assert_allclose(times, 1e-3 * numpy.arange(501), atol=1e-12)
        with h5py.File(self.directory / "model.clatter/results.h5") as file:
            self.assertEqual(file.attrs["title"], "Mass on a spring")
            self.assertEqual(file.attrs["model_text"], MODEL)
            self.assertEqual(file.attrs["model_sha256"], hashlib.sha256(MODEL.encode()).hexdigest())
            self.assertEqual(file.attrs["integrator.step"], 1e-3)
            position = file["bodies/ball/position"]
            self.assertEqual(position.attrs["unit"], "m")
            self.assertEqual(list(position.attrs["components"]), ["x", "y", "z"])

    def test_summary_tells_how_it_went(self):
        self.run_program("run", "model.toml", "--set", "integrator.rho_inf=0.9")
        summary = self.summary()
        self.assertEqual(summary["status"], "finished")
        self.assertEqual(summary["steps"], 500)
        self.assertEqual(summary["samples"], 501)
        self.assertEqual(summary["model"]["overrides"], ["integrator.rho_inf=0.9"])
        self.assertEqual(summary["integrator"]["rho_inf"], 0.9)
        self.assertEqual(summary["model"]["sha256"], hashlib.sha256(MODEL.encode()).hexdigest())
        self.assertAlmostEqual(summary["energy"]["total"], 50, delta=0.5)

    def test_what_the_scheme_does_to_the_energy_is_told_when_it_is_much(self):
        output, _ = self.run_program("run", "model.toml")
        self.assertNotIn("the scheme has", output)
        # Ten steps per radian of an oscillation that the scheme keeps, then one and a scheme that damps.
        output, _ = self.run_program("run", "model.toml", "--set", "integrator.step=0.01",
                                     "--set", "integrator.duration=5")
        self.assertNotIn("the scheme has", output)
        output, _ = self.run_program("run", "model.toml", "--set", "integrator.step=0.1",
                                     "--set", "integrator.rho_inf=0", "--set", "integrator.duration=5")
        self.assertRegex(output, r"\nwarning: the scheme has taken energy, .* J beside .* J of all others, most of it between t = .* and .* s: "
                                 r"take a shorter step, or rho_inf nearer to 1\n")
        energy = self.summary()["energy"]
        self.assertGreater(energy["scheme_loss"], 0.1 * (energy["kinetic"] + energy["elastic"]))

    def test_strict_runs_fail_where_the_end_warns(self):
        self.run_program("run", "model.toml", "--strict")
        coarse = ["--set", "integrator.step=0.1", "--set", "integrator.rho_inf=0", "--set", "integrator.duration=5"]
        _, errors = self.run_program("run", "model.toml", "--strict", *coarse, expect=1)
        self.assertIn("clatter: --strict: the scheme has taken energy", errors)
        self.assertEqual(self.summary()["status"], "finished")
        self.assertIn("the scheme has taken energy", self.summary()["notices"][-1])

    def test_gaps_are_said_to_be_those_over_faces_when_faces_have_edges(self):
        point = """
[[contact]]
point = { body = "ball" }
face = { point = [0, 0, -1], normal = [0, 0, 1] }
"""
        self.write("model.toml", MODEL + point)
        output, _ = self.run_program("run", "model.toml")
        self.assertRegex(output, r"\nsmallest gap +1 ")
        self.write("model.toml", MODEL + point.replace(
            "[0, 0, 1] }", "[0, 0, 1], outline = [[-2, -2, -1], [2, -2, -1], [0, 2, -1]] }"))
        output, _ = self.run_program("run", "model.toml")
        self.assertRegex(output, r"\nsmallest gap \(over faces\) +1 ")

    def test_stops_of_a_coupler_have_results_but_no_place(self):
        gear = SOURCE_DIR / "examples/elements/rattling-gear.toml"
        self.run_program("run", gear, "--out", "gear", "--quiet", "--set", "output.contact_points=true")
        with h5py.File(self.directory / "gear/results.h5") as results:
            self.assertAlmostEqual(results["contacts/teeth.2/normal_impulse"][:].sum(), 0.288 * (1 + 0.64 + 0.64**2), 9)
        self.assertTrue((self.directory / "gear/frames.pvd").exists())
        with h5py.File(self.directory / "gear/contacts.h5") as points:
            self.assertEqual(points["gap"].shape[0], 0)

    def test_set_overrides_the_model(self):
        self.run_program("run", "model.toml", "--set", "integrator.step=1e-2",
                         "--set", "output.interval=0.1")
        numpy.testing.assert_allclose(
            self.assert_readable("model.clatter"), 0.1 * numpy.arange(6), atol=1e-12)

    def test_the_end_is_always_recorded(self):
        self.run_program("run", "model.toml", "--set", "output.interval=0.2")
        numpy.testing.assert_allclose(
            self.assert_readable("model.clatter"), [0, 0.2, 0.4, 0.5], atol=1e-12)

    def test_csv_on_request_holds_the_same_numbers(self):
        self.run_program("run", "model.toml", "--csv")
        path = self.directory / "model.clatter/results.csv"
        header = path.read_text().splitlines()[0].split(",")
        table = numpy.loadtxt(path, delimiter=",", skiprows=1)
        column = header.index("bodies/ball/position/x [m]")
        with h5py.File(self.directory / "model.clatter/results.h5") as file:
            numpy.testing.assert_array_equal(table[:, column], file["bodies/ball/position"][:, 0])
        self.run_program("run", "model.toml")
        self.assertFalse(path.exists(), "left over from the run before")

    def test_trace_shows_quadratic_convergence_in_the_step_of_an_impact(self):
        example = SOURCE_DIR / "examples/000/thirty-degree-rule.toml"
        changes = ["contact.click.friction=0.2", "contact.click.restitution=0.94", "integrator.islands=false",
                   "integrator.duration=0.03"]
        self.run_program("run", str(example), "--quiet", "--out", "out", "--trace", "0.0278:0.0278",
                     *[word for change in changes for word in ("--set", change)])
        lines = (self.directory / "out/newton.csv").read_text().splitlines()
        self.assertEqual(lines[0], "time,problem,islands,update,halvings,momentum,rows,merit")
        rows = [line.split(",") for line in lines[1:]]
        self.assertEqual({row[0] for row in rows}, {"0.0278"})
        merits = [float(row[7]) for row in rows if row[1] == "velocity"]
        # Order 2, as soon as the active sets are found: the last three residuals, above round-off.
        order = math.log(merits[-1] / merits[-2]) / math.log(merits[-2] / merits[-3])
        self.assertGreater(order, 1.7)

    def test_trace_of_no_times_is_refused(self):
        _, errors = self.run_program("run", "model.toml", "--trace", "now", expect=1)
        self.assertIn("--trace now: give the times", errors)

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.run_program("run", "model.toml", "--quiet"), ("", ""))

    def test_frames_can_be_switched_off_and_spaced(self):
        self.run_program("run", "model.toml", "--set", "output.frame_interval=0.1")
        frames = list((self.directory / "model.clatter/frames").iterdir())
        self.assertEqual(len(frames), 6)
        self.run_program("run", "model.toml", "--set", "output.paraview=false")
        self.assertFalse((self.directory / "model.clatter/frames.pvd").exists())

    def test_overwrites_its_own_results_but_no_other_directory(self):
        self.run_program("run", "model.toml", "--out", "results")
        self.run_program("run", "model.toml", "--out", "results", "--set", "integrator.step=1e-2")
        self.assertEqual(len(self.assert_readable("results")), 51)
        (self.directory / "mine").mkdir()
        self.write("mine/thesis.tex", "precious")
        _, errors = self.run_program("run", "model.toml", "--out", "mine", expect=1)
        self.assertIn("mine", errors)
        self.assertEqual(os.listdir(self.directory / "mine"), ["thesis.tex"])

    def test_directory_that_cannot_be_written_is_one_clear_message(self):
        for out in ["model.toml/results", "/proc/clatter-results"]:
            _, errors = self.run_program("run", "model.toml", "--out", out, expect=1)
            self.assertIn(out, errors)
            self.assertEqual(errors.count("\n"), 1, errors)

    def test_ctrl_c_and_termination_leave_complete_files(self):
        self.write("endless.toml", ENDLESS)
        for number in [signal.SIGINT, signal.SIGTERM]:
            process = self.start("run", "endless.toml", "--csv")
            time.sleep(1.0)
            process.send_signal(number)
            output, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, errors)
            self.assertIn("interrupted", output)
            times = self.assert_readable("endless.clatter")
            summary = self.summary("endless.clatter")
            self.assertEqual(summary["status"], "interrupted")
            self.assertEqual(summary["samples"], len(times))
            self.assertEqual(summary["time"], times[-1])

    def test_what_was_flushed_survives_a_kill(self):
        self.write("endless.toml", ENDLESS)
        process = self.start("run", "endless.toml")
        self.wait_for_rows("endless.clatter")
        process.kill()
        process.communicate()
        self.assertGreater(len(self.assert_readable("endless.clatter", killed=True)), 0)
        self.assertEqual(self.summary("endless.clatter")["status"], "running")
        # And the directory is still known as one that may be overwritten.
        self.run_program("run", "model.toml", "--out", "endless.clatter")

    def test_full_disk_stops_the_run_and_keeps_what_was_written(self):
        self.write("endless.toml", ENDLESS)
        _, errors = self.run_program("run", "endless.toml", "--quiet", expect=1,
                                     preexec_fn=lambda: limit_files(2000000))
        self.assertIn("results.h5", errors)
        self.assertIn("File too large", errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        times = self.assert_readable("endless.clatter")
        self.assertGreater(len(times), 1000)
        summary = self.summary("endless.clatter")
        self.assertEqual(summary["status"], "failed")
        self.assertEqual(summary["samples"], len(times))

    @unittest.skipUnless(os.geteuid() == 0 and sys.platform == "linux", "needs to mount a file system")
    def test_full_file_system_stops_the_run_and_keeps_what_was_written(self):
        self.write("endless.toml", ENDLESS)
        disk = self.directory / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", disk],
                                 capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("mounting is not allowed here")
        try:
            _, errors = self.run_program("run", "endless.toml", "--out", "disk/results", "--csv",
                                         "--quiet", expect=1)
            self.assertIn("disk/results", errors)
            self.assertIn("No space left on device", errors)
            self.assertGreater(len(self.assert_readable("disk/results")), 100)
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_reader_of_the_output_may_go_away(self):
        with open("/dev/full", "w") as full:
            process = subprocess.run([PROGRAM, "run", "model.toml"], cwd=self.directory, stdout=full)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.summary()["status"], "finished")


main()
