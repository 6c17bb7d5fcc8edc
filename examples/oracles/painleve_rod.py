"""The sliding phase of 002/painleve-rod, by Runge-Kutta on the equation of the angle.

With phi clockwise from the horizontal, w its rate, and the rod sliding on its leading end,
  A = 1 + 3 cos^2 phi - 3 mu sin phi cos phi,  N = (g - w^2 sin phi)/A,
  w' = 3 N (mu sin phi - cos phi),  u' = -mu N,
for m = 1, l = 1 and I = 1/3. A vanishes at 45 degrees, where the force has no bound.
"""

import math

from scipy.integrate import solve_ivp

G, MU = 10.0, 5.0 / 3.0
MODEL = "002/painleve-rod.toml"


def force(phi, w):
    a = 1 + 3 * math.cos(phi) ** 2 - 3 * MU * math.sin(phi) * math.cos(phi)
    return (G - math.sin(phi) * w * w) / a


def rate(_, y):
    phi, w, _, u = y
    n = force(phi, w)
    return [w, 3 * n * (MU * math.sin(phi) - math.cos(phi)), u, -MU * n]


def ends(_, y):
    """Just before the force has no bound: the rest takes less than 1e-6 s."""
    return 1 + 3 * math.cos(y[0]) ** 2 - 3 * MU * math.sin(y[0]) * math.cos(y[0]) - 1e-5


ends.terminal = True


def rows():
    times = [0.2, 0.4, 0.6, 0.7, 0.8]
    solution = solve_ivp(rate, (0, 0.8), [math.radians(31), 0, 0, 30], method="DOP853",
                         rtol=1e-12, atol=1e-13, t_eval=times)
    for t, (phi, w, x, u) in zip(times, solution.y.T):
        yield MODEL, "bodies/rod/angle", {"at": t}, -phi
        yield MODEL, "bodies/rod/angular_velocity", {"at": t}, -w
        yield MODEL, "bodies/rod/velocity/x", {"at": t}, u
        yield MODEL, "bodies/rod/position/x", {"at": t}, x
        yield MODEL, "contacts/floor/normal_force", {"at": t}, force(phi, w)
    solution = solve_ivp(rate, (0, 1), [math.radians(31), 0, 0, 30], method="DOP853", rtol=1e-12,
                         atol=1e-13, events=ends)
    yield (MODEL, "contacts/floor/gap",
           {"measure": "first_time", "threshold": 1e-9, "set": ["integrator.name=nsga"]},
           solution.t[-1])
