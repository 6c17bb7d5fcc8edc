"""Loads on the rollers of a bearing: contact/roller-bearing.

Lines by Palmgren's formula, F = L^0.8/0.9 power law with the exponent 10/9, two of them one after the
other for each roller. The inner race moves and tilts until their forces and moments are those of the load;
the line is cut into many slices of equal stiffness per length, where the model has a few stations. Harris'
integral, over rollers without number, goes with the same exponent. Everything is solved for equilibrium
in one plane, without any dynamics.
"""

import math

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, fsolve

COUNT, RADIUS, PITCH, LENGTH, LOAD = 12, 0.004, 0.03, 0.01, 5000
MODULUS, POISSON = 2.06e11, 0.3
SOFTNESS = 2 * (1 - POISSON**2) / MODULUS
EXPONENT = 10 / 9
STIFFNESS = (LENGTH**0.8 / (1.36 * SOFTNESS**0.9))**EXPONENT
SLICES = 2000
ALONG = LENGTH * ((np.arange(SLICES) + 0.5) / SLICES - 0.5)
ANGLES = 2 * math.pi * np.arange(COUNT) / COUNT


def lines(clearance, shift, tilt):
    """Forces and moments of the rollers, the first in the direction of the load."""
    # Where a shaft that tilts has come along the axis, at the rollers.
    along = ALONG + np.outer(tilt * PITCH * np.cos(ANGLES), np.ones(SLICES))
    depth = np.cos(ANGLES)[:, None] * (clearance + shift + tilt * along) - clearance
    pressed = STIFFNESS / SLICES * (np.maximum(depth, 0) / 2)**EXPONENT
    return pressed.sum(axis=1), pressed @ ALONG


def balance(clearance, arm):
    """Of a load that acts `arm` beside the middle of the rollers."""
    def rest(x):
        forces, moments = lines(clearance, 1e-5 * x[0], 1e-3 * x[1])
        moments = moments + forces * 1e-3 * x[1] * PITCH * np.cos(ANGLES)  # about the middle of the shaft
        return [forces @ np.cos(ANGLES) / LOAD - 1, (moments @ np.cos(ANGLES) / LOAD - arm) / LENGTH]

    x, _, found, _ = fsolve(rest, [1.0, 0.1 * math.copysign(1, arm) if arm else 0.0], xtol=1e-13, full_output=True)
    assert found == 1
    return 1e-5 * x[0], 1e-3 * x[1], lines(clearance, 1e-5 * x[0], 1e-3 * x[1])


def harris(clearance):
    """The largest force by the integral over the zone that is loaded."""
    def largest(shift):
        return STIFFNESS * (shift / 2)**EXPONENT

    def load(shift):
        reach = math.acos(clearance / (clearance + shift))
        epsilon = 0.5 * (1 - clearance / (clearance + shift))
        zone = quad(lambda a: max(0.0, 1 - (1 - math.cos(a)) / (2 * epsilon))**EXPONENT * math.cos(a), -reach, reach)
        return COUNT * largest(shift) * zone[0] / (2 * math.pi)

    return largest(brentq(lambda s: load(s) - LOAD, 1e-9, 1e-3, xtol=1e-16))


def rows():
    model, force = "contact/roller-bearing.toml", "bearings/bearing/inner_force/"
    for clearance in (0, 1e-5):
        changes = ["bearing.bearing.clearance=1e-5"] if clearance else []
        _, _, (forces, _) = balance(clearance, 0.0)
        for roller in (1, 2):
            yield model, f"{force}{roller}", {"at": 1e-3, "set": changes}, forces[roller - 1]
    shift, tilt, (forces, moments) = balance(0, 5e-4)
    gives_way = ["bearing.bearing.compliance.materials=[\"steel\", \"steel\"]", "bearing.bearing.compliance.slow_speed=0.1", "bearing.bearing.stations=5",
                 "load.load.point=[0, 0, 5e-4]", "bearing.bearing.restitution=0.05",
                 "bearing.bearing.recover.share=false"]
    key = {"at": 0.02, "set": gives_way}
    yield model, "bodies/shaft/position/y", key, -shift
    yield model, "bodies/shaft/orientation/x", key, math.sin(0.5 * tilt)
    yield model, "bearings/bearing/outer_moment/1", key, moments[0]
    yield model, force + "1", key, forces[0]


if __name__ == "__main__":
    for clearance in (0, 1e-5):
        print(f"clearance {clearance}: {harris(clearance):.6g} N by Harris' integral, "
              f"{harris(clearance) * COUNT / LOAD:.4f} of the mean load")
    for row in rows():
        print(*row)
