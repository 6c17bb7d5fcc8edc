#!/usr/bin/env python3
"""Random machines: pendulum chains, boxes, spheres, beams, stops, joints that are redundant, masses that differ by 10^6, under
every scheme with hard contacts; with --laws also impact laws by name and friction curves.

A run must end well or with a named cause, without a value that is no number, and

- the energy less the work put in rises by no more than STEP of the largest energy; what rises by more must do so by less than half with a
  quarter or a sixteenth of the step, for it is then an error of the step;
- where bodies are rigid and the scheme is nsga, whose ledger tells impacts from the rest, impacts and friction only take: the sum of
  their losses never falls by more than IMPACTS of the largest energy;
- no run takes longer than SLOW times the median of its kind and scheme.

10,000 of them: python3 tests/scenes/random_machines.py --program build/release/bin/clatter --machines 10000 --jobs 2 --keep failed
"""

import argparse
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

import h5py
import numpy

SCHEMES = ("nsga", "nsga_coupled", "moreau")
# Of the largest energy. Restitution is lessened from 1e-7 of the energy that an impulse alone would make, and a run has many.
IMPACTS, STEP = 1e-6, 1e-3
SLOW, SHORTEST = 20.0, 10.0  # times the median, and [s] that are never slow, on a busy machine neither
GRAVITY = 9.81


class Machine:
    """The text of a model, by kind and number."""

    def __init__(self, number):
        self.dice = random.Random(number)
        self.kind = ("chain", "boxes", "spheres", "beam", "stops", "linkage")[number % 6]
        self.scheme = SCHEMES[number // 6 % len(SCHEMES)]
        self.parts = []
        self.gravity = "[0, -9.81]"
        self.step, self.duration = 1e-3, 0.6
        getattr(self, self.kind)()

    def uniform(self, low, high):
        return round(self.dice.uniform(low, high), 6)

    def mass(self):
        """10^6 from the lightest to the heaviest, half of the time."""
        return 10**self.dice.uniform(-3, 3) if self.dice.random() < 0.5 else self.dice.uniform(0.5, 2)

    def add(self, table, **keys):
        self.parts.append(f"[[{table}]]\n" + "".join(f"{key} = {self.value(value)}\n" for key, value in keys.items()))

    def value(self, value):
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{key} = {self.value(each)}" for key, each in value.items()) + " }"
        return json.dumps(value)

    has_laws = False  # of impact by name, and friction curves

    def contact_law(self, has_friction=True):
        law = {"friction": self.dice.choice([0.0, 0.2, 0.5, 1.0]), "restitution": self.dice.choice([0.0, 0.3, 0.7, 0.9, 1.0])}
        if not has_friction:
            law["friction"] = 0.0
        if not self.has_laws:
            return law
        law["impact_law"] = self.dice.choice(["newton", "newton", "poisson", "energetic"])
        if self.dice.random() < 0.2:
            law["restitution"] = "0.9*exp(-v/3)"
        if has_friction and self.dice.random() < 0.3:
            law |= {"static_friction": 1.5 * law["friction"], "stribeck_speed": self.dice.choice([0.01, 0.3]),
                    "viscous_friction": self.dice.choice([0.0, 0.1])}
        return law

    def rod(self, name, x, y, angle, length):
        mass = self.mass()
        self.add("body", name=name, kind="planar", mass=mass, inertia=mass * length**2 / 12, position=[x, y], angle=angle,
                 velocity=[0.0, 0.0])

    def chain(self):
        """Pendulums that whip onto a floor and against a wall."""
        count, x, y = self.dice.randint(1, 5), 0.0, 0.0
        for k in range(count):
            angle, length = self.uniform(-0.6, 0.6), self.uniform(0.3, 1.0)
            dx, dy = 0.5 * length * math.cos(angle), 0.5 * length * math.sin(angle)
            self.rod(f"r{k}", x + dx, y + dy, angle, length)
            self.add("joint", name=f"j{k}", kind="revolute", a="ground" if k == 0 else f"r{k - 1}", b=f"r{k}", point=[x, y])
            if k == 0 and self.dice.random() < 0.3:  # the same once more
                self.add("joint", name="again", kind="revolute", a="ground", b="r0", point=[x, y])
            x, y = x + 2 * dx, y + 2 * dy
            self.add("contact", name=f"floor{k}", point={"body": f"r{k}", "at": [0.5 * length, 0.0]},
                     face={"point": [0.0, -1.5], "normal": [self.uniform(-0.2, 0.2), 1.0]}, **self.contact_law())
            if self.dice.random() < 0.5:
                self.add("contact", name=f"wall{k}", point={"body": f"r{k}", "at": [0.5 * length, 0.0]},
                         face={"point": [-0.1, 0.0], "normal": [1.0, 0.0]} if x > 0 else {"point": [-9.0, 0.0], "normal": [1.0, 0.0]},
                         **self.contact_law())

    def boxes(self):
        """Boxes and bars in the plane that fall onto each other."""
        self.add("material", name="m", **self.contact_law())
        self.parts.append('[ground]\nshape = { kind = "box", size = [20, 1, 1], position = [0, -0.5], material = "m" }\n')
        height = 0.2
        for k in range(self.dice.randint(1, 5)):
            size = [self.uniform(0.1, 0.6), self.uniform(0.1, 0.4)]
            height += 0.75
            self.add("body", name=f"b{k}", kind="planar", mass=self.mass(), position=[self.uniform(-0.1, 0.1), height - 0.3],
                     angle=self.uniform(-1, 1), velocity=[self.uniform(-1, 1), self.uniform(-3, 0)],
                     angular_velocity=self.uniform(-6, 6), shape={"kind": "box", "size": [*size, 0.1], "material": "m"})

    def spheres(self):
        """Spheres that fall into a shaft."""
        self.gravity = "[0, 0, -9.81]"
        count = self.dice.randint(1, 7)
        names = [f"s{k}" for k in range(count)]
        for k, name in enumerate(names):
            self.add("body", name=name, mass=self.mass(), shape={"kind": "sphere", "radius": 0.1},
                     position=[self.uniform(-0.05, 0.05), self.uniform(-0.05, 0.05), 0.15 + 0.25 * k],
                     velocity=[0.0, 0.0, self.uniform(-3, 0)], angular_velocity=[self.uniform(-9, 9) for _ in range(3)])
        law = self.contact_law()
        rolling = {"rolling_friction": 0.001} if self.dice.random() < 0.3 else {}
        self.add("contact", name="floor", sphere={"bodies": names}, face={"normal": [0, 0, 1]}, **law, **rolling)
        if count > 1:
            self.add("contact", name="each", sphere={"bodies": names}, other={"bodies": names}, **law)
        half = self.uniform(0.16, 0.3)
        for k, normal in enumerate(([1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0])):
            self.add("contact", name=f"w{k}", sphere={"bodies": names}, face={"point": [-half * n for n in normal], "normal": normal}, **law)

    def beam(self):
        """A cantilever that swings between two stops."""
        elements = self.dice.randint(2, 6)
        width = self.uniform(0.01, 0.03)
        self.add("beam", name="r", kind="planar", points=[[0, 0], [1, 0]], elements=elements,
                 section={"kind": "rectangle", "width": 0.01, "height": width}, youngs_modulus=10**self.dice.uniform(8, 10.5),
                 poisson_ratio=0.3, density=7850)
        self.add("joint", kind="fixed", a="ground", b="r.start", point=[0, 0])
        gap = self.uniform(0.005, 0.03)
        for name, side in (("up", 1), ("down", -1)):
            self.add("contact", name=name, point={"body": "r.end"}, face={"point": [0.0, side * gap], "normal": [0, -side]},
                     **self.contact_law())
        if self.dice.random() < 0.5:
            self.add("load", body="r.end", force=[0, f"{self.uniform(1, 30)}*sin({self.uniform(20, 200)}*t)"])
        self.duration = 0.4

    def stops(self):
        """Sliders on one rail that push each other against its ends, some on springs."""
        x, before = 0.0, "ground"
        for k in range(self.dice.randint(1, 6)):
            x += self.uniform(0.25, 0.5)
            name = f"s{k}"
            self.add("body", name=name, kind="planar", mass=self.mass(), inertia=0.1, position=[x, 0.0],
                     velocity=[self.uniform(-4, 4), 0.0])
            self.add("joint", name=f"rail{k}", kind="prismatic", a="ground", b=name, point=[x, 0.0], axis=[1, 0])
            law = self.contact_law(False)
            if before == "ground":
                self.add("contact", name="left", point={"body": name, "at": [-0.1, 0.0]}, face={"point": [0.0, 0.0], "normal": [1, 0]}, **law)
            else:
                self.add("contact", name=f"c{k}", point={"body": name, "at": [-0.1, 0.0]},
                         face={"body": before, "point": [0.1, 0.0], "normal": [1, 0]}, **law)
            if self.dice.random() < 0.3:
                self.add("spring", name=f"k{k}", b={"body": name}, stiffness=10**self.dice.uniform(1, 4), rest_length=x)
            before = name
        self.add("contact", name="right", point={"body": before, "at": [0.1, 0.0]}, face={"point": [x + 0.3, 0.0], "normal": [-1, 0]},
                 **self.contact_law(False))

    def linkage(self):
        """A parallelogram in space, whose hinges are redundant, with a tip that hits a floor."""
        self.gravity = "[0, 0, -9.81]"
        length, apart = self.uniform(0.3, 0.8), self.uniform(0.3, 0.8)
        angle = self.uniform(-0.5, 0.5)
        c, s = length * math.cos(angle), length * math.sin(angle)
        for k in range(2):
            mass = self.mass()
            self.add("body", name=f"crank{k}", mass=mass, inertia=[mass * length**2 / 12] * 2 + [mass * length**2 / 12],
                     position=[k * apart + 0.5 * c, 0.0, 0.5 * s], velocity=[0.0, 0.0, 0.0])
        mass = self.mass()
        self.add("body", name="rod", mass=mass, inertia=[0.1 * mass * apart**2] * 3, position=[c + 0.5 * apart, 0.0, s])
        for k in range(2):
            self.add("joint", name=f"low{k}", kind="revolute", a="ground", b=f"crank{k}", point=[k * apart, 0.0, 0.0], axis=[0, 1, 0])
            self.add("joint", name=f"high{k}", kind="revolute", a=f"crank{k}", b="rod", point=[k * apart + c, 0.0, s], axis=[0, 1, 0])
        law = self.contact_law()
        for k, at in enumerate((-0.5 * apart, 0.5 * apart)):
            self.add("contact", name=f"foot{k}", point={"body": "rod", "at": [at, 0.0, 0.0]},
                     face={"point": [0.0, 0.0, -0.6 * length], "normal": [self.uniform(-0.1, 0.1), 0.0, 1.0]}, **law)

    def text(self):
        lines = [f'gravity = {self.gravity}\n', *self.parts,
                 f'[integrator]\nname = "{self.scheme}"\nstep = {self.step}\nduration = {self.duration}\n']
        lines.append(f"[output]\nparaview = false\ninterval = {self.step}\n")
        return "".join(lines)


def read(out):
    """Figures of a run, none if a value is no number."""
    with h5py.File(out / "results.h5") as results:
        energy = {name: results[f"energy/{name}"][:] for name in results["energy"]}
    if not all(numpy.isfinite(each).all() for each in energy.values()):
        return None
    put_in = energy["load_work"] + energy["motor_work"]
    largest = numpy.max(energy["kinetic"] + numpy.abs(energy["elastic"]) + numpy.abs(energy["gravity"] - energy["gravity"][0]) + numpy.abs(put_in))
    rise = lambda values: float(numpy.max(values - numpy.minimum.accumulate(values)) / largest) if largest > 0 else 0.0
    summary = json.loads((out / "summary.json").read_text())
    return {"rise": rise(energy["total"] - put_in), "impacts": rise(-energy["impact_loss"] - energy["friction_loss"]),
            "lessened": summary["lessened"], "plastic": summary["plastic"], "seconds": summary["wall_time"]}


def simulate(options, folder, out, step):
    """What the program says against it, or nothing."""
    done = subprocess.run([options.program, "run", "machine.toml", "--out", out, "--quiet", "--set", f"integrator.step={step}"], cwd=folder,
                          capture_output=True, text=True, timeout=options.timeout)
    return (done.stderr.strip().splitlines() or [f"ended with {done.returncode} and no word"])[-1] if done.returncode else ""


def judge(options, machine, folder):
    """What is wrong, or nothing, and the figures."""
    if wrong := simulate(options, folder, "out", machine.step):
        return wrong, {}
    if (figures := read(folder / "out")) is None:
        return "a value is no number", {}
    if machine.scheme == "nsga" and machine.kind not in ("beam", "stops"):
        if figures["impacts"] > IMPACTS:
            return f"impacts and friction gave {figures['impacts']:.2g} of the largest energy", figures
    if figures["rise"] > STEP:
        finer = []
        for parts in (4, 16):  # beams can vibrate faster than the former resolves
            if wrong := simulate(options, folder, "fine", machine.step / parts):
                return wrong, figures
            finer.append(read(folder / "fine")["rise"])
            if finer[-1] <= max(STEP, 0.5 * figures["rise"]):
                return "", figures
        return f"energy rose by {figures['rise']:.2g} of the largest, and by {finer[0]:.2g} and {finer[1]:.2g} with 1/4 and 1/16 of the step", figures
    return "", figures


def run(options, number):
    machine = Machine(number)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "machine.toml").write_text(machine.text())
        figures = {}
        try:
            wrong, figures = judge(options, machine, folder)
        except subprocess.TimeoutExpired:
            wrong = f"not done after {options.timeout} s"
        if wrong and options.keep:
            shutil.copytree(folder, pathlib.Path(options.keep) / f"{number}", dirs_exist_ok=True)
    return machine, wrong, figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("CLATTER_PROGRAM", "clatter"))
    parser.add_argument("--machines", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--laws", action="store_true", help="draw impact laws and friction curves, too")
    parser.add_argument("--keep", help="folder for the machines that fail")
    parser.add_argument("--show", type=int, help="print the model of this number")
    parser.add_argument("--timeout", type=float, default=120, help="of one run [s]")
    options = parser.parse_args()
    Machine.has_laws = options.laws
    if options.show is not None:
        print(Machine(options.show).text())
        return 0
    options.program = str(pathlib.Path(options.program).resolve()) if os.sep in options.program else options.program
    failed, times, most = 0, collections.defaultdict(list), collections.Counter()
    numbers = range(options.first, options.first + options.machines)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, (machine, wrong, figures) in zip(numbers, pool.map(lambda n: run(options, n), numbers)):
            if figures:
                times[machine.kind, machine.scheme].append((figures["seconds"], number))
            for name, value in figures.items():
                most[name] = max(most[name], value)
            if wrong:
                failed += 1
                print(f"{number} ({machine.kind}, {machine.scheme}): {wrong}", flush=True)
    for (kind, scheme), of_kind in times.items():
        median = statistics.median(seconds for seconds, _ in of_kind)
        for seconds, number in of_kind:
            if seconds > max(SLOW * median, SHORTEST):
                failed += 1
                print(f"{number} ({kind}, {scheme}): {seconds:.3g} s, median {median:.3g} s")
    print(f"{failed} of {options.machines} fail; energy rose by {most['rise']:.2g} of the largest at most; "
          f"{most['lessened']} steps with less restitution and {most['plastic']} without in the machine with most of them")
    return min(100, failed)


if __name__ == "__main__":
    sys.exit(main())
