// SPDX-License-Identifier: MIT
#include <deed/base/error.hpp>
#include <deed/base/planted.hpp>
#include <deed/base/undone.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "dry_run.hpp"
#include "report.hpp"

#include <algorithm>

namespace deed::runtime {

ownership::slot core::add_datum(const registration_description& wanted) {
  const turn held(*this, caller(call_kind::steps, wanted.where));
  if (wanted.owner) check_owner(*wanted.owner, wanted.name, wanted.where);
  const std::uint64_t tag = wanted.tag ? wanted.tag->value : registrations_;
  check_tag_free(tag, wanted.name, wanted.where);
  const ownership::slot datum = add_record(wanted, tag, registrations_);
  slot_of_tag_.emplace(tag, datum);
  ++registrations_;
  log_registration(datum);
  record_registration(datum);
  return datum;
}

void core::check_owner(int owner, std::string_view name, place where) const {
  if (owner >= 0 && owner < size()) return;
  throw error(
      error_code::no_such_owner,
      "owner " + std::to_string(owner) + " of " + quoted(name) + " does not exist",
      {{"registered", to_string(where)}, {"ranks", "there are " + std::to_string(size())}},
      "use a rank in [0, " + std::to_string(size()) + "), for example `deed::owner{i % size}`");
}

ownership::slot core::add_record(const registration_description& wanted, std::uint64_t tag,
                                 std::uint64_t number) {
  const bool private_here = !wanted.owner;
  const data::type_operations& type =
      environment_.dry == nullptr ? *wanted.type : environment_.dry->stand_in(*wanted.type);
  const bool mine = private_here || wanted.owner == rank_;
  std::unique_ptr<replica> value;
  if (mine && wanted.make != nullptr) {  // The user's factory may throw: nothing has changed yet.
    value = std::make_unique<replica>();
    value->type = &type;
    value->shape = wanted.shape;
    if (environment_.dry != nullptr) {
      value->make_storage();
    } else {
      value->adopt(wanted.make, wanted.source);
      if (wanted.in_place) check_memory(*value, wanted);
    }
  }

  const std::uint32_t owner =
      private_here ? ownership::ledger::everywhere : static_cast<std::uint32_t>(*wanted.owner);
  const ownership::slot datum =
      ledger_.add(owner, wanted.make != nullptr,
                  wanted.type->element_bytes * wanted.shape.rows * wanted.shape.cols);
  if (datum >= data_.size()) {
    data_.resize(datum + 1);
    last_writes_.resize(datum + 1);
  }
  last_writes_[datum] = wanted.where;
  datum_info& info = data_[datum];
  info = {.type = &type,
          .shape = wanted.shape,
          .name = *names_.emplace(wanted.name).first,
          .i = wanted.i,
          .j = wanted.j,
          .where = wanted.where,
          .tag = tag,
          .number = static_cast<std::uint32_t>(number),
          .tagged = wanted.tag.has_value(),
          .in_place = wanted.in_place && environment_.dry == nullptr,
          .home = owner,
          .here = value.get()};
  if (wanted.rule != nullptr) info.extras().rule = wanted.rule;
  if (info.tagged) {
    tag_history& history = tags_used_[tag];
    // Its owner alone remembers: where all forget, messages still meet in their order.
    if (!planted(planted_bug::tag_history_forgotten) || rank_ == wanted.owner)
      info.transfers = std::move(history.transfers);
    if (history.end.writer != nullptr || history.end.readers_meet != nullptr)
      info.extras().before = history.end;
  }
  if (value != nullptr) {
    value->datum = datum;
    value->name = info.name;
    value->i = info.i;
    value->j = info.j;
    value->tag = tag;
    value->number = info.number;
    value->where = info.where;
    value->in_place = info.in_place;
    value->bytes = bytes_of(datum);
    value->large = is_large(*value);
    value->origin = rank_;
    value->where = info.where;
    value->order = info.before();
    if (info.in_place) memory_.add(datum, type.source(value->storage));
  }
  static_cast<void>(value.release());
  return datum;
}

ownership::registration core::registration_of(ownership::slot datum) const noexcept {
  return {data_[datum].name, data_[datum].where};
}

void core::check_memory(replica& value, const registration_description& wanted) const {
  const const_memory_block mine = wanted.type->source(value.storage);
  const std::optional<memory_overlap> found = memory_.overlapping(mine);
  if (!found) return;
  value.free_storage();
  const std::byte* const begin = std::min(mine.address, found->address);
  const auto covers = [&](const std::byte* first, std::size_t bytes) {
    const auto at = static_cast<std::size_t>(first - begin) / wanted.type->element_bytes;
    return ", elements [" + std::to_string(at) + ", " +
           std::to_string(at + bytes / wanted.type->element_bytes) + ")";
  };
  const std::string other = name_of(found->datum);
  throw error_about(
      about(found->datum),
      error(error_code::memory_registered_twice, "memory registered twice",
            {{"registered", quoted(wanted.name) + " at " + to_string(wanted.where) +
                                covers(mine.address, span_of(mine))},
             {"overlaps", known_as(found->datum) + covers(found->address, found->bytes)}},
            "`session.partition(std::move(" + other + "), …)` gives disjoint parts"));
}

void core::end(ownership::slot datum, place where) try {
  if (data_[datum].in_place) give_memory_back(datum, where);
  const turn held(*this, team_->main());
  if (verify_ != nullptr) note_end_of(datum);
  datum_info& info = data_[datum];
  if (info.partial() != nullptr) submit_end(*info.partial());
  if (info.here != nullptr) {
    // Behind the last use: a writer that frees the value, and then the replica itself.
    borrow_node& last = borrows_.take();
    last.kind = node_kind::end;
    last.access_count = 1;
    std::uint32_t edges = 0;
    link(last, last.only, datum,
         planted(planted_bug::datum_freed_early) ? access_mode::read : access_mode::write, edges);
    leaves_room(last, edges);
    graph_.write(info.here->loose, last, last.loose, edges);
    // Messages of two data with one tag are told apart by their order alone.
    if (info.tagged) tags_used_[info.tag].end = info.here->order;
    commit(last, edges);
  }
  if (info.tagged) tags_used_[info.tag].transfers = std::move(info.transfers);
  remember_end(datum);
  splits_.erase(datum);
  memory_.remove(datum);
  slot_of_tag_.erase(info.tag);
  const std::uint32_t number = std::exchange(info, datum_info{}).number;
  ledger_.remove(datum);
  record_end(number, datum, where);
} catch (...) {
  if (where.line() != 0) throw;
  fail(std::current_exception());  // From a destructor, which has no place and must not throw.
}

void core::remember_end(ownership::slot datum) {
  constexpr std::size_t most = 4096;  // Enough for a report; a run may have any number of data.
  const datum_info& info = data_[datum];
  if (ended_.size() == most) ended_.pop_front();
  ended_.push_back({rank_, info.tag, true, ledger_.version(datum), to_string(last_writes_[datum])});
}

int core::owner_of(ownership::slot datum) const {
  return static_cast<int>(ledger_.owner(datum));  // `everywhere` becomes -1.
}

std::uint64_t core::tag_of(ownership::slot datum) const {
  return undone("tag") ? 0 : data_[datum].tag;
}

std::string core::name_of(ownership::slot datum) const {
  const datum_info& info = data_[datum];
  return label_of(info.name, info.i, info.j);
}

std::string core::known_as(ownership::slot datum) const {
  return "`" + name_of(datum) + "` at " + to_string(data_[datum].where);
}

}  // namespace deed::runtime
