// SPDX-License-Identifier: MIT
// Each planted bug must be found within 5,000 random programs. Prints a table, for
// docs/planted_bugs.md. For a build with DEED_PLANTED_BUGS=ON.
#include <deed/base/planted.hpp>

#include "generate.hpp"
#include "worlds.hpp"
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace {

constexpr std::uint64_t most_programs = 5000;

/// Runs programs until one fails; how many that took, or 0. A crash or a hang counts as a failure.
std::uint64_t programs_until_found(deed::planted_bug bug, volatile std::uint64_t& current) {
  current = 0;
  const pid_t child = fork();
  if (child == 0) {
    static_cast<void>(std::freopen("/dev/null", "w", stderr));
#ifdef DEED_PLANTED_BUGS
    deed::planted_now = bug;
#else
    static_cast<void>(bug);
#endif
    for (current = 1; current <= most_programs; ++current) {
      alarm(10);
      const oracle::plan program = oracle::generate(current, {.most_tasks = 500});
      if (!oracle::run(oracle::world::simulated, program).wrong.empty()) std::_Exit(1);
    }
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : current;
}

}  // namespace

int main() {
  void* const shared = mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& current = *static_cast<volatile std::uint64_t*>(shared);
  std::cout << "# Planted bugs\n\nWritten by `oracle_planted`, in a build with "
               "`DEED_PLANTED_BUGS=ON`: how many random "
               "programs it takes until one\nfails. At most "
            << most_programs << " are tried; without a bug none may fail.\n\n"
            << "| bug | programs |\n|---|---|\n";
  int missed = 0;
  for (std::size_t i = 0; i < deed::planted_bug_names.size(); ++i) {
    const std::uint64_t found = programs_until_found(static_cast<deed::planted_bug>(i), current);
    std::cout << "| " << deed::planted_bug_names[i] << " | ";
    if (found != 0)
      std::cout << found;
    else
      std::cout << "none of " << most_programs;
    std::cout << " |\n" << std::flush;
    missed += (found == 0) != (i == 0);
  }
  return missed == 0 ? 0 : 1;
}
