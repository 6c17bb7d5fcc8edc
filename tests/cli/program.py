"""Runs the program for the tests of the command line: SCRIPT PROGRAM SOURCE_DIR [unittest options]."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE_DIR = pathlib.Path(sys.argv[2]).resolve()

# A mass on a spring; every step is a sample.
MODEL = """\
title = "Mass on a spring"

[[body]]
name = "ball"
kind = "point"
mass = 1
position = [1, 0, 0]

[[spring]]
name = "spring"
kind = "linear"
b = { body = "ball" }
axis = [1, 0, 0]
stiffness = 100
rest_length = 0

[integrator]
step = 1e-3
duration = 0.5

[[verify]]
source = "test"
example = "oscillator"
quantity = "bodies/ball/position/x"
oracle = "cos(5)"
oracle_kind = "closed form"
tolerance = 1e-3
"""

# The same for longer than any test wants to wait.
ENDLESS = MODEL.replace("duration = 0.5", "duration = 1e6") + """
[output]
interval = 1e-3
frame_interval = 10
"""


# A steel rod along x, and a clamp of its start.
ROD = """
[[beam]]
name = "rod"
points = [[0, 0, 0], [1, 0, 0]]
elements = 20
section = { kind = "rectangle", width = 0.02, height = 0.01 }
youngs_modulus = 2.1e11
shear_modulus = 8e10
density = 7850
"""
CLAMP = """
[[joint]]
name = "clamp"
kind = "fixed"
a = "ground"
b = "rod.0"
point = [0, 0, 0]
"""


class CommandLineTest(unittest.TestCase):
    """Each test has a directory of its own, with model.toml in it."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="clatter-")
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        self.write("model.toml", MODEL)

    def write(self, name, text):
        (self.directory / name).write_text(text)

    def start(self, *arguments, **options):
        return subprocess.Popen(
            [PROGRAM, *arguments], cwd=self.directory, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def run_program(self, *arguments, expect=0, **options):
        """Returns stdout and stderr; fails the test when the exit status is not as expected."""
        process = self.start(*arguments, **options)
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, expect, output + errors)
        return output, errors

    def summary(self, directory="model.clatter"):
        return json.loads((self.directory / directory / "summary.json").read_text())


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
