# SPDX-License-Identifier: MIT
"""What looks at a program: deed-check and the compilers."""
import functools
import pathlib
import re
import shutil
import subprocess

from programs import CORPUS, ROOT, program


def output_of(command: list[str], limit: int = 300) -> tuple[int, str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    return done.returncode, done.stdout + done.stderr


@functools.cache
def includes() -> tuple[str, ...]:
    """deed's own folders, and those of MPI."""
    folders = [*ROOT.glob("lib/*/include"), CORPUS / "support"]
    mpi = output_of(["mpicxx", "--showme:compile"])[1].split() if shutil.which("mpicxx") else []
    return tuple(f"-I{f}" for f in sorted(folders)) + tuple(f for f in mpi if f.startswith("-I"))


class headers:
    """What every program includes, compiled once."""

    def __init__(self, folder: pathlib.Path, compiler: str = "clang++-19", text: str = '#include "common.hpp"\n'):
        self.folder, self.compiler, self.text = folder, compiler, text
        self.gnu = "clang" not in compiler

    @property
    def flags(self) -> list[str]:
        by = ["-include", str(self.made.with_suffix(""))] if self.gnu else ["-include-pch", str(self.made)]
        return ["-std=c++20", *includes(), *by]

    @property
    def made(self) -> pathlib.Path:
        return self.folder / f"deed-{pathlib.Path(self.compiler).name}.hpp{'.gch' if self.gnu else '.pch'}"

    def make(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        stamp = [] if self.gnu else ["-Xclang", "-fno-pch-timestamp"]
        source = self.made.with_suffix("")
        source.write_text(self.text, encoding="utf-8")
        command = [self.compiler, "-std=c++20", "-w", "-x", "c++-header", *stamp, *includes(), str(source),
                   "-o", str(self.made)]
        status, text = output_of(command)
        if status != 0:
            raise SystemExit(f"{' '.join(command)}\n{text}")


def deed_check(tool: str, p: program, flags: list[str], strict: bool) -> tuple[int, str]:
    """The exit status and the text of deed-check."""
    command = [tool, "--base-names", "--colour=no", *(["--strict"] if strict else [])]
    return output_of([*command, *map(str, p.files), "--", *flags])


def compiler_says(compiler: str, p: program, flags: list[str]) -> str:
    """The errors and warnings of a compiler, without those about what is unused."""
    text = [output_of([compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused", "-Wno-unused-parameter",
                       *flags, str(f)])[1] for f in p.files]
    return "".join(text)


def write_part(file: pathlib.Path, name: str, text: str, tool: str) -> None:
    """Replaces one part of a page of figures; the others stay as they were written by another run."""
    begin, end = f"<!-- {name}: written by {tool} -->\n", f"<!-- end of {name} -->\n"
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    before, found, rest = old.partition(begin)
    after = rest.partition(end)[2] if found else ""
    file.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
