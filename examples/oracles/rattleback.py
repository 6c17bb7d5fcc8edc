"""Rattleback, solids/rattleback: an ellipsoid that rolls without slip on a plane.

In the axes of the body, n points up and r from the centre to where it touches, -D^2 n / |D n| with
the semi-axes D. Without slip v = r x w. What is left is the turning:

    I w' - m r x (r x w') = -w x I w + m r x (r' x w + w x (r x w)) + m g r x n,   n' = n x w.
"""

import numpy as np
from scipy.integrate import solve_ivp

MASS, GRAVITY, END = 0.5, 9.81, 3.0
AXES = np.array([0.2, 0.04, 0.03])
MOMENTS, SKEW = np.array([4.0e-4, 4.5e-3, 4.7e-3]), 0.05  # the main axes are turned about z
START = np.array([0.2, 0.4, -3.0])

C, S = np.cos(SKEW), np.sin(SKEW)
TURN = np.array([[C, -S, 0], [S, C, 0], [0, 0, 1]])
INERTIA = TURN @ np.diag(MOMENTS) @ TURN.T
SQUARES = AXES**2


def touching_point(n):
    return -SQUARES * n / np.sqrt(n @ (SQUARES * n))


def rate_of_point(n, n_rate):
    size = np.sqrt(n @ (SQUARES * n))
    return -SQUARES * n_rate / size + SQUARES * n * (n @ (SQUARES * n_rate)) / size**3


def motion(_, state):
    n, w = state[:3], state[3:]
    r, n_rate = touching_point(n), np.cross(n, w)
    r_rate = rate_of_point(n, n_rate)
    matrix = INERTIA + MASS * (r @ r * np.eye(3) - np.outer(r, r))
    torque = (-np.cross(w, INERTIA @ w) +
              MASS * np.cross(r, np.cross(r_rate, w) + np.cross(w, np.cross(r, w))) +
              MASS * GRAVITY * np.cross(r, n))
    return np.concatenate([n_rate, np.linalg.solve(matrix, torque)])


def solve(end):
    state = np.concatenate([[0, 0, 1], START])
    return solve_ivp(motion, (0, end), state, method="DOP853", rtol=1e-11, atol=1e-13,
                     dense_output=True)


def rows():
    path = solve(END).sol
    model = "solids/rattleback.toml"
    for at in (1.0, 2.0, END):
        yield model, "bodies/stone/angular_velocity/z", {"at": at}, path(at)[5]
    low, high = 2.0, 2.4
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if path(middle)[5] < 0 else (low, middle)
    yield (model, "bodies/stone/angular_velocity/z", {"measure": "first_time", "threshold": 0}, low)
