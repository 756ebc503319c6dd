# SPDX-License-Identifier: MIT
"""Runs the wrong programs of cases.cpp and compares what they print, and how they end, with `expected`.

Usage: python3 tests/runtime/reports/check.py CASES [MPIEXEC WORD...] [-- CASE...]
Each case runs on 2 simulated ranks, on 2 threads and, with MPIEXEC, as 2 processes. It must end within
a minute, print one report, and name the lines that are marked in cases.cpp. Prints one line per
finding; exits with 1 if there is any.
"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 60  # Seconds; a case takes less than one.
PATIENT = {**os.environ, "DEED_SILENCE": "0"}  # On a busy machine a rank may be late, which is no report of these.


def marked_lines() -> dict[str, str]:
    """"@x" to "cases.cpp:12"."""
    text = (HERE / "cases.cpp").read_text(encoding="utf-8").splitlines()
    return {mark: f"cases.cpp:{number}" for number, line in enumerate(text, 1)
            for mark in re.findall(r"// (@\w+)$", line)}


def expectations() -> list[tuple[list[str], int, list[str]]]:
    """Arguments, exit status and patterns of each paragraph."""
    marks = marked_lines()
    found = []
    for paragraph in (HERE / "expected").read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in paragraph.splitlines() if line and not line.startswith("#")]
        head, status = lines[0].rsplit(": ", 1)
        patterns = [re.sub(r"@\w+", lambda mark: re.escape(marks[mark[0]]) + r"\b", line) for line in lines[1:]]
        found.append((head.split(), int(status), patterns))
    return found


def wrong_with(command: list[str], status: int, patterns: list[str]) -> str | None:
    """What is wrong with one run, or None."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False, env=PATIENT)
    except subprocess.TimeoutExpired:
        return f"it did not end within {LIMIT} s"
    said = ran.stderr
    if ran.returncode != status:
        return f"status {ran.returncode}, {status} expected\n{said}"
    if said.count("deed[") != 1:
        return f"{said.count('deed[')} reports, one expected\n{said}"
    at = 0
    for pattern in patterns:
        match = re.compile(pattern, re.M).search(said, at)
        if match is None:
            return f"no {pattern}, or not in its place\n{said}"
        at = match.end()
    return None


def main() -> int:
    words = sys.argv[1:]
    wanted = words[words.index("--") + 1:] if "--" in words else []
    words = words[:words.index("--")] if "--" in words else words
    program, launcher = words[0], words[1:]
    failures = 0
    for arguments, status, patterns in expectations():
        if wanted and arguments[0] not in wanted:
            continue
        ways = [[program, *arguments, "--deed-ranks=2"], [program, *arguments, "--deed-ranks=inproc:2"]]
        if launcher:
            ways.append([*launcher, program, *arguments])
        for command in ways:
            wrong = wrong_with(command, status, patterns)
            if wrong is not None:
                failures += 1
                print(f"{' '.join(command)}\n  {wrong}")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
