// SPDX-License-Identifier: MIT
#include "about_datum.hpp"
#include "core.hpp"
#include "report.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

/// @file
/// What is refused when a call is made. Every check is O(1) or O(pairs of accesses); every refusal
/// leaves the session as it was.

namespace deed::runtime {
namespace {

/// Where a thread is that runs the program's code in the middle of the library's.
struct surroundings {
  std::string_view inside;
  std::string_view of;  // What `context::what` names.
};
surroundings words_for(running inside) {
  switch (inside) {
    case running::task:
      return {"a task", "task"};
    case running::callback:
      return {"a callback", "callback of"};
    case running::observer:
      return {"an observer", "looks at"};
    case running::program:
      break;
  }
  return {"the program", "in"};
}

/// Refuses what may not be called there.
void refuse_inside(const context& self, call_kind what, place where, std::string_view call) {
  const auto [inside, of] = words_for(self.inside);
  if (what == call_kind::waits) {
    throw error(error_code::wait_inside_task, "waiting inside " + std::string(inside),
                {{"called", quoted(call) + ", at " + to_string(where)},
                 {std::string(of), quoted(self.what)}},
                "return, wait in the program");
  }
  if (self.inside == running::callback && what <= call_kind::submits) return;
  const bool in_callback = self.inside == running::callback;
  throw error(error_code::wrong_thread,
              in_callback ? "a callback makes a call that every rank must make in order"
                          : "the session is used inside " + std::string(inside),
              {{"called", to_string(where)}, {std::string(of), quoted(self.what)}},
              in_callback ? "send, receive or insert tasks on per-rank data there; make this call "
                            "in the program"
                          : "return, and call it in the program");
}

}  // namespace

void core::refuse_use(place where) const {
  if (life_ == life::stopped) {
    const std::exception_ptr before = reason_of_failure();  // `close` throws it, too.
    if (before && !stopped_alone_) std::rethrow_exception(before);
    throw ended_early("used", where);
  }
  throw error(error_code::session_closed, "the session is closed", {{"used", to_string(where)}},
              "close it last, or leave that to its destructor");
}

context& core::look_at_caller(call_kind what, place where, std::string_view call) {
  if (life_ != life::open) [[unlikely]]
    refuse_use(where);
  const bool program = std::this_thread::get_id() == thread_;
  context* const self = program ? &team_->main() : team_->worker_that_calls();
  if (self == nullptr) {
    throw error(error_code::wrong_thread, "the session is used from another thread",
                {{"called", to_string(where)}},
                "call it from the thread that made it, or from nowhere else");
  }
  if (program) last_call_ = where;
  if (self->inside != running::program) [[unlikely]]
    refuse_inside(*self, what, where, call);
  const bool may_be_kept = what == call_kind::inserts || what == call_kind::leaves_out;
  if (keeps_ != nullptr && !may_be_kept) [[unlikely]]
    stop_keeping();
  return *self;
}

void core::check_callback(const context& self, std::span<const access_description> accesses) const {
  if (self.inside != running::callback) return;
  for (const access_description& each : accesses) {
    if (ledger_.is_per_rank(each.datum)) continue;
    throw error_about(
        about(each.datum),
        error(error_code::wrong_thread,
              "a callback uses " + quoted(name_of(each.datum)) + ", which has an owner",
              {{"used", to_string(each.where)},
               {"callback of", quoted(self.what)},
               {"owner", "rank " + std::to_string(owner_of(each.datum))}},
              "use per-rank data in callbacks: no order tells the other ranks of this call"));
  }
}

bool core::check_accesses(std::span<const access_description> accesses,
                          std::span<ownership::request> requests, bool mixed) const {
  std::size_t per_rank = 0;
  const bool any_open = ledger_.any_open() || !splits_.empty();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const access_description& each = accesses[i];
    const ownership::slot datum = each.datum;
    if (each.session != this || any_open || (reads(each.mode) && !ledger_.initialised(datum)))
        [[unlikely]]
      check_access(each);
    requests[i] = {datum, each.mode};
    if (ledger_.is_per_rank(datum)) ++per_rank;
    // Whoever writes is noted there at the end of the insertion; of remote data it is far away.
    if (writes(each.mode)) __builtin_prefetch(&last_writes_[datum], 1);
    for (std::size_t j = 0; j < i; ++j) {
      if (requests[j].datum == datum) [[unlikely]]
        check_pair(accesses[j], each);
    }
  }
  if (per_rank != 0 && per_rank != accesses.size() && !mixed) refuse_mixed(accesses);
  return per_rank != 0;
}

void core::check_access(const access_description& asked) const {
  if (asked.session != this) {
    throw error(error_code::foreign_session, "a handle belongs to another session",
                {{"used", to_string(asked.where)}},
                "insert the task in the session that registered the handle, or pass the value on");
  }
  if (const auto split = splits_.find(asked.datum); split != splits_.end()) {
    try {
      ownership::refuse_split(split->second.known, asked.where);
    } catch (const error& known) {
      throw error_about(about(asked.datum), known);
    }
  }
  if (asked.mode == access_mode::write && ledger_.is_open(asked.datum))
    refuse_open(asked, "written");
  if (reads(asked.mode) && !ledger_.initialised(asked.datum) && !ledger_.is_open(asked.datum)) {
    throw error_about(
        about(asked.datum),
        error(error_code::read_before_written,
              quoted(name_of(asked.datum)) + " is read but nothing wrote it",
              {{"read", to_string(asked.where)},
               {"registered", to_string(data_[asked.datum].where) + " without a value"}},
              "insert a task that writes it first, or register a value"));
  }
}

void core::check_pair(const access_description& first, const access_description& second) const {
  const auto& [_, datum, mode, where, moved] = second;
  if (mode == access_mode::read && first.mode == access_mode::read) return;
  throw error_about(
      about(datum),
      error(error_code::read_and_written,
            quoted(name_of(datum)) + " is named twice by one task, and written",
            {{"second use", std::string(to_string(mode)) + " at " + to_string(where)},
             {"first use", std::string(to_string(first.mode)) + " at " + to_string(first.where)},
             {"registered", to_string(data_[datum].where)}},
            "name it once, with `deed::read_write`"));
}

void core::check_placement(const placement& asked, place where) const {
  if (asked.how != placement::kind::on_rank || (asked.rank >= 0 && asked.rank < size())) return;
  throw error(
      error_code::no_such_rank, "there is no rank " + std::to_string(asked.rank),
      {{"placed", to_string(where)}, {"ranks", "there are " + std::to_string(size())}},
      "use a rank in [0, " + std::to_string(size()) + "), for example `deed::rank{i % size}`");
}

void core::check_count(const task_description& task) {
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  if (task.accesses.size() <= most) [[likely]]
    return;
  throw error(error_code::too_many_accesses,
              "task " + quoted(task.codelet.name) + " names " +
                  std::to_string(task.accesses.size()) + " data",
              {{"inserted", to_string(task.where)}, {"at most", std::to_string(most)}},
              "let a tree of tasks do it, each with a part of the list");
}

void core::check_peer(int peer, place where) const {
  if (peer >= 0 && peer < size()) return;
  throw error(error_code::no_such_peer, "there is no rank " + std::to_string(peer) + " to talk to",
              {{"called", to_string(where)},
               {"ranks",
                "there are " + std::to_string(size()) + "; this is rank " + std::to_string(rank_)}},
              "use a rank in [0, " + std::to_string(size()) + "), for example `(rank + 1) % size`");
}

void core::refuse_mixed(std::span<const access_description> accesses) const {
  const auto is_own = [&](const access_description& each) {
    return ledger_.is_per_rank(each.datum);
  };
  const access_description& own = *std::ranges::find_if(accesses, is_own);
  const access_description& owned = *std::ranges::find_if_not(accesses, is_own);
  throw error_about(
      about(owned.datum),
      error(error_code::owned_in_per_rank_task,
            quoted(name_of(owned.datum)) + " has an owner, and stands in a per-rank task",
            {{"used", to_string(owned.where)},
             {"owner", "rank " + std::to_string(owner_of(owned.datum))},
             {"per rank", known_as(own.datum)}},
            "bring it to every rank first: `session.fetch(deed::read(h), deed::everywhere)` and "
            "a task of its own"));
}

}  // namespace deed::runtime
