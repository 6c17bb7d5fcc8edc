#!/usr/bin/python3
"""Ten thousand spheres that settle in a box, on springs with friction that remembers: clatter's
`verlet` beside LAMMPS (gran/hooke/history) and Yade, at equal stiffness and equal substeps.

    benchmarks/settling.py [--program build/release/bin/clatter] [--number 10648] [--duration 0.3]
                           [--threads 1 2] [--growth 1000 10648 97336] [--peers lammps yade]

All three integrate by velocity Verlet (leapfrog), so that equal substeps make equal errors of
energy; what clatter's ledger misses at the end is told as well, over the energy that went into
damping and friction. Times are those of the processor, of the steps alone: a run of one substep or
of one step is taken off. Threads share a step, whose results must be the same; for them wall time
is told, too, which needs an idle machine. Peers: Debian packages lammps and yade, used where found.
--growth runs clatter with so many spheres, and tells memory and the exponent of the growth. Needs
h5py.
"""

import argparse
import hashlib
import json
import math
import pathlib
import random
import resource
import shutil
import subprocess
import tempfile
import time

import h5py

RADIUS, DENSITY, FRICTION, RESTITUTION, STIFFNESS = 0.02, 2500.0, 0.3, 0.3, 1e6
SPACING, JITTER, MARGIN = 0.045, 0.002, 0.03
MASS = DENSITY * 4 / 3 * math.pi * RADIUS**3
OMEGA = math.sqrt(STIFFNESS / (MASS / 2))
SUBSTEP = math.pi / OMEGA / 25  # so many while two of them touch
STEP = 50 * SUBSTEP


def model(side, layers, substeps_all, threads):
    steps = max(1, round(substeps_all / 50))
    width = 2 * MARGIN + SPACING * (side - 1)
    law = (f'friction = {FRICTION}\nrestitution = {RESTITUTION}\ncompliance = {{ law = "kelvin-voigt", '
           f"stiffness = {STIFFNESS}, tangential_stiffness = {STIFFNESS * 2 / 7} }}\n")
    text = f"""gravity = [0, 0, -9.81]
[[body]]
name = "ball"
density = {DENSITY}
shape = {{ kind = "sphere", radius = {RADIUS} }}
position = [{MARGIN}, {MARGIN}, {MARGIN}]
repeat = {{ count = [{side}, {side}, {layers}], spacing = [{SPACING}, {SPACING}, {SPACING}], jitter = {JITTER} }}
[[contact]]
name = "balls"
sphere = {{ body = "ball" }}
other = {{ body = "ball" }}
{law}"""
    for name, point, normal in (("floor", [0, 0, 0], [0, 0, 1]), ("left", [0, 0, 0], [1, 0, 0]),
                                ("right", [width, 0, 0], [-1, 0, 0]), ("front", [0, 0, 0], [0, 1, 0]),
                                ("back", [0, width, 0], [0, -1, 0])):
        text += f"""[[contact]]
name = "{name}"
sphere = {{ body = "ball" }}
face = {{ point = {point}, normal = {normal} }}
{law}"""
    return text + f"""[integrator]
name = "verlet"
step = {STEP}
substeps = 50
threads = {threads}
duration = {steps * STEP}
[output]
interval = {steps * STEP}
paraview = false
checkpoint_interval = 0
"""


def children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(command, **settings):
    """Processor and wall time [s], and what it wrote."""
    start, clock = children(), time.monotonic()
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True, **settings)
    return children() - start, time.monotonic() - clock, done.stdout


def run_clatter(program, side, layers, substeps, threads, folder):
    path, out = folder / "settling.toml", folder / "settling.clatter"
    path.write_text(model(side, layers, substeps, threads))
    report = folder / "memory"
    cpu, wall, _ = timed(["/usr/bin/time", "-f", "%M", "-o", report, program, "run", path, "--out", out, "--quiet"])
    with h5py.File(out / "results.h5") as results:
        energy = {name: float(results["energy"][name][-1]) for name in results["energy"]}
        positions = results["crowd/position"]
        of = dict(zip(positions.attrs["names"], positions[-1].tolist()))
        first = dict(zip(positions.attrs["names"], positions[0].tolist()))
        touching = sum(int(results[f"contacts/{name}/closed"][-1]) for name in results["contacts"])
    places = [of[f"ball.{i}"] for i in range(side * side * layers)]
    return {"cpu": cpu, "wall": wall, "energy": energy, "touching": touching,
            "memory": 1024 * int(report.read_text()), "start": [first[f"ball.{i}"] for i in range(len(places))],
            "hash": hashlib.sha256(json.dumps(places).encode()).hexdigest()[:12]}


def clatter(program, side, layers, substeps, threads, folder):
    empty = run_clatter(program, side, layers, 50, threads, folder)
    full = run_clatter(program, side, layers, substeps + 50, threads, folder)
    full["cpu"] -= empty["cpu"]
    full["wall"] -= empty["wall"]
    return full


def damping():
    """gamma of F = gamma m v, with which a spring and a dashpot that do not pull return e."""
    low, high = 0.0, 1.0
    for _ in range(60):
        ratio = (low + high) / 2
        rest = math.log(RESTITUTION) + ratio / math.sqrt(1 - ratio**2) * (math.pi - 2 * math.asin(ratio))
        low, high = (ratio, high) if rest < 0 else (low, ratio)
    return 2 * low * OMEGA


def lammps(places, width, substeps, folder):
    law = f"{STIFFNESS} {STIFFNESS * 2 / 7} {damping()} 0 {FRICTION} 0"
    atoms = "".join(f"{i + 1} 1 {2 * RADIUS} {DENSITY} {x} {y} {z}\n" for i, (x, y, z) in enumerate(places))
    height = max(z for _, _, z in places) + 0.1
    (folder / "data").write_text(
        f"settling\n\n{len(places)} atoms\n1 atom types\n-0.01 {width + 0.01} xlo xhi\n-0.01 {width + 0.01} ylo yhi\n"
        f"-0.01 {height} zlo zhi\n\nAtoms\n\n{atoms}")

    def run(count):
        (folder / "in").write_text(f"""units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data {folder}/data
pair_style gran/hooke/history {law}
pair_coeff * *
neighbor {0.2 * RADIUS} bin
neigh_modify delay 0 every 5 check yes
fix g all gravity 9.81 vector 0 0 -1
fix i all nve/sphere
fix x all wall/gran hooke/history {law} xplane 0 {width}
fix y all wall/gran hooke/history {law} yplane 0 {width}
fix z all wall/gran hooke/history {law} zplane 0 NULL
timestep {SUBSTEP}
thermo 1000000
run {count}
""")
        return timed(["lmp", "-in", folder / "in", "-log", "none"],
                     env={"OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"})[0]

    return run(substeps) - run(1)


def yade(places, width, substeps, folder):
    (folder / "places.json").write_text(json.dumps(places))
    pair = MASS / 2 * damping()

    def run(count):
        # Of a pair its stiffness and damping are half of those of two equal materials.
        (folder / "settling.py").write_text(f"""import json
places = json.load(open("{folder}/places.json"))
material = O.materials.append(ViscElMat(kn={2 * STIFFNESS}, cn={2 * pair}, ks={STIFFNESS * 4 / 7}, cs=0,
                                        frictionAngle={math.atan(FRICTION)}, density={DENSITY}))
for place in places:
    O.bodies.append(sphere(place, {RADIUS}, material=material))
for axis, at, side in ((0, 0, 1), (0, {width}, -1), (1, 0, 1), (1, {width}, -1), (2, 0, 1)):
    position = [0, 0, 0]
    position[axis] = at
    O.bodies.append(wall(position, axis, sense=side, material=material))
O.engines = [ForceResetter(),
             InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist={0.1 * RADIUS}),
             InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
                             [Ip2_ViscElMat_ViscElMat_ViscElPhys()], [Law2_ScGeom_ViscElPhys_Basic()]),
             NewtonIntegrator(damping=0, gravity=(0, 0, -9.81))]
O.dt = {SUBSTEP}
O.run({count}, True)
""")
        return timed(["yade", "-n", "-x", "-j1", folder / "settling.py"], stderr=subprocess.DEVNULL)[0]

    return run(substeps) - run(1)


def exponent(points):
    """Slope of the straight line that fits log(time) over log(number) best."""
    x = [math.log(number) for number, _ in points]
    y = [math.log(value) for _, value in points]
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    return sum((u - x_mean) * (v - y_mean) for u, v in zip(x, y)) / sum((u - x_mean) ** 2 for u in x)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/clatter")
    parser.add_argument("--number", type=int, default=10648)
    parser.add_argument("--duration", type=float, default=0.3, help="simulated [s]")
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--growth", type=int, nargs="*", default=[])
    parser.add_argument("--peers", nargs="*", default=["lammps", "yade"])
    options = parser.parse_args()
    program = pathlib.Path(options.program).resolve()
    substeps = 50 * max(1, round(options.duration / STEP))
    simulated = substeps * SUBSTEP
    side = round(options.number ** (1 / 3))
    layers = math.ceil(options.number / side**2)
    width = 2 * MARGIN + SPACING * (side - 1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        own, hashes = None, set()
        for threads in options.threads:
            run = clatter(program, side, layers, substeps, threads, folder)
            own = own or run
            hashes.add(run["hash"])
            lost = run["energy"]["friction_loss"] + run["energy"]["impact_loss"]
            print(f"clatter, {threads} threads: {run['cpu'] / simulated:8.1f} s of the processor, "
                  f"{run['wall'] / simulated:8.1f} s of wall per simulated second, "
                  f"{1e3 * run['cpu'] / substeps:.3f} ms per substep, {run['touching']} contacts, scheme loss "
                  f"{run['energy']['scheme_loss'] / max(lost, 1e-300):.1e} of all losses, hash {run['hash']}", flush=True)
        if len(options.threads) > 1:
            print("the same bits" if len(hashes) == 1 else "OTHER BITS")
        for peer, binary, runner in (("lammps", "lmp", lammps), ("yade", "yade", yade)):
            if peer not in options.peers or not shutil.which(binary):
                continue
            cpu = runner(own["start"], width, substeps, folder)
            print(f"{peer}: {cpu / simulated:8.1f} s of the processor per simulated second, "
                  f"{1e3 * cpu / substeps:.3f} ms per substep, {cpu / own['cpu']:.2f} times as long", flush=True)
        points, memory = [], []
        for number in options.growth:
            side = round(number ** (1 / 3))
            layers = math.ceil(number / side**2)
            run = clatter(program, side, layers, substeps, 1, folder)
            points.append((side * side * layers, run["cpu"] / substeps))
            memory.append(run["memory"])
            print(f"{points[-1][0]:7d} spheres: {1e3 * points[-1][1]:8.3f} ms per substep, "
                  f"{run['memory'] / points[-1][0]:.0f} bytes of memory per sphere, {run['touching']} contacts", flush=True)
        if len(points) > 1:
            print(f"time per substep grows as N^{exponent(points):.2f}; "
                  f"{(memory[-1] - memory[0]) / (points[-1][0] - points[0][0]):.0f} bytes per further sphere")


if __name__ == "__main__":
    main()
