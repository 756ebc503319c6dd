# SPDX-License-Identifier: MIT
"""Takes the whole programs out of a page, and what the page says that they print.

Usage: python3 docs/programs.py PAGE.md FOLDER
A program is a block of cpp with a `main`; the block `text prints` behind it is its output. Writes FOLDER/PAGE.cpp and
FOLDER/PAGE.out; a page has one program. Its blocks of cuda, if it has any, go to FOLDER/PAGE.cu.
"""
import pathlib
import re
import sys


def main() -> int:
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```cpp\n((?:(?!^```).*\n)*?.*\bint main\(.*\n)```\n```text prints\n((?:(?!^```).*\n)*)```\n",
                       text, re.M)
    if len(found) != 1:
        print(f"{page.name}: {len(found)} programs with their output, one is expected")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    kernels = re.findall(r"^```cuda\n((?:(?!^```).*\n)*)```\n", text, re.M)
    for ending, part in zip((".cpp", ".out", ".cu"), (*found[0], "\n".join(kernels))):
        if part:
            (folder / (page.stem + ending)).write_text(part, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
