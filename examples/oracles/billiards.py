"""Billiard balls: 000/thirty-degree-rule, three-ball-chain, billiard-break, 004/single-collision.

The impacts are those of the limit of small steps: balls that lie on the cloth press on it while
they are struck, so the cloth takes part in the first impact; what closes then follows.
"""

import math

import numpy

from balls import Ball, Contact, Rolling, impacts_in_sequence, rolls_at

G = 9.8
UP = numpy.array([0, 0, 1.0])


def towards(from_ball, to_ball):
    d = to_ball.place - from_ball.place
    return d / numpy.linalg.norm(d)


def click(a, b, friction, restitution):
    return Contact(b, towards(a, b), friction, restitution, other=a)


# ---- A rolling ball strikes another one -------------------------------------------------------

def collision(fraction, speed, friction, restitution, radius=0.028575):
    mass = 0.17
    angle = math.asin(1 - fraction)
    make = lambda **state: Ball(mass, 0.4 * mass * radius ** 2, radius, **state)
    cue = make(velocity=[speed, 0, 0], turn=[0, speed / radius, 0])
    other = make(place=[2 * radius * math.cos(angle), -2 * radius * math.sin(angle), 0])
    cloth = [Contact(ball, UP, 0.2, 1.0) for ball in (cue, other)]
    contacts = cloth + [click(cue, other, friction, restitution)]
    impacts_in_sequence(contacts, contacts)
    return cue, other


ANGLE = "atan2(bodies/cue/velocity/y, bodies/cue/velocity/x)"


def thirty_degrees():
    model = "000/thirty-degree-rule.toml"
    for restitution, changes in ((1.0, []), (0.94, ["contact.click.restitution=0.94"])):
        changes = ["contact.click.friction=0.06"] + changes
        cue, _ = collision(0.5, 1.8, 0.06, restitution)
        final = rolls_at(cue, UP)
        yield model, ANGLE, {"at": 0.45, "set": changes}, math.atan2(final[1], final[0])
        yield (model, "bodies/cue/position/z", {"measure": "max", "set": changes},
               0.028575 + cue.velocity[2] ** 2 / (2 * G))


PLACES = {0: "[0.6, -0.05715, 0.028575]", 0.125: "[0.6276676247794692, -0.05000625, 0.028575]",
          0.25: "[0.6378011718568353, -0.0428625, 0.028575]",
          0.375: "[0.6446127044510586, -0.03571875, 0.028575]",
          0.5: "[0.6494933518262807, -0.028575, 0.028575]",
          0.625: "[0.6529794679421896, -0.02143125, 0.028575]",
          0.75: "[0.6553352495589384, -0.0142875, 0.028575]",
          0.875: "[0.656701757785253, -0.00714375, 0.028575]", 1: "[0.65715, 0.0, 0.028575]"}


def single_collision():
    model = "004/single-collision.toml"
    for fraction, place in PLACES.items():
        cue, other = collision(fraction, 5 / 7 * 2, 0.06, 0.93)
        final = rolls_at(cue, UP)
        key = {"at": 0.75, "set": ["body.object.position=" + place]}
        yield model, "bodies/cue/velocity/x", key, final[0]
        if 0 < fraction < 1:
            yield model, ANGLE, key, math.atan2(final[1], final[0])
        if fraction == 0.5:
            smaller, _ = collision(fraction, 5 / 7 * 2, 0.06, 0.93, radius=0.02855)
            final = rolls_at(smaller, UP)
            yield model, ANGLE, {"at": 0.75, "set": ["parameters.radius=0.02855"]}, math.atan2(final[1], final[0])
            for name, ball in (("cue", cue), ("object", other)):
                for axis, value in zip("xyz", ball.velocity):
                    yield model, f"bodies/{name}/velocity/{axis}", {"at": 0.3618}, value


# ---- Three balls in a row ---------------------------------------------------------------------

def three_balls():
    model = "000/three-ball-chain.toml"
    mass, inertia, radius = 0.185, 5.7e-5, 0.0283
    speed = 2 / (1 + inertia / (mass * radius ** 2))  # it has come to roll
    balls = [Ball(mass, inertia, radius, place=[2 * radius * k, 0, 0]) for k in range(3)]
    balls[0].velocity[0], balls[0].turn[1] = speed, speed / radius
    cloth = [Contact(ball, UP, 0.2) for ball in balls]
    clicks = [click(balls[k], balls[k + 1], 0.06, 1.0) for k in range(2)]
    impacts_in_sequence(cloth + clicks, cloth + clicks[:1])
    for k, ball in enumerate(balls, 1):
        for axis in (0, 2):
            yield (model, f"bodies/ball{k}/velocity/{'xyz'[axis]}", {"at": 0.3287},
                   ball.velocity[axis])
    for k in (1, 3):
        yield (model, f"bodies/ball{k}/position/z", {"measure": "max"},
               radius + balls[k - 1].velocity[2] ** 2 / (2 * G))
    yield model, "bodies/ball3/velocity/x", {"at": 1.0}, rolls_at(balls[2], UP)[0]


# ---- The break --------------------------------------------------------------------------------

MASS, INERTIA, RADIUS = 0.17, 5.5e-5, 0.028575


def broken_rack(rolling):
    """Balls 2 to 5 right after the impact, and its time."""
    way = 1.27 - 2 * RADIUS
    speed = math.sqrt(10.729 ** 2 - 2 * 0.2 * G * way)
    time = (10.729 - speed) / (0.2 * G)
    spin = (0.2 * RADIUS - rolling) * MASS * G * time / INERTIA
    aside = 0.635 + 2 * RADIUS * math.cos(math.pi / 6)
    make = lambda x, y: Ball(MASS, INERTIA, RADIUS, place=[x, y, RADIUS])
    balls = [make(0.635 - 2 * RADIUS, 0), make(0.635, 0), make(aside, RADIUS),
             make(aside, -RADIUS)]
    balls[0].velocity[0], balls[0].turn[1] = speed, spin
    cloth = [Contact(ball, UP, 0.2, rolling=rolling) for ball in balls]
    clicks = [click(balls[a], balls[b], 0.06, 0.93) for a, b in ((0, 1), (1, 2), (1, 3), (2, 3))]
    impacts_in_sequence(cloth + clicks, cloth + clicks[:1])
    return time, balls


def billiard_break():
    model = "000/billiard-break.toml"
    walls = [([1.27, 0, 0], [-1, 0, 0], 0.85), ([-1.27, 0, 0], [1, 0, 0], 0.85),
             ([0, -0.635, 0], [0, 1, 0], 0.85), ([0, 0.635, 0], [0, -1, 0], 0.85)]
    # Ball 4 meets ball 5, its mirror image, in the middle; they do not slip on each other.
    mirror = ([0, 0, 0], [0, 1, 0], 0.93)
    for rolling, changes in ((0.0, []), (0.005, ["contact.cloth.rolling_friction=0.005"])):
        time, balls = broken_rack(rolling)
        after = [("ball2", "velocity", 0), ("ball2", "velocity", 2), ("ball3", "velocity", 0),
                 ("ball4", "velocity", 0), ("ball4", "velocity", 1)]
        if not rolling:
            after += [("ball5", "velocity", 0), ("ball5", "velocity", 1)]
        instants = [0.1143] if rolling else [0.1143, 0.116, 0.1145]
        for name, _, axis in after:
            for at in instants:
                if name == "ball5" and at != 0.1143:
                    continue
                yield (model, f"bodies/{name}/velocity/{'xyz'[axis]}",
                       {"at": at, "set": changes}, balls[int(name[-1]) - 2].velocity[axis])
        if not rolling:
            yield (model, "bodies/ball2/angular_velocity/y", {"at": 0.1143}, balls[0].turn[1])
        moves = {}
        for k in (2, 3, 4):
            moves[k] = Rolling(balls[k - 2], UP, G, 0.2, rolling=rolling, time=time,
                               walls=walls + ([mirror] if k == 4 else []))
            moves[k].run(3.0 if rolling else 0.4)
        if rolling:  # no two balls meet but those
            for t in numpy.linspace(time + 0.01, 3, 3000):
                x = {k: moves[k].at(t)[0] for k in moves}
                assert min(numpy.linalg.norm(x[a] - x[b]) for a, b in ((2, 3), (2, 4), (3, 4))
                           ) > 2 * RADIUS
        for t in (0.2, 0.4):
            for k, part, axis in ((2, 0, 0), (2, 1, 0), (3, 0, 0), (3, 1, 0), (4, 0, 0), (4, 0, 1)):
                yield (model, f"bodies/ball{k}/{('position', 'velocity')[part]}/{'xyz'[axis]}",
                       {"at": t, "set": changes}, moves[k].at(t)[part][axis])
        if rolling:
            stop = moves[2].first("rests")
            yield (model, "bodies/ball2/position/x", {"at": 1.2, "set": changes},
                   moves[2].at(1.2)[0][0])
            yield (model, "bodies/ball2/velocity/x",
                   {"measure": "first_time", "threshold": -1e-9, "from": 0.2, "set": changes},
                   stop)
            for k in (4, 5):  # symmetric
                yield (model, f"contacts/cloth.ball{k}/rolling_status",
                       {"measure": "last_time", "threshold": 2, "set": changes},
                       moves[4].first("rests"))


def rows():
    yield from thirty_degrees()
    yield from single_collision()
    yield from three_balls()
    yield from billiard_break()
