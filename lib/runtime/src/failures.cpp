// SPDX-License-Identifier: MIT
#include "failures.hpp"

#include <deed/data/lacks_memory.hpp>

#include "control.hpp"
#include "core.hpp"
#include "of_all_ranks.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <string_view>
#include <tuple>

namespace deed::runtime {

void account::add(const failure& one) {
  const auto known = [&](const failure& other) { return one.same_as(other); };
  if (std::ranges::any_of(failures, known)) return;
  const auto order = [](const failure& at) { return std::tuple(at.number, at.rank); };
  failures.insert(std::ranges::upper_bound(failures, order(one), {}, order), one);
}

void account::add(const account& other) {
  for (const failure& one : other.failures) add(one);
  cancelled += other.cancelled;
}

std::exception_ptr exception_of(const account& all, bool printed_here) {
  constexpr std::size_t shown = 20;
  const failure& first = all.failures.front();
  const of_all_ranks how(printed_here, first.rank);
  const bool by_task = !first.codelet.empty();
  std::vector<error::fact> facts = first.facts;
  std::vector<failed_task> others;
  if (all.cancelled > 0) {
    facts.push_back({"cancelled", counted(all.cancelled, "task") + " that would have read " +
                                      (by_task ? "what it writes" : "it")});
  }
  std::vector<std::pair<std::string, std::size_t>> lines;  // Each once, and how often.
  for (std::size_t i = 1; i < all.failures.size(); ++i) {
    const failure& also = all.failures[i];
    others.push_back({also.codelet, also.number, also.rank, also.thrown});
    const std::string at = also.inserted.empty() ? "" : ", inserted at " + also.inserted;
    std::string line = also.happened + ", on rank " + std::to_string(also.rank) + at;
    const auto known = std::ranges::find(lines, line, &std::pair<std::string, std::size_t>::first);
    if (known == lines.end()) {
      lines.emplace_back(std::move(line), 1);
    } else {
      ++known->second;
    }
  }
  for (std::size_t i = 0; i < std::min(lines.size(), shown); ++i) {
    const auto& [line, times] = lines[i];
    facts.push_back(
        {"failed, too", times == 1 ? line : line + " (" + std::to_string(times) + " times)"});
  }
  std::size_t more = 0;
  for (std::size_t i = shown; i < lines.size(); ++i) more += lines[i].second;
  if (more != 0) facts.push_back({"failed, too", std::to_string(more) + " more"});
  if (!by_task) {
    return std::make_exception_ptr(
        common<error>(how, static_cast<error_code>(first.code), first.happened, facts, first.help));
  }
  return std::make_exception_ptr(common<task_error>(
      how, failed_task{first.codelet, first.number, first.rank, first.thrown}, facts,
      std::move(others), all.cancelled, first.help.empty() ? task_error::usual_help : first.help));
}

call_stack made_at(const std::exception_ptr& reason) {
  try {
    std::rethrow_exception(reason);
  } catch (const error& known) {
    return known.made_at();
  } catch (...) {
    return {};
  }
}

std::optional<account> settlement::collect(const account& one, std::size_t ranks) {
  const std::lock_guard lock(mutex_);
  sum_.add(one);
  if (++told_ < ranks) return std::nullopt;
  told_ = 0;
  return std::exchange(sum_, {});
}

namespace {

/// What the library itself threw, if it did.
std::optional<error> refusal_in(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error& known) {
    return known;
  } catch (...) {
    return std::nullopt;
  }
}

/// For what the task needs before its body: also where the body makes room for what it writes.
bool lacked_before_body(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const data::lacks_memory&) {
    return true;
  } catch (...) {
    return false;
  }
}

bool is_lack_of_memory(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// The first line of what the library refused: its facts and its help have places of their own.
std::string first_line(const error& refused) {
  const std::string text = refused.what();
  return text.substr(0, text.find('\n'));
}

/// Of what was refused inside a task, but for its name, which the report begins with.
std::vector<error::fact> facts_of(const error& refused) {
  std::vector<error::fact> facts = refused.facts();
  std::erase_if(facts, [](const error::fact& each) { return each.label == "task"; });
  return facts;
}

/// "no memory for what task `load` writes", "no memory for the scratch of task `load`".
std::string before_body(const std::string& happened, const std::string& codelet) {
  const std::string task = "task `" + codelet + "`";
  return happened == "no memory for a value" ? "no memory for what " + task + " writes"
                                             : happened + " of " + task;
}

/// Of what takes memory on a rank, the copies are what a program can bound.
void tell_copies(failure& why, std::uint64_t bytes) {
  if (bytes == 0) return;
  why.facts.push_back({"copies here", amount(bytes) + " of other ranks' values, which " +
                                          "DEED_MEMORY=cache=BYTES bounds"});
}

}  // namespace

std::vector<error::fact> core::uses_of(const task_node& task) {
  std::vector<error::fact> facts;
  const auto add = [&](const replica& copy, bool writes) {
    facts.push_back({copy.pool != nullptr ? "contributes to"
                     : writes             ? "writes"
                                          : "reads",
                     copy.label() + ", tag " + std::to_string(copy.tag)});
  };
  for (const node_access& each : task.accesses()) add(each.datum(), each.writes());
  if (task.body != nullptr) return facts;
  const auto& at_once = static_cast<const task_at_once&>(task);
  for (const access_description& each : at_once.asked->accesses)
    add(*at_once.home->data_[each.datum].here, writes(each.mode));
  return facts;
}

shared_failure core::failure_of(task_node& task, const std::exception_ptr& thrown,
                                bool begun) const {
  failure why;
  why.code = static_cast<std::uint16_t>(error_code::task_threw);
  why.rank = rank_;
  why.number = task.number;
  why.codelet = task.codelet->name;
  const std::optional<error> refused = refusal_in(thrown);
  why.thrown = refused ? first_line(*refused) : text_of(thrown);
  why.happened = "task `" + why.codelet + "` threw: " + why.thrown;
  why.inserted = to_string(task.where);
  if (refused) why.facts = facts_of(*refused);
  why.facts.push_back({"inserted", why.inserted + ", insertion #" + std::to_string(task.number)});
  why.facts.push_back({"ran on", "rank " + std::to_string(rank_)});
  why.facts.push_back({"codelet", to_string(task.codelet->where)});
  std::ranges::move(uses_of(task), std::back_inserter(why.facts));
  if (refused) why.made_at = refused->made_at();
  const bool lacked = is_lack_of_memory(thrown) ||
                      (refused && refused->code() == error_code::host_memory_exhausted);
  if (lacked && begun && !lacked_before_body(thrown)) {
    why.help =
        "let its body take less memory, give each rank more, or run fewer tasks at once: "
        "DEED_WORKERS";
    tell_copies(why, copies_here_.bytes());
  } else if (refused && !lacked) {
    why.help = refused->help();  // Of a call that a task may not make: to catch it is no help.
  } else if (lacked) {
    why.code = static_cast<std::uint16_t>(error_code::host_memory_exhausted);
    why.happened = refused ? before_body(refused->happened(), why.codelet)
                           : "no memory to begin task `" + why.codelet + "`";
    why.help = refused ? refused->help()
                       : "give each rank more memory, or let fewer tasks wait at once: DEED_WINDOW";
    why.codelet.clear();
    tell_copies(why, copies_here_.bytes());
  }
  return std::make_shared<const failure>(std::move(why));
}

shared_failure core::failure_of(const transfer_node& transfer,
                                const std::exception_ptr& thrown) const {
  const replica& copy = transfer.only.datum();
  const bool sends = transfer.kind == node_kind::send;
  const int peer = sends ? transfer.sending.peer.value : transfer.receiving.peer.value;
  failure why;
  why.code = static_cast<std::uint16_t>(error_code::serialize_threw);
  why.rank = rank_;
  why.thrown = text_of(thrown);
  why.happened = "the type of " + copy.label() + " threw: " + why.thrown;
  why.help = "let it pack and unpack every value that it may have";
  if (const std::optional<error> refused = refusal_in(thrown)) {
    why.code = static_cast<std::uint16_t>(refused->code());
    why.happened = copy.label() + ": " + refused->happened();
    why.facts = refused->facts();
    why.help = refused->help();
    why.made_at = refused->made_at();
  } else if (is_lack_of_memory(thrown)) {
    why.code = static_cast<std::uint16_t>(error_code::host_memory_exhausted);
    why.happened = copy.label() + ": no memory to pack the value";
    why.help = "give each rank more memory, or split the value";
  }
  if (why.code == static_cast<std::uint16_t>(error_code::host_memory_exhausted))
    tell_copies(why, copies_here_.bytes());
  why.inserted = to_string(transfer.where);
  why.facts.push_back({sends ? "while packed" : "unpacked", "on rank " + std::to_string(rank_) +
                                                                (sends ? ", for" : ", from") +
                                                                " rank " + std::to_string(peer)});
  why.facts.push_back({"needed by", why.inserted});
  why.facts.push_back({"registered", to_string(copy.where)});
  why.facts.push_back({"type", quoted(copy.type->type_name)});
  return std::make_shared<const failure>(std::move(why));
}

void core::note(context& self, const failure& why, std::uint32_t datum) noexcept {
  try {
    if (options_.exceptions == on_exception::propagate) return failures_.add(why);
    account alone;
    alone.add(why);
    const bool here = why.rank == rank_;
    const std::exception_ptr reason = exception_of(alone, here);  // Who it happened to says it.
    record_failure(self, reason, datum, here ? why.number : trace::no_task, why.made_at);
    fail(reason);
  } catch (...) {  // What was kept for reports is used up, too.
    fail(std::current_exception());
  }
}

bool core::cancelled(context& self, task_node& task) {
  const auto accesses = task.accesses();
  const auto lacks = std::ranges::find_if(accesses, [](const node_access& each) {
    return each.reads() && each.datum().poison != nullptr;
  });
  if (lacks == accesses.end()) [[likely]]
    return false;
  cancel(self, task, lacks->datum().poison);
  return true;
}

void core::give_up_before(context& self, task_node& task, const std::exception_ptr& thrown,
                          std::string_view device) {
  failure why = *failure_of(task, thrown, false);
  why.facts.push_back({"device", quoted(device)});
  const auto shared = std::make_shared<const failure>(std::move(why));
  if (devices_->measures()) devices_->ran_here(task, {});
  devices_->forget(task);
  spoil(task.accesses(), shared);
  note(self, *shared, task.access_count == 0 ? trace::nothing : task.accesses()[0].datum().number);
  self.events->task_begin(task.number, task.codelet->number);
  self.events->task_end(task.number, trace::task_status::threw);
  retire(self, task, task.recurs() != nullptr);
}

void core::cancel(context& self, task_node& task, const shared_failure& why) {
  if (devices_ != nullptr) {
    if (devices_->measures()) devices_->ran_here(task, {});
    devices_->forget(task);
  }
  spoil(task.accesses(), why);
  if (options_.exceptions == on_exception::propagate) failures_.add_cancelled(*why);
  count(self.tasks_cancelled, std::uint64_t{1});
  self.events->task_begin(task.number, task.codelet->number);
  self.events->task_end(task.number, trace::task_status::cancelled);
}

shared_failure core::why_missing(const node& by, const replica& what) const {
  if (what.poison != nullptr) return what.poison;
  return by.leased ? devices_->lacking(by) : nullptr;
}

void core::spoil(std::span<node_access> accesses, const shared_failure& why) noexcept {
  for (node_access& each : accesses) {
    if (each.writes()) each.datum().poison = why;
    if (each.datum().pool != nullptr) each.datum().pool->spoil(why);
  }
}

void core::settle(collective kind, place where) {
  if (agree(kind, failures_.empty() ? 0 : 1, where) == 0) return;
  tell(*engine_, 0, control::account, failures_.take());
  help_until([&] { return settlement_.concluded(); });
  std::rethrow_exception(exception_of(settlement_.take(), rank_ == 0));
}

void core::hear_account(std::span<const std::byte> bytes) {
  const auto all = settlement_.collect(heard<account>(bytes), static_cast<std::size_t>(size()));
  if (!all) return;
  for (int rank = 0; rank < size(); ++rank) tell(*engine_, rank, control::settled, *all);
}

}  // namespace deed::runtime
