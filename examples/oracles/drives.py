"""Drives, examples/drives: each motion by its own equations, from event to event.

Between events all is smooth and integrated by Runge and Kutta's classical method with steps so short that halving
them changes nothing that is compared; when a body that slides comes to rest, or one that rests tears off, is found
by bisection within such a step.
"""

import cmath
import csv
import math
import pathlib

G = 9.81


def sampled_speed(part, samples, delay=2):
    """Errors of speed at the samples: e(k+1) = e(k) - kappa e(k - delay)."""
    kappa = part * 2 * math.sin(math.pi / (2 * (2 * delay + 1)))
    e = [1.0]
    for k in range(samples):
        e.append(e[k] - (kappa * e[k - delay] if k >= delay else 0.0))
    return e[samples]


def step_of(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
    k3 = f(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
    k4 = f(t + h, [a + h * b for a, b in zip(y, k3)])
    return [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]


def with_friction(slides, sticks, slip, holds, leaves, t, y, end, h, watch=None):
    """Integrates slides(t, y, sign) and sticks(t, y); slip(t, y) is the speed of slip, holds(t, y) the force that would
    hold it, as a part of what it can be: it tears off where that passes +-1, the way leaves(...) tells."""
    def sign_at(t, y):
        s = slip(t, y)
        return 0 if s == 0.0 else int(math.copysign(1, s))

    mode = sign_at(t, y)
    if mode == 0 and abs(holds(t, y)) > 1:
        mode = leaves(t, y)
    while t < end - 1e-12:
        now = min(h, end - t)
        f = (lambda t, y: sticks(t, y)) if mode == 0 else (lambda t, y, m=mode: slides(t, y, m))

        def over(t, y):
            return abs(holds(t, y)) > 1 if mode == 0 else slip(t, y) * mode < 0

        z = step_of(f, t, y, now)
        if over(t + now, z):
            low, high = 0.0, now
            for _ in range(60):
                middle = 0.5 * (low + high)
                z = step_of(f, t, y, middle)
                low, high = (low, middle) if over(t + middle, z) else (middle, high)
            z = step_of(f, t, y, high)
            t, y = t + high, z
            if mode == 0:
                mode = leaves(t, y)
            else:
                mode = 0 if abs(holds(t, y)) <= 1 else leaves(t, y)
        else:
            t, y = t + now, z
        if watch:
            watch(t, y)
    return y


def cart_pendulum(end, h=2e-4):
    M, m, l, F = 1.0, 0.2, 0.3, 0.8
    k1, k2, k3, k4 = 4.0, 6.0, 50.0, 9.0
    inertia = m * l * l / 3 + m * l * l

    def accelerations(y, push):
        x, phi, v, w = y
        # (M + m) x'' - m l cos phi'' = push - m l sin w^2;  - m l cos x'' + inertia phi'' = m g l sin
        a, b, d = M + m, -m * l * math.cos(phi), inertia
        p, q = push - m * l * math.sin(phi) * w * w, m * G * l * math.sin(phi)
        det = a * d - b * b
        return (d * p - b * q) / det, (a * q - b * p) / det

    def drive(y):
        return k1 * y[0] + k2 * y[2] - k3 * y[1] - k4 * y[3]

    def slides(t, y, sign):
        a, b = accelerations(y, drive(y) - F * sign)
        return [y[2], y[3], a, b]

    def sticks(t, y):
        return [0.0, y[3], 0.0, m * G * l * math.sin(y[1]) / inertia]

    def needed(t, y):
        # x'' = 0: the force that is needed besides the drive
        b = m * G * l * math.sin(y[1]) / inertia
        hold = -m * l * math.cos(y[1]) * b + m * l * math.sin(y[1]) * y[3] ** 2 - drive(y)
        return hold / F

    seen = []
    y = with_friction(slides, sticks, lambda t, y: y[2], needed,
                      lambda t, y: -1 if needed(t, y) > 0 else 1, 0.0, [0.0, -0.1, 0.0, 0.0], end, h,
                      lambda t, y: seen.append((t, y)))
    return y, seen


class Spline:
    """Natural cubic spline."""

    def __init__(self, points):
        self.x, self.y = zip(*points)
        n = len(points)
        a, b, c, d = [0.0] * n, [1.0] * n, [0.0] * n, [0.0] * n
        for i in range(1, n - 1):
            h, k = self.x[i] - self.x[i - 1], self.x[i + 1] - self.x[i]
            a[i], b[i], c[i] = h / 6, (h + k) / 3, k / 6
            d[i] = (self.y[i + 1] - self.y[i]) / k - (self.y[i] - self.y[i - 1]) / h
        for i in range(1, n):
            f = a[i] / b[i - 1]
            b[i], d[i] = b[i] - f * c[i - 1], d[i] - f * d[i - 1]
        self.m = [0.0] * n
        self.m[-1] = d[-1] / b[-1]
        for i in range(n - 2, -1, -1):
            self.m[i] = (d[i] - c[i] * self.m[i + 1]) / b[i]

    def at(self, t):
        i = min(max(0, int((t - self.x[0]) / (self.x[1] - self.x[0]))), len(self.x) - 2)
        while t < self.x[i]:
            i -= 1
        while i < len(self.x) - 2 and t >= self.x[i + 1]:
            i += 1
        h = self.x[i + 1] - self.x[i]
        p, q = (self.x[i + 1] - t) / h, (t - self.x[i]) / h
        m0, m1 = self.m[i], self.m[i + 1]
        value = p * self.y[i] + q * self.y[i + 1] + ((p**3 - p) * m0 + (q**3 - q) * m1) * h * h / 6
        rate = ((self.y[i + 1] - self.y[i]) / h +
                (-(3 * p * p - 1) * m0 + (3 * q * q - 1) * m1) * h / 6)
        return value, rate, p * m0 + q * m1


def shaken_block(end, h=5e-4, mu=0.15):
    with open(pathlib.Path(__file__).parent.parent / "drives" / "record.csv") as file:
        rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")][1:]
    record = Spline([(float(t), 1e-3 * float(x)) for t, x in rows])

    def slip(t, y):
        s = y[1] - record.at(t)[1]
        return 0.0 if abs(s) < 1e-15 else s

    def needed(t, y):
        return record.at(t)[2] / (mu * G)

    start = [record.at(0.0)[0], record.at(0.0)[1]]
    return with_friction(lambda t, y, sign: [y[1], -mu * G * sign],
                         lambda t, y: [y[1], record.at(t)[2]],
                         slip, needed, lambda t, y: -1 if needed(t, y) > 0 else 1,
                         0.0, start, end, h)


def squealing_pad(mu, t, start=1e-4):
    """Two modes that friction couples: x'' + Kxx x + (Kxz - mu k) z = 0, z'' + Kxz x + Kzz z = -press."""
    k1, k2, k, press = 11.0, 20.0, 20.0, 10.0
    xx, xz, zz = 0.75 * (k1 + k2), (k2 - k1) * math.sqrt(3) / 4, 0.25 * (k1 + k2) + k
    by_friction = xz - mu * k
    x0 = by_friction * press / (xx * zz - xz * by_friction)
    root = cmath.sqrt((xx - zz) ** 2 + 4 * xz * by_friction)
    one, two = (xx + zz + root) / 2, (xx + zz - root) / 2
    b = (xx - one) * start / (two - one)
    swing = (start - b) * cmath.cos(cmath.sqrt(one) * t) + b * cmath.cos(cmath.sqrt(two) * t)
    return x0 + swing.real


def solved(a, b):
    """The solution of a few linear equations."""
    n = len(b)
    rows = [row[:] + [x] for row, x in zip(a, b)]
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[p] = rows[p], rows[i]
        for k in range(i + 1, n):
            f = rows[k][i] / rows[i][i]
            for j in range(i, n + 1):
                rows[k][j] -= f * rows[i][j]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x


def slider_crank_friction(end, parts=400):
    """A slider-crank that runs out by the friction of its joints: forces of pins and guide by Newton's and Euler's equations
    of each body, the angle of the crank for time. Between quarters of a turn no joint changes its direction."""
    r, l = 0.1, 0.3
    J, m_r, J_r, m_s = 0.02, 0.5, 0.004, 1.0
    crank_pin, mu_A, r_A, rod_pin, mu = 0.05, 0.2, 0.01, 0.02, 0.15

    def acceleration(theta, w, side):
        """`side`: of the signs of the slider's and the rod's rates, those in the middle of the quarter."""
        s, c = math.sin(theta), math.cos(theta)
        sf = -r / l * s
        cf = math.sqrt(1 - sf * sf)
        # Derivatives by theta: l cos(phi) phi' = -r cos, and once more.
        f1 = -r * c / (l * cf)
        f2 = (r * s + l * sf * f1 * f1) / (l * cf)
        x1, x2 = -r * s - l * sf * f1, -r * c - l * cf * f1 * f1 - l * sf * f2
        cx1, cx2 = -r * s - l / 2 * sf * f1, -r * c - l / 2 * (cf * f1 * f1 + sf * f2)
        cy1, cy2 = r * c + l / 2 * cf * f1, -r * s + l / 2 * (-sf * f1 * f1 + cf * f2)
        slide, turn = side
        N = A = 0.0
        for _ in range(100):
            pin_A = mu_A * r_A * A  # on the crank, forward: the rod turns slower
            # alpha, A on the rod, B on the slider, N on the slider
            a = [[J, r * -s, r * c, 0, 0, 0],
                 [m_r * cx1, -1, 0, 1, 0, 0],
                 [m_r * cy1, 0, -1, 0, 1, 0],
                 [J_r * f1, -l / 2 * sf, l / 2 * cf, -l / 2 * sf, l / 2 * cf, 0],
                 [m_s * x1, 0, 0, -1, 0, 0],
                 [0, 0, 0, 0, 1, 1]]
            b = [-crank_pin - pin_A,
                 -m_r * cx2 * w * w,
                 -m_r * cy2 * w * w,
                 -J_r * f2 * w * w + pin_A - rod_pin * turn,
                 -m_s * x2 * w * w - mu * N * slide,
                 0]
            z = solved(a, b)
            before = N, A
            N, A = abs(z[5]), math.hypot(z[1], z[2])
            if abs(N - before[0]) + abs(A - before[1]) < 1e-13 * (1 + N + A):
                break
        return z[0]

    theta, w, t, quarter = 0.0, 20.0, 0.0, 0
    while True:
        h = math.pi / 2 / parts
        middle = (quarter + 0.5) * math.pi / 2
        side = (-1 if math.sin(middle) > 0 else 1, -1 if math.cos(middle) > 0 else 1)
        f = lambda x, y: [acceleration(x, y[0], side) / y[0], 1 / y[0]]
        for _ in range(parts):
            w1, t1 = step_of(f, theta, [w, t], h)
            if t1 >= end:
                low, high = 0.0, h
                for _ in range(60):
                    half = 0.5 * (low + high)
                    if step_of(f, theta, [w, t], half)[1] < end:
                        low = half
                    else:
                        high = half
                return theta + low, step_of(f, theta, [w, t], low)[0]
            theta, w, t = theta + h, w1, t1
        quarter += 1
        theta = quarter * math.pi / 2


def crane(end, h=1e-3):
    """The load on a rope of constant length under a trolley: angle from the vertical, and its rate."""
    def acceleration(t):
        return 2 * math.pi / 3 * math.sin(2 * math.pi * t / 3) if t < 3 else 0.0

    def f(t, y):
        return [y[1], -(G * math.sin(y[0]) + acceleration(t) * math.cos(y[0])) / 4]

    y = [0.0, 0.0]
    for k in range(round(end / h)):
        y = step_of(f, k * h, y, h)
    return y


def rows():
    model = "drives/sampled-speed.toml"
    error = "controllers/speed/error"
    yield model, error, {"at": 10.0}, sampled_speed(1.0, 1000)
    for part in (0.95, 1.05):
        yield model, error, {"at": 5.0, "set": [f"parameters.part={part}"]}, sampled_speed(part, 500)
    y, seen = cart_pendulum(20.0)
    model = "drives/cart-pendulum.toml"
    yield model, "bodies/pole/angle", {"measure": "max", "from": 12.0}, max(y[1] for t, y in seen if t >= 12)
    yield model, "bodies/cart/position/x", {"measure": "max", "from": 12.0}, max(y[0] for t, y in seen if t >= 12)
    yield model, "bodies/cart/position/x", {"at": 2.0}, cart_pendulum(2.0)[0][0]
    yield "drives/shaken-block.toml", "bodies/block/position/x", {"at": 8.0}, shaken_block(8.0)[0]
    for mu in (0.2, 0.25, 0.27, 0.4):
        yield ("drives/brake-squeal.toml", "bodies/pad/position/x", {"at": 20.0, "set": [f"parameters.mu={mu:g}"]},
               squealing_pad(mu, 20.0))
    yield "drives/crane.toml", "bodies/load/position/x", {"at": 2.0}, (2 - 3 * math.sin(4 * math.pi / 3) / (2 * math.pi) +
                                                                       4 * math.sin(crane(2.0)[0]))
    yield "drives/crane.toml", "bodies/load/position/x", {"at": 6.0}, 3 + 4 * math.sin(crane(6.0)[0])
    angle, rate = slider_crank_friction(0.5)
    yield "drives/slider-crank-friction.toml", "joints/bearing/coordinate", {"at": 0.5}, angle
    yield "drives/slider-crank-friction.toml", "joints/bearing/velocity", {"at": 0.5}, rate


if __name__ == "__main__":
    for row in rows():
        print(*row)
