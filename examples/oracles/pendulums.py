"""Chains of rods hinged to each other, let go level: smooth/double-pendulum and smooth/chain.

Lagrange's equations in the angles a_i from the x axis, for n equal slender rods of mass m and
length l on a fixed hinge:
  sum_j m l^2 w_ij (cos(a_i - a_j) a_j'' + sin(a_i - a_j) a_j'^2) + m g l (n - i - 1/2) cos a_i = 0.
"""

import numpy
from scipy.integrate import solve_ivp


def solve(count, length, gravity, times):
    i = numpy.arange(count)
    # Rods beyond both hinges carry l^2 each, the outer one of the two l^2/2, one rod itself l^2/3.
    weights = count - 1 - numpy.maximum.outer(i, i) + 0.5
    weights[i, i] = count - 1 - i + 1.0 / 3.0
    load = count - 1 - i + 0.5

    def rate(_, y):
        a, v = y[:count], y[count:]
        difference = a[:, None] - a[None, :]
        right = -(weights * numpy.sin(difference)) @ v ** 2
        right -= gravity / length * load * numpy.cos(a)
        return numpy.concatenate([v, numpy.linalg.solve(weights * numpy.cos(difference), right)])

    return solve_ivp(rate, (0, max(times)), numpy.zeros(2 * count), method="DOP853", rtol=1e-11,
                     atol=1e-12, t_eval=times).y.T


def rows():
    model = "smooth/double-pendulum.toml"
    upper, lower = solve(2, 1.0, 9.81, [2.0])[0][:2]
    yield model, "bodies/upper/angle", {"at": 2.0}, upper
    yield model, "bodies/lower/angle", {"at": 2.0}, lower

    model = "smooth/chain.toml"
    times = [0.5, 0.8]
    for t, y in zip(times, solve(50, 0.1, 9.81, times)):
        ends = 0.1 * numpy.array([numpy.cos(y[:50]), numpy.sin(y[:50])])
        x, z = ends.sum(axis=1) - 0.5 * ends[:, -1]
        yield model, "bodies/link50/position/x", {"at": t}, x
        yield model, "bodies/link50/position/z", {"at": t}, z
