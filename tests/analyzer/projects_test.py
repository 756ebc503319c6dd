# SPDX-License-Identifier: MIT
"""Ten small projects, each built in another way: deed-check reads their compilation databases without a flag.

Usage: python3 projects_test.py DEED-CHECK INCLUDE...
"""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL, *INCLUDES = sys.argv[1:]
INCLUDES = [str(pathlib.Path(i).resolve()) for i in INCLUDES]
CMAKE_FUNCTION = pathlib.Path(__file__).resolve().parents[2] / "cmake/DeedCheck.cmake"
BODY = """constexpr deed::codelet show{"show", [](const double& x) { std::cout << x; }};
inline void program(deed::session& session) {
  auto a = session.register_data(deed::owner{0}, 1.0);
  auto c = std::move(a);
  session.insert_task(show, deed::read(a));
}
"""
BAD = '#include "deed_model.hpp"\n' + BODY
FOUND = "deed[D101] use of moved handle `a`"


class Projects(unittest.TestCase):
    def setUp(self):
        self.where = tempfile.TemporaryDirectory(prefix="deed project ")  # A path with a space.
        self.folder = pathlib.Path(self.where.name).resolve()
        self.write("src/main.cpp", BAD)

    def tearDown(self):
        self.where.cleanup()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def database(self, *entries):
        self.write("build/compile_commands.json", json.dumps(entries))

    def entry(self, compiler, *flags, file="src/main.cpp", includes=True):
        given = [f"-I{i}" for i in INCLUDES] if includes else []
        return {"directory": str(self.folder / "build"), "file": str(self.folder / file),
                "arguments": [*compiler, "-std=gnu++20", *flags, *given, "-o", "main.o", "-c", str(self.folder / file)]}

    def check(self, *arguments):
        return subprocess.run([TOOL, "-p", str(self.folder / "build"), *arguments], cwd=self.folder,
                              capture_output=True, text=True, check=False)

    def finds_it(self, *arguments):
        done = self.check(*arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(FOUND, done.stdout)

    def test_an_mpi_wrapper_behind_ccache(self):
        self.database(self.entry(["/usr/bin/ccache", "mpicxx"], "-O2", "-fno-semantic-interposition"))
        self.finds_it()

    def test_flags_that_only_gcc_knows(self):
        self.database(self.entry(["/usr/bin/g++-12"], "-fanalyzer", "-flto=auto", "-ffat-lto-objects", "-Wno-psabi",
                                 "-fconcepts-diagnostics-depth=4", "-fcf-protection=none", "-Werror", "-Wlogical-op"))
        self.finds_it()

    def test_nvcc_with_flags_for_its_host_compiler(self):
        self.write("src/main.cu", BAD)
        self.database(self.entry(["/usr/local/cuda/bin/nvcc"], "-forward-unknown-to-host-compiler", "-ccbin=g++-12",
                                 "--generate-code=arch=compute_80,code=[compute_80,sm_80]", "-Xcompiler=-fPIC",
                                 "-Xcompiler", "-Wall", "--expt-relaxed-constexpr", "-x", "cu", file="src/main.cu"))
        self.finds_it()

    def test_nvcc_as_cmake_calls_it(self):
        self.write("src/main.cu", BAD)
        self.write("build/includes_CUDA.rsp", " ".join(f'-isystem="{i}"' if n else f"-isystem={i}" for n, i in enumerate(INCLUDES)))
        self.database(self.entry(["/usr/local/cuda/bin/nvcc"], "-forward-unknown-to-host-compiler", "--options-file",
                                 "includes_CUDA.rsp", "-x", "cu", file="src/main.cu", includes=False))
        self.finds_it()

    def test_variables_before_the_compiler(self):
        for before in (["env", "A=B"], ["cmake", "-E", "env", "--unset=C", "A=B", "ccache"], ["/usr/bin/env", "-i", "ccache"]):
            self.database(self.entry([*before, "c++"]))
            self.finds_it()

    def test_hipcc(self):
        self.database(self.entry(["/opt/rocm/bin/hipcc"], "--offload-arch=gfx90a", "-fPIC"))
        self.finds_it()

    def test_a_response_file(self):
        self.write("build/flags.rsp", " ".join(shlex.quote(f"-I{i}") for i in INCLUDES) + " -DANSWER=42")
        self.database(self.entry(["c++"], "@flags.rsp", includes=False))
        self.finds_it()

    def test_relative_directories_and_one_line_commands(self):
        shutil.copytree(INCLUDES[0], self.folder / "deed base")
        shutil.copytree(INCLUDES[1], self.folder / "deed model")
        command = 'c++ -std=c++20 -I"../deed base" -I"../deed model" -o main.o -c ../src/main.cpp'
        entry = {"directory": str(self.folder / "build"), "file": "../src/main.cpp", "command": command}
        for directory in (entry["directory"], ".", "../build"):
            self.database(entry | {"directory": directory})
            for cwd, build in ((self.folder, "build"), (self.folder / "build", "."), (self.folder / "src", "../build")):
                for file in ([], [str(self.folder / "src/main.cpp")]):
                    done = subprocess.run([TOOL, "-p", build, f"--root={self.folder}", *file], cwd=cwd, capture_output=True,
                                          text=True, check=False)
                    self.assertEqual((done.returncode, done.stderr), (1, ""))
                    self.assertIn(f"--> {self.folder}/src/main.cpp:6:29\n", done.stdout)
                    self.assertIn("6 |   session.insert_task(show, deed::read(a));\n", done.stdout)

    EXECUTABLE = """#include "../shared.hpp"
static void finish(deed::session& session, deed::handle<double>& h) { FINISH }
void program(deed::session& session) {
  auto NAME = session.register_data(deed::owner{0}, 1.0);
  auto other = std::move(NAME);
  session.insert_task(show, deed::read(NAME));
  finish(session, other);
  session.insert_task(show, deed::read(other));
}
int main() {}
"""

    def test_each_executable_has_a_program_of_its_own(self):
        self.write("src/shared.hpp", "#pragma once\n" + BAD.replace("program", "in_header"))
        ends = {"one": "session.wait();", "two": "std::move(h).unregister();", "three": "h.owner();"}
        for name, end in ends.items():
            self.write(f"src/{name}/main.cpp", self.EXECUTABLE.replace("NAME", name).replace("FINISH", end))
        entries = [self.entry(["g++"], file=f"src/{name}/main.cpp") for name in ends]
        for order in (entries, entries[::-1]):
            self.database(*order)
            for more in (["--cache=cache"], ["-j", "2"]):
                done = self.check("--format=short", *more)
                said = sorted(re.findall(r"(src\S+:\d+):\d+: error: (deed.D\d+)", done.stdout))
                self.assertEqual(said, [("src/one/main.cpp:6", "deed[D101"), ("src/shared.hpp:7", "deed[D101"),
                                        ("src/three/main.cpp:6", "deed[D101"), ("src/two/main.cpp:6", "deed[D101"),
                                        ("src/two/main.cpp:8", "deed[D102")], done.stdout + done.stderr)

    def test_a_header_behind_a_link_is_one(self):
        self.write("src/part/part.hpp", "#pragma once\n" + BAD)
        (self.folder / "src/link").symlink_to("part")
        for name in ("part", "link"):
            self.write(f"src/{name}.cpp", f'#include "{name}/part.hpp"\n')
        self.database(self.entry(["g++"], file="src/part.cpp"), self.entry(["g++"], file="src/link.cpp"))
        self.assertEqual(self.check("--format=short").stdout.count("D101"), 1)

    def test_a_cache_sees_changes_in_files_with_relative_names(self):
        self.write("src/part.hpp", BAD)
        self.write("src/main.cpp", '#include "part.hpp"\n')
        self.database({"directory": "../src", "file": "main.cpp",
                       "arguments": ["c++", "-std=c++20", *(f"-I{i}" for i in INCLUDES), "-c", "main.cpp"]})
        for _ in range(2):
            self.finds_it("--cache=cache")
        self.write("src/part.hpp", BAD.replace("read(a)", "read(c)"))
        self.assertEqual(self.check("--cache=cache").returncode, 0)

    def test_a_file_without_an_entry_is_told_so(self):
        self.database(self.entry(["g++"]))
        self.write("src/new.cpp", BAD)
        self.write("src/new.hpp", BAD)
        database = f"{self.folder}/build/compile_commands.json"
        for name, says in (("src/new.cpp", f"{database} has no entry for it; add it to a target and configure anew, "
                                           "or give its flags behind `--`"),
                           ("src/new.hpp", f"{database} has no entry for it; check a source that includes it"),
                           ("src/none.cpp", "no such file")):
            done = self.check(name)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertEqual(done.stderr, f"deed-check: could not analyse {name}: {says}\n")
        (self.folder / "src/link.cpp").symlink_to("main.cpp")
        self.finds_it("src/link.cpp")

    def test_a_database_that_is_none(self):
        self.write("build/compile_commands.json", "{")
        done = self.check()
        self.assertEqual((done.returncode, done.stdout), (64, ""))
        self.assertNotIn("configure with", done.stderr)

    def test_headers_only_with_one_source(self):
        self.write("include/program.hpp", "#pragma once\n" + BAD)
        self.write("src/main.cpp", '#include "program.hpp"\nint main() {}\n')
        self.database(self.entry(["g++"], f"-I{self.folder / 'include'}"))
        self.finds_it()

    def test_a_precompiled_header_of_gcc(self):
        self.write("build/pch.hpp", '#include "deed_model.hpp"\n')
        self.write("build/pch.hpp.gch", "not for Clang")
        self.write("src/main.cpp", BODY)
        self.database(self.entry(["g++"], "-Winvalid-pch", "-include", str(self.folder / "build/pch.hpp")))
        self.finds_it()

    def test_several_sources_one_of_them_generated_and_gone(self):
        self.write("src/other.cpp", "int other() { return 1; }\n")
        self.database(self.entry(["g++"]), self.entry(["g++"], file="src/other.cpp"),
                      self.entry(["g++"], file="build/made.cpp"))
        done = self.check()
        self.assertIn(FOUND, done.stdout)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("made.cpp", done.stderr)
        self.finds_it(str(self.folder / "src/main.cpp"), str(self.folder / "src/other.cpp"))

    def test_cmake_with_mpi_and_ninja(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES CXX)\n"
                   "set(CMAKE_EXPORT_COMPILE_COMMANDS ON)\nset(CMAKE_CXX_STANDARD 20)\n"
                   "add_library(mine OBJECT src/main.cpp)\n"
                   f"target_include_directories(mine SYSTEM PRIVATE {' '.join(INCLUDES)})\n")
        made = subprocess.run(["cmake", "-S", self.folder, "-B", self.folder / "build", "-G", "Ninja"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.finds_it()

    def project_with_checks(self, text):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES CXX)\n"
                   f"set(CMAKE_CXX_STANDARD 20)\nset(DEED_TOOLS_FOLDER [[{pathlib.Path(TOOL).resolve().parent}]])\n"
                   f"include([[{CMAKE_FUNCTION}]])\n{text}")

    def target_check(self):
        for arguments in (["-S", self.folder, "-B", self.folder / "build"], ["--build", self.folder / "build", "--target", "mine_deed_check"]):
            made = subprocess.run(["cmake", *arguments], capture_output=True, text=True, check=False)
        return made

    def test_a_target_with_a_source_that_is_made(self):
        self.write("src/part.cpp", BAD)
        self.write("src/main.cpp", "int main() {}\n")
        self.project_with_checks("add_library(mine OBJECT src/main.cpp made/part.cpp)\n"
                                 "add_custom_command(OUTPUT made/part.cpp COMMAND ${CMAKE_COMMAND} -E copy "
                                 "${PROJECT_SOURCE_DIR}/src/part.cpp made/part.cpp)\ndeed_check(mine)\n"
                                 f"target_include_directories(mine SYSTEM PRIVATE {' '.join(INCLUDES)})\n")
        made = self.target_check()
        self.assertNotEqual(made.returncode, 0)
        self.assertIn(FOUND, made.stdout, made.stderr)
        self.assertIn("build/made/part.cpp:6:29", made.stdout)

    def test_a_target_with_sources_that_a_generator_expression_names(self):
        self.write("sub/part.cpp", BAD)
        self.write("sub/main.cpp", "int main() {}\n")
        self.write("sub/CMakeLists.txt", "add_library(mine OBJECT main.cpp $<$<CONFIG:None>:none.cpp> $<1:part.cpp;part.hpp>)\n"
                   f"target_include_directories(mine SYSTEM PRIVATE {' '.join(INCLUDES)})\ndeed_check(mine)\n")
        self.write("sub/part.hpp", "")
        self.project_with_checks("add_subdirectory(sub)\n")
        made = self.target_check()
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("sub/part.cpp:6:29", made.stdout, made.stderr)

    def test_a_target_comes_with_the_libraries_of_the_project_that_it_links(self):
        self.write("lib/part.cpp", BAD)
        self.write("lib/CMakeLists.txt", "add_library(part STATIC part.cpp)\nadd_library(my::part ALIAS part)\n"
                   f"target_include_directories(part SYSTEM PUBLIC {' '.join(INCLUDES)})\n")
        self.write("src/main.cpp", "int main() {}\n")
        self.project_with_checks("add_subdirectory(lib)\nadd_library(between STATIC src/main.cpp)\ntarget_link_libraries(between PRIVATE my::part)\n"
                                 "add_library(mine OBJECT src/main.cpp)\ntarget_link_libraries(mine PRIVATE between)\ndeed_check(mine)\n")
        made = self.target_check()
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("lib/part.cpp:6:29", made.stdout, made.stderr)

    def test_a_target_without_sources_is_not_the_whole_project(self):
        self.project_with_checks("add_library(wrong OBJECT src/main.cpp)\nadd_library(mine INTERFACE)\n"
                                 f"deed_check(mine)\ntarget_include_directories(wrong SYSTEM PRIVATE {' '.join(INCLUDES)})\n")
        made = self.target_check()
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.assertIn("mine has no source", made.stdout)

    def test_a_target_whose_sources_are_compiled_together(self):
        self.write("src/other.cpp", "int other() { return 1; }\n")
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES CXX)\n"
                   "set(CMAKE_EXPORT_COMPILE_COMMANDS ON)\nset(CMAKE_CXX_STANDARD 20)\nset(CMAKE_UNITY_BUILD ON)\n"
                   "add_library(mine OBJECT src/main.cpp src/other.cpp)\n"
                   f"target_include_directories(mine SYSTEM PRIVATE {' '.join(INCLUDES)})\n")
        made = subprocess.run(["cmake", "-S", self.folder, "-B", self.folder / "build", "-G", "Ninja"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.finds_it(str(self.folder / "src/main.cpp"), str(self.folder / "src/other.cpp"))

    def test_a_file_that_does_not_parse_gives_one_line(self):
        self.write("src/main.cpp", '#include "not_there.hpp"\n' + BAD)
        self.database(self.entry(["g++"]))
        done = self.check()
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("'not_there.hpp' file not found", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
