# SPDX-License-Identifier: MIT
"""Takes the tour of docs/viewer.md: runs its commands on a fresh recording, and wants each of the five answers.

Usage: python3 tour.py BUILD FOLDER
Prints one line per answer that is missing. Exit status 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

BUILD, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "viewer.md"
ANSWERS = {  # What stands in what a command prints.
    "breakdown": [r"4 workers x", r"rank 0 app .*\d", r"smooth", r"fetch wait +\d+\.\d+ ms +[67]\d\.\d %"],
    "waits": [r"rows wait, columns are waited for", r"\n +1 +[1-9]", r"\n +2 +[1-9]", r"\n +3 +[1-9]"],
    "matrix": [r"\n +0 +3 +24 +768.0 kB ", r"\n +3 +0 +14 +448.0 kB "],
    "why-twice": [r"dropped v0 at .*: a flush call at detour\.cpp:\d+", r"flush_call +11 "],
    "critical-path": [r"longest chain of causes has \d+ steps", r"compute +\d", r"network +\d"],
    "history": [r"asked for .*, for smooth#1\b", r"write-back for smooth#1\b"],
    "who-owned": [r"deed\[D807\] task `smooth` threw", r"owner +rank 3", r"registered +detour\.cpp:\d+"],
    "check": [r"nothing found", r"ledger_mismatch .* proved"],
    "diff": [r"104 tasks in both runs, 0 in the first only", r"smooth#1, which writes column#1 v1: rank 0 / rank 1"],
}


def commands():
    """Yields the lines of the page's shell blocks, for this build and this folder."""
    for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S):
        for line in block.splitlines():
            if "deed-view" not in line:
                yield re.sub(r"build/(\w+\.deed)", rf"{FOLDER}/\1", line).replace("build/samples", f"{BUILD}/samples").replace(
                    "build/viewer", f"{BUILD}/viewer")


def findings():
    """Yields one line of text per finding."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    asked = set()
    for command in commands():
        name = next((each for each in ANSWERS if f"deed-trace {each} " in command), None)
        for run in re.findall(r"--deed-trace=(\S+)", command):
            subprocess.run(["rm", "-rf", run], check=True)
        done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode not in (0, 1):
            yield f"`{command}` ends with {done.returncode}: {done.stderr[-500:]}"
        asked.add(name)
        for wanted in ANSWERS.get(name, []):
            if not re.search(wanted, done.stdout):
                yield f"`{name}` does not say {wanted}:\n{done.stdout[:2000]}"
    for name in ANSWERS.keys() - asked:
        yield f"docs/viewer.md does not ask `{name}`"


if __name__ == "__main__":
    found = list(findings())
    print("\n".join(found) if found else "the tour: all questions answered")
    sys.exit(bool(found))
