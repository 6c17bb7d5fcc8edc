"""clatter run with a crowd of bodies: tables of all, pictures by instances, and sizes that must be asked for."""

import h5py
import numpy

from program import CommandLineTest, main

# Balls that fly apart and turn; the first is at rest in its place.
CROWD = """\
gravity = [0, 0, -9.81]

[[body]]
name = "grain"
density = 2500
shape = { kind = "sphere", radius = 0.01 }
repeat = { count = [5, 5, 8], spacing = [0.1, 0.2, 0.3] }
velocity = [1, 2, 3]
angular_velocity = [0, 0, 2]

[integrator]
step = 1e-3
duration = 1
"""


class CrowdTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("crowd.toml", CROWD)

    def size_of(self, directory):
        return sum(file.stat().st_size for file in (self.directory / directory).rglob("*") if file.is_file())

    def test_two_hundred_balls_write_less_than_twenty_megabytes(self):
        self.run_program("run", "crowd.toml")
        self.assertLess(self.size_of("crowd.clatter"), 20e6)
        with h5py.File(self.directory / "crowd.clatter/results.h5") as file:
            time = file["time"][:]
            position = file["crowd/position"][:]
            names = list(file["crowd/position"].attrs["names"])
            self.assertEqual(position.shape, (501, 200, 3))
            self.assertEqual(file["crowd/orientation"].shape, (501, 200, 4))
            self.assertNotIn("bodies", file)
            # The same throw for all, from places of their own.
            way = position - position[0]
            numpy.testing.assert_allclose(way[:, :, 0], time[:, None] * numpy.ones(200), atol=1e-9)
            numpy.testing.assert_allclose(
                way[:, :, 2], (3 * time - 9.81 * time**2 / 2)[:, None] * numpy.ones(200), atol=1e-5)
            self.assertEqual(len(set(names)), 200)
            numpy.testing.assert_allclose(numpy.ptp(position[0], axis=0), [0.4, 0.8, 2.1])
            # Half of the turn of 2 rad in the end.
            numpy.testing.assert_allclose(numpy.abs(file["crowd/orientation"][-1, :, 0]), numpy.cos(1), atol=1e-6)
            last = names[-1]
        frames = sorted((self.directory / "crowd.clatter/crowd").glob("*.vtp"))
        self.assertEqual(len(frames), 201)
        # Who reads channels finds each body under its name.
        output, _ = self.run_program("plot", "crowd.clatter", f"bodies/{last}/position/z")
        self.assertIn(f"bodies/{last}/position/z", output)

    def test_a_run_starts_from_a_crowd(self):
        self.run_program("run", "crowd.toml", "--out", "first")
        self.run_program("run", "crowd.toml", "--out", "second", "--from", "first@0.5")
        with h5py.File(self.directory / "first/results.h5") as first, \
                h5py.File(self.directory / "second/results.h5") as second:
            for quantity in ("position", "velocity", "orientation", "angular_velocity"):
                numpy.testing.assert_allclose(second["crowd/" + quantity][0], first["crowd/" + quantity][250],
                                              atol=1e-12, err_msg=quantity)

    def test_what_may_fill_a_disk_is_asked_for(self):
        self.write("many.toml", CROWD.replace("[5, 5, 8]", "[25, 40, 80]"))
        _, errors = self.run_program("run", "many.toml", "--out", "none", expect=1)
        self.assertRegex(errors, r"would take about \d+\.\d GB.*80000 bodies.*--large.*output\.interval")
        self.assertFalse((self.directory / "none/results.h5").exists())


if __name__ == "__main__":
    main()
