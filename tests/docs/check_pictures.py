# SPDX-License-Identifier: MIT
"""Checks the pictures of the documents: each that is named is there, a PNG and small; each that is there is named and made.
A curve of a benchmark is an SVG, which the benchmark names.

Usage: python3 tests/docs/check_pictures.py [BUILD FOLDER]
With a build, docs/pictures/make makes them anew, in FOLDER. They are not compared: what the viewer draws, golden_test
does. Prints one line per finding. Exit status 1 if there is any.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 200_000
PICTURES = ROOT / "docs" / "pictures"


def named() -> dict[pathlib.Path, str]:
    """The pictures that documents show, and where."""
    found = {}
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for link in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", document.read_text(encoding="utf-8")):
            found.setdefault((document.parent / link).resolve(), document.relative_to(ROOT).as_posix())
    return found


def of_benchmark(picture):
    """Yields what is wrong with a curve."""
    try:
        if ElementTree.parse(picture).getroot().tag != "{http://www.w3.org/2000/svg}svg":
            yield f"{picture.name} is no SVG"
    except ElementTree.ParseError as reason:
        yield f"{picture.name} is no SVG: {reason}"
    if not any(picture.name in script.read_text(encoding="utf-8") for script in (ROOT / "bench").glob("*.py")):
        yield f"docs/pictures/{picture.name}: no script in bench/ makes it"


def findings():
    """Yields one line of text per finding."""
    shown = named()
    made = (PICTURES / "make").read_text(encoding="utf-8")
    for picture, document in shown.items():
        name = picture.name
        if not picture.is_file():
            yield f"{document}: there is no picture {name}; make it with docs/pictures/make"
        elif picture.suffix == ".svg":
            yield from of_benchmark(picture)
        elif picture.read_bytes()[:8] != b"\x89PNG\r\n\x1a\n":
            yield f"{document}: {name} is no PNG"
        elif picture.stat().st_size > MOST_BYTES:
            yield f"{document}: {name} has {picture.stat().st_size} bytes, more than {MOST_BYTES}; make it smaller"
    for picture in sorted(PICTURES.rglob("*.png")):
        if picture not in shown:
            yield f"docs/pictures/{picture.name}: no document shows it; show or remove it"
        if not re.search(rf"\b{picture.stem}\b", made):
            yield f"docs/pictures/{picture.name}: docs/pictures/make does not make it"


def remade(build: str, folder: pathlib.Path):
    """Yields one line of text per picture that is not made any more."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = subprocess.run([PICTURES / "make"], env=os.environ | {"BUILD_DIR": build, "PICTURES": str(folder)}, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        yield f"docs/pictures/make ends with {done.returncode}: {done.stdout[-2000:]}"
    equal = 0
    for picture in sorted(PICTURES.rglob("*.png")):
        made = folder / picture.relative_to(PICTURES)
        if not made.is_file():
            yield f"docs/pictures/make has not made {picture.relative_to(PICTURES)}"
        else:
            equal += made.read_bytes() == picture.read_bytes()
    print(f"pictures: {equal} made as they are")


if __name__ == "__main__":
    found = list(findings())
    if len(sys.argv) == 3:
        found += remade(sys.argv[1], pathlib.Path(sys.argv[2]).resolve())
    print("\n".join(found) if found else f"pictures: {len(named())} named, all there")
    sys.exit(bool(found))
