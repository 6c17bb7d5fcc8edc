"""000/ball-and-wall: the ball slides, strikes the wall, slides on, rolls and stops.

The motion on the floor by Runge-Kutta, with sliding friction, resistance to rolling and to
drilling; impacts on the wall and, after a hop, on the floor by Newton's and Coulomb's laws.
"""

import numpy

from balls import Ball, Contact, Rolling, impact

UP = numpy.array([0, 1.0, 0])
FLOOR = {"friction": 0.2, "rolling": 0.04, "drilling": 0.0167}
WALL = [-1.0, 0, 0]
MODEL = "000/ball-and-wall.toml"


def solve(friction, tangential):
    ball = Ball(1309, 131, 0.5, place=[0, 0.5, 0], velocity=[1.5, 0, 1.5])
    before = Rolling(ball, UP, 9.8, **FLOOR, walls=[([1, 0, 0], WALL, None)])
    before.run(1.0)
    impact([Contact(ball, WALL, friction, 1.0, tangential=tangential),
            Contact(ball, UP, **FLOOR)])
    spin, lift = ball.turn @ UP, ball.velocity @ UP
    after = Rolling(ball, UP, 9.8, **FLOOR, time=before.time)
    after.run(3.0)
    return spin, lift, after


def rows():
    for friction, tangential, changes, start in (
            (0.0, 0.0, [], 0.5),
            (0.2, 1.0, ["contact.wall.friction=0.2", "contact.wall.tangential_restitution=1"],
             0.55)):
        spin, lift, after = solve(friction, tangential)
        key = {"measure": "first_time", "from": start, "threshold": 1.5, "below": True,
               "set": changes}
        yield MODEL, "contacts/floor/status", key, after.first("rolls")
        yield MODEL, "contacts/floor/rolling_status", key, after.first("rests")
        if friction:
            highest = {"measure": "max", "set": changes}
            yield MODEL, "contacts/floor/drilling_velocity", highest, spin
            yield MODEL, "contacts/floor/gap", highest, lift ** 2 / (2 * 9.8)
