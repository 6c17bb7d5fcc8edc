#!/usr/bin/env python3
"""Random rooms with bodies thrown about in them, and random piles, run by the program and judged by other means.

    random_scenes.py --program build/release/bin/clatter --rooms 1000 --piles 1000 --jobs 2 --keep failed

Scene number K is the same in every run. A room is closed: walls of polygons, hulls or a mesh around it, or a hollow
solid; its bodies move by up to 100 of their lengths in a step. A pile falls into a box. Of each run is asked that

- it ends with status 0,
- everybody is inside, and nobody in another, by the definitions of the shapes (shapes.py) at points of their surfaces,
- the smallest gap of the summary is not less than -1e-9 of the length,
- energy never grows: a gain is more than 1e-9 of it, and where bodies turn by an angle in a step, more than twice its
  square times the kinetic energy and the weights times the radii: directions of velocities, and heights of centres over
  corners, are as uncertain as that, once for positions and once for velocities,
- who fell is at rest: the kinetic energy is less than what gravity gives in one step, m (g h)^2 / 2, of all bodies.

Exits with the number of scenes that fail, up to 100.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

from shapes import Ball, Ellipsoid, Prism, Round, box, hull, text_of, write_mesh

GRAVITY = 9.81
SCHEMES = ["nsga", "nsga_coupled", "moreau"]
TOLERANCE = 1e-9


class Dice(numpy.random.Generator):
    def __init__(self, seed):
        super().__init__(numpy.random.PCG64(seed))

    def scale(self, low, high):
        """A number whose logarithm is evenly spread."""
        return float(numpy.exp(self.uniform(numpy.log(low), numpy.log(high))))

    def one_of(self, *choices):
        return choices[self.integers(len(choices))]

    def direction(self, planar):
        n = self.normal(size=3)
        if planar:
            n[2] = 0
        return n / numpy.linalg.norm(n)

    def star(self, corners, roughness):
        """A polygon that its origin sees whole; convex when it is not rough."""
        angle = 2 * numpy.pi * (numpy.arange(corners) + self.uniform(-0.3, 0.3, corners)) / corners
        out = 1 - roughness * self.uniform(0.0, 1.0, corners)
        return out[:, None] * numpy.stack([numpy.cos(angle), numpy.sin(angle)], axis=1)


# ---- Bodies


def planar_box(size):
    x, y = 0.5 * size[0], 0.5 * size[1]
    shape = Prism([[-x, -y], [x, -y], [x, y], [-x, y]])
    shape.keys = {"kind": "box", "size": size}
    return shape


def planar_shape(dice, size):
    kind = dice.one_of("disc", "box", "capsule", "polygon", "polygon")
    r = 0.5 * size
    if kind == "disc":
        return Ball("disc", r, thickness=size)
    if kind == "box":
        return planar_box([size, size * dice.scale(0.1, 1), size])
    if kind == "capsule":
        half = r * dice.uniform(0.2, 0.9)
        return Ball("capsule", r - half, half, axis=0)
    return Prism(r * dice.star(dice.integers(3, 8), dice.one_of(0.0, 0.6)))


def spatial_shape(dice, size, name):
    kind = dice.one_of("sphere", "box", "capsule", "hull", "cylinder", "cone", "ellipsoid", "mesh")
    r = 0.5 * size
    if kind == "sphere":
        return Ball("sphere", r)
    if kind == "box":
        return box(size * numpy.array([1.0, dice.scale(0.1, 1), dice.scale(0.1, 1)]))
    if kind == "capsule":
        half = r * dice.uniform(0.2, 0.9)
        return Ball("capsule", r - half, half)
    if kind == "hull":
        points = numpy.array([dice.direction(False) for _ in range(dice.integers(5, 12))])
        tetrahedron = numpy.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / 3**0.5
        return hull(r * numpy.concatenate([tetrahedron, points])[: dice.integers(4, 4 + len(points))])
    if kind in ("cylinder", "cone"):
        return Round(kind, r * dice.scale(0.1, 1), size * dice.scale(0.1, 1))
    if kind == "ellipsoid":
        return Ellipsoid(r * numpy.array([1.0, dice.scale(0.2, 1), dice.scale(0.2, 1)]))
    return Prism(r * dice.star(dice.integers(4, 8), 0.6), r * dice.scale(0.2, 1), name)


# ---- Rooms: what is inside, and the shapes around it


def planar_room(dice, size):
    kind = dice.one_of("walls", "walls", "halves", "box", "disc")
    if kind == "box":
        inside = planar_box([2 * size, size * dice.uniform(0.6, 2), size])
        return inside, [inside.text(hollow=True, material="stone")]
    if kind == "disc":
        return Ball("disc", size, thickness=size), [Ball("disc", size, thickness=size).text(hollow=True, material="stone")]
    corners = size * dice.star(dice.integers(4, 10), dice.one_of(0.0, 0.5))
    inside = Prism(corners)
    outside = dice.uniform(1.1, 1.5) * corners
    n = len(corners)
    if kind == "walls":
        walls = [[corners[i - 1], outside[i - 1], outside[i], corners[i]] for i in range(n)]
    else:
        k = n // 2
        halves = [range(0, k + 1), [*range(k, n), 0]]
        walls = [[outside[i] for i in half] + [corners[i] for i in reversed(half)] for half in halves]
    return inside, [f'{{ kind = "polygon", points = {text_of(wall)}, material = "stone" }}' for wall in walls]


def spatial_room(dice, size, folder):
    kind = dice.one_of("hulls", "hulls", "mesh", "prism", "box", "sphere", "cylinder", "cone", "ellipsoid")
    if kind in ("hulls", "mesh"):
        points = [dice.direction(False) for _ in range(dice.integers(4, 12))]
        inside = hull(size * numpy.concatenate([points, [[1, 0, -0.4], [-0.6, 0.8, -0.4], [-0.6, -0.8, -0.4], [0, 0, 1]]]))
        used = sorted({i for t in inside.triangles for i in t})
        surface = inside.points, inside.triangles
    elif kind == "prism":
        inside = Prism(size * dice.star(dice.integers(4, 9), dice.one_of(0.0, 0.5)), size * dice.uniform(0.4, 1), "room")
        surface = inside.surface()
    else:
        inside = {"box": lambda: box(size * numpy.array([2.0, dice.uniform(0.8, 2), dice.uniform(0.8, 2)])),
                  "sphere": lambda: Ball("sphere", size),
                  "cylinder": lambda: Round("cylinder", size, size * dice.uniform(0.8, 3)),
                  "cone": lambda: Round("cone", 1.5 * size, size * dice.uniform(2, 4)),
                  "ellipsoid": lambda: Ellipsoid(size * numpy.array([1.5, 1.0, dice.uniform(0.6, 1)]))}[kind]()
        return inside, [inside.text(hollow=True, material="stone")]
    if kind == "hulls":
        thick = dice.uniform(1.05, 1.5)
        walls = [numpy.concatenate([inside.points[t], thick * inside.points[t]]) for t in inside.triangles]
        return inside, [hull(wall).text(material="stone") for wall in walls]
    points, triangles = surface
    if kind == "mesh":  # points inside the hull are in no triangle
        points, triangles = points[used], [[used.index(i) for i in t] for t in triangles]
    shell = box([4 * size] * 3)
    count = len(points)
    write_mesh(folder / "room.obj", numpy.concatenate([points, shell.points]),
               [t[::-1] for t in triangles] + [[count + i for i in t] for t in shell.triangles])
    return inside, ['{ kind = "mesh", file = "room.obj", material = "stone" }']


# ---- Scenes


Body = collections.namedtuple("Body", "name shape")


class Scene:
    """A model file, and what is needed to judge its run."""

    def __init__(self, kind, number, folder):
        dice = Dice([number, 0 if kind == "room" else 1])
        self.kind, self.folder = kind, folder
        self.planar = bool(dice.integers(2))
        self.bodies, self.texts, self.mass = [], [], 0.0
        if kind == "room":
            self.make_room(dice)
        else:
            self.make_pile(dice)

    def make_shape(self, dice, size, name):
        shape = planar_shape(dice, size) if self.planar else spatial_shape(dice, size, name)
        shape.write(self.folder)
        return shape

    def add_body(self, dice, shape, position, velocity, spin):
        name = f"b{len(self.bodies)}"
        self.bodies.append(Body(name, shape))
        dimensions = 2 if self.planar else 3
        turn = f"angle = {dice.uniform(0, 7)!r}" if self.planar else (
            f"orientation = {{ axis = {text_of(dice.direction(False))}, angle = {dice.uniform(0, 3)!r} }}")
        mass = dice.scale(100, 8000) * shape.radius()**3  # a sphere of this radius has four times this volume
        self.mass += mass
        rates = text_of(spin[2]) if self.planar else text_of(spin)
        self.texts.append(f"""
[[body]]
name = "{name}"
kind = "{"planar" if self.planar else "rigid"}"
mass = {mass!r}
shape = {shape.text(material="stone")}
position = {text_of(position[:dimensions])}
{turn}
velocity = {text_of(velocity[:dimensions])}
angular_velocity = {rates}
""")

    def write(self, gravity, material, ground, step, steps, interval):
        self.step, self.gravity = step, gravity
        axis = [0, -gravity] if self.planar else [0, 0, -gravity]
        law = "\n".join(f"{key} = {value!r}" for key, value in material.items())
        walls = ",\n  ".join(ground)
        (self.folder / "scene.toml").write_text(
            f'gravity = {text_of(axis)}\n\n[[material]]\nname = "stone"\n{law}\n\n[ground]\nshape = [\n  {walls},\n]\n'
            + "".join(self.texts)
            + f"\n[integrator]\nstep = {step!r}\nduration = {step * steps!r}\n\n"
            + f"[output]\nparaview = false\ncheckpoint_interval = 0\ninterval = {step * interval!r}\n")

    def make_room(self, dice):
        size = dice.scale(0.05, 20)
        self.inside, ground = planar_room(dice, size) if self.planar else spatial_room(dice, size, self.folder)
        step = dice.scale(1e-4, 1e-2)
        placed = []
        wanted = dice.integers(1, 7)
        trials = 0
        while len(placed) < wanted and (trials < 60 or not placed):
            trials += 1
            shape = self.make_shape(dice, size * dice.scale(0.03, 0.6), f"b{len(placed)}")
            at = size * dice.uniform(-1, 1, 3)
            if self.planar:
                at[2] = 0
            radius = shape.radius()
            if self.inside.depth(at[None])[0] < 1.001 * radius:
                continue
            if any(numpy.linalg.norm(at - other) < 1.001 * (radius + its) for other, its in placed):
                continue
            placed.append((at, radius))
            # Up to a hundred lengths, and a radian, in a step.
            velocity = dice.scale(0.01, 100) * 2 * radius / step * dice.direction(self.planar)
            spin = dice.scale(1e-3, 1) / step * dice.direction(self.planar)
            if self.planar:
                spin = numpy.array([0, 0, dice.scale(1e-3, 1) / step])
            self.add_body(dice, shape, at, velocity, spin)
        material = {"friction": dice.one_of(0.0, dice.uniform(0, 1)), "restitution": dice.one_of(0.0, dice.uniform(0, 0.9))}
        self.write(dice.one_of(0.0, GRAVITY), material, ground, step, 40, 1)

    def make_pile(self, dice):
        size = dice.scale(0.01, 1)  # of a body
        count = int(dice.integers(3, 9))
        across = int(dice.integers(1, 3))
        wide = 1.3 * size * (across + 1)
        high = 1.3 * size * (count + 3)
        flat = numpy.array([wide, high, size]) if self.planar else numpy.array([wide, wide, high])
        self.inside = planar_box(2 * flat) if self.planar else box(2 * flat)
        if self.planar:
            self.inside.keys["size"] = 2 * flat
        for k in range(count):
            shape = self.make_shape(dice, size * dice.scale(0.3, 1), f"b{k}")
            at = 1.3 * size * dice.uniform(-0.5 * across, 0.5 * across, 3)
            at[1 if self.planar else 2] = -high + 1.3 * size * (k + 0.7)
            if self.planar:
                at[2] = 0
            self.add_body(dice, shape, at, numpy.zeros(3), numpy.zeros(3))
        step = (size / GRAVITY)**0.5 / 25
        material = {"friction": dice.uniform(0.05, 1), "restitution": dice.one_of(0.0, dice.uniform(0, 0.4)),
                    "rolling_friction": 0.02 * size}
        if not self.planar:
            material["drilling_friction"] = 0.02 * size
        self.write(GRAVITY, material, [self.inside.text(hollow=True, material="stone")], step, 600, 10)


# ---- Judgement


def rotations(quaternions):
    w, x, y, z = quaternions.T
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)


class Motion:
    """Where the bodies are at each sample."""

    def __init__(self, scene, results):
        self.x, self.R, self.spin = [], [], []
        for body in scene.bodies:
            of = results["bodies"][body.name]
            x = of["position"][:]
            if scene.planar:
                angle = of["angle"][:]
                quaternions = numpy.stack([numpy.cos(angle / 2), 0 * angle, 0 * angle, numpy.sin(angle / 2)], axis=1)
                x = numpy.column_stack([x, 0 * angle])
                self.spin.append(numpy.abs(of["angular_velocity"][:]))
            else:
                quaternions = of["orientation"][:]
                self.spin.append(numpy.linalg.norm(of["angular_velocity"][:], axis=1))
            self.x.append(x)
            self.R.append(rotations(quaternions))


def outside_by(scene, motion, samples):
    """How far anybody is out of the room."""
    most = -numpy.inf
    for k, body in enumerate(scene.bodies):
        surface = body.shape.samples()
        for t in samples:
            R, x = motion.R[k][t], motion.x[k][t]
            points = surface
            if body.shape.is_convex and len(scene.inside.normals()):
                points = numpy.concatenate([points, [body.shape.support(R.T @ n) for n in scene.inside.normals()]])
            most = max(most, -scene.inside.depth(points @ R.T + x).min())
    return most


def overlap_of(scene, motion, samples):
    """How deep anybody is in another."""
    most = -numpy.inf
    surfaces = [body.shape.samples() for body in scene.bodies]
    radii = [body.shape.radius() for body in scene.bodies]
    for a in range(len(surfaces)):
        for b in range(len(surfaces)):
            if a == b:
                continue
            apart = numpy.linalg.norm(motion.x[a] - motion.x[b], axis=1)
            for t in samples:
                if apart[t] > radii[a] + radii[b]:
                    continue
                points = surfaces[a] @ motion.R[a][t].T + motion.x[a][t]
                most = max(most, scene.bodies[b].shape.depth((points - motion.x[b][t]) @ motion.R[b][t]).max())
    return most


def gain_of(scene, motion, results):
    """The largest growth of energy beyond what is allowed, over the energy."""
    total, kinetic = results["energy/total"][:], results["energy/kinetic"][:]
    most = kinetic[0] + numpy.ptp(results["energy/gravity"][:])
    interval = numpy.diff(results["time"][:2])[0] / scene.step
    turn = numpy.minimum(1.0, interval * (numpy.max(motion.spin, axis=0) * scene.step)**2)
    weight = scene.mass * scene.gravity * max(body.shape.radius() for body in scene.bodies)
    unsure = 2 * turn * (kinetic + weight)
    allowed = numpy.maximum(unsure[1:], unsure[:-1]) + TOLERANCE * most
    return float(numpy.max((numpy.diff(total) - allowed) / most, initial=0.0))


def judge(scene, out):
    """What is wrong, or nothing."""
    summary = json.loads((out / "summary.json").read_text())
    length = summary["length"]
    if summary["min_gap"] is not None and summary["min_gap"] < -TOLERANCE * length:
        return f"gap {summary['min_gap']:.3g} of length {length:.3g}"
    with h5py.File(out / "results.h5") as results:
        motion = Motion(scene, results)
        samples = range(len(results["time"]))
        if (by := outside_by(scene, motion, samples)) > TOLERANCE * length:
            return f"outside by {by:.3g} of length {length:.3g}"
        if (by := overlap_of(scene, motion, samples)) > TOLERANCE * length:
            return f"inside each other by {by:.3g} of length {length:.3g}"
        if not numpy.ptp(results["energy/gravity"][:]) + results["energy/kinetic"][0] > 0:
            return "nothing moved"
        if (gain := gain_of(scene, motion, results)) > 0:
            return f"energy gained: {gain:.3g} of it"
        if scene.kind == "pile":
            kinetic = float(results["energy/kinetic"][-1])
            limit = 0.5 * scene.mass * (scene.gravity * scene.step)**2
            if kinetic > limit:
                return f"not at rest: {kinetic:.3g} J, more than {limit:.3g} J"
    return ""


def run(options, kind, number, scheme):
    """Runs a scene; what is wrong, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        scene = Scene(kind, number, folder)
        out = folder / "out"
        try:
            done = subprocess.run([options.program, "run", str(folder / "scene.toml"), "--out", str(out), "--quiet",
                                   "--set", f"integrator.name={scheme}"], capture_output=True, text=True, timeout=options.timeout)
            wrong = done.stderr.strip().splitlines()[-1] if done.returncode else judge(scene, out)
        except subprocess.TimeoutExpired:
            wrong = f"not done after {options.timeout} s"
        if wrong and options.keep:
            shutil.copytree(folder, pathlib.Path(options.keep) / f"{kind}-{number}-{scheme}", dirs_exist_ok=True)
        return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("CLATTER_PROGRAM", "clatter"))
    parser.add_argument("--schemes", default=",".join(SCHEMES), help="separated by commas")
    parser.add_argument("--rooms", type=int, default=0, help="how many")
    parser.add_argument("--piles", type=int, default=0, help="how many")
    parser.add_argument("--first", type=int, default=0, help="number of the first scene")
    parser.add_argument("--every", type=int, default=1, help="how far the numbers of scenes are apart")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="folder for the scenes that fail")
    parser.add_argument("--timeout", type=float, default=300, help="of one run [s]")
    options = parser.parse_args()
    cases = [(kind, number, scheme) for kind, count in (("room", options.rooms), ("pile", options.piles))
             for scheme in options.schemes.split(",") for number in range(options.first, options.first + count * options.every, options.every)]
    failed = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, wrong in zip(cases, pool.map(lambda case: run(options, *case), cases)):
            kind, number, scheme = case
            failed[kind, scheme] += bool(wrong)
            if wrong:
                print(f"{kind} {number} {scheme}: {wrong}", flush=True)
    for kind, scheme in dict.fromkeys((kind, scheme) for kind, _, scheme in cases):
        count = options.rooms if kind == "room" else options.piles
        print(f"{kind}s, {scheme}: {failed[kind, scheme]} of {count} fail")
    return min(100, sum(failed.values()))


if __name__ == "__main__":
    sys.exit(main())
