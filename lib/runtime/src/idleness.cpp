// SPDX-License-Identifier: MIT
#include <deed/base/words.hpp>
#include <deed/runtime/deadlock_error.hpp>

#include "control.hpp"
#include "core.hpp"
#include "inquest.hpp"
#include "of_all_ranks.hpp"
#include "report.hpp"
#include "resting.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <tuple>

/// @file
/// When a rank says that it only waits, and what all ranks do once it is proved that all of them
/// do.

namespace deed::runtime {
namespace {

/// The collective that a message belongs to, if it does.
std::string collective_of(const transport::transfer& what) {
  const bool part =
      what.kind == transport::transfer_kind::message && collective_channel::is(what.version);
  return part ? collective_channel::of(what.version).text() : "";
}

/// Of messages that arrived, in order: how many alike came after each.
void count_newer(std::vector<stray>& strays) {
  std::map<std::tuple<int, std::uint64_t, std::uint64_t, std::uint64_t>, std::uint64_t> seen;
  for (auto each = strays.rbegin(); each != strays.rend(); ++each)
    if (each->arrived)
      each->newer = seen[{each->peer, each->channel, each->tag, each->type_hash}]++;
}

/// Of the first that arrived, which alone is told of; none if it is no explicit message.
std::optional<stray_key> key_of_first(const std::vector<transport::unmatched>& left, int here) {
  using enum transport::unmatched::side;
  auto each = std::ranges::find(left, arrived, &transport::unmatched::where);
  if (each == left.end() || each->what.kind != transport::transfer_kind::message ||
      !collective_of(each->what).empty())
    return std::nullopt;
  const auto as_key = [&](const transport::unmatched& of) {
    return stray_key{of.peer.value, here, of.what.tag, of.what.type_hash, of.what.version};
  };
  stray_key first = as_key(*each);
  const stray_key alike = first;
  while (++each != left.end())
    if (each->where == arrived && each->what.kind == transport::transfer_kind::message &&
        as_key(*each) == alike)
      ++first.newer;
  return first;
}

std::string registered_as(const replica& known) {
  return known.label() + " at " + to_string(known.where);
}

}  // namespace

void core::start_listening() {
  engine_->on_quiescence([this] {
    quiescent_.store(true, std::memory_order_release);
    if (team_ != nullptr) team_->wake_everybody();
  });
  engine_->on_fault([this](deed::rank peer, const std::exception_ptr& reason) {
    if (!misfits(peer.value, reason, nullptr)) fail(reason);
  });
  engine_->on_control([this](deed::rank from, std::uint16_t what,
                             std::span<const std::byte> bytes) { hear(from.value, what, bytes); });
}

void core::hear(int from, std::uint16_t what, std::span<const std::byte> bytes) {
  switch (static_cast<control>(what)) {
    case control::statement: {
      const std::lock_guard lock(inquest_.mutex);
      inquest_.statements.push_back(heard<statement>(bytes));
      if (inquest_.statements.size() == static_cast<std::size_t>(size())) compare_digests();
      return;
    }
    case control::question:
      return tell(*engine_, from, control::answer, answer_to(heard<question>(bytes)));
    case control::answer: {
      const std::lock_guard lock(inquest_.mutex);
      answer told = heard<answer>(bytes);
      std::ranges::move(told.known, std::back_inserter(inquest_.known));
      std::ranges::move(told.sent, std::back_inserter(inquest_.sent));
      // Without a statement it is the end that asked, and no verdict is due.
      if (--inquest_.answers_due == 0 && !inquest_.statements.empty()) announce_verdict();
      return;
    }
    case control::verdict: {
      {
        const std::lock_guard lock(inquest_.mutex);
        inquest_.result = heard<verdict>(bytes);
      }
      if (team_ != nullptr) team_->wake_everybody();
      return;
    }
    case control::summary:
      summary_.add(heard<rank_summary>(bytes));
      if (team_ != nullptr) team_->wake_everybody();
      return;
    case control::messages:
      return hear_messages(bytes);
    case control::leaks:
      return hear_leaks(bytes);
    case control::insertions:
      return hear_insertions(bytes);
    case control::alarm:
      alarm_.ring(misfit{});
      if (team_ != nullptr) team_->wake_everybody();
      return;
    case control::inquiry:
      return tell(*engine_, from, control::reply, answer_to(heard<inquiry>(bytes)));
    case control::reply: {
      const std::lock_guard lock(inquest_.mutex);
      return hear_reply(heard<reply>(bytes));
    }
    case control::account:
      return hear_account(bytes);
    case control::ask:
      return tell(*engine_, from, control::alive,
                  sign_of_life{heard<std::uint64_t>(bytes), doing()});
    case control::alive:
      if (heartbeat_ != nullptr) heartbeat_->answered(heard<sign_of_life>(bytes));
      return;
    case control::clock_question:
      return answer_clock(from, heard<clock_reading>(bytes));
    case control::clock_answer:
      return hear_clock(heard<clock_reading>(bytes));
    case control::settled:
      settlement_.conclude(heard<account>(bytes));
      if (team_ != nullptr) team_->wake_everybody();
      return;
  }
}

/// All transfers of all ranks are complete, so their counts are final.
void core::collect_summary() {
  const std::size_t threads = team_->contexts().size() - (team_->main_runs_tasks() ? 0 : 1);
  tell(*engine_, 0, control::summary,
       rank_summary{.rank = rank_,
                    .run_ns = static_cast<std::uint64_t>(elapsed().count()),
                    .workers = threads,
                    .program_helps = team_->main_runs_tasks(),
                    .is_a_process = environment_.process,
                    .in_virtual_time = environment_.simulated,
                    .peak_memory_bytes = peak_memory(),
                    .counts = counts()});
  if (rank_ == 0)
    help_until([this] { return summary_.heard() == static_cast<std::size_t>(size()); });
}

answer core::answer_to(const question& asked) {
  answer told;
  for (const std::uint64_t tag : asked.tags) {
    told.known.push_back(testify(tag));
    told.known.back().due = due_transfers(tag);
  }
  for (const stray_key& each : asked.messages) told.sent.push_back({each, sent_by_me(each)});
  return told;
}

void core::ask_for_testimony() {
  constexpr std::size_t most_messages = 64;  // A report names fewer.
  std::map<int, std::set<std::uint64_t>> data;
  std::map<int, std::vector<stray_key>> messages;
  std::size_t strays = 0;
  for (const statement& each : inquest_.statements) {
    for (const missing& wanted : each.waits) {
      if (!wanted.message && wanted.gate.empty()) data[wanted.peer].insert(wanted.tag);
    }
    for (const stray& left : each.strays) {
      if (left.arrived && left.collective.empty() && strays++ < most_messages)
        messages[left.peer].push_back(key_of(left, each.rank));
    }
  }
  std::map<int, question> asked;
  for (const auto& [rank, tags] : data) asked[rank].tags.assign(tags.begin(), tags.end());
  for (auto& [rank, those] : messages) asked[rank].messages = std::move(those);
  inquest_.answers_due = asked.size();
  if (asked.empty()) announce_verdict();
  for (const auto& [rank, all] : asked) tell(*engine_, rank, control::question, all);
}

void core::announce_verdict() {
  announce(judge(inquest_.statements, inquest_.known, inquest_.sent));
}

testimony core::testify(std::uint64_t tag) const {
  testimony told{.rank = rank_, .tag = tag};
  if (const std::optional<ownership::slot> known = slot_with(tag)) {
    told.known = true;
    told.version = ledger_.version(*known);
    told.last_write = to_string(last_writes_[*known]);
    return told;
  }
  if (const std::optional<tile_of_tag> tile = tile_with(tag); tile && tile->known == nullptr) {
    told.known = true;  // By its rule.
    told.last_write = to_string(tile->family->what().where);
    return told;
  }
  const auto ended = std::ranges::find(ended_.rbegin(), ended_.rend(), tag, &testimony::tag);
  if (ended != ended_.rend()) return *ended;
  for (const auto& [first, count, registered] : ended_families_) {
    if (tag - first < count) return {rank_, tag, true, 0, registered};
  }
  return told;
}

std::vector<due_transfer> core::due_transfers(std::uint64_t tag) {
  std::vector<due_transfer> due;
  transfers_.for_each([&](const transfer_node& each) {
    if (each.kind != node_kind::send || each.sending.what.tag != tag ||
        each.sending.what.kind == transport::transfer_kind::message)
      return;
    due.push_back({each.sending.peer.value, each.sending.what.version});
  });
  return due;
}

/// As this rank knows it: another one may have another group of that number.
group_name core::group_called(const transport::transfer& what) const {
  if (collective_of(what).empty()) return {};
  const std::uint32_t number = collective_channel::of(what.version).group;
  if (number == 0) return {};
  return {number, number <= groups_.size() ? groups_[number - 1]->ranks : std::vector<int>{}};
}

/// "`gather` to rank 2 in the group of ranks 2, 0", of a part of such a call.
std::string core::call_of(const transport::transfer& what) const {
  if (collective_of(what).empty()) return {};
  collective_channel call = collective_channel::of(what.version);
  if (call.group == 0) return call.text();
  const group_name group = group_called(what);
  if (group.members.empty()) return call.text() + " of a group that this rank has not made";
  if (const auto root = static_cast<std::size_t>(call.root); root < group.members.size())
    call.root = group.members[root];
  return call.text() + " in the group of ranks " + ranks_text(group.members);
}

/// The line of the call of which this rank waits for a part.
std::string core::place_of_call(const transport::transfer& what) {
  if (collective_of(what).empty()) return {};
  std::string found;
  collectives_.for_each([&](const collective_node& each) {
    if (each.run != nullptr && each.run->is(what)) found = to_string(each.where);
  });
  return found;
}

/// A message without its other end, as this rank knows it. To `describe` one that it has sent looks
/// through all its transfers.
stray core::stray_of(const transport::unmatched& left, bool describe) {
  const auto& [side, peer, what] = left;
  stray told{side == transport::unmatched::side::arrived,
             peer.value,
             what.tag,
             what.bytes,
             call_of(what),
             group_called(what),
             what.type_hash,
             what.version};
  if (!describe || told.arrived || !told.collective.empty()) return told;
  transfers_.for_each([&, &what = what, &peer = peer](transfer_node& each) {
    if (each.kind != node_kind::send || each.sending.peer != peer || each.sending.what != what ||
        each.accesses().empty())
      return;
    const replica& from = each.accesses().front().datum();
    told.send = "a send of " + from.label() + ", at " + to_string(each.where) + ",";
    told.registered = registered_as(from);
  });
  return told;
}

std::vector<calls_made> core::calls_by_group() const {
  std::vector<calls_made> all{{{}, collectives_begun_.count}};
  for (const auto& each : groups_)
    all.push_back({{each->number, each->ranks}, each->collectives.count});
  const auto& newest = log_.collectives();
  const std::size_t told = std::min(newest.size(), calls_told(size()));
  for (const collective_made& each :
       std::views::drop(newest, static_cast<std::ptrdiff_t>(newest.size() - told)))
    all[each.group].known.push_back(
        {each.is, each.type, std::string(each.of), each.before, to_string(each.where)});
  return all;
}

statement core::state() {
  constexpr std::size_t most_described = 20;  // A report shows no more.
  std::size_t sent_here = 0;
  statement mine{rank_, waiting_at_, {}, {}, digest_before(submission_log::latest)};
  std::map<const replica*, const task_node*> first_task;  // Of those that wait for a datum.
  tasks_.for_each([&](task_node& task) {
    if (task.codelet == nullptr) return;
    for (const node_access& each : task.accesses()) {
      const task_node*& first = first_task[&each.datum()];
      if (first == nullptr || task.number < first->number) first = &task;
    }
  });
  for (const auto& [side, peer, what] : engine_->left_over()) {
    const bool message = what.kind == transport::transfer_kind::message;
    if (side != transport::unmatched::side::expected) {
      const bool describe = sent_here < most_described;
      if (message) mine.strays.push_back(stray_of({side, peer, what}, describe));
      if (message && side == transport::unmatched::side::announced && collective_of(what).empty())
        ++sent_here;
      continue;
    }
    missing wanted{.message = message,
                   .peer = peer.value,
                   .owner = static_cast<int>(what.origin),
                   .tag = what.tag,
                   .transfer = what.version,
                   .waits = "a receive",
                   .collective = call_of(what),
                   .called = place_of_call(what),
                   .group = group_called(what)};
    transfers_.for_each([&](transfer_node& each) {
      if (each.kind != node_kind::receive || each.receiving.what != what ||
          each.receiving.peer != peer)
        return;
      wanted.version = each.version;
      if (message && wanted.collective.empty() && !each.accesses().empty()) {
        const replica& into = each.accesses().front().datum();
        wanted.waits = "a receive of " + into.label() + ", at " + to_string(each.where) + ",";
        wanted.registered = registered_as(into);
      }
    });
    const std::optional<ownership::slot> known = slot_with(what.tag);
    const replica* copy = known ? data_[*known].here : nullptr;
    if (copy == nullptr) {  // Its handle may have gone, before the task that waits for it.
      const auto waits = std::ranges::find_if(
          first_task, [&](const auto& each) { return each.first->tag == what.tag; });
      if (waits != first_task.end()) copy = waits->first;
    }
    if (!message && copy != nullptr) {
      wanted.datum = copy->label();
      wanted.registered = registered_as(*copy);
      if (const auto task = first_task.find(copy); task != first_task.end()) {
        wanted.waits = "task `" + std::string(task->second->codelet->name) + "` #" +
                       std::to_string(task->second->number) + ", inserted at " +
                       to_string(task->second->where) + ",";
      }
    }
    mine.waits.push_back(std::move(wanted));
  }
  count_newer(mine.strays);
  for (const lane_key& each : messages_.waiting())
    mine.due.push_back({each.direction == node_kind::send, each.peer, each.tag});
  name_gates(mine.waits);
  if (verify_ != nullptr && verify_->on.messages) mine.messages = verify_->messages.told();
  mine.calls = calls_by_group();
  mine.rounds = log_.rounds();
  mine.in_round = in_round_;
  return mine;
}

void core::ask_who_sent_what_is_left() {
  constexpr std::chrono::seconds patience{5};  // It only makes a report better.
  const std::optional<stray_key> left = key_of_first(engine_->left_over(), rank_);
  if (!left) return;
  {
    const std::lock_guard lock(inquest_.mutex);
    inquest_.answers_due = 1;
  }
  tell(*engine_, left->sender, control::question, question{{}, {*left}});
  const std::chrono::nanoseconds since = environment_.time->now();
  const auto answered = [this] {
    const std::lock_guard lock(inquest_.mutex);
    return inquest_.answers_due == 0;
  };
  while (!answered() && environment_.time->now() - since < patience) {
    rethrow_failure();
    if (!engine_->progress()) engine_->rest(std::chrono::milliseconds(5));
  }
}

error core::never_received(const transport::unmatched& left, const told_message* told) const {
  const auto& [side, peer, what] = left;
  const bool message = what.kind == transport::transfer_kind::message;
  std::vector<error::fact> facts{{"message", (message ? "message tag " : "datum tag ") +
                                                 std::to_string(what.tag) + ", " +
                                                 counted(what.bytes, "byte")}};
  if (told != nullptr) facts.push_back({"sent", told->datum + " at " + told->where});
  facts.push_back({"arrived", rank_label(rank_)});
  if (told != nullptr) facts.push_back({"registered", told->registered});
  return error(error_code::message_never_received,
               "a message from rank " + std::to_string(peer.value) + " is never received",
               std::move(facts),
               "add the receive on rank " + std::to_string(rank_) + ", or correct the message tag");
}

void core::refuse_left_over() {
  const std::vector<transport::unmatched> all = engine_->left_over();
  for (const transport::unmatched& left : all) {
    const auto& [side, peer, what] = left;
    if (side != transport::unmatched::side::arrived) continue;
    if (const std::string call = call_of(what); !call.empty()) {
      const bool of_all = collective_channel::of(what.version).group == 0;
      throw error(error_code::step_not_reached,
                  "not every rank reaches " + call + ", collective call #" +
                      std::to_string(what.tag) + (of_all ? " of the run" : " of the group"),
                  {{"rank " + std::to_string(peer.value), "made the call"},
                   {"rank " + std::to_string(rank_), "did not"}},
                  std::string("make it on ") +
                      (of_all ? "every rank" : "every member of the group") +
                      ": look for a condition that depends on the rank");
    }
    const std::optional<stray_key> asked = key_of_first(all, rank_);
    throw never_received(left, asked ? find(inquest_.sent, *asked) : nullptr);
  }
}

void core::explain_deadlock() {
  tell(*engine_, 0, control::statement, state());
  throw_verdict();
}

}  // namespace deed::runtime
