"""Two round arches of ten blocks, solids/arches: statics by linear programs, and a fall.

Statics: on each joint two normal forces, at the inner and the outer corner, and one along it, which
balance every block. Whether there are such forces, none pulling and within friction, and the
smallest and largest thrust, are linear programs.

Fall: the thin arch opens at its crown (hinge outside), at its haunches (inside) and at its feet
(outside) and stays symmetric, so that one angle describes it: that of the lower part of each half
about its foot.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import linprog

COUNT, THIN, THICK, DENSITY, GRAVITY, FRICTION, END = 10, 0.1, 0.115, 2000.0, 9.81, 0.7, 0.3
SECTOR = math.pi / COUNT


def block(thickness):
    """Mass, distance of its centre from that of the arch, and moment of inertia, of a trapezium."""
    inner, outer = 1 - thickness / 2, 1 + thickness / 2
    half = SECTOR / 2

    def triangle(r):  # from the centre of the arch: area, first and second moment
        area = r * r * math.sin(half) * math.cos(half)
        return np.array([area, area * 2 / 3 * r * math.cos(half),
                         area * r * r * (math.cos(half)**2 / 2 + math.sin(half)**2 / 6)])

    area, first, second = triangle(outer) - triangle(inner)
    return DENSITY * area, first / area, DENSITY * (second - first * first / area)


def thrusts(thickness):
    """Smallest and largest thrust, or None when the arch cannot stand."""
    inner, outer = 1 - thickness / 2, 1 + thickness / 2
    mass, distance, _ = block(thickness)
    unknowns = 3 * (COUNT + 1)
    balance, weights = np.zeros((3 * COUNT, unknowns)), np.zeros(3 * COUNT)
    for k in range(COUNT):
        middle = (k + 0.5) * SECTOR
        centre = distance * np.array([math.cos(middle), math.sin(middle)])
        weights[3 * k + 1] = mass * GRAVITY
        for joint, sign in ((k, 1.0), (k + 1, -1.0)):
            angle = joint * SECTOR
            along = np.array([math.cos(angle), math.sin(angle)])
            normal = np.array([-along[1], along[0]])
            for column, (radius, direction) in enumerate(((inner, normal), (outer, normal),
                                                          (1.0, along))):
                arm = radius * along - centre
                balance[3 * k:3 * k + 2, 3 * joint + column] += sign * direction
                balance[3 * k + 2, 3 * joint + column] += sign * (arm[0] * direction[1]
                                                                  - arm[1] * direction[0])
    slip = np.zeros((2 * (COUNT + 1), unknowns))
    for joint in range(COUNT + 1):
        for row, sign in ((2 * joint, 1.0), (2 * joint + 1, -1.0)):
            slip[row, 3 * joint:3 * joint + 3] = (-FRICTION, -FRICTION, sign)
    found = []
    for sign in (1.0, -1.0):
        goal = np.zeros(unknowns)
        goal[2] = -sign  # the abutment pushes the first block, at the right, along -x
        result = linprog(goal, A_ub=slip, b_ub=np.zeros(len(slip)), A_eq=balance, b_eq=weights,
                         bounds=[(0, None), (0, None), (None, None)] * (COUNT + 1), method="highs")
        if result.status != 0:
            return None
        found.append(-result.x[2])
    return tuple(found)


def critical_thickness():
    low, high = 0.05, 0.2
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if thrusts(middle) else (middle, high)
    return high


def cross(rate, arm):
    return rate * np.array([-arm[1], arm[0]])


def turned(vector, angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


class Fall:
    """The right half: blocks 1 and 2 turn about the foot, 3 to 5 hang between haunch and crown."""

    def __init__(self, thickness):
        inner, outer = 1 - thickness / 2, 1 + thickness / 2
        mass, distance, inertia = block(thickness)
        self.foot, self.crown = np.array([outer, 0.0]), np.array([0.0, outer])
        self.haunch = inner * np.array([math.cos(2 * SECTOR), math.sin(2 * SECTOR)])
        centres = [distance * np.array([math.cos((k + 0.5) * SECTOR), math.sin((k + 0.5) * SECTOR)])
                   for k in range(5)]
        self.parts = []
        for members in (centres[:2], centres[2:]):
            middle = sum(members) / len(members)
            self.parts.append((mass * len(members), middle, sum(
                inertia + mass * np.dot(c - middle, c - middle) for c in members)))

    def place(self, angle):
        """Angles of the two parts and the place of the haunch."""
        haunch = self.foot + turned(self.haunch - self.foot, angle)
        bar = self.crown - self.haunch
        length = math.hypot(*bar)
        rise = math.sqrt(length**2 - haunch[0]**2)  # the crown stays at x = 0
        upper = math.atan2(rise, -haunch[0]) - math.atan2(bar[1], bar[0])
        return haunch, upper, np.array([0.0, haunch[1] + rise])

    def centres(self, angle):
        haunch, upper, _ = self.place(angle)
        return (self.foot + turned(self.parts[0][1] - self.foot, angle),
                haunch + turned(self.parts[1][1] - self.haunch, upper))

    def effective(self, angle):
        """Mass per angle of the half, 2 T/rate^2, and its potential energy."""
        haunch, upper, crown = self.place(angle)
        speed = cross(1.0, haunch - self.foot)
        rate = speed[0] / (crown - haunch)[1]  # so that the crown does not move along x
        first, second = self.centres(angle)
        v = cross(1.0, first - self.foot), speed + cross(rate, second - haunch)
        (m1, _, i1), (m2, _, i2) = self.parts
        return (m1 * np.dot(v[0], v[0]) + i1 + m2 * np.dot(v[1], v[1]) + i2 * rate**2,
                GRAVITY * (m1 * first[1] + m2 * second[1]), rate)

    def solve(self):
        # (M rate)' = M' rate^2/2 - V', with derivatives by central differences
        def motion(_, s):
            d = 1e-5
            (m_plus, v_plus, _), (m_minus, v_minus, _) = (self.effective(s[0] + d),
                                                          self.effective(s[0] - d))
            mass = self.effective(s[0])[0]
            return [s[1], (-0.5 * (m_plus - m_minus) / (2 * d) * s[1]**2
                           - (v_plus - v_minus) / (2 * d)) / mass]

        return solve_ivp(motion, (0, END), [0.0, 0.0], rtol=1e-10, atol=1e-12).y[:, -1]


def rows():
    model = "solids/arches.toml"
    assert thrusts(THIN) is None, "the thin arch can stand"
    low, high = thrusts(THICK)
    force = "joints/right/force/x"  # on the abutment, towards the arch
    coupled = {"set": ["integrator.name=nsga_coupled"]}
    yield model, force, {"measure": "max", **coupled}, -low
    yield model, force, {"measure": "min", **coupled}, -high
    fall = Fall(THIN)
    angle, rate = fall.solve()
    mass, _, upper_rate = fall.effective(angle)
    haunch, upper, crown = fall.place(angle)
    yield model, "bodies/thin1/angle", {"at": END}, 0.5 * SECTOR + angle
    yield model, "bodies/thin2/angle", {"at": END}, 1.5 * SECTOR + angle
    yield model, "bodies/thin3/angle", {"at": END}, 2.5 * SECTOR + upper
    yield model, "bodies/thin5/angle", {"at": END}, 4.5 * SECTOR + upper
    yield model, "bodies/thin5/angular_velocity", {"at": END}, upper_rate * rate
    yield model, "bodies/thin6/angle", {"at": END}, 5.5 * SECTOR - upper
    yield model, "bodies/thin10/angle", {"at": END}, 9.5 * SECTOR - angle
    yield model, "energy/kinetic", {"at": END}, mass * rate**2


if __name__ == "__main__":
    print("critical thickness over radius:", critical_thickness())
