# SPDX-License-Identifier: MIT
"""The programs of the corpus: where they are, what they show, and where a report has to point."""
import dataclasses
import pathlib
import re

CORPUS = pathlib.Path(__file__).resolve().parents[1]
ROOT = CORPUS.parents[1]
ON_REQUEST = {"D205", "D206", "D412", "D710", "D904"}  # What --strict alone reports.
SHAPES = {"callee": "L2", "member": "L3", "wrapper": "L3", "template": "L4", "container": "L4", "units": "L5"}


@dataclasses.dataclass(frozen=True)
class program:
    """One program: a file, or a folder of files that are one program."""
    path: pathlib.Path
    code: str  # of its folder; "silent" for programs that show no single code

    @property
    def name(self) -> str:
        return str(self.path.relative_to(CORPUS))

    @property
    def files(self) -> list[pathlib.Path]:
        return sorted(self.path.glob("*.cpp")) if self.path.is_dir() else [self.path]

    @property
    def bad(self) -> bool:
        return self.path.name.startswith("bad-")

    @property
    def missed(self) -> bool:
        """A mistake that is known to be missed; it must be silent until it is renamed."""
        return self.path.name.startswith("miss-")

    @property
    def golden(self) -> pathlib.Path:
        """The text that deed-check has to give, word for word."""
        return self.path.with_suffix(".expect")

    @property
    def strict(self) -> bool:
        return not self.bad or self.code in ON_REQUEST

    @property
    def shape(self) -> str:
        """L1 direct, L2 through a function, L3 through a member, L4 a template or container, L5 several files."""
        return SHAPES.get(re.sub(r"^[a-z]+-(\d+-)?", "", self.path.stem), "L1")

    def places(self) -> set[tuple[str, int]]:
        """Where the primary label may stand: by the comment `// D306` on the line, or the expected text."""
        marked = set()
        for file in self.files:
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if re.search(rf"// {self.code}\b", line):
                    marked.add((file.name, number))
        if not marked and self.golden.exists():
            marked = {where for code, where in reports(self.golden.read_text(encoding="utf-8")) if code == self.code}
        return marked


def reports(text: str) -> list[tuple[str, tuple[str, int]]]:
    """Code, file and line of each report in the output of deed-check."""
    found = re.findall(r"^\w+: deed\[(D\d+|W\d+)\].*\n +--> ([^:\n]+):(\d+)", text, re.M)
    return [(code, (pathlib.Path(file).name, int(line))) for code, file, line in found]


def programs(folders: list[pathlib.Path]) -> list[program]:
    """All programs in these folders of codes; without any, the whole corpus."""
    folders = folders or sorted(CORPUS.glob("D???")) + [CORPUS / "silent"]
    found = []
    for folder in (f.resolve() for f in folders):
        for place in (folder, folder / "generated"):
            for path in sorted(place.iterdir()) if place.is_dir() else []:
                if path.name != "generated" and (path.is_dir() or path.suffix == ".cpp"):
                    found.append(program(path, folder.name))
    return found
