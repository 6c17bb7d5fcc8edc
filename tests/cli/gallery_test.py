"""Every example has a picture, and a place in the gallery and in the list of examples."""

import pathlib
import re
import sys

source = pathlib.Path(sys.argv[2])
examples = {str(path.relative_to(source / "examples"))[:-5] for path in (source / "examples").rglob("*.toml")}
gallery = (source / "docs/gallery.md").read_text()
pictures = {path.stem for path in (source / "docs/gallery").glob("*.webp")}
wanted = {name.replace("/", "-"): name for name in examples}

wrong = [f"examples/{wanted[name]}.toml has no picture: docs/make_gallery.py {wanted[name]}.toml"
         for name in sorted(wanted.keys() - pictures)]
wrong += [f"docs/gallery/{name}.webp is of no example" for name in sorted(pictures - wanted.keys())]
linked = set(re.findall(r"\(\.\./examples/([^)]+)\.toml\)", gallery))
wrong += [f"docs/gallery.md lacks {name}: docs/make_gallery.py none" for name in sorted(examples - linked)]
wrong += [f"docs/gallery.md has {name}, which is not there" for name in sorted(linked - examples)]
for name in sorted(wanted.keys() & pictures):
    head = (source / f"docs/gallery/{name}.webp").read_bytes()[:12]
    if head[:4] != b"RIFF" or head[8:] != b"WEBP":
        wrong.append(f"docs/gallery/{name}.webp is no picture")
if not examples:
    wrong.append("there are no examples")
sys.exit("\n".join(wrong) or 0)
