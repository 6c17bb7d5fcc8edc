"""When 002/hopper lands: a rigid leg in free fall, a root by bisection.

The common centre of mass falls freely while the leg moves as driven, so the hip is at
y = y0 - g t^2/2 + c (cos alpha - cos alpha0); the foot touches when y = 2 l cos alpha.
"""

import math

HIP, THIGH, SHANK, LENGTH, G = 3.0, 1.56, 0.142, 0.2, 9.81
C = (THIGH * LENGTH / 2 + 1.5 * SHANK * LENGTH) / (HIP + THIGH + SHANK)


def alpha(t):
    return math.pi / 3 - math.pi / 30 * (1 - math.cos(4 * math.pi * t))


def height_of_foot(t):
    hip = 0.31 - G * t * t / 2 + C * (math.cos(alpha(t)) - math.cos(alpha(0)))
    return hip - 2 * LENGTH * math.cos(alpha(t))


def rows():
    low, high = 0.0, 0.2
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if height_of_foot(middle) > 0 else (low, middle)
    yield ("002/hopper.toml", "contacts/foot/status", {"measure": "first_time", "threshold": 1},
           low)
