"""Peg in a hole, solids/peg: a corner slides on one wall, the edge of the other on its side.

One coordinate describes it: the depth L of the corner. The tilt p follows from D cos p - L sin p =
d. Newton's and Euler's laws with friction at both contacts are three equations for L'' and the
two normal forces; how the centre moves with L is differentiated numerically.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

HOLE, PEG, HEIGHT, DEPTH = 0.04, 0.0399, 0.15, 0.05
FRICTION, MASS, FORCE, END = 0.3, 1.0, 10.0, 0.1
INERTIA = MASS * (PEG**2 + HEIGHT**2) / 12


def tilt(depth):
    return brentq(lambda p: HOLE * math.cos(p) - depth * math.sin(p) - PEG, 0, 0.1, xtol=1e-16)


def threshold():
    """Distance from the axis of the hole beyond which a force along it jams the peg."""
    return HOLE / 2 + (DEPTH - FRICTION * HOLE) / (
        FRICTION + math.tan(tilt(DEPTH) + math.atan(FRICTION)))


def place(depth):
    """Centre and angle, counter-clockwise."""
    p = tilt(depth)
    across, along = np.array([math.cos(p), -math.sin(p)]), np.array([math.sin(p), math.cos(p)])
    centre = np.array([-HOLE / 2, -depth]) + PEG / 2 * across + HEIGHT / 2 * along
    return np.array([centre[0], centre[1], -p])


def point_of_load(share):
    """In the body frame, level with the centre; 'share' of the threshold from the axis."""
    x, _, angle = place(DEPTH)
    return (share * threshold() - x) / math.cos(angle)


def motion(state, lever):
    depth, rate = state
    d = 1e-5
    minus, here, plus = place(depth - d), place(depth), place(depth + d)
    slope, bend = (plus - minus) / (2 * d), (plus - 2 * here + minus) / d**2
    p = -here[2]
    corner, edge = np.array([-HOLE / 2, -depth]) - here[:2], np.array([HOLE / 2, 0.0]) - here[:2]
    load = lever * np.array([math.cos(p), -math.sin(p)])
    at_corner = np.array([1.0, FRICTION])
    at_edge = np.array([-math.cos(p) + FRICTION * math.sin(p),
                        math.sin(p) + FRICTION * math.cos(p)])
    cross = lambda a, b: a[0] * b[1] - a[1] * b[0]
    push = np.array([0.0, -FORCE])
    masses = np.array([MASS, MASS, INERTIA])
    matrix = np.column_stack([masses * slope, -np.array([*at_corner, cross(corner, at_corner)]),
                              -np.array([*at_edge, cross(edge, at_edge)])])
    right = np.array([*push, cross(load, push)]) - masses * bend * rate**2
    acceleration, first, second = np.linalg.solve(matrix, right)
    assert first > 0 and second > 0, "a contact opens"
    return acceleration


def rows():
    model = "solids/peg.toml"
    lever = point_of_load(0.98)
    end = solve_ivp(lambda _, s: [s[1], motion(s, lever)], (0, END), [DEPTH, 0.0], rtol=1e-10,
                    atol=1e-13).y[:, -1]
    x, y, angle = place(end[0])
    d = 1e-5
    rates = (place(end[0] + d) - place(end[0] - d)) / (2 * d) * end[1]
    yield model, "bodies/peg/position/y", {"at": END}, y
    yield model, "bodies/peg/velocity/y", {"at": END}, rates[1]
    yield model, "bodies/peg/angle", {"at": END}, angle


if __name__ == "__main__":
    print("threshold", threshold(), "tilt", tilt(DEPTH), "start", place(DEPTH))
    print("load at", point_of_load(0.98), point_of_load(1.02))
    for row in rows():
        print(row)
