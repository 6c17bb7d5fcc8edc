"""Rocking rod on two supports, 001/rocking-rod-1 to -4: free flight and impacts, event by event.

The rod flies on a parabola and turns at a constant rate. The gap of a support p is
n.(x - p) with the normal n = (-sin, cos) of the rod; its zeros are found by bisection. An impact
obeys Newton's law u_N+ = -e u_N- and Coulomb's law: it sticks unless that takes more than mu times
the normal impulse.
"""

import math

MASS, INERTIA, GRAVITY, RESTITUTION = 0.48, 0.04, 9.8, 0.6262
START = (0.0, 0.104, math.radians(12.0))
END = 0.3

# model, height of the right support, friction of the left and of the right one
CASES = [("001/rocking-rod-1.toml", 0.0, 0.1, 0.1), ("001/rocking-rod-2.toml", 0.0, 0.0, 0.1),
         ("001/rocking-rod-3.toml", -0.4, 0.3, 0.3), ("001/rocking-rod-4.toml", -0.4, 0.0, 0.3)]


def flight(state, t):
    x, y, angle, vx, vy, rate = state
    return (x + vx * t, y + vy * t - 0.5 * GRAVITY * t * t, angle + rate * t,
            vx, vy - GRAVITY * t, rate)


def gap(state, support):
    x, y, angle = state[:3]
    return -math.sin(angle) * (x - support[0]) + math.cos(angle) * (y - support[1])


def rows_of_contact(state, support):
    """Rates of the gap and of the slip along tangent 1, -x of the rod, per (vx, vy, rate)."""
    x, y, angle = state[:3]
    along = math.cos(angle) * (x - support[0]) + math.sin(angle) * (y - support[1])
    across = gap(state, support)
    normal = (-math.sin(angle), math.cos(angle), -along)
    tangent = (math.cos(angle), math.sin(angle), across)  # of the rod past the support, along +x
    return normal, tangent


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def impact(state, support, mu):
    normal, tangent = rows_of_contact(state, support)
    weights = (1 / MASS, 1 / MASS, 1 / INERTIA)
    light = lambda a, b: sum(p * w * q for p, w, q in zip(a, weights, b))
    v = state[3:]
    nn, nt, tt = light(normal, normal), light(normal, tangent), light(tangent, tangent)
    approach, slip = dot(normal, v), dot(tangent, v)
    # Stick: both rates are prescribed.
    a, b = -(1 + RESTITUTION) * approach, -slip
    determinant = nn * tt - nt * nt
    push, drag = (tt * a - nt * b) / determinant, (nn * b - nt * a) / determinant
    if abs(drag) > mu * push:
        sign = -1.0 if slip > 0 else 1.0
        push = -(1 + RESTITUTION) * approach / (nn + sign * mu * nt)
        drag = sign * mu * push
    after = tuple(v[i] + weights[i] * (normal[i] * push + tangent[i] * drag) for i in range(3))
    return state[:3] + after, push, drag


def first_zero(state, support, span):
    """The first time at which the gap vanishes and closes, or None."""
    steps = 3000
    before = 0.0
    for k in range(1, steps + 1):
        t = span * k / steps
        if gap(flight(state, t), support) < 0 and t > 1e-6:
            low, high = before, t
            for _ in range(100):
                middle = 0.5 * (low + high)
                if gap(flight(state, middle), support) < 0:
                    high = middle
                else:
                    low = middle
            return low
        before = t
    return None


def solve(height, friction):
    supports = [(-0.2, 0.0), (0.2, height)]
    state, now, impacts = START + (0.0, 0.0, 0.0), 0.0, []
    while True:
        zeros = [(first_zero(state, s, END - now), k) for k, s in enumerate(supports)]
        zeros = [z for z in zeros if z[0] is not None]
        if not zeros:
            return flight(state, END - now), impacts, supports
        time, which = min(zeros)
        state = flight(state, time)
        now += time
        state, push, drag = impact(state, supports[which], friction[which])
        impacts.append((now, which, push, drag))


def rows():
    for model, height, left, right in CASES:
        friction = (left, right)
        state, impacts, supports = solve(height, friction)
        for (start, end), (time, which, push, drag) in zip(((0.05, 0.16), (0.16, 0.3)), impacts):
            contact = f"contacts/{('left', 'right')[which]}"
            window = {"from": start, "to": end}
            yield (model, contact + "/normal_impulse",
                   {"measure": "first_time", "threshold": 0.01, **window}, time)
            yield model, contact + "/normal_impulse", {"measure": "sum", **window}, push
            if friction[which] > 0:
                # Counted as that on the support along -x of the rod: the same on the rod along +x.
                yield (model, contact + "/tangential_impulse/1", {"measure": "sum", **window},
                       drag)
        names = ("position/x", "position/y", "angle", "velocity/x", "velocity/y",
                 "angular_velocity")
        for name, value in zip(names, state):
            yield model, "bodies/rod/" + name, {"at": END}, value
        for name, support in zip(("left", "right"), supports):
            yield model, f"contacts/{name}/gap", {"at": END}, gap(state, support)
