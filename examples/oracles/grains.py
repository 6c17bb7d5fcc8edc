"""Grains that bounce, slide and roll: flights between impacts, and equations of motion.

An ellipse in a box with rough walls (003/elliptic-carom): it flies freely, and where a wall is met the
impulse follows from the two components of the velocity of the place that touches. Both are reversed
(e = e_T = 1) unless friction is too little; then the tangential impulse is mu times the normal one,
against the mean of the velocities of slip before and after.

Two discs that slide and roll in a circle (003/concave-pendulum), one of them, the other its mirror
image: Runge and Kutta's method with events.

The first impact of that ellipse at many angles and frictions (003/elliptic-impact).
"""

import math

WALLS = ((0, 1, 0.0), (-1, 0, -1.0), (0, -1, -1.0), (1, 0, 0.0))  # n, d: n.x >= d
A, B = 0.075, 0.03


def arm(angle, nx, ny):
    """From the centre to where a wall with normal n is touched, and how far that is."""
    c, s = math.cos(angle), math.sin(angle)
    x, y = -(nx * c + ny * s), nx * s - ny * c  # -n in the body
    h = math.hypot(A * x, B * y)
    px, py = A * A * x / h, B * B * y / h
    return c * px - s * py, s * px + c * py, h


def strike(state, nx, ny, mu):
    """Velocities after an impact of a mass of 1 kg, and whether it slips."""
    x, y, angle, vx, vy, w = state
    ax, ay, _ = arm(angle, nx, ny)
    tx, ty = ny, -nx
    r2 = (A * A + B * B) / 4
    gn, gt = ax * ny - ay * nx, ax * ty - ay * tx
    un = vx * nx + vy * ny + w * gn
    ut = vx * tx + vy * ty + w * gt
    wnn, wtt, wnt = 1 + gn * gn / r2, 1 + gt * gt / r2, gn * gt / r2
    det = wnn * wtt - wnt * wnt
    pn, pt = 2 * (-wtt * un + wnt * ut) / det, 2 * (-wnn * ut + wnt * un) / det
    slips = not (pn > 0 and abs(pt) <= mu * pn)
    if slips:
        for sign in ((1, -1) if pt < 0 else (-1, 1)):  # of the mean slip
            pn = -2 * un / (wnn - sign * mu * wnt)
            pt = -sign * mu * pn
            mean = ut + (wnt * pn + wtt * pt) / 2
            if pn > 0 and sign * mean >= 0:
                break
    return (vx + pn * nx + pt * tx, vy + pn * ny + pt * ty, w + (pn * gn + pt * gt) / r2), slips


def gap(state, t, wall):
    x, y, angle, vx, vy, w = state
    nx, ny, d = wall
    return (x + vx * t) * nx + (y + vy * t) * ny - d - arm(angle + w * t, nx, ny)[2]


def carom(state, mu, count):
    """Impacts: time, state after, energy over that of the start, whether it slipped."""
    r2 = (A * A + B * B) / 4
    energy = lambda s: s[3] ** 2 + s[4] ** 2 + r2 * s[5] ** 2
    first, t, events, last = energy(state), 0.0, [], None
    for _ in range(count):
        step, at = 1e-4, 0.0
        while True:
            hit = [k for k in range(4) if gap(state, at + step, WALLS[k]) < 0
                   and (gap(state, at, WALLS[k]) > 0 or at > 0 or k != last)]
            if hit:
                break
            at += step
        low, high, k = at, at + step, hit[0]
        for _ in range(60):
            mid = (low + high) / 2
            low, high = (low, mid) if gap(state, mid, WALLS[k]) < 0 else (mid, high)
        x, y, angle, vx, vy, w = state
        state = (x + vx * low, y + vy * low, angle + w * low, vx, vy, w)
        after, slips = strike(state, WALLS[k][0], WALLS[k][1], mu)
        state = state[:3] + after
        t, last = t + low, k
        events.append((t, state, energy(state) / first, slips))
    return events


def pendulum(mu, step=1e-5, until=0.9, g=9.81, R=0.5, r=0.1):
    """What happens to the right one of two discs that start at 45 degrees, m = 1 kg."""
    rho, J = R - r, r * r / 2
    end = math.asin(r / rho)
    gamma, rate, w, rolls, t = math.pi / 4, 0.0, 0.0, False, 0.0
    found = {"impacts": [], "before": [], "rolls": [], "apex": []}

    def accelerations(gamma, rate, rolls, side):
        if rolls:
            F = g * math.sin(gamma) / 3
        else:
            F = -mu * (g * math.cos(gamma) + rho * rate * rate) * side
        return (-g * math.sin(gamma) + F) / rho, F * r / J

    while t < until:
        slip0 = rho * rate + w * r
        side = math.copysign(1, slip0 if slip0 != 0.0 else -math.sin(gamma))

        def slope(s):
            return (s[1],) + accelerations(s[0], s[1], rolls, side)

        s0 = (gamma, rate, w)
        k1 = slope(s0)
        k2 = slope([a + step / 2 * b for a, b in zip(s0, k1)])
        k3 = slope([a + step / 2 * b for a, b in zip(s0, k2)])
        k4 = slope([a + step * b for a, b in zip(s0, k3)])
        s1 = [a + step / 6 * (b + 2 * c + 2 * d + e)
              for a, b, c, d, e in zip(s0, k1, k2, k3, k4)]
        t += step
        slip1 = rho * s1[1] + s1[2] * r
        if rate > 0 >= s1[1]:
            found["apex"].append((t, gamma))
        gamma, rate, w = s1
        if not rolls and t > 2 * step and slip0 * slip1 <= 0:
            N = g * math.cos(gamma) + rho * rate * rate
            if abs(g * math.sin(gamma) / 3) <= mu * N:
                rolls = True
                w = -rho * rate / r
                found["rolls"].append(t)
        elif rolls:
            N = g * math.cos(gamma) + rho * rate * rate
            rolls = abs(g * math.sin(gamma) / 3) <= mu * N
        if gamma <= end and rate < 0:
            found["impacts"].append(t)
            found["before"].append((rate, w))
            # The other disc turns the velocity round; the surface resists what that makes it slip,
            # at most mu times how the impulses press the disc on it.
            # Along the surface both impulses turn the velocity round; it presses with what the
            # other disc's has across it, (2 |v| - lam) tan. To stick, the mean slip is zero.
            pressing, tan = -2 * rho * rate, math.tan(end)
            lam = -2 * J * w / r
            for sign in (1, -1):
                limit = mu * pressing * tan / (1 + sign * mu * tan)
                lam = sign * limit if sign * lam > limit else lam
            w += lam * r / J
            rate, rolls = -rate, False
    return found


MU = math.tan(math.radians(15))


FRICTIONS, ANGLES = (5, 10, 15, 20, 30, 45), (10, 20, 30, 50, 70, 80)  # figure 7.4 [deg]


def throw(phi, theta):
    """What makes the throw of 003/elliptic-impact: 4 m/s down at an angle to the floor."""
    v = 4 * math.cos(math.radians(theta)), -4 * math.sin(math.radians(theta))
    return [f"body.grain.velocity=[{v[0]:.12g}, {v[1]:.12g}]",
            f"material.wood.friction={math.tan(math.radians(phi)):.12g}"]


def thrown(phi, theta):
    """Velocities after the first impact of the throw, whether it slips, and what is lost [J]."""
    v = 4 * math.cos(math.radians(theta)), -4 * math.sin(math.radians(theta))
    after, slips = strike((0, 0, math.radians(50), *v, 0), 0, 1, math.tan(math.radians(phi)))
    r2 = (A * A + B * B) / 4
    left = after[0] ** 2 + after[1] ** 2 + r2 * after[2] ** 2
    return after, slips, 2500 * math.pi * A * B / 2 * (16 - left)


AFTER = (0.12, 0.4, 0.64, 0.8)  # the first four impacts


def rows():
    events = carom((0.45, 0.1, math.radians(50), 1.0, -0.4, 0.0), MU, 4)
    model, before = "003/elliptic-carom.toml", 0.0
    for (t, state, energy, _), at in zip(events, AFTER):
        key = {"measure": "first_time", "from": round(before + 0.01, 3), "threshold": 0.5}
        yield model, "pairs/ground/grain/status", key, t
        for name, value in zip(("velocity/x", "velocity/y", "angular_velocity"), state[3:]):
            hard = {"set": ["material.wood.compliance.damping_ratio=2e4"]}
            for key in ({}, hard):
                yield model, f"bodies/grain/{name}", {"at": at} | key, value
        yield model, "energy/kinetic", {"at": at}, energy * 1.16 / 2 * 2500 * math.pi * A * B
        before = t

    model = "003/elliptic-impact.toml"
    for phi in FRICTIONS:
        for theta in ANGLES:
            key = {"at": 1e-6, "set": throw(phi, theta)}
            after, _, lost = thrown(phi, theta)
            for name, value in zip(("velocity/x", "velocity/y", "angular_velocity"), after):
                yield model, f"bodies/grain/{name}", key, value
            yield model, "energy/friction_loss", key, lost

    found = pendulum(MU)
    model, pair = "003/concave-pendulum.toml", "contacts/pair/status"
    bowl = "contacts/bowl.right.ground/slip_velocity/1"
    key = {"measure": "first_time", "threshold": 0.5}
    yield model, pair, key, found["impacts"][0]
    yield model, pair, key | {"from": 0.5}, found["impacts"][1]
    key = {"measure": "first_time", "threshold": 0.0}
    yield model, bowl, key | {"from": 0.02}, found["rolls"][0]
    yield model, bowl, key | {"from": 0.4, "below": True}, found["rolls"][1]
    key = {"measure": "max", "from": 0.4, "to": 0.6}
    yield model, "bodies/right/position/x", key, 0.4 * math.sin(found["apex"][0][1])


if __name__ == "__main__":
    for event in carom((0.45, 0.1, math.radians(50), 1.0, -0.4, 0.0), MU, 8):
        print("%.4f" % event[0], ["%.4f" % x for x in event[1]], "%.5f" % event[2], event[3])
    print(pendulum(MU))
