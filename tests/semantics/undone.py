# SPDX-License-Identifier: MIT
"""Sees that the tests of the rows of docs/from_starpu.md can fail: each with its operation left undone.

Usage: python3 undone.py SEMANTICS_TEST [ROW... | all]
SEMANTICS_TEST is a build with DEED_PLANTED_BUGS=ON. Without rows, 20 of them, which the commit chooses. The tests
of a row pass as they are, and fail, or do not end, with `UNDONE=operation` in their environment. Prints one
line per row that is otherwise; exits with 1 if there is any.
"""
import os
import pathlib
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from commit import commit

UNDONE = {  # What is left undone for a row. The names are those of `deed::undone(…)` in lib/runtime.
    "R17": "tag", "R20": "migrate", "R24": "holds", "N4": "allocate_tags", "N19": "partition",
    "R25": "send", "R26": "receive", "R27": "send", "R28": "receive", "R29": "send", "R30": "receive",
    "R31": "request", "R32": "when_done", "R33": "when_done", "R36": "send", "R37": "when_done", "R38": "request",
    "R40": "barrier", "R41": "wait", "R42": "open", "R43": "send", "R45": "group", "R52": "relevant", "R55": "on",
    "R56": "on_owner_of", "R63": "choose_by", "R64": "prepare_task", "R68": "wait", "R69": "fetch",
    "R70": "when_done", "R71": "relevant", "R73": "set_cache", "R74": "flush", "R75": "flush", "R76": "statistics",
    "R78": "use_policy", "R82": "reduce", "R83": "scatter", "R84": "when_done", "R85": "gather", "R86": "when_done", "R87": "send",
    "R89": "gather", "R90": "collective", "R91": "collective", "R95": "collective", "R98": "collective",
    "R99": "collective", "R102": "collective", "N7": "prefer_source", "N26": "observe", "N8": "on_each", "N13": "reduce", "N14": "holds",
    "N28": "wait_for_datum", "N6": "expect_readers",
}
WANTED, PATIENCE = 20, 60


def chosen() -> list[str]:
    """Rows in an order that follows from the commit."""
    drawn_by = commit()
    return sorted(UNDONE, key=lambda row: zlib.crc32((drawn_by + row).encode()))[:WANTED]


def passes(program: str, row: str, undone: str = "") -> bool:
    """Whether the tests of the row ran and passed."""
    environment = {**os.environ, **({"UNDONE": undone} if undone else {})}
    try:
        done = subprocess.run([program, f"--gtest_filter=semantics_{row}.*", "--gtest_fail_fast"], env=environment,
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and "[  PASSED  ] 0 tests" not in done.stdout


def main() -> int:
    program, rows = sys.argv[1], sys.argv[2:] or chosen()
    rows = list(UNDONE) if rows == ["all"] else rows
    wrong = []
    for row in rows:
        if not passes(program, row):
            wrong.append(f"{row}: semantics_{row} does not pass as it is")
        elif passes(program, row, UNDONE[row]):
            wrong.append(f"{row}: semantics_{row} passes with `{UNDONE[row]}` undone")
    print(f"{len(rows)} rows: {' '.join(rows)}", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
