// SPDX-License-Identifier: MIT
// Each planted bug must be found within 5,000 random programs. Prints docs/planted_bugs.md; with
// --shrink=BUG the reproducer of the first program that finds it. For a build with
// DEED_PLANTED_BUGS=ON.
#include <deed/base/planted.hpp>

#include "generate.hpp"
#include "shrink.hpp"
#include "worlds.hpp"
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

constexpr std::uint64_t most_programs = 5000;
constexpr oracle::range from{.most_tasks = 500};

void plant([[maybe_unused]] deed::planted_bug bug) {
#ifdef DEED_PLANTED_BUGS
  deed::planted_now = bug;
#endif
}

/// Runs programs until one fails; how many that took, or 0. A crash or a hang counts as a failure.
std::uint64_t programs_until_found(deed::planted_bug bug) {
  void* const shared = mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& current = *static_cast<volatile std::uint64_t*>(shared);
  const pid_t child = fork();
  if (child == 0) {
    [[maybe_unused]] const std::FILE* const quiet = std::freopen("/dev/null", "w", stderr);
    plant(bug);
    for (std::uint64_t seed = 1; seed <= most_programs; ++seed) {
      current = seed;
      alarm(20);
      const oracle::plan program = oracle::generate(seed, from);
      if (!oracle::run(oracle::world::simulated, program).wrong.empty()) std::_Exit(1);
    }
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const std::uint64_t found = status == 0 ? 0 : current;
  munmap(shared, sizeof(std::uint64_t));
  return found;
}

int print_table() {
  std::cout << "# Planted bugs\n\nHow many random programs it takes until one fails, for each bug "
               "that is built in on purpose. At most\n"
            << most_programs
            << " are tried; without a bug none may fail. Written by\n\n"
               "<!-- not tried: the leg of bugs on purpose does it -->\n```sh\n"
               "cmake -S . -B build-planted -DDEED_PLANTED_BUGS=ON && cmake --build build-planted "
               "--target oracle_planted\n"
               "build-planted/tests/oracle/oracle_planted > docs/planted_bugs.md\n```\n\n"
               "| bug | programs |\n|---|---|\n";
  int missed = 0;
  for (std::size_t i = 0; i < deed::planted_bug_names.size(); ++i) {
    const std::uint64_t found = programs_until_found(static_cast<deed::planted_bug>(i));
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

int print_reproducer(const std::string& name) {
  const auto* const known = std::ranges::find(deed::planted_bug_names, name);
  if (known == deed::planted_bug_names.end()) {
    std::cerr << name << ": no such bug\n";
    return 64;
  }
  const auto bug = static_cast<deed::planted_bug>(known - deed::planted_bug_names.begin());
  const std::uint64_t found = programs_until_found(bug);
  if (found == 0) {
    std::cerr << name << " is not found\n";
    return 1;
  }
  plant(bug);
  const oracle::plan small =
      oracle::shrink(oracle::generate(found, from), [](const oracle::plan& candidate) {
        return fails_apart(oracle::world::simulated, candidate, std::chrono::seconds(5));
      });
  std::cout << oracle::reproducer(small);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  return word.starts_with("--shrink=") ? print_reproducer(word.substr(9)) : print_table();
}
