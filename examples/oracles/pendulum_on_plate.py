"""The first contact of 001/pendulum-on-plate: spherical pendulum, then one impact with friction.

Until then the plate rests. The impact holds the length of the link, stops the approach of bob and
plate, and slips: friction is mu times the normal impulse against the slip after the impact.
"""

import math

import numpy
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

MASS, INERTIA, G, MU = 5.0, 5.0 / 6.0, 9.81, 0.3
PIVOT, LENGTH = numpy.array([0, 0, 1.0]), 1.3
MODEL = "001/pendulum-on-plate.toml"


def rate(_, y):
    link, velocity = y[:3] - PIVOT, y[3:]
    weight = numpy.array([0, 0, -G])
    tension = (velocity @ velocity + link @ weight) / LENGTH ** 2
    return numpy.concatenate([velocity, weight - tension * link])


def lands(_, y):
    return y[2]


lands.terminal, lands.direction = True, -1


def after(place, velocity, direction):
    """Normal impulse and slip after it when friction acts along a direction."""
    link = (place - PIVOT) / LENGTH
    pull = numpy.array([MU * math.cos(direction), MU * math.sin(direction), 1.0])
    on_bob = (pull - link * (link @ pull)) / MASS  # the link takes what is along it
    on_plate = numpy.cross(-numpy.cross(place, pull) / INERTIA, place)
    relative = on_bob - on_plate
    impulse = -velocity[2] / relative[2]
    return impulse, (velocity + impulse * relative)[:2]


def rows():
    solution = solve_ivp(rate, (0, 1), [0, 1.3, 1, -1.95, 0, 0], method="DOP853", rtol=1e-12,
                         atol=1e-13, events=lands)
    place, velocity = solution.y[:3, -1], solution.y[3:, -1]
    guess = math.atan2(-velocity[1], -velocity[0])

    def turned(direction):  # friction is opposite to the slip
        slip = after(place, velocity, direction)[1]
        return math.cos(direction) * slip[1] - math.sin(direction) * slip[0]

    direction = brentq(turned, guess - 0.5, guess + 0.5, xtol=1e-14)
    impulse, _ = after(place, velocity, direction)
    yield (MODEL, "contacts/touch/normal_impulse", {"measure": "first_time", "threshold": 1},
           solution.t[-1])
    at = {"at": 0.5057}
    yield MODEL, "contacts/touch/normal_impulse", at, impulse
    for tangent, part in ((1, math.cos(direction)), (2, math.sin(direction))):
        yield MODEL, f"contacts/touch/tangential_impulse/{tangent}", at, MU * part * impulse
