"""smooth/heavy-top: Euler's equations about the tip, and quaternions, by Runge-Kutta."""

import numpy
from scipy.integrate import solve_ivp

MASS, GRAVITY = 15.0, 9.81
INERTIA = numpy.array([0.234375 + 15.0, 0.46875, 0.234375 + 15.0])  # about the tip
CENTRE = numpy.array([0.0, 1.0, 0.0])  # from the tip, in the body
RATE = numpy.array([0.0, 150.0, -4.61538])


def matrix(q):
    w, x, y, z = q / numpy.linalg.norm(q)
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def rate(_, y):
    q, w = y[:4], y[4:]
    weight = matrix(q).T @ numpy.array([0, 0, -MASS * GRAVITY])
    turning = (numpy.cross(CENTRE, weight) - numpy.cross(w, INERTIA * w)) / INERTIA
    v = q[1:]
    return numpy.concatenate([[-0.5 * v @ w], 0.5 * (q[0] * w + numpy.cross(v, w)), turning])


def rows():
    y = solve_ivp(rate, (0, 1), [1, 0, 0, 0, *RATE], method="DOP853", rtol=1e-11, atol=1e-12).y
    position = matrix(y[:4, -1]) @ CENTRE
    for name, value in zip("xyz", position):
        yield "smooth/heavy-top.toml", "bodies/top/position/" + name, {"at": 1.0}, value
