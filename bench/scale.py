#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs bench/scale on ever more virtual ranks, and writes docs/performance_scale.md and its picture.

Usage: python3 bench/scale.py [BUILD]. Takes some minutes, and 8 GiB of memory."""
import math
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RANKS = {"stencil": [16, 64, 256, 1024, 4096, 10000], "cholesky": [16, 64, 256], "together": [64, 1024, 4096, 10000]}
WANTED = {"stencil": 0.90, "cholesky": 0.80}
# Okabe and Ito: also for the colour-blind.
COLOURS = {"stencil": "#0072b2", "cholesky": "#d55e00", "cholesky, of even work": "#cc79a7"}
BESIDE = {"stencil": 20, "cholesky": -8, "cholesky, of even work": 30}  # Where names stand: clear of curves and lines.


def measure(program, kind, ranks):
    """Figures by their second and third field, seconds of this machine, and the most memory in GiB."""
    begin = time.monotonic()
    run = subprocess.Popen([program, kind, f"--deed-ranks={ranks}", "--deed-seed=0"], stdout=subprocess.PIPE, text=True)
    lines = [line.strip().split("|") for line in run.stdout]
    _, status, used = os.wait4(run.pid, 0)
    if status != 0:
        sys.exit(f"{kind} on {ranks} ranks ended with status {status}")
    return {each[2]: float(each[4]) for each in lines if each[0] == "figure"}, time.monotonic() - begin, used.ru_maxrss / 2**20


def submission(program, how):
    """Rows for a Cholesky factorisation of 512 x 512 tiles on 32 x 32 ranks."""
    wanted = {"for_each_tile": 0.1, "plain loops": 0.15}
    run = subprocess.run([program], env=os.environ | {"LOOPS": "1" if how == "plain loops" else "0"}, stdout=subprocess.PIPE,
                         text=True, check=True)
    figures = {}
    for line in run.stdout.splitlines():
        _, what, _, who, value = line.split("|")
        figures[who, what.split(", ")[1]] = float(value)
    rows = [f"| {how} | {who} | {figures[who, 'seconds']:.2f} | {wanted[how]} | {figures[who, 'megabytes']:.1f} |"
            for who in ("a rank", "without tiles")]
    floors = [(what, figures[what, "seconds"]) for what in ("owners alone", "and readers") if (what, "seconds") in figures]
    return rows + [f"| {how} | floor: {what} | {seconds:.2f} | | |" for what, seconds in floors]


def picture(curves):
    """Efficiency over ranks, in powers of four from 16."""
    def x(ranks):
        return 70 + 90 * (math.log2(ranks) - 4) / 2

    def y(value):
        return 270 - 250 * value

    text = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 320" font-family="sans-serif" font-size="13">',
            '<rect width="600" height="320" fill="#ffffff"/>']
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        text += [f'<line x1="60" x2="540" y1="{y(share):.0f}" y2="{y(share):.0f}" stroke="#dddddd"/>',
                 f'<text x="52" y="{y(share) + 4:.0f}" text-anchor="end" fill="#333333">{share:g}</text>']
    for ranks in RANKS["stencil"]:
        text.append(f'<text x="{x(ranks):.0f}" y="290" text-anchor="middle" fill="#333333">{ranks:,}</text>')
    for name, points in curves.items():
        path = " ".join(f"{x(r):.0f},{y(v):.1f}" for r, v in points)
        text.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        text += [f'<circle cx="{x(r):.0f}" cy="{y(v):.1f}" r="3.5" fill="{COLOURS[name]}"/>' for r, v in points]
        r, v = points[-1]
        text.append(f'<text x="{x(r):.0f}" y="{y(v) + BESIDE[name]:.0f}" text-anchor="middle" fill="{COLOURS[name]}">{name}</text>')
    text += ['<text x="300" y="312" text-anchor="middle" fill="#333333">virtual ranks</text>',
             '<text x="18" y="145" text-anchor="middle" fill="#333333" transform="rotate(-90 18 145)">'
             'share of what no scheduler could beat</text>', "</svg>"]
    return "\n".join(text) + "\n"


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build") / "bench" / "scale"
    curves = {name: [] for name in COLOURS}
    rows, together = [], []
    for kind, counts in RANKS.items():
        before = None  # Ranks and memory of the row above.
        for ranks in counts:
            figures, seconds, gib = measure(program, kind, ranks)
            print(kind, ranks, figures, f"{seconds:.1f} s, {gib:.2f} GiB", flush=True)
            if kind == "together":
                figures |= measure(program, "deadlock", ranks)[0]
                together.append(f"| {ranks:,} | {figures['wait, us']:.1f} | {figures['sends of the owner']:.0f} | "
                                f"{figures['one to all, us']:.1f} | {figures['its bound, us']:.1f} | "
                                f"{figures['deadlock, us']:.0f} | {figures['messages per rank']:.1f} |")
                continue
            curves[kind].append((ranks, figures[kind]))
            verdict = "holds" if figures[kind] >= WANTED[kind] else "**does not hold**"
            if "even" in figures:
                curves["cholesky, of even work"].append((ranks, figures["even"]))
            even = f"{figures['even']:.3f}" if "even" in figures else "–"
            more = f"{(gib - before[1]) / (ranks - before[0]) * 2**20:.0f}" if before else "–"
            before = (ranks, gib)
            rows.append(f"| {kind} | {ranks:,} | {figures[kind]:.3f} | {WANTED[kind]:.2f} | {verdict} | {even} | "
                        f"{seconds:.1f} | {gib:.2f} | {more} |")
    alone = [row for how in ("for_each_tile", "plain loops") for row in submission(program.parent / "tiles", how)]
    (ROOT / "docs/pictures/weak_scaling.svg").write_text(picture(curves), encoding="utf-8")
    frame = (ROOT / "bench/scale.md").read_text(encoding="utf-8")
    page = frame.replace("@CURVES@", "\n".join(rows)).replace("@TOGETHER@", "\n".join(together))
    page = page.replace("@SUBMISSION@", "\n".join(alone))
    (ROOT / "docs/performance_scale.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
