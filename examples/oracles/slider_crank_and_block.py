"""A free slider-crank that a block runs into: one coordinate, impacts as events.

000/slider-crank-and-block. With the angle a of the crank, x = c cos a + sqrt(r^2 - c^2 sin^2 a) is where
the slider is, and J(a) a'^2/2 the energy of all three parts; J a'' + J' a'^2/2 = -V' under gravity. The
block keeps its speed. When their tips meet, the impulse is (1 + e) times closing speed and mass
1/(1/m_block + x'(a)^2/J). Force and duration of an impact are those of the other script. With tips that
give way the force of Flores' law acts on both while they overlap, and the motion is integrated through it.
"""

import math

from scipy.integrate import solve_ivp

from impact_forces import FACTORS, by_the_law, by_the_profile

CRANK, ROD, RADIUS, G = 0.153, 0.306, 0.0085, 9.8
M_CRANK, J_CRANK, M_ROD, J_ROD, M_SLIDER, M_BLOCK = 0.038, 7.4e-5, 0.076, 5.9e-5, 0.038, 0.19
E, K = 0.7, 9.5e9


def geometry(a):
    """Slider, its slope, inertia, and the height of the weights, all over the angle."""
    s, c = math.sin(a), math.cos(a)
    root = math.sqrt(ROD**2 - (CRANK * s)**2)
    x, slope = CRANK * c + root, -CRANK * s - CRANK**2 * s * c / root
    tilt = -CRANK * c / root  # of the rod, whose sine is -c/r sin a
    # The middle of the rod is the mean of the crank pin (c cos a, c sin a) and the slider (x, 0).
    middle = ((-CRANK * s + slope) / 2, CRANK * c / 2)
    J = (J_CRANK + M_CRANK * CRANK**2 / 4 + M_ROD * (middle[0]**2 + middle[1]**2) + J_ROD * tilt**2 + M_SLIDER * slope**2)
    return x, slope, J, (M_CRANK + M_ROD) * G * CRANK / 2 * c


def rates(_, y):
    a, speed = y[0], y[1]
    h = 1e-5
    slope_of_J = (geometry(a + h)[2] - geometry(a - h)[2]) / (2 * h)
    _, _, J, torque = geometry(a)
    return [speed, (-torque - 0.5 * slope_of_J * speed**2) / J, y[3], 0.0]


def impacts(until):
    def meet(_, y):
        return y[2] - geometry(y[0])[0] - 2 * RADIUS

    meet.terminal, meet.direction = True, -1
    time, y = 0.0, [0.0, 150.0, 0.914, -15.0]
    while True:
        done = solve_ivp(rates, (time, until), y, "DOP853", events=meet, rtol=1e-11, atol=1e-12)
        if not done.t_events[0].size:
            return
        time, y = done.t_events[0][0], list(done.y_events[0][0])
        _, slope, J, _ = geometry(y[0])
        closing = slope * y[1] - y[3]
        mass = 1 / (1 / M_BLOCK + slope**2 / J)
        impulse = (1 + E) * mass * closing
        yield time, closing, mass, impulse
        y[1] -= impulse * slope / J
        y[3] += impulse / M_BLOCK


def compliant(until):
    """Largest force and depth of the first impact, and the speed of the block after it."""
    chi = FACTORS["flores"](E)

    def overlap(y):
        x, slope, _, _ = geometry(y[0])
        return x + 2 * RADIUS - y[2], slope * y[1] - y[3]

    def meet(_, y):
        return overlap(y)[0]

    meet.terminal = True
    meet.direction = 1
    done = solve_ivp(rates, (0, until), [0.0, 150.0, 0.914, -15.0], "DOP853", events=meet, rtol=1e-11, atol=1e-12)
    time, y = done.t_events[0][0], done.y_events[0][0]
    speed = overlap(y)[1]

    def force(y):
        d, rate = overlap(y)
        return max(0.0, K * max(0.0, d)**1.5 * (1 + chi * rate / speed))

    def pressed(t, y):
        r = rates(t, y)
        _, slope, J, _ = geometry(y[0])
        return [r[0], r[1] - force(y) * slope / J, r[2], force(y) / M_BLOCK]

    done = solve_ivp(pressed, (time, time + 1e-4), y, "DOP853", rtol=1e-11, atol=1e-13, max_step=2e-7)
    path = done.y.T
    return max(map(force, path)), max(overlap(y)[0] for y in path), path[-1][3]


def rows():
    model = "000/slider-crank-and-block.toml"
    for window, (time, closing, mass, impulse) in zip(({"to": 0.05}, {"from": 0.05}), impacts(0.1)):
        key = {"measure": "max", **window}
        chi = FACTORS["flores"](E)
        yield model, "impacts/tips/time", key, time
        yield model, "impacts/tips/approach_speed", key, closing
        yield model, "impacts/tips/impulse", key, impulse
        peak, duration, depth = by_the_law(mass, closing, K, chi)
        yield model, "impacts/tips/peak", key, peak
        yield model, "impacts/tips/duration", key, duration
        yield model, "impacts/tips/depth", key, depth
        peak, duration, depth = by_the_profile(mass, closing, K, chi, E)
        bent = {**key, "set": ["contact.tips.recover.profile=bent"]}
        yield model, "impacts/tips/peak", bent, peak
        yield model, "impacts/tips/duration", bent, duration
        yield model, "impacts/tips/depth", bent, depth
    changes = ["contact.tips.compliance.law=flores", "contact.tips.compliance.stiffness=9.5e9"]
    force, depth, block = compliant(0.05)
    yield model, "contacts/tips/normal_force", {"measure": "max", "set": changes}, force
    yield model, "contacts/tips/gap", {"measure": "min", "set": changes}, -depth
    yield model, "bodies/block/velocity/x", {"at": 0.045, "set": changes}, block
