"""Balls on a rough plane: impacts with friction, and the motion between them.

Impacts are solved by Gauss-Seidel on Newton's and Coulomb's laws in the limit of small steps; the
motion on the plane, which slides, rolls or rests, by Runge-Kutta with events. Nothing here steps
through contacts as the integrators of the program do.
"""

import math

import numpy
from scipy.integrate import solve_ivp


class Ball:
    def __init__(self, mass, inertia, radius, place=(0, 0, 0), velocity=(0, 0, 0), turn=(0, 0, 0)):
        self.mass, self.inertia, self.radius = mass, inertia, radius
        self.place = numpy.array(place, float)
        self.velocity = numpy.array(velocity, float)
        self.turn = numpy.array(turn, float)

    def push(self, impulse, normal):
        """An impulse at the point of the surface that the normal points away from."""
        self.velocity += impulse / self.mass
        self.turn += numpy.cross(-self.radius * normal, impulse) / self.inertia


class Contact:
    """Of a ball with another one, or with a plane that does not move; the normal points to `ball`.

    rolling and drilling [m] are the arms of the resistances, restitution and tangential those of
    Newton's law.
    """

    def __init__(self, ball, normal, friction=0.0, restitution=0.0, other=None, rolling=0.0,
                 drilling=0.0, tangential=0.0):
        self.ball, self.other = ball, other
        self.normal = numpy.array(normal, float)
        self.friction, self.restitution, self.tangential = friction, restitution, tangential
        self.rolling, self.drilling = rolling, drilling
        self.bodies = [ball] + ([other] if other else [])
        self.light_normal = sum(1 / b.mass for b in self.bodies)
        self.light_tangent = sum(1 / b.mass + b.radius ** 2 / b.inertia for b in self.bodies)

    def velocity(self):
        n, b, o = self.normal, self.ball, self.other
        u = b.velocity + numpy.cross(b.turn, -b.radius * n)
        return u - (o.velocity + numpy.cross(o.turn, o.radius * n) if o else 0)

    def approach(self):
        return self.velocity() @ self.normal

    def apply(self, impulse):
        self.ball.push(impulse, self.normal)
        if self.other:
            self.other.push(-impulse, -self.normal)

    def start(self):
        u = self.velocity()
        self.aim = -self.restitution * (u @ self.normal) * self.normal
        self.aim -= self.tangential * (u - (u @ self.normal) * self.normal)
        self.impulse = numpy.zeros(3)
        self.moment = numpy.zeros(3)
        self.size = numpy.linalg.norm(u) / self.light_normal
        self.size += max(b.inertia * numpy.linalg.norm(b.turn) / b.radius for b in self.bodies)

    def relax(self):
        """One step of Gauss-Seidel; returns how much changed."""
        n = self.normal
        gap = self.velocity() - self.aim
        normal = max(0.0, self.impulse @ n - gap @ n / self.light_normal)
        along = self.impulse - (self.impulse @ n) * n - (gap - (gap @ n) * n) / self.light_tangent
        size = numpy.linalg.norm(along)
        if size > self.friction * normal:
            along *= self.friction * normal / size
        new = normal * n + along
        change = new - self.impulse
        self.apply(change)
        self.impulse = new
        moment = self.moment.copy()
        if self.rolling or self.drilling:
            wish = self.moment - self.ball.inertia * self.ball.turn
            drill = numpy.clip(wish @ n, -self.drilling * normal, self.drilling * normal)
            roll = wish - (wish @ n) * n
            size = numpy.linalg.norm(roll)
            if size > self.rolling * normal:
                roll *= self.rolling * normal / size
            moment = roll + drill * n
            self.ball.turn += (moment - self.moment) / self.ball.inertia
        change = max(abs(change).max(), abs(moment - self.moment).max())
        self.moment = moment
        return change


def impact(contacts):
    """All of them at once, to some 500 times the rounding of the largest impulse."""
    for contact in contacts:
        contact.start()
    settled = 1e-13 * max(c.size for c in contacts)
    for _ in range(100000):
        if max([c.relax() for c in contacts]) <= settled:
            return
    raise RuntimeError("the impact did not settle")


def impacts_in_sequence(contacts, first):
    """First those given, then again and again all that close."""
    impact(first)
    for _ in range(1000):
        closing = [c for c in contacts if c.approach() < -1e-12]
        if not closing:
            return
        impact(closing)
    raise RuntimeError("the sequence of impacts did not end")


def rolls_at(ball, up):
    """Velocity with which it rolls in the end, when only sliding friction acts."""
    k = ball.inertia / (ball.mass * ball.radius ** 2)
    v = ball.velocity - (ball.velocity @ up) * up
    return (v + k * ball.radius * numpy.cross(ball.turn, up)) / (1 + k)


class Rolling:
    """A ball on a plane under its weight: slides, rolls, rests; bounces off walls and on the plane.

    walls: (point, normal, restitution), without friction; the run ends at one whose restitution is
    None. `log` tells what happened when.
    """

    def __init__(self, ball, up, gravity, friction, rolling=0.0, drilling=0.0, walls=(), time=0.0):
        self.ball, self.up, self.g = ball, numpy.array(up, float), gravity
        self.friction, self.rolling, self.drilling = friction, rolling, drilling
        self.walls = [(numpy.array(p, float), numpy.array(n, float), e) for p, n, e in walls]
        self.time, self.log, self.pieces = time, [], []

    def slip(self, y):
        return y[3:6] + numpy.cross(y[6:9], -self.ball.radius * self.up)

    def resistance(self, turn):
        n, weight = self.up, self.ball.mass * self.g
        about = turn @ n
        moment = 0 * n
        if abs(about) > 1e-12:
            moment = -self.drilling * weight * math.copysign(1, about) * n
        roll = turn - about * n
        size = numpy.linalg.norm(roll)
        return moment - self.rolling * weight * roll / size if size > 1e-12 else moment

    def rate(self, mode):
        b, n = self.ball, self.up

        def flight(_, y):
            return numpy.concatenate([y[3:6], -self.g * n, 0 * n])

        def slides(_, y):
            s = self.slip(y)
            force = -self.friction * b.mass * self.g * s / (numpy.linalg.norm(s) + 1e-300)
            torque = numpy.cross(-b.radius * n, force) + self.resistance(y[6:9])
            return numpy.concatenate([y[3:6], force / b.mass, torque / b.inertia])

        def rolls(_, y):
            moment = self.resistance(y[6:9])
            force = b.radius / b.inertia * numpy.cross(moment, n)
            force /= 1 / b.mass + b.radius ** 2 / b.inertia
            torque = numpy.cross(-b.radius * n, force) + moment
            return numpy.concatenate([y[3:6], force / b.mass, torque / b.inertia])

        return {"flight": flight, "slides": slides, "rolls": rolls,
                "rests": lambda _, y: numpy.zeros(9)}[mode]

    def run(self, end):
        b, n = self.ball, self.up
        while self.time < end - 1e-13:
            y = numpy.concatenate([b.place, b.velocity, b.turn])
            # What slides at 1e-9 m/s or less has just been made to roll, or comes out of an impact.
            mode = ("flight" if b.velocity @ n > 1e-9 else
                    "slides" if numpy.linalg.norm(self.slip(y)) > 1e-9 else
                    "rolls" if numpy.linalg.norm(b.velocity) > 1e-9 else "rests")
            self.log.append((self.time, mode))
            events = []
            if mode == "flight":
                height = b.place @ n
                events.append(lambda t, y: y[:3] @ n - height if t > self.time + 1e-9 else 1.0)
            if mode == "slides":
                events.append(lambda t, y: numpy.linalg.norm(self.slip(y)) - 1e-7)
            if mode == "rolls" and (self.rolling or self.drilling):
                events.append(lambda t, y: numpy.linalg.norm(y[3:6]) - 1e-7)
            drills = self.drilling > 0 and mode != "flight" and abs(b.turn @ n) > 1e-9
            if drills:
                sign = math.copysign(1, b.turn @ n)
                events.append(lambda t, y: sign * (y[6:9] @ n))
            for point, normal, _ in self.walls:
                events.append(lambda t, y, p=point, w=normal: (y[:3] - p) @ w - b.radius
                              if y[3:6] @ w < 0 else 1.0)
            for event in events:
                event.terminal, event.direction = True, -1
            s = solve_ivp(self.rate(mode), (self.time, end), y, method="DOP853", rtol=1e-10,
                          atol=1e-12, events=events, dense_output=True, max_step=0.02)
            self.pieces.append((self.time, s.t[-1], s.sol, mode))
            self.time, y = s.t[-1], s.y[:, -1]
            b.place, b.velocity, b.turn = y[:3].copy(), y[3:6].copy(), y[6:9].copy()
            struck = [k for k, found in enumerate(s.t_events) if len(found)]
            if not struck:
                return
            wall = struck[0] - (len(events) - len(self.walls))
            if wall >= 0:
                _, normal, e = self.walls[wall]
                if e is None:
                    return
                b.velocity -= (1 + e) * (b.velocity @ normal) * normal
                self.log.append((self.time, "wall"))
            elif drills and wall == -1:
                b.turn -= (b.turn @ n) * n
            elif mode == "flight":
                impact([Contact(b, n, self.friction, rolling=self.rolling,
                                drilling=self.drilling)])
            elif mode == "slides":
                # The rest of the slip, 1e-7 m/s, is gone at once.
                k = b.inertia / (b.mass * b.radius ** 2)
                spin = (b.turn @ n) * n
                b.velocity = (b.velocity + k * b.radius * numpy.cross(b.turn, n)) / (1 + k)
                b.turn = numpy.cross(n, b.velocity) / b.radius + spin
            else:
                b.velocity, b.turn = 0 * n, (b.turn @ n) * n

    def at(self, time):
        """Place and velocity."""
        for start, end, sol, _ in self.pieces:
            if start <= time <= end:
                y = sol(time)
                return y[:3], y[3:6]
        raise ValueError(time)

    def first(self, mode, after=0.0):
        return next(t for t, m in self.log if m == mode and t >= after)
