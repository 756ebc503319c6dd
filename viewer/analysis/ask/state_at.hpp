// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/ask/effects.hpp"
#include "analysis/model.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// @file
/// Who owns and holds a datum at a moment: a function of the time, not of what was played before.

namespace deed::viewer {

/// In place of who caused it: a record of the state at the beginning of a slice, which is what was.
/// Of a flight recorder it is what was decided, and the tasks may be behind.
inline constexpr std::uint64_t as_it_was = ~std::uint64_t{0};

/// The copy of a datum on one rank.
enum class copy_kind : std::uint8_t { absent, stale, pending, shared, owner };

struct copy_at {
  copy_kind kind = copy_kind::absent;
  std::uint32_t version = 0;
  bool known = true;   ///< Else what was recorded does not tell, and `kind` says absent.
  bool ended = false;  ///< Its rank has unregistered the datum, and nothing there uses it.
};

struct live_borrow {
  int rank = 0;
  std::uint8_t kind = 0;
  std::uint64_t holder = 0;
  std::uint32_t loc = none;
  std::int64_t since = 0;
};

struct datum_state {
  std::uint32_t owner = none;  ///< `none`: before its registration, after its end, or per rank.
  std::vector<std::uint32_t> moves_to;  ///< Migrations to which some rank has come, not done.
  std::uint32_t version = 0;            ///< Of a datum that each rank has one of, the highest.
  std::uint32_t writer = none;   ///< The task that wrote it; `none`: nobody that was recorded.
  std::uint32_t call = none;     ///< Else the record of the call of a program that did.
  std::uint32_t message = none;  ///< Else the transfer that brought it.
  std::vector<copy_at> copies;   ///< By rank. Those of a datum per rank have versions of their own.
  std::vector<std::uint32_t> in_flight;  ///< Transfers.
  std::vector<live_borrow> borrows;
  std::vector<std::uint32_t> unregistered;  ///< Records, of the ranks that have come to its end.
  bool ended = false;  ///< On all ranks that were recorded, and nothing uses it any more.

  // Of a run that is recorded from a moment on, what came before may have to tell.
  bool owner_known = true;
  bool version_known = true;
  bool valid_known = true;  ///< A copy that is not known can only be stale.
  bool all_known = true;    ///< Of what is on its way, and of borrows, none is missing.
};

/// Whether an event is a write that a program makes itself, by a borrow or a collective call: it is
/// recorded where the program calls for it. What a message brings is recorded when it comes.
[[nodiscard]] bool is_program_write(const model& of, const event& e);
/// The same, of a datum that each rank has one of.
[[nodiscard]] bool is_own_write(const model& of, const event& e);

/// Whether the task that was to write a version threw, or was cancelled: what is sent of it says
/// so, and brings no value. Of a datum per rank not known, as each rank counts its own versions.
[[nodiscard]] bool is_missing(const model& of, std::uint32_t handle, std::uint32_t version);
/// The tasks that were to write later versions than `version` and had failed by a moment, by their
/// end. Cost: O(tasks that wrote the datum).
[[nodiscard]] std::vector<std::uint32_t> failed_writers(const model& of, std::uint32_t handle,
                                                        std::uint32_t version, std::int64_t when);

/// What a rank unregistered and released, from a record on.
struct undone_by {
  int rank = -1;
  std::uint32_t from = none;
};
struct moment_of_error {
  std::int64_t time = 0;
  undone_by left_out;  ///< Virtual ranks do much at one time: of that, what an exception undid.
};
/// Of an error that leaves a program, the moment before its data end, which they do on its way and
/// before the error is recorded; where it came out of a wait, before that ends; where it found a
/// borrow, before that does. Of any other, its own. Cost: O(events since that rank was at work).
[[nodiscard]] moment_of_error before_unwinding(const model& of, std::uint32_t error);
/// Of the first error, or of the task that had thrown before it, of which it tells. Not for a run
/// without errors. Cost: O(tasks) for each error that names no task.
[[nodiscard]] moment_of_error moment_of_first_failure(const model& of);

/// Whether it is known what the copy is, and of one that is valid, its version.
[[nodiscard]] inline bool is_told(const datum_state& of, const copy_at& copy) {
  const bool newest = copy.kind == copy_kind::owner || copy.kind == copy_kind::shared;
  return copy.known && (of.version_known || !newest);
}

/// The states of one datum from the start of the run on; goes forward only.
///
/// A flight recorder writes down what the ledger decided, which is ahead of the tasks: what they
/// wrote by then is known where a write before and one after it leave no version between them, or
/// where every task that still ran is recorded with its accesses. A slice begins with the state at
/// its beginning, as it was.
///
/// Keeps: a reference to the model.
/// Cost: O(events of this handle) for all steps together; a look, O(ranks + what is under way).
class datum_walk {
 public:
  datum_walk(const model& of, std::uint32_t handle);
  /// To `when`, which is not before the last one.
  void advance(std::int64_t when);
  /// As if a rank had not done that.
  void leave_out(const undone_by& what) { left_out_ = what; }
  /// `in_flight`: with the transfers that are on their way.
  [[nodiscard]] datum_state state(bool in_flight = true) const;
  /// How many of the datum's events it has looked at.
  [[nodiscard]] std::size_t seen() const noexcept { return next_event_; }
  /// Migrations that were done behind a moment, up to now, in their order: also those that others
  /// took back at once.
  [[nodiscard]] std::span<const owner_move> moves_since(std::int64_t moment) const;
  /// Copies that the program has dropped or ended, and that a task still uses or that have not
  /// arrived.
  [[nodiscard]] const std::vector<copy_end>& ending() const noexcept { return ending_; }
  /// Migrations to which a rank has come, and that are not done.
  [[nodiscard]] std::span<const owner_move> moves_to_come() const;

 private:
  struct held {
    bool here = false;
    bool known = false;  // Something was recorded that says it.
    std::uint32_t version = 0;
    bool ended = false;  // Its rank has unregistered the datum.
  };
  void know_copies();
  void look_ahead();
  [[nodiscard]] bool is_left_out(std::uint32_t index) const;
  void hold(std::uint64_t rank, std::uint32_t version);
  void drop(std::uint64_t rank, std::uint32_t version);
  void apply_writes(std::int64_t until);
  void apply_calls();
  void apply_own_write(std::uint64_t rank, std::uint32_t version);
  void apply_message(std::uint64_t rank, std::uint32_t version);
  void follow_transfers();
  void apply(const event& e);
  void apply_owner(const event& e);
  void set_owner(std::uint32_t owner, std::uint32_t version, bool as_submitted, bool is_exact);
  void make_effects();
  void apply_moves(std::int64_t until);
  void apply_copy(const event& e);
  void apply_drop();
  void apply_end();
  void end_copies(std::int64_t until);
  void tell_owner(datum_state& of) const;
  void tell_version(datum_state& of) const;
  void tell_copies(datum_state& of) const;
  [[nodiscard]] copy_at told_copy(const held& mine, std::size_t rank, const datum_state& of) const;
  void tell_end(datum_state& of) const;
  [[nodiscard]] std::uint32_t newest_possible() const;

  const model& of_;
  const std::uint32_t handle_;
  const std::int64_t from_;  // Since when all that happens to it is recorded; 0: always.
  bool certain_ = false;     // Since then, or by then its whole state was written down.
  bool owner_told_ = false;
  undone_by left_out_;
  std::uint32_t first_owner_ = none;     // As the first change of owner, or a later one, says.
  std::uint32_t first_unended_ = none;   // Of the first writer that fails, or never ends.
  bool written_outside_ = false;         // Of tasks.
  std::uint32_t submitted_version_ = 0;  // As a ledger had it; tasks may be behind.
  bool submitted_told_ = false;
  std::uint32_t in_doubt_until_ = 0;  // A version of which nobody says when it was written.
  std::int64_t now_ = never;
  std::size_t next_event_ = 0;
  std::size_t next_write_ = 0;
  std::vector<std::uint32_t> calls_;  // Records: versions that the owner's program writes itself.
  std::size_t next_call_ = 0;
  std::size_t next_transfer_ = 0;
  std::vector<held> copies_;
  std::vector<copy_end> ending_;
  std::shared_ptr<const effects> effects_;  // Made at the first drop or migration.
  std::size_t next_move_ = 0;
  std::vector<std::uint32_t> under_way_;  // Transfers, by when they began.
  datum_state state_;                     // Without what these two say.
};

/// The states of one datum at any moments, in any order: it keeps a walk every few hundred events.
///
/// Keeps: a reference to the model.
/// Cost: O(events of this handle) at the first look, then O(ranks); a kept walk takes 200 bytes and
/// 8 per rank.
class datum_seeker {
 public:
  datum_seeker(const model& of, std::uint32_t handle) : of_(of), handle_(handle) {}
  [[nodiscard]] datum_state at(std::int64_t when, const undone_by& left_out = {});

 private:
  void keep();

  const model& of_;
  const std::uint32_t handle_;
  std::vector<std::pair<std::int64_t, datum_walk>> kept_;  // By time.
};

/// The times at which something about a datum may change, in order. `in_flight`: also of what is on
/// its way. Cost: O(n log n), n the events of the datum.
[[nodiscard]] std::vector<std::int64_t> times_of_change(const model& of, std::uint32_t handle,
                                                        bool in_flight);

/// The last moment of the run at which there is something to see: programs end their data before
/// they end, so where nothing is left at the end, it is when the last task or message ends, or just
/// before, if data end with it. Cost: O(events of data + tasks + transfers).
[[nodiscard]] std::int64_t last_with_data(const model& of);

/// Cost: O(events of this handle).
[[nodiscard]] datum_state state_at(const model& of, std::uint32_t handle, std::int64_t when,
                                   const undone_by& left_out = {});

}  // namespace deed::viewer
