"""000/roller-crank-rigid and -flexible: the mechanism on rough ground, event by event.

Coordinates are the angles theta of the crank and phi of the chord of the rod, the rotation psi of
the roller and, for a rod that bends, amplitudes q_k of the vibration modes of a pinned beam, sines:
the point s of the rod is at pin + (s - u) e(phi) + w n(phi), with w = sum q_k sin(k pi s/l) and the
shortening u = integral of w_s^2/2 of a rod without extension. Shear and rotary inertia are counted
as in a Timoshenko beam. The equations of motion have the form
  M a + g = J_x F + J_y N,  y of the axle'' = 0,  I psi'' = F r + T,
and are solved with F = -mu N sign(slip) or slip' = 0, and T = -rho N sign(psi') or psi'' = 0.
They change at the zeros of slip, psi' and the reserves of friction. Runge-Kutta in between.
"""

import math

import numpy
from scipy.integrate import solve_ivp

G, MU, RADIUS = 9.8, 0.1, 0.05
CRANK, CRANK_MASS, CRANK_INERTIA = 0.1, 0.12, 0.002
ROD, ROLLER_MASS, ROLLER_INERTIA = 0.3, 0.1, 0.001
E, NU, DENSITY, AREA, SECOND_MOMENT, SHEAR = 4.14e9, 0.3, 7850.0, 1.1323e-4, 1.0685e-9, 5 / 6


class Mechanism:
    """The rod is (mass, moment about its centre) or a number of vibration modes."""

    def __init__(self, rolling, rod=None, modes=0):
        self.rolling, self.modes, self.size = rolling, modes, 2 + modes
        if modes == 0:  # two points with the same mass, centre and moment
            mass, inertia = rod
            arm = math.sqrt(inertia / mass)
            self.s, self.weights = ROD / 2 + arm * numpy.array([-1, 1]), [mass / 2, mass / 2]
        else:
            x, w = numpy.polynomial.legendre.leggauss(32)
            self.s = 0.5 * ROD * (x + 1)
            self.weights = 0.5 * ROD * w * DENSITY * AREA
        self.weights = numpy.append(self.weights, ROLLER_MASS)
        s = self.s = numpy.append(self.s, ROD)
        kappa = numpy.arange(1, modes + 1) * math.pi / ROD
        self.sines = numpy.sin(numpy.outer(s, kappa))
        # Integrals from 0 to s of the products of slopes.
        self.shortening = numpy.zeros((len(s), modes, modes))
        for i, p in enumerate(kappa):
            for j, q in enumerate(kappa):
                whole = s if i == j else numpy.sin((p - q) * s) / (p - q)
                self.shortening[:, i, j] = 0.5 * p * q * (whole + numpy.sin((p + q) * s) / (p + q))
        soft = 1 + E * SECOND_MOMENT * kappa ** 2 / (SHEAR * E / (2 * (1 + NU)) * AREA)
        self.stiffness = E * SECOND_MOMENT * kappa ** 4 * ROD / 2 / soft
        # Rotary inertia of sections that turn by phi + sum q_k kappa_k/soft_k cos(kappa_k s).
        self.rotary = numpy.zeros((self.size, self.size))
        if modes:
            slope = kappa / soft
            self.rotary[1, 1] = DENSITY * SECOND_MOMENT * ROD
            self.rotary[range(2, self.size), range(2, self.size)] = (
                DENSITY * SECOND_MOMENT * slope ** 2 * ROD / 2)

    def matrices(self, y):
        """Mass, generalised forces and the Jacobian of the axle with its acceleration's rest."""
        n = self.size
        theta, phi, q = y[0], y[1], y[2:n]
        u, v, qd = y[n], y[n + 1], y[n + 2:2 * n]
        e = numpy.array([math.cos(phi), math.sin(phi)])
        across = numpy.array([-e[1], e[0]])
        crank = numpy.array([math.cos(theta), math.sin(theta)])
        crank_across = numpy.array([-crank[1], crank[0]])
        short = self.shortening @ q  # of each point, per amplitude
        x, w = self.s - 0.5 * short @ q, self.sines @ q
        xd, wd = -short @ qd, self.sines @ qd
        count = len(self.s)
        J = numpy.empty((count, 2, n))
        J[:, :, 0] = CRANK * crank_across
        J[:, :, 1] = x[:, None] * across - w[:, None] * e
        for k in range(self.modes):
            J[:, :, 2 + k] = -short[:, k, None] * e + self.sines[:, k, None] * across
        rest = (-CRANK * u * u * crank - v * v * (x[:, None] * e + w[:, None] * across)
                + 2 * v * (xd[:, None] * across - wd[:, None] * e))
        if self.modes:
            rest -= numpy.einsum("i,kij,j->k", qd, self.shortening, qd)[:, None] * e
        mass = numpy.einsum("p,pia,pib->ab", self.weights, J, J) + self.rotary
        mass[0, 0] += CRANK_INERTIA + CRANK_MASS * CRANK ** 2 / 4
        pull = -rest
        pull[:, 1] -= G
        force = numpy.einsum("p,pia,pi->a", self.weights, J, pull)
        force[0] -= CRANK_MASS * G * CRANK / 2 * math.cos(theta)
        force[2:] -= self.stiffness * q
        return mass, force, J[-1], rest[-1], xd[-1]

    def slip(self, y):
        n = self.size
        J = self.matrices(y)[2]
        return J[0] @ y[n:2 * n] + RADIUS * y[2 * n]

    def solve(self, y, slides, turns):
        """Accelerations, N and F. slides: sign of the slip or 0; turns: sign of psi' or 0."""
        n = self.size
        mass, force, J, rest, _ = self.matrices(y)
        A = numpy.zeros((n + 3, n + 3))  # a, psi'', N, F
        b = numpy.zeros(n + 3)
        A[:n, :n], A[:n, n + 1], A[:n, n + 2], b[:n] = mass, -J[1], -J[0], force
        A[n, n] = ROLLER_INERTIA if turns else 1.0
        if turns:
            A[n, n + 1], A[n, n + 2] = self.rolling * turns, -RADIUS
        A[n + 1, :n], b[n + 1] = J[1], -rest[1]
        if slides:
            A[n + 2, n + 2], A[n + 2, n + 1] = 1.0, MU * slides
        else:
            A[n + 2, :n], A[n + 2, n], b[n + 2] = J[0], RADIUS, -rest[0]
        return numpy.linalg.solve(A, b)

    def modes_at(self, y, gave_way=False):
        """Which equations hold from here on; friction may just have reached its limit."""
        slip, psi = self.slip(y), y[2 * self.size]
        slides = 0 if abs(slip) < 1e-9 else math.copysign(1, slip)
        turns = 0 if self.rolling and abs(psi) < 1e-9 else math.copysign(1, psi) if psi else 1.0
        if not self.rolling:
            turns = 1.0
        if slides == 0:
            a = self.solve(y, 0, turns)
            if gave_way or abs(a[-1]) > MU * a[-2]:
                slides = -math.copysign(1, a[-1])  # friction gives way against what it would do
        return slides, turns

    def run(self, end, watch):
        """watch(t, N, F, y) is called on a fine grid; returns the pieces and what happened."""
        n = self.size
        theta, phi = math.pi / 2, -math.asin(CRANK / ROD)
        y = numpy.zeros(2 * n + 1)
        y[0], y[1], y[n], y[2 * n] = theta, phi, 4.0, 8.0
        t, gave_way, pieces, log = 0.0, False, [], []
        while t < end:
            slides, turns = self.modes_at(y, gave_way)
            log.append((t, slides, turns))

            def rate(_, y):
                a = self.solve(y, slides, turns)
                return numpy.concatenate([y[n:2 * n], a[:n + 1]])

            def slip_ends(_, y):
                return slides * self.slip(y)

            def grip_ends(_, y):
                a = self.solve(y, slides, turns)
                return MU * a[-2] - abs(a[-1])

            def turning_ends(_, y):
                return turns * y[2 * n]

            events = [slip_ends if slides else grip_ends]
            if self.rolling and turns:
                events.append(turning_ends)
            for event in events:
                event.terminal, event.direction = True, -1
            # Off the zero of the event that has just happened.
            lead = solve_ivp(rate, (t, min(t + 1e-8, end)), y, rtol=1e-10, atol=1e-12)
            s = solve_ivp(rate, (lead.t[-1], end), lead.y[:, -1], method="DOP853", rtol=1e-9,
                          atol=1e-11, events=events, dense_output=True, max_step=2e-3)
            pieces.append((t, s.t[-1], s.sol))
            for k in range(math.ceil(t / 2e-4), math.floor(s.t[-1] / 2e-4) + 1):
                z = s.sol(max(k * 2e-4, lead.t[-1]))
                a = self.solve(z, slides, turns)
                watch(k * 2e-4, a[-2], a[-1], z)
            t, y = s.t[-1], s.y[:, -1].copy()
            gave_way = slides == 0 and len(s.t_events[0]) > 0
            if len(events) == 2 and len(s.t_events[1]):
                y[2 * n] = 0.0
        return pieces, log

    def energy(self, y):
        n = self.size
        mass, _, _, _, _ = self.matrices(y)
        v = y[n:2 * n]
        kinetic = 0.5 * v @ mass @ v + 0.5 * ROLLER_INERTIA * y[2 * n] ** 2
        height = self.weights @ (CRANK * math.sin(y[0]) + self.s * math.sin(y[1]))
        return kinetic + G * (height + CRANK_MASS * CRANK / 2 * math.sin(y[0]))


def follow(mechanism, end):
    grid = []
    pieces, log = mechanism.run(end, lambda t, normal, drag, y: grid.append((t, normal, drag)))
    at = lambda t: next(sol(max(t, sol.t_min)) for start, stop, sol in pieces if start <= t <= stop)
    return grid, at, log


def slips_from(log, after, sign=None):
    """First time after which it slips, in a direction, or with sign 0 sticks."""
    return next(t for t, slides, _ in log if t >= after and (slides == sign if sign is not None
                                                              else slides != 0))


def stops_turning(log):
    return next(t for t, _, turns in log if turns == 0)


def rigid():
    model = "000/roller-crank-rigid.toml"
    mechanism = Mechanism(0.0, rod=(0.3, 0.002))
    grid, at, log = follow(mechanism, 2.0)
    for t in (0.05, 0.1, 0.2, 0.4, 0.6, 1.0, 2.0):
        yield model, "bodies/crank/angular_velocity", {"at": t}, at(t)[2]
        yield model, "bodies/roller/angular_velocity", {"at": t}, at(t)[4]
    force = "contacts/ground/tangential_force/1"
    yield model, force, {"at": 0.002}, grid[0][2]  # at the start; see the note
    yield model, "contacts/ground/normal_force", {"at": 0.002}, grid[0][1]
    for t in (0.05, 0.1, 0.2, 0.4):
        yield model, force, {"at": t}, min(grid, key=lambda g: abs(g[0] - t))[2]
    yield (model, "contacts/ground/normal_force", {"measure": "min", "from": 0.0015},
           min(g[1] for g in grid))
    slip, status = "contacts/ground/slip_velocity/1", "contacts/ground/status"
    first = {"measure": "first_time"}
    yield model, status, {"from": 0.0015, "threshold": 1.5, **first}, slips_from(log, 0.001)
    yield (model, slip, {"from": 0.2, "threshold": 0, "below": True, **first},
           slips_from(log, 0.2, -1))
    yield model, slip, {"from": 0.55, "threshold": 0, **first}, slips_from(log, 0.55, 1)
    stick = slips_from(log, 0.7, 0)
    yield model, status, {"from": 0.7, "threshold": 1.5, "below": True, **first}, stick
    yield model, status, {"from": 1.1, "threshold": 1.5, **first}, slips_from(log, 1.1)
    yield model, "energy/total", {"at": 2.0}, mechanism.energy(at(2.0))


def flexible():
    model = "000/roller-crank-flexible.toml"
    mechanism = Mechanism(0.01, modes=4)
    grid, at, log = follow(mechanism, 2.0)
    n = mechanism.size
    for t in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        yield model, "bodies/crank/angular_velocity", {"at": t}, at(t)[n]
        yield model, "bodies/roller/angular_velocity", {"at": t}, at(t)[2 * n]
    yield (model, "contacts/ground/normal_force", {"measure": "min", "from": 0.0002, "to": 0.6},
           min(g[1] for g in grid if 0.0002 <= g[0] <= 0.6))
    lowest = min(g[1] for g in grid if g[0] >= 0.0015)
    yield model, "contacts/ground/normal_force", {"measure": "min", "from": 0.0015}, lowest
    if lowest > 0:
        yield model, "contacts/ground/gap", {"measure": "max_abs"}, 0.0
    stop = {"measure": "first_time", "threshold": 1e-6, "below": True}
    yield model, "bodies/roller/angular_velocity", stop, stops_turning(log)

    # A thousand times as stiff: a rigid rod of the same mass and moment.
    changes = {"set": ["beam.rod.youngs_modulus=4.14e12"]}
    mass = DENSITY * AREA * ROD
    mechanism = Mechanism(0.01, rod=(mass, mass * ROD ** 2 / 12 + DENSITY * SECOND_MOMENT * ROD))
    grid, at, log = follow(mechanism, 2.0)
    for t in (0.1, 0.2, 0.4, 0.6, 1.0, 2.0):
        yield model, "bodies/crank/angular_velocity", {"at": t, **changes}, at(t)[2]
        yield model, "bodies/roller/angular_velocity", {"at": t, **changes}, at(t)[4]
    yield model, "bodies/roller/angular_velocity", {**stop, **changes}, stops_turning(log)
    for start, sign in ((0.1, 1), (0.4, -1), (0.6, 1), (0.9, -1)):
        yield (model, "contacts/ground/slip_velocity/1",
               {"measure": "first_time", "from": start, "threshold": 0, "below": sign < 0,
                **changes}, slips_from(log, start, sign))
    yield model, "energy/total", {"at": 2.0, **changes}, mechanism.energy(at(2.0))


def rows():
    yield from rigid()
    yield from flexible()
