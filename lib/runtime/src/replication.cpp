// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/planted.hpp>
#include <deed/base/undone.hpp>
#include <deed/runtime/prepared_task.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "report.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

/// @file
/// Tasks that several ranks run, and tasks whose data go ahead of them.

namespace deed::runtime {

prepared_data prepare(core& home, std::span<const access_description> accesses,
                      const placement& asked, place where) {
  return home.prepare(accesses, asked, where);
}
void check_prepared(core& home, std::span<const access_description> accesses,
                    const prepared_data& known, place where) {
  home.check_prepared(accesses, known, where);
}

namespace {

std::vector<ownership::request> requests_of(std::span<const access_description> accesses) {
  std::vector<ownership::request> all;
  for (const access_description& each : accesses) all.push_back({each.datum, each.mode});
  return all;
}

bool contains(std::span<const std::uint32_t> ranks, std::uint32_t rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

}  // namespace

/// The ranks that an `on_each` names, each once.
std::vector<std::uint32_t> core::ranks_of(const placement& each, place where) const {
  std::vector<std::uint32_t> ranks;
  if (each.ranks == nullptr) {
    ranks.resize(static_cast<std::size_t>(size()));
    std::iota(ranks.begin(), ranks.end(), 0u);
    return ranks;
  }
  for (const deed::rank named : *each.ranks) {
    check_placement({placement::kind::on_rank, named.value}, where);
    const auto rank = static_cast<std::uint32_t>(named.value);
    if (!contains(ranks, rank)) ranks.push_back(rank);
  }
  return ranks;
}

/// What is written there and has an owner that is not one of `ranks`; null if there is nothing.
const access_description* core::written_elsewhere(std::span<const access_description> accesses,
                                                  std::span<const std::uint32_t> ranks) const {
  const auto found = std::ranges::find_if(accesses, [&](const access_description& each) {
    return writes(each.mode) && !ledger_.is_per_rank(each.datum) &&
           !contains(ranks, ledger_.owner(each.datum));
  });
  return found == accesses.end() ? nullptr : &*found;
}

/// The ranks of an `on_each`, checked.
std::vector<std::uint32_t> core::check_each(const task_description& task) const {
  std::vector<std::uint32_t> ranks = ranks_of(task.where_to_run, task.where);
  if (ranks.empty()) {
    throw error(error_code::no_runner, "nobody runs " + quoted(task.codelet.name),
                {{"placed", to_string(task.where) + ", on each of no ranks"}},
                "name a rank, or `deed::everywhere`");
  }
  if (const access_description* const written = written_elsewhere(task.accesses, ranks)) {
    const std::string owner = "rank " + std::to_string(ledger_.owner(written->datum));
    throw error(error_code::rank_must_take_part,
                owner + " must take part in task " + quoted(task.codelet.name),
                {{"written", quoted(name_of(written->datum)) + " at " + to_string(written->where)},
                 {"owner", owner},
                 {"placed", to_string(task.where) + ", on each of " +
                                counted(ranks.size(), "rank") + ", the owner not among them"}},
                "name the owner, too, or `deed::everywhere`");
  }
  return ranks;
}

/// Brings what a task on `executor` reads, ahead of it: each datum is one change of the ledger.
std::vector<ownership::effect> core::bring_ahead(std::uint32_t executor,
                                                 std::span<const access_description> accesses,
                                                 int priority) {
  std::vector<ownership::effect> effects;
  for (const auto& [_, datum, mode, where, moved] : accesses) {
    const std::uint32_t owner = ledger_.owner(datum);
    effects.push_back({owner, ledger_.version(datum), false, false, owner});
    if (mode == access_mode::reduce) ledger_.contribute(datum, executor);
    if (!reads(mode) || owner == executor || ledger_.is_per_rank(datum)) continue;
    ended_copies_.clear();
    const std::optional<std::uint32_t> source = ledger_.fetch(datum, executor, &ended_copies_);
    // Where copies have a budget, it has been used, too.
    if (source || ledger_.budget().limited())
      record_change(trace::ledger_change::fetch, datum, executor, where);
    record_ended(ended_copies_.before, trace::drop_cause::capacity, where);
    end_copies(ended_copies_.before);
    effects.back().fetch = source.has_value();
    effects.back().source = source.value_or(owner);
  }
  bring(executor, accesses, effects, priority);
  return effects;
}

/// A task has written on each of `ranks`: they hold the new versions, or the owners alone where
/// copies are not kept.
void core::note_written(std::span<const std::uint32_t> ranks,
                        std::span<const access_description> accesses,
                        ownership::ended_copies& ended) {
  const auto me = static_cast<std::uint32_t>(rank_);
  const auto is_one = [&](const ownership::copy& stale) { return contains(ranks, stale.rank); };
  const auto tell = [&](place where) {
    record_ended(ended_copies_.before, trace::drop_cause::capacity, where);
    std::ranges::copy(ended_copies_.before, std::back_inserter(ended.before));
    std::ranges::copy(ended_copies_.after, std::back_inserter(ended.after));
  };
  for (const auto& [_, datum, mode, where, moved] : accesses) {
    if (!writes(mode) || mode == access_mode::reduce || ledger_.is_per_rank(datum)) continue;
    const bool had_copy = recorder_ != nullptr && has_copy(datum) && !is_one({datum, me});
    ended_copies_.clear();
    ledger_.write(datum, &ended_copies_);
    std::erase_if(ended_copies_.after, is_one);
    record_change(trace::ledger_change::write, datum, trace::nothing, where);
    if (had_copy) record_stale(datum, trace::no_task);
    for (const std::uint32_t rank : ranks) {
      if (rank == ledger_.owner(datum)) continue;
      static_cast<void>(ledger_.fetch(datum, rank, &ended_copies_));
      record_change(trace::ledger_change::fetch, datum, rank, where);
    }
    tell(where);
  }
  if (ledger_.keeps_copies()) return;
  // The task has all of them at once: no copy gives its room to another before all have theirs.
  for (const auto& [_, datum, mode, where, moved] : accesses) {
    if (mode == access_mode::reduce || ledger_.is_per_rank(datum) || ledger_.others(datum).empty())
      continue;
    ended_copies_.clear();
    ledger_.flush(datum, &ended_copies_);
    record_change(trace::ledger_change::flush, datum, trace::nothing, where);
    record_ended(ended_copies_.after, trace::drop_cause::cache_off, uncached_at_.value_or(where));
    tell(where);
  }
}

/// Who runs it, owns some of it, or may have to pass a copy on takes part. Where this rank does
/// not, what the task does to the ledger is recorded, and the step that it is.
bool core::relevant_on_each(std::span<const access_description> accesses, const placement& asked,
                            place where) {
  const auto me = static_cast<std::uint32_t>(rank_);
  const std::vector<std::uint32_t> ranks = ranks_of(asked, where);
  const bool refused = ranks.empty() || written_elsewhere(accesses, ranks) != nullptr;
  if (refused || contains(ranks, me)) return true;  // `insert_task` refuses it, by its name.
  const auto gives = [&](const access_description& each) {
    if (ledger_.owner(each.datum) == me) return true;
    return reads(each.mode) && ledger_.holds(each.datum, me) && !ledger_.is_per_rank(each.datum) &&
           std::ranges::any_of(
               ranks, [&](std::uint32_t rank) { return !ledger_.holds(each.datum, rank); });
  };
  if (std::ranges::any_of(accesses, gives)) return true;
  if (planted(planted_bug::pruned_write_forgotten)) return false;

  log_replication({.codelet = {"left out", where},
                   .accesses = accesses,
                   .body = nullptr,
                   .closure = nullptr,
                   .where_to_run = asked,
                   .where = where},
                  ranks.size());
  for (const std::uint32_t rank : ranks) static_cast<void>(bring_ahead(rank, accesses));
  ownership::ended_copies ended;
  note_written(ranks, accesses, ended);
  end_copies(ended.before);
  end_copies(ended.after);
  return false;
}

/// `task` is checked, but for its ranks.
void core::insert_on_each(context& self, const task_description& task) {
  static_cast<void>(caller(call_kind::steps, task.where));
  const std::vector<std::uint32_t> ranks = check_each(task);
  if (undone("on_each")) return;
  const std::vector<ownership::request> requests = requests_of(task.accesses);
  const bool for_devices = task.body->enqueue_cuda != nullptr || task.body->enqueue_hip != nullptr;
  for (const std::uint32_t rank : ranks) {
    check_room(rank, requests, task.where);
    if (for_devices) check_workers(task, rank);
  }
  if (observer_) show(self, task, ranks);
  close_reductions(task.accesses);
  log_replication(task, ranks.size());
  count(inserted_, std::uint64_t{1});

  const auto me = static_cast<std::uint32_t>(rank_);
  const bool mine = contains(ranks, me);
  std::vector<ownership::effect> here;
  for (const std::uint32_t rank : ranks) {
    std::vector<ownership::effect> effects = bring_ahead(rank, task.accesses, task.priority);
    if (rank == me) here = std::move(effects);
  }
  // What it does to the ledger is recorded change by change.
  if (recorder_ != nullptr && mine) record_insertion(task, me, true, here);
  for (std::size_t i = 0; mine && i < requests.size(); ++i) {
    const auto& [datum, mode] = requests[i];
    if (!writes(mode)) continue;
    if (ledger_.is_per_rank(datum)) ledger_.write(datum);
    const bool copied = here[i].owner != me && !ledger_.is_per_rank(datum);
    here[i].write_back = copied && !reads(mode);  // It makes a copy without a transfer.
  }
  ownership::ended_copies ended;
  note_written(ranks, task.accesses, ended);
  end_copies(ended.before);
  if (mine) {
    claim_copies(requests, here);
    run_here(task, here);
  } else if (task.extras != nullptr) {
    note_elsewhere(task, ranks.front());
  }
  note_writes(task.accesses);
  end_copies(ended.after);
}

prepared_data core::prepare(std::span<const access_description> accesses, const placement& asked,
                            place where) {
  context& self = caller(call_kind::steps, where);
  hold_back(self);
  const turn held(*this, self);
  std::vector<ownership::request> all(accesses.size());
  const bool per_rank = check_accesses(accesses, all);
  check_placement(asked, where);
  const auto me = static_cast<std::uint32_t>(rank_);
  const std::uint32_t executor = per_rank ? me : choose(asked, all, where);
  prepared_data made{.executor = static_cast<int>(executor), .numbers = {}};
  for (const access_description& each : accesses) made.numbers.push_back(data_[each.datum].number);

  // Where copies are not kept, what came now would be gone by then.
  if (per_rank || !ledger_.keeps_copies() || undone("prepare_task")) return made;
  std::vector<access_description> read;
  std::ranges::copy_if(accesses, std::back_inserter(read),
                       [](const access_description& each) { return reads(each.mode); });
  check_room(executor, requests_of(read), where);
  close_reductions(accesses);
  const std::vector<ownership::effect> effects = bring_ahead(executor, read);
  for (std::size_t i = 0; i < read.size(); ++i) {
    const auto& [owner, version, fetched, written_back, source] = effects[i];
    log_use(read[i], executor, fetched ? std::optional(source) : std::nullopt);
  }
  return made;
}

void core::check_prepared(std::span<const access_description> accesses, const prepared_data& known,
                          place where) const {
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const ownership::slot datum = accesses[i].datum;
    if (datum < data_.size() && data_[datum].number == known.numbers[i] &&
        data_[datum].type != nullptr)
      continue;
    throw error_about({.handle = known.numbers[i]},
                      error(error_code::unregistered_handle, "a datum of a prepared task has ended",
                            {{"submitted", to_string(where)},
                             {"prepared", to_string(accesses[i].where) + ", with it as datum " +
                                              std::to_string(i + 1)}},
                            "submit the task first, or prepare it with what lives"));
  }
}

}  // namespace deed::runtime
