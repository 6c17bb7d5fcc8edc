"""001, section 5.4: the first milliseconds of an elastic beam that flies into a rough wall.

The beam is cut into straight elements of Simo and Reissner with one point of integration, whose strains are
written out here, with linear shapes for the mass. The end hits the wall without bouncing, sticks
until friction is exhausted, then slides down; reactions follow from the condition that it stays on the wall, and
time is integrated by an explicit method of eighth order to round-off. Neither the elements nor the scheme are those of clatter.
"""

import numpy
from scipy.integrate import solve_ivp

MODEL = "001/oblique-beam.toml"
EARLY = ["beam.beam.start=[0.0999, 0]"]

E, POISSON, DENSITY = 1e9, 0.3, 7850.0
AREA, SECOND_MOMENT, SHEAR_FACTOR = 2.5477e-3, 5.40897e-7, 0.8333333333333334
DIRECTION = numpy.array([0.8171448983351285, 0.5764323161697933])
ELEMENTS, LENGTH, FRICTION, SPEED, DISTANCE = 8, 1.0, 0.5, 2.0, 0.0999
IMPACT = DISTANCE / SPEED

L = LENGTH / ELEMENTS
AXIAL = E * AREA
SHEAR = SHEAR_FACTOR * E / (2.0 * (1.0 + POISSON)) * AREA
BENDING = E * SECOND_MOMENT
NODES = ELEMENTS + 1


def masses(density, lumped):
    """Of the nodes along one coordinate."""
    element = density * L * (numpy.diag([0.5, 0.5]) if lumped else numpy.array([[2, 1], [1, 2]]) / 6.0)
    matrix = numpy.zeros((NODES, NODES))
    for i in range(ELEMENTS):
        matrix[i:i + 2, i:i + 2] += element
    return matrix


def forces(q):
    """Minus the gradient of the elastic energy; q has a column x, y, angle for each node."""
    x, y, angle = q
    dx, dy, middle = numpy.diff(x) / L, numpy.diff(y) / L, (angle[1:] + angle[:-1]) / 2.0
    c, s = numpy.cos(middle), numpy.sin(middle)
    along, across = c * dx + s * dy, c * dy - s * dx
    N, Q, M = AXIAL * (along - 1.0), SHEAR * across, BENDING * numpy.diff(angle) / L
    moment = (N * across - Q * along) * L / 2.0  # of the strains by the angle of either node
    f = numpy.zeros_like(q)
    for row, pull in ((0, c * N - s * Q), (1, s * N + c * Q), (2, M)):
        f[row, :-1] += pull
        f[row, 1:] -= pull
    f[2, :-1] -= moment
    f[2, 1:] -= moment
    return f


def early_phase(times, lumped=False):
    """For each time: sums of the normal and the tangential impulse along tangent 1, which is down, kinetic
    energy, the middle node, the velocity of sliding along tangent 1."""
    translation, rotation = masses(DENSITY * AREA, lumped), masses(DENSITY * SECOND_MOMENT, lumped)
    inverse, inverse_rotation = numpy.linalg.inv(translation), numpy.linalg.inv(rotation)
    size = 3 * NODES

    def reactions(f, slides):
        """What keeps the end on the wall, and from moving along it."""
        normal, holding = -(inverse[0] @ f[0]) / inverse[0, 0], -(inverse[0] @ f[1]) / inverse[0, 0]
        return normal, FRICTION * normal if slides else holding

    def rates(_, state, slides):
        q, v = state[:size].reshape(3, NODES), state[size:2 * size].reshape(3, NODES)
        f = forces(q)
        normal, upwards = reactions(f, slides)
        f[0, 0] += normal
        f[1, 0] += upwards
        a = numpy.vstack([inverse @ f[0], inverse @ f[1], inverse_rotation @ f[2]])
        return numpy.concatenate([v.ravel(), a.ravel(), [normal, upwards]])

    def strength_left(_, state):
        normal, upwards = reactions(forces(state[:size].reshape(3, NODES)), False)
        return FRICTION * normal - abs(upwards)
    strength_left.terminal, strength_left.direction = True, -1

    arms = numpy.linspace(0.0, LENGTH, NODES)
    angle = numpy.arctan2(DIRECTION[1], DIRECTION[0])
    q = numpy.vstack([arms * DIRECTION[0], arms * DIRECTION[1], numpy.full(NODES, angle)])
    v = numpy.zeros_like(q)
    hit = SPEED / inverse[0, 0]
    v[0] = inverse[:, 0] * hit - SPEED
    start = numpy.concatenate([q.ravel(), v.ravel(), [hit, 0.0]])
    exact = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13, "dense_output": True}
    stick = solve_ivp(lambda t, y: rates(t, y, False), (IMPACT, min(times)), start, events=strength_left, **exact)
    slip = solve_ivp(lambda t, y: rates(t, y, True), (stick.t[-1], max(times)), stick.y[:, -1], **exact)
    for t in numpy.linspace(stick.t[-1], max(times), 500)[1:]:
        state = slip.sol(t)
        assert rates(t, state, True)[-2] > 0.0 > state[size + NODES], "it leaves the wall or sticks again"
    for t in times:
        state = slip.sol(t)
        q, v = state[:size].reshape(3, NODES), state[size:2 * size].reshape(3, NODES)
        kinetic = 0.5 * (v[0] @ translation @ v[0] + v[1] @ translation @ v[1] + v[2] @ rotation @ v[2])
        yield t, state[-2], -state[-1], kinetic, q[:, ELEMENTS // 2], -v[1, 0]


def rows():
    for change, lumped, times in ((EARLY, False, (0.051, 0.052, 0.053, 0.054)),
                                  (EARLY + ["beam.beam.mass=lumped"], True, (0.052,))):
        for t, normal, tangential, kinetic, middle, slip in early_phase(times, lumped):
            total = {"measure": "sum", "to": t, "set": change}
            now = {"at": t, "set": change}
            yield MODEL, "contacts/lower/normal_impulse", total, normal
            yield MODEL, "contacts/lower/tangential_impulse/1", total, tangential
            yield MODEL, "energy/kinetic", now, kinetic
            yield MODEL, "beams/beam/position/4/x", now, middle[0]
            yield MODEL, "beams/beam/position/4/y", now, middle[1]
            yield MODEL, "contacts/lower/slip_velocity/1", now, slip
