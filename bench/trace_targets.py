#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the recorder, deed-trace and deed-view against their targets: trace_targets.py [BUILD [EVENTS]].

Prints a table of Markdown with the machine and how busy it was: figures of a busy machine say nothing
about a quiet one. ViTE opens the same run, exported to OTF2, where it is installed."""
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
EVENTS = int(float(sys.argv[2])) if len(sys.argv) > 2 else 10_000_000
TRACE, VIEW = BUILD / "viewer" / "deed-trace", BUILD / "viewer" / "deed-view"
QUIET = dict(os.environ, QT_QPA_PLATFORM="offscreen", QT_LOGGING_RULES="*=false")


def run(*words, timeout=1200):
    """Standard output, and seconds by the clock and of CPU."""
    before, start = os.times(), time.monotonic()
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=QUIET, timeout=timeout, check=False)
    wall, after = time.monotonic() - start, os.times()
    if done.returncode not in (0, 1):
        raise SystemExit(f"{words[0]} {words[1]}: status {done.returncode}\n{done.stderr[-2000:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return done.stdout, wall, cpu


def seconds(pair):
    return f"{pair[1]:.2f} s, {pair[2]:.2f} s of CPU"


def percentiles(bench, what):
    found = next(each for each in bench["results"] if each["what"] == what)
    return f"p50 {found['p50_ms']:.1f} ms, p99 {found['p99_ms']:.1f} ms"


def touch_memory(megabytes):
    """A machine below a virtual one takes back what nobody uses, and brings it again page by page."""
    return len(b"\1" * (megabytes << 20))


def opened(run_path, rests):
    """T1 seven times, the median and the quickest: after 10 seconds of rest each, or with memory at hand."""
    taken = []
    for _ in range(7):
        if rests:
            time.sleep(10)
        else:
            touch_memory(1000)
        bench = json.loads(run(VIEW, "--bench", "open", "--json", run_path)[0])
        taken.append(((bench["open_ms"] + bench["answers_ms"]) / 1e3, (bench["open_cpu_ms"] + bench["answers_cpu_ms"]) / 1e3))
    taken.sort()
    return f"{taken[3][0]:.2f} s, {taken[3][1]:.2f} s of CPU; at best {taken[0][0]:.2f} s"


def vite(run_path, folder):
    """How long ViTE takes for the same events, or why that is not known."""
    if shutil.which("vite") is None:
        return "ViTE is not installed"
    run(TRACE, "export", run_path, "--form", "otf2", "-o", folder / "otf2")
    anchor = next((folder / "otf2").glob("*.otf2"))
    words = ["vite", "-e", folder / "vite.svg", anchor]
    try:
        return "ViTE: " + seconds(run(*(["xvfb-run", "-a"] if shutil.which("xvfb-run") else []), *words))
    except SystemExit as failed:  # ViTE 1.2 may end by a signal where messages name a communicator.
        return "ViTE does not read the export: " + str(failed).splitlines()[0]


def main():
    with tempfile.TemporaryDirectory(prefix="deed-targets-") as name:
        folder = pathlib.Path(name)
        big, small = folder / "big.deed", folder / "small.deed"
        run(TRACE, "gen", "-o", big, "--ranks", 16, "--workers", 8, "--tiles", 40, "--events", EVENTS)
        run(TRACE, "gen", "-o", small, "--ranks", 16, "--workers", 8, "--tiles", 20, "--events", min(EVENTS, 1_000_000))
        tiny = folder / "tiny.deed"
        run(TRACE, "gen", "-o", tiny, "--ranks", 1, "--workers", 1, "--tiles", 1)
        packed = folder / "packed.deed"
        shutil.copytree(big, packed)
        run(TRACE, "pack", packed, "--level", 1)
        packed_bytes = sum(f.stat().st_size for f in packed.rglob("*") if f.is_file())
        shutil.rmtree(packed)
        events = run(TRACE, "info", "--full", big)[0].split(" events")[0].split()[-1]
        bench = json.loads(run(VIEW, "--bench", "all", "--json", "--size", "1800x1000", big)[0])
        little = json.loads(run(VIEW, "--bench", "all", "--json", "--size", "1800x1000", small)[0])
        redraw = [next(r for r in b["results"] if r["what"] == "redraw")["p50_ms"] for b in (bench, little)]
        asked = {row[0]: row[2] for row in json.loads(run(TRACE, "bench", "--what", "stats,search,critical-path", big, "--json")[0])["tables"][0]["rows"]}
        recorder = json.loads(run(BUILD / "bench" / "recorder", folder / "recorded.deed")[0])
        bytes_on_disk = sum(f.stat().st_size for f in big.rglob("*") if f.is_file())
        rows = [
            ("T1", "open, until every panel answers, with memory at hand", "1.5 s", opened(big, rests=False)),
            ("", "the same after 10 s of rest, when a virtual machine has lost its memory", "", opened(big, rests=True)),
            ("", "open, until there is a picture; panels answer when they are seen", "", f"{bench['open_ms'] / 1e3:.2f} s, {bench['open_cpu_ms'] / 1e3:.2f} s of CPU"),
            ("T2", "first picture, from the headers of packets", "0.3 s", f"{bench['first_picture_ms'] / 1e3:.2f} s"),
            ("T1", "at least three times as fast as ViTE", "3", vite(big, folder)),
            ("T4", "memory per event, all indexes", "40 B", f"{bench['rss_bytes_per_event']:.0f} B; {bench['rss_bytes_per_event_at_the_end']:.0f} B with what was looked at since"),
            ("T5", "full redraw at every zoom", "p50 16 ms, p99 33 ms", percentiles(bench, "redraw")),
            ("T6", "pan by a tenth", "p99 8 ms", percentiles(bench, "pan")),
            ("T7", f"redraw, against {little['events']:,} events", "1.5", f"{redraw[0] / max(0.01, redraw[1]):.2f}"),
            ("T8", "frames of a zoom that take more than a sixtieth of a second", "5 %", f"{bench['zoom_frames_dropped_percent']:.0f} %, {percentiles(bench, 'zoom')}"),
            ("T9", "ownership matrix at a new time", "10 ms", percentiles(bench, "seek")),
            ("T10", "statistics of a quarter of the run", "50 ms", asked["stats"] + " ms"),
            ("T11", "all events of a datum", "150 ms", asked["search"] + " ms"),
            ("T12", "critical path", "1 s", asked["critical-path"] + " ms"),
            ("T13", "the window on an almost empty run, with its picture (the whole command)", "150 ms", seconds(run(VIEW, tiny, "--screenshot", folder / "t.png"))),
            ("T14", f"`--screenshot` of {little['events']:,} events", "1.0 s", seconds(run(VIEW, small, "--screenshot", folder / "a.png"))),
            ("T15", "recording one event", "mean 20 ns, p99.9 1 us",
             f"mean {recorder['on_ns']:.1f} ns, p99.9 {recorder['p999_ns']:.0f} ns, {recorder['discarded']:,} of {recorder['events'] * 5 // 4:,} discarded"),
            ("T16", "recording that is off", "1 ns", f"{recorder['off_ns']:.2f} ns"),
            ("T17", "bytes per event on disk", "28 B, 8 B packed", f"{bytes_on_disk / bench['events']:.1f} B, {packed_bytes / bench['events']:.1f} B packed"),
            ("T19", "export to OTF2", "6 s", seconds(run(TRACE, "export", big, "--form", "otf2", "-o", folder / "again"))),
            ("T19", "export to Perfetto", "6 s", seconds(run(TRACE, "export", big, "--form", "perfetto", "-o", folder / "p"))),
        ]
        load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
        print(f"{events} events, 16 ranks with 8 workers; {os.cpu_count()} cores, {platform.machine()}, load {load}.\n")
        print("| # | quantity | target | here |\n|---|---|---|---|")
        for row in rows:
            print("| " + " | ".join(row) + " |")
        print("\nNot here: T3 (by hand), "
              "T18 (recorded_test and mpi_crash_test: no event is lost).")


main()
