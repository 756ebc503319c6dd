# SPDX-License-Identifier: MIT
"""What was found, counted per code, per family and per shape."""
import collections
import dataclasses
import re

from programs import program


@dataclasses.dataclass
class result:
    program: program
    status: int
    text: str
    reports: list[tuple[str, tuple[str, int]]]
    compiler: str = ""  # What Clang says.
    gnu: str = ""       # What g++ says.
    others: dict[str, set[tuple[str, int]]] = dataclasses.field(default_factory=dict)
    problem: str = ""

    @property
    def codes(self) -> set[str]:
        return {code for code, _ in self.reports}

    @property
    def refused(self) -> bool:
        return self.status == 3 and self.program.bad and bool(self.compiler)

    @property
    def compiler_finds(self) -> bool:
        return f"deed[{self.program.code}]" in self.compiler

    @property
    def found(self) -> bool:
        return self.compiler_finds or self.program.code in self.codes

    @property
    def exact(self) -> bool:
        """Whether the report stands on a line where the mistake is."""
        places = self.program.places()
        if self.refused:
            return any(re.search(rf"{re.escape(file)}:{line}:", self.compiler) for file, line in places)
        return any(code == self.program.code and where in places for code, where in self.reports)

    @property
    def silent(self) -> bool:
        """A right program, to which nobody of ours says a word."""
        return self.status == 0 and not self.text and "deed[" not in self.compiler + self.gnu


class tally:
    """The counts of a group of programs."""

    def __init__(self, results: list[result]):
        self.bad = [r for r in results if r.program.bad or r.program.missed]
        self.good = [r for r in results if not r.program.bad and not r.program.missed]
        self.found = [r for r in self.bad if r.found]

    @property
    def recall(self) -> float:
        return len(self.found) / len(self.bad) if self.bad else 1.0

    def cells(self) -> list[str]:
        exact = sum(r.exact for r in self.found)
        compiler = sum(r.compiler_finds for r in self.bad)
        reported = sum(max(1, len(r.reports)) for r in self.found)
        silent = sum(r.silent for r in self.good)
        per_fault = f"{reported / len(self.found):.2f}" if self.found else "–"
        return [str(len(self.bad)), str(compiler), f"{len(self.found)}", f"{exact}", per_fault,
                f"{silent} of {len(self.good)}"]


def grouped(results: list[result], key) -> dict[str, list[result]]:
    groups = collections.defaultdict(list)
    for r in results:
        groups[key(r)].append(r)
    return dict(sorted(groups.items()))


def percent(part: float) -> str:
    return f"{100 * part:.1f} %"


def compared(results: list[result], others: list[str]) -> str:
    """deed beside the tools of others, on the same programs. A tool has found a mistake if it warns on one
    of the lines that deed's report names; a right program is flagged if it warns about any line."""
    def lines(r: result) -> set[tuple[str, int]]:
        named = re.findall(r"^ *(\d+) \|", r.text, re.M)
        return r.program.places() | {(f.name, int(n)) for f in r.program.files for n in named}

    bad = [r for r in results if r.program.bad or r.program.missed]
    good = [r for r in results if not r.program.bad and not r.program.missed]
    text = ["| tool | wrong programs found | right programs flagged |", "|---|---|---|"]
    ours = sum(r.found for r in bad)
    text.append(f"| the compiler with deed's types, and deed-check | {ours} of {len(bad)} "
                f"| {sum(not r.silent for r in good)} of {len(good)} |")
    for name in others:
        found = sum(bool(r.others.get(name, set()) & lines(r)) for r in bad)
        flagged = sum(bool(r.others.get(name)) for r in good)
        text.append(f"| {name} | {found} of {len(bad)} | {flagged} of {len(good)} |")
    return "\n".join(text) + "\n"


def table(results: list[result]) -> str:
    """What is found, in Markdown."""
    head = ["wrong programs", "by the compiler", "found with the right code", "primary line exact",
            "reports per mistake", "right programs silent"]
    by_code = grouped([r for r in results if r.program.code != "silent"], lambda r: r.program.code)
    by_family = grouped([r for r in results if r.program.code != "silent"], lambda r: r.program.code[:2])
    by_shape = grouped([r for r in results if r.program.bad or r.program.missed], lambda r: r.program.shape)
    all_of_them = tally(results)
    balanced = sum(tally(g).recall for g in by_code.values()) / len(by_code)
    families = sum(tally(g).recall for g in by_family.values()) / len(by_family)
    found = len(all_of_them.found)
    exact = sum(r.exact for r in all_of_them.found)
    text = [f"{len(all_of_them.bad)} wrong and {len(all_of_them.good)} right programs of {len(by_code)} codes. "
            f"Found with the right code: {percent(all_of_them.recall)} of the programs, {percent(balanced)} where "
            f"every code counts alike, {percent(families)} where every family does. The primary line is exact in "
            f"{percent(exact / max(1, found))} of the finds."]
    for title, groups in (("shape", by_shape), ("family", by_family), ("code", by_code)):
        text += ["", f"| {title} | " + " | ".join(head) + " |", "|---|" + "---|" * len(head)]
        text += [f"| {name} | " + " | ".join(tally(g).cells()) + " |" for name, g in groups.items()]
    text += ["| all | " + " | ".join(all_of_them.cells()) + " |", "",
             "L1 direct, L2 through a function, L3 through a member, L4 a template or a container, L5 several files."]
    return "\n".join(text) + "\n"
