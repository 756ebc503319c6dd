// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/clock.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

/// @file
/// What a session gets from the world it lives in: real ranks, threads of one process, or virtual
/// ranks. There is no other source of time, order and blocking.

namespace boost::mpi {
class communicator;
}
namespace deed::transport {
class endpoint;
}

namespace deed::runtime {

class live_board;
class dry_record;
class value_log;

/// One rank's place in a run. Lives longer than the session.
struct rank_environment {
  int rank;
  int size;
  transport::endpoint* door;
  const clock* time;
  bool simulated = false;  ///< No threads of its own: tasks run where the program waits.
  bool shuffled = true;    ///< Simulated: tasks run in an order of `seed`; else as on a machine.
  std::uint64_t seed = 0;
  std::function<void()> pass{};  ///< Simulated: called at the end of each task; may switch ranks.
  /// Simulated: called in a task that says how much it computes; virtual time goes by.
  std::function<void(std::chrono::nanoseconds)> spend{};
  /// The same, but it comes back when something arrived; the time that is left. Empty: a rank hears
  /// nothing while it computes.
  std::function<std::chrono::nanoseconds(std::chrono::nanoseconds)> spend_until_news{};
  bool one_thread = false;  ///< MPI may be called on the session's thread alone: no workers.
  int cores = 1;            ///< That this rank may keep busy.
  bool by_data = false;     ///< Tasks go to the thread that wrote their data, pay it or not.
  int machine = 0;          ///< Equal on the ranks of one machine, and on no others.
  /// Binds the calling thread, the worker of that number of so many, to its part of the cores that
  /// this rank has for itself, if there are enough. Empty: threads run where the system puts them.
  std::function<void(int worker, int workers)> bind{};
  /// The same for the program's thread, which is one of the workers while it waits: moves it if it
  /// runs elsewhere, and back with the last of what is returned. Null: it stays. Empty: as `bind`.
  std::function<std::shared_ptr<const void>(int worker, int workers)> visit{};
  /// Ends all ranks at once, when a task threw and the policy is `abort`. Empty: `wait()` throws.
  std::function<void(std::exception_ptr)> give_up{};
  bool process = false;         ///< Each rank is a process of its own, and may fall silent.
  dry_record* dry = nullptr;    ///< A dry run: no task is run and no value is made.
  live_board* board = nullptr;  ///< Where the session can be looked at; null: nowhere.
  value_log* values = nullptr;  ///< What it computes, if that is compared with another run.
  /// The ranks here of the ranks of a communicator, or of its remote group; -1: it is not here.
  /// Empty: there is no MPI.
  std::function<std::vector<int>(const boost::mpi::communicator&, bool remote)> ranks_of{};
};

}  // namespace deed::runtime
