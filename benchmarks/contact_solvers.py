#!/usr/bin/python3
"""Contact problems solved by clatter and by Siconos's default solvers, in one run on one thread.

    benchmarks/contact_solvers.py FOLDER [--program PROGRAM] [--tolerance 1e-8] [--svg FILE]

FOLDER holds problems as `clatter solve-contact` reads them. Needs the Debian packages
python3-siconos, python3-scipy and python3-h5py, and Debian's own interpreter, for this comparison
only; nothing else in the project uses them.

Times are those of the solvers alone, without reading files, the shortest of several repeats. Each
starts from no reactions. Siconos gets the matrix dense and sparse, and the quicker of the two
counts; its solvers have their default options but for the tolerance and a generous limit of
iterations. Its times include the call from Python, about half a microsecond. Every solver runs in a
process of its own with a limit of time. The error of every result, clatter's too, is measured here,
by the one function `error`; who does not reach the tolerance has not solved the problem, whatever
he says.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time
import warnings

# A second thread of BLAS would measure something else. Set before NumPy loads it.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"

import h5py
import numpy
import scipy.sparse
import scipy.sparse.csr  # Siconos looks for exactly this module when it converts matrices

SOLVERS = {
    2: {"NSGS": "2D_NSGS", "Lemke": "2D_LEMKE", "CPG": "2D_CPG"},
    3: {"NSGS": "3D_NSGS", "NSN_AC": "3D_NSN_AC", "ADMM": "3D_ADMM"},
}
FACTORS = [1, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000]


def load(path):
    with h5py.File(path) as file:
        q, mu = file["q"][:], file["mu"][:]
        W = scipy.sparse.csr_matrix(
            (file["W/data"][:], file["W/indices"][:], file["W/indptr"][:]), shape=(len(q), len(q))
        )
        return int(file.attrs["dimension"]), W, q, mu


def error(path, reactions):
    """|r - P(r - (u + mu |u_T| n))| / |q|, P the projection on the cones |r_T| <= mu r_N."""
    dimension, W, q, mu = load(path)
    r = numpy.asarray(reactions).reshape(-1, dimension)
    u = (W @ r.ravel() + q).reshape(-1, dimension)
    u[:, 0] += mu * numpy.linalg.norm(u[:, 1:], axis=1)
    y = r - u
    normal, length = y[:, 0], numpy.linalg.norm(y[:, 1:], axis=1)
    inside, polar = length <= mu * normal, mu * length <= -normal
    side = ~inside & ~polar
    projected = numpy.where(inside[:, None], y, 0.0)
    height = (normal[side] + mu[side] * length[side]) / (1 + mu[side] ** 2)
    projected[side, 0] = height
    projected[side, 1:] = y[side, 1:] * (mu[side] * height / length[side])[:, None]
    size = numpy.linalg.norm(q)
    return float(numpy.linalg.norm(r - projected) / (size if size > 0 else 1))


def solve_with_siconos(path, solver, storage, tolerance, seconds):
    """In a process of its own: prints time, iterations and reactions."""
    import siconos.numerics as numerics

    warnings.simplefilter("ignore")
    dimension, W, q, mu = load(path)
    matrix = W.toarray() if storage == "dense" else W
    problem = numerics.FrictionContactProblem(dimension, len(mu), matrix, q, mu)
    driver = numerics.fc3d_driver if dimension == 3 else numerics.fc2d_driver
    shortest, total, repeats = float("inf"), 0.0, 0
    while repeats == 0 or (total < seconds and repeats < 1000):
        options = numerics.SolverOptions(getattr(numerics, "SICONOS_FRICTION_" + solver))
        options.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
        options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 1000 if "NSN" in solver else 100000
        r, u = numpy.zeros(len(q)), numpy.zeros(len(q))
        begin = time.perf_counter()
        driver(problem, r, u, options)
        spent = time.perf_counter() - begin
        shortest, total, repeats = min(shortest, spent), total + spent, repeats + 1
    iterations = int(options.iparam[numerics.SICONOS_IPARAM_ITER_DONE])
    print("\n" + json.dumps({"time": shortest, "iterations": iterations, "reactions": list(r)}))


def measure_siconos(path, options):
    """Results of all solvers by name; None for one that did not end in time."""
    dimension = load(path)[0]
    results = {}
    for name, solver in SOLVERS.get(dimension, {}).items():
        results[name] = None
        for storage in ("dense", "sparse"):
            command = [sys.executable, __file__, str(path), "--as-siconos", solver, storage]
            command += ["--tolerance", str(options.tolerance), "--seconds", str(options.seconds)]
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=options.timeout
                )
                result = json.loads(done.stdout.strip().splitlines()[-1])
            except (subprocess.TimeoutExpired, ValueError, IndexError):
                continue  # too slow, or this storage is not supported
            result["error"] = error(path, result.pop("reactions"))
            last = results[name]
            better = result["error"] <= options.tolerance
            if last is None or (better, -result["time"]) > (
                last["error"] <= options.tolerance,
                -last["time"],
            ):
                results[name] = result
    return results


def measure_clatter(path, options):
    command = [options.program, "solve-contact", str(path), "--json", "--reactions"]
    command += ["--tolerance", str(options.tolerance), "--solver", options.solver]

    def run(repeats):
        done = subprocess.run(
            command + ["--repeat", str(repeats)],
            capture_output=True,
            text=True,
            timeout=options.timeout,
        )
        return json.loads(done.stdout)[0]

    once = run(1)
    result = run(max(1, min(1000, int(options.seconds / max(once["time"], 1e-7)))))
    result["error"] = error(path, result.pop("reactions"))
    return result


def milliseconds(result, tolerance):
    if result is None:
        return "-"
    text = f"{1e3 * result['time']:.4g}"
    return text if result["error"] <= tolerance else f"({text})"


def profile(times):
    """For each solver the share of problems that it solves within each factor of the best."""
    names = list(times[0])
    lines = {name: [] for name in names}
    for factor in FACTORS:
        for name in names:
            within = [t for t in times if t[name] <= factor * min(t.values()) < float("inf")]
            lines[name].append(len(within) / len(times))
    return lines


def write_svg(file, lines):
    """Steps over the logarithm of the factor."""
    width, height, left, bottom = 640, 360, 50, 40
    colours = ["#0b6e4f", "#c1292e", "#235789", "#e09f3e", "#6a4c93", "#888888"]
    top = numpy.log10(FACTORS[-1])

    def place(factor, share):
        x = left + (width - left - 150) * numpy.log10(factor) / top
        return f"{x:.1f},{(height - bottom) - (height - bottom - 15) * share:.1f}"

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12">']
    for factor in (1, 10, 100, 1000):
        x = place(factor, 0).split(",")[0]
        parts.append(f'<text x="{x}" y="{height - 20}" text-anchor="middle">{factor}</text>')
    for share in (0, 0.5, 1):
        y = place(1, share).split(",")[1]
        parts.append(f'<line x1="{left}" x2="{width - 150}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y}" text-anchor="end">{share}</text>')
    parts.append(f'<text x="{left}" y="{height - 4}">time over that of the quickest</text>')
    for colour, (name, shares) in zip(colours, lines.items()):
        points = [place(FACTORS[0], shares[0])]
        for k in range(1, len(FACTORS)):
            points += [place(FACTORS[k], shares[k - 1]), place(FACTORS[k], shares[k])]
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" '
                     'stroke-width="2"/>')
        y = 30 + 18 * list(lines).index(name)
        parts.append(f'<text x="{width - 135}" y="{y}" fill="{colour}">{name}</text>')
    pathlib.Path(file).write_text("\n".join(parts) + "\n</svg>\n")


def compare(options):
    rows, times = [], []
    names = list(dict.fromkeys(name for group in SOLVERS.values() for name in group))
    for path in sorted(pathlib.Path(options.folder).glob("*.h5")):
        ours = measure_clatter(path, options)
        theirs = measure_siconos(path, options)
        of = {"clatter": ours, **{name: theirs.get(name) for name in names}}
        times.append({
            name: result["time"] if result and result["error"] <= options.tolerance else float("inf")
            for name, result in of.items()
        })
        best = min(times[-1][name] for name in names)
        ratio = "no other" if best == float("inf") else f"{best / times[-1]['clatter']:.3g}"
        rows.append([path.stem[:30], str(ours["contacts"]), ours["solver"], str(ours["iterations"]),
                     f"{ours['error']:.1e}"]
                    + [milliseconds(result, options.tolerance) for result in of.values()] + [ratio])
        print(f"{path.stem}: {ratio}", file=sys.stderr, flush=True)
    heading = ["problem", "contacts", "solver", "iterations", "error", "clatter"] + names + ["ratio"]
    print("Times in ms, in brackets if the tolerance was not reached; ratio: best of the others to "
          "clatter's\n")
    lines = [heading] + rows
    widths = [max(len(line[k]) for line in lines) for k in range(len(heading))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    solved = sum(t["clatter"] < float("inf") for t in times)
    quickest = sum(t["clatter"] <= min(t.values()) < float("inf") for t in times)
    print(f"\nclatter solves {solved} of {len(times)}, and is the quickest on {quickest}\n")
    shares = profile(times)
    print("Performance profile: share of the problems solved within a factor of the quickest")
    print("factor  " + "".join(f"{factor:>8g}" for factor in FACTORS))
    for name, line in shares.items():
        print(f"{name:8}" + "".join(f"{share:8.2f}" for share in line))
    if options.svg:
        write_svg(options.svg, shares)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of contact problems (.h5)")
    parser.add_argument("--program", default="build/release/bin/clatter")
    parser.add_argument("--solver", default="automatic", help="of clatter [automatic]")
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--seconds", type=float, default=0.3, help="to repeat short solves in [0.3]")
    parser.add_argument("--timeout", type=float, default=120.0, help="of a solver on a problem [s]")
    parser.add_argument("--svg", help="file for the performance profile")
    parser.add_argument("--as-siconos", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.as_siconos:
        solve_with_siconos(options.folder, *options.as_siconos, options.tolerance, options.seconds)
    else:
        compare(options)


if __name__ == "__main__":
    main()
