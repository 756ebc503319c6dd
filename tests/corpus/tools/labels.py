# SPDX-License-Identifier: MIT
"""Whether a wrong program of the corpus does what its folder says: a run in verify mode has to say so.

unproved.txt names the programs of which it says something else, or nothing, and why.
"""
import collections
import concurrent.futures
import dataclasses
import functools
import json
import pathlib
import re

import executables
from programs import CORPUS, ROOT, program

RANKS, SECONDS, BATCH = (2, 3, 4), 20, 24
CHECKS = "--deed-checks=global,messages,leaks,pages"


@dataclasses.dataclass
class label:
    program: program
    text: str
    is_sample: bool = False
    built: bool = False
    proved: bool = False
    said: set[str] = dataclasses.field(default_factory=set)  # Codes.
    statuses: list[int] = dataclasses.field(default_factory=list)

    @property
    def layers(self) -> set[str]:
        """R and V, where the catalogue names them."""
        return at_run_time().get(self.program.code, set())

    @property
    def symptom(self) -> str:
        if self.said:
            return " ".join(sorted(self.said))
        if -1 in self.statuses:
            return "no end"
        bad = [s for s in self.statuses if s != 0]
        return f"exit {bad[0]}" if bad else "ends well"


@functools.cache
def at_run_time() -> dict[str, set[str]]:
    codes = json.loads((ROOT / "docs/errors/catalogue.json").read_text(encoding="utf-8"))["codes"]
    return {f"D{c['number']:03}": {name for name in ("R", "V") if not c["layers"].get(name, "not yet").startswith("not yet")}
            for c in codes}


def unproved() -> dict[str, str]:
    """By program, or by folder with all its programs: the reason."""
    lines = (CORPUS / "unproved.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))


def labels_of(programs: list[program]) -> list[label]:
    """Those that are a `program(session)`, which can be run as it stands."""
    found = []
    for p in programs:
        text = "\n".join(f.read_text(encoding="utf-8") for f in p.files)
        runs = executables.SIGNATURE in text and "main(" not in text
        if (p.bad or p.missed) and p.code != "silent" and runs:
            found.append(label(p, text))
    return found


def prove(one: label, executable: pathlib.Path, index: int) -> None:
    one.built = True
    for ranks in RANKS:
        status, _, said = executables.run(executable, index, [f"--deed-ranks={ranks}", CHECKS], SECONDS)
        one.statuses.append(status)
        one.said |= set(re.findall(r"deed\[(D\d+)\]", said))
        if one.program.code in one.said:
            one.proved = True
            return


def run_all(labels: list[label], build: pathlib.Path, flags: list[str], folder: pathlib.Path,
            threads: concurrent.futures.Executor) -> None:
    make = executables.builder(build, {False: flags}, folder)
    batches = [labels[i:i + BATCH] for i in range(0, len(labels), BATCH)]
    for places in threads.map(make.executable, batches):
        list(threads.map(lambda at: prove(*at), places))
        for made in {executable for _, executable, _ in places}:
            made.unlink()


def reason_of(one: label, reasons: dict[str, str]) -> str:
    return reasons.get(one.program.name) or reasons.get(one.program.code, "")


def problems(labels: list[label], whole: bool) -> list[str]:
    """What does not agree with unproved.txt. `whole`: all programs were run."""
    reasons, found = unproved(), []
    for one in labels:
        name = one.program.name
        if not one.built and not reason_of(one, reasons):
            found.append(f"{name}: does not build")
        elif one.proved and name in reasons:
            found.append(f"{name}: the run says {one.program.code}; take it out of unproved.txt")
        elif not one.proved and one.layers and not reason_of(one, reasons):
            found.append(f"{name}: the run says {one.symptom}, not {one.program.code}")
    if whole:
        known = {one.program.name for one in labels} | {one.program.code for one in labels if not one.proved}
        found += [f"unproved.txt: {name} is no program that is unproved" for name in reasons if name not in known]
    return found


def table(labels: list[label]) -> str:
    reasons = unproved()
    by_code = collections.defaultdict(list)
    for one in labels:
        by_code[one.program.code].append(one)
    proved = sum(one.proved for one in labels)
    due = [one for one in labels if one.layers]
    text = [f"{len(labels)} wrong programs were run with `{CHECKS}` on {', '.join(map(str, RANKS[:-1]))} and {RANKS[-1]} virtual "
            f"ranks, until one run said the code of its folder: {proved} did. Of the {len(due)} whose code has a layer at run "
            f"time, {sum(one.proved for one in due)} did.", "",
            "| code | at run time | wrong programs | the run says the code | it says another | it crashes or has no end | it ends well |",
            "|---|" + "---|" * 6]

    def row(name: str, layers: str, group: list[label]) -> str:
        left = [one for one in group if not one.proved]
        others = [one for one in left if one.said]
        well = [one for one in left if not one.said and not any(one.statuses)]
        return (f"| {name} | {layers or '–'} | {len(group)} | {len(group) - len(left)} | {len(others)} "
                f"| {len(left) - len(others) - len(well)} | {len(well)} |")

    text += [row(code, ", ".join(sorted(group[0].layers)), group) for code, group in sorted(by_code.items())]
    text += [row("all", "", labels), "", "Whose code has a layer at run time, and whose run says something else:", "",
             "| program | the run says | why |", "|---|---|---|"]
    text += [f"| `{one.program.name}` | {one.symptom} | {reason_of(one, reasons)} |" for one in due if not one.proved]
    return "\n".join(text) + "\n"
