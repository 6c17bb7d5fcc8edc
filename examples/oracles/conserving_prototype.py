"""First steps of conserving contacts, from their equations alone.

Newton's method on all unknowns of a step at once, where the program sweeps over contacts and finds psi
for given impulses: 003/cradle. And the rigid limit, psi = 0, of the break of 55 balls, by sweeps
over all contacts, of which none opens: 003/billiards.
"""

import math

THE_SCHEME_MATTERS = True


def solve(A, b):
    n = len(b)
    M = [list(row) + [x] for row, x in zip(A, b)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(M[r][i]))
        M[i], M[p] = M[p], M[i]
        for r in range(i + 1, n):
            f = M[r][i] / M[i][i]
            M[r] = [x - f * y for x, y in zip(M[r], M[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (M[i][n] - sum(M[i][j] * x[j] for j in range(i + 1, n))) / M[i][i]
    return x


def cradle(K, xi, h, speed=1.0):
    """Velocities of three balls of 1 kg after the step in which both contacts act, gaps zero."""
    S = 4 * xi / (h * math.sqrt(K))
    G = ((-1, 1, 0), (0, -1, 1))
    v = (speed, 0.0, 0.0)

    def change(u):
        return [h * sum(G[c][i] * u[2 * c] * 1e3 for c in (0, 1)) for i in range(3)]

    def residual(u):
        dp = change(u)
        y = [[G[c][i] * dp[i] for i in range(3)] for c in (0, 1)]
        dq = [h * (v[i] + dp[i] / 2 + sum(u[2 * c + 1] * G[c][i] * y[c][i] for c in (0, 1)) / 2)
              for i in range(3)]
        out = []
        for c in (0, 1):
            F, psi = u[2 * c] * 1e3, u[2 * c + 1]
            s = sum(G[c][i] * dq[i] for i in range(3))
            d = sum(x * x for x in y[c])
            out.append(F * s - psi * d / 2)
            out.append((F + K * s / 2 * (s < 0) + (S - psi) * K * s / 2) / 1e3)
        return out

    u = [8 / 3 / 2 / h / 1e3, -4 / (h * h * K * (1 + S)), 4 / 3 / 2 / h / 1e3, -4 / (h * h * K * (1 + S))]
    for _ in range(60):
        r = residual(u)
        J = [[0.0] * 4 for _ in range(4)]
        for k in range(4):
            d = 1e-6 * max(1e-4, abs(u[k]))
            up, down = list(u), list(u)
            up[k] += d
            down[k] -= d
            for i, (a, b) in enumerate(zip(residual(up), residual(down))):
                J[i][k] = (a - b) / (2 * d)
        step = solve(J, r)
        u = [a - b for a, b in zip(u, step)]
        if max(abs(s) for s in step) < 1e-15:
            break
    dp = change(u)
    return [v[i] + dp[i] for i in range(3)]


def break_of_balls(cue_mass, rows=10, r=0.03, cue_radius=0.025, speed=10.0):
    """Velocities after one step with all contacts and u = 0 in each, by ball."""
    balls = [("a", 0.0, -(r + cue_radius), cue_mass)]
    balls += [(f"r{i}c{j}", (j - i / 2) * 2 * r, i * r * math.sqrt(3), 0.15)
              for i in range(rows) for j in range(i + 1)]
    pairs = []
    for i, a in enumerate(balls):
        for j in range(i + 1, len(balls)):
            dx, dy = balls[j][1] - a[1], balls[j][2] - a[2]
            distance = math.hypot(dx, dy)
            if distance < 2 * r * 1.01:
                pairs.append((i, j, dx / distance, dy / distance))
    v = [[0.0, speed if k == 0 else 0.0] for k in range(len(balls))]
    x = [0.0] * len(pairs)

    def speeds(p, start):
        mid = [list(z) if start else [0.0, 0.0] for z in v]
        for (i, j, nx, ny), f in zip(pairs, p):
            for k, sign in ((i, -1), (j, 1)):
                mid[k][0] += sign * nx * f / (2 * balls[k][3])
                mid[k][1] += sign * ny * f / (2 * balls[k][3])
        return [nx * (mid[j][0] - mid[i][0]) + ny * (mid[j][1] - mid[i][1])
                for i, j, nx, ny in pairs], mid

    # 0 <= x, u >= 0 by sweeps over the contacts
    mid = speeds(x, True)[1]
    for _ in range(20000):
        most = 0.0
        for c, (i, j, nx, ny) in enumerate(pairs):
            u = nx * (mid[j][0] - mid[i][0]) + ny * (mid[j][1] - mid[i][1])
            w = (1 / balls[i][3] + 1 / balls[j][3]) / 2
            f = max(0.0, x[c] - u / w)
            for k, sign in ((i, -1), (j, 1)):
                mid[k][0] += sign * nx * (f - x[c]) / (2 * balls[k][3])
                mid[k][1] += sign * ny * (f - x[c]) / (2 * balls[k][3])
            most = max(most, abs(f - x[c]))
            x[c] = f
        if most < 1e-10:
            break
    return {b[0]: (2 * m[0] - z[0], 2 * m[1] - z[1]) for b, m, z in zip(balls, mid, v)}


def rows():
    for K, xi in ((1e7, 10), (1e7, 50), (1e7, 100), (1e7, 200), (1e6, 200), (1e8, 200)):
        changes = [f"contact.click.compliance.stiffness={K:g}",
                   f"contact.click.compliance.damping_ratio={xi:g}"]
        for name, x in zip("abc", cradle(K, xi, 2.5e-4)):
            yield "003/cradle.toml", f"bodies/{name}/velocity/x", {"at": 2.5e-4, "set": changes}, x
    for mass in (0.15, 0.866):
        changes = ["contact.click.compliance.damping_ratio=2e8", "integrator.step=2.5e-6",
                   "integrator.duration=2.5e-6", f"body.a.mass={mass:g}"]
        after = break_of_balls(mass)
        for name in ("a", "r0c0", "r4c0", "r9c0", "r9c9", "r5c2", "r9c1"):
            for axis, x in zip("xy", after[name]):
                key = {"at": 2.5e-6, "set": changes}
                yield "003/billiards.toml", f"bodies/{name}/velocity/{axis}", key, x
