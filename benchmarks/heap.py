#!/usr/bin/python3
"""Boxes that fall into a box: time per step of clatter as their number grows, and beside Siconos.

    benchmarks/heap.py [--program build/release/bin/clatter] [--numbers 100 300 1000]
                       [--steps 100 150] [--scheme nsga] [--floor] [--siconos] [--tolerance 1e-3]
                       [--spacing 0.12]

Boxes with random edges of 4 to 8 cm and random turns start in a loose lattice, 12 cm apart (beyond
some thousand boxes take 14 cm, or two of them may overlap), twice as high as wide, between five
planes; with --floor they are one layer on a floor that grows with their number. Step 2 ms, friction
0.5, no rebound. Times are those of the processor, per step and for each window of steps apart,
without what it takes to start. The exponent is that of the power of the number of boxes that fits
all times best.

With --siconos the state that clatter has at the start of the last window is given to
siconos_heap.py (Debian package python3-siconos; Moreau-Jean, NSGS with the given tolerance, contacts
from Bullet), which goes on from there for as many steps, or as many as --seconds let it. Its residual
is |p - P(p - g)| in rows scaled by the Delassus diagonal, over the motion that the reactions make,
the largest of all steps; clatter's is what islands were left with in the same measure, zero where all
were solved to the tolerance of the run, 1e-10. Needs h5py.
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile

import h5py

from crowd import exponent, processor_time

DENSITY, FRICTION, STEP = 1000.0, 0.5, 2e-3
GRAVITY = [0, 0, -9.81]


def boxes(number, floor, spacing):
    """Those of the scene, and the width of the box."""
    side = max(1, round(math.sqrt(number) if floor else (number / 2) ** (1 / 3)))
    numbers = random.Random(1)
    found = []
    for i in range(number):
        place = [i % side, (i // side) % side, i // side**2]
        size = [numbers.uniform(0.04, 0.08) for _ in range(3)]
        turn = [numbers.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(q * q for q in turn))
        found.append(
            {
                "size": size,
                "position": [spacing * (k + 0.5) + 0.02 for k in place],
                "orientation": [q / length for q in turn],
            }
        )
    return found, side * spacing + 0.04


def planes(width):
    return [
        {"point": [0, 0, 0], "normal": [0, 0, 1]},
        {"point": [0, 0, 0], "normal": [1, 0, 0]},
        {"point": [width, 0, 0], "normal": [-1, 0, 0]},
        {"point": [0, 0, 0], "normal": [0, 1, 0]},
        {"point": [0, width, 0], "normal": [0, -1, 0]},
    ]


def model(scheme, bodies, walls, steps):
    text = f'gravity = {GRAVITY}\n[[material]]\nname = "wood"\nfriction = {FRICTION}\n'
    text += "[ground]\nshape = [\n"
    for wall in walls:
        x, y, z = wall["normal"]
        turn = "" if z else f", orientation = {{ axis = {[-y, x, 0]}, angle_deg = 90 }}"
        text += f'{{ kind = "half_space", material = "wood", position = {wall["point"]}{turn} }},\n'
    text += "]\n"
    for i, box in enumerate(bodies):
        text += f"""[[body]]
name = "box{i}"
density = {DENSITY}
shape = {{ kind = "box", size = {box["size"]}, material = "wood" }}
position = {box["position"]}
orientation = {{ quaternion = {box["orientation"]} }}
"""
    return text + f"""[integrator]
name = "{scheme}"
step = {STEP}
duration = {steps * STEP}
[output]
interval = {steps * STEP}
paraview = false
"""


def run_clatter(program, text, folder):
    path = folder / "heap.toml"
    path.write_text(text)
    out = folder / "heap.clatter"
    start = processor_time()
    subprocess.run([program, "run", path, "--out", out, "--quiet"], check=True)
    seconds = processor_time() - start
    return seconds, json.loads((out / "summary.json").read_text()), out


def last_state(out, bodies):
    """The boxes where the run has them at last, and how many contacts are closed."""
    with h5py.File(out / "results.h5") as results:
        closed = int(results["contacts/solids/closed"][-1])
        moved = []
        # A hundred and more share a table for each quantity.
        crowd = {key: dict(zip(table.attrs["names"], table[-1].tolist())) for key, table in results.get("crowd", {}).items()}
        for i, box in enumerate(bodies):
            name = f"box{i}"
            if crowd:
                state = {key: rows[name] for key, rows in crowd.items()}
            else:
                state = {key: table[-1].tolist() for key, table in results[f"bodies/{name}"].items()}
            moved.append({"size": box["size"], **state})
    return moved, closed


def run_siconos(bodies, walls, steps, options):
    scene = {
        "boxes": bodies,
        "density": DENSITY,
        "friction": FRICTION,
        "gravity": GRAVITY,
        "planes": walls,
        "step": STEP,
        "steps": steps,
        "seconds": options.seconds,
        "tolerance": options.tolerance,
    }
    script = pathlib.Path(__file__).with_name("siconos_heap.py")
    done = subprocess.run(
        ["/usr/bin/python3", script],
        input=json.dumps(scene).encode(),
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/bin/clatter")
    parser.add_argument("--numbers", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--steps", type=int, nargs="+", default=[100, 150], help="ends of windows")
    parser.add_argument("--scheme", default="nsga")
    parser.add_argument("--floor", action="store_true")
    parser.add_argument("--spacing", type=float, default=0.12, help="of the lattice [m]")
    parser.add_argument("--siconos", action="store_true")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--seconds", type=float, default=120.0, help="that Siconos may take")
    options = parser.parse_args()
    starts = [1] + options.steps[:-1]
    windows = [f"{start}-{end}" for start, end in zip(starts, options.steps)]
    heading = "boxes  contacts" + "".join(f"{window:>10}" for window in windows)
    heading += " ms/step  smallest gap  residual"
    if options.siconos:
        heading += "  Siconos ms/step (steps, contacts, residual)  ratio"
    print(heading)
    points = {window: [] for window in windows}
    for number in options.numbers:
        bodies, width = boxes(number, options.floor, options.spacing)
        walls = planes(width)
        with tempfile.TemporaryDirectory() as name:
            seconds, before = [], bodies
            for steps in [1] + options.steps:
                text = model(options.scheme, bodies, walls, steps)
                time, summary, out = run_clatter(options.program, text, pathlib.Path(name))
                seconds.append(time)
                state, closed = last_state(out, bodies)
                if steps == starts[-1]:
                    before = state
            line = f"{number:5d}  {closed:8d}"
            for i, window in enumerate(windows):
                per_step = (seconds[i + 1] - seconds[i]) / (options.steps[i] - starts[i])
                points[window].append((number, per_step))
                line += f"{1e3 * per_step:10.2f}"
            line += f"          {summary['min_gap']:12.1e}  {summary['max_sweep_residual']:8.1e}"
            if options.siconos:
                peer = run_siconos(before, walls, options.steps[-1] - starts[-1], options)
                theirs = peer["processor_seconds"] / peer["steps"]
                line += (
                    f"  {1e3 * theirs:15.1f} ({peer['steps']}, {peer['contacts']},"
                    f" {peer['scaled_residual']:.1e})  {theirs / per_step:5.1f}"
                )
            print(line, flush=True)
    if len(options.numbers) > 1:
        for window, each in points.items():
            print(f"steps {window}: time per step grows as N^{exponent(each):.2f}")


if __name__ == "__main__":
    main()
