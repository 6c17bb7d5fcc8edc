"""002/tippe-top while only its ball touches: Newton and Euler with the friction of Contensou.

The slip is (v_x, v_y, e w_z) at the point that touches, with e = 3 pi/16 of the radius of the area
of contact; force and moment/e oppose it with mu N in all. N is such that the centre of the ball
keeps its height. Rotations are a matrix, of which the third column, the axis of the top, suffices
to tell where it touches.
"""

import math

import numpy
from scipy.integrate import solve_ivp

MASS, G, MU = 6e-3, 9.81, 0.3
INERTIA = numpy.array([8e-7, 8e-7, 7e-7])
BALL, STEM = (3e-3, 1.5e-2), (1.6e-2, 5e-3)  # along the axis from the centre of mass, radius
SPIN_ARM = 3 * math.pi / 16 * 5e-4
MODEL = "002/tippe-top.toml"
UP = numpy.array([0, 0, 1.0])


def motion(y, force, torque):
    """Accelerations under a force and a torque about the centre of mass, in space."""
    rotation, rate = y[6:15].reshape(3, 3), y[15:]
    turning = (rotation.T @ torque - numpy.cross(rate, INERTIA * rate)) / INERTIA
    return force / MASS - G * UP, turning


def height_acceleration(y, acceleration, turning):
    rotation, rate = y[6:15].reshape(3, 3), y[15:]
    axis = rotation @ (numpy.cross(turning, UP) + numpy.cross(rate, numpy.cross(rate, UP)))
    return acceleration[2] + BALL[0] * axis[2]


def rates(_, y):
    velocity, rotation, rate = y[3:6], y[6:15].reshape(3, 3), y[15:]
    arm = BALL[0] * rotation[:, 2] - BALL[1] * UP  # from the centre of mass to the point
    turn = rotation @ rate
    slip = velocity + numpy.cross(turn, arm)
    slip[2] = SPIN_ARM * turn[2]
    direction = -MU * slip / numpy.linalg.norm(slip)
    pull = UP + numpy.array([direction[0], direction[1], 0])
    twist = numpy.cross(arm, pull) + SPIN_ARM * direction[2] * UP
    free = height_acceleration(y, *motion(y, 0 * UP, 0 * UP))
    pressed = height_acceleration(y, *motion(y, pull, twist))
    normal = -free / (pressed - free)
    acceleration, turning = motion(y, normal * pull, normal * twist)
    spin = numpy.array([[0, -rate[2], rate[1]], [rate[2], 0, -rate[0]], [-rate[1], rate[0], 0]])
    return numpy.concatenate([velocity, acceleration, (rotation @ spin).ravel(), turning])


def stem_touches(_, y):
    return y[2] + STEM[0] * y[14] - STEM[1]


stem_touches.terminal = True


def rows():
    c, s = math.cos(0.1), math.sin(0.1)
    start = [0, 0, 1.2015e-2, 0, 0, 0, 1, 0, 0, 0, c, -s, 0, s, c, 0, 0, 180]
    times = [0.25, 0.5, 0.75, 1.0]
    solution = solve_ivp(rates, (0, 1.5), start, method="DOP853", rtol=1e-10, atol=1e-12,
                         dense_output=True, events=stem_touches)
    for t in times:
        y = solution.sol(t)
        yield MODEL, "bodies/top/position/z", {"at": t}, y[2]
        yield MODEL, "bodies/top/angular_velocity/z", {"at": t}, y[17]
    yield (MODEL, "contacts/stem/status", {"measure": "first_time", "threshold": 1},
           solution.t_events[0][0])
