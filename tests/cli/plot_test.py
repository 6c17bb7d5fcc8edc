"""clatter plot: drawings of stored runs."""

import math
import re
import shutil
import xml.etree.ElementTree

from program import CommandLineTest, main


class PlotTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.run_program("run", "model.toml", "--quiet")

    def curves(self, name):
        """All curves of an SVG file as lists of points; those of the legend are short lines."""
        root = xml.etree.ElementTree.parse(self.directory / name).getroot()
        paths = [e.get("d") for e in root.iter() if e.get("class") == "curve"]
        return [[tuple(map(float, p.split())) for p in re.split("[ML]", d) if p]
                for d in paths if "h" not in d]

    def test_svg_shows_the_oscillation_of_the_model(self):
        output, _ = self.run_program("plot", "model.clatter", "bodies/ball/position/x", "-o", "plot.svg")
        self.assertIn("1 curve in plot.svg", output)
        (curve,) = self.curves("plot.svg")
        # Time runs from 0 to 0.5 s over 17 mm to 156 mm; x = cos(10 t) first is 0 at pi/20 s. A sample is 1 ms.
        heights = [y for _, y in curve]
        middle = (min(heights) + max(heights)) / 2
        crossing = next(x for x, y in curve if y >= middle)
        self.assertAlmostEqual(crossing, 17 + 139 * (math.pi / 20) / 0.5, delta=139 * 0.001 / 0.5 + 0.01)
        highest = min(curve, key=lambda point: point[1])
        self.assertAlmostEqual(highest[0], 17, delta=0.01)

    def test_units_have_panels_of_their_own_and_runs_lie_over_each_other(self):
        shutil.copytree(self.directory / "model.clatter", self.directory / "other")
        self.run_program("plot", "model.clatter", "bodies/ball/position/x", "energy/total", "--with", "other",
                         "-o", "plot.svg")
        curves = self.curves("plot.svg")
        self.assertEqual(len(curves), 4)
        self.assertEqual(curves[0], curves[1])
        self.assertNotEqual(curves[0], curves[2])

    def test_terminal_has_braille_letters_and_the_limits(self):
        output, _ = self.run_program("plot", "model.clatter", "bodies/ball/position/x", "--to", "0.3")
        self.assertRegex(output, "[\u2801-\u28ff]")
        self.assertRegex(output, r"\n +1 │")
        self.assertIn("0.3  time [s]", output)

    def test_one_channel_can_be_drawn_against_another(self):
        self.run_program("plot", "model.clatter", "bodies/ball/velocity/x", "--against",
                         "bodies/ball/position/x", "-o", "plot.svg")
        (curve,) = self.curves("plot.svg")
        self.assertGreater(curve[0][0], 150)  # it begins at x = 1, the right edge

    def test_mistakes_are_said_in_a_sentence(self):
        _, errors = self.run_program("plot", "model.clatter", "energy/totl", expect=1)
        self.assertIn("no channel is named 'energy/totl'; did you mean 'energy/total'?", errors)
        _, errors = self.run_program("plot", "model.clatter", "energy/total", "-o", "plot.bmp", expect=1)
        self.assertIn("plots are written as .svg or .pdf", errors)
        _, errors = self.run_program("plot", "nowhere", "energy/total", expect=1)
        self.assertIn("there is no such file", errors)
        _, errors = self.run_program("plot", "model.clatter", "energy/total", "-o", "plot.pdf", expect=1,
                                     env={"PATH": ""})
        self.assertIn("rsvg-convert, which is not installed (Debian package librsvg2-bin)", errors)
        self.assertFalse((self.directory / "plot.pdf.svg").exists())


if __name__ == "__main__":
    main()
