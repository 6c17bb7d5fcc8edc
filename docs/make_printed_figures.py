#!/usr/bin/env python3
"""Writes docs/printed-figures.md: every figure printed in the source documents beside ours.

They are the [[verify]] entries of the examples with `oracle_kind = "published"`; `clatter verify` measures them. A quarter of an
hour of one core.
"""

import json
import os
import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("CLATTER_PROGRAM", str(ROOT / "clatter"))
DOCUMENTS = {"000": "Thesis on nonsmooth contact of flexible multibody systems", "001": "Paper on the decoupled scheme with friction",
             "002": "Paper on the coupled scheme", "003": "Thesis on conserving contacts",
             "004": "Paper on spheres with friction and multiple impacts"}
HEAD = """# Printed figures

Numbers that the source documents print, beside ours, with the step and the tolerance of the source unless the row says otherwise.
Written by `docs/make_printed_figures.py` from what `clatter verify` measures; the rows are in the model files, each with the reasons
for its tolerance. *Differs*: ours is another, for the reason given."""


def is_published(entry):
    return entry["oracle_kind"] == "published"


def models_with_figures():
    files = [path for name in DOCUMENTS for path in sorted((ROOT / "examples" / name).glob("*.toml"))]
    return [path for path in files if any(map(is_published, tomllib.loads(path.read_text()).get("verify", [])))]


def measure(files):
    done = subprocess.run([PROGRAM, "verify", "--json", *map(str, files)], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"clatter verify:\n{done.stderr}")
    return [entry for entry in json.loads(done.stdout) if is_published(entry)]


def number(value):
    return "-" if value is None else f"{value:.6g}"


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def line(entry):
    name = pathlib.Path(entry["model"]).stem
    verdict = "as printed" if entry["measured"] == entry["oracle"] else f"within {number(entry['tolerance'])}"
    if "differs" in entry:
        verdict = f"**differs**: {entry['differs']}"
    elif not entry["pass"]:
        verdict = "**FAILS**"
    elif ", at most" in entry["quantity"] or ", at least" in entry["quantity"]:
        verdict = "holds"
    where = entry.get("printed_at", entry["example"])
    return " | ".join(["", f"[{name}](../examples/{entry['source']}/{name}.toml)", cell(where), f"{cell(entry['quantity'])}",
                       number(entry["oracle"]), number(entry["measured"]), cell(verdict), ""]).strip()


def main():
    entries = measure(models_with_figures())
    text = [HEAD]
    for document, title in DOCUMENTS.items():
        of_document = [entry for entry in entries if entry["source"] == document]
        if of_document:
            text += ["", f"## {document}: {title}", "", "| model | place | quantity | printed | ours | |", "|---|---|---|---|---|---|"]
            text += map(line, of_document)
    (ROOT / "docs/printed-figures.md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
