#!/usr/bin/env python3
"""Computes oracles of the examples anew and compares them with the model files.

    python3 check.py                       all scripts
    python3 check.py rocking_rod.py ...    only these
    python3 check.py --table               print every figure, not only those that differ

A script of this folder has a function rows() that yields (model, quantity, key, value):

    ("smooth/double-pendulum.toml", "bodies/upper/angle", {"at": 2.0}, -1.6535546)

The key holds what selects the figure, with the names of [[verify]]: at, or measure with from, to,
threshold and below, and in "set" the changes of the model. Entries of the measure "final" are
those at the end of the run. Changes of the integrator and of the number of elements do not change
what is right, so they are not part of the key, and neither is the tolerance: one figure serves all
entries with the same key. An entry agrees when it is off by at most a tenth of its tolerance.

Prototypes of the same scheme are checked too. Their entries name the script in the note, for 'script'
is kept for independent computations. What they compute depends on the integrator, so that all changes
are part of the key; such a script says THE_SCHEME_MATTERS = True.

The exit status is 1 when an entry differs or has no figure.
Needs Python 3.11 with numpy and scipy (Debian: python3-numpy python3-scipy).
"""

import argparse
import importlib.util
import math
import multiprocessing
import pathlib
import re
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent
INDEPENDENT, PROTOTYPE = "independent computation", "prototype of the same scheme"

FORMULA = {name: getattr(math, name)
           for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "pi")}


def value_of(oracle):
    """A number, or a formula as the model files have them."""
    if isinstance(oracle, (int, float)):
        return float(oracle)
    return float(eval(oracle.replace("^", "**"), {"__builtins__": {}}, FORMULA))


def changes_the_answer(change):
    path = change.split("=")[0]
    return not path.startswith("integrator.") and not path.endswith(".elements")


def key_of(model, quantity, key, scheme_matters):
    measure = key.get("measure", "at" if "at" in key else "final")
    number = lambda name: None if name not in key else round(float(key[name]), 12)
    return (model, quantity, measure, number("at"), number("from"), number("to"),
            number("threshold"), bool(key.get("below", False)),
            tuple(sorted(change for change in key.get("set", [])
                         if scheme_matters or changes_the_answer(change))))


def duration_of(document, entry):
    for change in entry.get("set", []):
        if change.startswith("integrator.duration="):
            return float(change.split("=")[1])
    return document["integrator"]["duration"]


def script_of(entry):
    named = re.search(r"\boracles/(\w+\.py)", entry.get("script", "") or entry.get("note", ""))
    return named[1] if named else "(no script named)"


def entries_of(model):
    """Those that a script computes, as (script, key, entry)."""
    with open(EXAMPLES / model, "rb") as file:
        document = tomllib.load(file)
    for entry in document.get("verify", []):
        if entry["oracle_kind"] not in (INDEPENDENT, PROTOTYPE):
            continue
        key = dict(entry)
        if key.get("measure", "final") == "final":
            key["measure"] = "at"
            key["at"] = duration_of(document, entry)
        scheme_matters = entry["oracle_kind"] == PROTOTYPE
        yield script_of(entry), key_of(model, entry["quantity"], key, scheme_matters), entry


def load(script):
    spec = importlib.util.spec_from_file_location(script.removesuffix(".py"), HERE / script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compute(script):
    """The figures of a script by their keys, and how long it took."""
    started = time.monotonic()
    module = load(script)
    scheme_matters = getattr(module, "THE_SCHEME_MATTERS", False)
    figures = {key_of(model, quantity, key, scheme_matters): float(value)
               for model, quantity, key, value in module.rows()}
    return figures, time.monotonic() - started


def words(key):
    model, quantity, measure, at, start, end, threshold, below, changes = key
    text = f"{model}\t{quantity}\t{measure}"
    for name, number in (("at", at), ("from", start), ("to", end), ("threshold", threshold)):
        if number is not None:
            text += f" {name}={number:g}"
    return text + (" below" if below else "") + ("".join(" " + c for c in changes))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scripts", nargs="*", help="names of scripts; all that entries name")
    parser.add_argument("--table", action="store_true", help="print every figure")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))

    entries = {}
    for file in sorted(EXAMPLES.glob("*/*.toml")):
        for script, key, entry in entries_of(file.relative_to(EXAMPLES).as_posix()):
            entries.setdefault(script, []).append((key, entry))
    chosen = [pathlib.PurePath(name).name for name in options.scripts] or sorted(entries)
    missing = [script for script in chosen if not (HERE / script).is_file()]
    for script in missing:
        print(f"{script}: there is no such script, but {len(entries.get(script, []))} entries")
    chosen = [script for script in chosen if script not in missing]

    bad = len(missing)
    with multiprocessing.Pool() as pool:
        results = pool.map(compute, chosen, chunksize=1)
    for script, (computed, seconds) in zip(chosen, results):
        wrong = 0
        worst = 0.0
        for key, entry in entries.get(script, []):
            written = value_of(entry["oracle"])
            if key not in computed:
                print(f"{words(key)}\tin the file {written:.10g}, not computed by {script}")
                wrong += 1
                continue
            off = abs(written - computed[key])
            good = off <= 0.1 * entry.get("tolerance", 0.0) + 1e-12 * abs(written)
            wrong += not good
            if entry.get("tolerance", 0.0) > 0:
                worst = max(worst, off / entry["tolerance"])
            if options.table or not good:
                print(f"{words(key)}\t{computed[key]:.12g}"
                      + ("" if good else f"\tin the file {written:.12g}, tolerance "
                                         f"{entry.get('tolerance', 0.0):g}"))
        print(f"{script}: {len(entries.get(script, []))} entries, "
              f"{'all agree' if not wrong else f'{wrong} wrong'}, off by at most "
              f"{worst:.1g} of the tolerance, {seconds:.1f} s")
        bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
