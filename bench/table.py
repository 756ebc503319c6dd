#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folds the figures of bench/run into a page of tables: table.py [--check] FIGURES PAGE.

A line of FIGURES is `figure|benchmark|system|shape|value|round`. Ratios are taken within a round;
the page shows their median, and the worst. With --check, it is an error where no round comes to
half of what is required."""
import collections
import pathlib
import platform
import statistics
import subprocess
import sys

# benchmark, what its figures are, whether less is better, deed's systems, and the ratios:
# title, the other systems (the best of them counts), required, aim (None: no goal is set).
BENCHMARKS = [
    ("local tasks", "nanoseconds per task, from the first insertion to the end of `wait`", True,
     [("StarPU / deed", ["StarPU"], 10, 25),
      ("best of libgomp, libomp, oneTBB / deed", ["libgomp", "libomp", "oneTBB flow_graph"], 2, 4)]),
    ("submission", "nanoseconds per task until the last one is inserted", True, []),
    ("tasks that run again", "nanoseconds per task of `session.repeat`, a thousand of them 200 times, the two insertions included; at most 100 are required", True, []),
    ("remote tasks", "nanoseconds per task that does not concern the rank, by the data it names", True,
     [("StarPU / deed", ["StarPU"], 3, 6)]),
    ("remote tasks on many ranks", "nanoseconds for the same on one rank of 1,024 whose peers are not there, with 100,000 data of theirs", True,
     [("StarPU / deed", ["StarPU"], 20, None)]),
    ("remote data", "a datum of another rank, of the same: nanoseconds to register it, and bytes", True, []),
    ("heat", "milliseconds for 100 iterations of 16 x 16 tiles of 64 x 64", True,
     [("deed / MPI, whole tiles", ["MPI, whole tiles"], None, None)]),
    ("heat by edges", "milliseconds for the same; what a rank sends are the rows of values that the other reads, not tiles", True,
     [("deed / MPI, one halo", ["MPI, one halo"], None, None)]),
    ("heat without messages", "milliseconds for the same; by hand, one thread", True,
     [("serial loop / deed", ["serial loop"], 1.5, 1.8)]),
    ("heat and the cache", "milliseconds for the same, copies kept and not; of a chessboard each tile is read four times by the other rank", True,
     [("deed, cache off / on", ["deed, cache on"], None, None),
      ("StarPU / deed", ["StarPU, cache on", "StarPU, cache off"], None, None)]),
    ("heat and the cache, sent", "megabytes that rank 0 sends meanwhile", True, []),
    ("verify mode", "milliseconds for 100 iterations of heat on 8 x 8 tiles, tasks of 100 microseconds, a `wait()` every 10", True,
     [("deed, global and messages / no checks", ["deed, no checks"], 1.03, None),
      ("deed, leaks / no checks", ["deed, no checks"], 1.01, None), ("deed, pages / no checks", ["deed, no checks"], None, None)]),
    ("cholesky", "gigaflops", False,
     [("deed, 1 rank / LAPACK, 2 threads", ["LAPACK, 2 threads"], None, None),
      ("deed, 2 ranks / deed, 1 rank", ["deed, 1 rank"], None, None),
      ("deed, 1 rank / loop, twice 1 thread", ["loop, twice 1 thread"], None, None)]),
    ("metg", "microseconds, METG(50 %) of a stencil of width 2; required on 1 rank: 2, aim 1.3", True,
     [("deed / MPI", ["MPI"], 4, None)]),
    ("efficiency at 65 us", "shares of the best rate, tasks of 65 microseconds; required on 2 ranks: 0.9", False, []),
    ("compile time", "seconds", True, [("deed / boost/mpi.hpp", ["boost/mpi.hpp"], 2, None)]),
    ("ring", "microseconds per hop of four bytes through a task, 2 ranks", True,
     [("deed / MPI", ["MPI"], 3, 1.5)]),
    ("broadcast", "microseconds for a version that rank 0 writes and a task on every rank reads", True,
     [("StarPU / deed", ["StarPU"], None, None)]),
    ("sum over ranks", "microseconds for a contribution by every rank and their sum on rank 0", True,
     [("StarPU / deed", ["StarPU"], None, None)]),
    ("messages", "microseconds one way between 2 ranks, to and fro", True, [("StarPU / deed", ["StarPU"], None, None)]),
    ("ring of blocks", "microseconds for a step of 32 blocks of 32 KiB, each read by both neighbours", True,
     [("StarPU / deed", ["StarPU"], None, None)]),
    ("vectors", "gigabytes per second, to and fro, 2 ranks", False, [("deed / MPI", ["MPI"], None, None)]),
    ("packed", "gigabytes per second of values that pack themselves, 2 ranks; MPI: memcpy, send, memcpy", False,
     [("deed / MPI", ["MPI"], None, None)]),
]
# (benchmark, shape): required, aim, where it depends on the shape.
BY_SHAPE = {("vectors", "64 KiB"): (0.6, None), ("vectors", "1 MiB"): (0.9, 0.97), ("vectors", "64 MiB"): (0.9, 0.97),
            ("heat", "2 ranks", "deed / MPI, whole tiles"): (1.3, 1.1), ("heat by edges", "2 ranks", "deed / MPI, one halo"): (2, 1.2),
            ("cholesky", "n 4096, tile 256", "deed, 1 rank / LAPACK, 2 threads"): (0.95, None),
            ("cholesky", "n 4096, tile 256", "deed, 2 ranks / deed, 1 rank"): (0.95, None),
            ("cholesky", "n 1024, tile 32", "deed, 1 rank / loop, twice 1 thread"): (0.7, 0.85),
            ("packed", "64 MiB"): (0.7, 0.9)}


def read(path):
    """benchmark -> shape -> system -> round -> value; several of one round count by their median."""
    table = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(dict)))
    for line in open(path, encoding="utf-8"):
        fields = line.strip().split("|")
        if fields[0] != "figure" or len(fields) != 6:
            continue
        _, benchmark, system, shape, value, round_ = fields
        table[benchmark][shape][system].setdefault(round_, []).append(float(value))
    for shapes in table.values():
        for systems in shapes.values():
            for values in systems.values():
                for round_ in values:
                    values[round_] = statistics.median(values[round_])
    return table


def spelled(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def best(systems, names, round_, less):
    found = [systems[name][round_] for name in names if name in systems and round_ in systems[name]]
    return (min if less else max)(found) if found else None


def ratios(systems, title, others, less, deed_first):
    """Per round, deed's best, or the one that the title names, to the best of the others."""
    named = title.split(" / ")[0]
    mine = [named] if named.startswith("deed,") else [name for name in systems if name.startswith("deed")]
    found = []
    for round_ in sorted({r for name in mine for r in systems[name]}):
        deed, other = best(systems, mine, round_, less), best(systems, others, round_, less)
        if deed and other:
            found.append(deed / other if deed_first else other / deed)
    return found


def verdict(value, required, aim, at_most):
    if required is None:
        return ""
    holds = (lambda goal: value <= goal) if at_most else (lambda goal: value >= goal)
    if aim is not None and holds(aim):
        return "aim reached"
    return "holds" if holds(required) else "**does not hold**"


def tables(table):
    failures, lines = [], []
    for benchmark, unit, less, wanted in BENCHMARKS:
        if benchmark not in table:
            continue
        shapes = table[benchmark]
        systems = list(dict.fromkeys(name for shape in shapes.values() for name in shape))
        lines += ["", f"## {benchmark[0].upper()}{benchmark[1:]}", f"Medians of {unit}.", "",
                  "| | " + " | ".join(systems) + " |", "|---|" + "---:|" * len(systems)]
        for shape, values in shapes.items():
            cells = [spelled(statistics.median(values[s].values())) if s in values else "–" for s in systems]
            lines.append(f"| {shape} | " + " | ".join(cells) + " |")
        for title, others, required, aim in wanted:
            deed_first = title.startswith("deed")
            at_most = deed_first and less
            lines += ["", f"| {title} | median | worst round | required | aim | |", "|---|---:|---:|---:|---:|---|"]
            for shape, values in shapes.items():
                found = ratios(values, title, others, less, deed_first)
                if not found:
                    continue
                goal, dream = BY_SHAPE.get((benchmark, shape, title), BY_SHAPE.get((benchmark, shape), (required, aim)))
                middle, worst = statistics.median(found), (max if at_most else min)(found)
                lines.append(f"| {shape} | {spelled(middle)} | {spelled(worst)} | {goal or '–'} | {dream or '–'} | "
                             f"{verdict(middle, goal, dream, at_most)} |")
                top = (min if at_most else max)(found)
                if goal and (top > 2 * goal if at_most else top < goal / 2):
                    failures.append(f"{benchmark}, {shape}: {title} is {spelled(top)} at best; required is {goal}")
    return lines, failures


def machine():
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
             if line.startswith("model name")]
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout.splitlines()
    mpi = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout.splitlines()
    return (f"{len(names)} cores of {names[0] if names else 'an unknown processor'}, Linux {platform.release()}, "
            f"{compiler[0] if compiler else 'unknown compiler'}, {mpi[0] if mpi else 'no MPI'}")


def main():
    check = "--check" in sys.argv
    figures, page = [each for each in sys.argv[1:] if not each.startswith("--")]
    lines, failures = tables(read(figures))
    head = ["# Performance", "",
            "Made by `bench/run`, which runs deed and its peers turn by turn and compares within each round. Absolute figures move",
            "with the machine's load; the ratios are what counts.", "", f"Machine: {machine()}."]
    with open(page, "w", encoding="utf-8") as out:
        limits = (pathlib.Path(__file__).parent / "limits.md").read_text(encoding="utf-8")
        out.write("\n".join(head + lines) + "\n\n" + limits)
    print("\n".join(lines))
    if check and failures:
        sys.exit("under half of what is required:\n  " + "\n  ".join(failures))


main()
