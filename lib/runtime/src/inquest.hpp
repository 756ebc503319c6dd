// SPDX-License-Identifier: MIT
#pragma once

#include "call_order.hpp"
#include "comparison.hpp"
#include "message_ledger.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// @file
/// What ranks tell rank 0 when it is proved that none of them can go on, and what rank 0 makes of
/// it.

namespace deed::runtime {

/// One thing that a rank waits for from another.
struct missing {
  bool message = false;  ///< An explicit message; else a version of a datum.
  int peer = 0;
  int owner = 0;  ///< Of the datum.
  std::uint64_t tag = 0;
  std::uint64_t version = 0;
  std::uint64_t transfer = 0;  ///< Its number between the two ranks (`transfer_counts`).
  std::string datum{};         ///< "`a`".
  std::string registered{};    ///< "`a` at x.cpp:3", of the datum of a message, too.
  std::string waits{};         ///< "task `add` #4, inserted at x.cpp:7".
  std::string collective{};    ///< "`gather` to rank 0": then `tag` is the number of the call.
  std::string called{};        ///< "x.cpp:7", of that.
  group_name group{};          ///< Among which ranks that is.
  std::string gate{};          ///< "`halo`, made at x.cpp:3": then nothing else is awaited.
};

/// A message that nobody received, as its receiver or its sender sees it.
struct stray {
  bool arrived = false;  ///< At the rank that says so; else it was sent by it.
  int peer = 0;
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;
  std::string collective{};          ///< As of `missing`.
  group_name group{};                ///< There, too.
  std::uint64_t type_hash = 0;       ///< Of what was sent.
  std::uint64_t channel = 0;         ///< Of a group; 0: the session.
  std::uint64_t newer = 0;           ///< How many alike arrived after it.
  std::string send{}, registered{};  ///< "a send of `a`, at x.cpp:7,"; the sender knows them.
};

/// An explicit message that something else comes before: its end is there, and not the reason.
struct due_message {
  bool sends = false;
  int peer = 0;  ///< Negative: any.
  std::uint64_t tag = 0;
};

/// What one rank knows when nothing can happen any more.
struct statement {
  int rank = 0;
  std::string where;  ///< "wait() at x.cpp:31".
  std::vector<missing> waits;
  std::vector<stray> strays;
  digest submitted;
  std::vector<message_use> messages{};  ///< In verify mode.
  std::vector<due_message> due{};
  std::vector<calls_made> calls{};
  std::uint64_t rounds = 0;  ///< Calls of all ranks that it has come to,
  bool in_round = false;     ///< in the last of which it stands.
};

/// A transfer of a datum that waits for its value.
struct due_transfer {
  int to = 0;
  std::uint64_t number = 0;
};

/// What a rank knows of a datum that another waits for.
struct testimony {
  int rank = 0;
  std::uint64_t tag = 0;
  bool known = false;
  std::uint64_t version = 0;
  std::string last_write{};         ///< "x.cpp:9".
  std::vector<due_transfer> due{};  ///< Inserted here, but something else comes first.
};

/// An explicit message that came where nobody received it.
struct stray_key {
  int sender = 0, receiver = 0;
  std::uint64_t tag = 0;
  std::uint64_t type_hash = 0;
  std::uint64_t channel = 0;
  std::uint64_t newer = 0;  ///< How many of all this came after it, and were not received, either.
  friend bool operator==(const stray_key&, const stray_key&) = default;
};
[[nodiscard]] inline stray_key key_of(const stray& left, int receiver) {
  return {left.peer, receiver, left.tag, left.type_hash, left.channel, left.newer};
}
/// What its sender knows of it, if that is not too long ago.
struct sent_stray {
  stray_key which{};
  told_message told{};
};

struct question {
  std::vector<std::uint64_t> tags{};
  std::vector<stray_key> messages{};
};
struct answer {
  std::vector<testimony> known{};
  std::vector<sent_stray> sent{};
};

/// The end of it: the code of the likely cause, and the report.
struct verdict {
  std::uint16_t code = 0;
  std::string happened;
  std::vector<std::string> labels, texts;
  std::string help;
  bool deadlock = true;  ///< Else they differ, and that was found before.
  /// Of the datum that it is about, if there is one.
  std::uint64_t tag = no_datum;
  static constexpr std::uint64_t no_datum = ~std::uint64_t{0};
};

/// What rank 0 collects, and what every rank waits for.
struct inquest {
  std::mutex mutex;
  std::vector<statement> statements;
  std::vector<testimony> known;
  std::vector<sent_stray> sent;
  std::size_t answers_due = 0;
  std::vector<digest> digests;
  difference found;
  std::vector<reply> replies;
  std::optional<verdict> result;

  [[nodiscard]] bool judged() {
    const std::lock_guard lock(mutex);
    return result.has_value();
  }
};

/// Finds the likely cause, in this order: a task that a rank never inserted, a message with a near
/// miss, a message without its other end, a call that not every rank reached, a circle.
[[nodiscard]] verdict judge(const std::vector<statement>& ranks,
                            const std::vector<testimony>& known,
                            const std::vector<sent_stray>& sent = {});

/// Where no deadlock is proved: the first collective call that is not the same on all who make it.
[[nodiscard]] std::optional<verdict> calls_out_of_order(const std::vector<statement>& ranks);

/// Who has not come to the call of all ranks in which a rank stands; nobody if it stands in none.
[[nodiscard]] std::vector<int> not_come_to_round(const statement& me,
                                                 const std::vector<statement>& ranks);

/// What the sender of a message told of it. Null: nothing.
[[nodiscard]] const told_message* find(const std::vector<sent_stray>& sent, const stray_key& which);

}  // namespace deed::runtime
