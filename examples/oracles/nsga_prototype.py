"""The decoupled scheme of 001 once more, short and slow: figures of the scheme at a given step.

The equations are those of docs/theory.md, "The step"; no line is shared with the program, and they
are solved in another way. Each of the three sub-problems is repeated with the forces, rows and gaps
of the last pass until nothing changes. A pass is then linear but for the contacts, whose reactions
are found by projected Gauss-Seidel sweeps. No matrix holds a stiffness, so a pass gains a factor of
the order of the step: slow, but there are no tangents to be wrong.

A prototype tells a wrong line of code. Whether the scheme is right, the other scripts tell.
"""

import math

import numpy
from numpy import array, cross, zeros

THE_SCHEME_MATTERS = True  # for check.py: changes of the integrator change these figures
PASSES, SWEEPS = 500, 1000


class Model:
    """A machine without joints; what a model does not say otherwise."""

    restitution = 0.0

    def move(self, q, increment):
        return q + increment

    def joints(self, q):
        """Misfits and rows."""
        return zeros(0), zeros((0, len(self.mass)))


def solve(mass, load, joint_rows, joint_target, rows, offset, friction, reaction):
    """The motion x with M x = load + G^T nu + H^T p, G x = target, and laws between offset + H x and p.

    Rows and reactions of contacts are arrays with the normal first: rows[contact, 0]. The reactions
    given are the first guess.
    """
    joints = len(joint_rows)
    inverse = (1 / mass)[:, None]
    if joints:
        delassus = numpy.linalg.inv(joint_rows @ (inverse * joint_rows.T))

    def motion(load, target):
        x = inverse * load
        if not joints:
            return x, zeros((0, load.shape[1]))
        nu = delassus @ (target - joint_rows @ x)
        return x + inverse * (joint_rows.T @ nu), nu

    free, nu = motion(load[:, None], joint_target[:, None])
    if not len(rows):
        return free[:, 0], nu[:, 0], reaction
    count, size, _ = rows.shape
    flat = rows.reshape(count * size, -1)
    per_reaction, _ = motion(flat.T, zeros((joints, 1)))
    w = flat @ per_reaction
    rate = offset.ravel() + flat @ free[:, 0]
    p = reaction.ravel().copy()
    for _ in range(SWEEPS):
        before = p.copy()
        for k in range(count):
            n, t = k * size, slice(k * size + 1, (k + 1) * size)
            p[n] = max(0.0, p[n] - (rate[n] + w[n] @ p) / w[n, n])
            if p[n] == 0 or friction[k] == 0:
                p[t] = 0.0
                continue
            # The trace is as large as the greatest eigenvalue at least, so that the sweeps converge.
            trial = p[t] - (rate[t] + w[t] @ p) / w[t, t].trace()
            length = math.sqrt(trial @ trial)
            limit = friction[k] * p[n]
            p[t] = trial if length <= limit else trial * (limit / length)
        if abs(p - before).max() <= 1e-14 * abs(p).max():
            break
    x, nu = motion((load + flat.T @ p)[:, None], joint_target[:, None])
    return x[:, 0], nu[:, 0], p.reshape(count, size)


def repeat(one_pass, x, tolerance):
    for _ in range(PASSES):
        last, x = x, one_pass(x)
        if abs(x - last).max() <= tolerance:
            return x
    raise RuntimeError("the passes do not converge")


def run(model, h, duration, rho=0.8, position_friction=True):
    """Yields t, q, v and the impulses of the contacts at the end of every step."""
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + af - am
    beta = (gamma + 0.5) ** 2 / 4
    mass, q, v = model.mass, model.q, model.v
    no_contacts = zeros((0, 1, len(mass))), zeros((0, 1)), zeros(0), zeros((0, 1))

    # The first accelerations keep the joints; the change of their rows is a difference quotient.
    rows = model.joints(q)[1]
    ahead, back = (model.joints(model.move(q, s * v))[1] @ v for s in (1e-5, -1e-5))
    vd, _, _ = solve(mass, model.force(q, v, h), rows, -(ahead - back) / 2e-5, *no_contacts)
    a = vd

    for step in range(1, round(duration / h) + 1):
        t = step * h
        gap_0, rows_0 = model.contacts(q)
        count, size, _ = rows_0.shape

        # 1. Smooth motion. All is linear in the new acceleration: a = a_0 + c vd.
        c = (1 - af) / (1 - am)
        a_0 = (af * vd - am * a) / (1 - am)
        v_0 = v + h * (1 - gamma) * a + h * gamma * a_0
        way_0 = h * v + h * h * ((0.5 - beta) * a + beta * a_0)
        force_of_joints = None

        def smooth(vd):
            nonlocal force_of_joints
            q_s = model.move(q, way_0 + h * h * beta * c * vd)
            v_s = v_0 + h * gamma * c * vd
            rows = model.joints(q_s)[1]
            vd, force_of_joints, _ = solve(mass, model.force(q_s, v_s, t), rows,
                                           -rows @ v_0 / (h * gamma * c), *no_contacts)
            return vd

        vd = repeat(smooth, vd, 1e-11 * (1 + abs(vd).max()))
        a = a_0 + c * vd
        way = way_0 + h * h * beta * c * vd
        q_s, v_s = model.move(q, way), v_0 + h * gamma * c * vd
        force_s = model.force(q_s, v_s, t)
        rows_s = model.joints(q_s)[1]

        # 2. Position correction; slip is counted from the start of the step.
        friction = model.friction if position_friction else 0 * model.friction
        nu = zeros((count, size))

        def correct(u):
            nonlocal nu
            q_e = model.move(q, way + u)
            misfit, rows = model.joints(q_e)
            gap, contact_rows = model.contacts(q_e)
            gap = gap.copy()
            gap[:, 1:] -= gap_0[:, 1:]
            load = h * h * (model.force(q_e, v_s, t) - force_s + (rows - rows_s).T @ force_of_joints)
            u, _, nu = solve(mass, load, rows, rows @ u - misfit, contact_rows,
                             gap - contact_rows @ u, friction, nu)
            return u

        u = repeat(correct, zeros(len(mass)), 1e-15)
        q_e = model.move(q, way + u)
        gap, contact_rows = model.contacts(q_e)
        closed = (nu[:, 0] > 0) | (gap[:, 0] <= 0)

        # 3. Velocity jump of the contacts that the position correction found closed.
        rows = model.joints(q_e)[1]
        contact_rows = contact_rows[closed]
        rebound = (rows_0 @ v)[closed]
        rebound[:, 1:] = 0.0
        target = contact_rows @ v_s + model.restitution * rebound
        impulse = zeros((closed.sum(), size))

        def jump(dv):
            nonlocal impulse
            load = h * (model.force(q_e, v_s + dv, t) - force_s + (rows - rows_s).T @ force_of_joints)
            dv, _, impulse = solve(mass, load, rows, -rows @ v_s, contact_rows, target,
                                   model.friction[closed], impulse)
            return dv

        dv = repeat(jump, zeros(len(mass)), 1e-13)
        q, v = q_e, v_s + dv
        impulses = zeros((count, size))
        impulses[closed] = impulse
        yield t, q, v, impulses


def first_time(times, values, threshold, start=0.0):
    return next(t for t, value in zip(times, values) if t >= start - 1e-12 and value >= threshold)


class Incline(Model):
    """q = (x, z): down the slope and away from it."""

    mass, q, v = array([1.0, 1.0]), array([0.0, 0.0]), array([-2.0, 0.0])
    friction = array([0.3])
    weight = 9.81 * array([math.sin(math.pi / 12), -math.cos(math.pi / 12)])
    rows = array([[[0.0, 1.0], [1.0, 0.0]]])

    def force(self, q, v, t):
        return self.weight

    def contacts(self, q):
        return array([[q[1], q[0]]]), self.rows


def incline():
    model = "001/incline.toml"
    for changes, h, position_friction in (
            ([], 1e-3, True), (["integrator.step=1e-2"], 1e-2, True),
            (["integrator.step=1e-4"], 1e-4, True),
            (["integrator.position_friction=false"], 1e-3, False),
            (["integrator.position_friction=false", "integrator.step=1e-4"], 1e-4, False)):
        samples = list(run(Incline(), h, 2.0, position_friction=position_friction))
        yield model, "bodies/mass/position/x", {"at": 2.0, "set": changes}, samples[-1][1][0]
        if changes:
            continue
        times = [s[0] for s in samples]
        yield (model, "bodies/mass/velocity/x", {"measure": "first_time", "threshold": -1e-9},
               first_time(times, [s[2][0] for s in samples], -1e-9))
        yield model, "contacts/slope/tangential_impulse/1", {"at": 0.372}, samples[371][3][0, 1]


class Rod(Model):
    """q = (x, y, angle); the rod is the face, the tips of the supports are points."""

    mass = array([0.48, 0.48, 0.04])
    q, v = array([0.0, 0.104, math.radians(12)]), zeros(3)
    restitution = 0.6262
    weight = array([0.0, -9.8 * 0.48, 0.0])

    def __init__(self, friction, drop):
        self.friction = array(friction)
        self.tips = array([[-0.2, 0.0], [0.2, -drop]])

    def force(self, q, v, t):
        return self.weight

    def contacts(self, q):
        along = array([math.cos(q[2]), math.sin(q[2])])
        across = array([-along[1], along[0]])
        values, rows = [], []
        for tip in self.tips:
            d = q[:2] - tip
            values.append([across @ d, along @ d])
            rows.append([[*across, -along @ d], [*along, across @ d]])
        return array(values), array(rows)


def rocking_rod():
    cases = [([0.1, 0.1], 0.0), ([0.0, 0.1], 0.0), ([0.3, 0.3], 0.4), ([0.0, 0.3], 0.4)]
    for number, case in enumerate(cases, 1):
        for changes, h in (([], 1e-3), (["integrator.step=1e-4"], 1e-4))[:2 if number == 1 else 1]:
            *_, (_, q, v, _) = run(Rod(*case), h, 0.3)
            names = [f"{kind}/{axis}" for kind in ("position", "velocity") for axis in "xy"]
            values = [q[0], q[1], v[0], v[1], q[2], v[2]]
            for name, value in zip(names + ["angle", "angular_velocity"], values):
                yield (f"001/rocking-rod-{number}.toml", f"bodies/rod/{name}",
                       {"at": 0.3, "set": changes}, value)


class Chain(Model):
    """q = (x_1 ... x_21, z_1 ... z_21)."""

    count, stiffness = 21, 20.0
    mass = numpy.full(42, 0.0025)
    q, v = numpy.concatenate([0.05 * numpy.arange(21), zeros(21)]), zeros(42)
    friction = numpy.full(21, 0.3)
    rows = zeros((21, 2, 42))
    for k in range(21):
        rows[k, 0, 21 + k] = rows[k, 1, k] = 1.0

    def force(self, q, v, t):
        force = zeros(42)
        tension = self.stiffness * (numpy.diff(q[:21]) - 0.05)
        force[:20] += tension
        force[1:21] -= tension
        force[0] += 0.4 if t <= 0.1 + 1e-7 else 0.0
        force[21:] = -9.81 * self.mass[21:]
        return force

    def contacts(self, q):
        return numpy.stack([q[21:], q[:21]], axis=1), self.rows


def spring_chain():
    model = "001/spring-chain.toml"
    samples = list(run(Chain(), 1e-3, 1.5))
    q, v = array([s[1] for s in samples]), array([s[2] for s in samples])
    yield model, "bodies/m1/position/x", {"at": 0.1}, q[99, 0]
    yield model, "bodies/m1/velocity/x", {"at": 0.1}, v[99, 0]
    for t, step in ((0.5, 499), (1.5, 1499)):
        for k in (1, 11, 21):
            yield model, f"bodies/m{k}/position/x", {"at": t}, q[step, k - 1]
    yield model, "bodies/m21/velocity/x", {"measure": "max"}, v[:, 20].max()
    length = q[:, 20] - q[:, 0]
    yield model, "springs/gauge/coordinate", {"measure": "min"}, length.min()
    yield model, "springs/gauge/coordinate", {"at": 1.5}, length[-1]
    yield (model, "bodies/m21/velocity/x", {"measure": "first_time", "threshold": 1e-9},
           first_time([s[0] for s in samples], v[:, 20], 1e-9))


def skew(a):
    return array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rotation(psi):
    angle = math.sqrt(psi @ psi)
    if angle < 1e-12:
        return numpy.eye(3) + skew(psi)
    s = skew(psi / angle)
    return numpy.eye(3) + math.sin(angle) * s + (1 - math.cos(angle)) * s @ s


class Plate(Model):
    """q = (rotation of the plate, position of the bob); velocities of the plate are in its axes.

    The joint at the plate's centre of mass takes all forces and no part in the rotation, so that the
    translation of the plate is left out; with equal moments there is no gyroscopic torque.
    """

    mass = array([5 / 6] * 3 + [5.0] * 3)
    q, v = (numpy.eye(3), array([0, 1.3, 1.0])), array([0, 0, 0, -1.95, 0, 0])
    friction = array([0.3])
    pivot, length = array([0, 0, 1.0]), 1.3
    corners = array([[2.5, 2.5, 0], [-2.5, 2.5, 0], [-2.5, -2.5, 0], [2.5, -2.5, 0]])
    stiffness, damping, spring_length = 100.0, 1.0, 0.2

    def move(self, q, increment):
        return q[0] @ rotation(increment[:3]), q[1] + increment[3:]

    def springs(self, q):
        ends = self.corners @ q[0].T - (self.corners - [0, 0, self.spring_length])
        lengths = numpy.sqrt((ends * ends).sum(axis=1))
        return lengths, ends / lengths[:, None]

    def force(self, q, v, t):
        lengths, directions = self.springs(q)
        in_plate = directions @ q[0]  # the directions in the axes of the plate
        arms = cross(self.corners, in_plate)
        tension = self.stiffness * (lengths - self.spring_length) + self.damping * arms @ v[:3]
        return numpy.concatenate([-tension @ arms, [0, 0, -9.81 * 5]])

    def joints(self, q):
        link = q[1] - self.pivot
        length = math.sqrt(link @ link)
        return array([length - self.length]), array([[0, 0, 0, *(link / length)]])

    def contacts(self, q):
        d = q[0].T @ q[1]  # the bob as the plate sees it; normal z, tangents x and y
        rows = numpy.hstack([skew(d), q[0].T])
        return array([d[[2, 0, 1]]]), array([rows[[2, 0, 1]]])

    def energy(self, q, v):
        stretch = self.springs(q)[0] - self.spring_length
        return v @ (self.mass * v) / 2 + 9.81 * 5 * q[1][2] + self.stiffness * stretch @ stretch / 2


def pendulum_on_plate():
    model, plate = "001/pendulum-on-plate.toml", Plate()
    samples = list(run(plate, 1e-3, 3.0))
    times = [s[0] for s in samples]
    normal = [s[3][0, 0] for s in samples]
    impulse = "contacts/touch/normal_impulse"
    yield (model, impulse, {"measure": "first_time", "threshold": 1}, first_time(times, normal, 1))
    yield model, impulse, {"at": 0.506}, normal[505]
    yield (model, impulse, {"measure": "first_time", "from": 1.0, "threshold": 1e-9},
           first_time(times, normal, 1e-9, 1.0))
    for t in (0.6, 0.8, 1.5, 3.0):
        for axis, value in zip("xyz", samples[round(t * 1000) - 1][1][1]):
            yield model, f"bodies/bob/position/{axis}", {"at": t}, value
    turn = samples[599][1][0]
    scalar = math.sqrt(1 + turn.trace()) / 2
    twist = array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    for axis, value in zip("xyz", twist / (4 * scalar)):
        yield model, f"bodies/plate/orientation/{axis}", {"at": 0.6}, value
    yield model, "energy/total", {"at": 1.5}, plate.energy(*samples[1499][1:3])
    yield model, "contacts/touch/normal_force", {"at": 3.0}, normal[-1] / 1e-3
    slips = [t for t, _, _, p in samples
             if p[0, 0] > 0 and math.hypot(*p[0, 1:]) > 0.3 * p[0, 0] * (1 - 1e-9)]
    yield (model, "contacts/touch/status", {"measure": "last_time", "threshold": 1.5}, slips[-1])

    fine = list(run(plate, 1e-4, 0.52))
    changes = ["integrator.step=1e-4", "integrator.duration=0.52"]
    yield model, impulse, {"at": 0.5057, "set": changes}, fine[5056][3][0, 0]


def rows():
    for example in (rocking_rod, incline, spring_chain, pendulum_on_plate):
        yield from example()
