"""Row of dominoes, solids/dominoes: an angle for each, event by event.

Each domino turns about the foot of its right side. Corner i slides without friction on the left
face of domino i + 1: gap = d cos b - h sin(a - b) - w with the angles a and b of the two,
clockwise. A domino stands until it is struck. Between events those in touch move as one, with
forces from the second derivative of the gaps; a contact opens where its force vanishes. An impact
leaves no gap that closes, and no impulse that pulls: the smallest of all changes of energy, a
least squares problem with impulses that are not negative.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import nnls

COUNT, HEIGHT, WIDTH, PITCH, GRAVITY = 8, 0.048, 0.0075, 0.024, 9.81
FIRST_RATE, END, THRESHOLD = 6.0, 0.335, 0.2

# Over the mass, which does not matter.
INERTIA = (HEIGHT**2 + WIDTH**2) / 3


def gap(angles, i):
    a, b = angles[i], angles[i + 1]
    return PITCH * math.cos(b) - HEIGHT * math.sin(a - b) - WIDTH


def gap_rows(angles, contacts):
    rows = np.zeros((len(contacts), COUNT))
    for k, i in enumerate(contacts):
        a, b = angles[i], angles[i + 1]
        rows[k, i] = -HEIGHT * math.cos(a - b)
        rows[k, i + 1] = HEIGHT * math.cos(a - b) - PITCH * math.sin(b)
    return rows


def gap_accelerations(angles, rates, contacts):
    """What the second derivatives of the gaps have beside the accelerations."""
    out = []
    for i in contacts:
        a, b, p, q = angles[i], angles[i + 1], rates[i], rates[i + 1]
        out.append(HEIGHT * math.sin(a - b) * (p - q)**2 - PITCH * math.cos(b) * q * q)
    return np.array(out)


def motion(state, moving, contacts):
    angles, rates = state[:COUNT], state[COUNT:]
    free = np.where(np.arange(COUNT) < moving,
                    GRAVITY * 0.5 * (HEIGHT * np.sin(angles) - WIDTH * np.cos(angles)) / INERTIA, 0)
    if not contacts:
        return free, np.zeros(0)
    rows = gap_rows(angles, contacts)
    matrix = rows @ rows.T / INERTIA
    forces = np.linalg.solve(matrix, -rows @ free - gap_accelerations(angles, rates, contacts))
    return free + rows.T @ forces / INERTIA, forces


def impact(angles, rates, contacts):
    """Plastic: the velocity nearest to the old one that closes no gap."""
    rows = gap_rows(angles, contacts) / math.sqrt(INERTIA)
    # minimise |sqrt(I) rates + rows^T impulses|^2 over impulses >= 0
    impulses, _ = nnls(rows.T, -math.sqrt(INERTIA) * rates)
    return rates + rows.T @ impulses / math.sqrt(INERTIA), impulses


def solve():
    state = np.zeros(2 * COUNT)
    state[COUNT] = FIRST_RATE
    now, moving, contacts, pieces, losses = 0.0, 1, [], [], 0.0
    while now < END:
        watched = [i for i in range(moving) if i < COUNT - 1 and i not in contacts]
        events = []
        for i in watched:
            def closes(_, s, i=i):
                return gap(s[:COUNT], i)
            closes.terminal, closes.direction = True, -1
            events.append(closes)
        for k in range(len(contacts)):
            def opens(_, s, k=k):
                return motion(s, moving, contacts)[1][k]
            opens.terminal, opens.direction = True, -1
            events.append(opens)
        piece = solve_ivp(lambda _, s: np.concatenate([s[COUNT:], motion(s, moving, contacts)[0]]),
                          (now, END), state, method="DOP853", rtol=1e-12, atol=1e-13,
                          events=events, dense_output=True)
        pieces.append(piece)
        for a, b in zip(piece.y[:COUNT - 1], piece.y[1:COUNT]):
            assert np.all(PITCH * np.cos(a) > WIDTH * np.cos(a - b)), "a heel meets a face"
        now, state = piece.t[-1], piece.y[:, -1].copy()
        if piece.status == 0:
            break
        which = next(k for k, times in enumerate(piece.t_events) if len(times))
        if which >= len(watched):
            del contacts[which - len(watched)]
            continue
        contacts = sorted(contacts + [watched[which]])
        moving = max(moving, watched[which] + 2)
        before = 0.5 * INERTIA * np.sum(state[COUNT:]**2)
        state[COUNT:], impulses = impact(state[:COUNT], state[COUNT:], contacts)
        losses += before - 0.5 * INERTIA * np.sum(state[COUNT:]**2)
        contacts = [i for i, p in zip(contacts, impulses) if p > 0]
        assert np.all(state[COUNT:] >= -1e-9), "a domino falls back"
    return pieces, losses


def rows():
    pieces, losses = solve()
    model = "solids/dominoes.toml"

    def angle(t, i):
        piece = next(p for p in pieces if t <= p.t[-1] + 1e-15)
        return piece.sol(t)[i]

    for i in range(1, COUNT):
        low, high = 0.0, END
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if angle(middle, i) < THRESHOLD else (low, middle)
        yield (model, f"bodies/domino{i + 1}/angle",
               {"measure": "first_time", "threshold": -THRESHOLD, "below": True}, low)
    for i in range(COUNT):
        yield model, f"bodies/domino{i + 1}/angle", {"at": END}, -angle(END, i)
        yield (model, f"bodies/domino{i + 1}/angular_velocity", {"at": END},
               -pieces[-1].sol(END)[COUNT + i])
    mass = 1800 * HEIGHT * WIDTH * 0.024
    yield model, "energy/impact_loss", {"at": END}, mass * losses
