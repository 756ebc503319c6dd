// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/runtime/prepared_task.hpp>

#include "core.hpp"
#include "report.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
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

}  // namespace

/// The ranks of an `on_each`, checked.
std::vector<std::uint32_t> core::check_each(const task_description& task) const {
  std::vector<std::uint32_t> ranks;
  if (task.where_to_run.ranks == nullptr) {
    ranks.resize(static_cast<std::size_t>(size()));
    std::iota(ranks.begin(), ranks.end(), 0u);
    return ranks;
  }
  for (const deed::rank each : *task.where_to_run.ranks) {
    check_placement({placement::kind::on_rank, each.value}, task.where);
    const auto rank = static_cast<std::uint32_t>(each.value);
    if (std::ranges::find(ranks, rank) == ranks.end()) ranks.push_back(rank);
  }
  if (ranks.empty()) {
    throw error(error_code::no_runner, "nobody runs " + quoted(task.codelet.name),
                {{"placed", to_string(task.where) + ", on each of no ranks"}},
                "name a rank, or `deed::everywhere`");
  }
  for (const access_description& each : task.accesses) {
    const std::uint32_t owner = ledger_.owner(each.datum);
    const bool among =
        owner == ownership::ledger::everywhere || std::ranges::find(ranks, owner) != ranks.end();
    if (!writes(each.mode) || among) continue;
    throw error(
        error_code::rank_must_take_part,
        "rank " + std::to_string(owner) + " must take part in task " + quoted(task.codelet.name),
        {{"written", quoted(name_of(each.datum)) + " at " + to_string(each.where)},
         {"owner", "rank " + std::to_string(owner)},
         {"placed", to_string(task.where) + ", on each of " + counted(ranks.size(), "rank") +
                        ", the owner not among them"}},
        "name the owner, too, or `deed::everywhere`");
  }
  return ranks;
}

/// `task` is checked, but for its ranks.
void core::insert_on_each(const task_description& task) {
  static_cast<void>(caller(call_kind::steps, task.where));
  const std::vector<std::uint32_t> ranks = check_each(task);
  const std::vector<ownership::request> requests = requests_of(task.accesses);
  const bool for_devices = task.body->enqueue_cuda != nullptr || task.body->enqueue_hip != nullptr;
  for (const std::uint32_t rank : ranks) {
    check_room(rank, requests, task.where);
    if (for_devices) check_workers(task, rank);
  }
  close_reductions(task.accesses);
  log_replication(task, ranks.size());
  count(inserted_, std::uint64_t{1});

  const auto me = static_cast<std::uint32_t>(rank_);
  const bool mine = std::ranges::find(ranks, me) != ranks.end();
  std::vector<ownership::effect> effects(requests.size()), here;
  for (const std::uint32_t rank : ranks) {
    ended_copies_.clear();
    ledger_.bring(rank, requests, effects, &ended_copies_);
    record_brought(rank, requests, effects, task.where);
    end_copies(ended_copies_.before);
    bring(rank, task.accesses, effects);
    if (rank == me) here = effects;
  }
  // What it does to the ledger is recorded change by change.
  if (recorder_ != nullptr && mine) record_insertion(task, me, true, here);
  if (mine) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto& [datum, mode] = requests[i];
      if (!writes(mode)) continue;
      if (ledger_.is_per_rank(datum)) ledger_.write(datum);
      const bool copied = here[i].owner != me && !ledger_.is_per_rank(datum);
      here[i].write_back = copied && !reads(mode);  // It makes a copy without a transfer.
    }
    claim_copies(requests, here);
    run_here(task, here);
  } else if (task.extras != nullptr) {
    note_elsewhere(task, ranks.front());
  }
  note_writes(task.accesses);
  ended_copies_.clear();
  ledger_.replicate(ranks, requests, &ended_copies_);
  for (const auto& [datum, mode] : requests) {
    if (!writes(mode) || ledger_.is_per_rank(datum)) continue;
    record_change(trace::ledger_change::write, datum, trace::nothing, task.where);
    for (const std::uint32_t holder : ledger_.others(datum))
      record_change(trace::ledger_change::fetch, datum, holder, task.where);
  }
  end_copies(ended_copies_.after);
}

void core::record_brought(std::uint32_t executor, std::span<const ownership::request> requests,
                          std::span<const ownership::effect> effects, place where) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (effects[i].fetch)
      record_change(trace::ledger_change::fetch, requests[i].datum, executor, where);
  }
  record_ended(ended_copies_.before, trace::drop_cause::capacity, where);
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
  if (per_rank || !ledger_.keeps_copies()) return made;
  std::vector<access_description> read;
  std::ranges::copy_if(accesses, std::back_inserter(read),
                       [](const access_description& each) { return reads(each.mode); });
  const std::vector<ownership::request> requests = requests_of(read);
  check_room(executor, requests, where);
  close_reductions(accesses);
  std::vector<ownership::effect> effects(requests.size());
  ended_copies_.clear();
  ledger_.bring(executor, requests, effects, &ended_copies_);
  for (const access_description& each : read) log_use(each, executor);
  record_brought(executor, requests, effects, where);
  end_copies(ended_copies_.before);
  bring(executor, read, effects);
  return made;
}

void core::check_prepared(std::span<const access_description> accesses, const prepared_data& known,
                          place where) const {
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const ownership::slot datum = accesses[i].datum;
    if (datum < data_.size() && data_[datum].number == known.numbers[i] &&
        data_[datum].type != nullptr)
      continue;
    throw error(error_code::unregistered_handle, "a datum of a prepared task has ended",
                {{"submitted", to_string(where)},
                 {"prepared",
                  to_string(accesses[i].where) + ", with it as datum " + std::to_string(i + 1)}},
                "submit the task first, or prepare it with what lives");
  }
}

}  // namespace deed::runtime
