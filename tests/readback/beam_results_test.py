"""Results of a beam with very many nodes, as h5py, csv and an XML parser read them."""

import base64
import csv
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import h5py
import numpy

# HDF5 keeps 64 KiB about an object in its header. The names of 4 x 1301 components are more.
ELEMENTS = 1300
MODEL = f"""\
[[beam]]
name = "rod"
kind = "spatial"
points = [[0, 0, 0], [{ELEMENTS}, 0, 0]]
elements = {ELEMENTS}
section = {{ kind = "rectangle", width = 0.2, height = 0.4 }}
youngs_modulus = 1e9
shear_modulus = 1e9
density = 1000
velocity = [2, 0, 0]

[[beam]]
name = "arc"
kind = "planar"
start = [0, 5]
direction = [1, 0]
length = 2
curvature = 0.5
elements = 4
section = {{ kind = "circle", radius = 0.1 }}
youngs_modulus = 1e9
shear_modulus = 1e9
density = 1000

[integrator]
step = 1e-3
duration = 2e-3

[[verify]]
source = "test"
example = "flight"
quantity = "beams/rod/position/{ELEMENTS}/x"
oracle = "{ELEMENTS} + 2 * 2e-3"
oracle_kind = "closed form"
tolerance = 1e-8
"""


def numbers(array):
    """Of a binary DataArray: the size in eight bytes, then the numbers."""
    data = base64.b64decode(array.text)
    kind = {"Float32": numpy.float32, "Int32": numpy.int32}[array.get("type")]
    values = numpy.frombuffer(data, kind, offset=8)
    assert int.from_bytes(data[:8], "little") == values.nbytes
    return values.reshape(-1, int(array.get("NumberOfComponents")))


class BeamResultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="clatter-")
        cls.addClassCleanup(temporary.cleanup)
        cls.directory = pathlib.Path(temporary.name)
        (cls.directory / "model.toml").write_text(MODEL)
        cls.run_program("run", "model.toml", "--csv")
        cls.results = cls.directory / "model.clatter"

    @classmethod
    def run_program(cls, *arguments):
        subprocess.run([os.environ["CLATTER_PROGRAM"], *arguments], cwd=cls.directory, check=True,
                       stdout=subprocess.DEVNULL)

    def test_h5py_reads_values_and_names_of_all_nodes(self):
        with h5py.File(self.results / "results.h5") as file:
            rod = file["beams/rod"]
            self.assertEqual(rod["position"].shape, (3, 3 * (ELEMENTS + 1)))
            expected = numpy.zeros((ELEMENTS + 1, 3))
            expected[:, 0] = numpy.arange(ELEMENTS + 1) + 2 * 2e-3
            numpy.testing.assert_allclose(rod["position"][-1].reshape(-1, 3), expected, atol=1e-8)
            names = rod["orientation"].attrs["components"]
            self.assertEqual(list(names),
                             [f"{n}/{c}" for n in range(ELEMENTS + 1) for c in "wxyz"])
            self.assertEqual(rod["axial_force"].attrs["unit"], "N")
            self.assertEqual(list(rod["axial_force"].attrs["components"]),
                             [str(e + 1) for e in range(ELEMENTS)])
            self.assertEqual(len(rod), 16)
            self.assertEqual(sorted(file["beams/arc"]), sorted(
                ["position", "angle", "velocity", "angular_velocity", "axial_force", "shear_force_y",
                 "bending_moment_z", "axial_strain", "shear_strain_y", "curvature_z"]))
            numpy.testing.assert_allclose(file["beams/arc/angle"][0], [0, 0.25, 0.5, 0.75, 1],
                                          atol=1e-14)

    def test_csv_has_the_same_columns(self):
        with open(self.results / "results.csv", newline="") as file:
            lines = list(csv.reader(file))
        self.assertEqual({len(line) for line in lines}, {len(lines[0])})
        column = lines[0].index(f"beams/rod/position/{ELEMENTS}/x [m]")
        with h5py.File(self.results / "results.h5") as file:
            position = file["beams/rod/position"][:, 3 * ELEMENTS]
        self.assertEqual([float(line[column]) for line in lines[1:]], list(position))
        self.assertIn("beams/arc/curvature_z/4 [1/m]", lines[0])

    def test_frames_are_whole(self):
        list_of_frames = xml.etree.ElementTree.parse(self.results / "frames.pvd")
        for frame in list_of_frames.iter("DataSet"):
            piece = xml.etree.ElementTree.parse(self.results / frame.get("file")).find(".//Piece")
            points = int(piece.get("NumberOfPoints"))
            # Two outlines per element and the nodes; a circle has twelve points.
            self.assertEqual(points, 8 * ELEMENTS + ELEMENTS + 1 + 24 * 4 + 5)
            data = {array.get("Name"): numbers(array) for array in piece.find("PointData")}
            for name, values in data.items():
                self.assertEqual(len(values), points, name)
            for name in ("section_force", "section_moment", "strain", "curvature"):
                self.assertEqual(data[name].shape, (points, 3))
            self.assertEqual(set(data["kind"].flat), {3})
            for cells, count in (("Lines", 2), ("Polys", 4 * ELEMENTS + 2 + 12 * 4 + 2)):
                connectivity, offsets = map(numbers, piece.find(cells))
                self.assertEqual(len(offsets), count)
                self.assertEqual(offsets[-1], len(connectivity))
                self.assertTrue(((connectivity >= 0) & (connectivity < points)).all())

    def test_verification_finds_nodes(self):
        self.run_program("verify", "model.toml")


if __name__ == "__main__":
    unittest.main(verbosity=2)
