"""smooth/slider-crank-3d: energy as a function of the angle of the crank alone.

The mechanism has one freedom, the angle b of the crank. Its energy M(b) b'^2/2 + V(b) gives
M b'' = -M' b'^2/2 - V'. The pin is at P(b), the slider at x(b) = sqrt(l^2 - P_y^2 - P_z^2). The
rotation of the rod about its own line follows from the universal joint.
"""

import math

import numpy
from scipy.integrate import solve_ivp

G = 9.81
SHAFT, CRANK, ROD = numpy.array([0.0, 0.1, 0.12]), 0.08, 0.3
CRANK_MASS, ROD_MASS, SLIDER_MASS = 0.12, 0.5, 2.0
CRANK_INERTIA, ACROSS, ALONG = 1e-4, 0.004, 0.0004  # about x; of the rod


def mechanism(b):
    """Pin, slider and their rates per rate of the crank; at b = 0 the crank points up."""
    pin = SHAFT + CRANK * numpy.array([0, -math.sin(b), math.cos(b)])
    pin_rate = CRANK * numpy.array([0, -math.cos(b), -math.sin(b)])
    x = math.sqrt(ROD ** 2 - pin[1] ** 2 - pin[2] ** 2)
    slider = numpy.array([x, 0, 0])
    slider_rate = numpy.array([-(pin[1] * pin_rate[1] + pin[2] * pin_rate[2]) / x, 0, 0])
    return pin, pin_rate, slider, slider_rate


def inertia(b):
    pin, pin_rate, slider, slider_rate = mechanism(b)
    line = (slider - pin) / ROD
    swing = numpy.cross(line, (slider_rate - pin_rate) / ROD)  # across the line
    # Universal joint: the rod keeps its second axis d across the slider's z axis, and across its
    # line. So d = line x z, normalised; the spin about the line is what turns d so.
    z = numpy.array([0.0, 0.0, 1.0])
    d = numpy.cross(line, z)
    line_rate = numpy.cross(swing, line)
    d_rate = numpy.cross(line_rate, z)
    d_rate = (d_rate - d * (d @ d_rate) / (d @ d)) / numpy.linalg.norm(d)
    d = d / numpy.linalg.norm(d)
    spin = (d_rate - numpy.cross(swing, d)) @ numpy.cross(line, d)
    centre_rate = 0.5 * (pin_rate + slider_rate)
    return (CRANK_INERTIA + CRANK_MASS * CRANK ** 2 / 4 + ROD_MASS * centre_rate @ centre_rate
            + ACROSS * swing @ swing + ALONG * spin ** 2 + SLIDER_MASS * slider_rate @ slider_rate)


def height(b):
    pin = mechanism(b)[0]
    return G * (CRANK_MASS * (SHAFT[2] + 0.5 * CRANK * math.cos(b)) + ROD_MASS * 0.5 * pin[2])


def slope(f, b, d=2e-3):
    """Derivative by differences of sixth order."""
    return (45 * (f(b + d) - f(b - d)) - 9 * (f(b + 2 * d) - f(b - 2 * d))
            + f(b + 3 * d) - f(b - 3 * d)) / (60 * d)


def rate(_, y):
    b, v = y
    return [v, -(0.5 * slope(inertia, b) * v * v + slope(height, b)) / inertia(b)]


def rows():
    b, v = solve_ivp(rate, (0, 1), [0, 6], method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    _, _, slider, slider_rate = mechanism(b)
    model = "smooth/slider-crank-3d.toml"
    yield model, "joints/shaft/coordinate", {"at": 1.0}, b
    yield model, "bodies/slider/position/x", {"at": 1.0}, slider[0]
    yield model, "bodies/slider/velocity/x", {"at": 1.0}, slider_rate[0] * v
