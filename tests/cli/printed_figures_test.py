"""Every published figure of the examples stands in the table of printed figures, as often as it is in the model file."""

import collections
import pathlib
import re
import sys
import tomllib

source = pathlib.Path(sys.argv[2])
wanted = collections.Counter()
reasons = []
for document in ("000", "001", "002", "003", "004"):
    for path in (source / "examples" / document).glob("*.toml"):
        for entry in tomllib.loads(path.read_text()).get("verify", []):
            if entry["oracle_kind"] == "published" and entry["source"] in ("000", "001", "002", "003", "004"):
                wanted[path.stem] += 1
                reasons += [entry["differs"]] if "differs" in entry else []
table = (source / "docs/printed-figures.md").read_text()
found = collections.Counter(re.findall(r"^\| \[([^\]]+)\]\(", table, re.MULTILINE))
wrong = [f"{name}: {wanted[name]} published figures, {found[name]} in the table" for name in sorted(wanted | found)
         if wanted[name] != found[name]]
wrong += [f"the table lacks the reason '{reason}'" for reason in reasons if reason.replace("|", "\\|") not in table]
wrong += ["the table has a figure that fails"] if "**FAILS**" in table else []
if not wanted:
    wrong.append("there are no published figures")
if wrong:
    wrong.append("docs/make_printed_figures.py writes docs/printed-figures.md anew")
sys.exit("\n".join(wrong) or 0)
