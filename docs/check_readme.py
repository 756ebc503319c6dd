# SPDX-License-Identifier: MIT
"""Checks that the README shows what is really there: its program is a piece of the sample, and what it
says that deed says is what deed says.

Usage: python3 docs/check_readme.py
Prints one line per finding. Exit status 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENS = "deed::write(next(i, j)), deed::read(now(i, j))"
SWAPPED = "deed::read(next(i, j)), deed::write(now(i, j))"
FOLDERS = ("base", "trace", "ownership", "data", "gpu", "tasks", "runtime")


def compiler_says(program: str) -> str:
    """What g++ prints for a program that it refuses."""
    includes = [f"-I{ROOT}/lib/{folder}/include" for folder in FOLDERS]
    command = ["g++", "-std=c++20", "-fsyntax-only", '-DDEED_SAMPLE_DATA=""', f"-I{ROOT}/samples", *includes,
               "-x", "c++", "-"]
    return subprocess.run(command, input=program, capture_output=True, text=True, check=False).stderr


def findings():
    """Yields one line of text per finding."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    heat = (ROOT / "samples/heat.cpp").read_text(encoding="utf-8")
    program, wrong = re.findall(r"```cpp\n(.*?)```", readme, re.S)
    if wrong not in (ROOT / "tests/docs/bad.cpp").read_text(encoding="utf-8"):
        yield "README.md: its wrong program is not a piece of tests/docs/bad.cpp; copy the lines again"
    if program not in heat:
        yield "README.md: its program is not a piece of samples/heat.cpp; copy the lines again"
    if SWAPPED not in readme or heat.count(TOKENS) != 1:
        yield "README.md: the mistake that it describes cannot be made in samples/heat.cpp"
    shown = re.search(r"```\nerror: static assertion failed: (.*?)\n```", readme, re.S)[1]
    if shown not in compiler_says(heat.replace(TOKENS, SWAPPED)):
        yield f"README.md: the compiler does not say `{shown[:60]}…`"
    for folder in re.findall(r"^\| `((?:lib/)?[a-z]+)` \|", readme, re.M):
        if not (ROOT / folder).is_dir():
            yield f"README.md: there is no folder {folder}"


if __name__ == "__main__":
    found = list(findings())
    print("\n".join(found) if found else "README.md: nothing wrong")
    sys.exit(bool(found))
