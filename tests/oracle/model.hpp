// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"
#include "values.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// @file
/// What a plan must do, computed step by step in one thread, by rules of its own: it shares no code
/// with the library's ledger.

namespace oracle {

/// All that a run can be compared with.
struct expectation {
  struct task_run {
    std::size_t step;
    int task;
    int rank;
    std::uint64_t inputs;  ///< What `kernel` returns.
  };
  struct look {
    std::size_t step;
    int rank;
    std::uint64_t value;
  };
  struct last_value {
    int datum;
    int rank;
    std::uint64_t value;
  };
  struct traffic {
    std::uint64_t transfers = 0;
    std::uint64_t bytes = 0;
    friend bool operator==(const traffic&, const traffic&) = default;
  };

  std::string refused;           ///< Why the plan is no program; empty if it is one.
  std::vector<task_run> runs;    ///< In the order of the plan.
  std::vector<look> looks;       ///< What each borrow sees.
  std::vector<last_value> last;  ///< Of every rank that has the current version at the end.
  std::map<std::pair<int, int>, traffic> sent;  ///< By sender and receiver.
  std::map<int, std::uint64_t> hits;            ///< By rank: reads that found a copy.
  std::map<int, std::uint64_t> beside;  ///< By rank: tasks of the library's own, without a kernel.
};

[[nodiscard]] expectation predict(const plan& program);

/// What is known of a datum's size on all ranks.
[[nodiscard]] std::uint64_t declared_bytes(const plan& program, int datum);

/// Who owns and who holds what, for whoever draws a plan step by step.
/// Source: architecture.md, section 4.
class model {
 public:
  explicit model(const settings& how)
      : ranks_(how.ranks),
        keeps_(how.cache),
        budget_(how.budget),
        kept_(static_cast<std::size_t>(how.ranks)),
        free_from_(static_cast<std::size_t>(how.ranks)) {}

  /// Does one step. False, with the reason in `expected().refused`, if it is no step of a program.
  bool perform(const plan& program, const step& s, std::size_t index);

  [[nodiscard]] bool live(int datum) const { return at(datum).live; }
  [[nodiscard]] bool initialised(int datum) const { return at(datum).initialised; }
  [[nodiscard]] bool holds(int datum, int rank) const;
  /// -1: one on every rank.
  [[nodiscard]] int owner(int datum) const { return at(datum).owner; }
  /// Tasks that were prepared and not submitted yet.
  [[nodiscard]] std::vector<int> prepared() const;
  /// The parts of each datum that is partitioned.
  [[nodiscard]] const std::map<int, std::vector<use>>& partitions() const { return partitions_; }
  [[nodiscard]] const std::map<int, std::vector<int>>& groups() const { return groups_; }
  [[nodiscard]] expectation& expected() noexcept { return expected_; }

 private:
  struct entry {
    bool live = false;
    bool initialised = false;
    int owner = 0;  // -1: one on every rank.
    std::uint64_t tag = 0;
    std::set<int> holders;           // Of the current version, with the owner.
    std::vector<int> arrived;        // Those beside the owner, in the order in which they got it.
    std::vector<held_value> values;  // One, or one per rank.
    std::set<int> contributors;      // To an open reduction.
    number contributed = 0;
    int preferred = -1;  // Who passes this version on.
    bool expects_many = false;
  };
  struct prepared_step {
    step what;
    int executor;  // -1: of private data.
  };
  [[nodiscard]] const entry& at(int datum) const {
    return entries_[static_cast<std::size_t>(datum)];
  }
  [[nodiscard]] entry& at(int datum) { return entries_[static_cast<std::size_t>(datum)]; }
  bool refuse(const char* reason);
  bool perform_one(const plan& program, const step& s, std::size_t index);
  bool repeat(const plan& program, std::size_t index);
  [[nodiscard]] bool usable(int datum) const;
  [[nodiscard]] bool has_rank(int rank) const { return rank >= 0 && rank < ranks_; }
  [[nodiscard]] held_value& value(int datum, int rank);
  [[nodiscard]] bool borrowed(std::size_t index, int rank) const;
  bool add(const plan& program, const step& s);
  [[nodiscard]] entry registered(const plan& program, int datum) const;
  bool partition(const plan& program, const step& s, std::size_t index);
  bool check_partition(const plan& program, const step& s);
  bool unite(const plan& program, const step& s, std::size_t index);
  void run_beside(const plan& program, const step& s, std::vector<use> uses, std::size_t index);
  bool check_task(const plan& program, const step& s);
  bool fits_lists(const plan& program, const step& s);
  bool run(const plan& program, const step& s, std::size_t index);
  void run_on(int rank, const plan& program, const step& s, std::size_t index);
  [[nodiscard]] int executor(const plan& program, const step& s) const;
  bool message(const plan& program, const step& s);
  bool check_each(const step& s);
  bool run_on_each(const plan& program, const step& s, std::size_t index);
  bool prepare(const plan& program, const step& s);
  bool submit(const plan& program, const step& s, std::size_t index);
  bool copy(const plan& program, const step& s, std::size_t index);
  bool take(const plan& program, const step& s, std::size_t index);
  bool end(int datum, std::size_t index);
  bool make_group(const step& s);
  bool gather_list(const plan& program, const step& s, std::size_t index);
  bool scatter_list(const plan& program, const step& s, std::size_t index);
  void bring_read(const plan& program, const step& s, int rank);
  void written_on_each(const plan& program, int datum, const std::vector<int>& ranks);
  [[nodiscard]] std::vector<int> members(const step& s) const;
  bool collective(const plan& program, const step& s);
  bool check_collective(const plan& program, const step& s);
  void broadcast(const step& s, const std::vector<int>& all);
  void gather_parts(const step& s, const std::vector<int>& all);
  void scatter_parts(const step& s, const std::vector<int>& all);
  void exchange(const step& s, const std::vector<int>& all);
  void fold(const step& s, const std::vector<int>& all);
  void count(int from, int to, std::uint64_t bytes);
  bool borrow(const plan& program, const step& s, std::size_t index);
  void transfer(int datum, int from, int to);
  void bring(int datum, int to);
  [[nodiscard]] int next_source(int datum) const;
  void written(int datum, int by);
  [[nodiscard]] bool away(int datum, int rank) const;
  bool fits(const plan& program, const std::set<int>& data, int rank);
  void make_room(const plan& program, const std::set<int>& data, int rank);
  void used(int datum, int rank);
  void dropped(int datum, int rank);
  bool fetch(const plan& program, const step& s);
  bool migrate(const plan& program, const step& s);
  void flush(int datum);
  [[nodiscard]] bool open(int datum) const { return !at(datum).contributors.empty(); }
  void close(int datum);
  void finish();
  friend expectation predict(const plan& program);

  int ranks_;
  bool keeps_;
  std::uint64_t budget_;
  std::vector<std::vector<int>> kept_;  // By rank: its copies, the one used longest ago first.
  std::vector<entry> entries_;
  std::set<std::uint64_t> tags_;
  std::map<int, prepared_step> prepared_;
  std::map<int, std::vector<int>> groups_;
  std::map<int, std::vector<use>> partitions_;
  std::optional<std::size_t> repeats_from_;  // The step that opened a repetition.
  std::vector<std::size_t> free_from_;  // By rank: the step at which its last borrow has ended.
  expectation expected_;
};

}  // namespace oracle
