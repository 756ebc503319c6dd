// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/base/undone.hpp>
#include <deed/runtime/copies.hpp>

#include "core.hpp"
#include "report.hpp"

#include <algorithm>

/// @file
/// Copies of data that other ranks own: when their memory comes and goes.
///
/// The ledger decides in the order of the sequence; here its decisions get their place among the
/// tasks. A copy goes behind its last use. What needs room waits for all copies that went before
/// it in the sequence (`room_`), so the memory in use never exceeds what the ledger counted.

namespace deed::runtime {

bool keeps_copies(const core& home) noexcept { return home.books().keeps_copies(); }
void keep_copies(core& home, bool on, place where) { home.keep_copies(on, where); }
void flush(core& home, std::optional<ownership::slot> datum, place where) {
  home.flush(datum, where);
}
bool holds(const core& home, ownership::slot datum, std::optional<int> rank) {
  if (undone("holds")) return false;
  return home.books().holds(datum, static_cast<std::uint32_t>(rank.value_or(home.rank())));
}

void core::keep_copies(bool on, place where) {
  if (undone("set_cache")) return;
  const turn held(*this, caller(call_kind::steps, where));
  log_step(common_step::kind::cache, std::nullopt, on ? 1 : 0, where);
  ended_copies_.clear();
  ledger_.keep_copies(on, &ended_copies_);
  if (!on) note_flush();
  uncached_at_ = where;
  record_change_of_all(on ? trace::ledger_change::keep : trace::ledger_change::keep_not, where);
  record_ended(ended_copies_.after, trace::drop_cause::cache_off, where);
  end_copies(ended_copies_.after);
}

void core::flush(std::optional<ownership::slot> datum, place where) {
  if (undone("flush")) return;
  const turn held(*this, caller(call_kind::steps, where));
  log_step(common_step::kind::flush, datum, 0, where);
  ended_copies_.clear();
  if (datum) {
    ledger_.flush(*datum, &ended_copies_);
    record_change(trace::ledger_change::flush, *datum, trace::nothing, where);
  } else {
    ledger_.flush_all(&ended_copies_);
    note_flush();
    record_change_of_all(trace::ledger_change::flush_all, where);
  }
  record_ended(ended_copies_.after, trace::drop_cause::flush_call, where);
  end_copies(ended_copies_.after);
}

void core::check_room(std::uint32_t executor, std::span<const ownership::request> requests,
                      place where) const {
  const std::uint64_t wanted = ledger_.room_for(executor, requests);
  const std::uint64_t budget = ledger_.budget().bytes();
  if (wanted <= budget) return;
  throw error(error_code::host_memory_exhausted,
              "copies for one task need " + std::to_string(wanted) + " bytes on rank " +
                  std::to_string(executor) + ", and the cache may have " + std::to_string(budget),
              {{"used", to_string(where)}},
              "give it more, `--deed-memory=cache=" + std::to_string(wanted) +
                  "`, or run the task where more of its data are");
}

void core::end_copies(std::span<const ownership::copy> ended) {
  for (const auto& [datum, rank] : ended) {
    // Nothing to free where nothing came: a rank may have left out what concerned it.
    if (static_cast<int>(rank) == rank_ && data_[datum].here != nullptr)
      submit_care(node_kind::drop, datum);
  }
}

void core::submit_care(node_kind kind, ownership::slot datum) {
  borrow_node& fresh = borrows_.take();
  fresh.kind = kind;
  fresh.access_count = 1;
  std::uint32_t edges = 0;
  const bool waits = kind != node_kind::drop || !planted(planted_bug::copy_ended_early);
  link(fresh, fresh.only, datum, waits ? access_mode::write : access_mode::read, edges);
  if (kind == node_kind::drop || kind == node_kind::gain) {
    leaves_room(fresh, edges);
  } else {
    wants_room(fresh, edges);
  }
  commit(fresh, edges);
}

void core::leaves_room(small_node& last, std::uint32_t& edges) {
  if (ledger_.budget().limited()) graph_.write(room_, last, last.room, edges);
}

void core::wants_room(small_node& first, std::uint32_t& edges) {
  if (ledger_.budget().limited()) tasks::graph::follow(room_, first, first.room.entry, edges);
}

void core::claim_copies(std::span<const ownership::request> requests,
                        std::span<const ownership::effect> effects) {
  if (!ledger_.budget().limited()) return;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    // What is fetched gets its memory when it arrives.
    if (effects[i].write_back && !effects[i].fetch)
      submit_care(node_kind::claim, requests[i].datum);
  }
}

void core::take_care(const node& ready, replica& copy) {
  switch (ready.kind) {
    case node_kind::claim:
      try {
        copy.make_storage(&blocks_);
      } catch (...) {  // The task that asked for it meets the same, and says so.
      }
      return;
    case node_kind::drop:
      if (!copy.in_place) copy.free_storage();
      return;
    case node_kind::gain:
      copy.count_in(nullptr);
      return;
    case node_kind::lose:
      copy.count_in(&copies_here_);
      return;
    default:
      return;
  }
}

void core::count_hit(ownership::slot datum, std::uint32_t owner) {
  const datum_info& info = data_[datum];
  ++uses_of_copies_[static_cast<int>(owner)].hits;
  count(copies_hit_);
  if (info.type->form != data::wire_form::fixed) return;
  team_->main().seen.saved(static_cast<int>(owner), bytes_of(datum));
  if (keeps_ != nullptr) keeps_->bytes_saved[static_cast<int>(owner)] += bytes_of(datum);
}

std::uint64_t core::bytes_on_the_wire(const replica& copy) {
  if (copy.type->form == data::wire_form::resizable) return copy.type->bytes(copy.storage);
  if (copy.packed_bytes != 0) return copy.packed_bytes;
  data::packed_buffer packed;
  copy.type->pack(copy.storage, packed);
  return packed.size();
}

}  // namespace deed::runtime
