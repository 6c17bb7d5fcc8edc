"""Discs that bounce between walls by Newmark's method with a penalty, one coordinate at a time.

003/bouncing-disc and 003/carom without the conserving scheme: walls push with K times how deep they
are, in their own coordinate. Each step is solved by trying both states of the wall at its end, as
003 6.2 has it; accelerations at the start of a step are those that the step before ended with.
"""

K, STEP = 1e6, 2.5e-3
TRAP, MAX_DAMPING = (0.5, 0.25), (1.0, 0.49)
CHANGES = {TRAP: ["integrator.name=newmark"],
           MAX_DAMPING: ["integrator.name=newmark", "integrator.gamma=1", "integrator.beta=0.49"]}


def bounce(x, v, low, high, g, gamma, beta, duration, K=K, h=STEP):
    """Positions and velocities of a mass of 1 kg between walls at all steps."""
    a, states = -g, [(x, v)]
    for _ in range(round(duration / h)):
        free = x + h * v + h * h * (0.5 - beta) * a
        for wall, sign in ((None, 0), (low, 1), (high, -1)):
            # a1 = -g + K (wall - x1) inside it, x1 = free + beta h^2 a1
            stiffness = 0.0 if sign == 0 else K
            a1 = (-g + stiffness * ((wall or 0.0) - free)) / (1 + beta * h * h * stiffness)
            x1 = free + beta * h * h * a1
            inside = low if x1 < low else high if x1 > high else None
            if inside == wall:
                break
        v += h * ((1 - gamma) * a + gamma * a1)
        x, a = x1, a1
        states.append((x, v))
    return states


def rows():
    for rule, changes in CHANGES.items():
        fall = bounce(1.1, 0.0, 0.1, 1e9, 9.81, *rule, 5.0)
        energy = [0.5 * v * v + 9.81 * x + 0.5 * K * min(x - 0.1, 0.0) ** 2 for x, v in fall]
        model = "003/bouncing-disc.toml"
        yield model, "energy/total", {"at": 0.9, "set": changes}, energy[round(0.9 / STEP)]
        if rule == MAX_DAMPING:
            yield model, "energy/total", {"at": 5.0, "set": changes}, energy[-1]

        x = bounce(0.25, 4.0, 0.01, 0.99, 0.0, *rule, 2.0)
        y = bounce(0.25, -4.0, 0.01, 0.99, 0.0, *rule, 2.0)
        model = "003/carom.toml"
        yield model, "bodies/disc/velocity/y", {"at": 0.1, "set": changes}, y[40][1]
        yield model, "bodies/disc/velocity/x", {"at": 0.3, "set": changes}, x[120][1]
        if rule == TRAP:
            continue  # depends on round-off: it meets walls at the ends of steps
        total = sum(0.5 * v * v + 0.5 * K * max(0.0, 0.01 - q, q - 0.99) ** 2
                    for q, v in (x[-1], y[-1]))
        yield model, "energy/total", {"at": 2.0, "set": changes}, total


THE_SCHEME_MATTERS = True
