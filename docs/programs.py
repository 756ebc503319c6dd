# SPDX-License-Identifier: MIT
"""Takes the whole programs out of a page, and what the page says that they print.

Usage: python3 docs/programs.py PAGE.md FOLDER
A program is a block of cpp with a `main`; the block `text prints` behind it is its output. Writes FOLDER/PAGE.cpp and
FOLDER/PAGE.out; a page has one program.
"""
import pathlib
import re
import sys


def main() -> int:
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = re.findall(r"^```cpp\n((?:(?!^```).*\n)*?.*\bint main\(.*\n)```\n```text prints\n((?:(?!^```).*\n)*)```\n",
                       page.read_text(encoding="utf-8"), re.M)
    if len(found) != 1:
        print(f"{page.name}: {len(found)} programs with their output, one is expected")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for ending, text in zip((".cpp", ".out"), found[0]):
        (folder / (page.stem + ending)).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
