// SPDX-License-Identifier: MIT
#include <deed/base/planted.hpp>
#include <deed/base/undone.hpp>

#include "about_datum.hpp"
#include "core.hpp"
#include "dry_run.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <exception>

namespace deed::runtime {

borrow_node& core::begin_borrow(const access_description& what, bool by_program) {
  borrow_node& fresh = submit_borrow(what, by_program);
  try {
    if (planted(planted_bug::borrow_granted_early) && fresh.only.datum().storage != nullptr)
      return fresh;
    record_borrow(fresh, true);
    if (by_program && !fresh.granted.load(std::memory_order_acquire))
      waits_in("borrow() of " + quoted(name_of(what.datum)) + " at " + to_string(what.where));
    help_until([&] { return fresh.granted.load(std::memory_order_acquire); });
    record_borrow(fresh, false);
    replica& copy = fresh.only.datum();
    if (const shared_failure why = reads(what.mode) ? why_missing(fresh, copy) : nullptr) {
      account alone;
      alone.add(*why);
      std::rethrow_exception(exception_of(alone, true));
    }
    if (writes(what.mode)) {
      copy.make_storage(&blocks_);
      copy.packed_bytes = 0;
    }
    heal(fresh.accesses());
  } catch (...) {
    end_borrow(fresh);
    throw;
  }
  return fresh;
}

borrow_node& core::submit_borrow(const access_description& what, bool by_program) {
  const turn held(*this, caller(call_kind::waits, what.where, "borrow()"));
  if (by_program) check_access(what);
  if (ledger_.is_open(what.datum)) refuse_open(what, "borrowed");  // Other ranks do not see it.
  const auto me = static_cast<std::uint32_t>(rank_);
  const bool owned = ledger_.owner(what.datum) == me || ledger_.is_per_rank(what.datum);
  if (!owned && (writes(what.mode) || !ledger_.holds(what.datum, me))) {
    throw error_about(
        about(what.datum),
        error(error_code::not_on_this_rank, quoted(name_of(what.datum)) + " is not on this rank",
              {{"borrowed", to_string(what.where) + " on rank " + std::to_string(rank_)},
               {"owner", "rank " + std::to_string(owner_of(what.datum))},
               {"registered", to_string(data_[what.datum].where)}},
              "borrow it where `session.owns(h)`, or bring it here with `session.fetch` on every "
              "rank"));
  }
  check_borrows(what);

  borrow_node& fresh = borrows_.take();
  fresh.kind = node_kind::borrow;
  fresh.granted.store(false, std::memory_order_relaxed);
  fresh.where = what.where;
  fresh.access_count = 1;
  fresh.mode = what.mode;
  fresh.datum = what.datum;
  if (writes(what.mode) && !planted(planted_bug::borrowed_write_forgotten)) {
    ledger_.write(what.datum);
    record_change(trace::ledger_change::write, what.datum, trace::nothing, what.where);
  }
  std::uint32_t edges = 0;
  link(fresh, fresh.only, what.datum, what.mode, edges);
  lent_.push_back(&fresh);
  lent_count_.store(lent_.size(), std::memory_order_release);
  commit(fresh, edges);
  return fresh;
}

/// The datum is about to end, and its memory is the program's: what was submitted has been done to
/// it when this returns, and the last value is there. Where an exception passes by, what is waited
/// for may never come, and the exception is what the user must hear of: then this rank stops if it
/// has not done all.
void core::give_memory_back(ownership::slot datum, place ends) noexcept {
  if (life_ == life::stopped) return;
  try {
    borrow_node* last = nullptr;
    bool never_comes = false;
    {
      const turn held(*this, team_->main());
      warn_of_home(datum, ends);
      bring_home(datum, data_[datum].where);
      replica* const copy = data_[datum].here;
      const bool is_lent = std::ranges::find(lent_, datum, &borrow_node::datum) != lent_.end();
      if (copy == nullptr || !copy->in_place || is_lent) return;
      last = &borrows_.take();
      last->kind = node_kind::borrow;
      last->granted.store(false, std::memory_order_relaxed);
      last->where = copy->where;
      last->access_count = 1;
      std::uint32_t edges = 0;
      link(*last, last->only, datum, access_mode::read_write, edges);
      graph_.write(copy->loose, *last, last->loose, edges);
      if (broken_ || failed_ || passes_exception()) {
        count(submitted_, std::uint64_t{1});
        never_comes = last->commit(edges) == tasks::vertex::arrival::early;
        if (!never_comes) release(*last);  // What a device has to do yet, it ends without others.
      } else {
        commit(*last, edges);
      }
    }
    if (never_comes) return stop(datum);
    waits_in("the end of " + known_as(datum) + ", which is in place");
    help_until([&] { return last->granted.load(std::memory_order_acquire); });
    complete(team_->main(), *last, last->accesses());
    borrows_.give_back(*last);
  } catch (...) {
    fail(std::current_exception());  // A handle ends in silence; the next `wait()` throws it.
    stop(datum);
  }
}

void core::check_wait_for(ownership::slot datum, place where) const {
  const auto lent = std::ranges::find(lent_, datum, &borrow_node::datum);
  if (lent == lent_.end()) return;
  throw error_about(
      about(datum),
      error(error_code::wait_for_ever, "`wait()` would wait for ever",
            {{"waits", to_string(where) + " for all uses of " + quoted(name_of(datum))},
             {"borrowed",
              std::string(to_string((*lent)->mode)) + " at " + to_string((*lent)->where)}},
            "end the borrow first: close its scope"));
}

/// Behind all that was submitted here on the datum so far: on its value, without order, and on what
/// lies beside it, which this rank contributes now or did.
borrow_node& core::submit_last(ownership::slot datum, place where) {
  const turn held(*this, team_->main());
  borrow_node& last = borrows_.take();
  last.kind = node_kind::borrow;
  last.granted.store(false, std::memory_order_relaxed);
  last.where = where;
  last.access_count = 0;
  std::uint32_t edges = 0;
  if (replica* const copy = data_[datum].here) {
    last.access_count = 1;
    last.only.set(*copy, access_mode::read);  // It changes nothing, also where a device has it.
    graph_.write(copy->order, last, last.only.at, edges);
    graph_.write(copy->loose, last, last.loose, edges);
  }
  if (replica* const partial = data_[datum].partial())
    graph_.write(partial->order, last, last.other.at, edges);
  if (const auto* const seldom = data_[datum].seldom.get())
    tasks::graph::follow(seldom->contributed, last, last.room.entry, edges);
  commit(last, edges);
  return last;
}

void core::wait_for(ownership::slot datum, place where) {
  static_cast<void>(caller(call_kind::waits, where, "wait()"));
  check_wait_for(datum, where);
  if (undone("wait_for_datum")) return;
  waits_in("wait(" + name_of(datum) + ") at " + to_string(where));
  const recorded_wait recorded = record_wait(trace::wait_kind::handle, data_[datum].number, where);
  borrow_node& last = submit_last(datum, where);
  const auto leave = [&] {
    complete(team_->main(), last, last.accesses());
    borrows_.give_back(last);
    see_completed();
  };
  shared_failure why;
  try {
    help_until([&] { return last.granted.load(std::memory_order_acquire); });
    // Who only reads on a device lets others go on before it has run.
    if (const replica* const copy = data_[datum].here; devices_ != nullptr && copy != nullptr)
      help_until([&] { return copy->device_uses.load(std::memory_order_acquire) <= 1; });
    // Of a copy that is out of date, nobody wants to know.
    if (last.access_count > 0 && ledger_.holds(datum, static_cast<std::uint32_t>(rank_)))
      why = why_missing(last, last.only.datum());
  } catch (...) {
    leave();
    throw;
  }
  leave();
  if (why == nullptr) return;
  account alone;
  alone.add(*why);
  std::rethrow_exception(exception_of(alone, true));
}

void core::end_borrow(borrow_node& held) noexcept {
  std::erase(lent_, &held);
  lent_count_.store(lent_.size(), std::memory_order_release);
  if (life_ != life::open) return;  // Nobody waits for it any more.
  record_return(held);
  if (environment_.dry != nullptr) environment_.dry->give_back(held);
  complete(team_->main(), held, held.accesses());
  borrows_.give_back(held);
  see_completed();
}

void* core::storage_of(borrow_node& held) {
  return environment_.dry == nullptr ? held.only.datum().storage : environment_.dry->lend(held);
}

void core::check_borrows(const access_description& what) const {
  for (const borrow_node* lent : lent_) {
    if (lent->datum != what.datum || (!writes(what.mode) && !writes(lent->mode))) continue;
    throw error_about(
        about(what.datum),
        error(error_code::borrowed_twice, quoted(name_of(what.datum)) + " is borrowed twice",
              {{"wanted", std::string(to_string(what.mode)) + " at " + to_string(what.where)},
               {"lent to", std::string(to_string(lent->mode)) + " at " + to_string(lent->where)},
               {"registered", to_string(data_[what.datum].where)}},
              "end the first borrow before: close its scope"));
  }
}

}  // namespace deed::runtime
