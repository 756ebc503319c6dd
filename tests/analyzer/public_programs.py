# SPDX-License-Identifier: MIT
"""What deed-check says of programs that know nothing of deed: a row per collection, and each finding.

Usage: python3 public_programs.py DEED-CHECK NAME FILE-OR-FOLDER... -- COMPILER FLAGS...
Each file is a program of its own. Writes a row of the table in docs/checking_mpi.md: files, those that do not
parse with these flags, those of which nothing is said; and below it the findings, for somebody to judge.
"""
import concurrent.futures
import pathlib
import subprocess
import sys


def sources(names: list[str]) -> list[pathlib.Path]:
    found = []
    for path in map(pathlib.Path, names):
        found += [f for f in path.rglob("*") if f.suffix in (".c", ".cpp", ".cc", ".cxx")] if path.is_dir() else [path]
    return sorted(found)


def main() -> int:
    end = sys.argv.index("--")
    tool, name, *given = sys.argv[1:end]
    flags = sys.argv[end + 1:]

    def check(file: pathlib.Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([tool, "--format=short", str(file), "--", f"-I{file.parent}", *flags],
                              capture_output=True, text=True, check=False)

    with concurrent.futures.ThreadPoolExecutor() as threads:
        done = list(threads.map(check, sources(given)))
    findings = [line for d in done for line in d.stdout.splitlines()]
    count = {status: sum(d.returncode == status for d in done) for status in (0, 1, 3)}
    print(f"| {name} | {len(done)} | {count[3]} | {count[0]} | {len(findings)} |", *findings, sep="\n")
    others = [d for d in done if d.returncode not in count]
    print(*[d.stderr for d in others], sep="\n", end="")
    return 1 if others or not done else 0


if __name__ == "__main__":
    sys.exit(main())
