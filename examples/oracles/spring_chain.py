"""001/spring-chain: every mass sticks or slides, and changes are found as events.

While nothing changes the equations are linear, m x_i'' = forces of the springs and the push minus
mu m g sign(x_i') for those that slide, x_i'' = 0 for those that stick. A mass that comes to rest
sticks when friction can hold it; one that sticks starts when it cannot.
"""

import numpy
from scipy.integrate import solve_ivp

COUNT, MASS, STIFFNESS, GRIP = 21, 0.0025, 20.0, 0.3 * 0.0025 * 9.81
PUSH, SWITCH, END = 0.4, 0.1, 1.5
MODEL = "001/spring-chain.toml"


def pull(x, push):
    """Forces on the masses without friction; x are displacements."""
    tension = STIFFNESS * numpy.diff(x)
    force = numpy.zeros(COUNT)
    force[:-1] += tension
    force[1:] -= tension
    force[0] += push
    return force


def solve():
    t, y, slides = 0.0, numpy.zeros(2 * COUNT), numpy.zeros(COUNT)
    pieces, starts = [], []
    while t < END:
        push, stop = (PUSH, SWITCH) if t < SWITCH else (0.0, END)
        # What rests and cannot be held starts.
        force = pull(y[:COUNT], push)
        loose = (slides == 0) & (abs(force) > GRIP)
        slides[loose] = numpy.sign(force[loose])
        starts += [(t, k) for k in numpy.flatnonzero(loose)]

        def rate(_, y):
            force = pull(y[:COUNT], push) - GRIP * slides
            return numpy.concatenate([y[COUNT:], numpy.where(slides != 0, force, 0) / MASS])

        def comes_to_rest(_, y):
            return min((y[COUNT:] * slides)[slides != 0], default=1.0)

        def breaks_loose(_, y):
            return min((GRIP - abs(pull(y[:COUNT], push)))[slides == 0], default=1.0)

        events = [comes_to_rest, breaks_loose]
        for event in events:
            event.terminal, event.direction = True, -1
        lead = solve_ivp(rate, (t, min(t + 1e-8, stop)), y, rtol=1e-10, atol=1e-14)
        s = solve_ivp(rate, (lead.t[-1], stop), lead.y[:, -1], method="DOP853", rtol=1e-9,
                      atol=1e-12, events=events, dense_output=True, max_step=5e-3)
        pieces.append((t, s.t[-1], s.sol))
        t, y = s.t[-1], s.y[:, -1].copy()
        if len(s.t_events[0]):
            k = numpy.flatnonzero(slides)[numpy.argmin((y[COUNT:] * slides)[slides != 0])]
            slides[k], y[COUNT + k] = 0.0, 0.0
        elif len(s.t_events[1]):  # beyond its limit now, but for round-off
            stuck = numpy.flatnonzero(slides == 0)
            force = pull(y[:COUNT], push)
            k = stuck[numpy.argmax(abs(force[stuck]))]
            slides[k] = numpy.sign(force[k])
            starts.append((t, k))
    return pieces, starts


def rows():
    pieces, starts = solve()
    at = lambda t: next(sol(max(t, sol.t_min)) for a, b, sol in pieces if a <= t <= b)
    yield MODEL, "bodies/m1/position/x", {"at": 0.1}, at(0.1)[0]
    yield MODEL, "bodies/m1/velocity/x", {"at": 0.1}, at(0.1)[COUNT]
    for t in (0.5, 1.5):
        for k in (1, 11, 21):
            yield (MODEL, f"bodies/m{k}/position/x", {"at": t},
                   0.05 * (k - 1) + at(t)[k - 1])
    grid = numpy.array([at(t) for t in numpy.linspace(0, END, 15001)])
    yield MODEL, "bodies/m21/velocity/x", {"measure": "max"}, grid[:, 2 * COUNT - 1].max()
    length = 1 + grid[:, COUNT - 1] - grid[:, 0]
    yield MODEL, "springs/gauge/coordinate", {"measure": "min"}, length.min()
    yield MODEL, "springs/gauge/coordinate", {"at": END}, length[-1]
    yield (MODEL, "bodies/m21/velocity/x", {"measure": "first_time", "threshold": 1e-9},
           next(t for t, k in starts if k == 20))
