#!/usr/bin/python3
"""Boxes between planes, simulated with Siconos and its Bullet contacts as a peer of clatter.

Needs the Debian packages python3-siconos and python3-scipy, and Debian's own interpreter
(/usr/bin/python3), for this comparison only; nothing else in the project uses them.

The scene is a JSON object on standard input:

    boxes       [{"size", "position", "orientation" (w, x, y, z), "velocity",
                "angular_velocity"}, ...];
                angular velocities in body axes
    density, friction, gravity
    planes      [{"point", "normal"}, ...]
    step        size of a step; steps: how many at most; seconds: of the processor, at most
    tolerance   of NSGS, started from the reactions of the last step

The report is one JSON object on standard output: steps, processor seconds, contacts and residuals.
Solving ends after 10000 iterations; "unconverged_steps" tells how often it did.
"""

import json
import os
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy
import scipy.sparse.csr  # Siconos looks for exactly this module
import siconos.kernel as kernel
import siconos.numerics as numerics
from siconos.mechanics.collision.base import (
    RigidBodyDS,
    SiconosBox,
    SiconosContactor,
    SiconosContactorSet,
    SiconosPlane,
)
from siconos.mechanics.collision.bullet import (
    SiconosBulletCollisionManager,
    SiconosBulletOptions,
)

from siconos_crowd import define_contact_problem, solver_options


def make_body(box, scene):
    size = numpy.array(box["size"])
    mass = scene["density"] * size.prod()
    inertia = numpy.diag(mass / 12 * (size @ size - size**2))
    body = RigidBodyDS(
        box["position"] + box["orientation"],
        box["velocity"] + box["angular_velocity"],
        float(mass),
        inertia,
    )
    solid = SiconosBox(*box["size"])
    solid.setInsideMargin(0.02 * float(size.min()))
    solid.setOutsideMargin(0.0)
    shapes = SiconosContactorSet()
    shapes.append(SiconosContactor(solid))
    body.setContactors(shapes)
    body.setFExtPtr(mass * numpy.array(scene["gravity"]))
    return body


def turn_to(normal):
    """The quaternion that turns z to the normal."""
    half = numpy.array([1.0 + normal[2], -normal[1], normal[0], 0.0])
    length = numpy.linalg.norm(half)
    return list(half / length) if length > 0 else [0.0, 1.0, 0.0, 0.0]


def main():
    report_stream = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # Siconos prints there
    scene = json.load(sys.stdin)
    system = kernel.NonSmoothDynamicalSystem(0, (scene["steps"] + 1) * scene["step"])
    bodies = [make_body(box, scene) for box in scene["boxes"]]
    for body in bodies:
        system.insertDynamicalSystem(body)
    options = SiconosBulletOptions()
    options.worldScale = 1.0
    options.contactBreakingThreshold = 1e-3
    manager = SiconosBulletCollisionManager(options)
    planes = []
    for plane in scene["planes"]:
        shapes = SiconosContactorSet()
        planes.append(SiconosPlane())
        planes[-1].setInsideMargin(0.0)
        planes[-1].setOutsideMargin(0.0)
        shapes.append(SiconosContactor(planes[-1]))
        manager.insertStaticContactorSet(shapes, plane["point"] + turn_to(plane["normal"]))
    manager.insertNonSmoothLaw(
        kernel.NewtonImpactFrictionNSL(0.0, 0.0, scene["friction"], 3), 0, 0
    )
    solver = solver_options(scene["tolerance"], 10000, "light-full-final", "newton")
    problem = define_contact_problem()(solver, scene["friction"])
    problem.setMStorageType(numerics.NM_SPARSE_BLOCK)
    problem.setKeepLambdaAndYState(True)
    simulation = kernel.TimeStepping(system, kernel.TimeDiscretisation(0, scene["step"]))
    simulation.insertInteractionManager(manager)
    simulation.insertIntegrator(kernel.MoreauJeanOSI(0.5))
    simulation.insertNonSmoothProblem(problem)
    simulation.setNewtonOptions(kernel.SICONOS_TS_LINEAR)
    done = 0
    start = time.process_time()
    while done < scene["steps"]:
        simulation.computeOneStep()
        simulation.nextStep()
        done += 1
        if time.process_time() - start > scene["seconds"]:
            break
    seconds = time.process_time() - start - problem.check_time[1]
    report = {
        "steps": done,
        "processor_seconds": seconds,
        "contacts": max(problem.contacts, default=0),
        "iterations": max(problem.iterations, default=0),
        "scaled_residual": max(problem.scaled_residuals, default=0.0),
        "unconverged_steps": problem.failures,
        "lowest": float(min(body.q()[2] for body in bodies)),
    }
    json.dump(report, report_stream)
    report_stream.write("\n")
    report_stream.close()


if __name__ == "__main__":
    main()
