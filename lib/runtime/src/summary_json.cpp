// SPDX-License-Identifier: MIT
#include "json.hpp"
#include "summary.hpp"

#include <cmath>
#include <map>
#include <utility>

namespace deed::runtime {
namespace {

std::int64_t whole(double ns) { return std::llround(ns); }

std::string sent(const std::pair<const int, traffic>& peer) {
  const traffic& of = peer.second;
  return json_object()
      .put("rank", peer.first)
      .put("transfers", of.transfers)
      .put("payload_bytes", of.payload_bytes)
      .put("announced", of.announced)
      .put("data_frames", of.data_frames)
      .put("control_frames", of.control_frames)
      .put("other_frames", of.other_frames)
      .put("header_bytes", of.header_bytes)
      .text();
}

std::string received(const std::pair<const int, traffic>& peer) {
  return json_object()
      .put("rank", peer.first)
      .put("transfers", peer.second.transfers)
      .put("payload_bytes", peer.second.payload_bytes)
      .text();
}

std::string of_owner(const std::pair<const int, cache_use>& owner) {
  return json_object()
      .put("rank", owner.first)
      .put("hits", owner.second.hits)
      .put("misses", owner.second.misses)
      .put("bytes_saved", owner.second.bytes_saved)
      .text();
}

std::string of_codelet(const std::pair<const std::string, codelet_use>& named) {
  const codelet_use& of = named.second;
  return json_object()
      .put("name", named.first)
      .put("tasks", of.tasks)
      .put("on_devices", of.on_devices)
      .put("timed", of.timed)
      .put("mean_ns", whole(of.mean_ns()))
      .put("sd_ns", whole(of.deviation_ns()))
      .put("total_ns", whole(of.total_ns()))
      .text();
}

std::string of_wait(const wait_use& of) {
  json_object one;
  one.put("what", of.what);
  if (of.from >= 0) one.put("from", of.from).put("where", of.where);
  one.put("times", of.times)
      .put("total_ns", of.total.count())
      .put("longest_ns", of.longest.count());
  if (!of.longest_for.empty()) one.put("longest_for", of.longest_for);
  return one.text();
}

std::string of_rank(const rank_summary& each) {
  const statistics& counts = each.counts;
  return json_object()
      .put("rank", each.rank)
      .put("run_ns", each.run_ns)
      .put("workers", each.workers)
      .put("busy_ns", counts.busy.count())
      .put("in_tasks_ns", whole(each.in_tasks_ns()))
      .put("idle_ns", counts.idle.count())
      .put("program_ns", counts.program.count())
      .put("overhead_ns", whole(each.overhead_ns()))
      .put("process_peak_bytes", each.peak_memory_bytes)
      .put("tasks_submitted", counts.tasks_submitted)
      .put("tasks_run", counts.tasks_run)
      .put("tasks_cancelled", counts.tasks_cancelled)
      .put("cache_hits", counts.cache_hits)
      .put("cache_misses", counts.cache_misses)
      .put("cache_bytes_saved", counts.cache_bytes_saved)
      .put("copies_bytes", counts.copies_bytes)
      .put("most_copies_bytes", counts.most_copies_bytes)
      .put("tasks_on_devices", counts.tasks_on_devices)
      .put("bytes_to_devices", counts.bytes_to_devices)
      .put("bytes_from_devices", counts.bytes_from_devices)
      .put("device_evictions", counts.device_evictions)
      .put("messages_sent", counts.messages_sent)
      .put_raw("sent_to", json_list(counts.sent_to, sent))
      .put_raw("received_from", json_list(counts.received_from, received))
      .put_raw("cache_of", json_list(counts.cache_of, of_owner))
      .put_raw("codelets", json_list(counts.codelets, of_codelet))
      .put_raw("waits", json_list(counts.waits, of_wait))
      .text();
}

}  // namespace

std::string as_json(std::span<const rank_summary> ranks) {
  return json_object()
             .put("ranks", ranks.size())
             .put_raw("per_rank", json_list(ranks, of_rank))
             .text() +
         "\n";
}

}  // namespace deed::runtime
