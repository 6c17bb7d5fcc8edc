"""Force, duration and stress of single impacts: continuous laws integrated, and the profile of 000.

000/bouncing-ball-force and 000/two-spheres-force. A law F = K d^1.5 (1 + chi d'/v) with chi from
the restitution moves the reduced mass; its peak and duration are those of the integration (Runge-
Kutta with dense output). The profile of 000 (C.28)-(C.39) takes the motion as given, a cubic that is
bent at k, with the duration from the impulse; the force is sampled along it. Depths are where the rate
is zero, the ends of the loops of force and rate over depth. Stresses of two spheres
are the closed forms of Hertz, those below the surface the formulas on the axis, searched.
"""

import math

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq, minimize_scalar

FACTORS = {
    "flores": lambda e: 8 * (1 - e) / (5 * e),
    "hu": lambda e: -6.66264 * math.log(e) / (3.85238 + math.log(e)),
    "zhang": lambda e: 3 * (1 - e) / (2 * e * (0.6181 * math.exp(-3.52 * e) + 0.899 * math.exp(0.09025 * e))),
}


def softness_of(modulus, poisson=0.3):
    """Of two bodies of one material."""
    return 2 * (1 - poisson**2) / modulus


def stiffness_of(modulus, radius):
    return 4 / (3 * softness_of(modulus)) * math.sqrt(radius)


def largest(function, low, high):
    found = minimize_scalar(lambda x: -function(x), bounds=(low, high), method="bounded", options={"xatol": 1e-12})
    return -found.fun, found.x


def by_the_law(mass, speed, stiffness, chi):
    """Peak, duration and depth of m d'' = -K d^1.5 (1 + chi d'/v)."""
    length = (mass * speed**2 / stiffness)**0.4  # scaled: all of it is about one

    def force(d, rate):
        return max(d, 0.0)**1.5 * (1 + chi * rate)

    def apart(_, y):
        return y[0]

    apart.terminal, apart.direction = True, -1
    done = solve_ivp(lambda _, y: [y[1], -force(*y)], (0, 100), [0.0, 1.0], "DOP853", events=apart, rtol=1e-11,
                     atol=1e-13, dense_output=True)
    end = done.t_events[0][0]
    rough = max(np.linspace(0, end, 2001), key=lambda t: force(*done.sol(t)))
    peak, _ = largest(lambda t: force(*done.sol(t)), max(0, rough - end / 1000), rough + end / 1000)
    deepest = brentq(lambda t: done.sol(t)[1], 1e-3 * end, end)
    return stiffness * length**1.5 * peak, length / speed * end, length * done.sol(deepest)[0]


def by_the_profile(mass, speed, stiffness, chi, e, alpha=1.7):
    """The same by the bent cubic, from the impulse (1 + e) m v."""
    k = alpha * e / (1 + alpha * e)

    def rate(tau, a):
        g = a * tau if tau <= k else a * k + (1 - a * k) / (1 - k) * (tau - k)
        return 1 - (1 + e) * g * g * (3 - 2 * g)

    def depth(tau, a):
        return quad(rate, 0, tau, (a,), points=[k] if tau > k else None, epsabs=1e-13)[0]

    a = brentq(lambda x: depth(1.0, x), 1e-6, 1 / k, xtol=1e-14)
    grid = np.linspace(0, 1, 401)
    depths = np.array([max(0.0, depth(tau, a)) for tau in grid])
    integral = quad(lambda tau: max(0.0, depth(tau, a))**1.5, 0, 1, points=[k], epsabs=1e-9)[0]
    duration = ((1 + e) * mass * speed / (stiffness * speed**1.5 * integral))**0.4

    def force(tau):
        return stiffness * (speed * duration * max(0.0, depth(tau, a)))**1.5 * (1 + chi * rate(tau, a))

    rough = grid[np.argmax(depths**1.5 * (1 + chi * np.array([rate(tau, a) for tau in grid])))]
    peak, _ = largest(force, max(0.0, rough - 0.01), min(1.0, rough + 0.01))
    deepest = brentq(lambda tau: rate(tau, a), 0, 1)
    return peak, duration, speed * duration * depth(deepest, a)


def below_spheres(force, softness, radius, poisson):
    """Radius of the area, pressure, largest shear and von Mises stress with their depths."""
    a = (0.75 * force * softness * radius)**(1 / 3)
    p = 1.5 * force / (math.pi * a * a)

    def difference(z):  # of the stresses along and across the axis; there are only two
        s = z / a
        across = -p * ((1 + poisson) * (1 - s * math.atan(1 / s)) - 0.5 / (1 + s * s))
        along = -p / (1 + s * s)
        return abs(across - along)

    most, z = largest(difference, 1e-3 * a, 2 * a)
    return a, p, 0.5 * most, most, z


def rows():
    ball, floor = "000/bouncing-ball-force.toml", {"measure": "max", "to": 0.5}
    v, K = math.sqrt(2 * 9.8), stiffness_of(6.043e8, 0.1)
    for e in (1.0, 0.8, 0.6, 0.4, 0.2):
        chi = FACTORS["flores"](e)
        changes = [f"contact.floor.restitution={e:g}"]
        peak, duration, depth = by_the_law(1.0, v, K, chi)
        yield ball, "impacts/floor/peak", {"set": changes, **floor}, peak
        yield ball, "impacts/floor/duration", {"set": changes, **floor}, duration
        yield ball, "impacts/floor/depth", {"set": changes, **floor}, depth
        changes = changes + ["contact.floor.recover.profile=bent"]
        peak, duration, depth = by_the_profile(1.0, v, K, chi, e)
        yield ball, "impacts/floor/peak", {"set": changes, **floor}, peak
        yield ball, "impacts/floor/duration", {"set": changes, **floor}, duration
        yield ball, "impacts/floor/depth", {"set": changes, **floor}, depth

    changes = ["contact.floor.restitution=0.6", "contact.floor.recover.profile=bent", "contact.floor.recover.alpha=2"]
    peak, duration, _ = by_the_profile(1.0, v, K, FACTORS["flores"](0.6), 0.6, alpha=2.0)
    yield ball, "impacts/floor/peak", {"set": changes, **floor}, peak
    yield ball, "impacts/floor/duration", {"set": changes, **floor}, duration

    spheres, once = "000/two-spheres-force.toml", {"measure": "max"}
    mass, v, K = 0.046, 0.3, stiffness_of(7.5e10, 0.01)
    for law in ("hu", "zhang"):
        for e in (0.2, 0.4, 0.6, 0.8):
            changes = [f"contact.click.restitution={e:g}"]
            if law == "zhang":
                changes.append("contact.click.recover.law=zhang")
            peak, _, depth = by_the_law(mass, v, K, FACTORS[law](e))
            yield spheres, "impacts/click/peak", {"set": changes, **once}, peak
            yield spheres, "impacts/click/depth", {"set": changes, **once}, depth
            changes = changes + ["contact.click.recover.profile=bent"]
            peak, duration, depth = by_the_profile(mass, v, K, FACTORS[law](e), e)
            yield spheres, "impacts/click/peak", {"set": changes, **once}, peak
            yield spheres, "impacts/click/duration", {"set": changes, **once}, duration
            yield spheres, "impacts/click/depth", {"set": changes, **once}, depth
    peak, _, depth = by_the_law(mass, v, K, FACTORS["hu"](0.8))
    a, pressure, shear, von_mises, z = below_spheres(peak, softness_of(7.5e10), 0.01, 0.3)
    figures = {"minor_axis": a, "pressure": pressure, "shear": shear, "shear_depth": z, "von_mises": von_mises,
               "of_strength": von_mises / 4e8}
    for name, value in figures.items():
        yield spheres, f"impacts/click/{name}", once, value
