# SPDX-License-Identifier: MIT
"""What deed-check costs beside `clang -fsyntax-only` of the same files: processor time, in turns, as a ratio.

Usage: python3 bench/check_cost.py [--tool build/analyzer/deed-check] [--rounds 5] [--table FILE] [FILE...]
Without files: some samples, and a unit of 400 small functions. Prints a line per file, and the median.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/corpus/tools"))
from layers import write_part  # noqa: E402


def seconds(command: list[str]) -> float:
    """Processor time of a command, its own and the system's."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime


def small_functions(count: int) -> str:
    text = ['#include <deed/deed.hpp>\nconstexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};\n']
    for n in range(count):
        text.append(f"void f{n}(deed::session& session, deed::handle<double>& h) {{\n"
                    f"  for (int i = 0; i < {n}; ++i) session.insert_task(bump, deed::read_write(h));\n"
                    f"  if (session.owns(h)) {{\n    auto view = session.borrow(deed::write(h));\n    *view = {n};\n  }}\n}}\n")
    return "".join(text)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--tool", default=str(ROOT / "build/analyzer/deed-check"))
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--table", type=pathlib.Path, help="write it here")
    options.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = options.parse_args()
    flags = ["-std=c++20", '-DDEED_SAMPLE_DATA=""', *(f"-I{f}" for f in sorted(ROOT.glob("lib/*/include")))]
    if shutil.which("mpicxx"):
        shown = subprocess.run(["mpicxx", "--showme:compile"], capture_output=True, text=True, check=False).stdout
        flags += [word for word in shown.split() if word.startswith("-I")]
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "four_hundred_functions.cpp"
        made.write_text(small_functions(400), encoding="utf-8")
        files = arguments.files or [*(ROOT / "samples" / f"{n}.cpp" for n in ("ring", "heat", "particles")), made]
        ratios, rows = [], []
        for file in files:
            clang = ["clang++-19", "-fsyntax-only", "-w", *flags, str(file)]
            ours = [arguments.tool, str(file), "--", *flags]
            rounds = [(seconds(clang), seconds(ours)) for _ in range(arguments.rounds)]
            ratio = statistics.median(b / a for a, b in rounds)
            ratios.append(ratio)
            alone = statistics.median(a for a, _ in rounds)
            rows.append(f"| {file.name} | {alone:.2f} s | {ratio:.2f} |")
            print(f"{file.name:32} {alone:6.2f} s {ratio:6.2f}", flush=True)
        print(f"{'median':32} {'':8} {statistics.median(ratios):6.2f}")
        if arguments.table:
            text = ["| file | `clang++ -fsyntax-only`, processor time | deed-check, as a ratio |", "|---|---|---|", *rows,
                    f"| median | | {statistics.median(ratios):.2f} |", "",
                    f"{arguments.rounds} rounds, each both in turn; a ratio is the median over the rounds."]
            write_part(arguments.table, "cost", "\n".join(text) + "\n", "bench/check_cost.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
