# SPDX-License-Identifier: MIT
"""Builds many small programs into one executable each, and runs one of them."""
import pathlib
import re
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import Protocol

import layers

MAIN = "int main(int argc, char** argv)"
SIGNATURE = "void program(deed::session& session"  # Perhaps with arguments.


class source(Protocol):
    text: str        # with `program(session)`, or with a `main`
    is_sample: bool  # has flags and libraries of its own


def body_of(one: source) -> str:
    return re.sub(r"^#include.*\n", "", one.text, flags=re.M).replace(MAIN, "int run(int argc, char** argv)")


def run_of(one: source) -> str:
    return "" if MAIN in one.text else "int run(int argc, char** argv) { return deed::run(argc, argv, program); }\n"


def link_flags(build: pathlib.Path) -> list[str]:
    """The libraries that deed's own pkg-config file names, out of the build folder."""
    text = (build / "deed.pc").read_text(encoding="utf-8")
    field = {name: words.split() for name, words in re.findall(r"^(\w+): (.*)$", text, re.M)}
    own = [str(a) for a in sorted(build.glob("lib/*/*.a"))]
    others = [word for word in field["Libs"] if not word.startswith(("-ldeed_", "-L${"))]
    required = layers.output_of(["pkg-config", "--libs", *field.get("Requires", [])])[1].split()
    return ["-Wl,--start-group", *own, "-Wl,--end-group", *others, *required]


class builder:
    """Builds many programs into one executable that runs the one that its first argument names."""

    def __init__(self, build: pathlib.Path, flags: dict[bool, list[str]], folder: pathlib.Path):
        self.flags, self.folder, self.made, self.lock = flags, folder, 0, threading.Lock()
        self.link = link_flags(build)
        self.of_samples = layers.output_of(["pkg-config", "--libs", "openblas"])[1].split() + ["-llapacke"]

    def executable(self, batch: Sequence[source]) -> list[tuple[source, pathlib.Path, int]]:
        """Where each can be run; those that do not build are left out."""
        made, said = self.built(batch)
        if made:
            return [(one, made, i) for i, one in enumerate(batch)]
        if len(batch) == 1:
            return []
        named = {int(i) for i in re.findall(r"\bprogram_(\d+)(?:\.cpp:\d|::)", said)}
        if named:  # Each of them alone: it may only be in the way of another.
            groups = [[one for i, one in enumerate(batch) if i not in named], *([batch[i]] for i in sorted(named))]
        else:
            groups = [batch[:len(batch) // 2], batch[len(batch) // 2:]]
        return [place for group in groups if group for place in self.executable(group)]

    def built(self, batch: Sequence[source]) -> tuple[pathlib.Path | None, str]:
        """The executable, or what the compiler or the linker says, which names the programs by their place in the batch."""
        with self.lock:
            self.made += 1
            path = self.folder / f"batch{self.made}.cpp"
        parts = [f'namespace program_{i} {{\n#line 1 "program_{i}.cpp"\n{body_of(one)}\n{run_of(one)}}}\n'
                 for i, one in enumerate(batch)]
        table = ", ".join(f"program_{i}::run" for i in range(len(batch)))
        of_samples = batch[0].is_sample
        path.write_text("".join(parts) + f"{MAIN} {{\n  int (*all[])(int, char**) = {{{table}}};\n"
                        "  return all[std::atoi(argv[1])](argc - 1, argv + 1);\n}\n", encoding="utf-8")
        made = path.with_suffix("")
        link = self.link + (self.of_samples if of_samples else [])
        status, said = layers.output_of(["clang++-19", "-w", "-O0", "-ferror-limit=0", *self.flags[of_samples],
                                         str(path), "-o", str(made), *link], 900)
        return (made, said) if status == 0 else (None, said)


def run(executable: pathlib.Path, index: int, arguments: list[str], seconds: int) -> tuple[int, str, str]:
    """The exit status, -1 if it did not end in time, and what was printed and said."""
    with tempfile.TemporaryDirectory() as here:
        try:
            done = subprocess.run([executable, str(index), *arguments], capture_output=True, timeout=seconds,
                                  check=False, cwd=here)
        except subprocess.TimeoutExpired:
            return -1, "", ""
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
