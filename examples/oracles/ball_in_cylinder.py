"""002/ball-in-cylinder: slip and rolling in turn, by Runge-Kutta with events.

th is the angle of the ball from the downward vertical, seen from the axis of the cylinder,
rho = 0.9 m its distance from there, phi its rotation:
  rho th'' = -g sin th + F/m,  I phi'' = F R,  N = m (g cos th + rho th'^2),
with F = -mu N sign(slip), slip = rho th' + R phi', or, when it rolls, F = 2/7 m g sin th.
"""

import math

from scipy.integrate import solve_ivp

G, MU, M, R, I, RHO = 9.81, 0.1, 1.0, 0.1, 0.004, 0.9
MODEL = "002/ball-in-cylinder.toml"


def normal(y):
    return M * (G * math.cos(y[0]) + RHO * y[1] ** 2)


def grip(y):
    """Friction that keeps the ball rolling."""
    return M * G * math.sin(y[0]) / (1 + M * R * R / I)


def slip(_, y):
    return RHO * y[1] + R * y[3]


def rate(mode):
    def f(_, y):
        force = grip(y) if mode == 0 else -mode * MU * normal(y)
        return [y[1], (-G * math.sin(y[0]) + force / M) / RHO, y[3], force * R / I]
    return f


def gives_way(_, y):
    return MU * normal(y) - abs(grip(y))


slip.terminal = gives_way.terminal = True


def solve(times):
    # It starts at rest where friction cannot hold it: down, which is towards +th.
    t, y, mode, found = 0.0, [-math.pi / 2, 0.0, 0.0, 0.0], 1, {}
    end = max(times)
    while t < end:
        event = gives_way if mode == 0 else slip
        # A step into the new mode first, as the event is at zero where the mode starts.
        lead = solve_ivp(rate(mode), (t, min(t + 1e-7, end)), y, rtol=1e-12, atol=1e-14)
        s = solve_ivp(rate(mode), (lead.t[-1], end), lead.y[:, -1], method="DOP853", rtol=1e-12,
                      atol=1e-13, events=event, dense_output=True)
        for time in times:
            if lead.t[-1] <= time <= s.t[-1]:
                found[time] = s.sol(time)
        t, y = s.t[-1], list(s.y[:, -1])
        if t >= end:
            break
        if mode != 0:
            y[3] = -RHO * y[1] / R
            mode = 0 if abs(grip(y)) < MU * normal(y) else (-1 if grip(y) > 0 else 1)
        else:
            mode = -1 if grip(y) > 0 else 1
    return found


def rows():
    times = [0.5, 1.0, 2.0]
    found = solve(times)
    for t in times:
        yield MODEL, "bodies/ball/position/x", {"at": t}, RHO * math.sin(found[t][0])
        yield MODEL, "bodies/ball/angle", {"at": t}, found[t][2]
