#!/usr/bin/python3
"""Spheres that fall into a box: time per step of clatter as their number grows, and beside Siconos.

    benchmarks/crowd.py [--program build/release/bin/clatter] [--numbers 100 200 400] [--steps 300]
                        [--siconos] [--tolerance 1e-3]

With --siconos the same scenes, from the same positions, are run by siconos_crowd.py (which needs the
Debian package python3-siconos) with its Moreau-Jean scheme and NSGS at the given tolerance. Both
residuals are |r - P(r - u)| over the norm of the free velocities; clatter's in rows scaled by the
Delassus diagonal. Needs h5py.
"""

import argparse
import json
import math
import pathlib
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


def run_clatter(program, count, steps, planes, folder):
    path = folder / "crowd.toml"
    path.write_text(model(count, steps, planes))
    out = folder / "crowd.clatter"
    subprocess.run([program, "run", path, "--out", out, "--quiet"], check=True)
    summary = json.loads((out / "summary.json").read_text())
    with h5py.File(out / "results.h5") as results:
        number = count[0] * count[1] * count[2]
        positions = [results[f"bodies/ball.{i}/position"][0].tolist() for i in range(number)]
        closed = sum(int(results[f"contacts/{name}/closed"][-1]) for name in results["contacts"])
    return summary, positions, closed


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/bin/clatter")
    parser.add_argument("--numbers", type=int, nargs="+", default=[100, 200, 400])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--siconos", action="store_true")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    options = parser.parse_args()
    heading = "spheres  contacts  ms/step  most sweeps  residual"
    print(heading + ("   Siconos ms/step  residual  ratio" if options.siconos else ""))
    last = None
    for number in options.numbers:
        count = lattice(number)
        planes = walls(2 * 0.03 + SPACING * (count[0] - 1), 2 * 0.03 + SPACING * (count[1] - 1))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            summary, positions, closed = run_clatter(
                options.program, count, options.steps, planes, folder
            )
            per_step = 1e3 * summary["wall_time"] / options.steps
            line = (
                f"{len(positions):7d}  {closed:8d}  {per_step:7.2f}"
                f"  {summary['max_sweeps']:11d}  {summary['max_sweep_residual']:8.1e}"
            )
            if options.siconos:
                peer = run_siconos(positions, options.steps, planes, options.tolerance, folder)
                theirs = 1e3 * peer["wall_seconds"]["total"] / options.steps
                residual = peer["natural_map_residual"]["max"]
                line += f"   {theirs:15.2f}  {residual:8.1e}  {theirs / per_step:5.1f}"
            print(line, flush=True)
        if last:
            exponent = math.log(per_step / last[1]) / math.log(len(positions) / last[0])
            print(f"         time per step grows as N^{exponent:.2f}")
        last = (len(positions), per_step)


if __name__ == "__main__":
    main()
