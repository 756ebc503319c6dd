# SPDX-License-Identifier: MIT
"""Tests deed-check as a user meets it: arguments, exit codes, formats, baseline.

Usage: python3 command_line_test.py DEED-CHECK INCLUDE...
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import sarif_shape

TOOL, *INCLUDES = sys.argv[1:]
FLAGS = ["--", "-std=c++20"] + [f"-I{pathlib.Path(folder).resolve()}" for folder in INCLUDES]
COMPILED = tempfile.TemporaryDirectory()
BAD = """#include "deed_model.hpp"
constexpr deed::codelet show{"show", [](const double& x) { std::cout << x; }};
void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0);
  auto c = std::move(a);
  session.insert_task(show, deed::read(a));
}
"""


def setUpModule():
    """Compiles the headers once: to read them is nearly all that a run costs."""
    header = pathlib.Path(INCLUDES[-1]).resolve() / "deed_model.hpp"
    compiled = f"{COMPILED.name}/deed_model.pch"
    subprocess.run(["clang++-19", *FLAGS[1:], "-x", "c++-header", str(header), "-o", compiled], check=True)
    FLAGS.extend(["-include-pch", compiled])


def tearDownModule():
    COMPILED.cleanup()


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.where = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.where.name)
        self.bad = self.folder / "bad.cpp"
        self.bad.write_text(BAD, encoding="utf-8")

    def tearDown(self):
        self.where.cleanup()

    def run_tool(self, *arguments):
        return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=self.folder)

    def check(self, *arguments):
        return self.run_tool(*arguments, *FLAGS)

    def test_findings_end_with_1(self):
        done = self.check(self.bad)
        self.assertEqual(done.returncode, 1)
        self.assertIn("deed[D101] use of moved handle `a`", done.stdout)
        self.assertIn("bad.cpp:6:29", done.stdout)

    def test_nothing_ends_with_0(self):
        self.bad.write_text(BAD.replace("read(a)", "read(c)"), encoding="utf-8")
        done = self.check(self.bad)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_unit_that_does_not_parse_ends_with_3(self):
        self.bad.write_text('#include "foo.h"\n', encoding="utf-8")
        done = self.check(self.bad)
        self.assertEqual(done.returncode, 3)
        self.assertIn("'foo.h' file not found", done.stderr)

    def test_usage_ends_with_64(self):
        for arguments in ([], ["--no-such-option"], ["--format=pdf", "x.cpp"], ["--explain=D999"]):
            self.assertEqual(self.run_tool(*arguments).returncode, 64, arguments)
        self.assertEqual(self.run_tool("-p", self.folder).returncode, 64)

    def test_what_cannot_be_checked_is_one_line(self):
        for file, says in ((".", ". is a folder; name files"), ("-", "standard input is not read; name a file")):
            done = self.check(file)
            self.assertEqual((done.returncode, done.stdout), (64, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(says, done.stderr)

    def test_a_compiler_may_stand_before_its_flags(self):
        for given in (["g++", *FLAGS[1:]], ["ccache", "/usr/bin/c++", *FLAGS[1:]], ["g++", *FLAGS[1:], "-c", "bad.cpp", "-o", "bad.o"]):
            done = self.run_tool(self.bad, "--", *given)
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            self.assertIn("bad.cpp:6:29", done.stdout)

    def test_a_baseline_that_cannot_be_read_ends_with_64(self):
        for baseline in ("missing", "."):
            done = self.check(f"--baseline={baseline}", self.bad)
            self.assertEqual((done.returncode, done.stdout), (64, ""))
            self.assertEqual(done.stderr, f"deed-check: cannot read {baseline}; --write-baseline={baseline} makes it\n")

    def test_a_cache_that_cannot_be_written_is_told_once(self):
        for jobs in ("1", "2"):
            done = self.check("--cache=bad.cpp/cache", "-j", jobs, self.bad, self.bad)
            self.assertEqual(done.returncode, 1)
            self.assertIn("deed[D101]", done.stdout)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("cannot write into --cache=bad.cpp/cache, nothing is kept: Not a directory", done.stderr)

    def test_an_unknown_word_ends_with_4(self):
        self.bad.write_text('[[clang::annotate("deed", "frobs")]] void f();\n' + BAD, encoding="utf-8")
        text = BAD.replace("void program", '[[clang::annotate("deed", "frobs")]] void g();\nvoid program')
        text = text.replace("auto c", "g(); auto c")
        self.bad.write_text(text, encoding="utf-8")
        done = self.check(self.bad)
        self.assertEqual(done.returncode, 4)
        self.assertIn('"frobs"', done.stderr)

    def test_explains_and_lists(self):
        for arguments in (["--explain=D101"], ["--explain", "D101"], ["--explain", "d101"], ["--explain=D202"]):
            said = self.run_tool(*arguments).stdout
            self.assertIn("## The smallest wrong program\n\n```cpp\n", said)
            self.assertIn("## The right program\n\n```cpp\n", said)
        self.assertIn("--explain wants a value", self.run_tool("--explain").stderr)
        self.assertIn("D306", self.run_tool("--list-checks").stdout)

    def test_sarif_has_what_a_viewer_needs(self):
        log = json.loads(self.check("--format=sarif", self.bad).stdout)
        self.assertEqual(list(sarif_shape.findings(log)), [])
        run = log["runs"][0]
        result = run["results"][0]
        self.assertEqual(log["version"], "2.1.0")
        self.assertEqual((result["ruleId"], result["level"]), ("D101", "error"))
        self.assertEqual(result["locations"][0]["physicalLocation"]["region"]["startLine"], 6)
        rule = run["tool"]["driver"]["rules"][0]
        self.assertEqual(rule["id"], "D101")
        self.assertIn("the only deed to its datum", rule["fullDescription"]["text"])
        self.assertEqual(rule["help"]["markdown"], self.run_tool("--explain=D101").stdout)
        self.assertIn(f"deed-check {run['tool']['driver']['version']},", self.run_tool("--version").stdout)
        self.assertIn("deedFingerprint/v1", result["partialFingerprints"])
        self.assertTrue(result["relatedLocations"] and result["codeFlows"] and result["fixes"])

    def test_json_has_the_result_of_sarif_for_each_finding(self):
        self.bad.write_text(BAD.replace("  auto c", "  // deed-check: allow(D305)\n  auto c"), encoding="utf-8")
        said = self.check("--format=json", self.bad)
        results = [json.loads(line) for line in said.stdout.splitlines()]
        self.assertEqual([one["ruleId"] for one in results], ["W002", "D101"])
        for one in results:
            self.assertEqual(list(sarif_shape.findings(one, sarif_shape.RESULT)), [])
        log = json.loads(self.check("--format=sarif", self.bad).stdout)
        self.assertEqual(log["runs"][0]["results"], results)
        self.assertEqual([rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]], ["D101", "W002"])

    def test_pages_of_permissions_are_as_they_say(self):
        for code, report in (("W001", "this permission allows nothing"), ("W002", "this permission gives no reason")):
            self.assertIn(code, self.run_tool("--list-checks").stdout)
            page = self.run_tool("--explain", code).stdout
            help_line = re.search(r"^  help: (.*)$", page, re.M)[1]
            wrong, right = re.findall(r"```cpp\n(.*?)```", page, re.S)
            waiting = self.BORROWED.replace("LINES", "auto view = session.borrow(deed::write(a));\n  "
                                            "session.insert_task(add, deed::read_write(a));\n  LINES")
            for text, says in ((wrong, f"warning: deed[{code}] {report}; help: {help_line}"), (right, None)):
                self.bad.write_text((self.BORROWED if code == "W001" else waiting).replace("LINES", text), encoding="utf-8")
                said = self.check("--format=short", self.bad).stdout
                self.assertEqual(said.count("deed[W"), 0 if says is None else 1, said)
                self.assertIn(says or "", said)

    def test_sarif_columns_are_utf16_code_units(self):
        self.bad = self.folder / "größe.cpp"
        line = "  session.insert_task(show, deed::read(a));"
        self.bad.write_text(BAD.replace(line, "  /* größe 雪 😀 */" + line.lstrip()), encoding="utf-8")
        place = json.loads(self.check("--format=json", self.bad).stdout)["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], self.bad.resolve().as_uri())
        # ö, ß and the snow are one unit each, the face is two.
        before = "  /* größe 雪 😀 */session.insert_task(show, ".encode("utf-16-le")
        self.assertEqual(place["region"]["startColumn"], len(before) // 2 + 1)
        self.assertEqual(place["region"]["endColumn"], len(before) // 2 + 1 + len("deed::read(a)"))

    def test_a_baseline_hides_what_was_there_when_lines_move(self):
        known = self.folder / "known"
        self.assertEqual(self.check(f"--write-baseline={known}", self.bad).returncode, 0)
        self.bad.write_text("\n\n" + BAD, encoding="utf-8")
        done = self.check(f"--baseline={known}", self.bad)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    TWICE = BAD.replace("}\n", "  session.insert_task(show, deed::read(a));\n}\n")

    def test_a_baseline_hides_no_other_of_its_kind(self):
        known = self.folder / "known"
        self.check(f"--write-baseline={known}", self.bad)
        self.bad.write_text(self.TWICE, encoding="utf-8")
        done = self.check(f"--baseline={known}", self.bad)
        self.assertIn("bad.cpp:7:29", done.stdout)
        self.assertNotIn("more place", done.stdout)
        self.check(f"--write-baseline={known}", self.bad)
        numbers = [line.split()[0] for line in known.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(len(set(numbers)), 2, numbers)
        self.assertEqual(self.check(f"--baseline={known}", self.bad).returncode, 0)
        again = self.TWICE.replace("constexpr", "\n\nconstexpr").replace("void program", "void other() {}\nvoid program")
        self.bad.write_text(again, encoding="utf-8")
        self.assertEqual(self.check(f"--baseline={known}", self.bad).stdout, "")

    def test_a_permission_is_for_its_place_alone(self):
        allow = "  // deed-check: allow(D101) reason: a test\n"
        task = "  session.insert_task(show, deed::read(a));\n"
        for text, line in ((allow + task + "\n" + task, "bad.cpp:9:29"), (task + allow + task, "bad.cpp:6:29"),
                           (allow + task + allow + task, None), (task[:-1] + allow + task, "bad.cpp:7:29"),
                           (task[:-1] + allow + task[:-1] + allow, None),
                           (task.replace("show, ", "show," + allow + "    ")[:-1] + allow, None)):
            self.bad.write_text(BAD.replace(task, text), encoding="utf-8")
            done = self.check("--strict", self.bad)
            self.assertNotIn("W001", done.stdout)
            self.assertNotIn("more place", done.stdout)
            if line is None:
                self.assertEqual(done.stdout, "")
            else:
                self.assertIn(line, done.stdout)

    def test_a_permission_does_not_hide_what_ranks_disagree_about_behind_it(self):
        allow = "  // deed-check: allow(D404) reason: a test\n"
        steps = [f"  if (session.rank() == {rank}) session.gather(deed::read(a), deed::to{{0}});\n" for rank in (0, 1, 0)]
        for allowed, told in (((), [0]), ((0,), [1, 2]), ((0, 1), [2]), ((0, 1, 2), []), ((1,), [0])):
            text = "".join((allow if n in allowed else "") + step + "  session.wait();\n" for n, step in enumerate(steps))
            self.bad.write_text(BAD[: BAD.index("  auto c")] + text + "}\n", encoding="utf-8")
            done = self.check("--format=short", self.bad)
            lines = [str(5 + 2 * n + len([a for a in allowed if a <= n])) for n in told]
            self.assertEqual(re.findall(r"bad.cpp:(\d+)", done.stdout), lines, done.stdout)

    def test_a_permission_is_for_its_statement(self):
        task = "  session.insert_task(show, deed::read(a));\n"
        split = "  session.insert_task(show,\n                      deed::read(a));"
        allow, block = ("// deed-check: allow(D101) reason: a test", "/* deed-check: allow(D101) reason: a test */")
        for text in (split + "  " + allow, "  " + allow + "\n" + split, "  " + block + "\n" + split,
                     split.replace("show,", "show,  " + allow), split.replace("show,\n", "show,\n  " + allow + "\n"),
                     f"  {block} " + task.strip(), "  if (true)\n    // a word\n    " + allow + "\n  " + task):
            self.bad.write_text(BAD.replace(task, text + "\n"), encoding="utf-8")
            done = self.check("--strict", self.bad)
            self.assertEqual((done.returncode, done.stdout), (0, ""), text)

    def test_what_stands_in_a_literal_is_no_permission(self):
        line = "  session.insert_task(show, deed::read(a));\n"
        text = '  const char* text = "// deed-check: allow(D101) reason: none";\n  (void)text;\n'
        self.bad.write_text(BAD.replace(line, text + line), encoding="utf-8")
        done = self.check("--strict", self.bad)
        self.assertIn("deed[D101]", done.stdout)
        self.assertNotIn("deed[W", done.stdout)

    def test_a_misspelt_permission_is_told(self):
        line = "  session.insert_task(show, deed::read(a));\n"
        for text in ("alow(D101) reason: x", "allow D101 reason: x", "allow(D101 reason: x", "", "(D101)"):
            self.bad.write_text(BAD.replace(line, f"  // deed-check: {text}\n{line}"), encoding="utf-8")
            said = self.check("--format=short", self.bad).stdout
            self.assertIn("deed[W002] this permission is not understood; help: write `// deed-check: allow(D306)", said)

    def test_permissions_outside_of_the_root_are_not_told(self):
        build = self.project("project/build")
        (self.folder / "other.hpp").write_text("// deed-check: allow(D101) reason: x\ninline void g() {}\n", encoding="utf-8")
        source = self.folder / "project" / "src" / "bad.cpp"
        source.write_text('#include "../../other.hpp"\n' + BAD.replace("auto c", "g(); auto c"), encoding="utf-8")
        done = subprocess.run([TOOL, "-p", build], capture_output=True, text=True, check=False, cwd=self.folder / "project")
        self.assertIn("deed[D101]", done.stdout)
        self.assertNotIn("deed[W001]", done.stdout)

    def test_fix_applies_what_is_safe(self):
        self.bad.write_text(BAD.replace("deed::read(a)", "deed::write(c)").replace(
            "[](const double& x) { std::cout << x; }", "[](double& x) { x += 1; }"), encoding="utf-8")
        self.assertIn("deed[D207]", self.check(self.bad).stdout)
        dry = self.check("--fix-dry-run", self.bad)
        self.assertEqual(dry.returncode, 0)
        self.assertIn("+  session.insert_task(show, deed::read_write(c));", dry.stdout)
        lines = ["@@ -3,5 +3,5 @@", *(" " + line for line in self.bad.read_text(encoding="utf-8").splitlines()[2:5])]
        self.assertEqual(dry.stdout.splitlines()[2:6], lines)
        self.assertEqual(dry.stdout.splitlines()[-1], " }")
        self.assertIn("deed::write(c)", self.bad.read_text(encoding="utf-8"))
        self.check("--fix", self.bad)
        self.assertIn("deed::read_write(c)", self.bad.read_text(encoding="utf-8"))
        done = self.check(self.bad)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    BORROWED = """#include "deed_model.hpp"
constexpr deed::codelet add{"add", [](double& x) { x += 1; }};
#define RW(x) deed::read_write(x)
void program(deed::session& session, bool late) {
  auto a = session.register_data(deed::owner{0}, 1.0);
  LINES
}
"""

    def fixed(self, *lines):
        """The body's lines, as they are once fixed."""
        text = self.BORROWED.replace("LINES", "\n  ".join(lines))
        self.bad.write_text(text, encoding="utf-8")
        self.assertIn("deed[D", self.check(self.bad).stdout)
        self.check("--fix", self.bad)
        body = self.bad.read_text(encoding="utf-8").splitlines()[5:-1]
        self.assertTrue(all(line.startswith("  ") for line in body), body)
        return [line.strip() for line in body]

    def test_fix_changes_statements_alone(self):
        task = "session.insert_task(add, deed::read_write(a));"
        borrow = "auto view = session.borrow(deed::write(a));"
        self.assertEqual(self.fixed(borrow, task, "session.wait();"), [borrow, task, "view.release();", "session.wait();"])
        for lines in ([borrow, task, "if (late)", "  session.wait();"],
                      [borrow, task, "if (late) session.wait();"],
                      [borrow, task, "session.wait();", "*view = 2;"],
                      ["auto b = std::move(a);", task.replace("deed::read_write", "RW")],
                      ["if (late)", "  std::move(a).unregister();", task]):
            self.assertEqual(self.fixed(*lines), [line.strip() for line in lines])
        self.assertEqual(self.fixed("std::move(a).unregister();", task), [task])

    def test_fix_leaves_what_others_call(self):
        text = self.BORROWED.replace("void program", "struct part {\n  deed::handle<double> h;\n  void close() {\n"
                                     "    std::move(h).unregister();\n  }\n};\nvoid program")
        self.bad.write_text(text.replace("LINES", "part one{std::move(a)};\n  one.close();\n"
                                         "  session.insert_task(add, deed::read_write(one.h));"), encoding="utf-8")
        before = self.bad.read_text(encoding="utf-8")
        self.assertIn("deed[D102]", self.check(self.bad).stdout)
        self.check("--fix", self.bad)
        self.assertEqual(self.bad.read_text(encoding="utf-8"), before)

    def test_a_comment_with_a_reason_allows(self):
        line = "  session.insert_task(show, deed::read(a));\n"
        for text, says in (("// deed-check: allow(D101) reason: a test", None),
                           ("// deed-check: allow(D101)", "gives no reason"),
                           ("// deed-check: allow(D999) reason: a test", "does not exist"),
                           ("// deed-check: allow(D305) reason: a test", "allows nothing")):
            self.bad.write_text(BAD.replace(line, f"  {text}\n{line}"), encoding="utf-8")
            done = self.check("--strict", self.bad)
            if says is None:
                self.assertEqual((done.returncode, done.stdout), (0, ""))
            else:
                self.assertIn("deed[D101]", done.stdout)
                self.assertIn(says, done.stdout)

    def test_an_attribute_may_stand_on_lines_of_its_own(self):
        for text in ('DEED_ALLOW(D101,\n           "a test")\nvoid program(deed::session& session) {',
                     'DEED_ALLOW( D101 , "a test")\nvoid program(deed::session& session, std::vector<int> = {}) {',
                     'DEED_ALLOW(D101, "a test")  // a { comment\nvoid program(deed::session& session) {  /* } */'):
            self.bad.write_text("#include <vector>\n" + BAD.replace("void program(deed::session& session) {", text), encoding="utf-8")
            done = self.check("--strict", self.bad)
            self.assertEqual((done.returncode, done.stdout), (0, ""), text + done.stderr)

    def test_what_cannot_be_written_ends_with_64(self):
        for option in ("--output", "--write-baseline"):
            done = self.check(f"{option}=none/known", self.bad)
            self.assertEqual((done.returncode, done.stderr), (64, "deed-check: cannot write none/known\n"))

    def test_why_not_takes_a_place_as_it_is_printed(self):
        said = {self.check(f"--why-not=bad.cpp:6{column}", self.bad).stdout for column in ("", ":29", ":29:")}
        self.assertEqual(len(said), 1)
        for place in ("bad.cpp", "bad.cpp:0", ":6"):
            self.assertEqual(self.check(f"--why-not={place}", self.bad).returncode, 64, place)

    def test_an_attribute_allows_in_a_whole_function(self):
        self.bad.write_text(BAD.replace("void program", 'DEED_ALLOW(D101, "a { test }")\nvoid program'), encoding="utf-8")
        done = self.check("--strict", self.bad)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        after = "\nvoid program(deed::session& session) {"
        self.bad.write_text(BAD.replace(after, '\nDEED_ALLOW(D101, "a test") void other();' + after), encoding="utf-8")
        self.assertIn("deed[D101]", self.check("--strict", self.bad).stdout)

    def test_several_processes_say_the_same(self):
        files = [self.folder / f"{n}.cpp" for n in range(5)]
        for n, file in enumerate(files):
            file.write_text(BAD.replace("program", f"program_{n}"), encoding="utf-8")
        one, many = self.check(*files), self.check("-j", "3", *files)
        self.assertEqual(one.stdout.count("deed[D101]"), 5)
        self.assertEqual((one.returncode, one.stdout), (many.returncode, many.stdout))

    def test_a_cache_knows_what_has_changed(self):
        cache = self.folder / "cache"
        header = self.folder / "part.hpp"
        header.write_text("// nothing\n", encoding="utf-8")
        self.bad.write_text('#include "part.hpp"\n' + BAD, encoding="utf-8")
        first = self.check(f"--cache={cache}", self.bad)
        self.assertEqual(len(list(cache.iterdir())), 1)
        again = self.check(f"--cache={cache}", self.bad)
        self.assertEqual((first.returncode, first.stdout), (again.returncode, again.stdout))
        header.write_text("#error changed\n", encoding="utf-8")
        self.assertEqual(self.check(f"--cache={cache}", self.bad).returncode, 3)
        damaged = next(cache.iterdir())
        header.write_text("// nothing more\n", encoding="utf-8")
        self.check(f"--cache={cache}", self.bad)
        damaged.write_bytes(damaged.read_bytes()[:100])
        self.assertEqual(self.check(f"--cache={cache}", self.bad).stdout, first.stdout)

    def test_a_file_says_what_the_project_always_wants(self):
        config = self.folder / ".deed-check.yaml"
        config.write_text("# of this project\nformat: short\nextra-arg:\n  - -DANSWER=1\n  - -DOTHER=2\n", encoding="utf-8")
        self.assertEqual(len(self.check(self.bad).stdout.splitlines()), 1)
        config.write_text("what is this\n", encoding="utf-8")
        done = self.check(self.bad)
        self.assertEqual(done.returncode, 64)
        self.assertIn(".deed-check.yaml: line 1", done.stderr)

    def test_reads_a_compilation_database_with_an_mpi_wrapper(self):
        flags = ["ccache", "mpicxx", "-std=gnu++20", "-fno-semantic-interposition"]
        command = flags + [f"-I{pathlib.Path(i).resolve()}" for i in INCLUDES] + ["-c", str(self.bad)]
        database = [{"directory": str(self.folder), "file": str(self.bad), "arguments": command}]
        (self.folder / "compile_commands.json").write_text(json.dumps(database), encoding="utf-8")
        for root in ([], [f"--root={self.folder}"]):
            done = self.run_tool("-p", self.folder, *root)
            self.assertEqual(done.returncode, 1, done.stderr)

    def project(self, name, **more):
        """A project with its sources in src, and a database of it in the folder of that name."""
        source = self.folder / "project" / "src" / "bad.cpp"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(BAD, encoding="utf-8")
        build = self.folder / name
        build.mkdir(parents=True, exist_ok=True)
        command = ["c++", *FLAGS[1:], "-c", str(source)]
        text = json.dumps([{"directory": str(build), "file": str(source), "arguments": command}])
        (build / "compile_commands.json").write_text(text, encoding="utf-8")
        return build

    def test_a_permission_may_be_for_what_was_not_read(self):
        build = self.project("project/build")
        source = self.folder / "project" / "src" / "bad.cpp"
        source.write_text("// deed-check: allow(D101) reason: x\n" + BAD.replace("read(a)", "read(c)"), encoding="utf-8")
        self.assertIn("deed[W001]", self.run_tool("-p", build).stdout)
        self.assertIn("deed[W001]", self.run_tool("-p", build, source).stdout)
        database = build / "compile_commands.json"
        one = json.loads(database.read_text(encoding="utf-8"))[0]
        other = str(source).replace("bad.cpp", "other.cpp")
        two = [one, {**one, "file": other, "arguments": [*one["arguments"][:-1], other]}]
        database.write_text(json.dumps(two), encoding="utf-8")
        self.assertIn("deed[W001]", self.run_tool("-p", build, source).stdout, "other.cpp is not there")
        pathlib.Path(other).write_text("int main() {}\n", encoding="utf-8")
        self.assertEqual(self.run_tool("-p", build, source).stdout, "")
        self.assertIn("deed[W001]", self.run_tool("-p", build).stdout)

    def test_the_root_is_where_the_project_lies(self):
        (self.folder / "elsewhere").mkdir()
        for build in (self.project("project/build"), self.project("scratch")):
            for here in (self.folder / "project", build, self.folder / "elsewhere", pathlib.Path("/")):
                done = subprocess.run([TOOL, "-p", build], capture_output=True, text=True, check=False, cwd=here)
                self.assertEqual((done.returncode, done.stdout.count("deed[D101]")), (1, 1), (here, done.stderr))

    def test_a_root_that_holds_nothing_ends_with_64(self):
        build = self.project("project/build")
        for root, says in (("/usr", "nothing that was read lies in /usr"), (self.folder / "project" / "sr", "no folder "),
                           (self.folder / "pro", "no folder "), (build, "nothing that was read lies in ")):
            done = self.run_tool("-p", build, f"--root={root}")
            self.assertEqual((done.returncode, done.stdout), (64, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(says, done.stderr)
        for name in ("proj", "project/s"):  # Names that begin like those of the sources' folders.
            (self.folder / name).mkdir()
            self.assertEqual(self.run_tool("-p", build, f"--root={self.folder / name}").returncode, 64)

    def test_jobs_are_a_word_or_two(self):
        for jobs in (["-j2"], ["-j", "2"], ["--jobs=2"]):
            self.assertEqual(self.check(*jobs, self.bad).returncode, 1)
        self.assertEqual(self.check("-jx", self.bad).returncode, 64)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
