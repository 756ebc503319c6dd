// SPDX-License-Identifier: MIT
#include "analysis/ask/glossary.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace deed::viewer {

std::string_view meaning_of(std::string_view part) {
  // As docs/trace.md has them; a test compares.
  using entry = std::pair<std::string_view, std::string_view>;
  constexpr std::array<entry, 18> words{
      entry{"fetch wait",
            "no task can run, data of other ranks are on their way or asked for, and the program "
            "waits for no request"},
      entry{"idle, dependency",
            "no task can run, and none waits for data of another rank: those "
            "before it are not done"},
      entry{"idle, no task",
            "all that the program has inserted has begun, or it has inserted nothing: it computes "
            "by itself, waits for another rank, or has ended"},
      entry{
          "barrier",
          "no task can run, and the program of the rank stands at a barrier; a session begins and "
          "ends with some, too"},
      entry{"borrow",
            "the program of the rank waits in `borrow` for a value that no task of the rank is to "
            "write: as for what a collective call on per-rank data brings, or another rank"},
      entry{"collective call",
            "no task can run, and the program of the rank is in a collective call on values or at "
            "the barrier of a group, or waits for the request of a call"},
      entry{"request wait",
            "no task can run, and the program of the rank waits for a request: for a message to "
            "come, or to be taken by its receiver"},
      entry{
          "wait",
          "the program's own thread stands in a `wait()`, at a gate or before its window of tasks, "
          "and runs no task"},
      entry{
          "comparing clocks",
          "no task can run, and the rank asks another one what its clock says; without a recording "
          "there is no such time"},
      entry{"scheduling",
            "between two tasks: looking for the next one, releasing what waits for the "
            "last; not while none could run, which a thread that hears messages may say late"},
      entry{"program",
            "the program itself, outside of every wait of deed: it inserts tasks, "
            "registers data, or computes"},
      entry{device_copies_alone,
            "it copies from or to the host, or gets data of another device, and no kernel runs on "
            "it"},
      entry{device_empty, "it runs no kernel and makes no copy: it waits for work or for data"},
      entry{"overhead", "work of the runtime that no task asked for"},
      entry{"blocked", "in a call that does not come back: of the system or of another library"},
      entry{"not started yet", "before the first record of the rank, or of its worker"},
      entry{"after its last record",
            "the thread crashed, or its rank did not end its recording; what it did from then on, "
            "or whether it lived, is not known"},
      entry{"not recorded",
            "nobody said what the thread did: a rank that begins or ends, events "
            "that were left out or lost"}};
  const auto known = std::ranges::find(words, part, &entry::first);
  return known == words.end() ? std::string_view() : known->second;
}

}  // namespace deed::viewer
