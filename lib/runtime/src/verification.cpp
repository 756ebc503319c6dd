// SPDX-License-Identifier: MIT
#include "verification.hpp"

#include "control.hpp"
#include "core.hpp"
#include "of_all_ranks.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <utility>

/// @file
/// What a core notes in verify mode, and what the ranks tell each other at the end.

namespace deed::runtime {

void core::note_submission(const task_description& task, std::uint32_t executor,
                           std::span<const ownership::effect> effects) {
  if (!verify_->on.global) return;
  const auto me = static_cast<std::uint32_t>(rank_);
  submission made{.codelet = &keep(task.codelet),
                  .where = task.where,
                  .number = inserted_ - 1,
                  .executor = executor,
                  .alone = executor == me,
                  .accesses = {}};
  made.accesses.reserve(effects.size());
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const access_description& each = task.accesses[i];
    made.accesses.push_back({data_[each.datum].tag, effects[i].version_read, each.mode});
    if (effects[i].owner != me && effects[i].owner != ownership::ledger::everywhere)
      made.alone = false;
  }
  verify_->submissions.push_back(std::move(made));
  if (task.where_to_run.how == placement::kind::by_rule) warn_of_owners(task, effects);
}

/// A task that writes data of several ranks, and does not say where it runs.
void core::warn_of_owners(const task_description& task,
                          std::span<const ownership::effect> effects) {
  std::size_t first = effects.size();
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (!writes(task.accesses[i].mode)) continue;
    if (first == effects.size()) first = i;
    if (effects[i].owner == effects[first].owner || !verify_->first_time(task.where)) continue;
    const access_description &one = task.accesses[first], &two = task.accesses[i];
    return warn({error_code::writes_of_several_owners,
                 "task " + quoted(task.codelet.name) + " writes data of ranks " +
                     std::to_string(effects[first].owner) + " and " +
                     std::to_string(effects[i].owner),
                 {{"first write", quoted(name_of(one.datum)) + " at " + to_string(one.where)},
                  {"second write", quoted(name_of(two.datum)) + " at " + to_string(two.where)},
                  {"moves", counted(bytes_of(two.datum), "byte") + " per run, or more"}},
                 "say where it runs: `deed::on_owner_of(h)`"});
  }
}

void core::note_message(const access_description& what, int peer, std::uint64_t channel,
                        std::uint64_t tag, bool sends) {
  datum_info& info = data_[what.datum];
  if (!sends && verify_->on.leaks) last_writes_[what.datum] = what.where;
  if (!verify_->on.messages) return;
  verify_->messages.add(
      {sends, peer, channel, tag, info.type->type_name, info.name, what.where, info.where});
}

std::uint64_t verification::keep_values(std::uint64_t step, const task_description& task) {
  if (!on.global || task.body->tell_values == nullptr) return 0;
  std::vector<std::string>& texts = values_[step];
  task.body->tell_values(task.closure, texts);
  std::uint64_t hash = 1;
  for (const std::string& each : texts) {
    for (const char letter : each) hash = mix(hash, static_cast<unsigned char>(letter));
    hash = mix(hash, each.size());
  }
  return hash;
}

/// What a rank says of its submissions beyond the digests.
void core::tell_submissions(reply& told) const {
  const auto tell_accesses = [&](const submission& from, told_dealing& to) {
    for (const submitted_access& each : from.accesses) {
      to.accesses.push_back(
          {static_cast<std::uint8_t>(each.mode), each.tag, name_of_tag(each.tag)});
    }
  };
  for (told_dealing& each : told.dealings) {
    if (each.codelet.empty()) continue;
    if (const submission* const known = verify_->find(each.number)) tell_accesses(*known, each);
  }
  for (const submission& each : verify_->submissions) {
    if (!each.alone || each.accesses.empty()) continue;
    told_dealing mine;
    mine.codelet = each.codelet->name;
    mine.where = to_string(each.where);
    mine.number = each.number;
    mine.executor = each.executor;
    mine.tag = each.accesses.front().tag;
    mine.version = each.accesses.front().version;
    tell_accesses(each, mine);
    mine.datum = mine.accesses.front().datum;
    told.alone.push_back(std::move(mine));
  }
}

// Leaks.

void core::note_end_of(ownership::slot datum) {
  if (!verify_->on.leaks || !verify_->leaks.take_unread(datum)) return;
  const datum_info& info = data_[datum];
  const bool answers = ledger_.is_per_rank(datum) || owner_of(datum) == rank_;
  if (!answers || info.in_place || broken_ || passes_exception()) return;
  verify_->leaks.add(
      error_code::write_never_used,
      "the last write to " + quoted(name_of(datum)) + " is never used",
      {{"written", to_string(last_writes_[datum])}, {"registered", to_string(info.where)}},
      "borrow or send it before its handle ends, or delete the task");
}

void core::overwritten(ownership::slot datum) noexcept {
  if (verify_ == nullptr || !verify_->on.leaks) return;
  const datum_info& info = data_[datum];
  verify_->leaks.add(
      error_code::live_handle_overwritten,
      "the handle of " + quoted(name_of(datum)) + " is overwritten while it lives",
      {{"registered", to_string(info.where)}, {"last write", to_string(last_writes_[datum])}},
      "keep the handles in a `std::vector`, or end the datum with `unregister()`");
}

void core::note_dropped(const request_state& what) {
  if (verify_ == nullptr || !verify_->on.leaks || what.waited || what.tested) return;
  if (broken_ || passes_exception()) return;
  verify_->leaks.add(error_code::request_dropped, "a request is dropped, and nobody waited for it",
                     {{"started", to_string(what.where)}},
                     "`wait()` for it; or plain `send` or `receive` if nobody waits");
}

void core::note_closed(const gate_state& what) noexcept {
  if (verify_ == nullptr || !verify_->on.leaks || what.promised >= what.needed) return;
  if (broken_ || passes_exception()) return;
  verify_->leaks.add(
      error_code::gate_never_opens, "gate " + quoted(what.name) + " is never opened",
      {{"made", to_string(what.where)},
       {"openings", std::to_string(what.promised) + " of " + std::to_string(what.needed)}},
      "open it, or delete it");
}

/// What still lives when the session ends.
void core::note_left() {
  const auto add = [&](const std::string& what, std::vector<error::fact> facts) {
    verify_->leaks.add(error_code::handle_outlives_session, what + " outlives the session",
                       std::move(facts), "let it end before the session: close its scope");
  };
  for (const borrow_node* lent : lent_) {
    add("a borrow of " + quoted(name_of(lent->datum)),
        {{"borrowed", std::string(to_string(lent->mode)) + " at " + to_string(lent->where)}});
  }
  for (ownership::slot datum = 0; datum < data_.size(); ++datum) {
    const datum_info& info = data_[datum];
    if (info.type != nullptr)
      add("the handle of " + quoted(name_of(datum)), {{"registered", to_string(info.where)}});
  }
}

// The end.

void core::hear_messages(std::span<const std::byte> bytes) {
  {
    const std::lock_guard lock(verify_mutex_);
    messages_told_.push_back(heard<rank_messages>(bytes));
  }
  if (team_ != nullptr) team_->wake_everybody();
}

void core::hear_leaks(std::span<const std::byte> bytes) {
  {
    const std::lock_guard lock(verify_mutex_);
    leaks_told_.push_back(heard<rank_leaks>(bytes));
  }
  if (team_ != nullptr) team_->wake_everybody();
}

void core::hear_insertions(std::span<const std::byte> bytes) {
  {
    const std::lock_guard lock(verify_mutex_);
    insertions_told_.push_back(heard<rank_insertions>(bytes));
  }
  if (team_ != nullptr) team_->wake_everybody();
}

/// All ranks have come to the end.
void core::verify_end(last_checks all) {
  const auto ranks = static_cast<std::size_t>(size());
  // On rank 0: waits for what all tell, and puts it in order.
  const auto hear_all = [&](auto& told) {
    help_until([&] {
      const std::lock_guard lock(verify_mutex_);
      return told.size() == ranks;
    });
    std::ranges::sort(told, {}, [](const auto& each) { return each.rank; });
  };
  if (all.leaks) {
    note_left();
    tell(*engine_, 0, control::leaks, rank_leaks{rank_, verify_->leaks.all()});
  }
  if (all.messages)
    tell(*engine_, 0, control::messages, rank_messages{rank_, verify_->messages.told()});
  if (all.global)
    tell(*engine_, 0, control::insertions,
         rank_insertions{rank_, runtime::counted(verify_->submissions)});
  if (all.leaks && rank_ == 0) {
    hear_all(leaks_told_);
    for (const error& each : reports_of(leaks_told_)) warn(each);
  }
  if (!all.messages && !all.global) return;
  std::optional<verdict> found;
  if (rank_ == 0 && all.global) {
    hear_all(insertions_told_);
    found = task_that_nobody_runs(insertions_told_);
  }
  if (rank_ == 0 && all.messages) {
    hear_all(messages_told_);
    if (!found) found = unmatched_message(messages_told_);
  }
  if (found) announce(*found);
  if (agree(collective::end, found ? 1 : 0) != 0) throw_verdict();
}

}  // namespace deed::runtime
