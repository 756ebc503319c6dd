# SPDX-License-Identifier: MIT
"""Tests deed-check as a user meets it: arguments, exit codes, formats, baseline.

Usage: python3 command_line_test.py DEED-CHECK INCLUDE...
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL, *INCLUDES = sys.argv[1:]
FLAGS = ["--", "-std=c++20"] + [f"-I{folder}" for folder in INCLUDES]
BAD = """#include "deed_model.hpp"
constexpr deed::codelet show{"show", [](const double& x) { std::cout << x; }};
void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0);
  auto c = std::move(a);
  session.insert_task(show, deed::read(a));
}
"""


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.where = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.where.name)
        self.bad = self.folder / "bad.cpp"
        self.bad.write_text(BAD, encoding="utf-8")

    def tearDown(self):
        self.where.cleanup()

    def run_tool(self, *arguments):
        return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False)

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

    def test_an_unknown_word_ends_with_4(self):
        self.bad.write_text('[[clang::annotate("deed", "frobs")]] void f();\n' + BAD, encoding="utf-8")
        text = BAD.replace("void program", '[[clang::annotate("deed", "frobs")]] void g();\nvoid program')
        text = text.replace("auto c", "g(); auto c")
        self.bad.write_text(text, encoding="utf-8")
        done = self.check(self.bad)
        self.assertEqual(done.returncode, 4)
        self.assertIn('"frobs"', done.stderr)

    def test_explains_and_lists(self):
        self.assertIn("use of a moved handle", self.run_tool("--explain=D101").stdout)
        self.assertIn("D306", self.run_tool("--list-checks").stdout)

    def test_sarif_has_what_a_viewer_needs(self):
        log = json.loads(self.check("--format=sarif", self.bad).stdout)
        run = log["runs"][0]
        result = run["results"][0]
        self.assertEqual(log["version"], "2.1.0")
        self.assertEqual((result["ruleId"], result["level"]), ("D101", "error"))
        self.assertEqual(result["locations"][0]["physicalLocation"]["region"]["startLine"], 6)
        self.assertEqual(run["tool"]["driver"]["rules"][0]["id"], "D101")
        self.assertIn("deedFingerprint/v1", result["partialFingerprints"])
        self.assertTrue(result["relatedLocations"] and result["codeFlows"] and result["fixes"])

    def test_a_baseline_hides_what_was_there_when_lines_move(self):
        known = self.folder / "known"
        self.assertEqual(self.check(f"--write-baseline={known}", self.bad).returncode, 0)
        self.bad.write_text("\n\n" + BAD, encoding="utf-8")
        done = self.check(f"--baseline={known}", self.bad)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_reads_a_compilation_database_with_an_mpi_wrapper(self):
        flags = ["ccache", "mpicxx", "-std=gnu++20", "-fno-semantic-interposition"]
        command = flags + [f"-I{pathlib.Path(i).resolve()}" for i in INCLUDES] + ["-c", str(self.bad)]
        database = [{"directory": str(self.folder), "file": str(self.bad), "arguments": command}]
        (self.folder / "compile_commands.json").write_text(json.dumps(database), encoding="utf-8")
        done = self.run_tool("-p", self.folder, f"--root={self.folder}")
        self.assertEqual(done.returncode, 1, done.stderr)
        elsewhere = self.run_tool("-p", self.folder, "--root=/usr")
        self.assertEqual((elsewhere.returncode, elsewhere.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
