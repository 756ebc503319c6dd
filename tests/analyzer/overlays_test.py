# SPDX-License-Identifier: MIT
"""Programs for MPI, StarPU and TaskTorrent that know nothing of deed: what deed-check says of them.

Usage: python3 overlays_test.py DEED-CHECK INCLUDE...
Each wrong program has a right twin, of which deed-check must say nothing. Where a library is not there, its
tests are skipped; of TaskTorrent, which Debian has not, the look is in INCLUDE.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL, *INCLUDES = sys.argv[1:]


def words_of(*command):
    """What a wrapper or pkg-config prints; None where it is not there."""
    if not shutil.which(command[0]):
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else None


MPI = words_of("mpicxx", "--showme:compile") or words_of("mpicxx", "-compile-info")
MPI = [flag for flag in MPI if flag.startswith(("-I", "-D"))] if MPI else None
STARPU = words_of("pkg-config", "--cflags", "starpumpi-1.3", "starpu-1.3")

MPI_PROGRAM = """#include <mpi.h>
{outside}
int main(int argc, char** argv) {{
  int rank, size;
  double x = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
{body}
  MPI_Finalize();
  return x > 2;
}}
"""
STARPU_PROGRAM = """#include <starpu_mpi.h>
int main(int argc, char** argv) {{
  int rank, size;
  starpu_data_handle_t h;
  if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, 0)) return 77;
  starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
  starpu_mpi_comm_size(MPI_COMM_WORLD, &size);
  starpu_variable_data_register(&h, -1, 0, sizeof(int));
{body}
  starpu_data_unregister(h);
  starpu_mpi_shutdown();
  return 0;
}}
"""
TASKTORRENT_PROGRAM = """#include "tasktorrent/tasktorrent.hpp"
int main() {{
  const int rank = ttor::comms_world_rank();
  auto all = ttor::make_communicator_world();
  ttor::Threadpool threads(2, all.get());
{body}
}}
"""
SEND = "MPI_Send(&x, 1, MPI_DOUBLE, {}, {}, MPI_COMM_WORLD);"
RECEIVE = "MPI_Recv(&x, 1, MPI_DOUBLE, {}, {}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"


def on(rank, text):
    return f"  if (rank == {rank}) {text}\n"


class Overlays(unittest.TestCase):
    def setUp(self):
        self.where = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.where.cleanup()

    def said(self, text, flags, name):
        """The codes and their lines."""
        file = pathlib.Path(self.where.name) / name
        file.write_text(text, encoding="utf-8")
        standard = ["-std=c++20"] if name.endswith("pp") else []
        done = subprocess.run([TOOL, "--format=short", "--strict", str(file), "--", *standard, *flags],
                              capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return [(code, text.splitlines()[int(line) - 1].strip()) for line, code in
                re.findall(r":(\d+):\d+: \w+: deed\[(\w+)\]", done.stdout)]

    def twins(self, program, flags, names, code, wrong, right, at, outside=""):
        for name in names:
            with self.subTest(name):
                found = self.said(program.format(body=wrong, outside=outside), flags, name)
                self.assertEqual([c for c, _ in found], [code])
                self.assertIn(at, found[0][1])
                self.assertEqual(self.said(program.format(body=right, outside=outside), flags, name), [])


@unittest.skipIf(MPI is None, "no MPI")
class OfMpi(Overlays):
    def mpi(self, code, wrong, right, at, outside=""):
        self.twins(MPI_PROGRAM, MPI, ["it.c", "it.cpp"], code, wrong, right, at, outside)

    def silent(self, body, outside=""):
        self.assertEqual(self.said(MPI_PROGRAM.format(body=body, outside=outside), MPI, "it.c"), [])

    def test_a_step_on_one_rank(self):
        self.mpi("D404", on(0, "MPI_Barrier(MPI_COMM_WORLD);"), "  MPI_Barrier(MPI_COMM_WORLD);", "MPI_Barrier")

    def test_steps_that_differ(self):
        broadcast = "MPI_Bcast(&x, 1, MPI_DOUBLE, {}, MPI_COMM_WORLD);"
        self.mpi("D608", "  " + broadcast.format("rank"), "  " + broadcast.format(0), "MPI_Bcast")

    def test_a_message_without_a_receive(self):
        send = on(0, SEND.format(1, 3))
        self.mpi("D505", send, send + on(1, RECEIVE.format(0, 3)), "MPI_Send")

    def test_a_receive_without_a_message(self):
        receive = on(1, RECEIVE.format(0, 3))
        self.mpi("D506", receive, on(0, SEND.format(1, 3)) + receive, "MPI_Recv")

    def test_tags_that_differ(self):
        send = on(0, SEND.format(1, 3))
        self.mpi("D507", send + on(1, RECEIVE.format(0, 4)), send + on(1, RECEIVE.format(0, 3)), "MPI_Recv")

    def test_a_ring_that_receives_first(self):
        send, receive = SEND.format("(rank + 1) % size", 3), RECEIVE.format("(rank + size - 1) % size", 3)
        right = f"  if (rank % 2) {{ {send} {receive} }} else {{ {receive} {send} }}"
        self.mpi("D511", f"  {receive}\n  {send}", on(0, f"{{ {send} {receive} }} else {{ {receive} {send} }}"), "MPI_Recv")
        self.assertNotIn("D511", [c for c, _ in self.said(MPI_PROGRAM.format(body=right, outside=""), MPI, "it.c")])

    def test_two_that_send_first(self):
        other = "{ int other = 1 - rank; if (rank < 2) { {} } }"
        sends = other.replace("{}", SEND.format("other", 3) + " " + RECEIVE.format("other", 3))
        turns = other.replace("{}", f"if (rank) {{ {SEND.format('other', 3)} {RECEIVE.format('other', 3)} }} else "
                              f"{{ {RECEIVE.format('other', 3)} {SEND.format('other', 3)} }}")
        self.mpi("D512", f"  if (size > 1) {sends}", f"  if (size > 1) {turns}", "MPI_Send")

    def test_a_peer_that_does_not_exist(self):
        receive = "  if (rank > 0) " + RECEIVE.format("rank - 1", 3)
        self.mpi("D514", "  " + SEND.format("rank + 1", 3) + "\n" + receive,
                 "  if (rank + 1 < size) " + SEND.format("rank + 1", 3) + "\n" + receive, "MPI_Send")

    def test_what_a_broadcast_brings_is_equal_on_all_ranks(self):
        early = "  x = MPI_Wtime();\n  {}\n  if (x > 9) return 1;\n  MPI_Barrier(MPI_COMM_WORLD);"
        self.mpi("D405", early.format(""), early.format("MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);"), "return 1")

    def test_a_function_that_takes_a_communicator_may_agree(self):
        self.silent("  x = MPI_Wtime();\n  if (agree(x, MPI_COMM_WORLD)) return 1;\n  MPI_Barrier(MPI_COMM_WORLD);",
                    "int agree(double, MPI_Comm);")

    def test_a_rank_that_ends_as_failed_ends_the_job(self):
        early = "  if (!fopen(\"in\", \"r\")) exit({});\n  x = 3;\n  if (x > 9) return 1;\n  MPI_Barrier(MPI_COMM_WORLD);"
        self.mpi("D405", early.format(0), early.format(1), "exit(0)", "#include <stdio.h>\n#include <stdlib.h>")

    def test_a_step_that_each_rank_takes_by_its_own_clock(self):
        step = "  while (MPI_Wtime() < 3) {{ MPI_Barrier(MPI_COMM_{}); }}\n  x = 0;"
        self.mpi("D404", step.format("WORLD"), step.format("SELF"), "MPI_Barrier")

    def test_rank_and_size_that_are_members(self):
        find = ("struct place { int rank, size; };\nstatic void find(struct place* it) {\n"
                "  MPI_Comm_rank(MPI_COMM_WORLD, &it->rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &it->size);\n}")
        step = "  struct place here;\n  find(&here);\n  if (here.{}) MPI_Barrier(MPI_COMM_WORLD);"
        self.mpi("D404", step.format("rank == here.size - 1"), step.format("size > 1"), "MPI_Barrier", find)

    def test_a_class_that_asks_for_rank_and_size(self):
        halo = """class halo {{
 public:
  halo() {{ MPI_Comm_rank(MPI_COMM_WORLD, &rank_); MPI_Comm_size(MPI_COMM_WORLD, &size_); }}
  void run(double* x) {{
    if (rank_ > 0) MPI_Send(x, 1, MPI_DOUBLE, rank_ - 1, 1, MPI_COMM_WORLD);
    if (rank_ + 1 < size_) MPI_Recv(x, 1, MPI_DOUBLE, rank_ + 1, {}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }}
 private:
  int rank_ = 0, size_ = 1;
}};"""
        for tag, codes in ((2, ["D507"]), (1, [])):
            text = MPI_PROGRAM.format(body="  halo all;\n  all.run(&x);", outside=halo.format(tag))
            self.assertEqual([code for code, _ in self.said(text, MPI, "it.cpp")], codes)

    def test_what_is_not_known_is_not_judged(self):
        lonely = on(0, SEND.format(1, 3))
        self.silent(on(1, RECEIVE.format("MPI_ANY_SOURCE", 3)))
        self.silent(lonely + on(1, RECEIVE.format(0, "MPI_ANY_TAG")))
        self.silent(lonely + "  elsewhere();", "void elsewhere(void);")
        self.silent(on(0, "MPI_Barrier(MPI_COMM_WORLD); else elsewhere();"), "void elsewhere(void);")
        self.silent("  MPI_Comm some; MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &some);\n"
                    "  MPI_Comm_rank(some, &rank);" + on(0, "MPI_Barrier(some);"))

    def test_says_where_not_all_is_known_of_a_rank(self):
        file = pathlib.Path(self.where.name).resolve() / "it.c"
        for body, says in (("  other();", "9:3: may send or receive, its body is not known"),
                           ("  MPI_Comm some;\n  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &some);\n  MPI_Barrier(some);",
                            "11:3: with a communicator of some of the ranks")):
            file.write_text(MPI_PROGRAM.format(body=body, outside="void other(void);"), encoding="utf-8")
            done = subprocess.run([TOOL, f"--why-not={file}:9", file, "--", *MPI], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{file}:{says}\n", ""))

    def test_who_is_missing_is_told_where_the_program_asks(self):
        file = pathlib.Path(self.where.name) / "it.cpp"
        file.write_text("\n#include <mpi.h>\n", encoding="utf-8")
        done = subprocess.run([TOOL, str(file), "--", "-std=c++20"], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            self.skipTest("mpi.h is found without a flag")
        self.assertEqual(done.returncode, 3)
        self.assertIn("it.cpp:2: ", done.stderr)
        self.assertIn("'mpi.h' file not found", done.stderr)


@unittest.skipIf(MPI is None or STARPU is None, "no StarPU with MPI")
class OfStarpu(Overlays):
    def starpu(self, code, wrong, right, at):
        self.twins(STARPU_PROGRAM, [*MPI, *(STARPU or [])], ["it.c", "it.cpp"], code, wrong, right, at)

    def test_tags_that_differ(self):
        send = on(0, "starpu_mpi_isend_detached(h, 1, 3, MPI_COMM_WORLD, 0, 0);")
        receive = "starpu_mpi_recv(h, 0, {}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        self.starpu("D507", send + on(1, receive.format(4)), send + on(1, receive.format(3)), "starpu_mpi_recv")

    def test_a_message_without_a_receive(self):
        send = "  if (rank + 1 < size) starpu_mpi_send(h, rank + 1, 3, MPI_COMM_WORLD);\n"
        receive = "  if (rank {}) starpu_mpi_recv(h, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        self.starpu("D505", send + receive.format("> 1"), send + receive.format("> 0"), "starpu_mpi_send")

    def test_a_barrier_on_one_rank(self):
        barrier = "starpu_mpi_barrier(MPI_COMM_WORLD);"
        self.starpu("D404", on(0, barrier), "  " + barrier, "starpu_mpi_barrier")


class OfTaskTorrent(Overlays):
    def test_an_active_message_on_one_rank(self):
        made = "all->make_active_msg([](int&) {});"
        self.twins(TASKTORRENT_PROGRAM, [f"-I{folder}" for folder in INCLUDES], ["it.cpp"], "D404", on(0, made),
                   f"  auto it = {made}\n" + on(0, "it->send(1, 2);"), "make_active_msg")

    def test_a_join_on_one_rank(self):
        self.twins(TASKTORRENT_PROGRAM, [f"-I{folder}" for folder in INCLUDES], ["it.cpp"], "D404", on(0, "threads.join();"),
                   "  threads.join();", "threads.join()")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
