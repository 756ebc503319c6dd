// SPDX-License-Identifier: MIT
#include <deed/runtime/run.hpp>
#include <deed/transport/inproc.hpp>
#include <deed/transport/sim.hpp>

#include "core.hpp"
#include "cores.hpp"
#include "crash_note.hpp"
#include "dry_run.hpp"
#include "live.hpp"
#include "memory_reserve.hpp"
#include "mpi_start.hpp"
#include "of_all_ranks.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "value_log.hpp"
#include "virtual_ranks.hpp"
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace deed::runtime {
namespace {

using program_type = std::function<void(session&, arguments)>;

exit_code code_of(const std::exception& thrown) {
  if (const auto* wanted = dynamic_cast<const stop_run*>(&thrown)) return wanted->code();
  if (dynamic_cast<const deadlock_error*>(&thrown) != nullptr) return exit_code::deadlock;
  const auto* known = dynamic_cast<const error*>(&thrown);
  if (known == nullptr) return exit_code::codelet_threw;
  switch (known->code()) {
    case error_code::mpi_failed:
    case error_code::peer_lost:
    case error_code::peer_silent:
      return exit_code::peer_lost;
    case error_code::bad_setting:
      return exit_code::bad_option;
    case error_code::file_damaged:
      return exit_code::damaged_input;
    case error_code::cannot_write:
      return exit_code::cannot_write;
    case error_code::message_never_received:
    case error_code::receive_never_matched:
    case error_code::message_tags_differ:
    case error_code::message_peers_differ:
      return exit_code::messages_left;
    case error_code::circular_wait:
    case error_code::wait_for_ever:
    case error_code::gate_never_opens:
    case error_code::gates_circular:
      return exit_code::deadlock;
    case error_code::registrations_differ:
    case error_code::owners_differ:
    case error_code::sizes_differ:
    case error_code::types_differ:
    case error_code::message_sizes_differ:
    case error_code::message_types_differ:
    case error_code::list_lengths_differ:
    case error_code::roots_differ:
    case error_code::collectives_differ:
    case error_code::flush_differs:
    case error_code::migration_differs:
      return exit_code::ranks_diverge;
    case error_code::programs_differ:
    case error_code::layouts_differ:
      return exit_code::builds_differ;
    default:
      break;
  }
  const auto family = static_cast<unsigned>(known->code()) / 100;
  return family == 4 || known->code() == error_code::version_mismatch ? exit_code::ranks_diverge
                                                                      : exit_code::codelet_threw;
}

constexpr const char* no_thread =
    "\n  help: where a thread could not be started, fewer workers (--deed-workers), more address "
    "space\n        (ulimit -v) or more processes (ulimit -u)";

/// What could help whoever reads `thrown.what()`, which cannot know it.
const char* help_of(const std::exception& thrown) {
  const auto* const of_system = dynamic_cast<const std::system_error*>(&thrown);
  const bool refused =
      of_system != nullptr && of_system->code() == std::errc::resource_unavailable_try_again;
  return refused ? no_thread : "";
}

/// Prints what ended a run, once, whoever comes first.
class last_words {
 public:
  exit_code say(int rank, int ranks, const std::exception& thrown) {
    const std::lock_guard lock(mutex_);  // Whoever comes second must not end the process before.
    if (code_) return *code_;
    code_ = code_of(thrown);
    const auto* const common = dynamic_cast<const of_all_ranks*>(&thrown);
    if (common != nullptr) rank = common->rank();
    const bool of_nobody =
        dynamic_cast<const stop_run*>(&thrown) != nullptr || rank == of_all_ranks::nowhere;
    std::array<char, 32> who{};  // Nothing is allocated here: memory may have ended.
    if (!of_nobody && ranks != 1) std::snprintf(who.data(), who.size(), "rank %d: ", rank);
    const bool of_memory = dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr;
    std::cout.flush();
    std::fprintf(stderr, "%s%s%s\n", who.data(), of_memory ? no_memory : thrown.what(),
                 help_of(thrown));
    std::fflush(nullptr);
    return *code_;
  }

 private:
  std::mutex mutex_;
  std::optional<exit_code> code_;
};

class other_exception : public std::exception {
 public:
  const char* what() const noexcept override { return no_standard_exception; }
};

/// Whether another rank prints it, and ends the run when it has.
bool told_elsewhere(const std::exception& thrown) {
  const auto* const common = dynamic_cast<const of_all_ranks*>(&thrown);
  return common != nullptr && !common->printed_here();
}

/// How long the rank that knows more has to say it and to end the run.
constexpr std::chrono::seconds for_others{2};

/// Whether another rank fails for the same reason, and knows it first-hand.
bool known_better_elsewhere(const std::exception& thrown) {
  return dynamic_cast<const transport::refused_by_peer*>(&thrown) != nullptr;
}

/// Runs the program as one rank; `failed` is called with what ended it, and need not return.
template <class Failed>
void run_rank(rank_environment environment, const settings& all, const program_type& program,
              Failed&& failed) {
  const auto judge = [&](const std::exception_ptr& thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& known) {
      failed(known);
    } catch (...) {
      failed(other_exception{});
    }
  };
  environment.give_up = judge;
  try {
    session joined(environment, all.session);
    try {
      program(joined, all.rest);
      joined.close();
    } catch (const transport::rank_killed&) {
      throw;
    } catch (...) {
      joined.untyped().note_end(std::current_exception());  // While it records.
      throw;
    }
  } catch (const transport::rank_killed&) {
    throw;  // By the plan: without a word.
  } catch (...) {
    judge(std::current_exception());
  }
}

/// Nobody asked for progress, but somebody looks: at a terminal it is shown.
live_options watched(const settings& all, bool speaks) {
  return {.speaks = speaks,
          .progress = all.progress.value_or(isatty(STDERR_FILENO) == 1),
          .saves = !all.session.checkpoint.folder.empty()};
}

value_log* values_of(const settings& all, int rank) {
  return all.values == nullptr ? nullptr : &(*all.values)[static_cast<std::size_t>(rank)];
}

/// The first of two runs, of which only the values count.
settings unpruned(settings all, std::vector<value_log>& values) {
  all.session.pruning = pruning::off;
  all.session.trace = {};
  all.session.summary.clear();
  all.values = &values;
  return all;
}

/// Runs the program `once`, or twice where that is asked for; `differs` is told of the rank whose
/// values are not the same. @return of how many values that was found out.
std::size_t run_as_asked(settings all, int ranks, const std::function<void(const settings&)>& once,
                         const std::function<void(int, const error&)>& differs) {
  if (all.session.pruning != pruning::compare) {
    once(all);
    return 0;
  }
  all.session.checkpoint = {};  // Each would wait once more, and one find what the other wrote.
  std::vector<value_log> whole(static_cast<std::size_t>(ranks)), pruned(whole);
  once(unpruned(all, whole));
  all.session.pruning = pruning::on;
  all.values = &pruned;
  once(all);
  std::size_t compared = 0;
  for (std::size_t r = 0; r < whole.size(); ++r) {
    compared += whole[r].size();
    if (const auto found = whole[r].difference_to(pruned[r])) differs(static_cast<int>(r), *found);
  }
  return compared;
}

void tell_equal(std::size_t values) {
  if (values == 0) return;
  std::cout << std::flush;
  std::cerr << "deed: the values at `wait()` are equal with and without pruning; " +
                   std::to_string(values) + " of them here\n";
}

/// Ranks as threads of this process. One that fails ends the process: the others may wait for it.
void run_threads(const settings& all, const program_type& program) {
  live_board board;
  const live_watch watch(board, watched(all, true));
  transport::inproc_world world(all.ranks);
  const real_clock time;
  last_words words;
  const core_set granted = core_set::granted();
  const int cores = std::max(1, granted.count() / all.ranks);
  std::vector<std::jthread> threads;
  const auto end_all = [&](int rank, const std::exception& thrown) {
    if (told_elsewhere(thrown)) return;
    if (known_better_elsewhere(thrown)) std::this_thread::sleep_for(for_others);
    std::_Exit(static_cast<int>(words.say(rank, all.ranks, thrown)));
  };
  const auto begin = [&](int r) {
    rank_environment environment{
        .rank = r,
        .size = all.ranks,
        .door = &world.at(rank{r}),
        .time = &time,
        .pass = {},
        .cores = cores,
        .bind = [mine = granted.part(r, all.ranks)](int worker,
                                                    int workers) { mine.bind(worker, workers); },
        .visit = [mine = granted.part(r, all.ranks)](
                     int worker, int workers) { return mine.visit(worker, workers); },
        .board = &board,
        .values = values_of(all, r)};
    threads.emplace_back([&, r, environment = std::move(environment)]() mutable {
      const signal_stack of_this_thread;
      run_rank(std::move(environment), all, program,
               [&](const std::exception& thrown) { end_all(r, thrown); });
    });
  };
  try {
    for (int r = 0; r < all.ranks; ++r) begin(r);
  } catch (const std::exception& thrown) {  // Those that have begun would wait for the others.
    end_all(of_all_ranks::nowhere, thrown);
  }
  threads.clear();
}

void run_simulated(const settings& all, const program_type& program) {
  using std::chrono::nanoseconds;
  live_board board;
  const live_watch watch(board, watched(all, true));
  // Seed 0: what is due first comes first, as on a machine; any other: some order that may be.
  const auto order = all.seed == 0 ? transport::sim_order::by_time : transport::sim_order::random;
  transport::sim_world world(all.ranks, {.seed = all.seed, .faults = all.faults, .order = order});
  last_words words;
  world.run([&](rank self, transport::endpoint& door) {
    const rank_environment environment{
        .rank = self.value,
        .size = all.ranks,
        .door = &door,
        .time = &world.time(),
        .simulated = true,
        .shuffled = all.seed != 0,
        .seed = all.seed,
        .pass = [&world, self] { world.pass(self); },
        .spend = [&world, self](std::chrono::nanoseconds time) { world.spend(self, time); },
        .spend_until_news =
            all.seed != 0
                ? std::function<nanoseconds(nanoseconds)>()
                : [&world, self](nanoseconds time) { return world.spend_until_news(self, time); },
        .board = &board,
        .values = values_of(all, self.value)};
    run_rank(environment, all, program, [&](const std::exception& thrown) {
      if (told_elsewhere(thrown)) return;
      if (known_better_elsewhere(thrown)) world.spend(self, for_others);
      std::_Exit(static_cast<int>(words.say(self.value, all.ranks, thrown)));
    });
  });
}

/// Of a run whose result is what it prints. @return the exit code.
int printed() {
  std::cout << std::flush;
  if (std::cout) return 0;
  const error told(error_code::cannot_write, "the answer cannot be written",
                   {{"to", "standard output"}, {"because", std::strerror(errno)}},
                   "make room, or send it elsewhere");
  std::cerr << std::string(told.what()) + "\n";
  return static_cast<int>(exit_code::cannot_write);
}

/// One process, also where a launcher made several: the first one tells.
int run_dry_here(const settings& all, const program_type& program) {
  if (under_launcher() && !launched_first()) return 0;
  last_words words;
  const plan found = run_dry(all.dry_ranks, all.seed, program, all.rest, all.session,
                             [&](int rank, const std::exception& thrown, const plan& so_far) {
                               std::cout << so_far.text(all.dry_shown) << std::flush;
                               std::_Exit(static_cast<int>(words.say(rank, all.dry_ranks, thrown)));
                             });
  std::cout << found.text(all.dry_shown);
  return printed();
}

int run_mpi(int& argc, char**& argv, const settings& mine, const session_options& code,
            const program_type& program) {
  live_board board;
  const live_watch watch(board, watched(mine, launched_first()));
  const mpi_start started(argc, argv);
  last_words words;
  const auto fail = [&](const rank_environment& self, const std::exception& thrown) {
    const bool elsewhere = told_elsewhere(thrown);
    if (elsewhere || known_better_elsewhere(thrown)) std::this_thread::sleep_for(for_others);
    if (elsewhere) started.abort(static_cast<int>(code_of(thrown)));
    started.abort(static_cast<int>(words.say(self.rank, self.size, thrown)));
  };
  try {
    std::optional<mpi_ranks> ranks(std::in_place, started.world(), mine.session.shares_memory);
    const settings all = adopt_settings(mine, ranks->settings_of_first(text_of(mine)), code);
    const rank_environment first = ranks->environment();
    const auto once = [&](const settings& each) {
      if (!ranks) ranks.emplace(started.world(), each.session.shares_memory);
      rank_environment environment = ranks->environment();
      environment.board = &board;
      environment.values = values_of(each, environment.rank);
      run_rank(environment, each, program,
               [&](const std::exception& thrown) { fail(environment, thrown); });
      ranks.reset();
    };
    const std::size_t compared =
        run_as_asked(all, first.size, once, [&](int rank, const error& found) {
          if (rank == first.rank) fail(first, found);
        });
    // Who differs has ended the job.
    if (all.session.pruning == pruning::compare) started.barrier();
    if (first.rank == 0) tell_equal(compared);
  } catch (const error& wrong) {  // The ranks do not fit together.
    fail({.rank = 0, .size = 1, .door = nullptr, .time = nullptr}, wrong);
  }
  return 0;
}

/// All ranks of a launcher see the same words: the first one says so and ends the job, the others
/// only where it saw nothing wrong.
int refuse_option(const std::string& why) {
  if (under_launcher() && !launched_first()) std::this_thread::sleep_for(std::chrono::seconds(4));
  std::cerr << why + "\n";
  return static_cast<int>(exit_code::bad_option);
}

/// Settings that are right each, and do not fit together.
std::string misfit(const settings& all) {
  const bool dry = all.dry_ranks > 0;
  const bool virtual_ranks = !dry && all.world == world_kind::simulated;
  if (!virtual_ranks && !to_string(all.faults).empty()) {
    return dry ? "DEED_FAULT: a dry run sends nothing that could fail"
               : "DEED_FAULT: only virtual ranks fail by plan; add --deed-ranks=4";
  }
  if (const int most = last_rank(all.faults); virtual_ranks && most >= all.ranks) {
    return "DEED_FAULT: there is no rank " + std::to_string(most) + " to fail, of " +
           std::to_string(all.ranks) + "; the last is rank " + std::to_string(all.ranks - 1);
  }
  return too_many_virtual_ranks(dry ? all.dry_ranks : virtual_ranks ? all.ranks : 0);
}

int run_as_set(int argc, char** argv, const program_type& program, bool takes_arguments,
               const session_options& options) {
  settings all;
  try {
    all = read_settings(argc, argv, environ, options);
  } catch (const error& wrong) {
    return refuse_option(wrong.what());
  }
  if (all.help) {
    std::cout << describe_settings(all, options);
    return printed();
  }
  if (!takes_arguments && !all.rest.empty()) {
    return refuse_option(all.rest.front() +
                         ": this program takes no arguments; DEED_HELP=1 lists deed's settings");
  }
  if (const std::string wrong = misfit(all); !wrong.empty()) return refuse_option(wrong);
  if (all.dry_ranks > 0) return run_dry_here(all, program);
  if (all.world == world_kind::automatic && under_launcher()) {
    try {
      return run_mpi(argc, argv, all, options, program);
    } catch (const error& wrong) {  // MPI itself: it is not there, or does not start.
      if (DEED_WITH_MPI || launched_first()) std::cerr << std::string(wrong.what()) + "\n";
      return static_cast<int>(code_of(wrong));
    }
  }
  if (all.world == world_kind::automatic) {
    tell_of_tasks_apart();
  } else if (launched_together() > 1 && launched_first()) {
    std::cerr << "deed: DEED_RANKS makes all ranks in one process, and the launcher started " +
                     std::to_string(launched_together()) +
                     ": each of them runs the whole program\n";
  }
  const auto once = [&](const settings& each) {
    each.world == world_kind::simulated ? run_simulated(each, program) : run_threads(each, program);
  };
  last_words words;
  std::optional<exit_code> wrong;
  const std::size_t compared = run_as_asked(
      all, all.ranks, once,
      [&](int rank, const error& found) { wrong = words.say(rank, all.ranks, found); });
  if (wrong) return static_cast<int>(*wrong);
  tell_equal(compared);
  return 0;
}

int run_or_say(int argc, char** argv, const program_type& program, bool takes_arguments,
               const session_options& options) {
  const signal_stack of_this_thread;
  const memory_reserve for_reports;
  try {
    return run_as_set(argc, argv, program, takes_arguments, options);
  } catch (const std::bad_alloc&) {  // Before there is a rank, or after the last.
    std::fputs(
        "deed[D008] there is too little memory to start the ranks\n"
        "  help: give this process more memory, or start fewer ranks in it\n",
        stderr);
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "deed: the ranks cannot be started: %s%s\n", thrown.what(),
                 help_of(thrown));
  }
  return static_cast<int>(exit_code::codelet_threw);
}

}  // namespace

int run(int argc, char** argv, const program_type& program, const session_options& options) {
  return run_or_say(argc, argv, program, true, options);
}

int run_without_arguments(int argc, char** argv, const std::function<void(session&)>& program,
                          const session_options& options) {
  return run_or_say(
      argc, argv, [&](session& joined, arguments) { program(joined); }, false, options);
}

}  // namespace deed::runtime
