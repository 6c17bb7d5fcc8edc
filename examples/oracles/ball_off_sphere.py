"""When a ball, or a disc, leaves the sphere that it comes down: quadrature of the pendulum.

contact/ball-off-sphere and contact/discs. L is the distance of the centres, a the angle at the
start, at rest. With k = I/(m r^2), or 0 when it slides without friction, energy gives
(1 + k) L a'^2/2 = g (cos a0 - cos a), and the force vanishes at cos b = 2/(3 + k) cos a0. The time
is the integral of da/a', whose root at a0 the substitution a = a0 + s^2 takes away.
"""

import math

from scipy.integrate import quad

G, L, START = 9.8, 1.1, 0.05


def time_of_leaving(k):
    end = math.acos(2 / (3 + k) * math.cos(START))

    def integrand(s):
        if s == 0:
            return 2 / math.sqrt(2 * G / (L * (1 + k)) * math.sin(START))
        # cos a0 - cos a without cancellation
        drop = 2 * math.sin(0.5 * s * s) * math.sin(START + 0.5 * s * s)
        return 2 * s / math.sqrt(2 * G / (L * (1 + k)) * drop)

    return quad(integrand, 0, math.sqrt(end - START), epsabs=1e-13, epsrel=1e-13)[0]


def rows():
    last_touch = {"measure": "last_time", "threshold": 0.5}
    sphere, discs = "contact/ball-off-sphere.toml", "contact/discs.toml"
    yield sphere, "contacts/dome/status", last_touch, time_of_leaving(0.4)
    yield (sphere, "contacts/dome/status", {"set": ["contact.dome.friction=0"], **last_touch},
           time_of_leaving(0.0))
    yield discs, "contacts/dome/status", last_touch, time_of_leaving(0.5)
