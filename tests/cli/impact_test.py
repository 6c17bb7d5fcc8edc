"""impact: one collision under continuous force laws, beside an integration of the same laws by another program."""

import json
import math

from scipy.integrate import solve_ivp

from program import CommandLineTest, main

# The damping factor chi = D v/K of each law, from its publication.
FACTORS = {
    "hunt-crossley": lambda e: 3 * (1 - e) / 2,
    "lankarani-nikravesh": lambda e: 3 * (1 - e * e) / 4,
    "hu": lambda e: -6.66264 * math.log(e) / (3.85238 + math.log(e)),
    "flores": lambda e: 8 * (1 - e) / (5 * e),
    "zhang": lambda e: 3 * (1 - e) / (2 * e * (0.6181 * math.exp(-3.52 * e) + 0.899 * math.exp(0.09025 * e))),
    "hertz": lambda e: 0.0,
}


def integrate(mass, speed, stiffness, exponent, chi):
    """Largest force, duration and restitution of m x'' = -K x^n (1 + chi x'/v)."""
    # Scaled, so that tolerances mean something.
    def force(x, v):
        return max(x, 0.0)**exponent * (1 + chi * v)

    def part(_, y):
        return y[0]

    part.terminal, part.direction = True, -1
    done = solve_ivp(lambda _, y: [y[1], -force(*y)], (0, 1e3), [0.0, 1.0], "DOP853", events=part, rtol=1e-11,
                     atol=1e-13, max_step=0.01)
    length = (mass * speed**2 / stiffness)**(1 / (exponent + 1))
    peak = max(force(x, v) for x, v in done.y.T)
    return stiffness * length**exponent * peak, length / speed * done.t_events[0][0], -done.y_events[0][0][1]


class ImpactTest(CommandLineTest):
    def run_impact(self, *options, **how):
        return self.run_program("impact", *map(str, options), **how)

    def impacts(self, *options):
        output, _ = self.run_impact(*options, "--json")
        return {entry["law"]: entry for entry in json.loads(output)}

    def test_laws_agree_with_another_integration(self):
        mass, speed, stiffness = 1.0, 4.427, 1.4e8
        for e in (0.9, 0.6, 0.2):
            entries = self.impacts("--mass", mass, "--speed", speed, "--stiffness", stiffness, "--restitution", e)
            for law, factor in FACTORS.items():
                peak, duration, restitution = integrate(mass, speed, stiffness, 1.5, factor(e))
                # Points of the other curve are up to 0.01 apart, its top is off by the square of that.
                self.assertAlmostEqual(entries[law]["peak"] / peak, 1, delta=1e-4)
                self.assertAlmostEqual(entries[law]["duration"] / duration, 1, delta=1e-6)
                self.assertAlmostEqual(entries[law]["restitution"], restitution, delta=1e-7)
            self.assertAlmostEqual(entries["exact"]["restitution"], e, delta=1e-9)
            self.assertAlmostEqual(entries["kelvin-voigt"]["restitution"], e, delta=1e-9)

    def test_two_masses_are_reduced(self):
        both = self.impacts("--mass", 0.2, 0.3, "--speed", 1, "--stiffness", 1e8, "--law", "hertz")
        one = self.impacts("--mass", 0.12, "--speed", 1, "--stiffness", 1e8, "--law", "hertz")
        self.assertAlmostEqual(both["hertz"]["peak"], one["hertz"]["peak"], delta=1e-9)

    def test_radii_and_moduli_give_stiffness_and_stresses(self):
        output, _ = self.run_impact("--mass", 0.1, "--speed", 1, "--radius", 0.02, "--modulus", 2.1e11,
                                     "--law", "hertz", "--strength", 5e8)
        self.assertIn("pressure in the middle", output)
        self.assertIn("the body yields", output)
        stiffness = 4 / 3 * math.sqrt(0.02) / (2 * 0.91 / 2.1e11)
        by_radius = self.impacts("--mass", 0.1, "--speed", 1, "--radius", 0.02, "--modulus", 2.1e11, "--law", "hertz")
        by_stiffness = self.impacts("--mass", 0.1, "--speed", 1, "--stiffness", stiffness, "--law", "hertz")
        self.assertAlmostEqual(by_radius["hertz"]["peak"] / by_stiffness["hertz"]["peak"], 1, delta=1e-9)

    def test_curve_is_a_table_of_the_impact(self):
        self.run_impact("--mass", 1, "--speed", 1, "--stiffness", 1e8, "--law", "flores", "--restitution", 0.5,
                         "--curve", "curve.csv")
        lines = (self.directory / "curve.csv").read_text().splitlines()
        self.assertEqual(lines[0], "time [s],depth [m],rate [m/s],force [N],impulse [N s]")
        rows = [[float(word) for word in line.split(",")] for line in lines[1:]]
        self.assertEqual(rows[0][:4], [0, 0, 1, 0])
        passed = sum(0.5 * (a[3] + b[3]) * (b[0] - a[0]) for a, b in zip(rows, rows[1:]))
        self.assertAlmostEqual(passed / rows[-1][4], 1, delta=1e-4)  # 200 points, trapezoids

    def test_what_does_not_fit_together_is_refused(self):
        start = ["--mass", 1, "--speed", 1]
        for more, words in ((["--radius", 0.1], "--modulus"), ([], "--stiffness"),
                            (["--stiffness", 1e8, "--radius", 0.1, "--modulus", 1e9], "not both"),
                            (["--radius", 0.1, -0.05, "--modulus", 1e9], "hollow"),
                            (["--stiffness", 1e8, "--curve", "c.csv"], "one --law")):
            _, errors = self.run_impact(*start, *more, expect=1)
            self.assertIn(words, errors)
        self.run_impact(*start, "--stiffness", 1e8, "--restitution", 0, expect=2)


if __name__ == "__main__":
    main()
