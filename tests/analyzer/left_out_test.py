# SPDX-License-Identifier: MIT
"""What deed-check leaves out of a program is counted, and `--stats` shows it.

Usage: python3 left_out_test.py DEED-CHECK INCLUDE...
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOOL, *INCLUDES = sys.argv[1:]
FLAGS = ["--", "-std=c++20"] + [f"-I{pathlib.Path(folder).resolve()}" for folder in INCLUDES]
HEAD = """#include "deed_model.hpp"
constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
bool unknown();
"""
KINDS = ["functions without a graph", "whose facts did not settle", "with calls that stayed closed",
         "that could not be followed to their end on every rank"]


class LeftOut(unittest.TestCase):
    def said(self, text: str, option: str) -> str:
        """Without the name of the tool and of the folder."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder).resolve() / "x.cpp"
            file.write_text(HEAD + text, encoding="utf-8")
            done = subprocess.run([TOOL, option, str(file), *FLAGS], capture_output=True, text=True, check=False, cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("", (done.stdout, done.stderr))
        return (done.stdout + done.stderr).replace(f"{file.parent}/", "").replace("deed-check: ", "")

    def left_out(self, text: str) -> dict[str, int]:
        """How many functions were left out, for each reason."""
        err = self.said(text, "--stats")
        line = re.search(r"left out: (.*)", err)
        self.assertIsNotNone(line, err)
        found = re.findall(r"(\d+) (?:of \d+ )?([a-z ]+)", line[1])
        self.assertEqual([kind.strip() for _, kind in found], KINDS)
        return {kind.strip(): int(n) for n, kind in found if int(n)}

    def program(self, body: str) -> str:
        return f"void program(deed::session& session) {{\n{body}\n}}\n"

    def test_nothing_of_a_small_program(self):
        self.assertEqual(self.left_out(self.program("session.wait();")), {})

    def test_a_function_of_which_clang_makes_no_graph(self):
        self.assertEqual(self.left_out(self.program("while (({ break; true; })) session.wait();")), {KINDS[0]: 1})

    def test_a_function_with_too_many_facts(self):
        made = "".join(f"auto h{n} = session.register_data(deed::owner{{0}}, 1.0);\n"
                       f"if (unknown()) session.insert_task(bump, deed::read_write(h{n}));\n" for n in range(1800))
        self.assertEqual(self.left_out(self.program(made + "session.wait();"))[KINDS[1]], 1)

    def test_calls_that_are_too_deep(self):
        deep = ("template <int N> void act(deed::session& session) {\n"
                "  if constexpr (N > 0) act<N - 1>(session); else session.wait();\n}\n")
        self.assertEqual(self.left_out(deep + self.program("act<3>(session);")), {})
        self.assertEqual(self.left_out(deep + self.program("act<20>(session);"))[KINDS[2]], 14)

    def test_calls_in_a_function_that_has_become_too_large(self):
        wide = "void act(deed::session& session) {\n" + "  if (unknown()) return;\n" * 500 + "  session.wait();\n}\n"
        self.assertEqual(self.left_out(wide + self.program("act(session);\n" * 12))[KINDS[2]], 1)

    def test_a_condition_that_no_rank_knows(self):
        self.assertEqual(self.left_out(self.program("if (unknown()) session.wait();")), {KINDS[3]: 1})

    def test_says_where_and_why(self):
        text = (self.program("if (unknown())\n  session.wait();") + "void other(deed::session& session) {\n  session.wait();\n}\n"
                "void third(deed::session& session) {\n  for (int i = 0; i < 5000; ++i)\n    session.wait();\n}\n")
        places = {5: "x.cpp:5:5: not known on every rank, followed to here\n",
                  13: "x.cpp:13:5: more calls than are followed, up to here\n"}
        stats = self.said(text, "--stats")
        for line, says in places.items():
            self.assertIn("\n" + says, stats)
        for line, says in ((4, places[5]), (6, places[5]), (9, "nothing is left out at x.cpp:9\n"), (12, places[13]),
                           (3, "no function that is looked at is at x.cpp:3\n")):
            self.assertEqual(self.said(text, f"--why-not=x.cpp:{line}"), says)

        body = "for (int i = 0; i < 100000; ++i) unknown();\nsession.wait();"
        self.assertEqual(self.said(self.program(body), "--why-not=x.cpp:6"),
                         "x.cpp:5:17: more steps than are followed, up to here\n")

    def test_says_behind_what_a_function_stands(self):
        text = ("void early(deed::session& session) {\n  if (unknown())\n    session.wait();\n}\n"
                "void late(deed::session& session) {\n  session.wait();\n}\n"
                "void other(deed::session& session) {\n  late(session);\n}\n"
                "void before(deed::session& session) {\n  session.wait();\n}\n" +
                self.program("before(session);\nearly(session);\nlate(session);"))
        stops = "x.cpp:5:7: not known on every rank, followed to here"
        for line, says in ((5, stops + "\n"), (9, stops + "; this stands behind it\n"), (12, "nothing is left out at x.cpp:12\n"),
                           (15, "nothing is left out at x.cpp:15\n"), (18, stops + "\n")):
            self.assertEqual(self.said(text, f"--why-not=x.cpp:{line}"), says)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
