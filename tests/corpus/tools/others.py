# SPDX-License-Identifier: MIT
"""The tools of others, to compare with: which lines of a program they warn about."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import tempfile
from collections.abc import Sequence

import layers
import score
from programs import program

PLACES = dict[str, set[tuple[str, int]]]  # By tool: file and line.

BY_FILE = {
    "clang -Wall -Wextra -Wconsumed": ["clang++-19", "-fsyntax-only", "-Wall", "-Wextra", "-Wconsumed", "-Wno-unused",
                                       "-Wno-unused-parameter"],
    "static analyzer": ["clang++-19", "--analyze", "-Xclang", "-analyzer-output=text", "-Xclang",
                        "-analyzer-checker=core,cplusplus,optin.mpi,optin.cplusplus,alpha.cplusplus", "-o", os.devnull],
}

# It walks through all headers for each file, which takes six seconds, so many files are given to it as one.
TIDY, BATCH = "clang-tidy", 40
TIDY_COMMAND = [
    "clang-tidy-19", "--quiet",
    "--checks=-*,bugprone-*,cppcoreguidelines-*,misc-*,mpi-*,"
    "-bugprone-easily-swappable-parameters,-cppcoreguidelines-avoid-magic-numbers,"
    "-cppcoreguidelines-pro-*,-cppcoreguidelines-special-member-functions,-misc-include-cleaner,"
    "-cppcoreguidelines-avoid-non-const-global-variables,-misc-use-internal-linkage,-misc-unused-*,"
    "-misc-const-correctness,-misc-use-anonymous-namespace,-cppcoreguidelines-avoid-c-arrays,"
    "-cppcoreguidelines-avoid-do-while,-misc-non-private-*,-misc-confusable-identifiers"]


def available() -> list[str]:
    found = [name for name, command in BY_FILE.items() if shutil.which(command[0])]
    return found + ([TIDY] if shutil.which(TIDY_COMMAND[0]) else [])


def lines_in(text: str, name: str, kinds: str = "warning|error") -> set[int]:
    """The lines of the file of that name of which a tool says something."""
    said = re.findall(rf"^([^\s:][^:\n]*):(\d+):\d+: (?:{kinds}):", text, re.M)
    return {int(line) for where, line in said if pathlib.Path(where).name == name}


def say(p: program, flags: list[str]) -> PLACES:
    """What each tool says that takes one file at a time."""
    def of(command: list[str], file: pathlib.Path) -> set[tuple[str, int]]:
        return {(file.name, line) for line in lines_in(layers.output_of([*command, *flags, str(file)])[1], file.name)}

    return {name: set().union(*(of(BY_FILE[name], file) for file in p.files))
            for name in available() if name in BY_FILE}


INCLUDE = re.compile(r"^#include .*$", re.M)


def batch_of(files: Sequence[pathlib.Path]) -> tuple[str, list[tuple[pathlib.Path, int]]]:
    """One file of many, each in a namespace of its own, and which line of which file each line is."""
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    head = sorted({line for text in texts.values() for line in INCLUDE.findall(text) if "<" in line})
    lines, origin = list(head), [(files[0], 0)] * len(head)
    for i, (file, text) in enumerate(texts.items()):
        own = INCLUDE.sub("", text).splitlines()
        lines += [f"namespace program_{i} {{", *own, "}"]
        origin += [(file, 0), *((file, n) for n in range(1, len(own) + 1)), (file, 0)]
    return "\n".join(lines) + "\n", origin


class tidy:
    """clang-tidy over many files at once."""

    def __init__(self, flags: list[str], folder: pathlib.Path):
        self.flags, self.folder = flags, folder

    def lines(self, files: Sequence[pathlib.Path]) -> dict[pathlib.Path, set[int]]:
        """By file, the lines it warns about. Files that cannot be one file with others are given to it alone."""
        if len(files) == 1:
            return {files[0]: lines_in(self.said(files[0]), files[0].name)}
        text, origin = batch_of(files)
        with tempfile.NamedTemporaryFile("w", suffix=".cpp", dir=self.folder, encoding="utf-8") as batch:
            batch.write(text)
            batch.flush()
            name = pathlib.Path(batch.name)
            said = self.said(name)
        alone = {origin[line - 1][0] for line in lines_in(said, name.name, "error")}
        if alone:
            rest = [file for file in files if file not in alone]
            groups = [[file] for file in sorted(alone)] + ([rest] if rest else [])
            return {file: lines for group in groups for file, lines in self.lines(group).items()}
        found: dict[pathlib.Path, set[int]] = {file: set() for file in files}
        for line in lines_in(said, name.name):
            found[origin[line - 1][0]].add(origin[line - 1][1])
        return found

    def said(self, file: pathlib.Path) -> str:
        return layers.output_of([*TIDY_COMMAND, str(file), "--", *self.flags], 900)[1]


def ask_tidy(results: Sequence[score.result], flags: list[str], folder: pathlib.Path,
             threads: concurrent.futures.Executor) -> None:
    """Writes into each result what clang-tidy warns about, where there is one."""
    if TIDY not in available():
        return
    files = [file for r in results for file in r.program.files]
    batches = [files[i:i + BATCH] for i in range(0, len(files), BATCH)]
    found = {file: lines for part in threads.map(tidy(flags, folder).lines, batches) for file, lines in part.items()}
    for r in results:
        r.others[TIDY] = {(file.name, line) for file in r.program.files for line in found[file] if line}
