#!/usr/bin/python3
"""The same machines with hard and with compliant contacts: what each costs, and how they differ.

    benchmarks/hard_and_compliant.py [--program build/release/bin/clatter]

Hard contacts take the steps of the examples, compliant ones (`newmark`, the trapezoidal rule) steps
that resolve their impacts, with the stiffness of the materials. Both go through the same time; times
are those of the steps, without what it takes to start and to write. The source of the examples has 25,000 s
for compliant and 40 s for hard contacts in the billiard break.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import h5py

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
CONTACTS_OF_BREAK = ["click", "cloth", "right", "left", "near", "far"]

# Example, simulated time, settings of hard and of compliant contacts, and channels to compare at the end.
MACHINES = [
    (
        "000/billiard-break.toml",
        0.3,
        [],
        ["integrator.multi_impact=false", "integrator.step=2e-6", "contact.click.compliance.law=flores"]
        + [f"contact.{name}.compliance.stiffness=4e8" for name in CONTACTS_OF_BREAK],
        [("bodies/ball2/velocity", 0, "m/s"), ("bodies/ball4/velocity", 0, "m/s")],
    ),
    (
        "000/slider-crank-and-block.toml",
        0.1,
        [],
        [
            "integrator.locate_impacts=false",
            "integrator.step=1e-6",
            "contact.tips.compliance.law=flores",
            "contact.tips.compliance.stiffness=9.5e9",
        ],
        [("bodies/block/velocity", 0, "m/s"), ("bodies/slider/position", 0, "m")],
    ),
    (
        "000/ball-bearing.toml",
        0.1,
        [],
        ["integrator.step=2e-6", "bearing.bearing.compliance.stiffness=7.02e10"],
        [("bearings/bearing/cage_speed", None, "rad/s"), ("bodies/inner/position", 1, "m")],
    ),
]


def run(program, model, duration, settings, channels):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        command = [program, "run", EXAMPLES / model, "--quiet", "--out", out]
        for setting in settings + [f"integrator.duration={duration}", f"output.interval={duration / 100}",
                                   "output.paraview=false"]:
            command += ["--set", setting]
        subprocess.run(command, check=True)
        summary = json.loads((out / "summary.json").read_text())
        with h5py.File(out / "results.h5") as results:
            ends = [
                float(results[path][-1] if component is None else results[path][-1, component])
                for path, component, _ in channels
            ]
    cost = summary["cost"]
    time = cost["smooth_time"] + cost["position_time"] + cost["velocity_time"]
    return time, summary["steps"], summary["min_gap"], ends


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/clatter")
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    for model, duration, hard, compliant, channels in MACHINES:
        print(f"{model}, {duration} s")
        times = []
        for name, settings in (("hard", hard), ("compliant", ["integrator.name=newmark"] + compliant)):
            time, steps, gap, ends = run(program, model, duration, settings, channels)
            times.append(time)
            values = ", ".join(
                f"{path.split('/', 1)[1]} {value:.6g} {unit}" for (path, _, unit), value in zip(channels, ends)
            )
            print(f"  {name:9} {steps:7} steps {time:8.2f} s   smallest gap {gap:9.2e} m   {values}")
        print(f"  compliant contacts take {times[1] / times[0]:.0f} times as long")


if __name__ == "__main__":
    main()
