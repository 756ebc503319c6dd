# SPDX-License-Identifier: MIT
"""Checks docs/from_starpu.md: every row of the list of semantics is in the table, with a test that exists,
or in docs/from_starpu_not_yet.txt.

Usage: python3 docs/check_from_starpu.py
A test is named as its source names it: `suite` or `suite.test` of GoogleTest, the name that CMake
gives it, `sample.name`, `misuse.folder.file`, or the path of a script under tests/. Prints one line per
finding; exits with 1 if there is any.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE, WAITING = ROOT / "docs/from_starpu.md", ROOT / "docs/from_starpu_not_yet.txt"
# Checkpoints, dry runs and devices have pages of their own.
ELSEWHERE = (20, 22, 25)
ROWS = [f"R{number}" for number in range(1, 103)] + [f"N{number}" for number in range(1, 32) if number not in ELSEWHERE]
TEST = re.compile(r"^TEST(?:_P|_F)?\((\w+),\s*(\w+)\)", re.M)


def listed_tests(cmake: str):
    """Yields the names of `add_test` in a list of CMake, also within a `foreach` over words."""
    loops = {name: words.split() for name, words in re.findall(r"foreach\((\w+) ([^)]*)\)", cmake)}
    for name in re.findall(r"add_test\(NAME (\S+)", cmake):
        asked = re.search(r"\$\{(\w+)\}", name)
        if asked is None:
            yield name
            continue
        for word in loops.get(asked[1], []):
            yield name.replace(asked[0], word)


def tests() -> set[str]:
    """The names of all tests of this repository that a row may name."""
    known = set()
    for source in (ROOT / "tests").rglob("*.cpp"):
        for suite, name in TEST.findall(source.read_text(encoding="utf-8")):
            known |= {suite, f"{suite}.{name}"}
    samples = (ROOT / "samples/CMakeLists.txt").read_text(encoding="utf-8")
    known |= {f"sample.{name}" for name in re.findall(r"^\s*deed_sample\((\w+)", samples, re.M)}
    known |= set(listed_tests(samples))
    for listed in (ROOT / "tests").rglob("CMakeLists.txt"):
        known |= set(listed_tests(listed.read_text(encoding="utf-8")))
    refused = ROOT / "tests/compile_fail"
    known |= {f"misuse.{file.parent.name}.{file.stem}" for file in refused.rglob("*.cpp")}
    return known


def findings():
    """Yields one line of text per finding."""
    known = tests()
    shown: set[str] = set()
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if not re.fullmatch(r"[RN]\d+", cells[0]):
            continue
        row = cells[0]
        if row in shown:
            yield f"{TABLE.name}: {row} stands there twice"
        shown.add(row)
        if len(cells) != 5 or not all(cells[1:]):
            yield f"{TABLE.name}: {row} has to say: StarPU's call, deed's call, what differs and why, test"
            continue
        named = re.findall(r"`([^`]+)`", cells[4])
        if not named:
            yield f"{TABLE.name}: {row} names no test"
        for name in named:
            if name not in known and not (name.startswith("tests/") and (ROOT / name).is_file()):
                yield f"{TABLE.name}: {row} names {name}, and there is no such test"
    waiting = {line.split()[0] for line in WAITING.read_text(encoding="utf-8").splitlines()
               if line.strip() and not line.startswith("#")}
    for row in ROWS:
        if row in shown and row in waiting:
            yield f"{row} is in {TABLE.name}; take it out of {WAITING.name}"
        if row not in shown and row not in waiting:
            yield f"{row} is neither in {TABLE.name} nor in {WAITING.name}"
    for row in sorted(waiting - set(ROWS)):
        yield f"{WAITING.name}: {row} is no row"


if __name__ == "__main__":
    found = list(findings())
    print("\n".join(found) if found else f"{TABLE.name}: nothing wrong")
    sys.exit(bool(found))
