"""The break of a small rack by balls that give way: forces by a continuous law, integrated.

000/billiard-break with compliance, without friction. Four balls in the plane; where two overlap by d
they press with F = K d^1.5 (1 + chi d'/v), never pulling, with chi of Flores and v the largest speed of
approach since they met. Runge and Kutta's method of order four with fixed steps, which v follows.
"""

import numpy as np

from impact_forces import FACTORS

MASS, RADIUS, K, E, SPEED = 0.17, 0.028575, 4e8, 0.93, 10.729
PAIRS = ((0, 1), (1, 2), (1, 3), (2, 3))


def strike(step=2e-7, until=1.2e-3):
    """Velocities after the break, and the largest force and depth between the first two balls."""
    row = 2 * RADIUS * np.cos(np.pi / 6)
    x = np.array([[-2 * RADIUS, 0.0], [0.0, 0.0], [row, RADIUS], [row, -RADIUS]])
    v = np.zeros((4, 2))
    v[0, 0] = SPEED
    chi = FACTORS["flores"](E)
    fastest = {pair: 0.0 for pair in PAIRS}
    peak = depth = 0.0

    def press(x, v, pair):
        i, j = pair
        between = x[j] - x[i]
        distance = np.hypot(*between)
        d = 2 * RADIUS - distance
        n = between / distance
        rate = (v[i] - v[j]) @ n
        if d <= 0:
            return 0.0, d, rate, n
        return max(0.0, K * d**1.5 * (1 + chi * rate / max(fastest[pair], rate, 1e-3))), d, rate, n

    def accelerations(x, v):
        a = np.zeros((4, 2))
        for pair in PAIRS:
            force, _, _, n = press(x, v, pair)
            a[pair[0]] -= force / MASS * n
            a[pair[1]] += force / MASS * n
        return a

    for _ in range(round(until / step)):
        for pair in PAIRS:
            force, d, rate, _ = press(x, v, pair)
            fastest[pair] = max(fastest[pair], rate) if d >= -1e-12 else 0.0
            if pair == PAIRS[0]:
                peak, depth = max(peak, force), max(depth, d)
        a1 = accelerations(x, v)
        v2 = v + step / 2 * a1
        a2 = accelerations(x + step / 2 * v, v2)
        v3 = v + step / 2 * a2
        a3 = accelerations(x + step / 2 * v2, v3)
        v4 = v + step * a3
        a4 = accelerations(x + step * v3, v4)
        x = x + step / 6 * (v + 2 * v2 + 2 * v3 + v4)
        v = v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return v, peak, depth


CHANGES = ["body.ball2.position=[0.57, 0, 0.028575]", "contact.cloth.friction=0", "contact.click.friction=0",
           "contact.click.compliance.law=flores"]
CHANGES += [f"contact.{name}.compliance.stiffness=4e8" for name in ("cloth", "click", "right", "left", "near", "far")]


def rows():
    model = "000/billiard-break.toml"
    v, peak, depth = strike()
    for ball, axis, value in (("ball2", "x", v[0, 0]), ("ball3", "x", v[1, 0]), ("ball4", "x", v[2, 0]),
                              ("ball4", "y", v[2, 1])):
        yield model, f"bodies/{ball}/velocity/{axis}", {"at": 0.002, "set": CHANGES}, value
    yield model, "contacts/click.ball2.ball3/normal_force", {"measure": "max", "set": CHANGES}, peak
    yield model, "contacts/click.ball2.ball3/gap", {"measure": "min", "set": CHANGES}, -depth
