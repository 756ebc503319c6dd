# SPDX-License-Identifier: MIT
"""deed-check over the project's own programs: silent, but for the mistakes that tests make on purpose.

Usage: python3 own_programs_test.py DEED-CHECK BUILD-FOLDER [--write] [--some] [FOLDER...]
The folders are of the source tree: samples, tests, bench. own_mistakes.txt names the files that do wrong, and
the codes that deed-check has to say there; a code that is no longer said has to go, too. `--write` makes it anew:
read what changed. `--some` takes the fifth of the files that the commit selects, and those that it changed.
"""
import collections
import hashlib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KNOWN = pathlib.Path(__file__).with_name("own_mistakes.txt")
HEAD = """# Programs of this project that do wrong on purpose, mostly to see that the library refuses it, and the codes
# that deed-check says there. Written by own_programs_test.py --write.
"""


def units(build: pathlib.Path, folders: list[str]) -> list[str]:
    """The files that the build knows, and that are there: some are made by a build of everything."""
    database = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    files = {str((pathlib.Path(e["directory"]) / e["file"]).resolve()) for e in database}
    wanted = tuple(f"{ROOT}/{f}/" for f in folders)
    skipped = (f"{ROOT}/tests/compile_fail/", f"{ROOT}/tests/corpus/")
    return sorted(f for f in files if f.startswith(wanted) and not f.startswith(skipped) and pathlib.Path(f).exists())


def some(files: list[str]) -> list[str]:
    """Those that the commit changed, and the fifth of the others that it selects. All, where there is no commit."""
    git = subprocess.run(["git", "-C", str(ROOT), "show", "--format=%H", "--name-only", "HEAD"], capture_output=True, text=True,
                         check=False)
    if git.returncode != 0:
        return files
    commit, *changed = git.stdout.split()
    return [f for f in files if str(pathlib.Path(f).relative_to(ROOT)) in changed or
            hashlib.sha256((commit + pathlib.Path(f).name).encode()).digest()[0] % 5 == 0]


def known() -> dict[str, set[str]]:
    lines = [line.split() for line in KNOWN.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {words[0]: set(words[1:]) for words in lines if words}


def main() -> int:
    arguments = [a for a in sys.argv[3:] if not a.startswith("--")]
    folders = arguments or ["samples", "tests", "bench"]
    build = pathlib.Path(sys.argv[2])
    files = units(build, folders)
    if "--some" in sys.argv:
        files = some(files)
    done = subprocess.run([sys.argv[1], "--format=json", "-j", "2", "-p", str(build), "--root=" + str(ROOT), *files],
                          capture_output=True, text=True, check=False)
    said = collections.defaultdict(dict)
    for line in done.stdout.splitlines():
        one = json.loads(line)
        place = one["locations"][0]["physicalLocation"]
        file = str(pathlib.Path(place["artifactLocation"]["uri"].removeprefix("file://")).relative_to(ROOT))
        text = f"{file}:{place['region']['startLine']}: deed[{one['ruleId']}] {one['message']['text']}"
        said[file].setdefault(one["ruleId"], text)
    if "--write" in sys.argv:
        text = "".join(f"{file} {' '.join(sorted(codes))}\n" for file, codes in sorted(said.items()))
        KNOWN.write_text(HEAD + text, encoding="utf-8")
        return 0
    wrong = [done.stderr] if done.stderr else []
    expected = known()
    for file, codes in sorted(said.items()):
        wrong += [text for code, text in sorted(codes.items()) if code not in expected.get(file, set())]
    checked = {str(pathlib.Path(f).relative_to(ROOT)) for f in files}
    if "--some" in sys.argv:
        checked = set()  # Without what the others say of their functions, less may be found.
    for file in checked & expected.keys():
        wrong += [f"{file}: {code} is no longer said" for code in sorted(expected[file] - said[file].keys())]
    print(f"{len(files)} units", *wrong, sep="\n")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
