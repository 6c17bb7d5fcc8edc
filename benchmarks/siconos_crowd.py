#!/usr/bin/python3
"""A crowd of equal spheres between planes, simulated with Siconos as a peer of clatter.

Needs the Debian packages python3-siconos and python3-scipy, and Debian's own interpreter
(/usr/bin/python3), for this comparison only; nothing else in the project uses them.

The scene is a JSON object:

    radius, mass, inertia        of every sphere (inertia about any axis through the centre)
    friction, restitution        of every contact (restitution only along the normal)
    gravity                      [x, y, z]
    planes                       [{"point": [x, y, z], "normal": [x, y, z]}, ...]; the normal points
                                 to the side where the spheres are, a plane has no border
    step, steps                  size and number of time steps
    positions, velocities        of the centres, [[x, y, z], ...]; the spheres do not spin at first

The report is one JSON object on standard output; whatever Siconos prints goes to standard error.

Method: Moreau-Jean time stepping with one contact problem per step, Newton's impact law and
Coulomb friction, solved by SICONOS_FRICTION_3D_NSGS started from the reactions of the last step.
A contact is active if its gap, predicted for half a step, is not positive. Normals and lever arms
are those at the start of the step moved on by the velocities there, so that an impact changes the
angular momentum by the order of the step. Penetrations are not corrected. Nothing resists the
spin about a normal: single spheres may spin on when the crowd is at rest.

Gaps are exact: spheres and planes are Siconos's own relations (SphereNEDS...), without collision
margins. Only the search for near pairs is done here, because the packaged SpaceFilter has cells of
whole metres and would test every pair of a small crowd.
"""

import argparse
import json
import os
import sys
import time

# The matrices have 3 or 6 rows: a second thread of BLAS would only wait. Set before NumPy loads it.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

try:
    import numpy
    import scipy.sparse.csr  # Siconos looks for exactly this module when it converts matrices
    import scipy.spatial
    import siconos
    import siconos.kernel as kernel
    import siconos.numerics as numerics
    from siconos.mechanics.collision.bodies import (
        SphereNEDS,
        SphereNEDSPlanR,
        SphereNEDSSphereNEDSR,
    )
except ImportError as error:
    missing = error
else:
    missing = None

ERROR_EVALUATIONS = {
    "full": "SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL",
    "light": "SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT",
    "light-full-final": "SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL",
}

LOCAL_SOLVERS = {
    "newton": "SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID",
    "projection": "SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration",
}

NATURAL_MAP = "|r - P_K(r - (u + mu |u_T| n))| / |q|, Euclidean norms over all contacts"


def clocks():
    """Wall and processor time; the latter tells when other programs slowed the run."""
    return numpy.array([time.perf_counter(), time.process_time()])


def project_on_cones(vectors, friction):
    """The nearest points of the cones |t| <= friction n; one vector (n, t1, t2) per row."""
    normal = vectors[:, 0]
    tangential = numpy.hypot(vectors[:, 1], vectors[:, 2])
    inside = tangential <= friction * normal
    polar = friction * tangential <= -normal
    side = ~inside & ~polar
    projected = numpy.where(inside[:, None], vectors, 0.0)
    height = (normal[side] + friction * tangential[side]) / (1.0 + friction * friction)
    projected[side, 0] = height
    projected[side, 1:] = vectors[side, 1:] * (friction * height / tangential[side])[:, None]
    return projected


def natural_map_residual(delassus, free_velocity, reactions, friction):
    """How far reactions (impulses) are from solving u = W r + q with Coulomb's law; absolute."""
    velocity = (delassus @ reactions + free_velocity).reshape(-1, 3)
    reactions = reactions.reshape(-1, 3)
    velocity[:, 0] += friction * numpy.hypot(velocity[:, 1], velocity[:, 2])
    return numpy.linalg.norm(reactions - project_on_cones(reactions - velocity, friction))


def scaled_residual(delassus, free_velocity, reactions, friction):
    """The same as clatter measures it: in rows scaled by the Delassus diagonal, with the friction
    of the present normal reaction, over the motion that the reactions make weighted by mass."""
    diagonal = delassus.diagonal().reshape(-1, 3)
    scale = numpy.sqrt(diagonal)
    scale[:, 1:] = numpy.sqrt(diagonal[:, 1:].mean(axis=1))[:, None]  # one for both tangents
    motion = (delassus @ reactions).reshape(-1, 3) / scale
    scaled = reactions.reshape(-1, 3) * scale
    size = numpy.sqrt(max(0.0, numpy.sum(scaled * motion)))
    trial = scaled - motion - free_velocity.reshape(-1, 3) / scale
    trial[:, 0] = numpy.maximum(trial[:, 0], 0.0)
    radius = friction * trial[:, 0] * scale[:, 1] / scale[:, 0]
    length = numpy.maximum(numpy.hypot(trial[:, 1], trial[:, 2]), 1e-300)
    trial[:, 1:] *= numpy.minimum(1.0, radius / length)[:, None]
    off = numpy.linalg.norm(scaled - trial)
    return float(off / size) if size > 0.0 else float(off > 0.0)


def define_contact_problem():
    """The class is made on demand because its base exists only if Siconos is installed."""

    class TimedFrictionContact(kernel.FrictionContact):
        """Siconos's contact problem; keeps times and figures of every solve."""

        def __init__(self, options, friction):
            super().__init__(3, options)
            self.options = options
            self.friction = friction
            self.assembly_time = numpy.zeros(2)
            self.solve_time = numpy.zeros(2)
            self.check_time = numpy.zeros(2)
            self.contacts = []
            self.iterations = []
            self.siconos_residuals = []
            self.absolute_residuals = []
            self.relative_residuals = []
            self.scaled_residuals = []
            self.failures = 0

        def compute(self, time_now):
            begin = clocks()
            not_empty = self.preCompute(time_now)
            size = self.getSizeOutput() if not_empty else 0
            if size > 0:
                self.updateMu()
            assembled = clocks()
            self.assembly_time += assembled - begin
            self.contacts.append(size // 3)
            if size == 0:
                return 0

            failed = self.solve()
            solved = clocks()
            self.solve_time += solved - assembled
            self.failures += 1 if failed else 0
            self.keep_figures(size)
            self.check_time += clocks() - solved

            self.postCompute()
            # Counted above: Siconos would print a warning and continue in the same way.
            return 0

        def keep_figures(self, size):
            self.iterations.append(int(self.options.iparam[numerics.SICONOS_IPARAM_ITER_DONE]))
            residual = float(self.options.dparam[numerics.SICONOS_DPARAM_RESIDU])
            self.siconos_residuals.append(residual)
            delassus = numerics.SBM_to_sparse(self.M().numericsMatrix())[1]
            free_velocity = numpy.array(self.q())[:size]
            reactions = numpy.array(self.z())[:size]
            absolute = natural_map_residual(delassus, free_velocity, reactions, self.friction)
            norm = numpy.linalg.norm(free_velocity)
            self.absolute_residuals.append(float(absolute))
            self.relative_residuals.append(float(absolute / norm if norm > 0.0 else absolute))
            self.scaled_residuals.append(
                scaled_residual(delassus, free_velocity, reactions, self.friction)
            )

    return TimedFrictionContact


class Crowd:
    """The model: spheres, planes, and relations between those that are near each other."""

    def __init__(self, scene, theta, problem, steps):
        self.radius = float(scene["radius"])
        self.mass = float(scene["mass"])
        self.inertia = float(scene["inertia"])
        self.step = float(scene["step"])
        self.gravity = numpy.array(scene["gravity"], dtype=float)
        normals = numpy.array([plane["normal"] for plane in scene["planes"]], dtype=float)
        points = numpy.array([plane["point"] for plane in scene["planes"]], dtype=float)
        self.normals = normals.reshape(-1, 3)
        self.normals /= numpy.linalg.norm(self.normals, axis=1)[:, None]
        self.offsets = numpy.sum(self.normals * points.reshape(-1, 3), axis=1)

        # One step more than is done: Siconos must always know a next event.
        self.system = kernel.NonSmoothDynamicalSystem(0.0, (steps + 2) * self.step)
        self.spheres = []
        for position, velocity in zip(scene["positions"], scene["velocities"]):
            sphere = SphereNEDS(
                self.radius,
                self.mass,
                self.inertia * numpy.eye(3),
                [float(x) for x in position] + [1.0, 0.0, 0.0, 0.0],
                [float(v) for v in velocity] + [0.0, 0.0, 0.0],
            )
            sphere.setFExtPtr([float(f) for f in self.mass * self.gravity])
            self.system.insertDynamicalSystem(sphere)
            self.spheres.append(sphere)

        self.law = kernel.NewtonImpactFrictionNSL(
            float(scene["restitution"]), 0.0, float(scene["friction"]), 3
        )
        # Siconos calls back into these objects: they must not be collected.
        self.integrator = kernel.MoreauJeanOSI(theta)
        self.times = kernel.TimeDiscretisation(0.0, self.step)
        self.problem = problem
        self.simulation = kernel.TimeStepping(
            self.system, self.times, self.integrator, self.problem
        )
        # Spheres have no gyroscopic terms: the step is linear but for the contacts.
        self.simulation.setNewtonOptions(kernel.SICONOS_TS_LINEAR)

        self.relations = {}
        self.listed_positions = None
        self.skin = 0.0

    def positions(self):
        return numpy.array([sphere.q()[:3] for sphere in self.spheres])

    def twists(self):
        """Velocities of the centres, and angular velocities in the frames of the spheres."""
        return numpy.array([sphere.twist() for sphere in self.spheres])

    def update_relations(self):
        """Relates what can touch in this step; a list stays in use until spheres moved too far."""
        positions = self.positions()
        twists = self.twists()
        speed = numpy.sqrt(numpy.max(numpy.sum(twists[:, :3] ** 2, axis=1)))
        reach = self.step * (speed + self.step * numpy.linalg.norm(self.gravity))
        if self.listed_positions is not None:
            moved = numpy.linalg.norm(positions - self.listed_positions, axis=1).max()
            if 2.0 * (moved + reach) < self.skin:
                return
        self.skin = max(0.1 * self.radius, 4.0 * reach)
        self.listed_positions = positions

        tree = scipy.spatial.cKDTree(positions)
        pairs = tree.query_pairs(2.0 * self.radius + self.skin, output_type="ndarray")
        near = {("sphere", int(i), int(j)) for i, j in pairs}
        gaps = positions @ self.normals.T - self.offsets - self.radius
        near |= {("plane", int(i), int(j)) for i, j in numpy.argwhere(gaps < self.skin)}

        for key in [key for key in self.relations if key not in near]:
            self.simulation.unlink(self.relations.pop(key))
        for key in sorted(near - self.relations.keys()):
            self.relations[key] = self.relate(*key)

    def relate(self, kind, first, second):
        if kind == "plane":
            coefficients = [float(n) for n in self.normals[second]] + [-float(self.offsets[second])]
            relation = SphereNEDSPlanR(self.radius, *coefficients)
            bodies = [self.spheres[first]]
        else:
            relation = SphereNEDSSphereNEDSR(self.radius, self.radius)
            bodies = [self.spheres[first], self.spheres[second]]
        interaction = kernel.Interaction(self.law, relation)
        self.simulation.link(interaction, *bodies)
        return interaction

    def smallest_gap(self):
        """Between all spheres and planes, not only those related."""
        positions = self.positions()
        gap = numpy.inf
        if len(self.normals):
            gap = numpy.min(positions @ self.normals.T - self.offsets) - self.radius
        if len(positions) > 1:
            nearest = scipy.spatial.cKDTree(positions).query(positions, k=2)[0][:, 1]
            gap = min(gap, nearest.min() - 2.0 * self.radius)
        return float(gap)

    def all_inside(self):
        """Whether every centre is on the free side of every plane."""
        return bool(numpy.all(self.positions() @ self.normals.T > self.offsets))

    def kinetic_energy(self):
        squares = self.twists() ** 2
        return float(0.5 * (self.mass * squares[:, :3].sum() + self.inertia * squares[:, 3:].sum()))


def solver_options(tolerance, max_iterations, error_evaluation, local_solver):
    options = kernel.solver_options_create(numerics.SICONOS_FRICTION_3D_NSGS)
    options.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = max_iterations
    options.iparam[numerics.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = getattr(
        numerics, ERROR_EVALUATIONS[error_evaluation]
    )
    if local_solver != "newton":  # Siconos's default
        kernel.solver_options_update_internal(
            options, 0, getattr(numerics, LOCAL_SOLVERS[local_solver])
        )
    return options


def summary(values):
    if not values:
        return {"mean": 0.0, "max": 0.0, "last": 0.0}
    return {"mean": float(numpy.mean(values)), "max": max(values), "last": values[-1]}


def simulate(
    scene,
    steps=None,
    theta=1.0,
    tolerance=1e-8,
    max_iterations=10000,
    error_evaluation="light-full-final",
    local_solver="newton",
):
    """Runs the scene; returns the report and the crowd in its final state."""
    steps = int(scene["steps"]) if steps is None else steps
    options = solver_options(tolerance, max_iterations, error_evaluation, local_solver)
    problem = define_contact_problem()(options, float(scene["friction"]))
    problem.setMStorageType(numerics.NM_SPARSE_BLOCK)
    crowd = Crowd(scene, theta, problem, steps)

    search_time = numpy.zeros(2)
    step_time = numpy.zeros(2)
    deepest = -crowd.smallest_gap()
    relations = []
    for _ in range(steps):
        begin = clocks()
        crowd.update_relations()
        searched = clocks()
        crowd.simulation.computeOneStep()
        crowd.simulation.nextStep()
        stepped = clocks()
        search_time += searched - begin
        step_time += stepped - searched
        # From here on not timed.
        relations.append(len(crowd.relations))
        deepest = max(deepest, -crowd.smallest_gap())
    step_time -= problem.check_time

    energy = crowd.kinetic_energy()
    if error_evaluation == "light":
        own_residual = "|change of r in the last iteration| / |r|"
    else:
        own_residual = NATURAL_MAP + " (fc3d_compute_error)"
    report = {
        "code": "Siconos",
        "module_version": siconos.version,
        "scheme": "Moreau-Jean",
        "theta": theta,
        "solver": "SICONOS_FRICTION_3D_NSGS",
        "local_solver": LOCAL_SOLVERS[local_solver],
        "error_evaluation": ERROR_EVALUATIONS[error_evaluation],
        "tolerance": tolerance,
        "max_iterations": max_iterations,
        "spheres": len(crowd.spheres),
        "step": crowd.step,
        "steps": steps,
        **{
            clock: {
                "total": float(search_time[i] + step_time[i]),
                "contact_search": float(search_time[i]),
                "step": float(step_time[i]),
                "step_assembly": float(problem.assembly_time[i]),
                "step_solve": float(problem.solve_time[i]),
            }
            for i, clock in enumerate(["wall_seconds", "processor_seconds"])
        },
        "relations": summary(relations),
        "contacts": summary(problem.contacts),
        "problems_solved": len(problem.iterations),
        "iterations": summary(problem.iterations),
        "siconos_residual": {"definition": own_residual, **summary(problem.siconos_residuals)},
        "natural_map_residual": {
            "definition": NATURAL_MAP,
            **summary(problem.relative_residuals),
            "absolute": summary(problem.absolute_residuals),
        },
        "scaled_residual": {
            "definition": "|p - P(p - g)| in rows scaled by the Delassus diagonal, over sqrt(p D p)",
            **summary(problem.scaled_residuals),
        },
        "largest_penetration": max(deepest, 0.0),
        "all_inside": crowd.all_inside(),
        "final_kinetic_energy": energy,
        "unconverged_steps": problem.failures,
        "converged": problem.failures == 0 and bool(numpy.isfinite(energy)),
    }
    return report, crowd


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("scene", help="JSON file, see the head of this script")
    parser.add_argument("--steps", type=int, help="instead of the scene's number of steps")
    parser.add_argument("--theta", type=float, default=1.0, help="of the scheme (default 1)")
    parser.add_argument("--tolerance", type=float, default=1e-8, help="residual (default 1e-8)")
    parser.add_argument("--max-iterations", type=int, default=10000, help="default 10000")
    parser.add_argument(
        "--error-evaluation",
        choices=ERROR_EVALUATIONS,
        default="light-full-final",
        help="what NSGS compares with the tolerance: the natural map in every iteration (full), "
        "the change of the reactions (light), or the change and then the natural map (default)",
    )
    parser.add_argument(
        "--local-solver",
        choices=LOCAL_SOLVERS,
        default="newton",
        help="for one contact inside NSGS (default newton, as in Siconos)",
    )
    return parser.parse_args()


def main():
    arguments = read_arguments()
    if missing is not None:
        sys.exit(
            f"siconos_crowd: {missing}; install the Debian packages python3-siconos and "
            "python3-scipy and run this script with /usr/bin/python3"
        )
    with open(arguments.scene, encoding="utf-8") as file:
        scene = json.load(file)

    # Siconos prints to the file descriptor of standard output, which is kept for the report.
    report_stream = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    report, _ = simulate(
        scene,
        arguments.steps,
        arguments.theta,
        arguments.tolerance,
        arguments.max_iterations,
        arguments.error_evaluation,
        arguments.local_solver,
    )
    json.dump(report, report_stream, indent=2)
    report_stream.write("\n")
    report_stream.close()


if __name__ == "__main__":
    main()
