# SPDX-License-Identifier: MIT
"""Compares what docs/gallery.md says of the samples with what they say, and that it names them all.

Usage: python3 docs/check_gallery.py FOLDER_OF_PROGRAMS
Prints one line per finding; exits with 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| `(\w+)` \| .* \| (.*) \|$", re.M)


def findings(programs: pathlib.Path):
    rows = dict(ROW.findall((ROOT / "docs/gallery.md").read_text(encoding="utf-8")))
    samples = {path.stem for path in (ROOT / "samples").glob("*.cpp")}
    for name in sorted(samples ^ rows.keys()):
        yield f"{name}: in only one of samples/ and docs/gallery.md"
    for name, says in rows.items():
        if says.startswith("*") or not (programs / name).exists():  # Another form, or not built.
            continue
        ran = subprocess.run([programs / name, "--deed-ranks=4"], capture_output=True, text=True,
                             timeout=60, check=False)
        last = ran.stdout.strip().rpartition("\n")[2]
        if last != says:
            yield f"{name}: says {last!r}, and the page {says!r}"


def main() -> int:
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "gallery: nothing wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
