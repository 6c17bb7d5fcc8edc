"""beams/bend-45: the equations of the rod as an initial value problem, and shooting.

Along the rod, with the directors d_k of the section (d_1 along the line), the force f is constant
and the moment follows m' = -r' x f. Strains: r' = d_1 + C_F^-1 f, curvatures C_M^-1 m beyond those
of the unloaded arc. The moment at the clamp is such that it vanishes at the tip.
"""

import math

import numpy
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

LENGTH, ARC = 78.53981633974483, numpy.array([0.0, 0.0, -0.01])
FORCE_STIFFNESS = numpy.array([1e7, 5e6, 5e6])  # E A and twice G A
MOMENT_STIFFNESS = numpy.array([5e6 / 6, 1e7 / 12, 1e7 / 12])  # G J and twice E I
START = numpy.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])  # directors as columns: d_1 along y
MODEL = "beams/bend-45.toml"


def tip(load):
    force = numpy.array([0, 0, load])

    def rate(_, y):
        directors, moment = y[3:12].reshape(3, 3), y[12:]
        strain = directors.T @ force / FORCE_STIFFNESS + numpy.array([1, 0, 0])
        bend = directors.T @ moment / MOMENT_STIFFNESS + ARC
        r = directors @ strain
        turn = numpy.array([[0, -bend[2], bend[1]], [bend[2], 0, -bend[0]],
                            [-bend[1], bend[0], 0]])
        return numpy.concatenate([r, (directors @ turn).ravel(), -numpy.cross(r, force)])

    def shoot(moment):
        return solve_ivp(rate, (0, LENGTH), [0, 0, 0, *START.ravel(), *moment], method="DOP853",
                         rtol=1e-11, atol=1e-12).y[:, -1]

    unloaded = numpy.array([100 * (1 - math.cos(math.pi / 4)), 100 * math.sin(math.pi / 4), 0])
    moment = numpy.cross(unloaded, force) * 0
    for part in (0.25, 0.5, 0.75, 1.0):  # the load grows, so that each start is near
        force = numpy.array([0, 0, load * part])
        moment = fsolve(lambda m: shoot(m)[12:] / (1 + load), moment, xtol=1e-13)
    return shoot(moment)[:3]


def rows():
    for load, changes in ((600.0, []), (300.0, ["load.tip.force=[0, 0, 300]"])):
        for name, value in zip("xyz", tip(load)):
            yield (MODEL, f"beams/bend/position/64/{name}", {"at": 0, "set": changes}, value)
