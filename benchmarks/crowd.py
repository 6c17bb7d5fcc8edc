#!/usr/bin/python3
"""Spheres that fall into a box: time per step of clatter as their number grows, and beside Siconos.

    benchmarks/crowd.py [--program build/release/bin/clatter] [--numbers 100 300 1000 3000 10000]
                        [--steps 300 500] [--siconos] [--tolerance 1e-3]

The spheres start in a loose lattice as wide as high, 5 mm apart, in a box of its width. In the first
300 steps they fall and settle, in the next 200 most of them come to rest. Times are those of the
processor, per step and for each window apart, without what it takes to start. The exponent is that
of the power of the number of spheres that fits all times best.

With --siconos the same scenes, from the same positions, are run by siconos_crowd.py (which needs the
Debian package python3-siconos) with its Moreau-Jean scheme and NSGS at the given tolerance. Both
residuals are |p - P(p - g)| in rows scaled by the Delassus diagonal, over the motion that the
reactions make, the root of p D p: the largest of all steps. Needs h5py.
"""

import argparse
import json
import math
import pathlib
import resource
import subprocess
import sys
import tempfile

import h5py

RADIUS, DENSITY, FRICTION, RESTITUTION, STEP = 0.02, 2500.0, 0.3, 0.1, 1e-3
SPACING, JITTER = 0.045, 0.002


def lattice(number):
    """Counts along x, y and z: a square floor, nearly as high as wide."""
    side = max(1, round(number ** (1 / 3)))
    return side, side, math.ceil(number / side**2)


def walls(width, depth):
    return [
        ("floor", [0, 0, 0], [0, 0, 1]),
        ("left", [0, 0, 0], [1, 0, 0]),
        ("right", [width, 0, 0], [-1, 0, 0]),
        ("front", [0, 0, 0], [0, 1, 0]),
        ("back", [0, depth, 0], [0, -1, 0]),
    ]


def model(count, steps, planes):
    law = f"friction = {FRICTION}\nrestitution = {RESTITUTION}\n"
    text = f"""gravity = [0, 0, -9.81]
[[body]]
name = "ball"
density = {DENSITY}
shape = {{ kind = "sphere", radius = {RADIUS} }}
position = [0.03, 0.03, 0.03]
repeat = {{ count = {list(count)}, spacing = [{SPACING}, {SPACING}, {SPACING}], jitter = {JITTER} }}
[[contact]]
name = "balls"
sphere = {{ body = "ball" }}
other = {{ body = "ball" }}
{law}"""
    for name, point, normal in planes:
        text += f"""[[contact]]
name = "{name}"
sphere = {{ body = "ball" }}
face = {{ point = {point}, normal = {normal} }}
{law}"""
    return text + f"""[integrator]
step = {STEP}
duration = {steps * STEP}
[output]
interval = {steps * STEP}
paraview = false
"""


def processor_time():
    """Of all programs that were run so far [s]."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_clatter(program, count, steps, planes, folder):
    path = folder / "crowd.toml"
    path.write_text(model(count, steps, planes))
    out = folder / "crowd.clatter"
    start = processor_time()
    subprocess.run([program, "run", path, "--out", out, "--quiet"], check=True)
    seconds = processor_time() - start
    summary = json.loads((out / "summary.json").read_text())
    return seconds, summary, out


def read_results(out, number):
    """Where the spheres were at first, and how many contacts are closed at last."""
    with h5py.File(out / "results.h5") as results:
        if "crowd" in results:  # a hundred and more share a table
            of = dict(zip(results["crowd/position"].attrs["names"], results["crowd/position"][0].tolist()))
            positions = [of[f"ball.{i}"] for i in range(number)]
        else:
            positions = [results[f"bodies/ball.{i}/position"][0].tolist() for i in range(number)]
        closed = sum(int(results[f"contacts/{name}/closed"][-1]) for name in results["contacts"])
    return positions, closed


def run_siconos(positions, steps, planes, tolerance, folder):
    mass = DENSITY * 4 / 3 * math.pi * RADIUS**3
    scene = {
        "radius": RADIUS,
        "mass": mass,
        "inertia": 0.4 * mass * RADIUS**2,
        "friction": FRICTION,
        "restitution": RESTITUTION,
        "gravity": [0, 0, -9.81],
        "planes": [{"point": point, "normal": normal} for _, point, normal in planes],
        "step": STEP,
        "steps": steps,
        "positions": positions,
        "velocities": [[0, 0, 0] for _ in positions],
    }
    path = folder / "scene.json"
    path.write_text(json.dumps(scene))
    script = pathlib.Path(__file__).with_name("siconos_crowd.py")
    command = [sys.executable, script, path, "--tolerance", str(tolerance)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def exponent(points):
    """Slope of the straight line that fits log(time) over log(number) best."""
    x = [math.log(number) for number, _ in points]
    y = [math.log(time) for _, time in points]
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    across = sum((u - x_mean) ** 2 for u in x)
    return sum((u - x_mean) * (v - y_mean) for u, v in zip(x, y)) / across


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/bin/clatter")
    parser.add_argument("--numbers", type=int, nargs="+", default=[100, 300, 1000, 3000, 10000])
    parser.add_argument("--steps", type=int, nargs="+", default=[300, 500], help="ends of windows")
    parser.add_argument("--siconos", action="store_true")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    options = parser.parse_args()
    starts = [1] + options.steps[:-1]
    windows = [f"{start}-{end}" for start, end in zip(starts, options.steps)]
    heading = "spheres  contacts" + "".join(f"{window:>9}" for window in windows)
    heading += "  ms/step  most sweeps  residual"
    print(heading + ("   Siconos ms/step  residual  ratio" if options.siconos else ""))
    points = {window: [] for window in windows + ["all"]}
    for number in options.numbers:
        count = lattice(number)
        number = count[0] * count[1] * count[2]
        planes = walls(2 * 0.03 + SPACING * (count[0] - 1), 2 * 0.03 + SPACING * (count[1] - 1))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            seconds = []
            for steps in [1] + options.steps:
                time, summary, out = run_clatter(options.program, count, steps, planes, folder)
                seconds.append(time)
            positions, closed = read_results(out, number)
            line = f"{number:7d}  {closed:8d}"
            for i, window in enumerate(windows):
                steps = options.steps[i] - starts[i]
                points[window].append((number, (seconds[i + 1] - seconds[i]) / steps))
                line += f"  {1e3 * points[window][-1][1]:7.2f}"
            per_step = (seconds[-1] - seconds[0]) / (options.steps[-1] - 1)
            points["all"].append((number, per_step))
            line += (
                f"  {1e3 * per_step:7.2f}"
                f"  {summary['max_sweeps']:11d}  {summary['max_sweep_residual']:8.1e}"
            )
            if options.siconos:
                peer = run_siconos(
                    positions, options.steps[-1], planes, options.tolerance, folder
                )
                theirs = peer["processor_seconds"]["total"] / options.steps[-1]
                residual = peer["scaled_residual"]["max"]
                line += f"   {1e3 * theirs:15.2f}  {residual:8.1e}  {theirs / per_step:5.1f}"
            print(line, flush=True)
    if len(options.numbers) > 1:
        for window, each in points.items():
            print(f"steps {window}: time per step grows as N^{exponent(each):.2f}")


if __name__ == "__main__":
    main()
