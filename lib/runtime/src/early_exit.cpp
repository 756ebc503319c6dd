// SPDX-License-Identifier: MIT
#include "early_exit.hpp"

#include <deed/base/error.hpp>

#include "crash_note.hpp"
#include "node.hpp"
#include "report.hpp"
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

namespace deed::runtime {
namespace {

error left_by(const task_node& task, int rank, int status) {
  const std::string name = quoted(task.codelet->name);
  return error(error_code::task_leaves_process, "task " + name + " leaves the process",
               {{"called", "`exit(" + std::to_string(status) + ")`"},
                {"inserted", to_string(task.where) + ", insertion #" + std::to_string(task.number)},
                {"ran on", rank_label(rank)},
                {"codelet", to_string(task.codelet->where)}},
               "throw: it ends all ranks in order, and says why");
}

error left_by_program(const std::optional<crash_note::work>& here) {
  std::vector<error::fact> facts{{"left", "with status 0, by `exit` or the end of `main`"}};
  if (here && here->last_call.line() != 0)
    facts.push_back({"last call", to_string(here->last_call)});
  return error(error_code::rank_leaves_early,
               (here ? rank_label(here->rank) : std::string("the program")) +
                   " leaves the process, and its session is open",
               std::move(facts), "return from the program of the ranks, or close the session");
}

[[noreturn]] void end_with(const error& told) {
  std::cout.flush();
  std::fprintf(stderr, "%s\n", told.what());
  std::fflush(nullptr);
  _exit(static_cast<int>(exit_code::codelet_threw));
}

[[maybe_unused]] void judge(int status, void* process) {
  if (reinterpret_cast<std::intptr_t>(process) != getpid() || !crash_note::any()) return;
  const std::optional<crash_note::work> here = crash_note::work_of_this_thread();
  if (here && here->task != nullptr) end_with(left_by(*here->task, here->rank, status));
  if (status == 0) end_with(left_by_program(here));
}

}  // namespace

void watch_exits() noexcept {
#ifdef __GLIBC__  // Others do not tell the status.
  static const int hooked =
      on_exit(&judge, reinterpret_cast<void*>(static_cast<std::intptr_t>(getpid())));
  static_cast<void>(hooked);
#endif
}

}  // namespace deed::runtime
