#!/usr/bin/env python3
"""Draws all examples: docs/make_gallery.py [NAME...] runs them, writes docs/gallery/*.webp and docs/gallery.md.

Needs the program with its page built (./clatter report builds it) and Chromium. A quarter of an hour of one core for all.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("CLATTER_PROGRAM", str(ROOT / "clatter"))
PICTURES = ROOT / "docs/gallery"
SIZE = ("400", "260")
SETTINGS = {  # part of the run that is drawn, and what is shown besides trails
    "elements/capstan-rope": {"part": 1.0},
}
FOLDERS = {"000": "Impacts in machines", "001": "Impacts with friction", "002": "Contact with friction in machines",
           "003": "Impacts that keep energy", "004": "Sequences of impacts", "beams": "Beams", "contact": "Contact",
           "drives": "Drives, brakes and friction",
           "elements": "Joints, springs, cables, gears", "integrators": "Integrators", "nonholonomic": "Rolling and skating",
           "particles": "Grains", "smooth": "Motion without contact",
           "solids": "Solids", "stacks": "Stacks"}


def clatter(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"clatter {' '.join(map(str, arguments))}:\n{done.stdout}{done.stderr}")


def draw(example, folder):
    """Runs an example and draws it at a time when there is something to see."""
    model = tomllib.loads(example.read_text())
    name = str(example.relative_to(ROOT / "examples"))[:-5]
    results, picture = folder / "results", PICTURES / (name.replace("/", "-") + ".webp")
    settings = SETTINGS.get(name, {})
    # The end of a part of the run is drawn: trails show what was before. Formulas and single steps are run as they are.
    step, duration = (model["integrator"].get(key) for key in ("step", "duration"))
    wanted = []
    if isinstance(step, float) and isinstance(duration, (int, float)):
        wanted = ["--set", f"integrator.duration={max(settings.get('part', 0.4) * duration, step)!r}"]
    clatter("run", example, "--quiet", "--out", results, "--set", "output.paraview=false", *wanted)
    duration = json.loads((results / "summary.json").read_text())["time"]
    shown = {"trails": True} | settings.get("shown", {})
    link = urllib.parse.quote(json.dumps({"shown": shown, "plots": []}))
    clatter("report", results, "--png", picture, "--time", duration, "--size", *SIZE, "--plain", "--link", "#" + link)
    return name


def write_page(examples):
    text = ["# Gallery", "",
            "All examples, each drawn by `docs/make_gallery.py` from its run; trails show the ways of the bodies. See one move:",
            "`clatter run examples/contact/dice.toml --view`.", ""]
    others = {example.parent.name for example in examples} - FOLDERS.keys()
    if others:
        sys.exit(f"FOLDERS lacks a title for: {', '.join(sorted(others))}")
    for folder, title in FOLDERS.items():
        mine = [example for example in examples if example.parent.name == folder]
        if not mine:
            continue
        text += [f"## {title}", "", "| | | |", "|---|---|---|"]
        cells = []
        for example in mine:
            name = str(example.relative_to(ROOT / "examples"))[:-5]
            title = tomllib.loads(example.read_text()).get("title", example.stem)
            title = re.sub(r"([|\[\]<>])", r"\\\1", title)
            cells.append(f"![{title}](gallery/{name.replace('/', '-')}.webp)<br>[{title}](../examples/{name}.toml)")
        cells += [""] * (-len(cells) % 3)
        text += ["| " + " | ".join(cells[i:i + 3]) + " |" for i in range(0, len(cells), 3)] + [""]
    (ROOT / "docs/gallery.md").write_text("\n".join(text))


def main():
    examples = sorted(path for path in (ROOT / "examples").rglob("*.toml"))
    PICTURES.mkdir(exist_ok=True)
    for example in examples:
        if sys.argv[1:] and not any(word in str(example) for word in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            print(draw(example, pathlib.Path(folder)), flush=True)
    write_page(examples)


if __name__ == "__main__":
    main()
