"""Loads and stresses of ball bearings: 000/ball-bearing, contact/bearing-load and contact/thrust-bearing.

Two balls carry the inner race between them: two equations of equilibrium, without any stiffness. Where
all balls take part, Stribeck's and Harris' sums over them, each two contacts F = K d^1.5 in series, are
solved for the displacement of the inner race. Stresses by Hertz, over ellipses, with complete elliptic
integrals of scipy; those below the middle of the ellipse are integrated numerically, and searched for the
largest. Thrust presses all balls alike: it shifts the centres of the two grooves until a ball, stretched out
between them, has its share along its contact angle. Under long ellipses shear is 0.300 of the pressure, as for rollers.
"""

import math

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ellipe, ellipk


class Hertz:
    """Two bodies of one material; curvatures A <= B are half the sums of the principal ones."""

    def __init__(self, modulus, poisson, A, B):
        self.poisson = poisson
        self.delta = 2 * (1 - poisson**2) / modulus / (A + B)

        def ratio(k):
            m = 1 - k * k
            return (ellipe(m) / k**2 - ellipk(m)) / (ellipk(m) - ellipe(m)) - B / A

        self.k = k = brentq(ratio, 1e-5, 0.999)
        self.E, self.K = ellipe(1 - k * k), ellipk(1 - k * k)
        self.c_b = (3 * k * self.E / (2 * math.pi))**(1 / 3)
        c_d = 1.5 * k * self.K
        self.stiffness = (self.c_b / c_d * math.pi / (A + B) * self.delta**(-2 / 3))**1.5

    def minor(self, force):
        return self.c_b * (force * self.delta)**(1 / 3)

    def pressure(self, force):
        return self.minor(force) / self.delta / self.E

    def below(self, force, z):
        """Stresses along the long axis, the short one and inwards, under the middle."""
        b = self.minor(force)
        a, p, nu = b / self.k, self.pressure(force), self.poisson
        # Integrals over s > z, in terms of the short axis and piece by piece: the long one is far.
        def integral(f):
            ends = [z / b, z / b + 3, z / b + 3 / self.k]
            pieces = [(ends[0], ends[1]), (ends[1], ends[2]), (ends[2], math.inf)]
            return sum(quad(lambda x: f(b * x) * b**4, *piece, epsrel=1e-10)[0] for piece in pieces) / b**3

        S = math.sqrt((a * a + z * z) * (b * b + z * z))
        i_a = integral(lambda s: 1 / ((a * a + s * s)**1.5 * (b * b + s * s)**0.5))
        i_b = integral(lambda s: 1 / ((a * a + s * s)**0.5 * (b * b + s * s)**1.5))
        j_a = 2 / (a * a + z * z + S) - 2 * z * i_a
        j_b = 2 / (b * b + z * z + S) - 2 * z * i_b
        common = -2 * nu * (2 / S - 2 * z * (i_a + i_b))
        x = p * a * b / 2 * (common + 2 * z * i_a - (1 - 2 * nu) * j_a)
        y = p * a * b / 2 * (common + 2 * z * i_b - (1 - 2 * nu) * j_b)
        return x, y, -p * a * b / S

    def largest(self, force, stress):
        b = self.minor(force)
        found = minimize_scalar(lambda z: -stress(*self.below(force, z)), bounds=(0.05 * b, 3 * b),
                                method="bounded", options={"xatol": 1e-9 * b})
        return -found.fun


def von_mises(x, y, z):
    return math.sqrt(0.5 * ((x - y)**2 + (y - z)**2 + (z - x)**2))


def shear(x, y, z):
    return 0.5 * (max(x, y, z) - min(x, y, z))


# Table 4.1 of 000, with the modulus that its stresses tell.
BALL, INNER, GROOVE = 0.00396875, 0.01277125, 0.00397875
RACE = Hertz(200e9, 0.3, 0.5 / BALL - 0.5 / GROOVE, 0.5 / BALL + 0.5 / INNER)


def stribeck(balls, clearance, load, stiffness):
    """Shares of the balls, the first in the direction of the load."""
    angles = 2 * math.pi * np.arange(balls) / balls

    def shares(d):
        depth = np.maximum((clearance + d) * np.cos(angles) - clearance, 0)
        return stiffness * (depth / 2)**1.5

    d = brentq(lambda x: shares(x) @ np.cos(angles) - load, 0, 1e-3, xtol=1e-18)
    return shares(d)


def thrust(balls, play, apart, load, stiffness):
    """Shift of the shaft, contact angle and force of a ball; grooves are curved about circles `apart`."""
    def state(z):
        way = math.hypot(apart - play, z)
        return way, z / way, stiffness * max(0.0, 0.5 * (way - apart))**1.5

    shift = brentq(lambda z: balls * state(z)[2] * state(z)[1] - load, 0, apart, xtol=1e-18)
    _, sine, force = state(shift)
    return shift, math.asin(sine), force


def rows():
    model, ball6 = "000/ball-bearing.toml", "contacts/bearing.ball6.inner/"
    bottom = {"at": 0.0393}  # 100 N to 0.05 %
    yield model, ball6 + "recovered_minor_axis", bottom, RACE.minor(100)
    yield model, ball6 + "recovered_pressure", bottom, RACE.pressure(100)
    yield model, ball6 + "recovered_shear", bottom, RACE.largest(100, shear)
    yield model, ball6 + "recovered_von_mises", bottom, RACE.largest(100, von_mises)
    model = "contact/bearing-load.toml"
    for count in (8, 12, 20):
        for clearance in (0, 1e-5):
            changes = [] if count == 8 else [f"bearing.bearing.count={count}"]
            changes += [] if clearance == 0 else [f"bearing.bearing.clearance={clearance:g}"]
            shares = stribeck(count, clearance, 1000, 7e10)
            for ball in (1, 2):
                key = {"at": 0.02, "set": changes}
                yield model, f"contacts/bearing.ball{ball}.inner/shared_force", key, shares[ball - 1]
    model = "contact/thrust-bearing.toml"
    for load in (100, 1000):
        changes = [] if load == 100 else [f"load.thrust.force=[0, 0, {load}]"]
        shift, angle, force = thrust(9, 1e-5, 2 * (0.00412 - 0.004), load, 7e10)
        yield model, "bodies/shaft/position/z", {"at": 0.05, "set": changes}, shift
        yield model, "bearings/bearing/inner_contact_angle/1", {"at": 0.05, "set": changes}, angle
        yield model, "bearings/bearing/inner_force/1", {"at": 0.05, "set": changes}, force


if __name__ == "__main__":
    print(f"k {RACE.k:.5f}, c_b {RACE.c_b:.4f}, K {RACE.stiffness:.4g}")
    for row in rows():
        print(*row)
