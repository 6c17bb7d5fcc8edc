#!/usr/bin/env python3
"""The block on a belt with the friction curve of Stribeck: sticking and sliding one after the other,
each to its event, with the classical Runge-Kutta method between."""

import math

STATIC, SLIDING, STRIBECK, SPEED, K, G = 0.4, 0.2, 0.05, 0.05, 100.0, 10.0
STEP = 2e-5  # of fourth order: errors of 1e-13


def slope(x, v):
    slip = max(0.0, SPEED - v)
    return v, -K * x + G * (SLIDING + (STATIC - SLIDING) * math.exp(-slip / STRIBECK))


def advance(x, v, h):
    a, b = slope(x, v)
    c, d = slope(x + h / 2 * a, v + h / 2 * b)
    e, f = slope(x + h / 2 * c, v + h / 2 * d)
    g, i = slope(x + h * e, v + h * f)
    return x + h / 6 * (a + 2 * c + 2 * e + g), v + h / 6 * (b + 2 * d + 2 * f + i)


def position(end):
    t, x = 0.0, 0.0
    while True:
        stick = (STATIC * G / K - x) / SPEED
        if t + stick >= end:
            return x + (end - t) * SPEED
        t, x, v = t + stick, STATIC * G / K, SPEED
        has_slid = False
        while not (has_slid and v >= SPEED):
            h = min(STEP, end - t)
            next_x, next_v = advance(x, v, h)
            if has_slid and next_v >= SPEED:  # caught within the step: to the last digit by halving
                low, high = 0.0, h
                for _ in range(60):
                    middle = 0.5 * (low + high)
                    low, high = (low, middle) if advance(x, v, middle)[1] >= SPEED else (middle, high)
                x, v = advance(x, v, high)
                t += high
                break
            has_slid = has_slid or next_v < SPEED - 1e-6
            t, x, v = t + h, next_x, next_v
            if t >= end:
                return x


def rows():
    for end in (1.0, 4.0):
        yield "contact/stribeck.toml", "bodies/block/position/x", {"at": end}, position(end)


if __name__ == "__main__":
    for model, quantity, key, value in rows():
        print(model, quantity, key, f"{value:.10f}")
