# SPDX-License-Identifier: MIT
"""Runs deed-check over folders of the corpus and compares what it says with what it should say.

Usage: python3 run.py --tool deed-check [--include FOLDER]... [--bless] FOLDER...
A file `bad-….cpp` must give exactly the text of `bad-….expect`; `good-….cpp` must be silent. A folder
`bad-…/` is one program of several files. `miss-….cpp` is a mistake that is known to be missed: it
must be silent, too, until it is renamed. `--bless` writes the expected texts; read them before they
are committed. `--real`: with the headers of deed itself; a program that asks for more than they have
is left out and counted. Such a text is never blessed.
"""
import argparse
import difflib
import pathlib
import shutil
import subprocess
import sys
import tempfile


def output_of(tool: str, includes: list[str], strict: bool, program: pathlib.Path) -> tuple[int, str]:
    """The exit status and the text of deed-check for one program."""
    files = sorted(program.glob("*.cpp")) if program.is_dir() else [program]
    flags = ["-std=c++20"] + includes
    command = [tool, "--base-names", "--colour=no"] + (["--strict"] if strict else [])
    done = subprocess.run(command + [str(f) for f in files] + ["--"] + flags,
                          capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def difference(expected: str, actual: str) -> str:
    """What changed, as a unified diff."""
    return "\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(),
                                          "expected", "actual", lineterm=""))


def check(program: pathlib.Path, arguments: argparse.Namespace) -> str | None:
    """What is wrong with the answer for one program; nothing if it is right."""
    bad = program.name.startswith("bad-")
    code = program.parent.name
    strict = not bad or code in ("D205", "D206", "D412", "D710")  # Performance: shown on request.
    status, text = output_of(arguments.tool, arguments.include, strict, program)
    if status == 3 and arguments.real:
        arguments.left_out.append(f"{code}/{program.name}")
        return None
    if status not in (0, 1):
        return f"exit status {status}\n{text}"
    if not bad:
        return None if not text else f"must be silent\n{text}"
    golden = program.with_suffix(".expect")
    if f"deed[{code}]" not in text:
        return f"{code} was not found\n{text}"
    if arguments.bless:
        golden.write_text(text, encoding="utf-8")
        return None
    expected = golden.read_text(encoding="utf-8") if golden.exists() else ""
    return None if text == expected else difference(expected, text)


def check_folder(folder: pathlib.Path, arguments: argparse.Namespace) -> tuple[int, int]:
    """How many programs of a folder got a wrong answer, and how many there are."""
    wrong = count = 0
    for program in sorted(folder.iterdir()):
        if program.suffix != ".cpp" and not program.is_dir():
            continue
        count += 1
        problem = check(program, arguments)
        if problem:
            wrong += 1
            print(f"{program}: {problem}\n")
    return wrong, count


def precompiled(arguments: argparse.Namespace, where: str) -> list[str]:
    """The flags for programs that include common.hpp, with the header compiled once if that works."""
    includes = arguments.include
    flags = [f"-I{folder}" for folder in includes] + ([] if arguments.real else ["-DDEED_CORPUS_MODEL"])
    compiler = shutil.which("clang++-19")
    headers = [h for folder in includes for h in pathlib.Path(folder).glob("common.hpp")]
    if not compiler or not headers:
        return flags
    made = pathlib.Path(where) / "common.pch"
    done = subprocess.run([compiler, "-std=c++20", "-w", "-x", "c++-header", "-Xclang", "-fno-pch-timestamp",
                           *flags, str(headers[0]), "-o", str(made)], check=False)
    return flags + ([] if done.returncode else ["-include-pch", str(made)])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--real", action="store_true")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    wrong = count = 0
    with tempfile.TemporaryDirectory() as where:
        arguments.left_out = []
        arguments.include = precompiled(arguments, where)
        for folder in arguments.folders:
            wrong_here, count_here = check_folder(folder, arguments)
            wrong, count = wrong + wrong_here, count + count_here
    print(f"{count} programs, {wrong} wrong, {len(arguments.left_out)} left out {' '.join(arguments.left_out)}")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
