"""beams/roller-crank-rigid and -flexible: the mechanism in the air, in minimal coordinates.

Rigid rod: Lagrange's equations in the angles theta of the crank and phi of the rod; nothing turns
the roller. Flexible rod: eight elements with constant strain (the arc that takes one end to the
other) on the end of the crank, consistent mass, 27 coordinates, explicit Runge-Kutta that resolves
all vibrations. No multipliers and no damping.
"""

import math

import numpy
from scipy.integrate import solve_ivp

G = 9.8
CRANK, CRANK_MASS, CRANK_INERTIA = 0.1, 0.12, 0.002
ROD, ROLLER_MASS = 0.3, 0.1
CRANK_RATE = 4.0
PIVOT_INERTIA = CRANK_INERTIA + CRANK_MASS * CRANK ** 2 / 4
ROD_ANGLE = -math.asin(CRANK / ROD)

E, NU, DENSITY, AREA, SECOND_MOMENT, SHEAR = 4.14e9, 0.3, 7850.0, 1.1323e-4, 1.0685e-9, 5 / 6
ELEMENTS = 8
NODES = ELEMENTS + 1


def rigid(mass, inertia, times):
    a, b = CRANK, ROD
    A = PIVOT_INERTIA + (mass + ROLLER_MASS) * a * a
    B = inertia + (mass / 4 + ROLLER_MASS) * b * b
    C = (mass / 2 + ROLLER_MASS) * a * b
    P = G * (CRANK_MASS / 2 + mass + ROLLER_MASS) * a
    Q = G * (mass / 2 + ROLLER_MASS) * b

    def rate(_, y):
        theta, phi, u, w = y
        c, s = C * math.cos(theta - phi), C * math.sin(theta - phi)
        f = -s * w * w - P * math.cos(theta)
        g = s * u * u - Q * math.cos(phi)
        d = A * B - c * c
        return [u, w, (B * f - c * g) / d, (A * g - c * f) / d]

    return solve_ivp(rate, (0, max(times)), [math.pi / 2, ROD_ANGLE, CRANK_RATE, 0],
                     method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times).y.T


def element_forces(x, y, angle, length):
    """Gradient of the elastic energy of each element by (dx, dy, angle at its start, at its end).

    In axes of the start the strains (1 + g1, g2) are [h cot h, h; -h, h cot h] d/length, with h
    half the difference of the angles and d the vector between the ends.
    """
    c, s = numpy.cos(angle[:-1]), numpy.sin(angle[:-1])
    dx, dy, h = numpy.diff(x), numpy.diff(y), 0.5 * numpy.diff(angle)
    z = h * h
    cot = 1 - z * (1 / 3 + z * (1 / 45 + z * (2 / 945 + z / 4725)))
    cot_slope = -h * (2 / 3 + z * (4 / 45 + z * (12 / 945 + z * 8 / 4725)))
    d1, d2 = c * dx + s * dy, c * dy - s * dx
    n1 = E * AREA * ((cot * d1 + h * d2) / length - 1)
    n2 = SHEAR * E / (2 * (1 + NU)) * AREA * (cot * d2 - h * d1) / length
    moment = E * SECOND_MOMENT * 2 * h / length
    f1, f2 = n1 * cot - n2 * h, n1 * h + n2 * cot
    bend = 0.5 * (n1 * (cot_slope * d1 + d2) + n2 * (cot_slope * d2 - d1)) + moment
    turn = f1 * d2 - f2 * d1
    return c * f1 - s * f2, s * f1 + c * f2, turn - bend, bend


def flexible(times):
    length = ROD / ELEMENTS
    pattern = numpy.diag(numpy.full(NODES, 2 / 3)) + numpy.diag(numpy.full(ELEMENTS, 1 / 6), 1)
    pattern += numpy.diag(numpy.full(ELEMENTS, 1 / 6), -1)
    pattern[0, 0] = pattern[-1, -1] = 1 / 3
    mass = DENSITY * AREA * length * pattern
    mass[-1, -1] += ROLLER_MASS
    weight = G * mass.sum(axis=1)
    rotary = numpy.linalg.inv(DENSITY * SECOND_MOMENT * length * pattern)
    inverse = numpy.linalg.inv(mass[1:, 1:])
    coupling = mass[1:, 0]
    carried = inverse @ coupling
    # What resists theta'': places are eliminated, and the rate of theta drops out.
    resistance = PIVOT_INERTIA + CRANK ** 2 * (mass[0, 0] - coupling @ carried)
    size = 1 + NODES + 2 * ELEMENTS  # theta, angles, x, y

    def places(q):
        x, y = numpy.empty(NODES), numpy.empty(NODES)
        x[0], y[0] = CRANK * math.cos(q[0]), CRANK * math.sin(q[0])
        x[1:], y[1:] = q[1 + NODES:1 + NODES + ELEMENTS], q[1 + NODES + ELEMENTS:size]
        return x, y

    def rate(_, state):
        x, y = places(state)
        gx, gy, start, end = element_forces(x, y, state[1:1 + NODES], length)
        fx, fy, moment = numpy.zeros(NODES), -weight, numpy.zeros(NODES)
        fx[:-1] += gx
        fx[1:] -= gx
        fy = fy.copy()
        fy[:-1] += gy
        fy[1:] -= gy
        moment[:-1] -= start
        moment[1:] -= end
        c, s = math.cos(state[0]), math.sin(state[0])
        free_x, free_y = inverse @ fx[1:], inverse @ fy[1:]
        across = c * (fy[0] - coupling @ free_y) - s * (fx[0] - coupling @ free_x)
        turn = (CRANK * across - 0.5 * CRANK_MASS * G * CRANK * c) / resistance
        spin = state[size] ** 2
        free_x -= carried * CRANK * (-turn * s - spin * c)
        free_y -= carried * CRANK * (turn * c - spin * s)
        return numpy.concatenate([state[size:], [turn], rotary @ moment, free_x, free_y])

    start = numpy.zeros(2 * size)
    along = length * numpy.arange(1, NODES)
    start[0], start[1:1 + NODES] = math.pi / 2, ROD_ANGLE
    start[1 + NODES:1 + NODES + ELEMENTS] = along * math.cos(ROD_ANGLE)
    start[1 + NODES + ELEMENTS:size] = CRANK + along * math.sin(ROD_ANGLE)
    start[size] = CRANK_RATE
    start[size + 1 + NODES:size + 1 + NODES + ELEMENTS] = -CRANK * CRANK_RATE
    solution = solve_ivp(rate, (0, max(times)), start, method="DOP853", rtol=1e-7, atol=1e-9,
                         max_step=3e-5, t_eval=times)  # the fastest vibration has 134 000 rad/s
    return [(y, *places(y)) for y in solution.y.T]


def end_of_rod(theta, phi):
    return (CRANK * math.cos(theta) + ROD * math.cos(phi),
            CRANK * math.sin(theta) + ROD * math.sin(phi))


def rows():
    model = "beams/roller-crank-rigid.toml"
    for t, (theta, phi, _, _) in zip((0.25, 0.5), rigid(0.3, 0.002, [0.25, 0.5])):
        yield model, "bodies/crank/angle", {"at": t}, theta
        yield model, "bodies/rod/angle", {"at": t}, phi
        for name, value in zip("xy", end_of_rod(theta, phi)):
            yield model, "bodies/roller/position/" + name, {"at": t}, value

    model = "beams/roller-crank-flexible.toml"
    times = [0.1, 0.25, 0.5]
    for t, (state, x, y) in zip(times, flexible(times)):
        yield model, "bodies/crank/angle", {"at": t}, state[0]
        yield model, "beams/rod/angle/0", {"at": t}, state[1]
        yield model, "beams/rod/angle/8", {"at": t}, state[NODES]
        for name, place in (("x", x), ("y", y)):
            yield model, "beams/rod/position/4/" + name, {"at": t}, place[4]
            yield model, "bodies/roller/position/" + name, {"at": t}, place[8]

    # A thousand times as stiff: a rigid rod of the same mass and moment.
    mass = DENSITY * AREA * ROD
    moment = mass * ROD ** 2 / 12 + DENSITY * SECOND_MOMENT * ROD
    key = {"at": 0.5, "set": ["beam.rod.youngs_modulus=4.14e12"]}
    theta, phi, _, _ = rigid(mass, moment, [0.5])[0]
    yield model, "bodies/crank/angle", key, theta
    yield model, "beams/rod/angle/0", key, phi
    yield model, "beams/rod/angle/8", key, phi
    for name, value in zip("xy", end_of_rod(theta, phi)):
        yield model, "bodies/roller/position/" + name, key, value
