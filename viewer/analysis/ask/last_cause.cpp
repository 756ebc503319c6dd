// SPDX-License-Identifier: MIT
#include "analysis/ask/last_cause.hpp"

#include <deed/trace/events.hpp>

#include "analysis/say/sentence.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

namespace deed::viewer {

namespace {

/// The first of them that came after what is known so far, and before the task began.
void take_transfer(const model& of, const task& t, std::uint32_t handle, std::uint32_t version,
                   cause& latest) {
  if (const std::uint32_t message = of.message_that_brought(handle, version, t.rank);
      message != none) {
    const transfer& x = of.transfers()[message];
    if (x.done_receive != never && x.done_receive <= t.begin && x.done_receive > latest.at)
      latest = {message, writer_of(of, x), x.done_receive};
    return;
  }
  for (const std::uint32_t index : of.transfers_to(t.rank, handle, version)) {
    const transfer& x = of.transfers()[index];
    if (!x.is_message() && x.done_receive != never && x.done_receive <= t.begin &&
        x.done_receive > latest.at)
      latest = {index, writer_of(of, x), x.done_receive};
  }
}

void take_task(const model& of, const task& t, std::uint32_t before, cause& latest) {
  if (before == none) return;
  const task& b = of.tasks()[before];
  if (b.end != never && b.rank == t.rank && b.end <= t.begin && b.end > latest.at)
    latest = {none, before, b.end};
}

/// The first transfer that brought a version to a rank as a whole, and not a part of a reduction.
std::uint32_t value_came_to(const model& of, int rank, std::uint32_t handle,
                            std::uint32_t version) {
  if (const std::uint32_t message = of.message_that_brought(handle, version, rank); message != none)
    return message;
  constexpr std::size_t few = 100;  // Most often there is one; messages of other names lie there.
  const auto all = of.transfers_to(rank, handle, version);
  for (const std::uint32_t index : all.first(std::min(few, all.size()))) {
    const transfer& first = of.transfers()[index];
    if (!first.is_message() && !first.is(trace::transfer_reason::reduce) &&
        first.done_receive != never)
      return index;
  }
  return none;
}

/// The same, to its sender, of what another moves.
std::uint32_t value_came_to_sender(const model& of, const transfer& x) {
  return x.is(trace::transfer_reason::reduce) ? none
                                              : value_came_to(of, x.src, x.handle, x.version);
}

}  // namespace

std::uint32_t writer_of(const model& of, const transfer& x) {
  const std::uint32_t writer = x.is_message() ? of.writer_on(x.src, x.handle, x.version, x.end())
                                              : of.writer(x.handle, x.version);
  return writer != none || value_came_to_sender(of, x) != none
             ? writer
             : of.contributed().last_task(x.src, x.handle, x.version);
}

contribution last_added_up(const model& of, const transfer& x) {
  const contribution last = of.contributed().last_of(x.src, x.handle, x.version);
  return last.at == never || value_came_to_sender(of, x) != none ? contribution() : last;
}

std::span<const contribution> added_up(const model& of, int rank, std::uint32_t handle,
                                       std::uint32_t version) {
  const auto parts = of.contributed().all_of(rank, handle, version);
  return parts.empty() || value_came_to(of, rank, handle, version) == none
             ? parts
             : std::span<const contribution>();
}

std::span<const contribution> added_up_at_sender(const model& of, const transfer& x) {
  return x.is(trace::transfer_reason::reduce) ? of.contributed().all_of(x.src, x.handle, x.version)
                                              : added_up(of, x.src, x.handle, x.version);
}

std::uint32_t came_to_sender(const model& of, const transfer& x) {
  const std::uint32_t value = value_came_to_sender(of, x);
  if (value != none) return value;
  return of.contributed().last_arrival(x.src, x.handle, x.version);
}

cause cause_of_version(const model& of, const task& t, std::uint32_t handle,
                       std::uint32_t version) {
  cause latest;
  take_task(of, t, of.writer(handle, version), latest);
  take_transfer(of, t, handle, version, latest);
  return latest;
}

cause last_cause(const model& of, const task& t) {
  cause latest;
  for (const access& a : of.accesses(t)) {
    if (!a.reads()) continue;
    take_task(of, t, of.writer(a.handle, a.ver_in), latest);
    take_task(of, t, of.contributed().last_task(t.rank, a.handle, a.ver_in), latest);
    take_transfer(of, t, a.handle, a.ver_in, latest);
  }
  // What it waited for may be another version than it read: that is a mistake, and took its time.
  const auto ready = static_cast<trace::ready_cause>(t.ready_cause);
  if (ready == trace::ready_cause::task) take_task(of, t, of.find_task(t.rank, t.ready_by), latest);
  if (ready == trace::ready_cause::transfer)
    take_transfer(of, t, static_cast<std::uint32_t>(t.ready_by >> 32),
                  static_cast<std::uint32_t>(t.ready_by), latest);
  if (const std::uint32_t send = awaited_send(of, t); send != none)
    if (const transfer& x = of.transfers()[send]; x.done_send > latest.at)
      latest = {send, writer_of(of, x), x.done_send, true};
  return latest;
}

std::uint32_t awaited_send(const model& of, const task& t) {
  if (t.ready == never ||
      static_cast<trace::ready_cause>(t.ready_cause) != trace::ready_cause::transfer)
    return none;
  const auto handle = static_cast<std::uint32_t>(t.ready_by >> 32);
  const auto version = static_cast<std::uint32_t>(t.ready_by);
  if (!of.transfers_to(t.rank, handle, version).empty()) return none;  // It came.
  const auto sends = of.transfers_from(t.rank, handle, version);
  const auto end = [&](std::uint32_t index) { return of.transfers()[index].done_send; };
  const auto behind = std::ranges::upper_bound(sends, t.ready, {}, end);
  if (behind == sends.begin() || end(*std::prev(behind)) == never) return none;
  return *std::ranges::lower_bound(sends, end(*std::prev(behind)), {}, end);
}

const transfer* arrival(const model& of, std::uint32_t handle, std::uint32_t version, int rank) {
  if (const std::uint32_t message = of.message_that_brought(handle, version, rank);
      message != none) {
    const transfer& x = of.transfers()[message];
    return x.done_receive != never && x.begin() != never ? &x : nullptr;
  }
  for (const std::uint32_t index : of.transfers_to(rank, handle, version)) {
    const transfer& x = of.transfers()[index];
    if (x.done_receive != never && x.begin() != never) return &x;
  }
  return nullptr;
}

std::string say_cause(const model& of, const cause& why) {
  if (why.transfer != none) {
    const transfer& x = of.transfers()[why.transfer];
    return version_name(of, x.handle, x.version) + " from rank " + std::to_string(x.src) +
           (why.sends ? " to rank " + std::to_string(x.dst) : "");
  }
  if (why.task == none) return {};
  return of.task_on_rank(why.task);
}

}  // namespace deed::viewer
