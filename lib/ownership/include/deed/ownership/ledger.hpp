// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/access_mode.hpp>
#include <deed/ownership/copy_budget.hpp>
#include <deed/ownership/holder_set.hpp>
#include <deed/ownership/registrar.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

/// @file
/// What a rank knows of ownership. Pure: no messages, no threads; the runtime decides by it, and
/// the viewer replays it.

namespace deed::ownership {

/// One use of one datum, without its type.
struct request {
  slot datum;
  access_mode mode;
};

/// What a task's use of one datum makes necessary.
struct effect {
  std::uint32_t owner;         ///< Of the datum, at the time of the task.
  std::uint32_t version_read;  ///< The version that the task sees; meaningless for `write`.
  bool fetch;                  ///< `source` sends `version_read` to the executor.
  bool write_back;             ///< The executor sends version_read + 1 to the owner.
  std::uint32_t source;        ///< The owner, or a rank that got this version before.
};

/// Copies that end by a decision: their ranks free the memory.
struct ended_copies {
  std::vector<copy> before;  ///< To make room: before anything that the decision brings.
  std::vector<copy> after;   ///< Out of date or not kept: after everything that uses them.
  void clear() noexcept {
    before.clear();
    after.clear();
  }
};

/// What ranks do with copies of data that they do not own.
struct copy_rules {
  bool keep = true;  ///< Until they are out of date; else until the task that brought them has run.
  std::uint64_t bytes = copy_budget::unlimited;  ///< That one rank keeps at most.
};

/// Owner, version and holders of every datum.
///
/// The rules: a version is the number of writes so far. A task runs on one rank, the executor. A
/// datum that it reads and does not hold is sent by the owner, and held from then on. A datum that
/// it writes is sent back to its owner; then these two hold the new version and nobody else does.
/// The owner holds the current version always, once there is one. Where copies have a budget, the
/// one used longest ago ends first; equal sequences end equal copies, so nobody has to be told.
///
/// Copyable and comparable: equal ledgers decide alike.
/// Threads: one at a time.
/// Cost: 32 bytes per datum, and 8 per holder if they are more than four. A decision is
/// O(requests). Source: StarPU-MPI's rules for inserted tasks, with versions for its cache flags.
class ledger {
 public:
  static constexpr std::uint32_t everywhere = ~std::uint32_t{0};  ///< The owner of per-rank data.

  explicit ledger(int ranks, const copy_rules& rules = {})
      : budget_(rules.bytes), ranks_(static_cast<std::uint32_t>(ranks)), keeps_(rules.keep) {}

  /// A new datum; without a value yet if not `initialised`. The lowest free slot, so that ranks
  /// that register alike number alike. `bytes`: what a copy of it counts in the budget.
  slot add(std::uint32_t owner, bool initialised, std::uint64_t bytes = 0);
  void remove(slot datum);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(ranks_); }
  [[nodiscard]] std::uint32_t owner(slot datum) const noexcept { return entries_[datum].owner; }
  [[nodiscard]] bool is_per_rank(slot datum) const noexcept { return owner(datum) == everywhere; }
  [[nodiscard]] std::uint32_t version(slot datum) const noexcept { return entries_[datum].version; }
  [[nodiscard]] bool initialised(slot datum) const noexcept { return entries_[datum].initialised; }
  /// Whether `rank` has the current version, once all that was decided so far is done.
  [[nodiscard]] bool holds(slot datum, std::uint32_t rank) const noexcept {
    const entry& known = entries_[datum];
    return known.initialised &&
           (known.owner == rank || known.owner == everywhere || known.others.contains(rank));
  }
  /// Who sends the current version to the next rank that asks for it. The first three come from
  /// the owner; from the fourth on, holders pass it on along a binomial tree, so that k readers
  /// cost the owner about log2(k) sends. Whom `prefer` named goes first.
  [[nodiscard]] std::uint32_t source(slot datum) const noexcept {
    if (!preferred_.empty()) [[unlikely]]
      return source_with_hints(datum);
    return source_by_rule(entries_[datum]);
  }
  /// `rank` sends the current version to those that ask for it, if it holds it by then: until the
  /// next version.
  void prefer(slot datum, std::uint32_t rank) { preferred_[datum] = rank; }
  /// So many ranks will read each version from now on: of four or more, the third already gets it
  /// from the first, so that three cost the owner two sends. 0: nobody knows.
  void expect_readers(slot datum, std::uint64_t ranks) noexcept {
    entries_[datum].passes_on_early = ranks >= 4;
  }
  /// Holders of the current version beside the owner, in the order in which they got it.
  [[nodiscard]] std::span<const std::uint32_t> others(slot datum) const noexcept {
    return entries_[datum].others.view();
  }

  /// A replay that starts in the middle of a run: `datum` is so, and has no holders but its owner.
  void restore(slot datum, std::uint32_t owner, std::uint32_t version, bool initialised);

  /// Whether `rank` owns one of the data, or holds a copy that a task with these requests would
  /// read or make stale: then it must know of the task.
  [[nodiscard]] bool concerns(std::uint32_t rank, std::span<const request> requests) const noexcept;

  /// The rank that must run a task: the one owner of what it writes. `everywhere` if there is none,
  /// or several, so that a policy has to choose.
  [[nodiscard]] std::uint32_t writer_of(std::span<const request> requests) const noexcept;
  /// The default policy: the owner of most bytes to be read, each datum once; ties to the lowest.
  [[nodiscard]] std::uint32_t most_bytes(std::span<const request> requests,
                                         const std::function<std::uint64_t(slot)>& bytes) const;

  /// Bytes of copies that a task with these requests needs on `executor` at the same time: not
  /// more than the budget, or it cannot run there.
  [[nodiscard]] std::uint64_t room_for(std::uint32_t executor,
                                       std::span<const request> requests) const;
  [[nodiscard]] const copy_budget& budget() const noexcept { return budget_; }
  [[nodiscard]] bool keeps_copies() const noexcept { return keeps_; }
  /// Whether decisions name the copies that end. Else a copy that is out of date keeps its memory
  /// for the version that follows.
  [[nodiscard]] bool ends_copies() const noexcept { return !keeps_ || budget_.limited(); }

  // Each of these adds to `ended`, if there is one, the copies that end by it.

  /// A task with these requests runs on `executor`; `effects` has one element per request.
  void run(std::uint32_t executor, std::span<const request> requests, std::span<effect> effects,
           ended_copies* ended = nullptr);
  /// As `run`, if the task concerns `rank` in nothing: it neither runs it nor owns what it names,
  /// nor sends any of it. On `executor`; `everywhere`: on the owner of what it writes.
  /// @return who runs it; `everywhere`: nothing has changed, since it concerns `rank`, or names
  ///   what needs a closer look: a datum twice or without a value, owners that differ, reductions,
  ///   copies that end.
  std::uint32_t run_without(std::uint32_t rank, std::uint32_t executor,
                            std::span<const request> requests);
  /// Whether a task on `executor`, which is another rank, involves `rank` in what it asks of one
  /// datum: `rank` owns that, or has to send it. Also where that has no value.
  [[nodiscard]] bool involves(std::uint32_t rank, std::uint32_t executor,
                              const request& asked) const noexcept;
  /// As `run`, of one of the data of a task on `executor`, if that is the owner of what it writes.
  void note(std::uint32_t executor, const request& asked);
  /// As `run`, if the task concerns `rank` alone: it owns all that it names, and runs it. On
  /// `executor`; `everywhere`: on the owner of what it writes.
  /// @return false: nothing has changed, since it concerns others, too, or needs a closer look.
  bool run_within(std::uint32_t rank, std::uint32_t executor, std::span<const request> requests);
  /// `rank` contributes to the next version of `datum`.
  void contribute(slot datum, std::uint32_t rank);
  /// The value of `datum` is brought to `rank`. Who has to send it; nobody if it is there.
  std::optional<std::uint32_t> fetch(slot datum, std::uint32_t rank, ended_copies* ended = nullptr);
  /// `datum` belongs to `owner` from now on. True if the old owner has to send the value; it keeps
  /// its copy.
  bool migrate(slot datum, std::uint32_t owner, ended_copies* ended = nullptr);
  /// Copies away from the owner end.
  void flush(slot datum, ended_copies* ended = nullptr);
  void flush_all(ended_copies* ended = nullptr);
  /// A reduction of `datum` is open: ranks have contributed to its next version. Who uses the datum
  /// otherwise closes it first.
  [[nodiscard]] bool is_open(slot datum) const noexcept {
    return any_open() && open_.contains(datum);
  }
  [[nodiscard]] bool any_open() const noexcept { return !open_.empty(); }
  /// In rising order.
  [[nodiscard]] std::span<const std::uint32_t> contributors(slot datum) const {
    return open_.at(datum);
  }
  [[nodiscard]] std::vector<slot> open_reductions() const;
  /// The contributions become the next version, which the owner alone holds.
  void close(slot datum, ended_copies* ended = nullptr);
  /// The owner writes `datum` from outside a task: a borrow, a message received.
  void write(slot datum, ended_copies* ended = nullptr);
  /// From now on copies are kept, or not. Where they are not, all end.
  void keep_copies(bool on, ended_copies* ended = nullptr);
  /// The only write of `datum` did not happen: it has no value, as before.
  void take_back(slot datum) noexcept { entries_[datum].initialised = false; }

  class excerpt;  // In ledger_excerpt.hpp.
  /// Whether it differs from `before` in versions alone: the same decisions follow from both.
  [[nodiscard]] bool decides_as(const excerpt& before) const;
  /// What was decided since `before` is decided `times` times more. It decides as `before` did.
  void advance_since(const excerpt& before, std::uint64_t times) noexcept;

  /// A hash of what all ranks must agree on: of per-rank data, that they are there. The sum over
  /// all slots, so that a replay can follow it change by change.
  [[nodiscard]] std::uint64_t digest() const noexcept;
  [[nodiscard]] std::uint64_t digest_of(slot datum) const noexcept;
  /// A hash of all that this rank knows: also of how often it wrote its per-rank data.
  [[nodiscard]] std::uint64_t own_digest() const noexcept;
  /// The part of a per-rank datum in `own_digest`.
  [[nodiscard]] static std::uint64_t private_digest(slot datum, std::uint32_t version) noexcept;
  /// Slots that were ever in use.
  [[nodiscard]] slot slots() const noexcept { return static_cast<slot>(entries_.size()); }
  friend bool operator==(const ledger&, const ledger&) = default;

 private:
  struct alignas(32) entry {  // Two in a cache line, and none in two.
    std::uint32_t owner = 0;
    std::uint32_t version = 0;
    [[no_unique_address]] holder_set others;  // Never contains the owner. Its end has room.
    bool initialised = false;
    bool live = false;
    bool passes_on_early = false;  // Many readers are expected.
    friend bool operator==(const entry&, const entry&) = default;
  };
  static_assert(sizeof(entry) == 32);

  [[nodiscard]] static std::uint32_t source_by_rule(const entry& known) noexcept {
    const std::size_t by_owner = known.passes_on_early ? 2 : 3;
    return known.others.size() < by_owner ? known.owner : holder_that_passes_on(known);
  }
  [[nodiscard]] static std::uint32_t holder_that_passes_on(const entry& known) noexcept;
  [[nodiscard]] std::uint32_t source_with_hints(slot datum) const noexcept;
  void next_version(slot datum);
  void end_copy(copy which, std::vector<copy>* ended);
  void end_stale(slot datum, std::uint32_t but, ended_copies* ended);
  void make_room(std::uint32_t rank, std::span<const request> requests, ended_copies* ended);

  std::vector<entry> entries_;
  std::vector<slot> free_;                           // A heap: the lowest first.
  std::map<slot, std::vector<std::uint32_t>> open_;  // Contributors of open reductions.
  std::map<slot, std::uint32_t> preferred_;          // Who sends this version.
  copy_budget budget_;
  std::uint32_t ranks_;
  bool keeps_;
};

}  // namespace deed::ownership
