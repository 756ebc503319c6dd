// SPDX-License-Identifier: MIT
#pragma once

#include <deed/ownership/ledger.hpp>

#include "analysis/ask/ask.hpp"
#include "analysis/model.hpp"
#include "analysis/replay/group_writes.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// @file
/// The ledger of a run, decided again from its records by the class that decided it then.

namespace deed::viewer {

/// One record that changes the ledger, follows from it, or says what a rank made of it.
struct ledger_event {
  enum class kind : std::uint8_t { change, group_write, writer, reader, snapshot, digest };
  std::uint64_t step = 0;   ///< How often the ledger has changed, this record included.
  std::uint64_t place = 0;  ///< Of the last of `group_writes` that its rank had made.
  std::uint32_t event = none;
  kind what = kind::change;
  std::uint32_t task = none;  ///< Of a writer or a reader.
};

/// All such records of all ranks, in the order of the program.
///
/// A recording that starts in the middle (a flight recorder) starts with what the ranks wrote down
/// as it was then. Where a change was not recorded, the replay ends and says so: nothing is
/// guessed. Cost: 24 bytes per task and change; the ledger, 48 bytes per datum.
class ledger_replay {
 public:
  explicit ledger_replay(const model& of);

  /// Whether the run has the records that a replay needs, and its ranks submitted one sequence.
  [[nodiscard]] bool possible() const noexcept { return !events_.empty() && !guarded_; }
  /// As `guarded` of the run.
  [[nodiscard]] bool guarded() const noexcept { return guarded_; }
  /// What members of groups wrote, which the other ranks do not count.
  [[nodiscard]] const group_writes& of_groups() const noexcept { return of_groups_; }
  /// Runs through all of it. Returns what the ranks recorded otherwise than the ledger decides.
  [[nodiscard]] std::vector<finding> compare();

  /// The changes replayed so far, and those that ranks recorded; of a ring, since it begins.
  [[nodiscard]] std::uint64_t replayed() const noexcept { return step_ - before(); }
  [[nodiscard]] std::uint64_t recorded() const noexcept { return last_step_ - before(); }
  /// Records of a rank's own digest that were compared.
  [[nodiscard]] std::uint64_t digests_compared() const noexcept { return digests_; }

  /// The ledger after the first `step` changes. Cost: O(`step`) from the start, O(difference) on.
  [[nodiscard]] const ownership::ledger& at(std::uint64_t step);
  [[nodiscard]] std::optional<ownership::slot> slot_of(std::uint32_t handle) const;

 private:
  /// What an executor recorded of one access: hit or miss, asked for, sent back.
  struct claim {
    std::uint32_t task = none;
    std::uint32_t handle = 0;
    enum class kind : std::uint8_t { hit, miss, fetched, written_back } what;
  };

  /// A datum that every rank has one of, as one rank knows it.
  struct private_datum {
    std::uint32_t slot = 0;
    std::uint32_t version = 0;
    [[nodiscard]] std::uint64_t digest() const noexcept {
      return ownership::ledger::private_digest(slot, version);
    }
  };
  struct private_data {
    std::unordered_map<std::uint32_t, private_datum> of_handle;
    std::uint64_t sum = 0;
  };

  [[nodiscard]] std::uint64_t before() const noexcept {
    return first_step_ == 0 ? 0 : first_step_ - 1;
  }
  void collect();
  void collect_claim(const event& e, std::uint32_t rank);
  void collect_claims();
  void follow_private(const event& e, std::uint32_t index, std::uint32_t rank);
  void restart();
  bool advance(std::vector<finding>* found);
  void follow_digest();
  template <class Change>
  void with_digest(ownership::slot datum, Change&& change);
  void change(const ledger_event& here, std::vector<finding>* found);
  void change_by_group(const ledger_event& here, std::vector<finding>* found);
  void compare_version(const ledger_event& here, ownership::slot datum,
                       std::vector<finding>* found) const;
  void restore(const ledger_event& here);
  bool bring_forward_the_change();
  bool run_task(const ledger_event& here, std::vector<finding>* found);
  void compare_access(const ledger_event& here, std::size_t first,
                      std::vector<finding>& found) const;
  void compare_digest(const ledger_event& here, std::vector<finding>& found);
  /// How often it was recorded.
  [[nodiscard]] std::ptrdiff_t claimed(std::uint32_t task, std::uint32_t handle,
                                       claim::kind what) const;
  [[nodiscard]] bool cut_off(std::uint32_t task) const;
  [[nodiscard]] bool same(std::uint32_t one, std::uint32_t other) const;
  [[nodiscard]] finding differs(const ledger_event& here, std::uint32_t handle,
                                std::uint32_t version, const std::string& sentence) const;

  const model* of_;
  group_writes of_groups_;
  std::vector<ledger_event> events_;
  std::vector<claim> claims_;             // By task; only `compare` needs them.
  std::vector<std::size_t> first_claim_;  // Of each task, and the end.
  bool lookups_recorded_ = false, transfers_recorded_ = false;
  bool guarded_ = false;
  bool whole_ = true;                  // From the first step on, with nothing discarded.
  std::vector<private_data> private_;  // By rank.
  std::unordered_map<std::uint32_t, std::uint32_t> last_of_killed_;  // The last task of a rank.
  ownership::copy_rules rules_;
  std::unordered_map<std::uint32_t, std::uint64_t> private_sum_;  // Of a digest's event.
  std::uint64_t first_step_ = 0, last_step_ = 0;
  std::uint32_t most_slots_ = 0;

  ownership::ledger ledger_;
  std::uint64_t sum_ = 0;  // The ledger's digest, change by change.
  std::unordered_map<std::uint32_t, ownership::slot> slots_;
  std::size_t next_ = 0;
  std::uint64_t step_ = 0;
  std::uint32_t changed_by_ = none;  // The last record of a change that is no task's,
  std::uint64_t changed_as_ = 0;     // and of which step.
  std::map<std::uint64_t, std::uint32_t>
      group_writes_;  // So far: the first record of each, by place.
  std::uint64_t digests_ = 0;
  std::vector<ownership::request> requests_;
  std::vector<ownership::effect> effects_;
  std::vector<const access*> known_;
};

}  // namespace deed::viewer
