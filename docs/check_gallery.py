# SPDX-License-Identifier: MIT
"""Compares what docs/gallery.md says of the samples with what they say and measure, and that it names and shows them all.

Usage: python3 docs/check_gallery.py FOLDER_OF_PROGRAMS [--write]
Each is run on four virtual ranks. Of its last line the page may leave out a part that differs between machines, as `…`.
--write puts what was measured into the page. Prints one line per finding; exits with 1 if there is any.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/gallery.md"
ROW = re.compile(r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \|$", re.M)
STARTS_MPI = "with_mpi"  # No virtual ranks: alone.


def measured(summary: pathlib.Path) -> str:
    """What all ranks did, as the page has it."""
    ranks = json.loads(summary.read_text(encoding="utf-8"))["per_rank"]
    sent = [each for rank in ranks for each in rank["sent_to"]]
    size = sum(each["payload_bytes"] for each in sent)
    unit, name = next((unit, name) for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")) if size >= unit or unit == 1)
    tasks = sum(rank["tasks_run"] for rank in ranks)
    return (f"{tasks:,} task{'s' * (tasks != 1)}, {sum(each['transfers'] for each in sent):,} transfers, "
            f"{size / unit:.{0 if unit == 1 else 1}f} {name}")


def run(program: pathlib.Path) -> tuple[str, str]:
    """The last line that a program prints, and what was measured; in a folder of its own, since some write files."""
    with tempfile.TemporaryDirectory() as folder:
        options = [] if program.name == STARTS_MPI else ["--deed-ranks=4"]
        ran = subprocess.run([program, *options], capture_output=True, text=True, timeout=100, check=False, cwd=folder,
                             env={**os.environ, "DEED_SUMMARY": "summary.json"})
        last = ran.stdout.strip().rpartition("\n")[2]
        return last, measured(pathlib.Path(folder, "summary.json")) if ran.returncode == 0 else "—"


def findings(programs: pathlib.Path, write: bool):
    text = PAGE.read_text(encoding="utf-8")
    rows = {row[1]: row for row in ROW.finditer(text)}
    samples = {path.stem for path in (ROOT / "samples").glob("*.cpp")}
    for name in sorted(samples ^ rows.keys()):
        yield f"{name}: in only one of samples/ and docs/gallery.md"
    for name, row in rows.items():
        if f"(pictures/gallery/{name}.png)" not in text:
            yield f"{name}: docs/gallery.md has no picture of it"
        if not (programs / name).exists():  # Not built.
            continue
        last, figures = run((programs / name).resolve())
        if not re.fullmatch(re.escape(row[4]).replace("…", ".*"), last):
            yield f"{name}: says {last!r}, and the page {row[4]!r}"
        if write:
            text = text.replace(row[0], row[0].replace(f"| {row[3]} |", f"| {figures} |"))
        elif figures != row[3]:
            yield f"{name}: measured are {figures!r}, and the page has {row[3]!r}"
    if write:
        PAGE.write_text(text, encoding="utf-8")


def main() -> int:
    found = list(findings(pathlib.Path(sys.argv[1]), "--write" in sys.argv))
    print("\n".join(found) or "gallery: nothing wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
