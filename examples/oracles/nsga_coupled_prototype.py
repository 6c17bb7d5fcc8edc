"""The coupled scheme of 002 once more, short and slow, for one planar body with one contact.

The equations are those of docs/theory.md, "The coupled step"; no line is shared with the program.
Unknowns are (h a, U, Q/h, k/h, L_N, h l_N, L_F, h l_F), all of the unit of a velocity or a momentum.
Newton's method has the index sets of 002 and derivatives by the complex step, exact to round-off.
Also Moreau's method, with which 002 compares.

A prototype tells a wrong line of code. Whether the scheme is right, the other scripts tell.
"""

import math

import numpy
from numpy import array, zeros

import nsga_prototype

THE_SCHEME_MATTERS = True  # for check.py: changes of the integrator change these figures
NEWTON, TOLERANCE = 200, 1e-12
OPEN = (False, False, False, 0.0, 0.0, 0.0)  # what choose() gives for an open contact


class Ball:
    """q = (x, y, angle), on the floor y = 0."""

    mass, weight, radius = array([1.0, 1.0, 0.004]), array([0.0, -9.81, 0.0]), 0.1
    prox = 0.3  # r of 002
    q, friction = array([0.0, 1.0, 0.0]), 0.2
    rows = array([[0.0, 1.0, 0.0], [1.0, 0.0, radius]])

    def __init__(self, spin, restitution=0.0):
        self.u, self.restitution = array([0.0, 0.0, spin]), restitution

    def contact(self, q, u):
        """The gap, the normal and the tangential row, and their rates of change times u."""
        return q[1] - self.radius, self.rows, zeros(2)


class BallInCylinder(Ball):
    q, u, friction, restitution = array([-0.9, 1.0, 0.0]), zeros(3), 0.1, 0.0
    centre, bore = array([0.0, 1.0]), 1.0

    def __init__(self):
        pass

    def contact(self, q, u):
        inwards = self.centre - q[:2]
        distance = numpy.sqrt(inwards @ inwards)
        n = inwards / distance
        turn = -(u[:2] - n * (n @ u[:2])) / distance  # dn/dt
        rows = array([[n[0], n[1], 0.0], [n[1], -n[0], self.radius]])
        return (self.bore - self.radius - distance, rows,
                array([turn @ u[:2], turn[1] * u[0] - turn[0] * u[1]]))


class Rod:
    """Of half length 1, its end ahead on the floor."""

    mass, weight = array([1.0, 1.0, 1 / 3]), array([0.0, -10.0, 0.0])
    prox, friction, restitution = 0.1, 5 / 3, 0.0
    q, u = array([0.0, math.sin(math.radians(31)), math.radians(-31)]), array([30.0, 0.0, 0.0])

    def contact(self, q, u):
        sine, cosine = numpy.sin(q[2]), numpy.cos(q[2])
        rows = array([[0.0, 1.0, cosine], [1.0, 0.0, -sine]])
        return q[1] + sine, rows, -array([sine, cosine]) * u[2] ** 2


def first_forces(model):
    """Accelerations and forces of a contact that is closed and slides, or of an open one."""
    gap, rows, bias = model.contact(model.q, model.u)
    a = model.weight / model.mass
    if gap > 1e-12 or rows[0] @ model.u > 0:
        return a, zeros(2)
    pull = array([1.0, -model.friction * numpy.sign(rows[1] @ model.u)])
    effect = rows.T @ pull / model.mass
    force = max(0.0, -(rows[0] @ a + bias[0]) / (rows[0] @ effect)) * pull
    return a + rows.T @ force / model.mass, force


def run(model, h, duration, rho):
    """Yields t, q, u, the gap, percussions (N, F) and forces (N, F) at the end of every step."""
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + af - am
    beta = (gamma + 0.5) ** 2 / 4
    mass, mu, r = model.mass, model.friction, model.prox
    mean = lambda old_bar, old, new: (af * old + (1 - af) * new - am * old_bar) / (1 - am)
    q, u = model.q, model.u
    a, force = first_forces(model)
    a_bar, force_bar = a, force

    def evaluate(x):
        """All that the equations are made of."""
        s = {"a": x[:3] / h, "jump": x[3:6], "push": x[6:9] * h, "k": x[9] * h,
             "percussion": x[[10, 12]], "force": x[[11, 13]] / h}
        s["a_bar"], s["force_bar"] = mean(a_bar, a, s["a"]), mean(force_bar, force, s["force"])
        s["u"] = u + h * ((1 - gamma) * a_bar + gamma * s["a_bar"]) + s["jump"]
        s["q"] = q + h * u + h * h * ((0.5 - beta) * a_bar + beta * s["a_bar"]) + s["push"]
        s["gap"], s["rows"], bias = model.contact(s["q"], s["u"])
        s["impulse"] = s["percussion"] + h * ((1 - gamma) * force_bar + gamma * s["force_bar"])
        s["k_hat"] = s["k"] + h * h * ((0.5 - beta) * force_bar[0] + beta * s["force_bar"][0])
        s["rate"] = s["rows"] @ s["u"]
        s["xi"] = s["rate"] + array([model.restitution, 0.0]) * (s["rows"] @ u)
        s["acceleration"] = s["rows"] @ s["a"] + bias
        return s

    def choose(s):
        """The index sets: closed at the three levels, and the directions of friction (0: sticks)."""
        closed = r * s["gap"] - s["k_hat"] <= 0
        pressed = closed and r * s["xi"][0] - s["impulse"][0] <= 0
        held = pressed and r * s["acceleration"][0] - s["force"][0] <= 0
        trial = r * s["xi"][1] - s["impulse"][1]
        slip = 0.0 if abs(trial) <= mu * s["impulse"][0] else numpy.sign(trial)
        trial = r * s["acceleration"][1] - s["force"][1]
        start = 0.0 if abs(trial) <= mu * s["force"][0] else numpy.sign(trial)
        way = numpy.sign(s["rate"][1])
        return closed, pressed, held, slip, start, way

    def residual(s, sets):
        closed, pressed, held, slip, start, way = sets
        rows, (impulse_n, impulse_f), (force_n, force_f) = s["rows"], s["impulse"], s["force"]
        friction_push = h / 2 * rows[1] * s["percussion"][1]
        if not pressed:  # what its forces did before is taken back
            friction_push = -h * h * rows[1] * ((0.5 - beta) * force_bar[1] + beta * s["force_bar"][1])
        if not closed:
            law_f, law_af = impulse_f, h * force_f
        elif slip:
            law_f, law_af = impulse_f + mu * impulse_n * slip, h * (force_f + mu * force_n * way)
        else:
            law_f = s["xi"][1]
            law_af = h * (force_f + mu * force_n * start if start else s["acceleration"][1])
        return numpy.concatenate([
            h * (mass * s["a"] - model.weight - rows.T @ s["force"]),
            mass * s["jump"] - rows.T @ s["percussion"],
            (mass * s["push"] - rows[0] * s["k"] - friction_push) / h,
            [(s["gap"] if closed else s["k_hat"]) / h, s["xi"][0] if pressed else impulse_n,
             h * (s["acceleration"][0] if held else force_n), law_f, law_af]])

    def newton(x, first=None):
        for iteration in range(NEWTON):
            s = evaluate(x)
            sets = first if first and iteration == 0 else choose(s)
            wrong = residual(s, sets)
            if abs(wrong).max() <= TOLERANCE * (1 + abs(x).max()):
                return s
            matrix = array([residual(evaluate(x + 1e-30j * e), sets).imag * 1e30
                            for e in numpy.eye(14)]).T
            x = x - numpy.linalg.solve(matrix, wrong)
        return None

    for step in range(1, round(duration / h) + 1):
        # The motion goes on as it was; if that leads nowhere, the contact is first taken as open.
        start = zeros(14)
        start[:3], start[[11, 13]] = h * a, h * force
        s = newton(start) or newton(start, OPEN)
        if not s:
            raise RuntimeError(f"Newton's method fails at {step * h:g} s")
        q, u, a, a_bar = s["q"], s["u"], s["a"], s["a_bar"]
        force, force_bar = s["force"], s["force_bar"]
        if not choose(s)[1]:  # an open contact leaves nothing behind
            a_bar, force_bar = a_bar - s["rows"].T @ force_bar / mass, zeros(2)
        yield step * h, q, u, s["gap"], s["percussion"], force


def moreau(model, h, duration):
    """The gaps at the ends of the steps of Moreau's method, theta = 1/2."""
    q, u = model.q, model.u
    for _ in range(round(duration / h)):
        gap, rows, _ = model.contact(q + h / 2 * u, u)
        rows = rows[None, :, :] if gap <= 1e-10 else zeros((0, 2, 3))
        change, _, _ = nsga_prototype.solve(
            model.mass, h * model.weight, zeros((0, 3)), zeros(0), rows,
            rows @ u, array([model.friction] * len(rows)), zeros((len(rows), 2)))
        q, u = q + h * (u + change / 2), u + change
        yield model.contact(q, u)[0]


def bouncing_ball():
    model, ball = "002/bouncing-ball.toml", "bodies/ball/"
    normal, tangential = "contacts/floor/normal_percussion", "contacts/floor/tangential_percussion/1"
    for changes, h, spin in (([], 2e-3, 50), (["integrator.step=5e-4"], 5e-4, 50),
                             (["body.ball.angular_velocity=10"], 2e-3, 10)):
        samples = list(run(Ball(spin), h, 1.1, 0.5))
        yield model, ball + "position/x", {"at": 1.1, "set": changes}, samples[-1][1][0]
        yield model, ball + "angle", {"at": 1.1, "set": changes}, samples[-1][1][2]
        if not changes:
            yield model, normal, {"measure": "max"}, max(s[4][0] for s in samples)
            yield model, tangential, {"measure": "min"}, min(s[4][1] for s in samples)
    changes = ["body.ball.angular_velocity=0", "contact.floor.restitution=0.5", "integrator.duration=1.5"]
    samples = list(run(Ball(0, 0.5), 2e-3, 1.5, 0.5))
    yield model, normal, {"measure": "max", "set": changes}, max(s[4][0] for s in samples)


def ball_in_cylinder():
    model = "002/ball-in-cylinder.toml"
    samples = list(run(BallInCylinder(), 1e-2, 4, 0.5))
    for t in (0.5, 1.0, 2.0, 4.0):
        _, q, *_ = samples[round(t * 100) - 1]
        yield model, "bodies/ball/position/x", {"at": t}, q[0]
        yield model, "bodies/ball/angle", {"at": t}, q[2]
    for changes, h in (([], 1e-2), (["integrator.step=1e-3"], 1e-3)):
        key = {"measure": "min", "set": ["integrator.name=moreau", *changes]}
        yield model, "contacts/cylinder/gap", key, min(moreau(BallInCylinder(), h, 4))


def painleve_rod():
    model, gap = "002/painleve-rod.toml", "contacts/floor/gap"
    for changes, h in (([], 8e-4), (["integrator.step=4e-4"], 4e-4)):
        samples = list(run(Rod(), h, 1.5, 0.9))
        yield (model, gap, {"measure": "first_time", "threshold": 1e-9, "set": changes},
               next(s[0] for s in samples if s[3] >= 1e-9))
        if not changes:
            _, _, u, _, _, force = samples[999]
            yield model, "bodies/rod/angular_velocity", {"at": 0.8}, u[2]
            yield model, "contacts/floor/normal_force", {"at": 0.8}, force[0]
            yield model, "bodies/rod/angular_velocity", {"at": 1.5}, samples[-1][2][2]


def rows():
    for example in (bouncing_ball, ball_in_cylinder, painleve_rod):
        yield from example()
