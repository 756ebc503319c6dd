// SPDX-License-Identifier: MIT
#pragma once

#include <deed/base/error.hpp>

#include "bystanders.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What ranks tell rank 0 when they may have submitted different programs, and what it makes of it.

namespace deed::runtime {

/// The help for a guard that forgets who sends instead of the owner.
inline constexpr std::string_view ask_the_ledger =
    "ask `session.relevant(…)` in the guard: it knows who passes copies on";

/// What a rank calls that has nothing more to do.
inline constexpr std::string_view leaving_call = "the end of the program";

struct dealings_told {
  std::uint32_t peer = 0;
  std::uint32_t count = 0;
  std::uint64_t sum = 0;
};

/// A transfer whose two ends do not fit, as the rank saw it that received it.
struct misfit {
  std::uint16_t code = 0;  ///< 0: there is none.
  int peer = 0;
  bool message = false;
  bool received = false;  ///< This rank knows what it wanted; else only that it was refused.
  std::uint64_t tag = 0;
  std::uint64_t channel = 0;                    ///< Of a group; 0: the session.
  std::uint64_t type_hash = 0, bytes = 0;       ///< Of what was sent.
  std::uint64_t datum_tag = ~std::uint64_t{0};  ///< Of the receive, and of the datum it is for.
  std::string happened, help;
  std::vector<error::fact> facts;
  std::string type, datum, where;  ///< Of the receive.
  std::string sent, wanted;        ///< "512 bytes".
};

/// How far a rank has come, up to a round.
struct digest {
  std::uint64_t round = 0;           ///< `submission_log::latest`: until now.
  std::uint64_t kind = 0;            ///< Of the call of that round.
  std::string call, where;           ///< "`wait()`", "x.cpp:7".
  std::string last;                  ///< "the call at x.cpp:5", the newest.
  std::uint64_t first_step = 0;      ///< That is kept.
  std::vector<std::uint64_t> steps;  ///< Hashes of prefixes, from `first_step` on.
  std::vector<dealings_told> dealings;
  misfit broken;
};

/// What rank 0 asks two ranks of which it knows that they differ.
struct inquiry {
  enum class about : std::uint8_t { step, dealings, message, insertions };
  std::uint8_t what = 0;
  std::uint64_t round = 0;
  std::uint64_t index = 0;  ///< Of the step; of insertions, the rank that runs them.
  int peer = 0;
  std::uint64_t tag = 0, channel = 0, type_hash = 0, bytes = 0;  ///< Of a message.
};

struct told_step {
  bool there = false;
  std::uint8_t is = 0;  ///< A `common_step::kind`.
  int rank = 0;
  std::uint64_t tag = 0;
  std::string name, type, shape, where;
  std::string goes_on;                 ///< The collection of which it is not the first.
  std::vector<std::string> values{};   ///< In verify mode, what the task gets by value.
  std::vector<std::int32_t> owners{};  ///< Of the tiles of a matrix, row by row.
  std::uint64_t tile_cols = 0;
};
struct told_access {
  std::uint8_t mode = 0;
  std::uint64_t tag = 0;
  std::string datum;
};
struct told_dealing {
  std::uint32_t index = 0;
  std::uint64_t signature = 0, transfers = 0;
  std::uint32_t executor = 0, version = 0;
  int passes_on = -1;
  std::uint64_t tag = 0, number = 0;
  std::string codelet, datum, where, last_write;
  std::vector<told_access> accesses{};  ///< In verify mode, all of them.
};
struct told_message {
  bool there = false;
  std::string type, datum, where;
  std::string registered{};  ///< "`a` at x.cpp:3".
};
/// A rank's answer.
struct reply {
  int rank = 0;
  told_step step;
  std::vector<told_dealing> dealings;
  told_message message;
  std::vector<told_dealing> alone{};  ///< In verify mode, tasks with which no other rank deals.
  std::string newest{};               ///< Where the newest of the tasks is inserted.
  std::vector<insertion_use> insertions{};  ///< In verify mode, all of them.
};

/// Where two ranks differ first, as far as the digests tell.
struct difference {
  inquiry question;
  int one = 0, two = 0;
};

struct verdict;

/// The first difference of steps; then, if all speak of one round, that of calls (the verdict is
/// there) or of dealings; then a transfer that does not fit. `all` is sorted by rank.
[[nodiscard]] std::optional<difference> first_difference(const std::vector<digest>& all);
/// Whether ranks stand in different calls of one round, and what to say of it.
[[nodiscard]] std::optional<verdict> calls_differ(const std::vector<digest>& all);
/// What to say of a difference when both ranks have answered.
[[nodiscard]] verdict explain(const std::vector<digest>& all, const difference& found,
                              const reply& one, const reply& two);
/// Rank `by` inserted more tasks that `runner` runs than that rank itself.
[[nodiscard]] misfit inserted_in_vain(int by, std::uint64_t count, int runner,
                                      std::uint64_t count_there);
/// What to say if no difference is found.
[[nodiscard]] verdict unexplained(const std::vector<digest>& all);

/// What calls the program's thread to a comparison. Threads: any.
class alarm {
 public:
  void ring(std::uint64_t round) {
    const std::lock_guard lock(mutex_);
    if (!rung_.load(std::memory_order_relaxed) || round < round_) round_ = round;
    rung_.store(true, std::memory_order_release);
  }
  void ring(misfit what);
  /// For when it rings.
  void keep(misfit what);
  [[nodiscard]] bool rung() const noexcept { return rung_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t round() {
    const std::lock_guard lock(mutex_);
    return round_;
  }
  [[nodiscard]] misfit broken() {
    const std::lock_guard lock(mutex_);
    return broken_;
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> rung_{false};
  std::uint64_t round_ = ~std::uint64_t{0};
  misfit broken_;
};

}  // namespace deed::runtime
