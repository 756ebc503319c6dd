# SPDX-License-Identifier: MIT
"""Tries every block of every page: compiles and runs those of C++, runs those of the shell, compares what they print.

Usage: python3 docs/check_blocks.py                     every block says how it is tried, or why it is not
       python3 docs/check_blocks.py --emit FOLDER       writes a program for each block of C++ that is a piece of one
       python3 docs/check_blocks.py --run BUILD [PAGE]  runs these programs and the scripts
A comment in front of a block, which no reader of the page sees, says how:
  <!-- tried in            a program: the block stands where it has a line `// here`. It has to end well, as threads
                           and on virtual ranks
  <!-- tried by            a script of bash, in an empty folder; $1 is the block, $BUILD and $ROOT are what they
                           say, `skip WHY` ends it where something is not built
  <!-- not tried: why -->
  <!-- all tried by FILE -->   once in a page; FILE names the page
Blocks that are marked `wrong`, `right`, `says`, `ran` are those of the error pages (docs/errors/check_pages.py), `prints`, with
what stands before it, is of docs/programs.py. Prints one line per finding; exits with 1 if there is any.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(?:^<!-- (?P<how>not tried: [^\n]+?|tried (?:in|by)\n(?:(?!-->).)*?) ?-->\n)?"
                   r"^```(?P<info>[^\n]*)\n(?P<text>(?:(?!```)[^\n]*\n)*)```$", re.M | re.S)
OF_OTHERS = re.compile(r"\w+ (wrong|right|says|ran|prints)\b|cuda$")
SHELL = """set -euo pipefail
skip() { echo "skipped: $*"; exit 77; }
"""


class block(NamedTuple):
    page: str     # Below the root.
    number: int   # In its page, from 1.
    how: str      # What the comment says, or nothing.
    info: str     # Behind the fence.
    text: str
    place: str    # The page and the line.

    @property
    def name(self) -> str:
        return f"{pathlib.Path(self.page).stem}_{self.number}"

    def program(self) -> str | None:
        """The whole program around a piece of one."""
        if not self.how.startswith("tried in"):
            return None
        return self.how.partition("\n")[2].replace("// here\n", self.text)

    def script(self) -> str | None:
        return SHELL + self.how.partition("\n")[2] if self.how.startswith("tried by") else None


def pages() -> list[pathlib.Path]:
    return [ROOT / "README.md", ROOT / "CHANGELOG.md",
            *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "site" not in page.parts)]


def blocks(page: pathlib.Path) -> list[block]:
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    return [block(name, number, found["how"] or "", found["info"], found["text"],
                  f"{name}:{text.count(chr(10), 0, found.start('info')) + 1}")
            for number, found in enumerate(BLOCK.finditer(text), 1)]


def texts():
    """Yields the blocks of which nobody knows whether they hold."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        found = blocks(page)
        if len(found) * 2 != len(re.findall(r"^```", text, re.M)):
            yield f"{page.relative_to(ROOT)}: a block does not begin, or does not end, at the beginning of a line"
        by = re.search(r"^<!-- all tried by (\S+) -->$", text, re.M)
        if by and (not (ROOT / by[1]).is_file() or page.name not in (ROOT / by[1]).read_text(encoding="utf-8")):
            yield f"{page.relative_to(ROOT)}: {by[1]} does not name it"
        with_output = "```text prints" in text  # A whole program, and what it prints.
        for each in found:
            whole = with_output and each.info == "cpp" and "int main(" in each.text
            if not (by or each.how or whole or OF_OTHERS.match(each.info)):
                yield f"{each.place}: how is this block tried? See docs/check_blocks.py"
            if each.how.startswith("tried in") and "// here\n" not in each.how:
                yield f"{each.place}: its program has no line `// here`"


def emit(folder: pathlib.Path) -> None:
    """Writes what has changed alone, so that nothing else is compiled again."""
    folder.mkdir(parents=True, exist_ok=True)
    programs = {f"{each.name}.cpp": each.program() for page in pages() for each in blocks(page) if each.program()}
    for old in folder.glob("*.cpp"):
        if old.name not in programs:
            old.unlink()
    for name, program in programs.items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != program:
            file.write_text(program, encoding="utf-8")


def program_in(build: pathlib.Path, each: block) -> pathlib.Path:
    return build / "tests/docs/blocks" / each.name


def trials(each: block, build: pathlib.Path):
    """The commands that try a block, each with what it adds to the environment."""
    if each.program():
        for ranks in ("inproc:4", "5"):
            yield [str(program_in(build, each))], {"DEED_RANKS": ranks}
    elif each.script():
        yield ["bash", "-c", each.script(), each.place, "block"], {}


def attempt(each: block, build: pathlib.Path) -> tuple[list[str], int]:
    """What is wrong with a block, and how many of its trials could be made."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DEED_")}
    programs = ("samples", "viewer", "analyzer", "lib/doctor")
    environment |= {"BUILD": str(build), "ROOT": str(ROOT), "QT_QPA_PLATFORM": "offscreen",
                    "PATH": ":".join([*(str(build / folder) for folder in programs), os.environ["PATH"]])}
    wrong, made = [], 0
    for command, added in trials(each, build):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "block").write_text(each.text, encoding="utf-8")
            done = subprocess.run(command, cwd=folder, env=environment | added | {"HOME": folder, "TMPDIR": folder},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                  timeout=200, check=False)
        made += done.returncode != 77
        if done.returncode == 77:
            print(f"{each.place}: {done.stdout.strip().rpartition(chr(10))[2]}")
        elif done.returncode != 0:
            wrong.append(f"{each.place}: ends with {done.returncode} {added or ''}\n{done.stdout[-3000:]}")
    return wrong, made


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--emit"]:
        emit(pathlib.Path(arguments[1]))
        return 0
    findings = list(texts())
    if arguments[:1] == ["--run"]:
        build, wanted, tried = pathlib.Path(arguments[1]).resolve(), arguments[2:], 0
        chosen = [each for page in pages() if not wanted or page.name in wanted for each in blocks(page)]
        missing = [each.name for each in chosen if each.program() and not program_in(build, each).is_file()]
        if missing:
            print(f"blocks: {len(missing)} programs are not built, block_{missing[0]} among them: cmake --build {arguments[1]}")
            return 1
        for each in chosen:
            wrong, made = attempt(each, build)
            findings += wrong
            tried += made
        print(f"blocks: {tried} trials")
    print("\n".join(findings) or f"blocks: {sum(len(blocks(page)) for page in pages())}, nothing wrong")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
