// SPDX-License-Identifier: MIT
#include "early_exit.hpp"

#include <deed/base/error.hpp>

#include "core.hpp"
#include "crash_note.hpp"
#include "report.hpp"
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>

namespace deed::runtime {
namespace {

error left_by(const task_node& task, int rank, int status) {
  const std::string name = quoted(task.codelet->name);
  std::vector<error::fact> facts{
      {"called", "`exit(" + std::to_string(status) + ")`"},
      {"inserted", to_string(task.where) + ", insertion #" + std::to_string(task.number)},
      {"ran on", rank_label(rank)},
      {"codelet", to_string(task.codelet->where)}};
  std::ranges::move(core::uses_of(task), std::back_inserter(facts));
  return error(error_code::task_leaves_process, "task " + name + " leaves the process",
               std::move(facts), "throw: it ends all ranks in order, and says why");
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

/// "`exit(3)`, after the call at heat.cpp:12": of a program that ends its run with a status of its
/// own. The end of `main` is one, too, where it made the session.
std::string said_stop(const crash_note::work& here, int status) {
  std::string text = "`exit(" + std::to_string(status) + ")`";
  if (!here.in_run) text += " or the end of `main`";
  if (here.last_call.line() != 0) text += ", after the call at " + to_string(here.last_call);
  return text;
}

/// The process of the sessions, and not a child of it that has none of its own.
std::atomic<pid_t>& watched() {
  static std::atomic<pid_t> process{0};
  return process;
}
[[maybe_unused]] bool is_watched() { return watched() == getpid(); }

[[noreturn]] void end_with(const error& told) {
  crash_note::record_exit(told.code(), told.what());
  std::cout.flush();
  std::fprintf(stderr, "%s\n", told.what());
  std::fflush(nullptr);
  _exit(static_cast<int>(exit_code::codelet_threw));
}

/// Told at once. A session that the program made itself may be a global's, which is not destroyed
/// yet; one of `deed::run` stands on a stack that `exit` does not come back to.
[[maybe_unused]] void judge_at_once(int status, void*) {
  if (!is_watched()) return;
  const std::optional<crash_note::work> here = crash_note::work_of_this_thread();
  if (!here) return;
  if (here->task != nullptr) end_with(left_by(*here->task, here->rank, status));
  if (!here->in_run) return;
  if (status == 0) end_with(left_by_program(here));
  crash_note::record_stop(status, said_stop(*here, status).c_str());
}

/// After the destructors of globals.
[[maybe_unused]] void judge_in_the_end(int status, void*) {
  if (!is_watched() || !crash_note::any()) return;
  const std::optional<crash_note::work> here = crash_note::work_of_this_thread();
  if (status == 0) end_with(left_by_program(here));
  if (here && !here->in_run) crash_note::record_stop(status, said_stop(*here, status).c_str());
}

#ifdef __GLIBC__  // Others do not tell the status.
/// Hooks run in the opposite order: this one, put in before any global is made, last.
[[gnu::constructor(101)]] void watch_the_end() { on_exit(&judge_in_the_end, nullptr); }
#endif

}  // namespace

void watch_exits() noexcept {
  watched() = getpid();
#ifdef __GLIBC__
  static const int hooked = on_exit(&judge_at_once, nullptr);
  static_cast<void>(hooked);
#endif
}

}  // namespace deed::runtime
