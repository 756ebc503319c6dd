# SPDX-License-Identifier: MIT
"""Checks the pages of the errors, and compiles the two programs on each.

Usage: python3 docs/errors/check_pages.py [--compiler PATH [--flags "FLAG..."] [--includes A;B;...]] [CODE...]
       python3 docs/errors/check_pages.py --emit FILE
       python3 docs/errors/check_pages.py --run PROGRAM [CODE...]
Without a compiler only the texts are checked. With one, the right program of every page has to compile,
and so has the wrong one, unless the compiler itself is to refuse it: then its output has to name the
code. Pages in not_yet.txt wait for a call that does not exist; one that would pass has to leave the
list. --emit writes the wrong programs whose report is on their page word for word (marked `ran`) as one
source; --run runs what was made of it and compares, on one rank, or on 2 where the page says who speaks or what rank 1 does
(which of them comes first may differ), and with the arguments behind `ran`. Prints one line per finding; exits with 1 if there is any.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from generate import HERE, spelled

NAMESPACE, PROGRAM = "// at namespace scope", "// in the program"
DECLARATION = re.compile(r"(?:using (\w+) =|.*?[\w>] (\w+)(?:\{| = |;|\(100\);))")


def block(page: str, kind: str) -> str | None:
    """The fenced block that is marked with `kind`, and perhaps with arguments of the run."""
    found = re.search(rf"^```\w+ {kind}(?: --\S+)*\n(.*?)^```$", page, re.M | re.S)
    return found[1] if found else None


def arguments_of(page: str) -> list[str]:
    """With what the wrong program is run: `ran --deed-checks=global`."""
    found = re.search(r"^```\w+ ran((?: --\S+)*)$", page, re.M)
    return found[1].split() if found else []


def statements(lines: list[tuple[int, str]]) -> list[list[tuple[int, str]]]:
    """Numbered lines of the prelude as one group per declaration, with the loop that fills it."""
    groups: list[list[tuple[int, str]]] = []
    lines = [(number, line) for number, line in lines if line.strip()]
    indent = len(lines[0][1]) - len(lines[0][1].lstrip())
    for number, line in lines:
        goes_on = line[indent] in " }" or line.lstrip().startswith("for")
        if goes_on:
            groups[-1].append((number, line))
        else:
            groups.append([(number, line)])
    return groups


class prelude:
    """prelude.hpp in its parts: includes, declarations at namespace scope, and those of the program."""

    def __init__(self, text: str):
        lines = list(enumerate(text.splitlines(), 1))
        at = {line.strip(): number for number, line in lines if line.strip() in (NAMESPACE, PROGRAM)}
        last_include = max(number for number, line in lines if line.startswith("#include"))
        opening = next(number for number, line in lines if line.startswith("void program"))
        self.includes = "\n".join(line for _, line in lines[:last_include])
        self.outside = list(statements(lines[last_include:at[NAMESPACE] - 1]))
        self.opening = lines[opening - 1]
        self.always = lines[opening]  # rank and size.
        self.inside = list(statements(lines[opening + 1:at[PROGRAM] - 1]))
        self.closing = lines[at[PROGRAM]]
        self.main = "\n".join(line for _, line in lines[at[PROGRAM] + 1:])

    def needed(self, program: str):
        """The declarations that `program` uses, and those that these use."""
        taken, text = [], program
        for group in reversed(self.outside + self.inside):
            name = DECLARATION.match(group[0][1])
            if name and re.search(rf"(?<![\w.:]){name[1] or name[2]}\b", text):
                taken.append(group)
                text += "\n".join(line for _, line in group)
        return taken

    def around(self, program: str, name: str) -> str:
        """All but `main`; places in it are those of prelude.hpp, and of the block as `name`."""
        parts: dict[str, list[tuple[int, str]]] = {NAMESPACE: [], PROGRAM: []}
        part = PROGRAM
        for number, line in enumerate(program.splitlines(), 1):
            if line in parts:
                part = line
            else:
                parts[part].append((number, line))
        taken = self.needed(program)

        def placed(lines, file):
            return [f'#line {number} "{file}"\n{line}' for number, line in lines]

        def declared(groups):
            return [line for g in groups if g in taken for line in placed(g, "prelude.hpp")]

        return "\n".join([
            *declared(self.outside), *placed(parts[NAMESPACE], name),
            *placed([self.opening, self.always], "prelude.hpp"), *declared(self.inside),
            *placed(parts[PROGRAM], name), *placed([self.closing], "prelude.hpp")]) + "\n"


class compiler:
    """Compiles with a precompiled header of the prelude's includes, in a folder of its own."""

    def __init__(self, command: list[str], includes: str, folder: pathlib.Path):
        self.folder = folder
        self.command = command
        self.header = folder / "page.hpp"
        self.header.write_text(includes + "\n", encoding="utf-8")
        made = self.run("-x", "c++-header", str(self.header), "-o", str(self.header) + ".gch")
        if made.returncode != 0:
            sys.exit(f"the includes of prelude.hpp do not compile:\n{made.stderr}")

    def run(self, *arguments: str):
        return subprocess.run([*self.command, *arguments], capture_output=True, text=True, check=False)

    def says(self, name: str, program: str) -> str | None:
        """What the compiler says about a program that it refuses; nothing if it takes it."""
        source = self.folder / name
        source.write_text(program, encoding="utf-8")
        done = self.run("-fsyntax-only", "-include", str(self.header), str(source))
        return None if done.returncode == 0 else done.stderr


def first_error(text: str) -> str:
    return next((line for line in text.splitlines() if "error" in line), text[:200])


def text_findings(code: dict, page: str | None):
    """Yields what is wrong with the text of a page."""
    if page is None:
        yield "has no page"
        return
    name = spelled(code["number"])
    said = block(page, "says") or block(page, "ran")
    if not said or not re.match(rf"(rank \d+: )?deed\[{name}\] ", said):
        yield "does not show what deed says"
    elif "\n  help: " not in said and "static_assert" not in said and code.get("compiles", True):
        yield "what deed says ends without help"
    headings = re.findall(r"^## (.*)$", page, re.M)
    if headings[-2:] != ["Why", "Who finds it"]:
        yield "ends with the sections Why and Who finds it"
    if code["snippet"] and (not block(page, "wrong") or not block(page, "right")):
        yield "has no wrong and no right program"
    for line in (said or "").splitlines():
        if re.search(r"(?<!\w)\{[a-z]\}", line):
            yield f"a name is missing: {line.strip()}"
        for number in re.findall(rf"{name}\.cpp:(\d+)", line):
            if int(number) > len(code["snippet"]):
                yield f"the wrong program has no line {number}"


def compile_findings(code: dict, page: str, around: prelude, compile_with: compiler):
    """Yields what is wrong with the programs of a page."""
    name = spelled(code["number"])
    right, wrong = (
        compile_with.says(f"{name}.{kind}.cpp", around.around(block(page, kind), f"{name}.cpp") + around.main)
        for kind in ("right", "wrong"))
    if right is not None:
        yield f"the right program does not compile: {first_error(right)}"
    if code["compiles"] and wrong is not None:
        yield f"the wrong program does not compile: {first_error(wrong)}"
    if not code["compiles"] and wrong is None:
        yield "the wrong program compiles, but the compiler is to refuse it"
    if not code["compiles"] and wrong is not None and f"deed[{name}]" not in wrong:
        yield f"the wrong program fails without the text deed[{name}]: {first_error(wrong)}"
    for line in (block(page, "ran") or "").splitlines() if wrong is not None else ():
        if line not in wrong:
            yield f"the compiler does not say: {line}"


def emitted(compiling: set[str], pages: dict[str, str], around: prelude) -> str:
    """One source with the wrong program of every page that shows its real report."""
    names = sorted(c for c in compiling if block(pages[c], "ran"))
    programs = "".join(f"namespace {name} {{\n{around.around(block(pages[name], 'wrong'), name + '.cpp')}}}\n\n"
                       for name in names)
    cases = "\n".join(f'  if (name == "{name}") return deed::run(argc - 1, argv + 1, {name}::program);'
                      for name in names)
    return (f"{around.includes}\n\n{programs}int main(int argc, char** argv) {{\n"
            f"  const std::string name = argc > 1 ? argv[1] : \"\";\n{cases}\n  return 64;\n}}\n")


RANK = re.compile(r"^rank \d+: ", re.M)


def run_findings(name: str, page: str, program: str):
    """Yields what is wrong with the report on a page."""
    wanted = block(page, "ran").rstrip("\n")
    # Simulated: the same rank speaks first each time.
    ranks = "2" if RANK.match(wanted) or re.search(r"^  rank 1 |(for|to) rank 1\b|ranks 0 and 1", wanted, re.M) else "1"
    done = subprocess.run([program, name, f"--deed-ranks={ranks}", *arguments_of(page)], capture_output=True, text=True,
                          check=False, timeout=60)
    if RANK.sub("", wanted) not in RANK.sub("", done.stderr):
        yield f"deed says something else, with exit code {done.returncode}:\n{done.stderr}"


def not_yet() -> dict[str, str]:
    """The codes whose programs wait, and for what."""
    lines = (HERE / "not_yet.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))


def findings(catalogue: dict, arguments: argparse.Namespace):
    """Yields one line of text per finding."""
    pages = {path.stem: path.read_text(encoding="utf-8") for path in HERE.glob("D*.md")}
    codes = [c for c in catalogue["codes"] if not arguments.codes or spelled(c["number"]) in arguments.codes]
    for code in codes:
        for wrong in text_findings(code, pages.get(spelled(code["number"]))):
            yield f"{spelled(code['number'])}: {wrong}"
    for name in sorted(set(pages) - {spelled(c["number"]) for c in catalogue["codes"]}):
        yield f"{name}: no code of the catalogue"
    waiting = not_yet()
    for name in sorted(set(waiting) - {spelled(c["number"]) for c in catalogue["codes"]}):
        yield f"not_yet.txt: {name} is no code of the catalogue"
    for name in (spelled(c["number"]) for c in codes if arguments.run and c.get("compiles")):
        if block(pages[name], "ran"):
            yield from (f"{name}: {wrong}" for wrong in run_findings(name, pages[name], arguments.run))
    if not arguments.compiler:
        return
    around = prelude((HERE / "prelude.hpp").read_text(encoding="utf-8"))
    programs = [c for c in codes if c["language"] == "cpp" and spelled(c["number"]) in pages]
    command = [arguments.compiler, "-std=c++20", "-w", *shlex.split(arguments.flags)]
    command += [f"-I{folder}" for folder in arguments.includes.split(";") if folder]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        compile_with = compiler(command, around.includes, pathlib.Path(folder))
        results = threads.map(lambda c: list(compile_findings(
            c, pages[spelled(c["number"])], around, compile_with)), programs)
        for code, found in zip(programs, results):
            name = spelled(code["number"])
            if name in waiting and not found:
                yield f"{name}: both programs are as they should be; take it out of not_yet.txt"
            if name not in waiting:
                yield from (f"{name}: {wrong}" for wrong in found)
            elif arguments.verbose:
                yield from (f"{name}: waits, {wrong}" for wrong in found)
    print(f"programs: {len(programs) - len(set(waiting) & {spelled(c['number']) for c in programs})} pages "
          f"compiled, {len(set(waiting) & {spelled(c['number']) for c in programs})} wait in not_yet.txt")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--compiler", help="compile the programs with it")
    options.add_argument("--flags", default="", help="further flags, in one argument")
    options.add_argument("--includes", default="", help="include folders, separated by ;")
    options.add_argument("--emit", help="write the programs that are run, as one source")
    options.add_argument("--run", help="run them, and compare what they say")
    options.add_argument("--verbose", action="store_true", help="say why the waiting pages wait")
    options.add_argument("codes", nargs="*", help="only these, as D306")
    catalogue = json.loads((HERE / "catalogue.json").read_text(encoding="utf-8"))
    arguments = options.parse_args()
    if arguments.emit:
        pages = {path.stem: path.read_text(encoding="utf-8") for path in sorted(HERE.glob("D*.md"))}
        compiling = {spelled(c["number"]) for c in catalogue["codes"] if c.get("compiles")}
        around = prelude((HERE / "prelude.hpp").read_text(encoding="utf-8"))
        pathlib.Path(arguments.emit).write_text(emitted(compiling, pages, around), encoding="utf-8")
        return 0
    found = list(findings(catalogue, arguments))
    print("\n".join(found) if found else "pages: nothing wrong")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
