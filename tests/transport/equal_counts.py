# SPDX-License-Identifier: MIT
"""Checks that a sample moves the same data however its ranks run: as threads, on virtual ranks, under MPI.

Usage: python3 equal_counts.py [MPIRUN …] -- SAMPLE [ARGUMENT…]
MPIRUN gets the number of ranks, the sample and its arguments behind it; without it, MPI is left out.
On 2, 4 and 8 ranks, transfers and payload bytes of each pair of ranks and data frames in total must be
equal, and control frames within their bound. Prints one line per finding; exit status 1 if there is any.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

RANKS = (2, 4, 8)


def counts_of(command: list[str], file: pathlib.Path) -> dict:
    """Runs the sample. @return what it counted."""
    file.unlink(missing_ok=True)
    done = subprocess.run([*command, f"--deed-summary={file}"], cwd=file.parent, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads(file.read_text(encoding="utf-8"))


def pairs(counts: dict, side: str) -> dict:
    """(sender, receiver) -> (transfers, payload bytes), as the senders or the receivers counted them."""
    return {
        (of["rank"], peer["rank"]) if side == "sent_to" else (peer["rank"], of["rank"]):
            (peer["transfers"], peer["payload_bytes"])
        for of in counts["per_rank"] for peer in of[side] if peer["transfers"] > 0
    }


def total(counts: dict, name: str) -> int:
    return sum(peer[name] for of in counts["per_rank"] for peer in of["sent_to"])


def control_bound(counts: dict, ranks: int) -> int:
    """Two per transfer that asks for room, and one per half window of the frames that do not."""
    half_window = max(1, min(32, 4096 // ranks) // 2)
    eager = sum(peer["transfers"] - peer["announced"]
                for of in counts["per_rank"] for peer in of["sent_to"] if peer["rank"] != of["rank"])
    return 2 * total(counts, "announced") + eager // half_window


def findings(all_counts: dict, ranks: int):
    """Yields one line per difference between the ways to run."""
    first, *others = all_counts
    for name, counts in all_counts.items():
        where = f"{name}, {ranks} ranks: "
        if pairs(counts, "sent_to") != pairs(counts, "received_from"):
            yield where + f"sent {pairs(counts, 'sent_to')} and received {pairs(counts, 'received_from')}"
        if not pairs(counts, "sent_to"):
            yield where + "nothing was sent"
        bound = control_bound(counts, ranks)
        if total(counts, "control_frames") > bound:
            yield where + f"{total(counts, 'control_frames')} control frames, bound {bound}"
    for other in others:
        where = f"{first} and {other}, {ranks} ranks: "
        if pairs(all_counts[first], "sent_to") != pairs(all_counts[other], "sent_to"):
            yield where + f"{pairs(all_counts[first], 'sent_to')} and {pairs(all_counts[other], 'sent_to')}"
        frames = [total(all_counts[each], "data_frames") for each in (first, other)]
        if frames[0] != frames[1]:
            yield where + f"{frames[0]} and {frames[1]} data frames"


def main() -> int:
    middle = sys.argv.index("--")
    mpirun, sample = sys.argv[1:middle], sys.argv[middle + 1:]
    found = []
    with tempfile.TemporaryDirectory() as work:
        file = pathlib.Path(work) / "counts.json"
        for ranks in RANKS:
            ways = {"threads": [*sample, f"--deed-ranks=inproc:{ranks}"],
                    "virtual ranks": [*sample, f"--deed-ranks={ranks}", f"--deed-seed={ranks}"]}
            if mpirun:
                ways["MPI"] = [*mpirun, str(ranks), *sample]
            found += findings({name: counts_of(command, file) for name, command in ways.items()}, ranks)
    print("\n".join(found) if found else "all counts are equal")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
