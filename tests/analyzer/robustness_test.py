# SPDX-License-Identifier: MIT
"""deed-check on programs that nobody writes: it ends, with one of its exit codes, and says what it left out.

Usage: python3 robustness_test.py DEED-CHECK FUNCTIONS STATEMENTS INCLUDE...
FUNCTIONS random functions (20000 before a release), one function of STATEMENTS statements (10000), templates 200
deep, and files that do not parse.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

TOOL, FUNCTIONS, STATEMENTS, *INCLUDES = sys.argv[1:]
FLAGS = ["--", "-std=c++20", "-ftemplate-depth=1000"] + [f"-I{pathlib.Path(i).resolve()}" for i in INCLUDES]
HEAD = """#include "deed_model.hpp"
constexpr deed::codelet bump{"bump", [](double& x) { x += 1; }};
constexpr deed::codelet show{"show", [](const double& x) { std::cout << x; }};
constexpr deed::codelet add{"add", [](double& sum, const double& x) { sum += x; }};
bool unknown();
"""
HANDLES = ["a", "b", "c"]
RENAMED = re.compile(r"\bm(?=\d)")  # The same statements twice in one scope: names of their own.


class text:
    """Random programs from a seed. Every one compiles; most are wrong in some way."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.functions: list[str] = []
        self.fresh = 0

    def handle(self) -> str:
        return self.random.choice(HANDLES)

    def number(self) -> str:
        return self.random.choice(["0", "1", "rank", "size - 1", "rank + 1", "(rank + 1) % size", "i"])

    def statement(self, depth: int) -> str:
        h, k = self.handle(), self.handle()
        self.fresh += 1
        plain = [
            f"session.insert_task(bump, deed::read_write({h}));",
            f"session.insert_task(show, deed::read({h}));",
            f"session.insert_task(add, deed::read_write({h}), deed::read({k}));",
            f"{h} = session.register_data(deed::owner{{{self.number()}}}, 1.0);",
            f"{{ auto m{self.fresh} = std::move({h}); {k} = std::move(m{self.fresh}); }}",
            f"auto v{self.fresh} = session.borrow(deed::read({h}));",
            f"session.send(deed::read({h}), deed::to{{{self.number()}}}, deed::message_tag{{{self.number()}}});",
            f"session.receive(deed::write({h}), deed::from{{{self.number()}}}, deed::message_tag{{{self.number()}}});",
            f"auto r{self.fresh} = session.ireceive(deed::write({h}), deed::from{{0}}, deed::message_tag{{1}});",
            "session.wait();", f"std::swap({h}, {k});", f"std::move({h}).unregister();", "i = i * 3 + rank;",
        ]
        if self.functions:
            plain.append(f"{self.random.choice(self.functions)}(session, {h}, {k}, {self.handle()}, i + 1);")
        if depth > 3 or self.random.random() < 0.7:
            return self.random.choice(plain)
        inner = self.block(depth + 1)
        condition = self.random.choice(["unknown()", "rank == 0", f"session.owns({h})", "i > 3", "rank < size - 1",
                                        f"session.relevant(deed::read_write({h}))"])
        return self.random.choice([
            f"if ({condition}) {{ {inner} }}", f"if ({condition}) {{ {inner} }} else {{ {self.block(depth + 1)} }}",
            f"for (int j = 0; j < {self.number()}; ++j) {{ {inner} }}", f"while ({condition}) {{ {inner} }}",
            f"do {{ {inner} }} while ({condition});", f"if ({condition}) return;",
            f"switch (i) {{ case 0: {{ {inner} }} [[fallthrough]]; case 1: break; default: {{ {RENAMED.sub('n', inner)} }} }}",
            f"try {{ {inner} }} catch (...) {{ throw; }}", f"[&] {{ {inner} }}();"])

    def block(self, depth: int) -> str:
        return "\n".join(self.statement(depth) for _ in range(self.random.randint(1, 5)))

    def function(self, n: int) -> str:
        body = self.block(0)
        name = f"f{n}"
        made = (f"void {name}(deed::session& session, deed::handle<double>& a, deed::handle<double>& b,\n"
                f"    deed::handle<double>& c, int i) {{\n  const int rank = session.rank(), size = session.size();\n"
                f"  static_cast<void>(rank + size + i);\n{body}\n}}\n"
                f"void {name}_alone(deed::session& session) {{\n"
                "  auto a = session.register_data(deed::owner{0}, 1.0), b = session.register_data(deed::owner{1}, 2.0);\n"
                f"  auto c = session.register_data(deed::per_rank, 3.0);\n  {name}(session, a, b, c, 1);\n}}\n")
        self.functions.append(name)
        self.functions = self.functions[-6:]
        return made


class Robustness(unittest.TestCase):
    def run_over(self, source: str, limit: int = 600, allowed=(0, 1)) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.cpp"
            file.write_text(source, encoding="utf-8")
            done = subprocess.run([TOOL, "--strict", "--stats", "--format=short", str(file), *FLAGS],
                                  capture_output=True, text=True, timeout=limit, check=False)
        self.assertIn(done.returncode, allowed, done.stderr[-2000:])
        return done.stderr

    def test_random_functions(self):
        for first in range(0, int(FUNCTIONS), 100):
            made = text(first)
            self.run_over(HEAD + "".join(made.function(n) for n in range(min(100, int(FUNCTIONS) - first))))

    def test_a_function_of_many_statements(self):
        for depth in (4, 0):  # Without branches, and with them.
            self.look_at_statements(depth)

    def look_at_statements(self, depth: int) -> None:
        made = text(7)
        lines = "\n".join(made.statement(depth) for _ in range(int(STATEMENTS)))
        said = self.run_over(HEAD + "void large(deed::session& session) {\n  int i = 0;\n"
                             "  const int rank = session.rank(), size = session.size();\n"
                             "  auto a = session.register_data(deed::owner{0}, 1.0), b = session.register_data(deed::owner{1}, 2.0);\n"
                             "  auto c = session.register_data(deed::per_rank, 3.0);\n" + lines + "\n}\n")
        self.assertIn("functions", said)

    def test_templates_two_hundred_deep(self):
        self.run_over(HEAD + "template <int N>\nvoid deep(deed::session& session, deed::handle<double>& a) {\n"
                      "  session.insert_task(bump, deed::read_write(a));\n  if constexpr (N > 0) deep<N - 1>(session, a);\n}\n"
                      "template <class T> struct box { T inner; };\n"
                      "template <int N> struct nest { using type = box<typename nest<N - 1>::type>; };\n"
                      "template <> struct nest<0> { using type = double; };\n"
                      "void program(deed::session& session) {\n  auto a = session.register_data(deed::owner{0}, 1.0);\n"
                      "  deep<200>(session, a);\n  auto b = session.register_data(deed::owner{0}, nest<200>::type{});\n"
                      "  session.wait();\n}\n")

    def test_text_that_is_no_program(self):
        whole = HEAD + text(3).function(0)
        made = random.Random(5)
        for _ in range(12):
            at = made.randrange(len(HEAD), len(whole))
            broken = whole[:at] + made.choice(["}", "(", "\"", "#if", "template<", "\0", "\xff", ";;"]) + whole[at + made.randrange(9):]
            self.run_over(broken, allowed=(0, 1, 3))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
